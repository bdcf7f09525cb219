/* The VFS below is one of this test's own: it counts the calls that reach the log and fails one. */
#include "store/sqlite/wal_gather.h"

#include <stdlib.h>

#include "sqlite_dir.h"
#include "store/sqlite/db.h"

#define BELOW "below"

static struct {
	sqlite3_vfs vfs, *real;
	sqlite3_io_methods log_methods;
	const sqlite3_io_methods *real_methods;
	int writes, syncs, fail_write, fail_code; /* fail_write: which, from 1; 0: none */
} below;

static int
log_write(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 offset)
{
	if (++below.writes == below.fail_write)
		return below.fail_code;
	return below.real_methods->xWrite(file, bytes, len, offset);
}

static int
log_sync(sqlite3_file *file, int flags)
{
	below.syncs++;
	return below.real_methods->xSync(file, flags);
}

static int
open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *got)
{
	int rc = below.real->xOpen(below.real, path, file, flags, got);

	(void)vfs;
	if (rc != SQLITE_OK || !(flags & SQLITE_OPEN_WAL))
		return rc;
	below.real_methods = file->pMethods;
	below.log_methods = *file->pMethods;
	below.log_methods.xWrite = log_write;
	below.log_methods.xSync = log_sync;
	file->pMethods = &below.log_methods;
	return rc;
}

/* A connection as the writer has it, with a table t of one row. */
struct rig {
	struct sqlite_dir dir;
	struct wal_gather *gather;
	struct db db;
};

static void
run(struct rig *r, const char *sql)
{
	if (db_run(&r->db, sql) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(r->db.handle));
}

static void
rig_init(struct rig *r)
{
	struct err e;

	if (!below.real) {
		below.real = sqlite3_vfs_find(NULL);
		below.vfs = *below.real;
		below.vfs.zName = BELOW;
		below.vfs.xOpen = open_file;
		sqlite3_vfs_register(&below.vfs, 0);
	}
	*r = (struct rig){ 0 };
	sqlite_dir_init(&r->dir);
	assert_int_equal(wal_gather_new(&r->gather, BELOW, &e), 0);
	assert_int_equal(db_open(&r->db, r->dir.file, DB_WRITER, wal_gather_name(r->gather), &e),
			 0);
	run(r, "CREATE TABLE t (n INTEGER PRIMARY KEY, x BLOB); INSERT INTO t VALUES (1, 'one')");
	below.writes = below.syncs = below.fail_write = 0;
}

static void
rig_release(struct rig *r)
{
	below.fail_write = 0;
	db_close(&r->db);
	wal_gather_free(&r->gather);
	sqlite_dir_release(&r->dir);
}

static int64_t
number(struct db *db, const char *sql)
{
	sqlite3_stmt *st;
	int64_t n;

	assert_int_equal(sqlite3_prepare_v2(db->handle, sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

static int64_t
rows_elsewhere(struct rig *r)
{
	struct db other;
	struct err e;
	int64_t n;

	assert_int_equal(db_open(&other, r->dir.file, DB_READER, NULL, &e), 0);
	n = number(&other, "SELECT count(*) FROM t");
	db_close(&other);
	return n;
}

static const char TEN_PAGES[] =
	"WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 10)"
	" INSERT INTO t (x) SELECT zeroblob(4000) FROM i";
static const char HUNDRED_PAGES[] =
	"WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 100)"
	" INSERT INTO t (x) SELECT zeroblob(4000) FROM i";

static void
a_commit_is_one_write(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r);
	run(&r, TEN_PAGES);
	assert_int_equal(below.writes, 1);
	assert_int_equal(below.syncs, 1);
	assert_int_equal(rows_elsewhere(&r), 11);
	rig_release(&r);
}

static void
a_large_commit_is_a_few_writes(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r);
	run(&r, HUNDRED_PAGES);
	assert_true(below.writes > 1 && below.writes < 10);
	assert_int_equal(rows_elsewhere(&r), 101);
	rig_release(&r);
}

/* A cache of a few pages spills into the log: the transaction reads its own frames back, and writes
 * some of them again where they stand. */
static void
S1_a_transaction_reads_what_is_not_written_yet(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r);
	run(&r, "PRAGMA cache_size=5; BEGIN");
	run(&r, HUNDRED_PAGES);
	run(&r, "UPDATE t SET x = zeroblob(3000) WHERE n % 3 = 0");
	assert_int_equal(number(&r.db, "SELECT sum(length(x)) FROM t"), 3 + 67 * 4000 + 33 * 3000);
	assert_int_equal(rows_elsewhere(&r), 1);
	run(&r, "COMMIT");
	assert_int_equal(rows_elsewhere(&r), 101);
	assert_int_equal(number(&r.db, "SELECT count(*) FROM pragma_integrity_check"
				       " WHERE integrity_check <> 'ok'"),
			 0);
	rig_release(&r);
}

static void
S1_a_transaction_taken_back_leaves_nothing(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r);
	run(&r, "PRAGMA cache_size=5; BEGIN");
	run(&r, HUNDRED_PAGES);
	run(&r, "ROLLBACK");
	run(&r, "INSERT INTO t (x) VALUES ('two')");
	assert_int_equal(rows_elsewhere(&r), 2);
	run(&r, "PRAGMA wal_checkpoint(TRUNCATE)");
	assert_int_equal(rows_elsewhere(&r), 2);
	rig_release(&r);
}

/* Whichever write of a commit fails, with whatever code: the commit fails with that code, nobody
 * sees any of it, and the next one succeeds. */
static void
S1_a_failed_write_fails_its_commit_alone(void **state)
{
	static const int CODES[] = { SQLITE_FULL, SQLITE_IOERR_WRITE };
	struct rig r;

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(CODES); c++) {
		int failed = 0;
		for (bool hit = true; hit; failed++) {
			rig_init(&r);
			below.fail_write = failed + 1;
			below.fail_code = CODES[c];
			hit = db_run(&r.db, HUNDRED_PAGES) != SQLITE_OK;
			below.fail_write = 0;
			if (hit)
				assert_int_equal(sqlite3_extended_errcode(r.db.handle), CODES[c]);
			if (!sqlite3_get_autocommit(r.db.handle))
				run(&r, "ROLLBACK");
			assert_int_equal(rows_elsewhere(&r), hit ? 1 : 101);
			run(&r, "INSERT INTO t (x) VALUES ('two')");
			assert_int_equal(rows_elsewhere(&r), hit ? 2 : 102);
			rig_release(&r);
		}
		assert_true(failed > 3);
	}
}

/* Seen without SQLite, which rolls back at once: nothing gets past what was lost, until a write
 * begins where it stood or before. */
static void
S1_what_was_lost_stays_lost(void **state)
{
	struct rig r;
	char path[128], bytes[600] = { 0 }, back[600];
	sqlite3_vfs *vfs;
	sqlite3_file *file;
	sqlite3_int64 size;

	(void)state;
	rig_init(&r);
	vfs = sqlite3_vfs_find(wal_gather_name(r.gather));
	file = calloc(1, (size_t)vfs->szOsFile);
	snprintf(path, sizeof path, "%s/log", r.dir.path);
	assert_int_equal(vfs->xOpen(vfs, path, file,
				    SQLITE_OPEN_WAL | SQLITE_OPEN_CREATE | SQLITE_OPEN_READWRITE,
				    NULL),
			 SQLITE_OK);
	assert_int_equal(file->pMethods->xWrite(file, bytes, 600, 0), SQLITE_OK);
	assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_OK);
	below.fail_write = below.writes + 1;
	below.fail_code = SQLITE_FULL;
	assert_int_equal(file->pMethods->xWrite(file, bytes, 600, 600), SQLITE_OK);
	assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_FULL);
	assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_FULL);
	assert_int_equal(file->pMethods->xWrite(file, bytes, 600, 1200), SQLITE_FULL);
	assert_int_equal(file->pMethods->xRead(file, back, 600, 300), SQLITE_FULL);
	assert_int_equal(file->pMethods->xRead(file, back, 600, 0), SQLITE_OK);
	assert_int_equal(file->pMethods->xFileSize(file, &size), SQLITE_OK);
	assert_int_equal(size, 600);
	assert_int_equal(file->pMethods->xWrite(file, bytes, 24, 600), SQLITE_OK);
	assert_int_equal(file->pMethods->xWrite(file, bytes, 600, 624), SQLITE_OK);
	assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_OK);
	assert_int_equal(file->pMethods->xFileSize(file, &size), SQLITE_OK);
	assert_int_equal(size, 1224);
	assert_int_equal(file->pMethods->xTruncate(file, 0), SQLITE_OK);
	assert_int_equal(file->pMethods->xClose(file), SQLITE_OK);
	free(file);
	rig_release(&r);
}

static void
it_stands_over_a_vfs_that_exists(void **state)
{
	struct wal_gather *g = NULL;
	struct err e;

	(void)state;
	assert_int_equal(wal_gather_new(&g, "no-such-vfs", &e), ERR_INVALID);
	assert_null(g);
	wal_gather_free(&g);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, a_commit_is_one_write);
	SUITE_TEST(&s, a_large_commit_is_a_few_writes);
	SUITE_TEST(&s, S1_a_transaction_reads_what_is_not_written_yet);
	SUITE_TEST(&s, S1_a_transaction_taken_back_leaves_nothing);
	SUITE_TEST(&s, S1_a_failed_write_fails_its_commit_alone);
	SUITE_TEST(&s, S1_what_was_lost_stays_lost);
	SUITE_TEST(&s, it_stands_over_a_vfs_that_exists);
	return suite_run(&s, "store/sqlite/wal_gather");
}
