#include "api/session_json.h"

#include "harness.h"

static struct store_session
session_of(enum turn_phase phase, enum lifecycle lifecycle, bool lease_live)
{
	struct store_session s = {
		.id = STR("sesn_1"),
		.agent_id = STR("main"),
		.agent_version = 3,
		.environment_id = STR("local-default"),
		.workspace_id = STR("main"),
		.source = STR("{\"kind\":\"api\"}"),
		.created_at_ms = 1767225600000,
		.lease_live = lease_live,
	};

	s.row.state = (struct session_state){ phase, lifecycle };
	s.row.counters.last_activity_ms = 1767225660000;
	return s;
}

static struct str
render(const struct session_view *v, struct buf *out, struct arena *a)
{
	struct jw w;

	buf_clear(out);
	jw_init(&w, out);
	session_json_write(&w, v, a);
	assert_int_equal(w.depth, 0);
	return buf_str(out);
}

/* Everything a client of the wire relies on, and every word of ours, in one look. */
static void
M4_a_new_session_on_the_wire(void **state)
{
	struct store_session s = session_of(TURN_NONE, LIFECYCLE_ACTIVE, false);
	struct session_view v = { .session = &s };
	struct arena a;
	struct buf out;

	(void)state;
	arena_init(&a);
	buf_init(&out, 65536);
	check_str(
		"session", render(&v, &out, &a),
		STR("{\"id\":\"sesn_1\",\"type\":\"session\",\"status\":\"idle\",\"agent\":{\"id\":"
		    "\"main\",\"type\":\"agent\",\"version\":3,\"skills\":[]},\"environment_id\":"
		    "\"local-"
		    "default\","
		    "\"title\":null,\"description\":null,\"title_source\":null,\"metadata\":{},"
		    "\"resources\":[],\"vault_ids\":[],\"outcome_evaluations\":[],\"stats\":{"
		    "\"active_seconds\":0,\"duration_seconds\":60},\"usage\":{\"input_tokens\":0,"
		    "\"output_tokens\":0,\"cache_read_input_tokens\":0,\"cache_creation\":{"
		    "\"ephemeral_5m_input_tokens\":0,\"ephemeral_1h_input_tokens\":0}},\"budget\":"
		    "null,"
		    "\"archived_at\":null,\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":"
		    "\"2026-01-01T00:01:00Z\",\"deployment_id\":null,\"lifecycle\":\"active\","
		    "\"activity\":\"idle\",\"display_status\":\"idle\",\"record_status\":"
		    "\"active\","
		    "\"stop_reason\":null,\"turn_id\":null,\"head_seq\":0,\"message_count\":0,"
		    "\"counters\":{\"messages\":0,\"completed_turns\":0,\"input_tokens\":0,"
		    "\"output_tokens\":0,\"reasoning_tokens\":0,\"cache_read_tokens\":0,"
		    "\"cache_write_tokens\":0,\"total_tokens\":0,\"last_prompt_tokens\":0,"
		    "\"cost_microdollars\":0,\"cost_status\":\"exact\"},\"preview\":null,"
		    "\"session_type\":\"direct\",\"source\":{\"kind\":\"api\"},\"participants\":[],"
		    "\"wakes\":[],\"tool_processes\":{\"running\":0,\"waiting\":0,"
		    "\"background\":0},"
		    "\"workspace_id\":\"main\",\"lane_key\":null,\"parent_session_id\":null,"
		    "\"previous_session_id\":null,\"webhook_url\":null,\"last_activity_at\":"
		    "\"2026-01-01T00:01:00Z\"}"));
	buf_release(&out);
	arena_release(&a);
}

static const struct words {
	const char *name;
	enum turn_phase phase;
	enum lifecycle lifecycle;
	bool lease_live, approval;
	const char *status, *activity, *display, *record;
} WORDS[] = {
	{ "M7 idle", TURN_NONE, LIFECYCLE_ACTIVE, false, false, "idle", "idle", "idle", "active" },
	{ "M7 running", TURN_RUNNING, LIFECYCLE_ACTIVE, true, false, "running", "running",
	  "running", "active" },
	{ "M7 running without a lease", TURN_RUNNING, LIFECYCLE_ACTIVE, false, false,
	  "rescheduling", "rescheduling", "running", "active" },
	{ "M7 waits for an approval", TURN_PARKED, LIFECYCLE_ACTIVE, false, true, "idle",
	  "requires_action", "awaiting_approval", "active" },
	{ "M7 waits for a client's tool", TURN_PARKED, LIFECYCLE_ACTIVE, false, false, "idle",
	  "requires_action", "running", "active" },
	{ "M7 archived", TURN_NONE, LIFECYCLE_ARCHIVED, false, false, "idle", "idle", NULL,
	  "archived" },
	{ "M7 inactive", TURN_NONE, LIFECYCLE_INACTIVE, false, false, "idle", "idle", "inactive",
	  NULL },
	{ "M7 terminated", TURN_NONE, LIFECYCLE_TERMINATED, false, false, "terminated", NULL, NULL,
	  NULL },
};

static void
expect_word(struct str json, const char *name, const char *word)
{
	char want[96];

	if (!word)
		return;
	snprintf(want, sizeof want, "\"%s\":\"%s\"", name, word);
	if (!str_contains(json, str_of(want)))
		fail_msg("no %s in " STR_FMT, want, STR_ARG(json));
}

static void
words_hold(void **state)
{
	const struct words *row = *state;
	struct store_session s = session_of(row->phase, row->lifecycle, row->lease_live);
	struct session_view v = { .session = &s, .waits_for_approval = row->approval };
	struct arena a;
	struct buf out;
	struct str json;

	arena_init(&a);
	buf_init(&out, 65536);
	json = render(&v, &out, &a);
	expect_word(json, "status", row->status);
	expect_word(json, "activity", row->activity);
	expect_word(json, "display_status", row->display);
	expect_word(json, "record_status", row->record);
	expect_word(json, "lifecycle", lifecycle_name(row->lifecycle));
	buf_release(&out);
	arena_release(&a);
}

static void
M4_what_it_has_beyond_its_row(void **state)
{
	static const char *const PARTS[] = {
		"\"agent\":{\"id\":\"main\",\"tools\":[]}",
		"\"title\":\"A title\",\"description\":\"A title\",\"title_source\":\"ai\"",
		"\"metadata\":{\"k\":\"v\"}",
		"\"resources\":[{\"id\":\"r1\"},{\"id\":\"r2\"}]",
		"\"vault_ids\":[\"v\"]",
		"\"budget\":{\"type\":\"limit\"}",
		"\"archived_at\":\"2026-01-01T00:00:01Z\"",
		"\"stop_reason\":{\"type\":\"requires_action\",\"event_ids\":[\"e1\",\"e2\"]}",
		"\"participants\":[\"u1\"],\"wakes\":[{\"id\":\"wake_1\"}]",
		"\"webhook_url\":\"https://x\"",
		"\"preview\":\"last\"",
		"\"cost_microdollars\":2,\"cost_status\":\"unknown\"",
	};
	struct store_session s = session_of(TURN_PARKED, LIFECYCLE_ARCHIVED, false);
	struct session_view v = {
		.session = &s,
		.agent = STR("{\"id\":\"main\",\"version\":3}"),
		.extra = STR("{\"agent\":{\"id\":\"main\",\"tools\":[]},\"vault_ids\":[\"v\"],"
			     "\"budget\":{\"type\":\"limit\"},\"webhook_url\":\"https://x\"}"),
		.resources = STR("{\"id\":\"r1\"},{\"id\":\"r2\"}"),
		.participants = STR("\"u1\""),
		.wakes = STR("{\"id\":\"wake_1\"}"),
		.waits_for = STR("\"e1\",\"e2\""),
		.archived_at_ms = 1767225601000,
	};
	struct arena a;
	struct buf out;
	struct str json;

	(void)state;
	s.row.title = STR("A title");
	s.row.title_source = TITLE_AI;
	s.metadata = STR("{\"k\":\"v\"}");
	s.row.last_stop = STOP_REQUIRES_ACTION;
	memcpy(s.row.preview, "last", 5);
	s.row.counters.cost_picodollars = 2500000;
	s.row.counters.unpriced_requests = 1;
	arena_init(&a);
	buf_init(&out, 65536);
	json = render(&v, &out, &a);
	for (size_t i = 0; i < ARRAY_LEN(PARTS); i++)
		if (!str_contains(json, str_of(PARTS[i])))
			fail_msg("no %s in " STR_FMT, PARTS[i], STR_ARG(json));
	v.extra = (struct str){ 0 };
	json = render(&v, &out, &a);
	assert_true(str_contains(json, STR("\"agent\":{\"id\":\"main\",\"version\":3}")));
	buf_release(&out);
	arena_release(&a);
}

static void
M4_the_first_message_describes_it_until_somebody_does(void **state)
{
	struct store_session s = session_of(TURN_NONE, LIFECYCLE_ACTIVE, false);
	struct session_view v = { .session = &s };
	struct arena a;
	struct buf out;

	(void)state;
	s.row.fallback_title = STR("hello");
	arena_init(&a);
	buf_init(&out, 65536);
	assert_true(str_contains(render(&v, &out, &a),
				 STR("\"title\":null,\"description\":\"hello\",\"title_source\":"
				     "\"fallback\"")));
	buf_release(&out);
	arena_release(&a);
}

static void
M7_a_wake_that_waits_shows_as_rescheduling(void **state)
{
	struct store_session s = session_of(TURN_NONE, LIFECYCLE_ACTIVE, false);
	struct session_view v = { .session = &s, .wake_pending = true };
	struct session_facts f = session_json_facts(&v);

	(void)state;
	assert_string_equal(session_wire_status(&f), "rescheduling");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M4_a_new_session_on_the_wire);
	SUITE_ROWS(&s, WORDS, words_hold);
	SUITE_TEST(&s, M7_a_wake_that_waits_shows_as_rescheduling);
	SUITE_TEST(&s, M4_what_it_has_beyond_its_row);
	SUITE_TEST(&s, M4_the_first_message_describes_it_until_somebody_does);
	return suite_run(&s, "api/session_json");
}
