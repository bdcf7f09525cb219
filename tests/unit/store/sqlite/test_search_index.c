#include "sqlite_fill.h"

#ifdef PERDURE_TEST_HOOKS
#include <stdlib.h>

#include "base/failpoint.h"
#endif
#include "store/sqlite/search_index.h"

static int64_t
number(struct fill *f, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t value;

	assert_int_equal(sqlite3_prepare_v2(f->db.handle, sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	value = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return value;
}

static const char CURSOR[] = "SELECT value FROM state WHERE name = 'indexed_to'";

static void
C8_steps_follow_the_log_to_its_end(void **state)
{
	struct fill f;
	struct err e;
	int64_t at = 0;

	(void)state;
	fill_open(&f);
	fill_session(&f, "s", "msg a text=one; msg b text=two; msg c text=three; title x", 0);
	assert_int_equal(search_index_step(&f.db, 2, &at, &e), 0);
	assert_int_equal(at, 3);
	assert_int_equal(number(&f, CURSOR), 3);
	assert_int_equal(search_index_step(&f.db, 2, &at, &e), 0);
	assert_int_equal(at, 5);
	assert_int_equal(number(&f, CURSOR), 5); /* past the title, which is no message */
	assert_int_equal(search_index_step(&f.db, 2, &at, &e), 0);
	assert_int_equal(at, number(&f, "SELECT max(n) FROM event"));
	assert_int_equal(number(&f, "SELECT count(*) FROM search WHERE search MATCH 'two'"), 1);
	assert_int_equal(number(&f, "SELECT rowid FROM search WHERE search MATCH 'three'"), 4);
	fill_close(&f);
}

static void
only_visible_text_is_indexed(void **state)
{
	struct fill f;
	struct err e;
	int64_t at = 0;

	(void)state;
	fill_open(&f);
	fill_session(&f, "s",
		     "msg a; edit a; run t a; think h; say answer; tool c; result c; end t "
		     "end_turn; compact S",
		     20); /* from blobs, too */
	assert_int_equal(search_index_step(&f.db, 500, &at, &e), 0);
	assert_int_equal(at, number(&f, "SELECT max(n) FROM event"));
	assert_int_equal(number(&f, "SELECT count(*) FROM search WHERE search MATCH 'edited'"), 1);
	assert_int_equal(number(&f, "SELECT count(*) FROM search WHERE search MATCH 'answer'"), 1);
	assert_int_equal(number(&f, "SELECT count(*) FROM search WHERE search MATCH 'sum'"), 1);
	assert_int_equal(number(&f, "SELECT count(*) FROM search WHERE search MATCH 'hm'"), 0);
	assert_int_equal(number(&f, "SELECT count(*) FROM search WHERE search MATCH 'bash'"), 0);
	assert_int_equal(number(&f, "SELECT count(*) FROM search WHERE search MATCH 'done'"), 0);
	fill_close(&f);
}

static void
a_damaged_payload_does_not_stop_the_search(void **state)
{
	struct fill f;
	struct err e;
	int64_t at = 0;

	(void)state;
	fill_open(&f);
	fill_session(&f, "s", "msg a text=one; msg b text=two", 0);
	fill_run(&f, "UPDATE event SET payload = '{' WHERE seq = 2");
	assert_int_equal(search_index_step(&f.db, 500, &at, &e), 0);
	assert_int_equal(number(&f, "SELECT count(*) FROM search WHERE search MATCH 'two'"), 1);
	assert_int_equal(number(&f, CURSOR), 3);
	fill_close(&f);
}

#ifdef PERDURE_TEST_HOOKS
static void
a_failed_step_leaves_no_trace(void **state)
{
	struct fill f;
	struct err e;
	int64_t at = 0;

	(void)state;
	fill_open(&f);
	fill_session(&f, "s", "msg a text=one", 0);
	setenv("PERDURE_FAILPOINTS", "search.before_commit=1:fail", 1);
	failpoint_test_reload();
	assert_int_equal(search_index_step(&f.db, 500, &at, &e), ERR_IO);
	assert_int_equal(at, 0);
	unsetenv("PERDURE_FAILPOINTS");
	failpoint_test_reload();
	assert_int_equal(number(&f, CURSOR), 0);
	assert_int_equal(number(&f, "SELECT count(*) FROM search WHERE search MATCH 'one'"), 0);
	assert_int_equal(search_index_step(&f.db, 500, &at, &e), 0);
	assert_int_equal(number(&f, "SELECT count(*) FROM search WHERE search MATCH 'one'"), 1);
	fill_close(&f);
}
#endif

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, C8_steps_follow_the_log_to_its_end);
	SUITE_TEST(&s, only_visible_text_is_indexed);
	SUITE_TEST(&s, a_damaged_payload_does_not_stop_the_search);
#ifdef PERDURE_TEST_HOOKS
	SUITE_TEST(&s, a_failed_step_leaves_no_trace);
#endif
	return suite_run(&s, "store/sqlite/search_index");
}
