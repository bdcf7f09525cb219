/* Keys: a repeat is recognised in the transaction of the effect itself.
 *
 * PostgreSQL: two nodes that bring one key at the same instant meet in its unique index; the second
 * waits for the first commit and is then a replay, never a second effect. A commit whose answer was
 * lost (the connection fell, the standby did not confirm) is ERR_UNAVAILABLE; the caller repeats the
 * item with its key and gets either STORE_REPLAYED (it had happened) or 0 (it had not). Expired keys
 * are deleted in small slices by whichever node holds an advisory lock, with FOR UPDATE SKIP LOCKED. */
#include "base/clock.h"
#include "compare.h"
#include "rig.h"

static struct store_key
key_of(struct rig *r, const char *scope, const char *name, const char *request)
{
	(void)r;
	return (struct store_key){
		.kind = STORE_KEY_IDEMPOTENCY,
		.scope = str_of(scope),
		.name = str_of(name),
		.request = sha256_of(str_of(request)),
		.answer = STR("{\"status\":202}"),
		.expires_at_ms = INT64_C(1) << 50,
	};
}

static struct store_item *
keyed(struct rig *r, const char *session, const char *script, const struct store_key *key)
{
	struct store_item *item = rig_item(r, session, script);

	item->keys = key;
	item->key_count = 1;
	return item;
}

static void
test_replay(void **state)
{
	struct rig *r = rig_new();
	struct store_key key = key_of(r, "p", "k", "body");
	const struct store_result *got;

	(void)state;
	rig_do(r, "s", "msg a");
	rig_expect(r, "first", keyed(r, "s", "msg b; msg c", &key), 0);
	rig_do(r, "s", "msg d");
	key.answer = STR("another");
	got = rig_append(r, keyed(r, "s", "msg e", &key));
	assert_int_equal(got->rc, STORE_REPLAYED);
	assert_int_equal(got->first_seq, 3);
	assert_int_equal(got->head_seq, 4);
	check_str("session", got->session, STR("s"));
	check_str("answer", got->answer, STR("{\"status\":202}"));
	compare_session(r, STR("s"), "nothing was written");
	rig_restart(r);
	got = rig_append(r, keyed(r, "s", "msg e", &key));
	assert_int_equal(got->rc, STORE_REPLAYED);
	assert_int_equal(got->first_seq, 3);
	compare_session(r, STR("s"), "after a restart");
	rig_free(&r);
}

static void
test_mismatch(void **state)
{
	struct rig *r = rig_new();
	struct store_key key = key_of(r, "p", "k", "body");

	(void)state;
	rig_do(r, "s", "");
	rig_expect(r, "first", keyed(r, "s", "msg a", &key), 0);
	key.request = sha256_of(STR("another body"));
	rig_expect(r, "mismatch", keyed(r, "s", "msg b", &key), ERR_MISMATCH);
	key.request = sha256_of(STR("body"));
	rig_expect(r, "still the first", keyed(r, "s", "msg b", &key), STORE_REPLAYED);
	rig_free(&r);
}

static const struct apart_row {
	const char *name;
	enum store_key_kind kind;
	const char *scope, *key;
} APART[] = {
	{ "A10 apart: another name", STORE_KEY_IDEMPOTENCY, "ab", "d" },
	{ "A10 apart: another scope", STORE_KEY_IDEMPOTENCY, "abc", "c" },
	{ "A10 apart: another kind", STORE_KEY_DEDUPE, "ab", "c" },
	{ "A10 apart: the border moved", STORE_KEY_IDEMPOTENCY, "a", "bc" },
	{ "A10 apart: another case", STORE_KEY_IDEMPOTENCY, "ab", "C" },
};

static void
test_apart(void **state)
{
	const struct apart_row *row = *state;
	struct rig *r = rig_new();
	struct store_key first = key_of(r, "ab", "c", "body");
	struct store_key other = key_of(r, row->scope, row->key, "body");

	other.kind = row->kind;
	rig_do(r, "s", "");
	rig_expect(r, row->name, keyed(r, "s", "msg a", &first), 0);
	rig_expect(r, row->name, keyed(r, "s", "msg b", &other), 0);
	rig_expect(r, row->name, keyed(r, "s", "msg c", &first), STORE_REPLAYED);
	rig_expect(r, row->name, keyed(r, "s", "msg c", &other), STORE_REPLAYED);
	compare_session(r, STR("s"), row->name);
	rig_free(&r);
}

static void
test_failure_leaves_no_key(void **state)
{
	struct rig *r = rig_new();
	struct store_key key = key_of(r, "p", "k", "body");
	struct store_item *item;

	(void)state;
	rig_do(r, "s", "msg a");
	item = keyed(r, "s", "msg b", &key);
	item->require.idle = true;
	rig_expect(r, "refused", item, ERR_CONFLICT);
	assert_true(rig_append(r, keyed(r, "s", "run t1 nobody", &key))->rc < 0);
	rig_expect(r, "goes through now", keyed(r, "s", "msg b", &key), 0);
	compare_session(r, STR("s"), "no key");
	rig_free(&r);
}

/* The state has moved on since; a repeat is still a repeat. */
static void
test_key_before_preconditions(void **state)
{
	struct rig *r = rig_new();
	struct store_key key = key_of(r, "p", "k", "body");
	struct store_item *item = keyed(r, "s", "msg a", &key);
	struct store_item *again = keyed(r, "s", "msg a", &key);

	(void)state;
	rig_expect(r, "created", item, 0);
	rig_expect(r, "created again", again, STORE_REPLAYED);
	again = keyed(r, "s", "run t1 nobody", &key);
	again->require.idle = true;
	rig_expect(r, "anything under that key", again, STORE_REPLAYED);
	compare_session(r, STR("s"), "once");
	rig_free(&r);
}

static void
test_several_keys(void **state)
{
	struct rig *r = rig_new();
	struct store_key keys[2] = { key_of(r, "p", "k1", "body"), key_of(r, "p", "k2", "body") };
	struct store_item *item;
	const struct store_result *got;

	(void)state;
	keys[1].kind = STORE_KEY_DEDUPE;
	rig_do(r, "s", "");
	rig_expect(r, "one of them", keyed(r, "s", "msg a", &keys[1]), 0);
	item = rig_item(r, "s", "msg b");
	item->keys = keys;
	item->key_count = 2;
	got = rig_append(r, item);
	assert_int_equal(got->rc, STORE_REPLAYED);
	assert_int_equal(got->first_seq, 2);
	rig_expect(r, "the other is free", keyed(r, "s", "msg b", &keys[0]), 0);
	keys[0].name = STR("k3");
	keys[1].name = STR("k4");
	item = rig_item(r, "s", "msg c");
	item->keys = keys;
	item->key_count = 2;
	rig_expect(r, "both new", item, 0);
	rig_expect(r, "the first", keyed(r, "s", "msg d", &keys[0]), STORE_REPLAYED);
	rig_expect(r, "the second", keyed(r, "s", "msg d", &keys[1]), STORE_REPLAYED);
	compare_session(r, STR("s"), "several");
	rig_free(&r);
}

static void
test_key_of_records(void **state)
{
	struct rig *r = rig_new();
	struct store_key key = key_of(r, "p", "k", "body");
	struct store_put put = {
		.record = { .kind = STR("agent"), .id = STR("a"), .body = STR("{}") },
		.if_version = STORE_VERSION_ABSENT,
	};
	struct store_item item = { .puts = &put, .put_count = 1, .keys = &key, .key_count = 1 };
	const struct store_result *got;

	(void)state;
	rig_expect(r, "made", &item, 0);
	got = rig_append(r, &item);
	assert_int_equal(got->rc, STORE_REPLAYED);
	assert_int_equal(got->session.len, 0);
	check_str("answer", got->answer, key.answer);
	rig_free(&r);
}

/* A10: of 256 that come at once, one is stored, the others hear of it. */
static void
test_at_once(void **state)
{
	enum { CALLERS = 256 };
	struct rig *r = rig_new();
	struct store_key key = key_of(r, "p", "k", "body");
	struct answer *answers[CALLERS];
	int stored = 0;

	(void)state;
	rig_do(r, "s", "");
	for (int i = 0; i < CALLERS; i++)
		answers[i] = rig_submit(r, keyed(r, "s", "msg a", &key));
	for (int i = 0; i < CALLERS; i++) {
		const struct store_result *got = &answers[i]->result;

		rig_await(r, answers[i]);
		assert_true(got->rc == 0 || got->rc == STORE_REPLAYED);
		stored += got->rc == 0;
		assert_int_equal(got->first_seq, 2);
		assert_int_equal(got->head_seq, 2);
		check_str("session", got->session, STR("s"));
	}
	assert_int_equal(stored, 1);
	compare_session(r, STR("s"), "stored once");
	rig_free(&r);
}

static void
test_find_key(void **state)
{
	struct rig *r = rig_new();
	struct store_key key = key_of(r, "p", "k", "body");
	struct store_query q = { .kind = STORE_FIND_KEY,
				 .key_scope = STR("p"),
				 .key_name = STR("k") };
	struct sha256 other = sha256_of(STR("another body"));
	struct rows got = { 0 };

	(void)state;
	rig_do(r, "s", "");
	rig_read(r, &q, &got);
	assert_int_equal(got.rc, 0);
	assert_int_equal(got.keys.len, 0);
	rows_release(&got);
	rig_expect(r, "stored", keyed(r, "s", "msg a", &key), 0);
	rig_read(r, &q, &got);
	assert_int_equal(got.keys.len, 1);
	check_str("answer", got.keys.ptr[0].answer, key.answer);
	assert_int_equal(got.keys.ptr[0].expires_at_ms, key.expires_at_ms);
	assert_true(store_key_is_of(&got.keys.ptr[0], &key.request));
	assert_false(store_key_is_of(&got.keys.ptr[0], &other));
	rows_release(&got);
	rig_free(&r);
}

/* ---- forgetting ---- */

static bool
is_known(struct rig *r, const char *name)
{
	struct store_query q = { .kind = STORE_FIND_KEY,
				 .key_scope = STR("p"),
				 .key_name = str_of(name) };
	struct rows got = { 0 };
	bool known;

	rig_read(r, &q, &got);
	assert_int_equal(got.rc, 0);
	known = got.keys.len > 0;
	rows_release(&got);
	return known;
}

/* A store forgets when it has nothing else to do: within moments, but not at once. */
static void
await_forgotten(struct rig *r, const char *name)
{
	int64_t until_ns = clock_monotonic_ns() + INT64_C(20) * 1000000000;

	while (is_known(r, name))
		if (clock_monotonic_ns() > until_ns)
			fail_msg("key %s is not forgotten", name);
}

/* Events of the rig carry the instants 1000001, 1000002, ... of their seq. */
static void
test_expired(void **state)
{
	struct rig *r = rig_new();
	struct store_key brief = key_of(r, "p", "brief", "body"), lasting = brief;

	(void)state;
	brief.expires_at_ms = 1000004;
	lasting.name = STR("lasting");
	rig_do(r, "s", "");
	rig_expect(r, "brief", keyed(r, "s", "msg a", &brief), 0);
	rig_expect(r, "lasting", keyed(r, "s", "msg b", &lasting), 0);
	rig_restart(r);
	rig_expect(r, "still alive", keyed(r, "s", "msg c", &brief), STORE_REPLAYED);
	rig_do(r, "s", "msg c");
	await_forgotten(r, "brief");
	rig_expect(r, "used again", keyed(r, "s", "msg d", &brief), 0);
	rig_expect(r, "the other stays", keyed(r, "s", "msg e", &lasting), STORE_REPLAYED);
	compare_session(r, STR("s"), "after forgetting");
	rig_free(&r);
}

/* Key number at of item, both from 0. One in five outlives the last event, some by a millisecond. */
static struct store_key
mixed_key(struct rig *r, int item, int at)
{
	const char *name = arena_printf(&r->arena, "k%d-%d", item, at).ptr;
	struct store_key key = key_of(r, "p", name, name);

	if (at % 5 != 0)
		key.expires_at_ms = 1000072 + item % 20;
	else if (item % 2 == 0)
		key.expires_at_ms = 1000097;
	return key;
}

/* More than any store forgets in one go, among others that live: those all stay. */
static void
test_expired_among_live(void **state)
{
	enum { ITEMS = 70, KEYS = 10, TITLES = 25 };
	struct rig *r = rig_new();

	(void)state;
	rig_do(r, "s", "");
	for (int i = 0; i < ITEMS; i++) {
		struct store_item *item = rig_item(r, "s", "title x");
		struct store_key *keys = ARENA_ARRAY(&r->arena, KEYS, struct store_key);

		for (int k = 0; k < KEYS; k++)
			keys[k] = mixed_key(r, i, k);
		item->keys = keys;
		item->key_count = KEYS;
		rig_expect(r, "keyed", item, 0);
	}
	for (int i = 0; i < TITLES; i++)
		rig_do(r, "s", "title y"); /* the last at 1000096 */
	for (int i = 0; i < ITEMS; i++)
		for (int k = 0; k < KEYS; k++)
			if (k % 5 != 0)
				await_forgotten(r, mixed_key(r, i, k).name.ptr);
	for (int i = 0; i < ITEMS; i++)
		for (int k = 0; k < KEYS; k += 5)
			if (!is_known(r, mixed_key(r, i, k).name.ptr))
				fail_msg("key %d of item %d is forgotten, but alive", k, i);
	rig_free(&r);
}

void
contract_key(struct suite *s)
{
	suite_add(s, "A10 a repeat hands the first answer back", test_replay, NULL);
	suite_add(s, "A10 another request under the key", test_mismatch, NULL);
	SUITE_ROWS(s, APART, test_apart);
	suite_add(s, "A10 a failure leaves no key", test_failure_leaves_no_key, NULL);
	suite_add(s, "A10 the key comes before the preconditions", test_key_before_preconditions,
		  NULL);
	suite_add(s, "A10 several keys", test_several_keys, NULL);
	suite_add(s, "A10 a key of records only", test_key_of_records, NULL);
	suite_add(s, "A10 256 at once, one stored", test_at_once, NULL);
	suite_add(s, "A10 the key can be found", test_find_key, NULL);
	suite_add(s, "A10 an expired key is forgotten", test_expired, NULL);
	suite_add(s, "A10 only expired keys are forgotten", test_expired_among_live, NULL);
}
