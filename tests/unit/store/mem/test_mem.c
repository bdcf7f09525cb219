/* What store/mem adds to the contract: a crash that can be played. */
#include "harness.h"
#include "store/mem/mem.h"

static void
count(void *ctx, const struct store_result *result)
{
	assert_int_equal(result->rc, 0);
	(*(int *)ctx)++;
}

static void
woken(void *ctx)
{
	(*(int *)ctx)++;
}

static bool
count_row(void *ctx, const struct store_row *row)
{
	assert_non_null(row->record);
	(*(int *)ctx)++;
	return true;
}

static void
ignore_page(void *ctx, int rc, bool more, const struct err *err)
{
	(void)ctx, (void)more, (void)err;
	assert_int_equal(rc, 0);
}

static int
records_in(struct store *s)
{
	struct store_query q = { .kind = STORE_LIST_RECORDS,
				 .record_kind = STR("wake"),
				 .limit = 10 };
	int rows = 0;

	store_read(s, &q, count_row, ignore_page, &rows);
	store_dispatch(s);
	return rows;
}

static struct store_put
put_of(const char *id)
{
	return (struct store_put){
		.record = { .kind = STR("wake"), .id = str_of(id), .body = STR("{}") },
		.if_version = STORE_VERSION_ANY,
	};
}

static void
test_restart_is_a_crash(void **state)
{
	struct store_put first = put_of("a"), second = put_of("b");
	struct store_item kept = { .puts = &first, .put_count = 1 };
	struct store_item refused = { 0 };
	struct store_item lost = { .puts = &second, .put_count = 1 };
	int answers = 0, wakeups = 0;
	struct store_owner owner = { .wakeup = woken, .ctx = &wakeups };
	struct store *s = store_mem_new((struct store_owner){ 0 }, "one");

	(void)state;
	store_append(s, &kept, count, &answers);
	assert_int_equal(store_dispatch(s), 1);
	store_append(s, &lost, count, &answers);
	store_append(s, &refused, count, &answers);
	store_mem_restart(s, owner, "two");
	assert_false(store_wait(s, 0));
	assert_int_equal(store_dispatch(s), 0);
	assert_int_equal(answers, 1); /* unanswered and unwritten */
	assert_int_equal(records_in(s), 1);
	assert_int_equal(wakeups, 1); /* the new owner's */
	store_append(s, &lost, count, &answers);
	store_free(&s);
	assert_int_equal(answers, 2);
}

int
main(void)
{
	struct suite s = { 0 };

	suite_add(&s, "a restart of store/mem is a crash", test_restart_is_a_crash, NULL);
	return suite_run(&s, "store/mem");
}
