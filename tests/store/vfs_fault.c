#include "vfs_fault.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/xalloc.h"

struct fault_file {
	sqlite3_file base;
	struct vfs_disk_file *disk; /* NULL: a temporary file, which no cut concerns */
	bool names_due;             /* the first sync of a new journal syncs the directory too */
	sqlite3_file real[];        /* the wrapped VFS's own file */
};

static struct {
	pthread_mutex_t lock;
	sqlite3_vfs vfs, *real;
	struct vfs_plan plan;
	struct vfs_disk disk;
	uint64_t counted, calls[VFS_OPS];
	bool hit, cut;
} shim = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct fault_file *
of(sqlite3_file *f)
{
	return (struct fault_file *)f;
}

/* What happens to this call? Called with the lock held. */
static enum vfs_fault
decide(enum vfs_op op)
{
	const struct vfs_plan *p = &shim.plan;

	shim.calls[op]++;
	if (shim.cut)
		return VFS_CUT;
	if (!(p->ops & VFS_BIT(op)))
		return VFS_NO_FAULT;
	shim.counted++;
	if (p->fault == VFS_NO_FAULT || shim.counted < p->at ||
	    (p->calls > 0 && shim.counted >= p->at + p->calls))
		return VFS_NO_FAULT;
	shim.hit = true;
	shim.cut = p->fault == VFS_CUT;
	return p->fault;
}

static enum vfs_fault
next_call(enum vfs_op op)
{
	enum vfs_fault fault;

	pthread_mutex_lock(&shim.lock);
	fault = decide(op);
	pthread_mutex_unlock(&shim.lock);
	return fault;
}

static int
on_close(sqlite3_file *file)
{
	return of(file)->real->pMethods->xClose(of(file)->real);
}

static int
on_read(sqlite3_file *file, void *out, int len, sqlite3_int64 offset)
{
	switch (next_call(VFS_READ)) {
	case VFS_EIO:
	case VFS_CUT: return SQLITE_IOERR_READ;
	case VFS_NO_FAULT:
	case VFS_ENOSPC:
	case VFS_SHORT:
	case VFS_TORN:
	case VFS_SYNC_ERROR: break;
	}
	return of(file)->real->pMethods->xRead(of(file)->real, out, len, offset);
}

/* How much of a write is done, and what it answers. */
static int
write_outcome(enum vfs_fault fault, int len, int64_t offset, int *done)
{
	int past_border = (int)((offset + len / 2) % VFS_SECTOR);

	*done = 0;
	switch (fault) {
	case VFS_NO_FAULT:
	case VFS_SYNC_ERROR: *done = len; return SQLITE_OK;
	case VFS_EIO: return SQLITE_IOERR_WRITE;
	case VFS_CUT: *done = len; return SQLITE_IOERR_WRITE;
	case VFS_ENOSPC: return SQLITE_FULL;
	case VFS_SHORT: *done = len / 2; return SQLITE_FULL;
	case VFS_TORN:
		*done = len / 2 > past_border ? len / 2 - past_border : 0;
		return SQLITE_IOERR_WRITE;
	}
	abort();
}

static int
on_write(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 offset)
{
	struct fault_file *f = of(file);
	bool was_cut;
	int done, answer, rc = SQLITE_OK;

	pthread_mutex_lock(&shim.lock);
	was_cut = shim.cut;
	answer = write_outcome(decide(VFS_WRITE), len, offset, &done);
	/* The write that the cut hit may have reached the disk in part; none after it did. */
	if (was_cut)
		done = 0;
	if (done > 0 && !shim.cut)
		rc = f->real->pMethods->xWrite(f->real, bytes, done, offset);
	if (done > 0 && f->disk)
		vfs_disk_write(f->disk, offset, bytes, (size_t)done);
	pthread_mutex_unlock(&shim.lock);
	return answer ? answer : rc;
}

static int
on_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct fault_file *f = of(file);
	enum vfs_fault fault;
	int rc = SQLITE_IOERR_TRUNCATE;

	pthread_mutex_lock(&shim.lock);
	fault = decide(VFS_TRUNCATE);
	if (fault != VFS_EIO && fault != VFS_CUT) {
		rc = f->real->pMethods->xTruncate(f->real, size);
		if (rc == SQLITE_OK && f->disk)
			vfs_disk_truncate(f->disk, size);
	}
	pthread_mutex_unlock(&shim.lock);
	return rc;
}

static int
on_sync(sqlite3_file *file, int flags)
{
	struct fault_file *f = of(file);
	enum vfs_fault fault;
	int rc = SQLITE_OK;

	(void)flags;
	pthread_mutex_lock(&shim.lock);
	fault = decide(VFS_SYNC);
	if (fault == VFS_EIO || fault == VFS_CUT || fault == VFS_SYNC_ERROR)
		rc = SQLITE_IOERR_FSYNC;
	if (rc == SQLITE_OK && f->disk)
		vfs_disk_sync(f->disk);
	else if (fault != VFS_CUT && f->disk)
		vfs_disk_lose(f->disk);
	if (rc == SQLITE_OK && f->names_due) {
		vfs_disk_sync_names(&shim.disk);
		f->names_due = false;
	}
	pthread_mutex_unlock(&shim.lock);
	return rc;
}

static int
on_file_size(sqlite3_file *file, sqlite3_int64 *out)
{
	return of(file)->real->pMethods->xFileSize(of(file)->real, out);
}

static int
on_lock(sqlite3_file *file, int level)
{
	return of(file)->real->pMethods->xLock(of(file)->real, level);
}

static int
on_unlock(sqlite3_file *file, int level)
{
	return of(file)->real->pMethods->xUnlock(of(file)->real, level);
}

static int
on_check_reserved(sqlite3_file *file, int *out)
{
	return of(file)->real->pMethods->xCheckReservedLock(of(file)->real, out);
}

static int
on_file_control(sqlite3_file *file, int op, void *arg)
{
	return of(file)->real->pMethods->xFileControl(of(file)->real, op, arg);
}

static int
on_sector_size(sqlite3_file *file)
{
	return of(file)->real->pMethods->xSectorSize(of(file)->real);
}

static int
on_characteristics(sqlite3_file *file)
{
	return of(file)->real->pMethods->xDeviceCharacteristics(of(file)->real);
}

static int
on_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **out)
{
	switch (extend ? next_call(VFS_SHM_MAP) : VFS_NO_FAULT) {
	case VFS_EIO:
	case VFS_CUT: return SQLITE_IOERR_SHMMAP;
	case VFS_ENOSPC: return SQLITE_IOERR_SHMSIZE;
	case VFS_NO_FAULT:
	case VFS_SHORT:
	case VFS_TORN:
	case VFS_SYNC_ERROR: break;
	}
	return of(file)->real->pMethods->xShmMap(of(file)->real, region, size, extend, out);
}

static int
on_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
	return of(file)->real->pMethods->xShmLock(of(file)->real, offset, n, flags);
}

static void
on_shm_barrier(sqlite3_file *file)
{
	of(file)->real->pMethods->xShmBarrier(of(file)->real);
}

static int
on_shm_unmap(sqlite3_file *file, int remove)
{
	return of(file)->real->pMethods->xShmUnmap(of(file)->real, remove);
}

/* Version 2: without xFetch, so that every byte passes through here. */
static const sqlite3_io_methods METHODS = {
	.iVersion = 2,
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
	.xShmMap = on_shm_map,
	.xShmLock = on_shm_lock,
	.xShmBarrier = on_shm_barrier,
	.xShmUnmap = on_shm_unmap,
};

/* Read through SQLite's own descriptor: another open and close of the file would drop its locks. */
static struct vfs_disk_file *
adopt(const char *path, sqlite3_file *real)
{
	struct vfs_disk_file *f;
	sqlite3_int64 size = 0;
	unsigned char *bytes;

	if (real->pMethods->xFileSize(real, &size) != SQLITE_OK)
		abort();
	bytes = xmalloc(size ? (size_t)size : 1);
	if (size > 0 && real->pMethods->xRead(real, bytes, (int)size, 0) != SQLITE_OK)
		abort();
	f = vfs_disk_adopt(&shim.disk, path, bytes, (size_t)size);
	free(bytes);
	return f;
}

static struct vfs_disk_file *
track(const char *path, sqlite3_file *real, bool was_there)
{
	struct vfs_disk_file *f = vfs_disk_find(&shim.disk, path);

	if (f && f->exists)
		return f;
	return was_there ? adopt(path, real) : vfs_disk_create(&shim.disk, path);
}

static int
on_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags)
{
	struct fault_file *f = of(file);
	enum vfs_fault fault = VFS_NO_FAULT;
	int rc = SQLITE_CANTOPEN, was_there = 0;

	(void)vfs;
	memset(f, 0, sizeof *f);
	pthread_mutex_lock(&shim.lock);
	if (flags & SQLITE_OPEN_CREATE)
		fault = decide(VFS_OPEN);
	else if (shim.cut)
		fault = VFS_CUT;
	if (path)
		shim.real->xAccess(shim.real, path, SQLITE_ACCESS_EXISTS, &was_there);
	if (fault != VFS_EIO && fault != VFS_CUT && (fault != VFS_ENOSPC || was_there))
		rc = shim.real->xOpen(shim.real, path, f->real, flags, out_flags);
	if (rc == SQLITE_OK) {
		f->base.pMethods = &METHODS;
		if (path && !(flags & SQLITE_OPEN_DELETEONCLOSE))
			f->disk = track(path, f->real, was_there);
		f->names_due = (flags & SQLITE_OPEN_CREATE) &&
			       (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL));
	}
	pthread_mutex_unlock(&shim.lock);
	return rc;
}

static int
on_delete(sqlite3_vfs *vfs, const char *path, int sync_names)
{
	struct vfs_disk_file *f;
	enum vfs_fault fault;
	int rc = SQLITE_IOERR_DELETE;

	(void)vfs;
	pthread_mutex_lock(&shim.lock);
	fault = decide(VFS_DELETE);
	if (fault != VFS_EIO && fault != VFS_CUT) {
		rc = shim.real->xDelete(shim.real, path, 0);
		f = vfs_disk_find(&shim.disk, path);
		if (rc == SQLITE_OK && f)
			vfs_disk_delete(f);
		if (rc == SQLITE_OK && sync_names)
			vfs_disk_sync_names(&shim.disk);
	}
	pthread_mutex_unlock(&shim.lock);
	return rc;
}

void
vfs_fault_register(void)
{
	if (shim.real)
		return;
	shim.real = sqlite3_vfs_find(NULL);
	shim.vfs = *shim.real; /* all that is not I/O is the wrapped one's own */
	shim.vfs.zName = VFS_FAULT_NAME;
	shim.vfs.szOsFile = (int)sizeof(struct fault_file) + shim.real->szOsFile;
	shim.vfs.pNext = NULL;
	shim.vfs.xOpen = on_open;
	shim.vfs.xDelete = on_delete;
	if (sqlite3_vfs_register(&shim.vfs, 0) != SQLITE_OK)
		abort();
}

void
vfs_fault_begin(const struct vfs_plan *plan)
{
	pthread_mutex_lock(&shim.lock);
	vfs_disk_release(&shim.disk);
	shim.plan = *plan;
	shim.counted = 0;
	memset(shim.calls, 0, sizeof shim.calls);
	shim.hit = shim.cut = false;
	pthread_mutex_unlock(&shim.lock);
}

void
vfs_fault_heal(void)
{
	pthread_mutex_lock(&shim.lock);
	shim.plan.fault = VFS_NO_FAULT;
	pthread_mutex_unlock(&shim.lock);
}

bool
vfs_fault_hit(void)
{
	bool hit;

	pthread_mutex_lock(&shim.lock);
	hit = shim.hit;
	pthread_mutex_unlock(&shim.lock);
	return hit;
}

uint64_t
vfs_fault_calls(enum vfs_op op)
{
	uint64_t calls;

	pthread_mutex_lock(&shim.lock);
	calls = shim.calls[op];
	pthread_mutex_unlock(&shim.lock);
	return calls;
}

void
vfs_fault_power_cut(enum vfs_keep keep, uint64_t seed)
{
	pthread_mutex_lock(&shim.lock);
	shim.cut = true;
	vfs_disk_restore(&shim.disk, keep, seed);
	pthread_mutex_unlock(&shim.lock);
}
