/* Leases: a turn's appends carry the fence it was given; whoever holds an old one is refused.
 *
 * PostgreSQL: the holder is a node and the lease ends by the database's clock unless renewed; "dead"
 * below then means expired. Two nodes on one store: node B's message (no fence) lands in the middle
 * of node A's turn and A's next fenced append still succeeds; B takes the lease only after A's has
 * ended, and A's later appends are refused. The holder learns of B's message by watch. */
#include "compare.h"
#include "rig.h"

static const struct store_result *
take(struct rig *r, const char *script)
{
	struct store_item *item = rig_item(r, "s", script);

	item->lease = STORE_LEASE_TAKE;
	return rig_append(r, item);
}

static struct store_item *
fenced(struct rig *r, const char *script, int64_t fence)
{
	struct store_item *item = rig_item(r, "s", script);

	item->require.fence = fence;
	return item;
}

static struct store_item *
releasing(struct rig *r, const char *script, int64_t fence)
{
	struct store_item *item = fenced(r, script, fence);

	item->lease = STORE_LEASE_RELEASE;
	return item;
}

static void
check_lease(struct rig *r, int64_t fence, bool live)
{
	struct rows got = { 0 };

	rig_list(r, STORE_GET_SESSION, "s", &got);
	assert_int_equal(got.sessions.len, 1);
	assert_int_equal(got.sessions.ptr[0].fence, fence);
	assert_int_equal(got.sessions.ptr[0].lease_live, live);
	assert_int_equal(got.sessions.ptr[0].lease_own, live); /* nobody else is there to hold it */
	rows_release(&got);
}

static void
test_take_and_release(void **state)
{
	struct rig *r = rig_new();
	int64_t first, second;

	(void)state;
	rig_do(r, "s", "msg a; msg b");
	check_lease(r, 0, false);
	first = take(r, "run t1 a")->fence;
	assert_true(first > 0);
	check_lease(r, first, true);
	rig_expect(r, "its own append", fenced(r, "say x", first), 0);
	check_lease(r, first, true);
	rig_expect(r, "the terminal", releasing(r, "end t1 end_turn", first), 0);
	check_lease(r, first, false);
	rig_expect(r, "after the release", fenced(r, "title x", first), ERR_CONFLICT);
	second = take(r, "run t2 b")->fence;
	assert_true(second > first);
	rig_expect(r, "an old fence", fenced(r, "say y", first), ERR_CONFLICT);
	rig_expect(r, "the new one", fenced(r, "say y", second), 0);
	compare_session(r, STR("s"), "lease");
	rig_free(&r);
}

/* Whoever lets go of a session is told whether there is something left for the next. */
static const struct rest_row {
	const char *name, *before, *item;
	bool rests;
	const char *wake_of; /* who owns a wake; NULL: there is none */
	bool removed;        /* it goes with the item */
	bool nobody_asks;
} RESTS[] = {
	{ "Q2 rest: the turn was all", "msg a; run t1 a", "end t1 end_turn", true },
	{ "Q2 rest: a trigger waits", "msg a; msg b; run t1 a", "end t1 end_turn", false },
	{ "Q2 rest: a trigger comes with it", "msg a; run t1 a", "end t1 end_turn; msg b", false },
	{ "Q2 rest: passive inputs are no work", "msg a; run t1 a; msg b class=passive",
	  "end t1 end_turn", true },
	{ "Q2 rest: the turn goes on", "msg a; run t1 a", "say x", false },
	{ "Q2 rest: a wake is there", "msg a; run t1 a", "end t1 end_turn", false, "s" },
	{ "Q2 rest: the last wake goes", "msg a; run t1 a", "end t1 end_turn", true, "s", true },
	{ "Q2 rest: another's wake", "msg a; run t1 a", "end t1 end_turn", true, "other" },
	{ "Q2 rest: nobody asks", "msg a; run t1 a", "end t1 end_turn", false,
	  .nobody_asks = true },
};

static void
test_rest(void **state)
{
	const struct rest_row *row = *state;
	struct rig *r = rig_new();
	struct store_put put = { .record = { .kind = STR("wake"),
					     .id = STR("w1"),
					     .owner = str_of(row->wake_of ? row->wake_of : ""),
					     .body = STR("{}") },
				 .if_version = STORE_VERSION_ANY };
	struct store_item *item;
	const struct store_result *got;

	if (row->wake_of) {
		item = rig_item(r, "s", "title x");
		item->puts = &put;
		item->put_count = 1;
		assert_int_equal(rig_append(r, item)->rc, 0);
	}
	rig_do(r, "s", row->before);
	item = rig_item(r, "s", row->item);
	item->rest_kind = row->nobody_asks ? (struct str){ 0 } : STR("wake");
	put.remove = true;
	item->puts = &put;
	item->put_count = row->removed;
	got = rig_append(r, item);
	assert_int_equal(got->rc, 0);
	assert_int_equal(got->rests, row->rests);
	rig_free(&r);
}

static void
test_taken_once(void **state)
{
	struct rig *r = rig_new();
	struct store_item *item;
	int64_t fence;

	(void)state;
	rig_do(r, "s", "msg a");
	fence = take(r, "run t1 a")->fence;
	item = rig_item(r, "s", "title x");
	item->lease = STORE_LEASE_TAKE;
	rig_expect(r, "held", item, ERR_CONFLICT);
	check_lease(r, fence, true);
	rig_expect(r, "the holder goes on", fenced(r, "say x", fence), 0);
	rig_free(&r);
}

/* Of many that would start the turn, one does. */
static void
test_take_at_once(void **state)
{
	enum { CALLERS = 32 };
	struct rig *r = rig_new();
	struct answer *answers[CALLERS];
	int taken = 0;

	(void)state;
	rig_do(r, "s", "msg a");
	for (int i = 0; i < CALLERS; i++) {
		struct store_item *item = rig_item(r, "s", "run t1 a");

		item->lease = STORE_LEASE_TAKE;
		answers[i] = rig_submit(r, item);
	}
	for (int i = 0; i < CALLERS; i++) {
		rig_await(r, answers[i]);
		taken += answers[i]->result.rc == 0;
	}
	assert_int_equal(taken, 1);
	rig_free(&r);
}

static void
test_ingress_needs_no_fence(void **state)
{
	struct rig *r = rig_new();
	int64_t fence;

	(void)state;
	rig_do(r, "s", "msg a");
	fence = take(r, "run t1 a")->fence;
	rig_do(r, "s", "msg b; interrupt i; sys c");
	rig_expect(r, "the turn goes on", fenced(r, "say x", fence), 0);
	rig_expect(r, "and ends", releasing(r, "end t1 interrupted i", fence), 0);
	compare_session(r, STR("s"), "ingress");
	rig_free(&r);
}

/* An end from outside: the old holder is refused and stops. */
static void
test_break(void **state)
{
	struct rig *r = rig_new();
	struct store_item *item;
	const struct store_result *got;
	int64_t fence;

	(void)state;
	rig_do(r, "s", "msg a; msg b");
	fence = take(r, "run t1 a")->fence;
	item = rig_item(r, "s", "cancel all; end t1 interrupted; reset archived");
	item->lease = STORE_LEASE_BREAK;
	got = rig_append(r, item);
	assert_int_equal(got->rc, 0);
	assert_true(got->fence > fence);
	check_lease(r, got->fence, false);
	rig_expect(r, "the old holder", fenced(r, "title x", fence), ERR_CONFLICT);
	rig_expect(r, "nobody holds it", fenced(r, "title x", got->fence), ERR_CONFLICT);
	rig_expect(r, "nothing to release", releasing(r, "title x", fence), ERR_CONFLICT);
	rig_free(&r);
}

static void
test_refusal_keeps_the_lease(void **state)
{
	struct rig *r = rig_new();
	struct store_item *item;
	int64_t fence;

	(void)state;
	rig_do(r, "s", "msg a");
	item = rig_item(r, "s", "run t1 nobody");
	item->lease = STORE_LEASE_TAKE;
	assert_true(rig_append(r, item)->rc < 0);
	check_lease(r, 0, false);
	fence = take(r, "run t1 a")->fence;
	assert_true(rig_append(r, releasing(r, "end t9 end_turn", fence))->rc < 0);
	check_lease(r, fence, true);
	rig_free(&r);
}

static void
test_dead_holder(void **state)
{
	struct rig *r = rig_new();
	int64_t first, second;

	(void)state;
	rig_do(r, "s", "msg a");
	first = take(r, "run t1 a")->fence;
	rig_restart(r);
	check_lease(r, first, false);
	rig_expect(r, "a dead holder", fenced(r, "say x", first), ERR_CONFLICT);
	rig_do(r, "s", "resched t1 1");
	second = take(r, "run t1")->fence;
	assert_true(second > first);
	rig_expect(r, "its heir", fenced(r, "say x", second), 0);
	compare_session(r, STR("s"), "dead holder");
	rig_free(&r);
}

static void
test_sessions_apart(void **state)
{
	struct rig *r = rig_new();
	struct store_item *item;

	(void)state;
	rig_do(r, "s", "msg a");
	rig_do(r, "other", "msg a");
	take(r, "run t1 a");
	item = rig_item(r, "other", "run t1 a");
	item->lease = STORE_LEASE_TAKE;
	rig_expect(r, "another session's lease", item, 0);
	rig_free(&r);
}

/* A park under a new fence without running: status_idle again, taken and given back. */
static void
test_lease_without_events(void **state)
{
	struct rig *r = rig_new();
	struct store_item item = { .session = STR("s"), .lease = STORE_LEASE_TAKE };
	const struct store_result *got;

	(void)state;
	rig_do(r, "s", "msg a");
	got = rig_append(r, &item);
	assert_int_equal(got->rc, 0);
	assert_int_equal(got->head_seq, 2);
	check_lease(r, got->fence, true);
	item = (struct store_item){ .session = STR("s"),
				    .lease = STORE_LEASE_RELEASE,
				    .require.fence = got->fence };
	rig_expect(r, "given back", &item, 0);
	check_lease(r, got->fence, false);
	compare_session(r, STR("s"), "no events");
	rig_free(&r);
}

void
contract_lease(struct suite *s)
{
	SUITE_ROWS(s, RESTS, test_rest);
	suite_add(s, "Q7 taken, used, released", test_take_and_release, NULL);
	suite_add(s, "Q7 held by one", test_taken_once, NULL);
	suite_add(s, "Q7 taken by one of many", test_take_at_once, NULL);
	suite_add(s, "Q7 ingress needs no fence", test_ingress_needs_no_fence, NULL);
	suite_add(s, "Q7 broken from outside", test_break, NULL);
	suite_add(s, "Q7 a refusal keeps the lease", test_refusal_keeps_the_lease, NULL);
	suite_add(s, "Q7 a dead holder's lease is void", test_dead_holder, NULL);
	suite_add(s, "Q7 sessions have leases of their own", test_sessions_apart, NULL);
	suite_add(s, "Q7 a lease without events", test_lease_without_events, NULL);
}
