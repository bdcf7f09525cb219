/* Purging: a deleted session and all that is its alone go, and what others share with it stays.
 *
 * PostgreSQL: the row and the number go in the item's transaction, the rest in slices by whichever node
 * holds an advisory lock; bytes are the vacuum's. */
#include "compare.h"
#include "rig.h"

#define TURN(n, in, out) "msg " in "; run t" n " " in "; say " out "; end t" n " end_turn; "

static struct store_item *
purge_of(struct rig *r, const char *session)
{
	struct store_item *item = ARENA_NEW(&r->arena, struct store_item);

	*item = (struct store_item){ .session = str_of(session), .purge = true };
	return item;
}

static size_t
count(struct rig *r, const struct store_query *q)
{
	struct rows got = { 0 };
	size_t n;

	rig_read(r, q, &got);
	n = got.events.len + got.sessions.len + got.items.len;
	rows_release(&got);
	return n;
}

static void
is_gone(struct rig *r, const char *session)
{
	struct str id = str_of(session);

	assert_int_equal(
		count(r, &(struct store_query){ STORE_GET_SESSION, .session = id, .limit = 1 }), 0);
	assert_int_equal(
		count(r, &(struct store_query){ STORE_LIST_EVENTS, .session = id, .limit = 100 }),
		0);
	assert_int_equal(
		count(r, &(struct store_query){ STORE_LIST_ITEMS, .session = id, .limit = 100 }),
		0);
}

static size_t
changes(struct rig *r)
{
	return count(r, &(struct store_query){ .kind = STORE_LIST_CHANGES, .limit = 1000 });
}

static void
P6_a_purged_session_is_gone(void **state)
{
	struct rig *r = rig_new();
	int64_t head;

	(void)state;
	rig_do(r, "kept", TURN("1", "a", "A"));
	rig_do(r, "s", TURN("1", "b", "B"));
	rig_expect(r, "not deleted", purge_of(r, "s"), ERR_CONFLICT);
	rig_expect(r, "never there", purge_of(r, "t"), ERR_NOT_FOUND);
	rig_do(r, "s", "delete");
	assert_int_equal(count(r, &(struct store_query){ .kind = STORE_LIST_SESSIONS,
							 .filter.deleted = true,
							 .limit = 10 }),
			 1);
	head = store_change_head(r->store);
	rig_expect(r, "deleted", purge_of(r, "s"), 0);
	rig_forget(r, "s");
	is_gone(r, "s");
	assert_int_equal(changes(r), 5);
	assert_int_equal(count(r, &(struct store_query){ .kind = STORE_LIST_SESSIONS,
							 .filter.deleted = true,
							 .limit = 10 }),
			 0);
	rig_expect(r, "twice", purge_of(r, "s"), ERR_NOT_FOUND);
	compare_session(r, STR("kept"), "beside it");
	rig_restart(r);
	is_gone(r, "s");
	rig_do(r, "kept", TURN("2", "c", "C"));
	assert_true(store_change_head(r->store) > head); /* no number comes back */
	compare_session(r, STR("kept"), "afterwards");
	rig_free(&r);
}

static void
P6_its_id_is_free_again(void **state)
{
	struct store_key key = { .kind = STORE_KEY_DEDUPE,
				 .scope = STR("s"),
				 .name = STR("k"),
				 .answer = STR("{}"),
				 .expires_at_ms = INT64_C(1) << 50 };
	struct rig *r = rig_new();
	struct store_item *item;
	struct answer *a;

	(void)state;
	rig_do(r, "s", "msg a");
	item = rig_item(r, "s", "msg b");
	item->keys = &key;
	item->key_count = 1;
	rig_expect(r, "the first", item, 0);
	rig_do(r, "s", "run t1 a b; say A; end t1 end_turn; delete");
	/* the session that takes its place comes right behind it, while most of it is still there */
	a = rig_submit(r, purge_of(r, "s"));
	rig_forget(r, "s");
	rig_do(r, "s", TURN("1", "b", "B"));
	assert_int_equal(a->result.rc, 0);
	compare_session(r, STR("s"), "anew");
	rig_restart(r);
	compare_session(r, STR("s"), "after a restart");
	rig_free(&r);
}

static void
C11_not_while_a_fork_reads_it(void **state)
{
	struct rig *r = rig_new();

	(void)state;
	rig_do(r, "p", TURN("1", "a", "A"));
	rig_do(r, "f", "fork p 5; " TURN("2", "b", "B"));
	rig_do(r, "g", "fork f 5");
	rig_do(r, "p", "delete");
	rig_do(r, "f", "delete");
	rig_expect(r, "read by two", purge_of(r, "p"), ERR_CONFLICT);
	rig_expect(r, "read by one", purge_of(r, "f"), ERR_CONFLICT);
	compare_session(r, STR("g"), "the last branch");
	rig_do(r, "g", "delete");
	rig_expect(r, "the last", purge_of(r, "g"), 0);
	rig_expect(r, "the middle", purge_of(r, "f"), 0);
	rig_expect(r, "the first", purge_of(r, "p"), 0);
	is_gone(r, "p");
	assert_int_equal(changes(r), 0);
	rig_free(&r);
}

static void
P6_a_purge_is_an_item_of_its_own(void **state)
{
	struct rig *r = rig_new();
	struct store_item *item;

	(void)state;
	rig_do(r, "s", "delete");
	item = rig_item(r, "t", "");
	item->purge = true;
	rig_expect(r, "with events", item, ERR_INVALID);
	item = purge_of(r, "s");
	item->lease = STORE_LEASE_BREAK;
	rig_expect(r, "with a lease", item, ERR_INVALID);
	item = purge_of(r, "");
	rig_expect(r, "of nobody", item, ERR_INVALID);
	rig_free(&r);
}

void
contract_purge(struct suite *s)
{
	SUITE_TEST(s, P6_a_purged_session_is_gone);
	SUITE_TEST(s, P6_its_id_is_free_again);
	SUITE_TEST(s, C11_not_while_a_fork_reads_it);
	SUITE_TEST(s, P6_a_purge_is_an_item_of_its_own);
}
