#include "sqlite_fill.h"

#include "store/sqlite/read.h"

static struct fill fill;

/* clang-format off: one query a line */
static const struct fill_query QUERIES[] = {
	{ "Q1 pending inputs in seq order",
	  { .kind = STORE_LIST_PENDING, .session = STR("s") },
	  "b@7 c d" },
	{ "a page", { .kind = STORE_LIST_PENDING, .session = STR("s"), .limit = 1 }, "b@7 +" },
	{ "behind it", { .kind = STORE_LIST_PENDING, .session = STR("s"), .after = 6 }, "c d" },
	{ "none in an unknown session", { .kind = STORE_LIST_PENDING, .session = STR("x") }, "" },
	{ "behind the session's row",
	  { .kind = STORE_LIST_QUEUE, .session = STR("s") },
	  "s b@7 c d" },
	{ "no open turn, no calls", { .kind = STORE_LIST_CALLS, .session = STR("s") }, "" },
	{ "calls and their states",
	  { .kind = STORE_LIST_CALLS, .session = STR("c") },
	  "p:0 q:1 r:2" },
	{ "an answer waits outside the queue",
	  { .kind = STORE_LIST_PENDING, .session = STR("c") },
	  "ok" },
	{ "calls behind one",
	  { .kind = STORE_LIST_CALLS, .session = STR("c"), .after = 4 },
	  "q:1 r:2" },
	{ "an input without meta is told",
	  { .kind = STORE_LIST_PENDING, .session = STR("d") },
	  "error: session d, pending input of seq 2: its meta: offset 0: expected a value, "
	  "found the end" },
};
/* clang-format on */

static void
query(void **state)
{
	fill_check(&fill, *state);
}

static bool
check_input(void *ctx, const struct store_row *row)
{
	const struct input_row *in = row->input;

	if (!str_eq(in->id, STR("c")))
		return true;
	*(bool *)ctx = true;
	assert_int_equal(in->seq, 8);
	assert_int_equal(in->kind, EVENT_USER_MESSAGE);
	assert_int_equal(in->meta.class, INPUT_TRIGGER);
	assert_int_equal(in->meta.busy, BUSY_STEER);
	check_str("sender", in->meta.sender, STR("u1"));
	check_str("group", in->meta.group, STR("g"));
	assert_int_equal(in->created_at_ms, 1000008);
	assert_int_equal(in->processed_at_ms, 0);
	assert_false(in->cancelled);
	return true;
}

static bool
check_call(void *ctx, const struct store_row *row)
{
	const struct call_row *call = row->call;

	*(bool *)ctx = true;
	if (!str_eq(call->id, STR("p")))
		return true;
	check_str("answer", call->answer_id, STR("ok"));
	assert_int_equal(call->seq, 4);
	assert_int_equal(call->kind, EVENT_AGENT_TOOL_USE);
	assert_false(call->client_side);
	assert_int_equal(call->closed_seq, 0);
	return true;
}

static void
every_field_is_exact(void **state)
{
	struct store_query pending = { .kind = STORE_LIST_PENDING,
				       .session = STR("s"),
				       .limit = 9 };
	struct store_query calls = { .kind = STORE_LIST_CALLS, .session = STR("c"), .limit = 9 };
	bool more, seen_input = false, seen_call = false;
	struct err e = { 0 };
	struct read read;
	struct db db;

	(void)state;
	assert_int_equal(db_open(&db, fill.path, DB_READER, NULL, &e), 0);
	read_init(&read, &db, STR("me"));
	assert_int_equal(read_run(&read, &pending, check_input, &seen_input, &more, &e), 0);
	assert_int_equal(read_run(&read, &calls, check_call, &seen_call, &more, &e), 0);
	assert_true(seen_input && seen_call);
	read_release(&read);
	db_close(&db);
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	fill_open(&fill);
	fill_session(
		&fill, "s",
		"msg a; run t a; say x; end t end_turn; msg b; edit b; msg c busy=steer sender=u1 "
		"group=g; msg d; msg p class=passive",
		0);
	fill_session(&fill, "c", "msg a; run t a; tool p ask; ctool q; tool r; allow ok p", 0);
	fill_session(&fill, "d", "msg a", 0);
	fill_run(&fill, "UPDATE event SET meta = NULL WHERE sid = 3 AND seq = 2");
	SUITE_ROWS(&s, QUERIES, query);
	SUITE_TEST(&s, every_field_is_exact);
	failed = suite_run(&s, "store/sqlite/read_queue");
	fill_close(&fill);
	return failed;
}
