#include "engine/agent_cache.h"

#include "engine/agent_prepare.h"
#include "tool_rig.h"

static const int64_t HOUR_MS = 3600 * 1000;

/* ---- the cache by itself ---- */

static struct store_session
session_of(struct rig *r, int number)
{
	return (struct store_session){ .id = arena_printf(&r->arena, "s%d", number),
				       .agent_id = STR("script"),
				       .agent_version = 1,
				       .environment_id = STR("local-default") };
}

static struct cached_agent *
make(struct rig *r, int number, size_t bytes)
{
	struct store_session s = session_of(r, number);
	struct cached_agent *agent = agent_cache_begin(r->en->agents, &s);

	arena_alloc_raw(&agent->arena, bytes);
	agent_cache_keep(agent);
	return agent;
}

static void
put(struct rig *r, int number)
{
	struct cached_agent *agent = make(r, number, 100);

	agent_cache_release(&agent);
}

static bool
has(struct rig *r, int number)
{
	struct store_session s = session_of(r, number);
	struct cached_agent *agent = agent_cache_find(r->en->agents, &s);
	bool found = agent != NULL;

	agent_cache_release(&agent);
	return found;
}

static void
T17_of_129_the_one_that_was_used_longest_ago_goes(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	for (int i = 0; i < AGENT_CACHE_MAX; i++)
		put(&r, i);
	assert_int_equal(agent_cache_count(r.en->agents), 128);
	assert_true(has(&r, 0)); /* that is a use */
	put(&r, 128);
	assert_int_equal(agent_cache_count(r.en->agents), 128);
	for (int i = 0; i <= 128; i++)
		if (has(&r, i) != (i != 1))
			fail_msg("s%d", i);
	rig_release(&r);
}

static void
T17_one_in_use_is_never_evicted(void **state)
{
	struct cached_agent *used;
	struct rig r;

	(void)state;
	rig_init(&r, true);
	used = make(&r, 0, 100);
	for (int i = 1; i < 300; i++)
		put(&r, i);
	rig_advance(&r, 5 * HOUR_MS);
	agent_cache_sweep(r.en->agents);
	agent_cache_evict(r.en->agents, STR("s0"));
	assert_int_equal(agent_cache_count(r.en->agents), 1);
	assert_true(has(&r, 0)); /* a second use beside the first, and its end */
	agent_cache_sweep(r.en->agents);
	assert_true(has(&r, 0));
	agent_cache_release(&used);
	agent_cache_sweep(r.en->agents);
	assert_true(has(&r, 0)); /* its time begins when nobody uses it */
	agent_cache_evict(r.en->agents, STR("s0"));
	assert_false(has(&r, 0));
	rig_release(&r);
}

static void
T17_more_in_use_than_may_be_kept_are_let_go_afterwards(void **state)
{
	struct cached_agent *used[AGENT_CACHE_MAX + 10];
	struct rig r;

	(void)state;
	rig_init(&r, true);
	for (int i = 0; i < AGENT_CACHE_MAX + 10; i++)
		used[i] = make(&r, i, 100);
	assert_int_equal(agent_cache_count(r.en->agents), AGENT_CACHE_MAX + 10);
	for (int i = 0; i < AGENT_CACHE_MAX + 10; i++)
		agent_cache_release(&used[i]);
	assert_int_equal(agent_cache_count(r.en->agents), AGENT_CACHE_MAX);
	rig_release(&r);
}

static void
T17_their_bytes_are_bounded(void **state)
{
	struct cached_agent *agent;
	struct rig r;

	(void)state;
	rig_init(&r, true);
	for (int i = 0; i < 60; i++) {
		agent = make(&r, i, 500 * 1000);
		agent_cache_release(&agent);
		assert_true(agent_cache_bytes(r.en->agents) <= AGENT_CACHE_BYTES_MAX);
	}
	assert_in_range(agent_cache_count(r.en->agents), 30, 33);
	assert_true(has(&r, 59));
	assert_false(has(&r, 0));
	agent = make(&r, 60,
		     AGENT_CACHE_ONE_BYTES_MAX); /* one that is too large is nobody's loss */
	agent_cache_release(&agent);
	assert_false(has(&r, 60));
	assert_in_range(agent_cache_count(r.en->agents), 30, 33);
	for (int i = 0; i < 60; i++)
		agent_cache_forget(r.en->agents, session_of(&r, i).id);
	assert_int_equal(agent_cache_bytes(r.en->agents), 0);
	rig_release(&r);
}

static const struct ttl_row {
	const char *name;
	const char *lane;
	int64_t ms;
	bool stays;
} TTLS[] = {
	{ "R5 in a lane for an hour", "lane", 3600 * 1000 - 1, true },
	{ "R5 in a lane no longer than that", "lane", 3600 * 1000, false },
	{ "R5 elsewhere for half an hour", "", 1800 * 1000 - 1, true },
	{ "R5 elsewhere no longer than that", "", 1800 * 1000, false },
};

static void
idle_agents_go(void **state)
{
	const struct ttl_row *row = *state;
	struct store_session s;
	struct cached_agent *agent;
	struct rig r;

	rig_init(&r, true);
	s = session_of(&r, 0);
	s.lane_key = str_of(row->lane);
	agent = agent_cache_begin(r.en->agents, &s);
	agent_cache_keep(agent);
	r.host.now_ms += HOUR_MS; /* nobody looks meanwhile: the turn takes its time */
	agent_cache_release(&agent);
	r.host.now_ms += row->ms;
	agent_cache_sweep(r.en->agents);
	assert_int_equal(agent_cache_count(r.en->agents), row->stays);
	r.host.now_ms -= 10 * HOUR_MS; /* a clock that was set back: its time begins anew */
	agent_cache_sweep(r.en->agents);
	r.host.now_ms += HOUR_MS;
	agent_cache_sweep(r.en->agents);
	assert_int_equal(agent_cache_count(r.en->agents), 0);
	rig_release(&r);
}

/* ---- what makes it stale ---- */

static const struct write_row {
	const char *name;
	struct str kind;
	const char *id;
	bool stays;
} WRITES[] = {
	{ "T17 the session's own record", STR("session_extra"), "s0", false },
	{ "T17 another session's", STR("session_extra"), "s1", true },
	{ "T17 its environment", STR("environment"), "local-default", false },
	{ "T17 another environment", STR("environment"), "other", true },
	{ "T17 its agent", STR("agent"), "script", false },
	{ "T17 another agent", STR("agent"), "other", true },
	{ "T17 other records of that id", STR("wake"), "s0", true },
};

static void
a_write_lets_go_of_it(void **state)
{
	const struct write_row *row = *state;
	struct store_put puts[] = { { .record = { .kind = STR("wake"), .id = STR("first") } },
				    { .record = { .kind = row->kind, .id = str_of(row->id) } } };
	struct cached_agent *making, *used;
	struct store_session s;
	struct rig r;

	rig_init(&r, true);
	put(&r, 0);
	agent_cache_written(r.en->agents, puts, ARRAY_LEN(puts));
	assert_int_equal(has(&r, 0), row->stays);
	agent_cache_forget(r.en->agents, STR("s0"));
	used = make(&r, 0, 100); /* whoever uses it goes on */
	agent_cache_written(r.en->agents, puts, ARRAY_LEN(puts));
	assert_int_equal(has(&r, 0), row->stays);
	check_str("session", used->session, STR("s0"));
	agent_cache_release(&used);
	agent_cache_forget(r.en->agents, STR("s0"));
	s = session_of(&r, 0);
	making = agent_cache_begin(r.en->agents, &s); /* it was read before, and is whole after */
	agent_cache_written(r.en->agents, puts, ARRAY_LEN(puts));
	agent_cache_keep(making);
	agent_cache_release(&making);
	assert_int_equal(has(&r, 0), row->stays);
	rig_release(&r);
}

static void
T17_it_is_of_one_version_and_one_environment(void **state)
{
	struct store_session s;
	struct rig r;

	(void)state;
	rig_init(&r, true);
	for (int i = 0; i < 3; i++) {
		put(&r, 0);
		s = session_of(&r, 0);
		if (i == 0)
			s.agent_version = 2;
		else if (i == 1)
			s.agent_id = STR("other");
		else
			s.environment_id = STR("other");
		assert_null(agent_cache_find(r.en->agents, &s));
		assert_int_equal(agent_cache_count(r.en->agents), 0);
	}
	rig_release(&r);
}

static void
T17_two_made_at_the_same_time_are_one_afterwards(void **state)
{
	struct store_session s;
	struct cached_agent *a, *b;
	struct rig r;

	(void)state;
	rig_init(&r, true);
	s = session_of(&r, 0);
	a = agent_cache_begin(r.en->agents, &s);
	b = agent_cache_begin(r.en->agents, &s);
	agent_cache_keep(a);
	agent_cache_keep(b);
	agent_cache_release(&a);
	assert_int_equal(agent_cache_count(r.en->agents), 1);
	agent_cache_release(&b);
	assert_true(has(&r, 0));
	assert_true(agent_cache_bytes(r.en->agents) < 10000);
	rig_release(&r);
}

/* ---- turns ---- */

struct seen {
	struct rig *rig;
	struct buf all;    /* every request, whole */
	struct buf tools;  /* of the last one */
	struct str effort; /* the same */
	size_t count;
};

static void
dump(struct buf *out, const struct provider_request *q)
{
	buf_printf(out,
		   "model " STR_FMT "\nsystem " STR_FMT "\nmax %lld effort " STR_FMT " key " STR_FMT
		   "\n",
		   STR_ARG(q->model), STR_ARG(q->system), (long long)q->max_output_tokens,
		   STR_ARG(q->effort), STR_ARG(q->cache_key));
	for (size_t i = 0; i < q->message_count; i++)
		buf_printf(out, "%s " STR_FMT " calls %zu for " STR_FMT "\n",
			   message_role_name(q->messages[i].role), STR_ARG(q->messages[i].content),
			   q->messages[i].tool_call_count, STR_ARG(q->messages[i].tool_call_id));
	for (size_t i = 0; i < q->tool_count; i++)
		buf_printf(out, "tool " STR_FMT ": " STR_FMT " " STR_FMT "\n",
			   STR_ARG(q->tools[i].name), STR_ARG(q->tools[i].description),
			   STR_ARG(q->tools[i].input_schema));
}

static void
on_request(void *ctx, const struct provider_request *q)
{
	struct seen *s = ctx;

	s->count++;
	dump(&s->all, q);
	buf_clear(&s->tools);
	for (size_t i = 0; i < q->tool_count; i++)
		buf_printf(&s->tools, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(q->tools[i].name));
	s->effort = arena_str(&s->rig->arena, q->effort);
}

static const char BOTH[] =
	"{\"id\":\"both\",\"version\":1,\"name\":\"Both\",\"system\":\"You are "
	"both.\",\"model\":{\"id\":"
	"\"scripted\"},"
	"\"mcp_servers\":[{\"type\":\"url\",\"name\":\"web\",\"url\":\"https://web.test\"}],"
	"\"tools\":[" TOOL_RIG_BLOCK(
		"always_allow") ",{\"type\":\"mcp_toolset\",\"mcp_server_name\":\"web\"}]}";

static void
begin(struct rig *r, struct seen *s)
{
	*s = (struct seen){ .rig = r };
	tool_rig_init(r);
	buf_init(&s->all, 1 << 20);
	buf_init(&s->tools, 1 << 16);
	provider_scripted_watch(r->scripted, on_request, s);
	rig_agent(r, "both", BOTH);
	rig_agent(r, "plain", "{\"id\":\"plain\",\"version\":1}");
	rig_session(r, "s", "both");
}

static void
end(struct rig *r, struct seen *s)
{
	rig_release(r);
	buf_release(&s->all);
	buf_release(&s->tools);
}

enum between { KEPT, EVICTED, TOO_OLD, RESTARTED };

static struct str
talk(struct rig *r, struct seen *s, enum between between)
{
	static const char *const LINES[] = { "one", "two", "three" };

	begin(r, s);
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		rig_post(r, "s", LINES[i]);
		assert_int_equal(engine_stats(r->en).kept_agents, 1);
		if (between == EVICTED)
			agent_cache_evict(r->en->agents, STR("s"));
		if (between == RESTARTED)
			rig_restart(r, 1000);
		if (between == TOO_OLD) { /* the watcher finds it */
			rig_advance(r, HOUR_MS);
			rig_settle(r);
		}
		assert_int_equal(engine_stats(r->en).kept_agents, between == KEPT);
	}
	assert_int_equal(s->count, ARRAY_LEN(LINES));
	return buf_str(&s->all);
}

static void
T17_a_rebuilt_agent_asks_the_model_the_same(void **state)
{
	static const enum between ALL[] = { EVICTED, TOO_OLD, RESTARTED };
	struct seen kept_seen, seen;
	struct rig kept_rig, r;
	struct str kept;

	(void)state;
	kept = talk(&kept_rig, &kept_seen, KEPT);
	assert_true(str_contains(kept, STR("You are both.")));
	assert_true(str_contains(kept, STR("tool get_page: gets")));
	assert_true(str_contains(kept, STR("user three")));
	for (size_t i = 0; i < ARRAY_LEN(ALL); i++) {
		check_str("requests", talk(&r, &seen, ALL[i]), kept);
		end(&r, &seen);
	}
	end(&kept_rig, &kept_seen);
}

static struct str
say(struct rig *r, struct seen *s)
{
	rig_post(r, "s", "hi");
	return buf_str(&s->tools);
}

static struct json
body_of(struct rig *r, const char *text)
{
	struct json_doc *doc = ARENA_NEW(&r->arena, struct json_doc);
	struct err e;

	if (json_parse(&r->arena, str_of(text), &JSON_LIMITS_DEFAULT, doc, &e) != 0)
		fail_msg("%s", e.text);
	return json_root(doc);
}

/* Written past the engine, which is how to see that nothing is read: a hit is one. */
static void
T17_the_next_turn_reads_nothing_of_it_again(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	check_str("first", say(&r, &s), STR("session_directive bash read get_page"));
	rig_put(&r, RECORD_SESSION_EXTRA, "s", NULL,
		"{\"agent\":{\"id\":\"both\",\"version\":1,\"model\":{\"id\":\"scripted\"}}}");
	check_str("kept", say(&r, &s), STR("session_directive bash read get_page"));
	agent_cache_forget(r.en->agents, STR("s"));
	check_str("forgotten", say(&r, &s), STR(""));
	end(&r, &s);
}

static void
T17_what_a_session_changes_holds_for_its_next_turn(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	say(&r, &s);
	rig_update(&r, "s", body_of(&r, "{\"agent\":{\"tools\":[],\"mcp_servers\":[]}}"));
	check_str("tools", say(&r, &s), STR(""));
	rig_update(&r, "s",
		   body_of(&r, "{\"agent\":{\"model\":{\"id\":\"scripted\",\"effort\":{\"type\":"
			       "\"high\"}}}}"));
	say(&r, &s);
	check_str("effort", s.effort, STR("high"));
	rig_update(&r, "s", body_of(&r, "{\"agent\":{\"model\":\"demo\"}}"));
	say(&r, &s);
	assert_int_equal(s.count, 3); /* another model answers */
	end(&r, &s);
}

static void
T17_a_budget_holds_for_the_next_turn(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	r.price = 1000 * 1000;
	say(&r, &s);
	rig_update(&r, "s",
		   body_of(&r, "{\"budget\":{\"type\":\"limit\",\"max_list_cost\":{\"amount\":"
			       "\"0\",\"currency\":\"USD\"}}}"));
	say(&r, &s);
	assert_int_equal(s.count, 1);
	assert_true(str_contains(rig_log(&r, "s", 2), STR("budget_reached")));
	end(&r, &s);
}

static void
on_answer(void *ctx, const struct engine_answer *answer)
{
	assert_int_equal(answer->rc, 0);
	*(bool *)ctx = true;
}

static void
T17_another_environment_holds_for_the_next_turn(void **state)
{
	struct rig r;
	struct seen s;
	bool done = false;

	(void)state;
	begin(&r, &s);
	check_str("first", say(&r, &s), STR("session_directive bash read get_page"));
	engine_environment_update(
		r.en, &(struct engine_call){ .caller = &r.owner, .done = on_answer, .ctx = &done },
		STR("local-default"),
		body_of(&r, "{\"config\":{\"type\":\"local\",\"mcp_servers\":[{\"type\":\"stdio\","
			    "\"name\":\"mine\",\"command\":\"x\"}]}}"));
	rig_settle_until(&r, &done);
	assert_int_equal(engine_stats(r.en).kept_agents, 0);
	say(&r, &s);
	assert_int_equal(engine_stats(r.en).kept_agents, 1);
	end(&r, &s);
}

/* The operator's words are looked up for each turn. */
static void
T17_a_reload_holds_for_the_next_turn(void **state)
{
	struct engine_settings settings;
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	rig_session(&r, "p", "plain");
	rig_post(&r, "p", "hi");
	assert_int_equal(s.count, 0);
	settings = r.en->config.settings;
	settings.default_model = STR("scripted");
	engine_reload(r.en, &settings);
	rig_post(&r, "p", "hi");
	assert_int_equal(s.count, 1);
	end(&r, &s);
}

/* Servers say when their tools change: what they list is asked for each turn. */
static void
T17_tools_of_servers_are_as_they_are_now(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	say(&r, &s);
	tool_scripted_docs(r.servers, NULL, 0);
	check_str("fewer", say(&r, &s), STR("session_directive bash read"));
	tool_scripted_docs(r.servers, TOOL_RIG_REMOTE, ARRAY_LEN(TOOL_RIG_REMOTE));
	check_str("more", say(&r, &s), STR("session_directive bash read get_page"));
	end(&r, &s);
}

static void
T17_a_turn_that_runs_keeps_its_agent(void **state)
{
	static const struct scripted_result SLOW[] = { { .name = STR("bash"), .wait_ms = -1 } };
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	tool_scripted_play(r.tools, SLOW, 1);
	rig_agent(&r, "worker", TOOL_RIG_AGENT("worker", "\"name\":\"Worker\","));
	rig_session(&r, "s", "worker");
	rig_post(&r, "s", "tool bash {}");
	assert_int_equal(tool_scripted_open(r.tools), 1);
	rig_advance(&r, 60 * 1000); /* less than a tool may take */
	agent_cache_evict(r.en->agents, STR("s"));
	for (int i = 0; i < 200; i++)
		put(&r, i);
	assert_true(engine_stats(r.en).kept_agents <= AGENT_CACHE_MAX);
	rig_update(&r, "s", body_of(&r, "{\"agent\":{\"tools\":[]}}")); /* for the next one */
	tool_scripted_answer(r.tools, STR("bash"), OUTCOME_OK, STR("done"));
	rig_settle(&r);
	assert_true(str_contains(rig_log(&r, "s", 2), STR("message\"bash: done\"")));
	rig_release(&r);
}

static void
T17_a_deleted_session_has_none(void **state)
{
	struct rig r;
	struct seen s;
	bool done = false;

	(void)state;
	begin(&r, &s);
	say(&r, &s);
	assert_int_equal(engine_stats(r.en).kept_agents, 1);
	engine_session_delete(
		r.en, &(struct engine_call){ .caller = &r.owner, .done = on_answer, .ctx = &done },
		STR("s"));
	rig_settle_until(&r, &done);
	assert_int_equal(engine_stats(r.en).kept_agents, 0);
	end(&r, &s);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T17_of_129_the_one_that_was_used_longest_ago_goes);
	SUITE_TEST(&s, T17_one_in_use_is_never_evicted);
	SUITE_TEST(&s, T17_more_in_use_than_may_be_kept_are_let_go_afterwards);
	SUITE_TEST(&s, T17_their_bytes_are_bounded);
	SUITE_ROWS(&s, TTLS, idle_agents_go);
	SUITE_ROWS(&s, WRITES, a_write_lets_go_of_it);
	SUITE_TEST(&s, T17_it_is_of_one_version_and_one_environment);
	SUITE_TEST(&s, T17_two_made_at_the_same_time_are_one_afterwards);
	SUITE_TEST(&s, T17_a_rebuilt_agent_asks_the_model_the_same);
	SUITE_TEST(&s, T17_the_next_turn_reads_nothing_of_it_again);
	SUITE_TEST(&s, T17_what_a_session_changes_holds_for_its_next_turn);
	SUITE_TEST(&s, T17_a_budget_holds_for_the_next_turn);
	SUITE_TEST(&s, T17_another_environment_holds_for_the_next_turn);
	SUITE_TEST(&s, T17_a_reload_holds_for_the_next_turn);
	SUITE_TEST(&s, T17_tools_of_servers_are_as_they_are_now);
	SUITE_TEST(&s, T17_a_turn_that_runs_keeps_its_agent);
	SUITE_TEST(&s, T17_a_deleted_session_has_none);
	return suite_run(&s, "engine/agent_cache");
}
