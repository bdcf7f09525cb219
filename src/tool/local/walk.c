#include "tool/local/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

struct entry {
	const char *name;
	bool folder;
};
struct folder {
	struct arena arena;
	VEC(struct entry) entries;
};

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static bool
is_folder(int fd, const struct dirent *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_DIR;
	return fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static void
list(struct walk *w, DIR *dir, struct folder *out)
{
	struct dirent *d;

	while ((d = readdir(dir)) != NULL) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (w->entries == WALK_ENTRIES_MAX) {
			w->cut = true;
			break;
		}
		w->entries++;
		*vec_push(&out->entries) =
			(struct entry){ arena_str(&out->arena, str_of(d->d_name)).ptr,
					is_folder(dirfd(dir), d) };
	}
	if (out->entries.len > 1)
		qsort(out->entries.ptr, out->entries.len, sizeof *out->entries.ptr, by_name);
}

static bool descend(struct walk *w, int fd, struct str prefix, unsigned depth);

static bool
visit(struct walk *w, int fd, struct entry e, struct str path, unsigned depth)
{
	int below;

	if (!e.folder)
		return w->on_file(w->ctx, fd, e.name, path);
	if (e.name[0] == '.' && !w->hidden_too)
		return true;
	if (depth == WALK_DEPTH_MAX) {
		w->cut = true;
		return true;
	}
	below = openat(fd, e.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return below < 0 || descend(w, below, path, depth + 1);
}

static bool
descend(struct walk *w, int fd, struct str prefix, unsigned depth)
{
	DIR *dir = fdopendir(fd);
	struct folder f = { 0 };
	bool more = true;
	struct str where;

	if (!dir) {
		close(fd);
		return true;
	}
	arena_init(&f.arena);
	/* Judged by where it is, not by how it was named. */
	if (beneath_where(w->beneath, fd, &where) && !beneath_is_hidden(w->beneath, where))
		list(w, dir, &f);
	for (size_t i = 0; more && i < f.entries.len; i++) {
		struct entry e = f.entries.ptr[i];

		more = visit(w, fd, e,
			     arena_printf(&f.arena, STR_FMT "%s%s", STR_ARG(prefix),
					  prefix.len > 0 ? "/" : "", e.name),
			     depth);
	}
	vec_release(&f.entries);
	arena_release(&f.arena);
	closedir(dir);
	return more;
}

void
walk_run(struct walk *w, int fd, struct str prefix)
{
	descend(w, fd, prefix, 0);
}
