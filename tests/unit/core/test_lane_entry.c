#include "core/lane_entry.h"

#include "definition_rows.h"
#include "harness.h"

static struct str
written(const struct lane_entry *lane, struct arena *a)
{
	struct buf out;
	struct str text;
	struct jw w;

	buf_init(&out, 1 << 16);
	jw_init(&w, &out);
	lane_entry_write(lane, &w);
	assert_int_equal(w.depth, 0);
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}

static struct lane_entry
entry_of(struct arena *a, struct str text)
{
	struct lane_entry lane;
	struct err e = { 0 };

	if (lane_entry_read(json_of(text.ptr, a), a, &lane, &e) != 0)
		fail_msg("%s", e.text);
	return lane;
}

static struct str
again(struct arena *a, struct str text)
{
	struct lane_entry lane = entry_of(a, text);

	return written(&lane, a);
}

/* Every field and flag: kept as it was given, and at its default when nothing is said of it. */
static const struct member_row {
	const char *name; /* K5 and the member's */
	const char *given, *otherwise;
	const char *also; /* what must stand beside it */
} MEMBER_ROWS[] = {
	{ "K5 created_at", "'2026-06-16T04:00:00Z'", "null", NULL },
	{ "K5 updated_at", "'2026-06-16T04:00:00.001Z'", "null", NULL },
	{ "K5 origin",
	  "{'platform':'signal','chat_id':'1','chat_name':null,'chat_type':'dm','user_id':null,"
	  "'user_name':'A','thread_id':null,'chat_topic':null,'user_id_alt':'u','chat_id_alt':null,"
	  "'is_bot':false,'guild_id':null,'parent_chat_id':null,'message_id':'9',"
	  "'role_authorized':true}",
	  "null", NULL },
	{ "K5 display_name", "'My \\'Group'", "null", NULL },
	{ "K5 platform", "'telegram'", "null", NULL },
	{ "K5 chat_type", "'thread'", "'dm'", NULL },
	{ "K5 input_tokens", "1", "0", NULL },
	{ "K5 output_tokens", "2", "0", NULL },
	{ "K5 cache_read_tokens", "3", "0", NULL },
	{ "K5 cache_write_tokens", "4", "0", NULL },
	{ "K5 total_tokens", "9223372036854775807", "0", NULL },
	{ "K5 estimated_cost_usd", "0.25", "0", NULL },
	{ "K5 cost_status", "'exact'", "'unknown'", NULL },
	{ "K5 last_prompt_tokens", "5", "0", NULL },
	{ "K5 was_auto_reset", "true", "false", NULL },
	{ "K5 auto_reset_reason", "'daily'", "null", NULL },
	{ "K5 auto_reset_reason", "'suspended'", "null", NULL },
	{ "K5 reset_had_activity", "true", "false", NULL },
	{ "K5 is_fresh_reset", "true", "false", NULL },
	{ "K5 expiry_finalized", "true", "false", NULL },
	{ "K5 suspended", "true", "false", NULL },
	{ "K5 resume_pending", "true", "false", NULL },
	{ "K5 resume_reason", "'shutdown_timeout'", "null", "'resume_pending':true," },
	{ "K5 resume_reason", "'restart_interrupted'", "null", "'resume_pending':true," },
	{ "K5 last_resume_marked_at", "'2026-06-16T04:00:00Z'", "null", NULL },
	{ "K5 agent_id", "'main'", "null", NULL },
	{ "K5 workspace_id", "'w'", "null", NULL },
	{ "K5 shared", "true", "false", NULL },
	{ "Q3 busy", "'steer'", "null", NULL },
	{ "K5 surface", "'chat'", "null", NULL },
	{ "K5 surface_id", "'x'", "null", NULL },
	{ "K5 user_id", "'u'", "null", NULL },
	{ "K5 previous_session_id", "'s0'", "null", NULL },
	{ "K5 stuck_count", "2", "0", NULL },
	{ "K5 finalize_attempts", "3", "0", NULL },
};

static void
member_is_kept(void **state)
{
	const struct member_row *row = *state;
	const char *member = row->name + strlen("K5 ");
	struct str text, pair;
	struct arena a;

	arena_init(&a);
	text = arena_printf(&a, "{'session_key':'k','session_id':'s',%s'%s':%s}",
			    row->also ? row->also : "", member, row->given);
	pair = arena_printf(&a, "'%s':%s", member, row->given);
	text = again(&a, str_of(quoted(&a, text.ptr)));
	assert_true(str_contains(text, str_of(quoted(&a, pair.ptr))));
	check_str(row->name, again(&a, text), text);

	text = STR("{\"session_key\":\"k\",\"session_id\":\"s\"}");
	text = again(&a, text);
	pair = arena_printf(&a, "'%s':%s", member, row->otherwise);
	assert_true(str_contains(text, str_of(quoted(&a, pair.ptr))));
	arena_release(&a);
}

static const struct refusal_row {
	const char *name, *entry;
	const char *want; /* a part of the refusal */
} REFUSAL_ROWS[] = {
	{ "K5 session_key must be there", "{'session_id':'s'}", "session_key" },
	{ "K5 session_id must be there", "{'session_key':'k'}", "session_id" },
	{ "K5 session_id may not be empty", "{'session_key':'k','session_id':''}", "session_id" },
	{ "K5 an entry is an object", "[]", "object" },
	{ "K5 an instant is one", "{'session_key':'k','session_id':'s','created_at':'now'}",
	  "created_at: must be an instant" },
	{ "K5 a count is not negative", "{'session_key':'k','session_id':'s','input_tokens':-1}",
	  "input_tokens" },
	{ "K5 a cost is not negative",
	  "{'session_key':'k','session_id':'s','estimated_cost_usd':-0.5}", "estimated_cost_usd" },
	{ "K5 a cost is finite", "{'session_key':'k','session_id':'s','estimated_cost_usd':1e999}",
	  "estimated_cost_usd" },
	{ "K5 a platform has no separator", "{'session_key':'k','session_id':'s','platform':'a:b'}",
	  "platform" },
	{ "K5 a chat type is one of four", "{'session_key':'k','session_id':'s','chat_type':'x'}",
	  "chat_type" },
	{ "K5 a reset reason is one of three",
	  "{'session_key':'k','session_id':'s','auto_reset_reason':'x'}", "auto_reset_reason" },
	{ "K5 a resume reason is one of three",
	  "{'session_key':'k','session_id':'s','resume_reason':'x'}", "resume_reason" },
	{ "K5 a flag is a boolean", "{'session_key':'k','session_id':'s','suspended':1}",
	  "suspended" },
	{ "K5 an origin is a source", "{'session_key':'k','session_id':'s','origin':{}}",
	  "platform" },
	{ "K5 a count of starts fits", "{'session_key':'k','session_id':'s','stuck_count':1e12}",
	  "stuck_count" },
};

static void
entry_is_refused(void **state)
{
	const struct refusal_row *row = *state;
	struct lane_entry lane;
	struct err e = { 0 };
	struct arena a;

	arena_init(&a);
	assert_int_equal(lane_entry_read(json_of(quoted(&a, row->entry), &a), &a, &lane, &e),
			 ERR_INVALID);
	if (!str_contains(str_of(e.text), str_of(row->want)))
		fail_msg("%s: %s", row->name, e.text);
	arena_release(&a);
}

/* Files of another make name the zone nowhere and have members that we do not. */
static void
K5_a_file_of_another_make(void **state)
{
	struct lane_entry lane;
	struct arena a;

	(void)state;
	arena_init(&a);
	lane = entry_of(&a,
			STR("{\"session_key\":\"k\",\"session_id\":\"s\",\"memory_flushed\":true,"
			    "\"created_at\":\"1970-01-01T00:00:01.500000\"}"));
	assert_int_equal(lane.created_ms, 1500);
	check_str("key", lane.session_key, STR("k"));
	arena_release(&a);
}

static void
K5_the_counters_are_those_of_the_log(void **state)
{
	struct lane_entry lane = { .updated_ms = 7 };
	struct session_counters c = { .usage = { 1, 2, 3, 4, 5 },
				      .total_tokens = 12,
				      .last_prompt_tokens = 10,
				      .cost_picodollars = 500000000000,
				      .priced_requests = 1,
				      .last_activity_ms = 6 };

	(void)state;
	lane_entry_count(&lane, &c);
	assert_int_equal(lane.input_tokens, 1);
	assert_int_equal(lane.output_tokens, 2);
	assert_int_equal(lane.cache_read_tokens, 4);
	assert_int_equal(lane.cache_write_tokens, 5);
	assert_int_equal(lane.total_tokens, 12);
	assert_int_equal(lane.last_prompt_tokens, 10);
	assert_true(lane.estimated_cost_usd == 0.5);
	check_str("status", lane.cost_status, STR("exact"));
	assert_int_equal(lane.updated_ms, 7);
	c.last_activity_ms = 8;
	c.unpriced_requests = 1;
	lane_entry_count(&lane, &c);
	assert_int_equal(lane.updated_ms, 8);
	check_str("status", lane.cost_status, STR("unknown"));
	c.priced_requests = c.unpriced_requests = 0;
	c.total_tokens = 0;
	lane_entry_count(&lane, &c);
	assert_int_equal(lane.total_tokens, 12); /* a log that knows nothing */
}

static const struct stale_row {
	const char *name;
	int64_t updated_ms;
	bool suspended, busy, want;
} STALE_ROWS[] = {
	{ "K7 prune drops what is old", 99, false, false, true },
	{ "K7 prune keeps what is not", 100, false, false, false },
	{ "K7 prune keeps suspended ones", 99, true, false, false },
	{ "K7 prune keeps busy ones", 99, false, true, false },
};

static void
lane_is_stale(void **state)
{
	const struct stale_row *row = *state;
	struct lane_entry lane = { .updated_ms = row->updated_ms,
				   .recover.suspended = row->suspended };

	assert_int_equal(lane_entry_is_stale(&lane, 100, row->busy), row->want);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, MEMBER_ROWS, member_is_kept);
	SUITE_ROWS(&s, REFUSAL_ROWS, entry_is_refused);
	SUITE_ROWS(&s, STALE_ROWS, lane_is_stale);
	SUITE_TEST(&s, K5_a_file_of_another_make);
	SUITE_TEST(&s, K5_the_counters_are_those_of_the_log);
	return suite_run(&s, "lane_entry");
}
