#include "net/ws_parse.h"

#include "ws_probe.h"

enum { MESSAGE_MAX = 10000, INPUT_MAX = 1 << 20 };

#define FIN_TEXT  (WS_FIN | WS_TEXT)
#define FIN_PING  (WS_FIN | WS_PING)
#define FIN_PONG  (WS_FIN | WS_PONG)
#define FIN_CLOSE (WS_FIN | WS_CLOSE)
#define FIN_REST  WS_FIN /* a last continuation */

struct frame {
	int first;
	struct str payload;
};

static const struct row {
	const char *name;
	struct frame frames[6];
	struct str raw; /* instead of frames */
	const char *want;
} ROWS[] = {
	{ "a message", { { FIN_TEXT, STR("hello") } }, { 0 }, "text:hello " },
	{ "an empty message", { { FIN_TEXT, STR("") } }, { 0 }, "text: " },
	{ "the RFC's masked example",
	  { { 0 } },
	  STR("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"),
	  "text:Hello " },
	{ "two messages",
	  { { FIN_TEXT, STR("a") }, { FIN_TEXT, STR("b") } },
	  { 0 },
	  "text:a text:b " },
	{ "a message in three parts",
	  { { WS_TEXT, STR("he") }, { 0, STR("l") }, { FIN_REST, STR("lo") } },
	  { 0 },
	  "text:hello " },
	{ "empty parts",
	  { { WS_TEXT, STR("") }, { 0, STR("") }, { 0, STR("x") }, { FIN_REST, STR("") } },
	  { 0 },
	  "text:x " },
	{ "control frames between the parts",
	  { { WS_TEXT, STR("he") },
	    { FIN_PING, STR("p") },
	    { FIN_PONG, STR("") },
	    { FIN_REST, STR("llo") } },
	  { 0 },
	  "ping:p pong: text:hello " },
	{ "a character in two parts",
	  { { WS_TEXT, STR("\xc3") }, { FIN_REST, STR("\xa9") } },
	  { 0 },
	  "text:\xc3\xa9 " },
	{ "half a character at the end", { { FIN_TEXT, STR("a\xc3") } }, { 0 }, "bad:1007 " },
	{ "a surrogate", { { FIN_TEXT, STR("\xed\xa0\x80") } }, { 0 }, "bad:1007 " },
	{ "NUL in a text", { { FIN_TEXT, STR("a\0b") } }, { 0 }, "text:a\\0b " },
	{ "a binary message", { { WS_FIN | WS_BINARY, STR("x") } }, { 0 }, "bad:1003 " },
	{ "the beginning of a binary message", { { WS_BINARY, STR("x") } }, { 0 }, "bad:1003 " },
	{ "a continuation of nothing", { { FIN_REST, STR("x") } }, { 0 }, "bad:1002 " },
	{ "a continuation after the end",
	  { { FIN_TEXT, STR("a") }, { FIN_REST, STR("b") } },
	  { 0 },
	  "text:a bad:1002 " },
	{ "a message within a message",
	  { { WS_TEXT, STR("a") }, { FIN_TEXT, STR("b") } },
	  { 0 },
	  "bad:1002 " },
	{ "a reserved bit", { { FIN_TEXT | 0x40, STR("a") } }, { 0 }, "bad:1002 " },
	{ "a reserved bit of a ping", { { FIN_PING | 0x10, STR("a") } }, { 0 }, "bad:1002 " },
	{ "an unknown kind", { { WS_FIN | 0x3, STR("a") } }, { 0 }, "bad:1002 " },
	{ "an unknown control frame", { { WS_FIN | 0xb, STR("a") } }, { 0 }, "bad:1002 " },
	{ "a ping in parts", { { WS_PING, STR("a") } }, { 0 }, "bad:1002 " },
	{ "a mask that is missing", { { 0 } }, STR("\x81\x05hello"), "bad:1002 " },
	{ "a ping without a mask", { { 0 } }, STR("\x89\x00"), "bad:1002 " },
	{ "a control frame of 126 bytes", { { 0 } }, STR("\x89\xfe\x00\x7e...."), "bad:1002 " },
	{ "a length of two bytes that one could hold",
	  { { 0 } },
	  STR("\x81\xfe\x00\x7d....x"),
	  "bad:1002 " },
	{ "a length of eight bytes that two could hold",
	  { { 0 } },
	  STR("\x81\xff\0\0\0\0\0\0\xff\xff....x"),
	  "bad:1002 " },
	{ "a length with its highest bit",
	  { { 0 } },
	  STR("\x81\xff\x80\0\0\0\0\1\0\0....x"),
	  "bad:1002 " },
	{ "a message that is too large", { { 0 } }, STR("\x81\xfe\x27\x11....x"), "bad:1009 " },
	{ "a message of exabytes",
	  { { 0 } },
	  STR("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff....x"),
	  "bad:1009 " },
	{ "a close", { { FIN_CLOSE, STR("\x03\xe8") } }, { 0 }, "close:1000: " },
	{ "a close with a reason",
	  { { FIN_CLOSE, STR("\x0f\xa0why") } },
	  { 0 },
	  "close:4000:why " },
	{ "a close without a code", { { FIN_CLOSE, STR("") } }, { 0 }, "close:1005: " },
	{ "nothing counts after a close",
	  { { FIN_CLOSE, STR("\x03\xe8") }, { FIN_TEXT, STR("late") } },
	  { 0 },
	  "close:1000: " },
	{ "nothing counts after a mistake",
	  { { FIN_REST, STR("x") }, { FIN_TEXT, STR("late") } },
	  { 0 },
	  "bad:1002 " },
	{ "a close within a message",
	  { { WS_TEXT, STR("a") }, { FIN_CLOSE, STR("\x03\xe9") } },
	  { 0 },
	  "close:1001: " },
	{ "half a code", { { FIN_CLOSE, STR("\x03") } }, { 0 }, "bad:1002 " },
	{ "a code below all", { { FIN_CLOSE, STR("\x03\xe7") } }, { 0 }, "bad:1002 " },
	{ "a code that is never sent", { { FIN_CLOSE, STR("\x03\xed") } }, { 0 }, "bad:1002 " },
	{ "the other code that is never sent",
	  { { FIN_CLOSE, STR("\x03\xee") } },
	  { 0 },
	  "bad:1002 " },
	{ "a code of nobody", { { FIN_CLOSE, STR("\x07\xd0") } }, { 0 }, "bad:1002 " },
	{ "a code above all", { { FIN_CLOSE, STR("\x13\x88") } }, { 0 }, "bad:1002 " },
	{ "a reason that is not UTF-8",
	  { { FIN_CLOSE, STR("\x03\xe8\xff") } },
	  { 0 },
	  "bad:1007 " },
};

static void
put_text(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\0')
			buf_puts(out, "\\0");
		else
			buf_putc(out, text.ptr[i]);
	buf_putc(out, ' ');
}

static void
put_step(struct buf *out, enum ws_parse_step step, const struct ws_said *said)
{
	switch (step) {
	case WS_PARSE_TEXT: buf_puts(out, "text:"); break;
	case WS_PARSE_PING: buf_puts(out, "ping:"); break;
	case WS_PARSE_PONG: buf_puts(out, "pong:"); break;
	case WS_PARSE_CLOSE: buf_printf(out, "close:%d:", said->code); break;
	case WS_PARSE_BAD:
		assert_in_range(said->text.len, 1, WS_REASON_MAX);
		buf_printf(out, "bad:%d ", said->code);
		return;
	case WS_PARSE_MORE: return;
	}
	put_text(out, said->text);
}

static void
feed(struct ws_parse *p, struct str input, struct buf *out)
{
	enum ws_parse_step step;
	struct ws_said said;
	size_t used;

	do {
		step = ws_parse_feed(p, input, &used, &said);
		input = str_slice(input, used, input.len);
		put_step(out, step, &said);
	} while (step != WS_PARSE_MORE);
	assert_int_equal(input.len, 0);
}

/* first bytes at once, then step bytes at a time. */
static void
check_split(const char *name, struct str input, struct str want, size_t first, size_t step)
{
	struct ws_parse p;
	struct buf out;

	ws_parse_init(&p, MESSAGE_MAX);
	buf_init(&out, INPUT_MAX);
	feed(&p, str_slice(input, 0, first), &out);
	for (size_t at = first; at < input.len; at += step)
		feed(&p, str_slice(input, at, at + (step < input.len ? step : input.len)), &out);
	if (!str_eq(buf_str(&out), want))
		fail_msg("%s, split at %zu then by %zu:\n" STR_FMT "\nwant:\n" STR_FMT, name, first,
			 step, STR_ARG(buf_str(&out)), STR_ARG(want));
	buf_release(&out);
	ws_parse_release(&p);
}

static void
row_holds_however_it_is_split(void **state)
{
	const struct row *row = *state;
	struct buf input;

	buf_init(&input, INPUT_MAX);
	buf_put_str(&input, row->raw);
	for (size_t i = 0; i < ARRAY_LEN(row->frames) && row->frames[i].payload.ptr; i++)
		ws_probe_put(&input, row->frames[i].first, row->frames[i].payload);
	for (size_t first = 0; first <= input.len; first++) {
		check_split(row->name, buf_str(&input), str_of(row->want), first, 1);
		check_split(row->name, buf_str(&input), str_of(row->want), first, SIZE_MAX / 2);
	}
	buf_release(&input);
}

static struct str
make_text(struct buf *out, size_t len)
{
	buf_init(out, INPUT_MAX);
	for (size_t i = 0; i < len; i++)
		buf_putc(out, (char)('a' + i % 26));
	return buf_str(out);
}

/* Around the lengths where the form of the length, wslay's buffer or the limit changes. */
static void
lengths_arrive_whole(void **state)
{
	static const size_t LENGTHS[] = { 1,    124,  125,  126,  127,  4082, 4088,
					  4089, 4095, 4096, 4097, 8192, 9999, 10000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(LENGTHS); i++) {
		struct buf text, input, want;
		struct str made = make_text(&text, LENGTHS[i]);

		buf_init(&input, INPUT_MAX);
		buf_init(&want, INPUT_MAX);
		ws_probe_put(&input, FIN_TEXT, made);
		ws_probe_put(&input, WS_TEXT, str_slice(made, 0, made.len / 3));
		ws_probe_put(&input, FIN_PING, STR("p"));
		ws_probe_put(&input, FIN_REST, str_slice(made, made.len / 3, made.len));
		buf_puts(&want, "text:");
		put_text(&want, made);
		buf_puts(&want, "ping:p text:");
		put_text(&want, made);
		for (size_t step = 1; step < 3 * input.len; step = step * 3 + 1)
			check_split("length", buf_str(&input), buf_str(&want), 0, step);
		buf_release(&text);
		buf_release(&input);
		buf_release(&want);
	}
}

static void
parts_above_the_limit_are_refused(void **state)
{
	struct buf text, input;
	struct str made = make_text(&text, 6000);

	(void)state;
	buf_init(&input, INPUT_MAX);
	ws_probe_put(&input, WS_TEXT, made);
	ws_probe_put(&input, FIN_REST, str_slice(made, 0, 4001));
	check_split("two parts", buf_str(&input), STR("bad:1009 "), 0, 999);
	buf_release(&text);
	buf_release(&input);
}

/* A head that announces much, a thousand times, costs nothing: what came is what is kept. */
static void
announced_length_allocates_nothing(void **state)
{
	struct ws_parse p;
	struct buf out;

	(void)state;
	ws_parse_init(&p, SIZE_MAX / 2);
	buf_init(&out, INPUT_MAX);
	feed(&p, STR("\x81\xff\0\0\0\1\0\0\0\0....abc"), &out);
	assert_int_equal(out.len, 0);
	assert_in_range(p.message.cap, 3, 4096);
	buf_release(&out);
	ws_parse_release(&p);
}

/* A large message's memory goes with it. */
static void
quiet_connection_keeps_no_message(void **state)
{
	struct ws_parse p;
	struct buf text, input, out;

	(void)state;
	ws_parse_init(&p, MESSAGE_MAX);
	buf_init(&input, INPUT_MAX);
	buf_init(&out, INPUT_MAX);
	ws_probe_put(&input, FIN_TEXT, make_text(&text, MESSAGE_MAX));
	feed(&p, buf_str(&input), &out);
	assert_true(str_starts(buf_str(&out), STR("text:abc")));
	assert_int_equal(p.message.cap, 0);
	buf_release(&text);
	buf_release(&input);
	buf_release(&out);
	ws_parse_release(&p);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds_however_it_is_split);
	SUITE_TEST(&s, lengths_arrive_whole);
	SUITE_TEST(&s, parts_above_the_limit_are_refused);
	SUITE_TEST(&s, announced_length_allocates_nothing);
	SUITE_TEST(&s, quiet_connection_keeps_no_message);
	return suite_run(&s, "net/ws_parse");
}
