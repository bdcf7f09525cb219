#include "store/sqlite/wal_gather.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "store/sqlite/page_scrub.h"

/* Larger buffers save nothing more, and this one stays in the processor's cache. */
enum { GATHER_BYTES = 128 * 1024, NAME_BYTES = 40 };

struct wal_gather {
	sqlite3_vfs vfs;
	sqlite3_vfs *below;
	char name[NAME_BYTES];
	struct page_scrub scrub; /* of the database's file */
};

/* The log's file. Bytes [at, at + len) of it are in the buffer only. */
struct log_file {
	sqlite3_file base;
	sqlite3_int64 at;
	int len;
	int lost_code; /* why bytes from lost_at on never arrived; SQLITE_OK: they did */
	sqlite3_int64 lost_at;
	unsigned char *buffer;
	sqlite3_file real[]; /* the file of the VFS below */
};

static struct log_file *
log_of(sqlite3_file *file)
{
	return (struct log_file *)file;
}

/* ---- the log ---- */

static int
write_below(struct log_file *f, const void *bytes, int len, sqlite3_int64 offset)
{
	int code = f->real->pMethods->xWrite(f->real, bytes, len, offset);

	if (code != SQLITE_OK) {
		f->lost_code = code;
		f->lost_at = offset;
	}
	return code;
}

/* What could not be written is dropped: its transaction fails, and must not come back later. */
static int
flush(struct log_file *f)
{
	int len = f->len;

	f->len = 0;
	if (f->lost_code != SQLITE_OK)
		return f->lost_code;
	return len > 0 ? write_below(f, f->buffer, len, f->at) : SQLITE_OK;
}

static int
on_write(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 offset)
{
	struct log_file *f = log_of(file);
	int code = SQLITE_OK;

	if (f->lost_code != SQLITE_OK && offset > f->lost_at)
		return f->lost_code;
	if (f->lost_code != SQLITE_OK) /* the next transaction begins where the lost one did */
		f->len = 0;
	f->lost_code = SQLITE_OK;
	if (f->len > 0 && (offset != f->at + f->len || len > GATHER_BYTES - f->len))
		code = flush(f);
	if (code != SQLITE_OK)
		return code;
	if (len > GATHER_BYTES)
		return write_below(f, bytes, len, offset);
	if (f->len == 0)
		f->at = offset;
	memcpy(f->buffer + f->len, bytes, (size_t)len);
	f->len += len;
	return SQLITE_OK;
}

static int
on_sync(sqlite3_file *file, int flags)
{
	struct log_file *f = log_of(file);
	int code = flush(f);

	return code == SQLITE_OK ? f->real->pMethods->xSync(f->real, flags) : code;
}

static int
on_read(sqlite3_file *file, void *out, int len, sqlite3_int64 offset)
{
	struct log_file *f = log_of(file);
	int code = SQLITE_OK;

	if (f->lost_code != SQLITE_OK && offset + len > f->lost_at)
		return f->lost_code;
	if (f->len > 0 && offset + len > f->at)
		code = flush(f);
	return code == SQLITE_OK ? f->real->pMethods->xRead(f->real, out, len, offset) : code;
}

static int
on_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct log_file *f = log_of(file);
	int code;

	if (f->lost_code != SQLITE_OK && size <= f->lost_at)
		f->lost_code = SQLITE_OK;
	code = flush(f);
	return code == SQLITE_OK ? f->real->pMethods->xTruncate(f->real, size) : code;
}

static int
on_file_size(sqlite3_file *file, sqlite3_int64 *out)
{
	struct log_file *f = log_of(file);
	int code = f->len > 0 ? flush(f) : SQLITE_OK;

	return code == SQLITE_OK ? f->real->pMethods->xFileSize(f->real, out) : code;
}

/* What is still in the buffer belongs to no commit: those were synced. */
static int
on_close(sqlite3_file *file)
{
	struct log_file *f = log_of(file);

	free(f->buffer);
	return f->real->pMethods->xClose(f->real);
}

static int
on_lock(sqlite3_file *file, int level)
{
	return log_of(file)->real->pMethods->xLock(log_of(file)->real, level);
}

static int
on_unlock(sqlite3_file *file, int level)
{
	return log_of(file)->real->pMethods->xUnlock(log_of(file)->real, level);
}

static int
on_check_reserved(sqlite3_file *file, int *out)
{
	return log_of(file)->real->pMethods->xCheckReservedLock(log_of(file)->real, out);
}

static int
on_file_control(sqlite3_file *file, int op, void *arg)
{
	return log_of(file)->real->pMethods->xFileControl(log_of(file)->real, op, arg);
}

static int
on_sector_size(sqlite3_file *file)
{
	return log_of(file)->real->pMethods->xSectorSize(log_of(file)->real);
}

static int
on_characteristics(sqlite3_file *file)
{
	return log_of(file)->real->pMethods->xDeviceCharacteristics(log_of(file)->real);
}

/* Version 1: a log is neither mapped nor has it shared memory of its own. */
static const sqlite3_io_methods LOG_METHODS = {
	.iVersion = 1,
	.xClose = on_close,
	.xRead = on_read,
	.xWrite = on_write,
	.xTruncate = on_truncate,
	.xSync = on_sync,
	.xFileSize = on_file_size,
	.xLock = on_lock,
	.xUnlock = on_unlock,
	.xCheckReservedLock = on_check_reserved,
	.xFileControl = on_file_control,
	.xSectorSize = on_sector_size,
	.xDeviceCharacteristics = on_characteristics,
};

/* ---- the VFS ---- */

static sqlite3_vfs *
below(sqlite3_vfs *vfs)
{
	return ((struct wal_gather *)vfs)->below;
}

static int
open_log(sqlite3_vfs *vfs, const char *path, struct log_file *f, int flags, int *got)
{
	int code;

	*f = (struct log_file){ 0 };
	code = vfs->xOpen(vfs, path, f->real, flags, got);
	if (!f->real->pMethods) /* SQLite closes whatever has methods, even if it did not open */
		return code;
	f->base.pMethods = &LOG_METHODS;
	f->buffer = xmalloc(GATHER_BYTES);
	return code;
}

static int
on_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *got)
{
	int code;

	if (flags & SQLITE_OPEN_WAL)
		return open_log(below(vfs), path, log_of(file), flags, got);
	code = below(vfs)->xOpen(below(vfs), path, file, flags, got);
	if (code == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB)
		page_scrub_install(&((struct wal_gather *)vfs)->scrub, file);
	return code;
}

static int
on_delete(sqlite3_vfs *vfs, const char *path, int sync_directory)
{
	return below(vfs)->xDelete(below(vfs), path, sync_directory);
}

static int
on_access(sqlite3_vfs *vfs, const char *path, int flags, int *out)
{
	return below(vfs)->xAccess(below(vfs), path, flags, out);
}

static int
on_full_path(sqlite3_vfs *vfs, const char *path, int size, char *out)
{
	return below(vfs)->xFullPathname(below(vfs), path, size, out);
}

static int
on_randomness(sqlite3_vfs *vfs, int size, char *out)
{
	return below(vfs)->xRandomness(below(vfs), size, out);
}

static int
on_sleep(sqlite3_vfs *vfs, int us)
{
	return below(vfs)->xSleep(below(vfs), us);
}

static int
on_time(sqlite3_vfs *vfs, double *out)
{
	return below(vfs)->xCurrentTime(below(vfs), out);
}

static int
on_last_error(sqlite3_vfs *vfs, int size, char *out)
{
	return below(vfs)->xGetLastError(below(vfs), size, out);
}

int
wal_gather_new(struct wal_gather **out, const char *base, struct err *e)
{
	sqlite3_vfs *real = sqlite3_vfs_find(base);
	struct wal_gather *g;

	if (!real)
		return err_set(e, ERR_INVALID, "SQLite has no VFS '%s'", base ? base : "");
	g = xcalloc(1, sizeof *g);
	/* Its address tells it from those of other stores in this process. */
	snprintf(g->name, sizeof g->name, "perdure-%" PRIxPTR, (uintptr_t)g);
	g->below = real;
	g->vfs = (sqlite3_vfs){
		.iVersion = 1,
		.szOsFile = (int)sizeof(struct log_file) + real->szOsFile,
		.mxPathname = real->mxPathname,
		.zName = g->name,
		.xOpen = on_open,
		.xDelete = on_delete,
		.xAccess = on_access,
		.xFullPathname = on_full_path,
		.xRandomness = on_randomness,
		.xSleep = on_sleep,
		.xCurrentTime = on_time,
		.xGetLastError = on_last_error,
	};
	if (sqlite3_vfs_register(&g->vfs, 0) != SQLITE_OK)
		abort(); /* it fails for want of memory only */
	*out = g;
	return 0;
}

const char *
wal_gather_name(const struct wal_gather *g)
{
	return g->name;
}

void
wal_gather_free(struct wal_gather **p)
{
	if (!*p)
		return;
	sqlite3_vfs_unregister(&(*p)->vfs);
	page_scrub_release(&(*p)->scrub);
	free(*p);
	*p = NULL;
}
