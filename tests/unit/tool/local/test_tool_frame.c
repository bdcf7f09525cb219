#include "tool/local/tool_frame.h"

#include "harness.h"

static void
on_frame(void *ctx, enum tool_frame kind, struct str payload)
{
	buf_printf(ctx, "%c<" STR_FMT ">", (char)kind, STR_ARG(payload));
}

static const struct {
	const char *name;
	struct str bytes;
	const char *want;
	bool broken;
} ROWS[] = {
	{ "T12 a frame", STR("O\0\0\0\2hi"), "O<hi>", false },
	{ "T12 an empty one", STR("S\0\0\0\0"), "S<>", false },
	{ "T12 two", STR("S\0\0\0\0O\0\0\0\1x"), "S<>O<x>", false },
	{ "T12 half a head", STR("O\0\0"), "", false },
	{ "T12 half a frame", STR("S\0\0\0\0O\0\0\0\3x"), "S<>", false },
	{ "T12 no kind", STR("S\0\0\0\0X\0\0\0\0S\0\0\0\0"), "S<>", true },
	{ "T12 too long", STR("O\1\0\0\0"), "", true },
};

static void
test_row(void **state)
{
	const __typeof__(*ROWS) *row = *state;

	for (size_t step = 1; step <= 64; step += 63) {
		struct tool_frames f;
		struct buf out;
		struct err e;
		int rc = 0;

		tool_frames_init(&f);
		buf_init(&out, 1000);
		for (size_t at = 0; at < row->bytes.len; at += step)
			rc = tool_frames_feed(&f, str_slice(row->bytes, at, at + step), on_frame,
					      &out, &e);
		check_str("frames", buf_str(&out), str_of(row->want));
		assert_int_equal(rc, row->broken ? ERR_CORRUPT : 0);
		buf_release(&out);
		tool_frames_release(&f);
	}
}

struct report {
	struct arena *arena;
	struct tool_report got;
	int rc;
};

static void
on_report(void *ctx, enum tool_frame kind, struct str payload)
{
	struct report *r = ctx;
	struct err e;

	assert_int_equal(kind, TOOL_FRAME_REPORT);
	r->rc = tool_report_parse(r->arena, arena_str(r->arena, payload), &r->got, &e);
}

static void
T12_a_report_comes_as_it_was_sent(void **state)
{
	static const struct tool_report SENT[] = {
		{ TOOL_END_EXITED, 7, STR("") },
		{ TOOL_END_TIMEOUT, 0, STR("") },
		{ TOOL_END_CROWD, 0, STR("") },
		{ TOOL_END_STOPPED, 0, STR("") },
		{ TOOL_END_REFUSED, 0, STR("why \"not\"\n") },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(SENT); i++) {
		struct tool_frames f;
		struct arena a;
		struct report r = { .arena = &a };
		struct buf bytes;
		struct err e;

		arena_init(&a);
		tool_frames_init(&f);
		buf_init(&bytes, 1 << 20);
		tool_frame_put_report(&bytes, &SENT[i]);
		assert_int_equal(tool_frames_feed(&f, buf_str(&bytes), on_report, &r, &e), 0);
		assert_int_equal(r.rc, 0);
		assert_int_equal(r.got.end, SENT[i].end);
		assert_int_equal(r.got.code, SENT[i].code);
		check_str("text", r.got.text, SENT[i].text);
		buf_release(&bytes);
		tool_frames_release(&f);
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_TEST(&s, T12_a_report_comes_as_it_was_sent);
	return suite_run(&s, "tool/local/tool_frame");
}
