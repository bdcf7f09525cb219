/* Joined items: one change of two sessions, all or nothing.
 *
 * PostgreSQL: one transaction locks both rows in the order of their ids, so that two joined items that
 * meet crosswise wait for each other once and never for ever. */
#include "compare.h"
#include "rig.h"

#define LIFE(l) (1u << LIFECYCLE_##l)

static struct store_item *
joined(struct rig *r, const char *session, const char *script, const char *other,
       const char *other_script)
{
	struct store_item *item = rig_item(r, session, script);

	item->joined = rig_item(r, other, other_script);
	return item;
}

static struct store_item *
part(struct store_item *item)
{
	return (struct store_item *)item->joined;
}

static void
check_zero(const struct store_joined *j)
{
	static const struct store_joined NOTHING;

	assert_memory_equal(j, &NOTHING, sizeof NOTHING);
}

static void
test_both(void **state)
{
	struct rig *r = rig_new();
	const struct store_result *got;

	(void)state;
	rig_do(r, "s", "msg a");
	rig_do(r, "t", "");
	got = rig_append(r, joined(r, "s", "msg b; msg c", "t", "msg d"));
	assert_int_equal(got->rc, 0);
	assert_int_equal(got->first_seq, 3);
	assert_int_equal(got->head_seq, 4);
	assert_int_equal(got->joined.first_seq, 2);
	assert_int_equal(got->joined.head_seq, 2);
	assert_int_equal(got->waiting, 2);
	assert_int_equal(got->joined.waiting, 0);
	assert_int_equal(got->joined.change, got->change + 1);
	assert_int_equal(store_change_head(r->store), got->joined.change);
	compare_session(r, STR("s"), "the item's own");
	compare_session(r, STR("t"), "the joined one");
	rig_restart(r);
	compare_session(r, STR("s"), "its own, after a restart");
	compare_session(r, STR("t"), "joined, after a restart");
	rig_free(&r);
}

static void
test_changes_in_order(void **state)
{
	static const char *const ORDER[] = { "s", "s", "s", "t", "t" };
	struct rig *r = rig_new();
	struct rows rows = { 0 };

	(void)state;
	rig_do(r, "s", "");
	rig_expect(r, "both", joined(r, "s", "msg b; msg c", "t", "msg d"), 0);
	rig_read(r, &(struct store_query){ .kind = STORE_LIST_CHANGES, .limit = 10 }, &rows);
	assert_int_equal(rows.events.len, 5);
	for (size_t i = 0; i < rows.events.len; i++)
		check_str("session", rows.events.ptr[i].session, str_of(ORDER[i]));
	rows_release(&rows);
	rig_free(&r);
}

static void
test_watch(void **state)
{
	struct rig *r = rig_new();
	size_t before;

	(void)state;
	rig_do(r, "s", "");
	before = r->watched.len;
	rig_expect(r, "both", joined(r, "s", "msg a", "t", "msg b"), 0);
	assert_int_equal(r->watched.len, before + 2);
	check_str("first", r->watched.ptr[before].session, STR("s"));
	assert_int_equal(r->watched.ptr[before].head_seq, 2);
	check_str("then", r->watched.ptr[before + 1].session, STR("t"));
	assert_int_equal(r->watched.ptr[before + 1].head_seq, 2);
	assert_int_equal(r->watched.ptr[before + 1].order, r->answers - 1);
	rig_free(&r);
}

/* Both parts may create. */
static void
test_created(void **state)
{
	struct rig *r = rig_new();
	struct store_item *again;

	(void)state;
	rig_expect(r, "both new", joined(r, "s", "msg a", "t", "msg b"), 0);
	rig_expect(r, "one new", joined(r, "s", "msg c", "u", ""), 0);
	again = joined(r, "s", "msg d", "v", "");
	part(again)->session = STR("u");
	rig_expect(r, "taken", again, ERR_CONFLICT);
	rig_expect(r, "the id is still free", rig_item(r, "v", ""), 0);
	compare_session(r, STR("s"), "own");
	compare_session(r, STR("u"), "created");
	rig_free(&r);
}

static const struct refused_row {
	const char *name, *before, *item, *other_before, *other;
	struct store_require require, other_require;
	int want;
} REFUSED[] = {
	{ "R3 joined: its head has moved",
	  "msg a",
	  "msg b",
	  "msg c",
	  "msg d",
	  { 0 },
	  { .has_head = true, .head_seq = 1 },
	  ERR_CONFLICT },
	{ "R3 joined: the own head has moved",
	  "msg a",
	  "msg b",
	  "msg c",
	  "msg d",
	  { .has_head = true, .head_seq = 1 },
	  { 0 },
	  ERR_CONFLICT },
	{ "R3 joined: its lifecycle is another",
	  "msg a",
	  "msg b",
	  "life archived",
	  "title x",
	  { 0 },
	  { .lifecycles = LIFE(ACTIVE) },
	  ERR_CONFLICT },
	{ "R3 joined: it is busy",
	  "",
	  "msg b",
	  "msg a",
	  "title x",
	  { 0 },
	  { .idle = true },
	  ERR_CONFLICT },
	{ "R3 joined: the own is busy",
	  "msg a",
	  "title x",
	  "",
	  "title x",
	  { .idle = true },
	  { 0 },
	  ERR_CONFLICT },
	{ "R3 joined: its queue is full",
	  "",
	  "msg b; msg c",
	  "msg a",
	  "msg d",
	  { 0 },
	  { .has_max_waiting = true },
	  ERR_LIMIT },
	{ "R3 joined: its events break a rule",
	  "",
	  "msg b",
	  "msg a",
	  "end t1 end_turn",
	  { 0 },
	  { 0 },
	  ERR_CONFLICT },
	{ "R3 joined: the second of its events breaks a rule",
	  "",
	  "msg b",
	  "msg a",
	  "msg c; end t1 end_turn",
	  { 0 },
	  { 0 },
	  ERR_CONFLICT },
	{ "R3 joined: the own events break a rule",
	  "msg a",
	  "end t1 end_turn",
	  "",
	  "msg b",
	  { 0 },
	  { 0 },
	  ERR_CONFLICT },
};

static void
test_refused(void **state)
{
	const struct refused_row *row = *state;
	struct rig *r = rig_new();
	struct store_item *item;

	rig_do(r, "s", row->before);
	rig_do(r, "t", row->other_before);
	item = joined(r, "s", row->item, "t", row->other);
	item->require = row->require;
	part(item)->require = row->other_require;
	item->puts = &(struct store_put){
		.record = { .kind = STR("lane"), .id = STR("l"), .body = STR("{}") },
		.if_version = STORE_VERSION_ABSENT
	};
	item->put_count = 1;
	rig_expect(r, row->name, item, row->want);
	rig_expect(r, "the record was not left behind",
		   &(struct store_item){ .puts = item->puts, .put_count = 1 }, 0);
	rig_expect(r, "both go on", joined(r, "s", "title y", "t", "title z"), 0);
	rig_free(&r);
}

static void
test_absent(void **state)
{
	struct rig *r = rig_new();
	struct store_item *item;

	(void)state;
	rig_do(r, "s", "");
	rig_do(r, "t", "");
	item = joined(r, "s", "msg a", "t", "msg b");
	part(item)->session = STR("nowhere");
	rig_expect(r, "joined", item, ERR_NOT_FOUND);
	item = joined(r, "s", "msg a", "t", "msg b");
	item->session = STR("nowhere");
	rig_expect(r, "own", item, ERR_NOT_FOUND);
	compare_session(r, STR("s"), "own");
	compare_session(r, STR("t"), "joined");
	rig_free(&r);
}

/* A record that is another's by now takes both sessions' parts with it. */
static void
test_record_refused(void **state)
{
	struct rig *r = rig_new();
	struct store_item *item;
	struct store_put put = {
		.record = { .kind = STR("lane"), .id = STR("l"), .body = STR("{}") },
		.if_version = 7,
	};

	(void)state;
	rig_do(r, "s", "");
	item = joined(r, "s", "msg a", "t", "msg b");
	item->puts = &put;
	item->put_count = 1;
	rig_expect(r, "version", item, ERR_CONFLICT);
	put.if_version = STORE_VERSION_ABSENT;
	rig_expect(r, "as it is", item, 0);
	rig_free(&r);
}

/* Items of both sessions, submitted together: each log has them in that order. */
static void
test_order(void **state)
{
	struct rig *r = rig_new();
	struct answer *answers[4];

	(void)state;
	rig_do(r, "s", "");
	rig_do(r, "t", "");
	answers[0] = rig_submit(r, rig_item(r, "t", "msg a"));
	answers[1] = rig_submit(r, joined(r, "s", "msg b", "t", "msg c"));
	answers[2] = rig_submit(r, rig_item(r, "t", "msg d"));
	answers[3] = rig_submit(r, rig_item(r, "s", "msg e"));
	for (size_t i = 0; i < 4; i++) {
		rig_await(r, answers[i]);
		assert_int_equal(answers[i]->result.rc, 0);
	}
	assert_int_equal(answers[0]->result.first_seq, 2);
	assert_int_equal(answers[1]->result.joined.first_seq, 3);
	assert_int_equal(answers[2]->result.first_seq, 4);
	assert_int_equal(answers[3]->result.first_seq, 3);
	compare_session(r, STR("s"), "own");
	compare_session(r, STR("t"), "joined");
	rig_free(&r);
}

/* A refused one in the middle of a batch takes nobody with it. */
static void
test_fails_alone(void **state)
{
	struct rig *r = rig_new();
	struct answer *answers[3];
	struct store_item *item;

	(void)state;
	rig_do(r, "s", "");
	rig_do(r, "t", "");
	answers[0] = rig_submit(r, rig_item(r, "s", "msg a"));
	item = joined(r, "s", "msg b", "t", "msg c");
	part(item)->require = (struct store_require){ .has_head = true, .head_seq = 9 };
	answers[1] = rig_submit(r, item);
	answers[2] = rig_submit(r, rig_item(r, "t", "msg d"));
	for (size_t i = 0; i < 3; i++)
		rig_await(r, answers[i]);
	assert_int_equal(answers[0]->result.rc, 0);
	assert_int_equal(answers[1]->result.rc, ERR_CONFLICT);
	check_zero(&answers[1]->result.joined);
	assert_int_equal(answers[2]->result.rc, 0);
	check_zero(&answers[2]->result.joined);
	compare_session(r, STR("s"), "own");
	compare_session(r, STR("t"), "joined");
	rig_free(&r);
}

static void
test_replay(void **state)
{
	struct rig *r = rig_new();
	struct store_key key = {
		.kind = STORE_KEY_IDEMPOTENCY,
		.scope = STR("p"),
		.name = STR("k"),
		.request = sha256_of(STR("body")),
		.answer = STR("t"),
		.expires_at_ms = INT64_C(1) << 50,
	};
	const struct store_result *got;
	struct store_item *item;

	(void)state;
	rig_do(r, "s", "");
	item = joined(r, "s", "msg a", "t", "msg b");
	item->keys = &key;
	item->key_count = 1;
	rig_expect(r, "first", item, 0);
	for (int i = 0; i < 2; i++) {
		got = rig_append(r, item);
		assert_int_equal(got->rc, STORE_REPLAYED);
		assert_int_equal(got->first_seq, 2);
		check_str("session", got->session, STR("s"));
		check_str("answer", got->answer, STR("t"));
		check_zero(&got->joined);
		compare_session(r, STR("s"), "nothing was written to its own");
		compare_session(r, STR("t"), "nor to the joined one");
		rig_restart(r);
	}
	rig_free(&r);
}

static void
test_refused_leaves_no_key(void **state)
{
	struct rig *r = rig_new();
	struct store_key key = {
		.kind = STORE_KEY_DEDUPE,
		.scope = STR("p"),
		.name = STR("k"),
		.request = sha256_of(STR("body")),
		.expires_at_ms = INT64_C(1) << 50,
	};
	struct store_item *item;

	(void)state;
	rig_do(r, "s", "");
	rig_do(r, "t", "");
	item = joined(r, "s", "msg a", "t", "end t1 end_turn");
	item->keys = &key;
	item->key_count = 1;
	rig_expect(r, "refused", item, ERR_CONFLICT);
	item = joined(r, "s", "msg a", "t", "msg b");
	item->keys = &key;
	item->key_count = 1;
	rig_expect(r, "then done", item, 0);
	rig_free(&r);
}

/* The end from outside: the holder's fence is broken in the same change as the other log grows. */
static void
test_lease(void **state)
{
	struct rig *r = rig_new();
	const struct store_result *got;
	struct store_item *item;
	int64_t fence;

	(void)state;
	rig_do(r, "s", "msg a");
	item = rig_item(r, "s", "run t1 a");
	item->lease = STORE_LEASE_TAKE;
	fence = rig_append(r, item)->fence;
	item = joined(r, "s", "end t1 interrupted", "t", "");
	item->lease = STORE_LEASE_BREAK;
	got = rig_append(r, item);
	assert_int_equal(got->rc, 0);
	assert_int_equal(got->fence, fence + 1);
	assert_int_equal(got->joined.fence, 0);
	item = rig_item(r, "s", "title x");
	item->require.fence = fence;
	rig_expect(r, "the old holder", item, ERR_CONFLICT);
	rig_expect(r, "a message", rig_item(r, "t", "msg b"), 0);
	item = joined(r, "s", "title y", "t", "run t2 b");
	part(item)->lease = STORE_LEASE_TAKE;
	got = rig_append(r, item);
	assert_int_equal(got->fence, 0);
	assert_int_equal(got->joined.fence, 1);
	item = joined(r, "s", "title z", "t", "title z");
	part(item)->lease = STORE_LEASE_TAKE;
	rig_expect(r, "held", item, ERR_CONFLICT);
	rig_free(&r);
}

static void
test_ill_formed(void **state)
{
	struct rig *r = rig_new();
	struct store_key key = {
		.kind = STORE_KEY_DEDUPE, .scope = STR("p"), .name = STR("k"), .expires_at_ms = 1
	};
	struct store_item *item, *third;

	(void)state;
	rig_do(r, "s", "");
	rig_do(r, "t", "");
	third = rig_item(r, "u", "");
	item = joined(r, "s", "msg a", "t", "msg b");
	part(item)->session = STR("s");
	rig_expect(r, "itself", item, ERR_INVALID);
	item = joined(r, "s", "msg a", "t", "msg b");
	part(item)->joined = third;
	rig_expect(r, "two levels", item, ERR_INVALID);
	item = joined(r, "s", "msg a", "t", "msg b");
	part(item)->keys = &key;
	part(item)->key_count = 1;
	rig_expect(r, "keys", item, ERR_INVALID);
	item = joined(r, "s", "msg a", "t", "msg b");
	part(item)->event_count = 0;
	rig_expect(r, "nothing to do", item, ERR_INVALID);
	rig_free(&r);
}

void
contract_join(struct suite *s)
{
	suite_add(s, "R3 joined: both sessions' parts", test_both, NULL);
	suite_add(s, "R3 joined: its changes come behind", test_changes_in_order, NULL);
	suite_add(s, "R3 joined: both are told before the answer", test_watch, NULL);
	suite_add(s, "R3 joined: a session may be made", test_created, NULL);
	SUITE_ROWS(s, REFUSED, test_refused);
	suite_add(s, "R3 joined: one is not there", test_absent, NULL);
	suite_add(s, "R3 joined: a record stands in the way", test_record_refused, NULL);
	suite_add(s, "R3 joined: in the order of both sessions", test_order, NULL);
	suite_add(s, "R3 joined: a refused one fails alone", test_fails_alone, NULL);
	suite_add(s, "R3 joined: a repeat writes neither", test_replay, NULL);
	suite_add(s, "R3 joined: a refused one leaves no key", test_refused_leaves_no_key, NULL);
	suite_add(s, "R3 joined: the leases of both", test_lease, NULL);
	suite_add(s, "R3 joined: ill-formed ones", test_ill_formed, NULL);
}
