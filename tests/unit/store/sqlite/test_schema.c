#include "store/sqlite/schema.h"

#include "base/failpoint.h"
#include "sqlite_dir.h"

static int
prepare(struct sqlite_dir *d, struct err *e)
{
	struct db db;
	int rc = db_open(&db, d->file, DB_WRITER, NULL, e);

	if (rc == 0)
		rc = schema_prepare(&db, e);
	db_close(&db);
	return rc;
}

static void
run(struct sqlite_dir *d, const char *sql)
{
	struct db db;
	struct err e;

	assert_int_equal(db_open(&db, d->file, DB_WRITER, NULL, &e), 0);
	assert_int_equal(db_run(&db, sql), SQLITE_OK);
	db_close(&db);
}

static void
S1_the_schema_is_made_once(void **state)
{
	struct sqlite_dir d;
	struct err e;

	(void)state;
	sqlite_dir_init(&d);
	assert_int_equal(prepare(&d, &e), 0);
	run(&d, "INSERT INTO record VALUES ('k', 'i', NULL, NULL, '{}', 1)");
	assert_int_equal(prepare(&d, &e), 0);
	run(&d, "UPDATE record SET version=2");
	sqlite_dir_release(&d);
}

static void
S1_a_newer_schema_is_refused(void **state)
{
	struct sqlite_dir d;
	struct err e;

	(void)state;
	sqlite_dir_init(&d);
	assert_int_equal(prepare(&d, &e), 0);
	run(&d, "PRAGMA user_version=1000");
	assert_int_equal(prepare(&d, &e), ERR_CONFLICT);
	assert_true(str_contains(str_of(e.text), STR("schema 1000")));
	sqlite_dir_release(&d);
}

static void
S1_a_file_that_is_no_database_is_refused(void **state)
{
	struct sqlite_dir d;
	struct err e;
	FILE *f;

	(void)state;
	sqlite_dir_init(&d);
	f = fopen(d.file, "w");
	fputs("this is a letter to somebody and not a database at all, as can be seen", f);
	fclose(f);
	assert_int_equal(prepare(&d, &e), ERR_CORRUPT);
	sqlite_dir_release(&d);
}

#ifdef PERDURE_TEST_HOOKS
static void
S1_a_step_that_fails_leaves_nothing(void **state)
{
	struct sqlite_dir d;
	struct err e;

	(void)state;
	sqlite_dir_init(&d);
	setenv("PERDURE_FAILPOINTS", "migrate.before_commit=1:fail", 1);
	failpoint_test_reload();
	assert_int_equal(prepare(&d, &e), ERR_NO_SPACE);
	assert_int_equal(prepare(&d, &e), 0);
	setenv("PERDURE_FAILPOINTS", "migrate.after_commit=1:fail", 1);
	failpoint_test_reload();
	run(&d, "DROP TABLE search");
	assert_int_equal(prepare(&d, &e), 0); /* nothing to do, so the point is not passed */
	unsetenv("PERDURE_FAILPOINTS");
	failpoint_test_reload();
	sqlite_dir_release(&d);
}
#endif

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, S1_the_schema_is_made_once);
	SUITE_TEST(&s, S1_a_newer_schema_is_refused);
	SUITE_TEST(&s, S1_a_file_that_is_no_database_is_refused);
#ifdef PERDURE_TEST_HOOKS
	SUITE_TEST(&s, S1_a_step_that_fails_leaves_nothing);
#endif
	return suite_run(&s, "schema");
}
