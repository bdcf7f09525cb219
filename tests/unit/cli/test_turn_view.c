#include "cli/turn_view.h"

#include "cli/term_text.h"
#include "harness.h"

#define MESSAGE "{\"type\":\"user.message\",\"id\":\"e1\",\"message_id\":\"m\",\"content\":[]}"
#define OTHER   "{\"type\":\"user.message\",\"id\":\"e0\",\"message_id\":\"x\",\"content\":[]}"
#define RUNS(t) "{\"type\":\"session.status_running\",\"turn_id\":\"" t "\",\"consumes\":[\"e1\"]}"
#define START(i) \
	"{\"type\":\"event_start\",\"event\":{\"type\":\"agent.message\",\"id\":\"" i "\"}}"
#define DELTA(i, t)                                                    \
	"{\"type\":\"event_delta\",\"event_id\":\"" i "\",\"delta\":{" \
	"\"type\":\"content_delta\",\"content\":{\"type\":\"text\",\"text\":\"" t "\"}}}"
#define SAYS(i, t, turn)                                                                     \
	"{\"type\":\"agent.message\",\"id\":\"" i "\",\"turn_id\":\"" turn "\",\"content\":" \
	"[{\"type\":\"text\",\"text\":\"" t "\"}]}"
#define IDLE(turn, why)                                               \
	"{\"type\":\"session.status_idle\",\"turn_id\":\"" turn "\"," \
	"\"stop_reason\":{\"type\":\"" why "\"}}"
#define USES                                                                              \
	"{\"type\":\"agent.tool_use\",\"id\":\"c1\",\"turn_id\":\"t\",\"name\":\"bash\"," \
	"\"input\":"                                                                      \
	"{\"command\":\"ls\"}}"
#define ASKS_FOR(ids)                                                           \
	"{\"type\":\"session.status_idle\",\"turn_id\":\"t\",\"stop_reason\":{" \
	"\"type\":\"requires_action\",\"event_ids\":[" ids "]}}"
#define ASKS_OF(turn, ids)                                                             \
	"{\"type\":\"session.status_idle\",\"turn_id\":\"" turn "\",\"stop_reason\":{" \
	"\"type\":\"requires_action\",\"event_ids\":[" ids "]}}"
#define OTHER_RUNS "{\"type\":\"session.status_running\",\"turn_id\":\"u\",\"consumes\":[\"e0\"]}"
#define ASKS       ASKS_FOR("\"c1\"")
#define DECIDED    "{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"c1\",\"result\":\"allow\"}"

/* Events, and =ID where a call was settled. What is told: [text], | where a message ends, {call}, !note; then the state. */
static const struct row {
	const char *name;
	const char *events[16];
	const char *want;
} rows[] = {
	{ "an answer that is streamed",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "Hel"), DELTA("a", "lo"),
	    SAYS("a", "Hello", "t"), IDLE("t", "end_turn") },
	  "[Hel][lo]| over end_turn 'Hello'" },
	{ "an answer that comes whole",
	  { MESSAGE, RUNS("t"), SAYS("a", "Hello", "t"), IDLE("t", "end_turn") },
	  "[Hello]| over end_turn 'Hello'" },
	{ "a stream that was cut goes on",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "Hel"), START("a"), DELTA("a", "Hello"),
	    DELTA("a", "!"), SAYS("a", "Hello!", "t"), IDLE("t", "end_turn") },
	  "[Hel][lo][!]| over end_turn 'Hello!'" },
	{ "previews that were missed are made up for",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "Hel"), SAYS("a", "Hello!", "t"),
	    IDLE("t", "end_turn") },
	  "[Hel][lo!]| over end_turn 'Hello!'" },
	{ "an answer that begins anew with the same words goes on",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "Hel"), RUNS("t"), START("b"),
	    DELTA("b", "He"), DELTA("b", "llo"), SAYS("b", "Hello", "t"), IDLE("t", "end_turn") },
	  "[Hel][lo]| over end_turn 'Hello'" },
	{ "one that begins with others is told again",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "Hello"), RUNS("t"), START("b"),
	    DELTA("b", "He"), DELTA("b", "y you"), SAYS("b", "Hey you", "t"),
	    IDLE("t", "end_turn") },
	  "[Hello]|!the answer was cut short and begins again [He][y you]| over end_turn 'Hey "
	  "you'" },
	{ "one that is shorter is told again",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "Hello"), SAYS("b", "Hel", "t"),
	    IDLE("t", "end_turn") },
	  "[Hello]|!the answer was cut short and begins again [Hel]| over end_turn 'Hel'" },
	{ "two messages",
	  { MESSAGE, RUNS("t"), SAYS("a", "One", "t"), SAYS("b", "Two", "t"),
	    IDLE("t", "end_turn") },
	  "[One]|[Two]| over end_turn 'One\n\nTwo'" },
	{ "a call and its failure",
	  { MESSAGE, RUNS("t"), USES,
	    "{\"type\":\"agent.tool_result\",\"turn_id\":\"t\",\"is_error\":true,"
	    "\"content\":[{\"text\":\"no\"}]}",
	    IDLE("t", "end_turn") },
	  "{bash: ls}!failed: no  over end_turn ''" },
	{ "a call that waits for somebody",
	  { MESSAGE, RUNS("t"), USES, ASKS },
	  "{bash: ls} waits c1 ''" },
	{ "and goes on", { MESSAGE, RUNS("t"), USES, ASKS, RUNS("t") }, "{bash: ls} runs ''" },
	{ "a call that was answered waits no more, whatever comes before it goes on",
	  { MESSAGE, RUNS("t"), USES, ASKS, "=c1", DECIDED },
	  "{bash: ls} '' " },
	{ "also when the wait is told again",
	  { MESSAGE, RUNS("t"), USES, ASKS, "=c1", ASKS, DECIDED },
	  "{bash: ls} '' " },
	{ "T8 a call that somebody else decided waits no more",
	  { MESSAGE, RUNS("t"), USES, ASKS, DECIDED, ASKS },
	  "{bash: ls} '' " },
	{ "one of two that was answered leaves the other",
	  { MESSAGE, RUNS("t"), USES, ASKS_FOR("\"c1\",\"c2\""), "=c1" },
	  "{bash: ls} waits c2 ''" },
	{ "the next question after an answer",
	  { MESSAGE, RUNS("t"), USES, ASKS, "=c1", RUNS("t"), ASKS_FOR("\"c1\",\"c2\"") },
	  "{bash: ls} waits c2 ''" },
	{ "an answer that comes late takes nothing away",
	  { MESSAGE, RUNS("t"), USES, ASKS, RUNS("t"), ASKS_FOR("\"c2\""), "=c1" },
	  "{bash: ls} waits c2 ''" },
	{ "another turn is none of ours",
	  { OTHER, "{\"type\":\"session.status_running\",\"turn_id\":\"u\",\"consumes\":[\"e0\"]}",
	    START("z"), DELTA("z", "no"), SAYS("z", "no", "u"), IDLE("u", "end_turn") },
	  " '' " },
	{ "T8 a message behind a turn that waits",
	  { MESSAGE, OTHER_RUNS, ASKS_OF("u", "\"c1\"") },
	  " waits c1 ''" },
	{ "T8 a message that comes when that waits already",
	  { OTHER_RUNS, ASKS_OF("u", "\"c1\""), MESSAGE },
	  " waits c1 ''" },
	{ "T8 a question before the message that nobody has sent yet",
	  { OTHER_RUNS, ASKS_OF("u", "\"c1\"") },
	  " '' " },
	{ "T8 the turn before goes on",
	  { MESSAGE, OTHER_RUNS, ASKS_OF("u", "\"c1\""), OTHER_RUNS },
	  " '' " },
	{ "T8 the turn before is over",
	  { MESSAGE, OTHER_RUNS, ASKS_OF("u", "\"c1\""), IDLE("u", "interrupted"), RUNS("t") },
	  " runs ''" },
	{ "P5 a marker alone",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "<NO_RE"), DELTA("a", "PLY>"),
	    SAYS("a", "<NO_REPLY>", "t"), IDLE("t", "end_turn") },
	  " over end_turn ''" },
	{ "P5 a marker alone that comes whole",
	  { MESSAGE, RUNS("t"), SAYS("a", " <NO_REPLY> ", "t"), SAYS("b", "yes", "t"),
	    IDLE("t", "end_turn") },
	  "[yes]| over end_turn 'yes'" },
	{ "P5 a marker within",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "one <"), DELTA("a", "EMPTY_RESPONSE>"),
	    DELTA("a", " < two"), SAYS("a", "one <EMPTY_RESPONSE> < two", "t"),
	    IDLE("t", "end_turn") },
	  "[one][  < two]| over end_turn 'one  < two'" },
	{ "P5 what looked like one",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "x <NO"), SAYS("a", "x <NO", "t"),
	    IDLE("t", "end_turn") },
	  "[x][ <NO]| over end_turn 'x <NO'" },
	{ "P5 what nobody saw of a message that begins again",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "<NO_REPLY>"), RUNS("t"), START("b"),
	    DELTA("b", "Hey"), SAYS("b", "Hey", "t"), IDLE("t", "end_turn") },
	  "[Hey]| over end_turn 'Hey'" },
	{ "the turn before ours",
	  { MESSAGE,
	    "{\"type\":\"session.status_running\",\"turn_id\":\"u\",\"consumes\":[\"e0\"]}",
	    SAYS("z", "no", "u"), IDLE("u", "end_turn"), RUNS("t"), SAYS("a", "yes", "t"),
	    IDLE("t", "end_turn") },
	  "[yes]| over end_turn 'yes'" },
	{ "a message that joins a running turn",
	  { MESSAGE,
	    "{\"type\":\"session.input_consumed\",\"turn_id\":\"u\",\"consumes\":[\"e1\"]}",
	    SAYS("a", "yes", "u"), IDLE("u", "end_turn") },
	  "[yes]| over end_turn 'yes'" },
	{ "a message that was cancelled",
	  { MESSAGE, "{\"type\":\"session.input_cancelled\",\"ids\":[\"e1\"]}" },
	  " over cancelled ''" },
	{ "a failure and its delay",
	  { MESSAGE, RUNS("t"),
	    "{\"type\":\"session.status_rescheduled\",\"turn_id\":\"t\",\"reason\":\"busy\"}",
	    "{\"type\":\"session.error\",\"turn_id\":\"t\",\"error\":{\"message\":\"gone\"}}",
	    IDLE("t", "retries_exhausted") },
	  "!waits to try again: busy !error: gone  over retries_exhausted ''" },
	{ "a restart",
	  { MESSAGE, RUNS("t"),
	    "{\"type\":\"session.status_rescheduled\",\"turn_id\":\"t\","
	    "\"reason\":\"restart_interrupted\"}" },
	  "!the server restarted; the turn goes on  runs ''" },
	{ "an end in the middle of a word",
	  { MESSAGE, RUNS("t"), START("a"), DELTA("a", "Hel"), IDLE("t", "retries_exhausted") },
	  "[Hel]| over retries_exhausted ''" },
	{ "a session that ends",
	  { MESSAGE, "{\"type\":\"session.deleted\"}" },
	  " over deleted ''" },
	{ "nothing counts once it is over",
	  { MESSAGE, RUNS("t"), IDLE("t", "end_turn"), SAYS("a", "late", "t") },
	  " over end_turn ''" },
};

static void
on_text(void *context, struct str piece)
{
	buf_printf(context, "[" STR_FMT "]", STR_ARG(piece));
}

static void
on_text_end(void *context)
{
	buf_putc(context, '|');
}

static void
on_call(void *context, struct str line)
{
	buf_printf(context, "{" STR_FMT "}", STR_ARG(line));
}

static void
on_note(void *context, struct str line)
{
	buf_printf(context, "!" STR_FMT " ", STR_ARG(line));
}

static void
put_state(const struct turn_view *v, struct buf *out)
{
	if (v->over)
		buf_printf(out, " over " STR_FMT, STR_ARG(v->stop_reason));
	else if (v->waits)
		buf_printf(out, " waits " STR_FMT, STR_ARG(v->waits_for.ptr[0]));
	else if (v->running)
		buf_puts(out, " runs");
	buf_printf(out, " '" STR_FMT "'", STR_ARG(buf_str(&v->text)));
	if (!v->over && !v->waits && !v->running)
		buf_putc(out, ' ');
}

static void
test_row(void **state)
{
	const struct row *row = *state;
	struct turn_view v;
	struct arena a;
	struct buf out;
	const struct turn_view_events events = { on_text, on_text_end, on_call, on_note, &out };

	term_text_init();
	arena_init(&a);
	buf_init(&out, 10000);
	turn_view_init(&v, STR("m"), &events);
	for (size_t i = 0; i < 16 && row->events[i]; i++) {
		struct json_doc doc;
		struct json type;

		if (row->events[i][0] == '=') {
			turn_view_settle(&v, str_of(row->events[i] + 1));
			continue;
		}
		assert_int_equal(
			json_parse(&a, str_of(row->events[i]), &JSON_LIMITS_DEFAULT, &doc, NULL),
			0);
		assert_true(json_find(json_root(&doc), STR("type"), &type));
		turn_view_apply(&v, json_str(type, &a), json_root(&doc));
	}
	put_state(&v, &out);
	assert_true(!v.running || v.stop_reason.len == 0); /* what runs has not stopped */
	check_str(row->name, buf_str(&out), str_of(row->want));
	assert_null(turn_view_find_call(&v, STR("c9")));
	turn_view_release(&v);
	buf_release(&out);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row);
	return suite_run(&s, "turn_view");
}
