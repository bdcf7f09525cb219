#include "sqlite_fill.h"

#include "store/sqlite/read.h"

static struct fill fill;

/* clang-format off: one query a line */
static const struct fill_query QUERIES[] = {
	{ "one", { .kind = STORE_GET_SESSION, .session = STR("cli:b") }, "cli:b" },
	{ "none", { .kind = STORE_GET_SESSION, .session = STR("nobody") }, "" },
	/* activity: cli:e 50; cli:b, cli:c, web:d 30; cli:a 20; web:f 10 */
	{ "A9 newest first, equal instants by id",
	  { .kind = STORE_LIST_SESSIONS },
	  "cli:e web:d cli:c cli:b cli:a web:f" },
	{ "a page", { .kind = STORE_LIST_SESSIONS, .limit = 2 }, "cli:e web:d +" },
	{ "behind it, within equal instants",
	  { .kind = STORE_LIST_SESSIONS, .cursor_ms = 30, .cursor_id = STR("web:d"), .limit = 2 },
	  "cli:c cli:b +" },
	{ "behind the last of them",
	  { .kind = STORE_LIST_SESSIONS, .cursor_ms = 30, .cursor_id = STR("cli:b") },
	  "cli:a web:f" },
	{ "behind a session that has moved",
	  { .kind = STORE_LIST_SESSIONS, .cursor_ms = 25, .cursor_id = STR("cli:e") },
	  "cli:a web:f" },
	{ "the limit fits exactly",
	  { .kind = STORE_LIST_SESSIONS, .limit = 6 },
	  "cli:e web:d cli:c cli:b cli:a web:f" },
	{ "workspace",
	  { .kind = STORE_LIST_SESSIONS, .filter.workspace_id = STR("w1") },
	  "web:d cli:b" },
	{ "no such workspace",
	  { .kind = STORE_LIST_SESSIONS, .filter.workspace_id = STR("w") },
	  "" },
	{ "agent",
	  { .kind = STORE_LIST_SESSIONS, .filter.agent_id = STR("other") },
	  "web:d web:f" },
	{ "id prefix",
	  { .kind = STORE_LIST_SESSIONS, .filter.id_prefix = STR("web:") },
	  "web:d web:f" },
	{ "a prefix is no pattern",
	  { .kind = STORE_LIST_SESSIONS, .filter.id_prefix = STR("%") },
	  "" },
	{ "lifecycle",
	  { .kind = STORE_LIST_SESSIONS, .filter.lifecycles = 1u << LIFECYCLE_ARCHIVED },
	  "cli:c" },
	{ "two lifecycles",
	  { .kind = STORE_LIST_SESSIONS,
	    .limit = 2,
	    .filter.lifecycles = 1u << LIFECYCLE_ARCHIVED | 1u << LIFECYCLE_ACTIVE },
	  "cli:e web:d +" },
	{ "active since",
	  { .kind = STORE_LIST_SESSIONS, .filter.active_since_ms = 30 },
	  "cli:e web:d cli:c cli:b" },
	{ "all at once",
	  { .kind = STORE_LIST_SESSIONS,
	    .filter = { .workspace_id = STR("w1"),
			.agent_id = STR("other"),
			.id_prefix = STR("web"),
			.lifecycles = 1u << LIFECYCLE_ACTIVE,
			.active_since_ms = 30 } },
	  "web:d" },
	{ "filter and cursor",
	  { .kind = STORE_LIST_SESSIONS,
	    .filter.workspace_id = STR("w1"),
	    .cursor_ms = 30,
	    .cursor_id = STR("cli:c") },
	  "cli:b" },
};
/* clang-format on */

static void
query(void **state)
{
	fill_check(&fill, *state);
}

static void
compare_rows(const struct session_row *got, const struct session_row *want)
{
	assert_int_equal(got->head_seq, want->head_seq);
	assert_memory_equal(&got->head_hash, &want->head_hash, sizeof got->head_hash);
	assert_memory_equal(&got->state, &want->state, sizeof got->state);
	assert_int_equal(got->deleted, want->deleted);
	assert_int_equal(got->last_stop, want->last_stop);
	check_str("turn", got->turn, want->turn);
	assert_int_equal(got->turn_seq, want->turn_seq);
	assert_int_equal(got->attempt, want->attempt);
	check_str("title", got->title, want->title);
	assert_int_equal(got->title_source, want->title_source);
	check_str("fallback title", got->fallback_title, want->fallback_title);
	assert_string_equal(got->preview, want->preview);
	assert_memory_equal(&got->counters, &want->counters, sizeof got->counters);
}

static const char BUSY[] = "msg a text=hello; run t a; usage 10 5 7 3; usage 1 1; say x; end t "
			   "end_turn; title T; msg b; run u b; resched u 2";

static bool
check_busy(void *ctx, const struct store_row *row)
{
	const struct store_session *s = row->session;

	compare_rows(&s->row, ctx);
	check_str("agent", s->agent_id, STR("main"));
	check_str("environment", s->environment_id, STR("local-default"));
	check_str("source", s->source, STR("{\"kind\":\"api\"}"));
	assert_int_equal(s->agent_version, 1);
	assert_int_equal(s->created_at_ms, 1000001);
	assert_int_equal(s->fence, 4);
	assert_false(s->group);
	assert_true(s->lease_live);
	assert_null(s->workspace_id.ptr);
	assert_null(s->lane_key.ptr);
	assert_null(s->parent_id.ptr);
	assert_null(s->previous_id.ptr);
	check_str("metadata", s->metadata, STR(""));
	assert_non_null(s->metadata.ptr); /* '' is not NULL */
	return true;
}

static size_t
run_one(const char *id, const char *holder, store_row_fn *fn, void *ctx)
{
	struct store_query q = { .kind = STORE_GET_SESSION, .session = str_of(id) };
	struct err e = { 0 };
	struct read read;
	struct db db;
	bool more;

	assert_int_equal(db_open(&db, fill.path, DB_READER, NULL, &e), 0);
	read_init(&read, &db, str_of(holder));
	if (read_run(&read, &q, fn, ctx, &more, &e) != 0)
		fail_msg("%s", e.text);
	read_release(&read);
	db_close(&db);
	return read.given;
}

static void
every_field_is_exact(void **state)
{
	struct replay *r = replay_new();
	struct err e;

	(void)state;
	assert_int_equal(replay_log_run(r, BUSY, &e), 0);
	fill_session(&fill, "busy", BUSY, 0);
	fill_run(&fill,
		 "UPDATE session SET fence = 4, holder = 'me', metadata = '' WHERE id = 'busy'");
	assert_int_equal(run_one("busy", "me", check_busy, (void *)(uintptr_t)replay_session(r)),
			 1);
	replay_free(&r);
	fill_run(&fill, "DELETE FROM session WHERE id = 'busy'");
}

static bool
is_live(void *ctx, const struct store_row *row)
{
	*(bool *)ctx = row->session->lease_live;
	return true;
}

static void
Q7_only_the_living_hold_leases(void **state)
{
	bool live = true;

	(void)state;
	fill_run(&fill, "UPDATE session SET holder = 'dead' WHERE id = 'cli:a'");
	run_one("cli:a", "me", is_live, &live);
	assert_false(live);
	run_one("cli:a", "", is_live, &live);
	assert_false(live);
	run_one("cli:a", "dead", is_live, &live);
	assert_true(live);
	fill_run(&fill, "UPDATE session SET holder = NULL WHERE id = 'cli:a'");
	run_one("cli:a", "", is_live, &live);
	assert_false(live);
}

static void
damage_is_told(void **state)
{
	static const struct fill_query ROW = {
		"an unknown lifecycle",
		{ .kind = STORE_GET_SESSION, .session = STR("broken") },
		"error: session broken: its row is damaged",
	};

	(void)state;
	fill_session(&fill, "broken", "", 0);
	fill_run(&fill, "UPDATE session SET lifecycle = 7 WHERE id = 'broken'");
	fill_check(&fill, &ROW);
	fill_run(&fill, "DELETE FROM session WHERE id = 'broken'");
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	fill_open(&fill);
	fill_session(&fill, "cli:a", "", 0);
	fill_session(&fill, "cli:b", "", 0);
	fill_session(&fill, "cli:c", "life archived", 0);
	fill_session(&fill, "web:d", "", 0);
	fill_session(&fill, "cli:e", "", 0);
	fill_session(&fill, "web:f", "", 0);
	fill_run(&fill, "UPDATE session SET last_activity = CASE id WHEN 'cli:e' THEN 50"
			" WHEN 'cli:a' THEN 20 WHEN 'web:f' THEN 10 ELSE 30 END");
	fill_run(&fill, "UPDATE session SET workspace_id = 'w1' WHERE id IN ('cli:b', 'web:d')");
	fill_run(&fill, "UPDATE session SET agent_id = 'other' WHERE id LIKE 'web:%'");
	SUITE_ROWS(&s, QUERIES, query);
	SUITE_TEST(&s, every_field_is_exact);
	SUITE_TEST(&s, Q7_only_the_living_hold_leases);
	SUITE_TEST(&s, damage_is_told);
	failed = suite_run(&s, "store/sqlite/read_session");
	fill_close(&fill);
	return failed;
}
