#include "store/sqlite/checkpoint.h"

#include "base/failpoint.h"

static int
on_commit(void *ctx, sqlite3 *handle, const char *database, int pages)
{
	struct checkpoint *c = ctx;

	(void)handle;
	(void)database;
	c->pages = pages;
	if (c->most < pages)
		c->most = pages;
	if (c->moved > c->pages) /* the log began anew */
		c->moved = 0;
	return SQLITE_OK;
}

void
checkpoint_init(struct checkpoint *c, struct db *db, int64_t idle_pages, int64_t forced_pages)
{
	*c = (struct checkpoint){
		.idle_pages = idle_pages ? idle_pages : CHECKPOINT_IDLE_PAGES,
		.forced_pages = forced_pages ? forced_pages : CHECKPOINT_FORCED_PAGES,
	};
	sqlite3_wal_hook(db->handle, on_commit, c);
	sqlite3_busy_timeout(db->handle, CHECKPOINT_READER_WAIT_MS);
}

enum checkpoint_need
checkpoint_need(const struct checkpoint *c)
{
	int64_t fresh = c->pages - c->moved;

	if (fresh <= c->idle_pages)
		return CHECKPOINT_NONE;
	return c->pages > c->forced_pages ? CHECKPOINT_NOW : CHECKPOINT_WHEN_IDLE;
}

bool
checkpoint_wants_cut(const struct checkpoint *c)
{
	return c->most > c->idle_pages;
}

int
checkpoint_run(struct checkpoint *c, struct db *db, int mode)
{
	int pages = 0, moved = 0;
	int code;

	if (FAILPOINT("writer.before_checkpoint"))
		return SQLITE_IOERR_FSYNC;
	code = sqlite3_wal_checkpoint_v2(db->handle, NULL, mode, &pages, &moved);
	if (FAILPOINT("writer.after_checkpoint"))
		return SQLITE_IOERR_FSYNC;
	/* What could be moved is moved; if a reader stood in the way or the disk was full, the rest
	 * waits until the log has grown by another idle_pages. */
	c->moved = c->pages;
	if (mode == SQLITE_CHECKPOINT_TRUNCATE && code == SQLITE_OK)
		c->most = 0;
	return code == SQLITE_BUSY ? SQLITE_OK : code;
}

int
checkpoint_cut(struct checkpoint *c, struct db *db)
{
	int code;

	sqlite3_busy_timeout(db->handle, 0);
	code = checkpoint_run(c, db, SQLITE_CHECKPOINT_TRUNCATE);
	sqlite3_busy_timeout(db->handle, CHECKPOINT_READER_WAIT_MS);
	return code;
}
