#include "core/runtime_text.h"

#include "base/json.h"
#include "harness.h"

static const struct runtime_wake WAKES[] = {
	{ { "wake_1", 6 }, { "mail\n# Not a heading", 20 }, { "inbox", 5 }, 1750000060000, false },
	{ { "wake_2", 6 }, { "old", 3 }, { "", 0 }, 1750000000000, true },
};
static const struct directive_learning LEARNINGS[] = { { { "Tests first", 11 },
							 { "they pay", 8 } } };
static const struct str STARTED[] = { { "wake_0", 6 } };
static const struct runtime_facts FULL = {
	.agent = { "main", 4 },
	.session = { "s1", 2 },
	.turn = { "turn_1", 6 },
	.model = { "demo", 4 },
	.now_ms = 1750000000000,
	.head_seq = 12,
	.stop = STOP_RESCHEDULING,
	.outcome = DIRECTIVE_CONTINUE,
	.continues = 2,
	.started_by = { STARTED, 1 },
	.wakes = WAKES,
	.wake_count = 2,
	.learnings = LEARNINGS,
	.learning_count = 1,
	.response = { "I looked.\nNothing new.", 22 },
};
static const struct runtime_facts BARE = { .agent = { "main", 4 },
					   .session = { "s1", 2 },
					   .stop = STOP_END_TURN };

static const struct row {
	const char *name;
	void (*write)(const struct runtime_facts *f, struct buf *out);
	const struct runtime_facts *facts;
	const char *want;
} ROWS[] = {
	{ "M13 a checkpoint", runtime_text_checkpoint, &FULL,
	  "{\"version\":1,\"session_id\":\"s1\",\"agent_id\":\"main\",\"updated_at\":"
	  "\"2025-06-15T15:06:40Z\",\"last_turn_id\":\"turn_1\",\"last_seq\":12,\"stop_reason\":"
	  "\"rescheduling\",\"last_outcome\":\"continue\",\"consecutive_continues\":2,"
	  "\"last_wake_ids\":[\"wake_0\"],\"next_wake_at\":\"2025-06-15T15:07:40Z\","
	  "\"queued_wakes\":[{\"id\":\"wake_1\",\"reason\":\"mail\\n# Not a heading\",\"note\":"
	  "\"inbox\",\"due_at\":\"2025-06-15T15:07:40Z\",\"parked\":false},{\"id\":\"wake_2\","
	  "\"reason\":\"old\",\"note\":\"\",\"due_at\":\"2025-06-15T15:06:40Z\",\"parked\":true}],"
	  "\"response_message\":\"I looked.\\nNothing new.\"}\n" },
	{ "M13 a state for people", runtime_text_state, &FULL,
	  "# Session state\n- Agent: main\n- Session: s1\n- Updated: 2025-06-15T15:06:40Z\n"
	  "- Model: demo\n- Last turn: turn_1\n- Stop reason: rescheduling\n- Outcome: continue\n"
	  "- Consecutive continues: 2\n- Next wake: 2025-06-15T15:07:40Z\n- Log up to: 12\n"
	  "- Queued wakes: 2\n- New learnings: 1\n\n## New learnings\n- Tests first: they pay\n\n"
	  "## Queued wakes\n- 2025-06-15T15:07:40Z: mail # Not a heading (inbox)\n"
	  "- 2025-06-15T15:06:40Z: old, parked\n\n## Latest response\nI looked.\nNothing new.\n" },
	{ "M13 a working buffer", runtime_text_buffer, &FULL,
	  "# Working buffer\n- Current focus: I looked. Nothing new.\n- Suggested next move: go on "
	  "when the next wake is due, or when somebody writes\n- Stop reason: rescheduling\n"
	  "- Log up to: 12\n\n## Reusable learnings\n- Tests first: they pay\n\n## Revisits\n"
	  "- 2025-06-15T15:07:40Z: mail # Not a heading (inbox)\n- 2025-06-15T15:06:40Z: old, "
	  "parked\n\n## Response excerpt\nI looked.\nNothing new.\n" },
	{ "M13 a working buffer of a quiet turn", runtime_text_buffer, &BARE,
	  "# Working buffer\n- Current focus: none\n- Suggested next move: wait until somebody "
	  "writes\n- Stop reason: end_turn\n- Log up to: 0\n\n## Response excerpt\n(none)\n" },
};

static void
row_holds(void **state)
{
	const struct row *r = *state;
	struct buf b;

	buf_init(&b, RUNTIME_TEXT_BYTES_MAX);
	r->write(r->facts, &b);
	check_str(r->name, buf_str(&b), str_of(r->want));
	buf_release(&b);
}

static void
M13_what_is_next_depends_on_how_it_ended(void **state)
{
	static const struct {
		enum stop_kind stop;
		const char *part;
	} MOVES[] = { { STOP_BUDGET_REACHED, "raised" },
		      { STOP_INTERRUPTED, "did not end by itself" },
		      { STOP_END_TURN, "somebody writes" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(MOVES); i++) {
		struct runtime_facts f = BARE;
		struct buf b;

		f.stop = MOVES[i].stop;
		buf_init(&b, RUNTIME_TEXT_BYTES_MAX);
		runtime_text_buffer(&f, &b);
		assert_true(str_contains(buf_str(&b), str_of(MOVES[i].part)));
		buf_release(&b);
	}
}

static void
M13_a_long_answer_is_cut_between_characters(void **state)
{
	static char text[RUNTIME_EXCERPT_BYTES + 100];
	struct runtime_facts f = BARE;
	struct json_doc doc;
	struct arena a;
	struct buf b;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof text; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	f.response = (struct str){ text + 1, sizeof text - 2 };
	f.response = (struct str){ text, sizeof text };
	buf_init(&b, RUNTIME_TEXT_BYTES_MAX);
	arena_init(&a);
	runtime_text_checkpoint(&f, &b);
	assert_int_equal(json_parse(&a, str_trim(buf_str(&b)), &JSON_LIMITS_DEFAULT, &doc, NULL),
			 0);
	buf_clear(&b);
	runtime_text_state(&f, &b);
	assert_true(str_contains(buf_str(&b), STR("[...]")));
	assert_true(b.len < RUNTIME_EXCERPT_BYTES + 1000);
	buf_release(&b);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, M13_what_is_next_depends_on_how_it_ended);
	SUITE_TEST(&s, M13_a_long_answer_is_cut_between_characters);
	return suite_run(&s, "core/runtime_text");
}
