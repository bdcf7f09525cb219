/* The slices, on a database that a session's row was taken from; what items ask for is in tests/contract. */
#include "store/sqlite/session_purge.h"

#ifdef PERDURE_TEST_HOOKS
#include <stdlib.h>

#include "base/failpoint.h"
#endif
#include "sqlite_fill.h"
#include "store/sqlite/search_index.h"

static int64_t
number(struct fill *f, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t n;

	assert_int_equal(sqlite3_prepare_v2(f->db.handle, sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

/* Sessions 1 and 2, indexed, and two blobs that are the same; 1 is purged. */
static void
set_up(struct fill *f)
{
	struct err e;
	int64_t to = 0;

	fill_open(f);
	fill_session(f, "a", "msg one; run t1 one; say first; end t1 end_turn; msg two", 60);
	fill_session(f, "b", "msg one; run t1 one; say first; end t1 end_turn; msg own", 60);
	assert_int_equal(search_index_step(&f->db, 1000, &to, &e), 0);
	fill_run(f, "INSERT INTO key SELECT randomblob(16), zeroblob(16), n % 2 + 1, 0, 0, '{}', 9"
		    " FROM (WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i"
		    " WHERE n < 12000) SELECT n FROM i)");
	fill_run(f, "DELETE FROM session WHERE sid=1; INSERT INTO purge VALUES (1);"
		    "UPDATE state SET value=1 WHERE name='wipe'");
}

static int
purge_all(struct fill *f)
{
	struct session_purge p = { .db = &f->db };
	bool due = true, blocked = false;
	struct err e;
	int steps = 0;

	for (; due; steps++) {
		assert_int_equal(session_purge_step(&p, &due, &blocked, &e), 0);
		assert_false(blocked);
		assert_true(steps < 100);
	}
	return steps;
}

static void
P6_all_of_it_goes_and_nothing_else(void **state)
{
	static const char *const GONE[] = {
		"SELECT count(*) FROM event WHERE sid=1",
		"SELECT count(*) FROM item WHERE sid=1",
		"SELECT count(*) FROM call WHERE sid=1",
		"SELECT count(*) FROM edit WHERE sid=1",
		"SELECT count(*) FROM key WHERE sid=1",
		"SELECT count(*) FROM purge",
		"SELECT count(*) FROM purge_blob",
		"SELECT value FROM state WHERE name='wipe'",
		"SELECT count(*) FROM blob WHERE digest NOT IN"
		" (SELECT blob FROM event WHERE blob IS NOT NULL)",
		"SELECT count(DISTINCT blob) - (SELECT count(DISTINCT digest) FROM blob)"
		" FROM event",
		"SELECT count(*) FROM search('two')",
	};
	struct fill f;
	int64_t last, others;
	bool due = true;
	struct err e;

	(void)state;
	set_up(&f);
	last = number(&f, "SELECT max(n) FROM event WHERE sid=1");
	others = number(&f, "SELECT count(*) FROM event WHERE sid=2");
	assert_true(number(&f, "SELECT count(*) FROM search('two')") > 0);
	assert_true(purge_all(&f) > 5);
	for (size_t i = 0; i < ARRAY_LEN(GONE); i++)
		if (number(&f, GONE[i]) != 0)
			fail_msg("%s", GONE[i]);
	assert_int_equal(number(&f, "SELECT count(*) FROM event WHERE sid=2"), others);
	assert_int_equal(number(&f, "SELECT count(*) FROM key"), 6000);
	assert_int_equal(number(&f, "SELECT value FROM state WHERE name='purged_to'"), last);
	assert_int_equal(number(&f, "SELECT count(*) FROM search('own')"), 1);
	assert_int_equal(number(&f, "SELECT count(*) FROM search('one')"), 1);
	assert_int_equal(session_purge_find(&f.db, &due, &e), 0);
	assert_false(due);
	fill_close(&f);
}

static void
P6_a_reader_in_the_way_is_waited_for(void **state)
{
	struct session_purge p;
	bool due = true, blocked = false;
	struct db reader;
	struct fill f;
	struct err e;

	(void)state;
	set_up(&f);
	p = (struct session_purge){ .db = &f.db };
	assert_int_equal(db_open(&reader, f.path, DB_READER, NULL, &e), 0);
	assert_int_equal(db_run(&reader, "BEGIN; SELECT count(*) FROM event"), SQLITE_OK);
	for (int i = 0; due && !blocked; i++) {
		assert_int_equal(session_purge_step(&p, &due, &blocked, &e), 0);
		assert_true(i < 100);
	}
	assert_true(due && blocked);
	assert_int_equal(number(&f, "SELECT value FROM state WHERE name='wipe'"), 2);
	db_close(&reader);
	purge_all(&f);
	assert_int_equal(number(&f, "SELECT value FROM state WHERE name='wipe'"), 0);
	fill_close(&f);
}

#ifdef PERDURE_TEST_HOOKS
static void
P6_a_full_disk_leaves_it_for_later(void **state)
{
	struct session_purge p;
	bool due = true, blocked = false;
	struct fill f;
	struct err e;
	int64_t before;

	(void)state;
	set_up(&f);
	p = (struct session_purge){ .db = &f.db };
	before = number(&f, "SELECT count(*) FROM event");
	setenv("PERDURE_FAILPOINTS", "session_purge.before_commit=1:fail", 1);
	failpoint_test_reload();
	assert_int_equal(session_purge_step(&p, &due, &blocked, &e), ERR_NO_SPACE);
	assert_int_equal(number(&f, "SELECT count(*) FROM event"), before);
	unsetenv("PERDURE_FAILPOINTS");
	failpoint_test_reload();
	assert_int_equal(session_purge_find(&f.db, &due, &e), 0);
	assert_true(due);
	purge_all(&f);
	fill_close(&f);
}
#endif

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, P6_all_of_it_goes_and_nothing_else);
	SUITE_TEST(&s, P6_a_reader_in_the_way_is_waited_for);
#ifdef PERDURE_TEST_HOOKS
	SUITE_TEST(&s, P6_a_full_disk_leaves_it_for_later);
#endif
	return suite_run(&s, "store/sqlite/session_purge");
}
