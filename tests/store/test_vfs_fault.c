/* The shim tells the truth about plain SQLite: synchronous=FULL survives every cut, NORMAL does not,
 * and a failed sync loses what a later successful one does not bring back. */
#include "vfs_fault.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "harness.h"
#include "scratch.h"

enum { COMMITS = 12, CALLS_MAX = 1000 };

struct world {
	struct scratch dir;
	char path[SCRATCH_PATH_MAX];
};

static int
set_up(void **state)
{
	static struct world w;

	scratch_init_memory(&w.dir, "vfs");
	snprintf(w.path, sizeof w.path, "%s/plain.db", w.dir.path);
	vfs_fault_register();
	*state = &w;
	return 0;
}

static int
tear_down(void **state)
{
	struct world *w = *state;

	vfs_fault_begin(&(struct vfs_plan){ 0 });
	scratch_release(&w->dir);
	return 0;
}

static int
run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

/* Commits one row after the other with a checkpoint in the middle; returns how many were
 * acknowledged. A commit that fails is not repeated. */
static int
commit_rows(const char *path, const char *sync)
{
	sqlite3 *db = NULL;
	char sql[128];
	int acked = 0;

	snprintf(sql, sizeof sql, "PRAGMA journal_mode=WAL; PRAGMA synchronous=%s;", sync);
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    VFS_FAULT_NAME) == SQLITE_OK &&
	    run(db, sql) == SQLITE_OK && run(db, "PRAGMA wal_autocheckpoint=0;") == SQLITE_OK &&
	    run(db, "CREATE TABLE t (n INTEGER PRIMARY KEY, x)") == SQLITE_OK) {
		for (int i = 1; i <= COMMITS; i++) {
			snprintf(sql, sizeof sql, "INSERT INTO t VALUES (%d, randomblob(900))", i);
			if (run(db, sql) != SQLITE_OK)
				break;
			acked = i;
			if (i == COMMITS / 2)
				run(db, "PRAGMA wal_checkpoint(RESTART)");
		}
	}
	sqlite3_close(db);
	return acked;
}

/* Rows in the reopened file, or -1 when it is damaged. */
static int
rows_kept(const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int rows = 0;

	vfs_fault_begin(&(struct vfs_plan){ 0 });
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
					 VFS_FAULT_NAME),
			 SQLITE_OK);
	if (sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &st, NULL) != SQLITE_OK ||
	    sqlite3_step(st) != SQLITE_ROW ||
	    strcmp((const char *)sqlite3_column_text(st, 0), "ok") != 0)
		rows = -1;
	sqlite3_finalize(st);
	if (rows == 0 &&
	    sqlite3_prepare_v2(db, "SELECT count(*) FROM t", -1, &st, NULL) == SQLITE_OK) {
		if (sqlite3_step(st) == SQLITE_ROW)
			rows = sqlite3_column_int(st, 0);
		sqlite3_finalize(st);
	}
	sqlite3_close(db);
	return rows;
}

/* Cuts at every call in turn; returns at how many of them something acknowledged was gone. */
static int
sweep(struct world *w, const char *sync, enum vfs_keep keep, int *points)
{
	int losses = 0;

	for (uint64_t at = 1; at < CALLS_MAX; at++) {
		int acked, kept;
		scratch_clear(&w->dir);
		vfs_fault_begin(&(struct vfs_plan){ VFS_CUT, VFS_CHANGES, at, 0 });
		acked = commit_rows(w->path, sync);
		if (!vfs_fault_hit())
			break;
		vfs_fault_power_cut(keep, at);
		kept = rows_kept(w->path);
		if (kept < 0)
			fail_msg("cut at call %d: damaged", (int)at);
		losses += kept < acked;
		*points = (int)at;
	}
	return losses;
}

static void
test_full(void **state)
{
	int points = 0;

	assert_int_equal(sweep(*state, "FULL", VFS_KEEP_NOTHING, &points), 0);
	assert_int_equal(sweep(*state, "FULL", VFS_KEEP_SOME, &points), 0);
	assert_int_equal(sweep(*state, "FULL", VFS_KEEP_ALL, &points), 0);
	assert_true(points > COMMITS * 3);
}

static void
test_normal(void **state)
{
	int points = 0;

	assert_true(sweep(*state, "NORMAL", VFS_KEEP_NOTHING, &points) > COMMITS);
	assert_true(sweep(*state, "NORMAL", VFS_KEEP_SOME, &points) > 0);
	assert_int_equal(sweep(*state, "NORMAL", VFS_KEEP_ALL, &points), 0);
}

static void
test_faults_are_reported(void **state)
{
	static const enum vfs_fault faults[] = { VFS_EIO, VFS_ENOSPC, VFS_SHORT, VFS_TORN };
	struct world *w = *state;

	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		scratch_clear(&w->dir);
		vfs_fault_begin(
			&(struct vfs_plan){ faults[i], VFS_BIT(VFS_WRITE), COMMITS * 2, 0 });
		assert_true(commit_rows(w->path, "FULL") < COMMITS);
		assert_true(vfs_fault_hit());
		vfs_fault_power_cut(VFS_KEEP_ALL, 0);
		assert_true(rows_kept(w->path) >= 0);
	}
}

static void
test_failed_sync_loses(void **state)
{
	struct world *w = *state;
	sqlite3 *db = NULL;

	scratch_clear(&w->dir);
	vfs_fault_begin(&(struct vfs_plan){ 0 });
	assert_true(commit_rows(w->path, "FULL") == COMMITS);
	vfs_fault_begin(&(struct vfs_plan){ VFS_SYNC_ERROR, VFS_BIT(VFS_SYNC), 2, 1 });
	assert_int_equal(sqlite3_open_v2(w->path, &db, SQLITE_OPEN_READWRITE, VFS_FAULT_NAME),
			 SQLITE_OK);
	assert_int_equal(run(db, "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;"),
			 SQLITE_OK);
	assert_int_equal(run(db, "INSERT INTO t VALUES (100, 'a')"), SQLITE_IOERR);
	/* SQLite itself goes on as if nothing had happened: the frames it overwrites are rewritten. */
	assert_int_equal(run(db, "INSERT INTO t VALUES (101, 'b')"), SQLITE_OK);
	sqlite3_close(db);
	vfs_fault_power_cut(VFS_KEEP_NOTHING, 0);
	assert_true(rows_kept(w->path) >= COMMITS);
}

int
main(void)
{
	struct suite s = { 0 };
	void *world = NULL;
	int failed;

	set_up(&world);
	suite_add(&s, "S1 shim: synchronous=FULL survives a cut at every call", test_full, world);
	suite_add(&s, "S1 shim: synchronous=NORMAL loses acknowledged commits", test_normal, world);
	suite_add(&s, "S1 shim: a failed write is reported", test_faults_are_reported, world);
	suite_add(&s, "S1 shim: a failed sync is reported", test_failed_sync_loses, world);
	failed = suite_run(&s, "store/vfs_fault");
	tear_down(&world);
	return failed;
}
