/* Life: when answers come, what watch tells, what free finishes, what a restart finds.
 *
 * PostgreSQL: store_dispatch runs on the loop that polls the connections. Watch also tells of commits
 * by other nodes (LISTEN), with head 0 when only "something grew" is known; it is a hint, repeated
 * after a reconnect and every second, never the only way to learn of an event. */
#include "base/clock.h"
#include "compare.h"
#include "rig.h"

static void
test_never_inside_the_call(void **state)
{
	struct rig *r = rig_new();
	struct store_item bad = { 0 };
	struct answer *good = rig_submit(r, rig_item(r, "s", "msg a")), *refused;

	(void)state;
	refused = rig_submit(r, &bad);
	assert_false(good->done || refused->done);
	rig_await(r, good);
	rig_await(r, refused);
	assert_false(good->inside_call || refused->inside_call);
	assert_int_equal(good->result.rc, 0);
	assert_int_equal(refused->result.rc, ERR_INVALID);
	rig_free(&r);
}

/* The head follows what was told, and is there again after a restart. */
static void
test_change_head(void **state)
{
	struct rig *r = rig_new();
	struct answer *a;

	(void)state;
	assert_int_equal(store_change_head(r->store), 0);
	a = rig_submit(r, rig_item(r, "s", "msg a"));
	assert_int_equal(store_change_head(r->store), 0);
	rig_await(r, a);
	assert_int_equal(store_change_head(r->store), a->result.change);
	rig_restart(r);
	assert_int_equal(store_change_head(r->store), a->result.change);
	rig_free(&r);
}

/* A callback submits the next: as a turn does. */
struct chain {
	struct rig *r;
	struct store_item *item;
	int left, inside;
	bool in_append, done;
};

static void
on_link(void *ctx, const struct store_result *result)
{
	struct chain *c = ctx;

	assert_int_equal(result->rc, c->left == 20 ? 0 : ERR_CONFLICT);
	c->inside += c->in_append;
	if (--c->left == 0) {
		c->done = true;
		return;
	}
	c->in_append = true;
	store_append(c->r->store, c->item, on_link, c);
	c->in_append = false;
}

static void
test_from_a_callback(void **state)
{
	struct chain c = { .r = rig_new(), .left = 20 };

	(void)state;
	c.item = rig_item(c.r, "s", "msg a");
	store_append(c.r->store, c.item, on_link, &c);
	while (!c.done) {
		store_wait(c.r->store, 100);
		store_dispatch(c.r->store);
	}
	assert_int_equal(c.inside, 0);
	rig_free(&c.r);
}

static void
test_wakeup(void **state)
{
	struct rig *r = rig_new();
	struct answer *a = rig_submit(r, rig_item(r, "s", "msg a"));

	(void)state;
	while (!store_wait(r->store, 1000))
		;
	assert_true(__atomic_load_n(&r->wakeups, __ATOMIC_RELAXED) > 0);
	rig_await(r, a);
	assert_int_equal(store_dispatch(r->store), 0);
	assert_false(store_wait(r->store, 0));
	rig_free(&r);
}

struct last {
	struct rig *r;
	bool came;
};

static void
on_last(void *ctx, const struct store_result *result)
{
	struct last *last = ctx;

	(void)result;
	assert_false(store_wait(last->r->store, 60 * 1000)); /* nothing comes behind it */
	last->came = true;
}

/* Whoever waits for silence waits for the answers, and for nothing else. */
static void
test_no_wait_for_nothing(void **state)
{
	struct last last = { .r = rig_new() };
	struct store_item *item = rig_item(last.r, "s", "msg a");
	int64_t started_ns = clock_monotonic_ns();

	(void)state;
	assert_false(store_wait(last.r->store, 60 * 1000));
	store_append(last.r->store, item, on_last, &last);
	while (store_wait(last.r->store, 60 * 1000))
		store_dispatch(last.r->store);
	assert_true(last.came);
	assert_true(clock_monotonic_ns() - started_ns < INT64_C(50) * 1000000000);
	rig_free(&last.r);
}

static void
test_watch(void **state)
{
	struct rig *r = rig_new();
	struct store_put put = {
		.record = { .kind = STR("wake"), .id = STR("w"), .body = STR("{}") },
		.if_version = STORE_VERSION_ANY,
	};
	struct store_item records = { .puts = &put, .put_count = 1 };
	struct store_key key = { .scope = STR("s"), .name = STR("k"), .expires_at_ms = INT64_MAX };
	struct store_item *item = rig_item(r, "s", "msg a; msg b");
	struct answer *a;

	(void)state;
	item->keys = &key;
	item->key_count = 1;
	a = rig_submit(r, item);
	rig_await(r, a);
	assert_int_equal(r->watched.len, 1);
	check_str("session", r->watched.ptr[0].session, STR("s"));
	assert_int_equal(r->watched.ptr[0].head_seq, 3);
	assert_int_equal(r->watched.ptr[0].order, a->order - 1); /* before its own callback */
	item = rig_item(r, "s", "msg c");
	item->require.idle = true;
	rig_expect(r, "refused", item, ERR_CONFLICT);
	item = rig_item(r, "s", "msg c");
	item->keys = &key;
	item->key_count = 1;
	rig_expect(r, "replayed", item, STORE_REPLAYED);
	rig_expect(r, "records", &records, 0);
	assert_int_equal(r->watched.len, 1); /* no log grew */
	rig_free(&r);
}

static void
count_answer(void *ctx, const struct store_result *result)
{
	assert_int_equal(result->rc, 0);
	(*(size_t *)ctx)++;
}

static bool
count_row(void *ctx, const struct store_row *row)
{
	(void)ctx, (void)row;
	return true;
}

static void
count_page(void *ctx, int rc, bool more, const struct err *err)
{
	(void)more, (void)err;
	assert_int_equal(rc, 0);
	(*(size_t *)ctx)++;
}

static void
test_free_finishes(void **state)
{
	enum { ITEMS = 100 };
	struct rig *r = rig_new();
	struct store_query q = { .kind = STORE_LIST_EVENTS, .session = STR("s"), .limit = 10 };
	size_t answers = 0;
	char script[32];

	(void)state;
	rig_do(r, "s", "");
	for (int i = 0; i < ITEMS; i++) {
		snprintf(script, sizeof script, "msg m%d class=passive", i);
		store_append(r->store, rig_item(r, "s", script), count_answer, &answers);
		store_read(r->store, &q, count_row, count_page, &answers);
	}
	store_free(&r->store);
	assert_int_equal(answers, 2 * ITEMS);
	assert_null(r->store);
	rig_free(&r);
}

static void
test_restart_keeps_all(void **state)
{
	struct rig *r = rig_new();
	struct store_put put = {
		.record = { .kind = STR("lane"), .id = STR("l"), .body = STR("{\"a\":1}") },
		.if_version = STORE_VERSION_ANY,
	};
	struct store_item records = { .puts = &put, .put_count = 1 };
	struct store_query q = { .kind = STORE_GET_RECORD,
				 .record_kind = STR("lane"),
				 .record_id = STR("l") };
	struct rows got = { 0 };

	(void)state;
	rig_do(r, "s", "msg a; msg b; run t1 a; tool c ask; park t1 c; allow x c; edit b");
	rig_expect(r, "records", &records, 0);
	for (int i = 0; i < 3; i++) {
		rig_restart(r);
		compare_session(r, STR("s"), "after a restart");
		rig_read(r, &q, &got);
		assert_int_equal(got.records.len, 1);
		check_str("body", got.records.ptr[0].body, put.record.body);
		rows_release(&got);
		rig_do(r, "s",
		       i == 0   ? "run t1 x; result c"
		       : i == 1 ? "end t1 end_turn"
				: "run t2 b");
	}
	compare_session(r, STR("s"), "went on");
	rig_free(&r);
}

static void
test_healthy(void **state)
{
	struct rig *r = rig_new();
	struct err e;

	(void)state;
	assert_int_equal(store_health(r->store, &e), 0);
	rig_free(&r);
}

void
contract_life(struct suite *s)
{
	suite_add(s, "S1 answers never come inside the call", test_never_inside_the_call, NULL);
	suite_add(s, "A5 the head of the changes is known from the start", test_change_head, NULL);
	suite_add(s, "S1 a callback may submit", test_from_a_callback, NULL);
	suite_add(s, "S1 the owner is woken", test_wakeup, NULL);
	suite_add(s, "S1 there is no waiting for nothing", test_no_wait_for_nothing, NULL);
	suite_add(s, "S1 watch comes before the callback", test_watch, NULL);
	suite_add(s, "S1 free finishes what was submitted", test_free_finishes, NULL);
	suite_add(s, "Q1 a restart finds everything", test_restart_keeps_all, NULL);
	suite_add(s, "S1 a new store is healthy", test_healthy, NULL);
}
