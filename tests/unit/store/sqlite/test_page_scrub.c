/* Rows come, grow and go in a database as the writer has it; whatever was deleted is in no byte of its file. */
#include "store/sqlite/page_scrub.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/rand.h"
#include "sqlite_dir.h"
#include "store/sqlite/db.h"
#include "store/sqlite/wal_gather.h"

enum { ROWS = 400, SEEDS = 5, TEXT_BYTES = 3000 };

static void
run(struct db *db, const char *sql)
{
	if (db_run(db, sql) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db->handle));
}

static void
put_row(struct db *db, int row, int bytes)
{
	char sql[200];

	snprintf(sql, sizeof sql,
		 "INSERT OR REPLACE INTO t VALUES (%d, 'mark%05d ' || hex(zeroblob(%d)))", row, row,
		 bytes / 2);
	run(db, sql);
}

static void
check_file(struct sqlite_dir *dir, const bool *kept)
{
	struct arena a;
	struct str file;
	char mark[16];
	struct err e;
	size_t at;

	arena_init(&a);
	assert_int_equal(file_read(dir->file, 64 << 20, &a, &file, &e), 0);
	for (int i = 0; i < ROWS; i++) {
		snprintf(mark, sizeof mark, "mark%05d", i);
		if (str_find(file, str_of(mark), 0, &at) != kept[i])
			fail_msg("%s is %s at %zu", mark, kept[i] ? "missing" : "still there", at);
	}
	arena_release(&a);
}

static void
P6_no_page_keeps_what_was_moved_away(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct wal_gather *gather = NULL;
		bool kept[ROWS] = { false };
		struct sqlite_dir dir;
		struct rand rand;
		struct err e;
		struct db db;

		rand_init_seed(&rand, seed);
		sqlite_dir_init(&dir);
		assert_int_equal(wal_gather_new(&gather, NULL, &e), 0);
		assert_int_equal(db_open(&db, dir.file, DB_WRITER, wal_gather_name(gather), &e), 0);
		run(&db, "CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)");
		for (int i = 0; i < 4 * ROWS; i++) {
			int row = (int)rand_below(&rand, ROWS);
			char sql[64];

			kept[row] = i < ROWS || rand_below(&rand, 2);
			snprintf(sql, sizeof sql, "DELETE FROM t WHERE n=%d", row);
			if (kept[row])
				put_row(&db, row, (int)rand_below(&rand, TEXT_BYTES));
			else
				run(&db, sql);
		}
		assert_int_equal(sqlite3_wal_checkpoint_v2(db.handle, NULL,
							   SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
				 SQLITE_OK);
		check_file(&dir, kept);
		run(&db, "PRAGMA integrity_check");
		db_close(&db);
		wal_gather_free(&gather);
		sqlite_dir_release(&dir);
	}
}

static const struct row {
	const char *name;
	sqlite3_int64 number;
	unsigned char header[12];
	size_t from, to; /* what becomes zeros of 512 bytes; 0: nothing */
} ROWS_OF[] = {
	{ "P6 a leaf", 2, { 13, 0, 0, 0, 3, 1, 0 }, 8 + 6, 256 },
	{ "P6 a leaf of an index", 2, { 10, 0, 0, 0, 1, 1, 144 }, 10, 400 },
	{ "P6 an interior page", 9, { 5, 0, 0, 0, 2, 1, 0 }, 16, 256 },
	{ "P6 an overflow page", 9, { 0, 0, 0, 7, 13, 10, 5 }, 0, 0 },
	{ "P6 a full page", 2, { 13, 0, 0, 0, 3, 0, 14 }, 0, 0 },
	{ "P6 a damaged page is left alone", 2, { 13, 0, 0, 255, 255, 1, 0 }, 0, 0 },
	{ "P6 one whose cells begin behind it, too", 2, { 13, 0, 0, 0, 3, 255, 0 }, 0, 0 },
	{ "P6 where numbers of pages look like types", 1 << 25, { 13, 0, 0, 0, 3, 1, 0 }, 0, 0 },
};

static void
check_row(void **state)
{
	const struct row *r = *state;
	unsigned char page[512], want[512];

	memset(page, 'x', sizeof page);
	memcpy(page, r->header, 8);
	memcpy(want, page, sizeof page);
	memset(want + r->from, 0, r->to - r->from);
	page_scrub_clean(page, sizeof page, r->number);
	assert_memory_equal(page, want, sizeof page);
}

/* Behind the file's own header. */
static void
P6_the_first_page(void **state)
{
	unsigned char page[512];

	(void)state;
	memset(page, 'x', sizeof page);
	memcpy(page + 100, (unsigned char[]){ 13, 0, 0, 0, 1, 1, 0 }, 7);
	page_scrub_clean(page, sizeof page, 1);
	assert_int_equal(page[99], 'x');
	assert_int_equal(page[109], 'x');
	assert_int_equal(page[110], 0);
	assert_int_equal(page[255], 0);
	assert_int_equal(page[256], 'x');
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS_OF, check_row);
	SUITE_TEST(&s, P6_the_first_page);
	SUITE_TEST(&s, P6_no_page_keeps_what_was_moved_away);
	return suite_run(&s, "store/sqlite/page_scrub");
}
