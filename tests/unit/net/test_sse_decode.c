#include "net/sse_decode.h"

#include "base/rand.h"
#include "harness.h"

enum { TRACE_MAX = 1 << 20, EVENT_MAX = 64 };

/* Every event as "name|id|data|retry;". */
static bool
write_down(void *context, const struct sse_event *event)
{
	buf_printf(context, STR_FMT "|" STR_FMT "|" STR_FMT "|%lld;", STR_ARG(event->name),
		   STR_ARG(event->id), STR_ARG(event->data), (long long)event->retry_ms);
	return true;
}

static const struct row {
	const char *name;
	struct str bytes;
	const char *want;
} ROWS[] = {
	{ "one event", STR("data: x\n\n"), "||x|0;" },
	{ "all fields", STR("event: a\nid: 7\nretry: 10\ndata: x\n\n"), "a|7|x|10;" },
	{ "two lines of data", STR("data: a\ndata: b\n\n"), "||a\nb|0;" },
	{ "an empty line of data", STR("data: a\ndata\n\n"), "||a\n|0;" },
	{ "data without a value is an event", STR("data\n\n"), "|||0;" },
	{ "data with nothing but the colon", STR("data:\n\n"), "|||0;" },
	{ "only one blank is dropped", STR("data:  x\n\n"), "|| x|0;" },
	{ "no blank", STR("data:x\n\n"), "||x|0;" },
	{ "a colon in the value", STR("data: a:b\n\n"), "||a:b|0;" },
	{ "CR ends lines", STR("data: a\rdata: b\r\r"), "||a\nb|0;" },
	{ "CRLF ends lines", STR("data: a\r\ndata: b\r\n\r\n"), "||a\nb|0;" },
	{ "all line ends mixed", STR("data: a\rdata: b\r\n\ndata: c\n\r"), "||a\nb|0;||c|0;" },
	{ "CR LF CR LF is one blank line", STR("data: a\r\n\r\ndata: b\n\n"), "||a|0;||b|0;" },
	{ "LF CR are two line ends", STR("data: a\n\rdata: b\n\n"), "||a|0;||b|0;" },
	{ "a byte order mark",
	  STR("\xef\xbb\xbf"
	      "data: a\n\n"),
	  "||a|0;" },
	{ "only one of them",
	  STR("\xef\xbb\xbf\xef\xbb\xbf"
	      "data: a\n\ndata: b\n\n"),
	  "||b|0;" },
	{ "not later",
	  STR("data: a\n\n\xef\xbb\xbf"
	      "data: b\n\n"),
	  "||a|0;" },
	{ "part of one is text",
	  STR("\xef\xbb"
	      "data: a\n\ndata: b\n\n"),
	  "||b|0;" },
	{ "comments", STR(": hb\n\n:\ndata: a\n: b\n\n"), "||a|0;" },
	{ "a comment of any length",
	  STR(":345678901234567890123456789012345678901234567890123456789012345678901234567890\n"
	      "data: a\n\n"),
	  "||a|0;" },
	{ "fields it does not know", STR("dat: x\ndata : y\nData: z\ndata: a\n\n"), "||a|0;" },
	{ "a field without a value", STR("event\ndata: a\n\n"), "||a|0;" },
	{ "no data is no event", STR("event: a\n\ndata: b\n\n"), "||b|0;" },
	{ "an id stays", STR("id: 1\ndata: a\n\ndata: b\n\n"), "|1|a|0;|1|b|0;" },
	{ "an id without data counts", STR("id: 1\n\ndata: b\n\n"), "|1|b|0;" },
	{ "an empty id forgets", STR("id: 1\ndata: a\n\nid\ndata: b\n\n"), "|1|a|0;||b|0;" },
	{ "an id with NUL is ignored", STR("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n"),
	  "|1|a|0;|1|b|0;" },
	{ "the last name counts", STR("event: a\nevent: b\ndata: x\n\n"), "b||x|0;" },
	{ "a name is for one event", STR("event: a\ndata: x\n\ndata: y\n\n"), "a||x|0;||y|0;" },
	{ "retry stays", STR("retry: 5\n\ndata: a\n\n"), "||a|5;" },
	{ "retry of digits only",
	  STR("retry: 5\nretry: 6s\nretry: -1\nretry: +7\nretry:\ndata: a\n\n"), "||a|5;" },
	{ "retry too large to say", STR("retry: 5\nretry: 99999999999999999999\ndata: a\n\n"),
	  "||a|5;" },
	{ "an unfinished block is dropped", STR("data: a\n\ndata: b\n"), "||a|0;" },
	{ "an unfinished line is dropped", STR("data: a\n\ndata: b"), "||a|0;" },
	{ "blank lines", STR("\n\n\r\r\n\n"), "" },
	{ "nothing", STR(""), "" },
	{ "NUL in data", STR("data: a\0b\n\n"), "||a" },
};

/* cut: how many bytes a feed gets at most; first: how many the first one gets, 0: none is special. */
static int
decode(struct str bytes, size_t first, size_t cut, struct buf *out)
{
	struct sse_decode d;
	struct err e;
	int rc = 0;

	sse_decode_init(&d, EVENT_MAX, write_down, out);
	for (size_t take = first ? first : cut; rc == 0 && bytes.len > 0; take = cut) {
		rc = sse_decode_feed(&d, str_slice(bytes, 0, take), &e);
		bytes = str_slice(bytes, take, bytes.len);
	}
	sse_decode_release(&d);
	return rc;
}

/* However the bytes are cut: in two anywhere, or one by one. */
static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct buf got;

	buf_init(&got, TRACE_MAX);
	for (size_t at = 0; at <= row->bytes.len; at++) {
		buf_clear(&got);
		assert_int_equal(decode(row->bytes, at, SIZE_MAX, &got), 0);
		check_str("whole or in two", str_slice(buf_str(&got), 0, strlen(row->want)),
			  str_of(row->want));
	}
	buf_clear(&got);
	assert_int_equal(decode(row->bytes, 0, 1, &got), 0);
	buf_putc(&got, '\0');
	check_str("byte by byte", str_slice(buf_str(&got), 0, strlen(row->want)),
		  str_of(row->want));
	buf_release(&got);
}

/* Words that mean something to the decoder, in any order. */
static void
make_stream(struct rand *r, struct buf *out)
{
	static const struct str WORDS[] = {
		STR("data"),  STR("event"),  STR("id"),
		STR("retry"), STR(":"),      STR(": "),
		STR("\n"),    STR("\r"),     STR("\r\n"),
		STR("\n\n"),  STR("x"),      STR("42"),
		STR("\0"),    STR("data: "), STR("\xef\xbb\xbf"),
		STR("\xef"),  STR(" "),      STR("long enough to reach the limit sometimes "),
	};
	uint64_t count = rand_below(r, 60);

	for (uint64_t i = 0; i < count; i++)
		buf_put_str(out, WORDS[rand_below(r, ARRAY_LEN(WORDS))]);
}

static void
cutting_changes_nothing(void **state)
{
	uint64_t seeds = suite_seeds(3000);
	struct buf stream, whole, cut;

	(void)state;
	buf_init(&stream, TRACE_MAX);
	buf_init(&whole, TRACE_MAX);
	buf_init(&cut, TRACE_MAX);
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct rand r;
		int rc;

		rand_init_seed(&r, seed);
		buf_clear(&stream);
		buf_clear(&whole);
		make_stream(&r, &stream);
		rc = decode(buf_str(&stream), 0, SIZE_MAX, &whole);
		for (size_t step = 1; step < 8; step++) {
			buf_clear(&cut);
			if (decode(buf_str(&stream), 0, step, &cut) != rc ||
			    !str_eq(buf_str(&whole), buf_str(&cut)))
				fail_msg("seed %llu, steps of %zu", (unsigned long long)seed, step);
		}
	}
	buf_release(&stream);
	buf_release(&whole);
	buf_release(&cut);
}

static const struct limit_row {
	const char *name;
	size_t data_bytes, lines;
	int want;
} LIMIT_ROWS[] = {
	{ "a line at the limit", EVENT_MAX - 6, 1, 0 },
	{ "a line past it", EVENT_MAX - 5, 1, ERR_TOO_LARGE },
	{ "lines that make an event at the limit", 15, 4, 0 }, /* 4 * 15 + 3 */
	{ "lines that make one past it", 13, 5, ERR_TOO_LARGE },
};

static void
limit_row_holds(void **state)
{
	const struct limit_row *row = *state;
	char text[EVENT_MAX];
	struct buf stream, got;

	memset(text, 'x', sizeof text);
	buf_init(&stream, TRACE_MAX);
	buf_init(&got, TRACE_MAX);
	for (size_t i = 0; i < row->lines; i++)
		buf_printf(&stream, "data: %.*s\n", (int)row->data_bytes, text);
	buf_puts(&stream, "\n");
	for (size_t step = 1; step < stream.len + 1; step++)
		assert_int_equal(decode(buf_str(&stream), 0, step, &got), row->want);
	buf_release(&stream);
	buf_release(&got);
}

/* What net/sse writes, this reads: one event each, whatever the data is. */
static void
frames_come_back(void **state)
{
	uint64_t seeds = suite_seeds(3000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct buf data, got, want;
		struct net_bytes *frame;
		struct sse_decode d;
		struct rand r;

		rand_init_seed(&r, seed);
		buf_init(&data, TRACE_MAX);
		buf_init(&got, TRACE_MAX);
		buf_init(&want, TRACE_MAX);
		for (uint64_t n = rand_below(&r, 40); n > 0; n--)
			buf_putc(&data, "ab:\n\r \0d"[rand_below(&r, 8)]);
		assert_int_equal(
			sse_frame(&(struct sse_event){ STR("n"), STR("9"),
						       data.len ? buf_str(&data) : STR(""), 3 },
				  &frame, NULL),
			0);
		sse_decode_init(&d, TRACE_MAX, write_down, &got);
		assert_int_equal(sse_decode_feed(&d, net_bytes_data(frame), NULL), 0);
		buf_puts(&want, "n|9|");
		for (size_t i = 0; i < data.len; i++) { /* every line end arrives as LF */
			if (data.ptr[i] == '\r' && i + 1 < data.len && data.ptr[i + 1] == '\n')
				continue;
			buf_putc(&want, data.ptr[i] == '\r' ? '\n' : data.ptr[i]);
		}
		buf_puts(&want, "|3;");
		/* write_down prints up to a NUL, so compare what stands before it. */
		if (!memchr(want.ptr, '\0', want.len))
			check_str("event", buf_str(&got), buf_str(&want));
		assert_true(got.len > 0);
		sse_decode_release(&d);
		net_bytes_unref(frame);
		buf_release(&data);
		buf_release(&got);
		buf_release(&want);
	}
}

static bool
stop_at_two(void *context, const struct sse_event *event)
{
	(void)event;
	return ++*(int *)context < 2;
}

static void
owner_can_stop(void **state)
{
	struct sse_decode d;
	int seen = 0;

	(void)state;
	sse_decode_init(&d, EVENT_MAX, stop_at_two, &seen);
	assert_int_equal(sse_decode_feed(&d, STR("data: 1\n\ndata: 2\n\ndata: 3\n\n"), NULL), 0);
	assert_int_equal(sse_decode_feed(&d, STR("data: 4\n\n"), NULL), 0);
	assert_int_equal(seen, 2);
	sse_decode_release(&d);
}

/* What a client needs to go on after a break. */
static void
restart_keeps_id_and_retry(void **state)
{
	struct sse_decode d;
	struct buf got;

	(void)state;
	buf_init(&got, TRACE_MAX);
	sse_decode_init(&d, EVENT_MAX, write_down, &got);
	assert_int_equal(
		sse_decode_feed(&d, STR("id: 1\nretry: 9\ndata: a\n\nid: 2\nevent: x\nda"), NULL),
		0);
	check_str("the id of a finished block", buf_str(&d.last_id), STR("1"));
	sse_decode_restart(&d);
	assert_int_equal(sse_decode_feed(&d,
					 STR("\xef\xbb\xbf"
					     "data: b\n\n"),
					 NULL),
			 0);
	check_str("events", buf_str(&got), STR("|1|a|9;|1|b|9;"));
	sse_decode_release(&d);
	buf_release(&got);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, LIMIT_ROWS, limit_row_holds);
	SUITE_TEST(&s, cutting_changes_nothing);
	SUITE_TEST(&s, frames_come_back);
	SUITE_TEST(&s, owner_can_stop);
	SUITE_TEST(&s, restart_keeps_id_and_retry);
	return suite_run(&s, "net/sse_decode");
}
