#include "sqlite_fill.h"

#include "store/sqlite/view.h"

static void
on_appended(void *ctx, const struct store_result *result)
{
	*(struct store_result *)ctx = *result;
}

static bool
count_row(void *ctx, const struct store_row *row)
{
	(void)row;
	++*(size_t *)ctx;
	return true;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	(void)err;
	assert_int_equal(rc, 0);
	assert_true(more);
	*(size_t *)ctx += 100;
}

static void
a_view_reads_and_refuses_to_append(void **state)
{
	const struct store_query q = { .kind = STORE_LIST_EVENTS, .session = STR("s"), .limit = 2 };
	const struct store_put put = {
		.record = { .kind = STR("k"), .id = STR("i"), .body = STR("{}") }
	};
	const struct store_item item = { .puts = &put, .put_count = 1 };
	struct store_result result = { 0 };
	struct fill f;
	struct store *s = NULL;
	struct err e;
	size_t count = 0;

	(void)state;
	fill_open(&f);
	fill_session(&f, "s", "msg a; msg b", 0);
	assert_int_equal(store_sqlite_view(&s, f.path, (struct store_owner){ 0 }, &e), 0);
	assert_false(store_wait(s, 0));
	store_read(s, &q, count_row, on_read, &count);
	store_append(s, &item, on_appended, &result);
	assert_int_equal(count, 0); /* never inside the call */
	assert_true(store_wait(s, 0));
	assert_int_equal(store_dispatch(s), 2);
	assert_int_equal(count, 102);
	assert_int_equal(result.rc, ERR_DENIED);
	assert_int_equal(store_health(s, &e), 0);
	store_read(s, &q, count_row, on_read, &count);
	store_free(&s); /* answers what was asked */
	assert_int_equal(count, 204);
	fill_close(&f);
}

static void
no_database_is_not_made(void **state)
{
	struct store *s = NULL;
	struct err e;

	(void)state;
	assert_int_equal(
		store_sqlite_view(&s, "/nonexistent/perdure.db", (struct store_owner){ 0 }, &e),
		ERR_NOT_FOUND);
	assert_null(s);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, a_view_reads_and_refuses_to_append);
	SUITE_TEST(&s, no_database_is_not_made);
	return suite_run(&s, "store/sqlite/view");
}
