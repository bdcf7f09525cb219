#include "api/message_wait.h"

#include "harness.h"

#define RUNNING(turn, ids)                                                       \
	{                                                                        \
		turn, "{\"type\":\"session.status_running\",\"turn_id\":\"" turn \
		      "\",\"consumes\":[" ids "],\"wakes\":[]}"                  \
	}
#define CONSUMED(turn, ids)                                                      \
	{                                                                        \
		turn, "{\"type\":\"session.input_consumed\",\"turn_id\":\"" turn \
		      "\",\"consumes\":[" ids "]}"                               \
	}
#define SAYS(turn, text)                                                                      \
	{                                                                                     \
		turn, "{\"type\":\"agent.message\",\"content\":[{\"type\":\"text\",\"text\":" \
		      "\"" text "\"}]}"                                                       \
	}
#define CALLS(turn, name)                                                                        \
	{                                                                                        \
		turn, "{\"type\":\"agent.tool_use\",\"name\":\"" name "\",\"input\":{\"a\": 1}}" \
	}
#define USES(turn, in, out)                                                                    \
	{                                                                                      \
		turn, "{\"type\":\"span.model_request_end\",\"model_request_start_id\":\"x\"," \
		      "\"is_error\":false,\"model_usage\":{\"input_tokens\":" in               \
		      ",\"output_tokens\":" out ",\"cache_read_input_tokens\":3}}"             \
	}
#define IDLE(turn, reason)                                                    \
	{                                                                     \
		turn, "{\"type\":\"session.status_idle\",\"turn_id\":\"" turn \
		      "\",\"stop_reason\":" reason ",\"consumes\":[]}"        \
	}
#define END_TURN "{\"type\":\"end_turn\"}"
#define OTHER(payload)      \
	{                   \
		"", payload \
	}

enum { STEPS = 12 };

static const struct row {
	const char *name;
	struct {
		const char *turn, *payload;
	} log[STEPS];
	enum message_wait_state state;
	const char *want; /* the answer's members */
} ROWS[] = {
	{ "A7 the turn that consumed it, its texts joined by a blank line",
	  { RUNNING("t1", "\"m0\""), SAYS("t1", "not ours"), IDLE("t1", END_TURN),
	    RUNNING("t2", "\"m1\""), SAYS("t2", "one"), CALLS("t2", "bash"), USES("t2", "10", "5"),
	    SAYS("t2", "two"), USES("t2", "20", "7"), IDLE("t2", END_TURN) },
	  MESSAGE_DONE,
	  "{\"text\":\"one\\n\\ntwo\",\"tool_calls\":[{\"id\":\"e6\",\"type\":\"agent.tool_use\","
	  "\"name\":\"bash\",\"input\":{\"a\": 1}}],\"stop_reason\":{\"type\":\"end_turn\"},"
	  "\"usage\":{\"input_tokens\":30,\"output_tokens\":12,\"reasoning_tokens\":0,"
	  "\"cache_read_input_tokens\":6,\"cache_creation_input_tokens\":0}}" },
	{ "A7 requires_action is the first idle too",
	  { RUNNING("t1", "\"m1\""), SAYS("t1", "may I?"),
	    IDLE("t1", "{\"type\":\"requires_action\",\"event_ids\":[\"e9\"]}") },
	  MESSAGE_DONE,
	  "{\"text\":\"may I?\",\"tool_calls\":[],\"stop_reason\":{\"type\":\"requires_action\","
	  "\"event_ids\":[\"e9\"]},\"usage\":{\"input_tokens\":0,\"output_tokens\":0,"
	  "\"reasoning_tokens\":0,\"cache_read_input_tokens\":0,"
	  "\"cache_creation_input_tokens\":0}}" },
	{ "A7 still waits behind another turn",
	  { RUNNING("t1", "\"m0\""), SAYS("t1", "not ours"), IDLE("t1", END_TURN) },
	  MESSAGE_WAITS,
	  NULL },
	{ "A7 a turn that is rescheduled goes on",
	  { RUNNING("t1", "\"m1\""),
	    SAYS("t1", "one"),
	    { "t1", "{\"type\":\"session.status_rescheduled\",\"turn_id\":\"t1\",\"reason\":\"r\","
		    "\"attempt\":1}" },
	    RUNNING("t1", ""),
	    SAYS("t1", "two") },
	  MESSAGE_RUNS,
	  NULL },
	{ "A7 collected messages share a turn",
	  { RUNNING("t1", "\"m0\",\"m1\",\"m2\""), SAYS("t1", "all of you"), IDLE("t1", END_TURN) },
	  MESSAGE_DONE,
	  NULL },
	{ "A7 cancelled by name",
	  { OTHER("{\"type\":\"session.input_cancelled\",\"ids\":[\"m0\",\"m1\"]}") },
	  MESSAGE_CANCELLED,
	  NULL },
	{ "A7 cancelled with all",
	  { OTHER("{\"type\":\"session.input_cancelled\",\"all\":true}") },
	  MESSAGE_CANCELLED,
	  NULL },
	{ "A7 the cancelling of others does not matter",
	  { OTHER("{\"type\":\"session.input_cancelled\",\"ids\":[\"m0\"]}") },
	  MESSAGE_WAITS,
	  NULL },
	{ "A7 what runs is not cancelled with the queue",
	  { RUNNING("t1", "\"m1\""), OTHER("{\"type\":\"session.input_cancelled\",\"all\":true}") },
	  MESSAGE_RUNS,
	  NULL },
	{ "A7 a session that ends ends the wait",
	  { OTHER("{\"type\":\"session.status_terminated\",\"reason\":\"r\",\"consumes\":[]}") },
	  MESSAGE_CANCELLED,
	  NULL },
	{ "A7 a turn that is terminated",
	  { RUNNING("t1", "\"m1\""),
	    { "t1", "{\"type\":\"session.status_terminated\",\"turn_id\":\"t1\",\"reason\":\"r\","
		    "\"consumes\":[]}" } },
	  MESSAGE_DONE,
	  NULL },
	{ "A7 a deleted session ends the wait",
	  { OTHER("{\"type\":\"session.deleted\"}") },
	  MESSAGE_CANCELLED,
	  NULL },
	{ "P5 silence is left out",
	  { RUNNING("t1", "\"m1\""), SAYS("t1", "<NO_REPLY>"), SAYS("t1", "one <NO_REPLY>"),
	    SAYS("t1", " "), SAYS("t1", "two"), IDLE("t1", END_TURN) },
	  MESSAGE_DONE,
	  "{\"text\":\"one\\n\\ntwo\",\"tool_calls\":[],\"stop_reason\":{\"type\":\"end_turn\"},"
	  "\"usage\":{\"input_tokens\":0,\"output_tokens\":0,\"reasoning_tokens\":0,"
	  "\"cache_read_input_tokens\":0,\"cache_creation_input_tokens\":0}}" },
	{ "A7 a steered message waits for the end of the turn it joined",
	  { SAYS("t1", "before"), IDLE("t1", "{\"type\":\"requires_action\",\"event_ids\":[]}"),
	    CONSUMED("t1", "\"m1\""), SAYS("t1", "after") },
	  MESSAGE_RUNS,
	  NULL },
};

static void
feed(struct message_wait *w, const struct row *row)
{
	char id[16];

	for (int i = 0; i < STEPS && row->log[i].payload; i++) {
		struct event ev = { .seq = i + 1,
				    .turn = str_of(row->log[i].turn),
				    .payload = str_of(row->log[i].payload) };
		struct arena scratch;
		struct json_doc doc;
		struct json type;

		snprintf(id, sizeof id, "e%d", i + 1);
		ev.id = str_of(id);
		arena_init(&scratch);
		assert_int_equal(
			json_parse(&scratch, ev.payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL), 0);
		assert_true(json_find(json_root(&doc), STR("type"), &type));
		assert_true(event_kind_parse(json_str(type, &scratch), &ev.kind));
		arena_release(&scratch);
		message_wait_apply(w, &ev);
	}
}

static struct str
answer_of(const struct message_wait *w, struct buf *out, struct arena *a)
{
	struct jw jw;

	buf_clear(out);
	jw_init(&jw, out);
	jw_object(&jw);
	message_wait_write(w, &jw, a);
	jw_end_object(&jw);
	return buf_str(out);
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct message_wait w;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out, 65536);
	message_wait_init(&w, STR("m1"));
	feed(&w, row);
	assert_int_equal(w.state, row->state);
	assert_int_equal(message_wait_is_over(&w),
			 row->state == MESSAGE_DONE || row->state == MESSAGE_CANCELLED);
	if (row->want)
		check_str("answer", answer_of(&w, &out, &a), str_of(row->want));
	if (row->state == MESSAGE_CANCELLED)
		assert_true(str_contains(answer_of(&w, &out, &a),
					 STR("\"stop_reason\":{\"type\":\"cancelled\"}")));
	message_wait_release(&w);
	buf_release(&out);
	arena_release(&a);
}

static void
A7_a_steered_message_gets_the_whole_turn(void **state)
{
	static const struct row LOG = { "",
					{ RUNNING("t1", "\"m0\""), SAYS("t1", "before"),
					  CONSUMED("t1", "\"m1\""), SAYS("t1", "after"),
					  IDLE("t1", END_TURN) },
					MESSAGE_DONE,
					NULL };
	struct message_wait w;
	struct arena a;

	(void)state;
	arena_init(&a);
	message_wait_init(&w, STR("m1"));
	feed(&w, &LOG);
	assert_true(w.joined);
	assert_int_equal(w.consumed_seq, 3);
	check_str("behind the message", message_wait_text(&w, &a), STR("after"));
	message_wait_rewind(&w);
	feed(&w, &LOG);
	assert_int_equal(w.state, MESSAGE_DONE);
	check_str("the whole turn", message_wait_text(&w, &a), STR("before\n\nafter"));
	message_wait_release(&w);
	arena_release(&a);
}

static void
A7_what_is_being_written_counts_until_it_is_there(void **state)
{
	static const struct row LOG = {
		"", { RUNNING("t1", "\"m1\""), SAYS("t1", "one") }, 0, NULL
	};
	struct message_wait w;
	struct arena a;
	struct event whole = { .seq = 3,
			       .id = STR("e9"),
			       .kind = EVENT_AGENT_MESSAGE,
			       .turn = STR("t1"),
			       .payload = STR("{\"type\":\"agent.message\",\"content\":[{\"type\":"
					      "\"text\",\"text\":\"two and more\"}]}") };

	(void)state;
	arena_init(&a);
	message_wait_init(&w, STR("m1"));
	feed(&w, &LOG);
	message_wait_preview(&w, STR("e9"), STR("two "));
	message_wait_preview(&w, STR("e9"), STR("and"));
	check_str("so far", message_wait_text(&w, &a), STR("one\n\ntwo and"));
	message_wait_apply(&w, &whole);
	check_str("then", message_wait_text(&w, &a), STR("one\n\ntwo and more"));
	message_wait_preview(&w, STR("e10"), STR("x"));
	check_str("the next", message_wait_text(&w, &a), STR("one\n\ntwo and more\n\nx"));
	message_wait_release(&w);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, A7_a_steered_message_gets_the_whole_turn);
	SUITE_TEST(&s, A7_what_is_being_written_counts_until_it_is_there);
	return suite_run(&s, "api/message_wait");
}
