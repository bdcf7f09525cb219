#include "provider/answer_stream.h"

#include "dialect_rig.h"

/* A dialect of one word: {"say":"..."}; {"end":1} ends. */
static void
take(struct answer *a, struct json event)
{
	answer_text(a, dialect_text(a, event, "say"));
	if (json_is_set(dialect_find(event, "why")))
		answer_stop(a, PROVIDER_STOP_END);
	a->complete = json_is_set(dialect_find(event, "end"));
}

static const struct dialect STRICT = { .take = take, .take_whole = take };
static const struct dialect LENIENT = { .take = take, .take_whole = take, .may_just_end = true };

static const struct row {
	const char *name;
	const struct dialect *dialect;
	const char *stream, *want;
} ROWS[] = {
	{ "T3 to its end", &STRICT, EVENT("{'say':'a'}") EVENT("{'end':1}") EVENT("{'say':'late'}"),
	  "'a' end 0+0 r0 0+0" },
	{ "T3 [DONE] behind the reason", &STRICT, EVENT("{'say':'a','why':1}") EVENT("[DONE]"),
	  "'a' end 0+0 r0 0+0" },
	{ "T3 an end without a marker", &LENIENT, EVENT("{'say':'a','why':1}"),
	  "'a' end 0+0 r0 0+0" },
	{ "T6 where one is needed", &STRICT, EVENT("{'say':'a','why':1}"),
	  "'a' !network acme/m: the answer ended in the middle" },
	{ "T6 and without a reason", &LENIENT, EVENT("{'say':'a'}"),
	  "'a' !network acme/m: the answer ended in the middle" },
	{ "T6 [DONE] without a reason", &LENIENT, EVENT("{'say':'a'}") EVENT("[DONE]"),
	  "'a' !network acme/m: the answer ended in the middle" },
	{ "T3 comments and empty data", &STRICT, ": c\n\ndata:\n\n" EVENT("{'end':1}"),
	  "end 0+0 r0 0+0" },
	{ "T3 CRLF and data over several lines", &STRICT,
	  "data: {'say':\r\ndata: 'a'}\r\n\r\n" EVENT("{'end':1}"), "'a' end 0+0 r0 0+0" },
	{ "T6 no object", &STRICT, EVENT("[1]"),
	  "!malformed acme/m: the answer makes no sense: it is no object" },
};

static void
check_row(void **state)
{
	const struct row *row = *state;

	dialect_check_stream(row->dialect, row->stream, row->want);
}

static void
T6_an_event_without_end_is_refused(void **state)
{
	static char piece[1 << 20];
	struct dialect_trace trace;
	struct answer_stream s;
	struct answer a;

	(void)state;
	memset(piece, 'x', sizeof piece);
	dialect_trace_init(&trace);
	answer_init(&a, &DIALECT_TRACE, &trace);
	a.from = STR("acme/m");
	answer_stream_init(&s, &STRICT, &a);
	for (int i = 0; i < 20 && !answer_is_over(&a); i++)
		answer_stream_feed(&s, (struct str){ piece, sizeof piece });
	answer_finish(&a, -1);
	assert_true(str_starts(buf_str(&trace.out), STR("!malformed acme/m: a line of an event")));
	answer_stream_release(&s);
	answer_release(&a);
	dialect_trace_release(&trace);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T6_an_event_without_end_is_refused);
	return suite_run(&s, "provider/answer_stream");
}
