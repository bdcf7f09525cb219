#include "vfs_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rand.h"
#include "base/xalloc.h"

struct vfs_disk_op {
	int64_t offset;
	unsigned char *bytes; /* NULL: truncates to offset */
	size_t len;
};

static void
drop_ops(struct vfs_disk_file *f)
{
	for (size_t i = 0; i < f->ops.len; i++)
		free(f->ops.ptr[i].bytes);
	vec_clear(&f->ops);
}

void
vfs_disk_release(struct vfs_disk *d)
{
	for (size_t i = 0; i < d->files.len; i++) {
		struct vfs_disk_file *f = d->files.ptr[i];
		drop_ops(f);
		vec_release(&f->ops);
		free(f->image);
		free(f->path);
		free(f);
	}
	vec_release(&d->files);
}

struct vfs_disk_file *
vfs_disk_find(const struct vfs_disk *d, const char *path)
{
	for (size_t i = 0; i < d->files.len; i++)
		if (strcmp(d->files.ptr[i]->path, path) == 0)
			return d->files.ptr[i];
	return NULL;
}

static struct vfs_disk_file *
add(struct vfs_disk *d, const char *path)
{
	struct vfs_disk_file *f = xcalloc(1, sizeof *f);

	f->path = xstrdup(path);
	f->exists = true;
	*vec_push(&d->files) = f;
	return f;
}

/* Zeroes fill what was never written. */
static void
image_resize(struct vfs_disk_file *f, size_t len)
{
	if (len > f->image_cap) {
		f->image_cap = len * 2;
		f->image = xreallocarray(f->image, f->image_cap, 1);
	}
	if (len > f->image_len)
		memset(f->image + f->image_len, 0, len - f->image_len);
	f->image_len = len;
}

static void
image_put(struct vfs_disk_file *f, size_t at, const unsigned char *bytes, size_t len)
{
	if (at + len > f->image_len)
		image_resize(f, at + len);
	memcpy(f->image + at, bytes, len);
}

struct vfs_disk_file *
vfs_disk_adopt(struct vfs_disk *d, const char *path, const void *bytes, size_t len)
{
	struct vfs_disk_file *f = add(d, path);

	image_put(f, 0, bytes, len);
	f->named = true;
	return f;
}

struct vfs_disk_file *
vfs_disk_create(struct vfs_disk *d, const char *path)
{
	struct vfs_disk_file *f = vfs_disk_find(d, path);

	if (!f)
		return add(d, path);
	/* The removal may not be durable: then the old bytes come back under the same name. */
	if (!f->named)
		image_resize(f, 0);
	drop_ops(f);
	vfs_disk_truncate(f, 0);
	f->exists = true;
	return f;
}

void
vfs_disk_write(struct vfs_disk_file *f, int64_t offset, const void *bytes, size_t len)
{
	struct vfs_disk_op op = { .offset = offset, .bytes = xmalloc(len ? len : 1), .len = len };

	memcpy(op.bytes, bytes, len);
	*vec_push(&f->ops) = op;
}

void
vfs_disk_truncate(struct vfs_disk_file *f, int64_t size)
{
	*vec_push(&f->ops) = (struct vfs_disk_op){ .offset = size };
}

void
vfs_disk_delete(struct vfs_disk_file *f)
{
	drop_ops(f);
	f->exists = false;
}

/* Sectors are those of the file, so a write that starts inside one has a short first piece. */
static void
apply(struct vfs_disk_file *f, const struct vfs_disk_op *op, struct rand *coin)
{
	size_t done = 0;

	if (!op->bytes) {
		if (!coin || rand_below(coin, 2))
			image_resize(f, (size_t)op->offset);
		return;
	}
	while (done < op->len) {
		size_t at = (size_t)op->offset + done;
		size_t piece = VFS_SECTOR - at % VFS_SECTOR;
		if (piece > op->len - done)
			piece = op->len - done;
		if (!coin || rand_below(coin, 2))
			image_put(f, at, op->bytes + done, piece);
		done += piece;
	}
}

static void
apply_ops(struct vfs_disk_file *f, struct rand *coin)
{
	for (size_t i = 0; i < f->ops.len; i++)
		apply(f, &f->ops.ptr[i], coin);
	drop_ops(f);
}

void
vfs_disk_sync(struct vfs_disk_file *f)
{
	apply_ops(f, NULL);
}

void
vfs_disk_lose(struct vfs_disk_file *f)
{
	drop_ops(f);
}

void
vfs_disk_sync_names(struct vfs_disk *d)
{
	for (size_t i = 0; i < d->files.len; i++)
		d->files.ptr[i]->named = d->files.ptr[i]->exists;
}

static void
give_up(const char *path)
{
	fprintf(stderr, "vfs_disk: %s: %s\n", path, strerror(errno));
	abort();
}

static void
write_file(const struct vfs_disk_file *f)
{
	int fd = open(f->path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, f->image, f->image_len) != (ssize_t)f->image_len)
		give_up(f->path);
	close(fd);
}

/* The shared memory index lives in memory alone: no cut leaves it behind. */
static void
remove_index(const char *path)
{
	char name[4096];

	snprintf(name, sizeof name, "%s-shm", path);
	unlink(name);
}

void
vfs_disk_restore(struct vfs_disk *d, enum vfs_keep keep, uint64_t seed)
{
	struct rand coin;

	rand_init_seed(&coin, seed);
	for (size_t i = 0; i < d->files.len; i++) {
		struct vfs_disk_file *f = d->files.ptr[i];
		bool there = f->named;
		if (keep == VFS_KEEP_ALL || (keep == VFS_KEEP_SOME && rand_below(&coin, 2)))
			there = f->exists;
		if (keep == VFS_KEEP_NOTHING)
			drop_ops(f);
		apply_ops(f, keep == VFS_KEEP_SOME ? &coin : NULL);
		if (there)
			write_file(f);
		else if (unlink(f->path) != 0 && errno != ENOENT)
			give_up(f->path);
		remove_index(f->path);
		f->exists = f->named = there;
	}
}
