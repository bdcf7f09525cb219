#include "core/reply_filter.h"

#include "base/rand.h"
#include "harness.h"

static const struct filter_row {
	const char *name, *text, *want;
	bool deliver;
} rows[] = {
	{ "P5 plain text passes", "hello", "hello", true },
	{ "P5 untouched text keeps its blanks", "  hello \n", "  hello \n", true },
	{ "P5 marker alone suppresses", "<NO_REPLY>", "", false },
	{ "P5 legacy marker alone suppresses", "<EMPTY_RESPONSE>", "", false },
	{ "P5 marker with blanks suppresses", " \n<NO_REPLY>\t ", "", false },
	{ "P5 both markers suppress", "<NO_REPLY><EMPTY_RESPONSE> <NO_REPLY>", "", false },
	{ "P5 marker before text", "<NO_REPLY> hello", "hello", true },
	{ "P5 marker after text", "hello <NO_REPLY>", "hello", true },
	{ "P5 marker inside text", "a<NO_REPLY>b", "ab", true },
	{ "P5 inner blanks stay", "a <NO_REPLY> b", "a  b", true },
	{ "P5 removing one makes another", "<NO_<NO_REPLY>REPLY>", "", false },
	{ "P5 removing one makes the other kind", "<EMPTY_<NO_REPLY>RESPONSE>x", "x", true },
	{ "P5 thrice nested", "<NO<NO_<NO_REPLY>REPLY>_REPLY>", "", false },
	{ "P5 case-sensitive", "<no_reply>", "<no_reply>", true },
	{ "P5 case-sensitive legacy", "<Empty_Response>", "<Empty_Response>", true },
	{ "P5 a half marker stays", "<NO_REPLY", "<NO_REPLY", true },
	{ "P5 another tag stays", "<b>x</b>", "<b>x</b>", true },
	{ "P5 empty text is not delivered", "", "", false },
	{ "P5 white space is not delivered", " \n\t\r", " \n\t\r", false },
	{ "P5 Unicode white space is not delivered", "\xc2\xa0\xe3\x80\x80<NO_REPLY>\xe2\x80\xa8",
	  "", false },
	{ "P5 trims Unicode white space", "\xe3\x80\x80ä<NO_REPLY>\xc2\xa0", "ä", true },
	{ "P5 the edges of Unicode white space",
	  "\xe2\x80\x80\xe2\x80\x8a\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\x9f\xe1\x9a\x80\xc2\x85<NO_"
	  "REPLY>",
	  "", false },
	{ "P5 zero width space is text", "\xe2\x80\x8b<NO_REPLY>", "\xe2\x80\x8b", true },
};

static void
check_row(void **state)
{
	const struct filter_row *row = *state;
	struct reply_stream stream;
	struct reply reply;
	struct buf out;

	buf_init(&out, strlen(row->text));
	reply = reply_filter_strip(str_of(row->text), &out);
	check_str(row->name, reply.text, str_of(row->want));
	assert_int_equal(reply.deliver, row->deliver);
	assert_false(out.overflow);
	reply_stream_init(&stream, strlen(row->text));
	reply_stream_push(&stream, str_of(row->text));
	reply = reply_stream_end(&stream);
	check_str(row->name, reply.text, str_of(row->want));
	assert_int_equal(reply.deliver, row->deliver);
	reply_stream_release(&stream);
	buf_release(&out);
}

/* Pieces are separated by '|'; so is what each of them lets be shown, and the rest behind them. */
static const struct stream_row {
	const char *name, *pieces, *shown;
} stream_rows[] = {
	{ "P5 stream shows text at once", "hel|lo", "hel|lo" },
	{ "P5 stream holds a possible marker", "a<NO|_REP|LY>b", "a||b" },
	{ "P5 stream lets go what was no marker", "a<NO|PE>", "a|<NOPE>" },
	{ "P5 stream holds a single bracket", "x <|b>", "x| <b>" },
	{ "P5 stream shows nothing of a silent reply", "<NO_RE|PLY>", "|" },
	{ "P5 stream holds nested halves", "<NO_|<NO_|REPLY>|REPLY>x", "|||x" },
	{ "P5 stream keeps blanks back until a word", "a |b", "a| b" },
	{ "P5 stream never shows leading blanks", " \n|<NO_REPLY>|hi", "||hi" },
	{ "P5 stream holds the legacy marker", "<EMPTY_RESPONSE|>|y", "||y" },
	{ "P5 stream holds an early half behind a later one", "<NO_<EMPTY_|x", "|<NO_<EMPTY_x" },
	{ "P5 the rest is what was held back", "a <NO", "a| <NO" },
	{ "P5 the rest of a silent reply is nothing", " <NO_REPLY> ", "|" },
	{ "P5 the rest has no trailing blanks", "a \n", "a|" },
};

static void
check_stream(void **state)
{
	const struct stream_row *row = *state;
	struct str pieces = str_of(row->pieces), shown = str_of(row->shown);
	struct reply_stream stream;
	bool more = true;

	reply_stream_init(&stream, pieces.len);
	while (more) {
		struct str piece, want;

		more = str_cut(pieces, '|', &piece, &pieces);
		str_cut(shown, '|', &want, &shown);
		check_str(row->name, reply_stream_push(&stream, piece), want);
	}
	check_str(row->name, reply_stream_rest(&stream), shown);
	reply_stream_release(&stream);
}

static struct str
pick_text(struct rand *r, struct buf *out)
{
	static const char *const BITS[] = { "<NO_REPLY>", "<EMPTY_RESPONSE>",
					    "<NO_",       "REPLY>",
					    "<EMPTY",     "_RESPONSE>",
					    " ",          "\n",
					    "a",          "<",
					    ">",          "ä" };
	size_t count = rand_below(r, 12);

	for (size_t i = 0; i < count; i++)
		buf_puts(out, BITS[rand_below(r, ARRAY_LEN(BITS))]);
	return buf_str(out);
}

static void
P5_property_nothing_shown_is_ever_taken_back(void **state)
{
	uint64_t seeds = suite_seeds(5000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct buf text, shown, once;
		struct reply_stream stream;
		struct reply streamed, whole;
		struct rand r;
		struct str all;

		rand_init_seed(&r, seed);
		buf_init(&text, 1000), buf_init(&shown, 1000), buf_init(&once, 1000);
		all = pick_text(&r, &text);
		reply_stream_init(&stream, 1000);
		for (size_t at = 0; at < all.len;) {
			size_t len = 1 + rand_below(&r, 6);

			while (at + len < all.len &&
			       ((unsigned char)all.ptr[at + len] & 0xc0) == 0x80)
				len++;
			buf_put_str(&shown,
				    reply_stream_push(&stream, str_slice(all, at, at + len)));
			at += len;
		}
		streamed = reply_stream_end(&stream);
		whole = reply_filter_strip(all, &once);
		if (!str_eq(streamed.text, whole.text) || streamed.deliver != whole.deliver)
			fail_msg("seed %llu: stream and whole differ", (unsigned long long)seed);
		if (!str_starts(str_trim(whole.text), buf_str(&shown)))
			fail_msg("seed %llu: showed " STR_FMT " of " STR_FMT,
				 (unsigned long long)seed, STR_ARG(buf_str(&shown)),
				 STR_ARG(whole.text));
		buf_put_str(&shown, reply_stream_rest(&stream));
		if (!str_eq(str_trim(whole.text), buf_str(&shown)))
			fail_msg("seed %llu: showed " STR_FMT " in the end, of " STR_FMT,
				 (unsigned long long)seed, STR_ARG(buf_str(&shown)),
				 STR_ARG(whole.text));
		if (str_contains(whole.text, STR("<NO_REPLY>")) ||
		    str_contains(whole.text, STR("<EMPTY_RESPONSE>")))
			fail_msg("seed %llu: a marker is left", (unsigned long long)seed);
		reply_stream_release(&stream);
		buf_release(&text), buf_release(&shown), buf_release(&once);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, check_row);
	SUITE_ROWS(&s, stream_rows, check_stream);
	SUITE_TEST(&s, P5_property_nothing_shown_is_ever_taken_back);
	return suite_run(&s, "reply_filter");
}
