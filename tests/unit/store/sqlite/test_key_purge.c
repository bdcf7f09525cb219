#include "store/sqlite/key_purge.h"

#ifdef PERDURE_TEST_HOOKS
#include <stdlib.h>

#include "base/failpoint.h"
#endif
#include "sqlite_fill.h"

/* Keys 1 to 9 that expire at 10, 20, ... 90, the later ones first in the table. */
static void
set_up(struct fill *f)
{
	fill_open(f);
	fill_run(f, "WITH RECURSIVE i(n) AS (SELECT 9 UNION ALL SELECT n - 1 FROM i WHERE n > 1)"
		    " INSERT INTO key (digest, request, first_seq, head_seq, expires_at)"
		    " SELECT CAST(printf('%16d', n) AS BLOB), zeroblob(16), 0, 0, n * 10 FROM i");
}

static int64_t
count(struct fill *f)
{
	sqlite3_stmt *st = NULL;
	int64_t n;

	assert_int_equal(
		sqlite3_prepare_v2(f->db.handle, "SELECT count(*) FROM key", -1, &st, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

static void
A10_steps_forget_the_oldest_first(void **state)
{
	struct fill f;
	struct err e;
	int64_t first = 0;

	(void)state;
	set_up(&f);
	assert_int_equal(key_purge_first(&f.db, &first, &e), 0);
	assert_int_equal(first, 10);
	assert_int_equal(key_purge_step(&f.db, 9, 3, &first, &e), 0);
	assert_int_equal(first, 10);
	assert_int_equal(count(&f), 9);
	assert_int_equal(key_purge_step(&f.db, 50, 3, &first, &e), 0);
	assert_int_equal(first, 40);
	assert_int_equal(key_purge_step(&f.db, 50, 3, &first, &e), 0);
	assert_int_equal(first, 60);
	assert_int_equal(count(&f), 4);
	assert_int_equal(key_purge_step(&f.db, INT64_MAX, 100, &first, &e), 0);
	assert_true(first == INT64_MAX);
	assert_int_equal(count(&f), 0);
	assert_int_equal(key_purge_first(&f.db, &first, &e), 0);
	assert_true(first == INT64_MAX);
	fill_close(&f);
}

#ifdef PERDURE_TEST_HOOKS
static void
a_failed_step_forgets_nothing(void **state)
{
	struct fill f;
	struct err e;
	int64_t first = 7;

	(void)state;
	set_up(&f);
	setenv("PERDURE_FAILPOINTS", "key_purge.before_commit=1:fail", 1);
	failpoint_test_reload();
	assert_int_equal(key_purge_step(&f.db, 50, 100, &first, &e), ERR_IO);
	unsetenv("PERDURE_FAILPOINTS");
	failpoint_test_reload();
	assert_int_equal(first, 7);
	assert_int_equal(count(&f), 9);
	assert_int_equal(key_purge_step(&f.db, 50, 100, &first, &e), 0);
	assert_int_equal(count(&f), 4);
	fill_close(&f);
}
#endif

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, A10_steps_forget_the_oldest_first);
#ifdef PERDURE_TEST_HOOKS
	SUITE_TEST(&s, a_failed_step_forgets_nothing);
#endif
	return suite_run(&s, "store/sqlite/key_purge");
}
