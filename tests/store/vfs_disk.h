/* vfs_disk - what would a disk still hold if the power went now?
 * A model beside the real files: for each file the bytes of its last successful sync, the writes and
 * truncations since, and whether its name has reached the directory. Nothing unsynced is promised to
 * survive, and nothing unsynced is promised to be lost: a cut keeps none of it or a seeded part. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/vec.h"

enum { VFS_SECTOR = 512 }; /* what a disk writes whole or not at all */

enum vfs_keep {
	VFS_KEEP_NOTHING, /* every unsynced write, name and removal is undone */
	VFS_KEEP_SOME, /* each unsynced sector, truncation and name by the toss of a seeded coin */
	VFS_KEEP_ALL,  /* all of it reached the disk, as after a mere crash of the process */
};

struct vfs_disk_op;

struct vfs_disk_file {
	char *path;
	unsigned char *image; /* durable bytes */
	size_t image_len, image_cap;
	VEC(struct vfs_disk_op) ops; /* not yet durable, in order */
	bool exists;                 /* as the running process sees it */
	bool named;                  /* as the durable directory sees it */
};

struct vfs_disk {
	VEC(struct vfs_disk_file *) files;
};

void vfs_disk_release(struct vfs_disk *d);
/* NULL when the path was never opened. */
struct vfs_disk_file *vfs_disk_find(const struct vfs_disk *d, const char *path);
/* A file that is there already: its bytes and its name are durable. */
struct vfs_disk_file *
vfs_disk_adopt(struct vfs_disk *d, const char *path, const void *bytes, size_t len);
/* A file just made; also one that was deleted and is made again. */
struct vfs_disk_file *vfs_disk_create(struct vfs_disk *d, const char *path);

void vfs_disk_write(struct vfs_disk_file *f, int64_t offset, const void *bytes, size_t len);
void vfs_disk_truncate(struct vfs_disk_file *f, int64_t size);
void vfs_disk_delete(struct vfs_disk_file *f);
void vfs_disk_sync(struct vfs_disk_file *f);
/* As Linux does: the unsynced bytes stay readable but count as written, so that no later sync brings
 * them to the disk. */
void vfs_disk_lose(struct vfs_disk_file *f);
/* The directory was synced: names and removals are durable. */
void vfs_disk_sync_names(struct vfs_disk *d);

/* Rewrites the real files to what the disk holds. No connection may be open. */
void vfs_disk_restore(struct vfs_disk *d, enum vfs_keep keep, uint64_t seed);
