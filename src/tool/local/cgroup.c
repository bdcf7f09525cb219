#include "tool/local/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"

static const char MOUNTED[] = "/sys/fs/cgroup";
enum { FILE_BYTES = 64 * 1024, REMOVE_TRIES = 100, NAP_MS = 2 };

/* One word of a list, separated by sep. */
static bool
has_word(struct str list, char sep, struct str word)
{
	struct str head;

	while (list.len > 0) {
		str_cut(list, sep, &head, &list);
		if (str_eq(str_trim(head), word))
			return true;
	}
	return false;
}

/* A group of version 2 hands the pids controller down only when it was told to. */
static bool
hands_down(struct arena *a, const char *group)
{
	struct str path = arena_printf(a, "%s/cgroup.subtree_control", group), words;
	struct err e;

	return file_read(path.ptr, FILE_BYTES, a, &words, &e) == 0 &&
	       has_word(words, ' ', STR("pids"));
}

static const char *
usable(struct arena *a, const char *root, const char *mount, struct str group)
{
	struct str path;

	if (str_eq(group, STR("/")))
		group = STR("");
	path = arena_printf(a, "%s%s" STR_FMT, root, mount, STR_ARG(group));
	return access(path.ptr, W_OK | X_OK) == 0 ? path.ptr : NULL;
}

const char *
cgroup_parent(struct arena *a, struct str self, const char *root, bool *v2)
{
	struct str line, number, rest, controllers, group;
	const char *found;

	while (self.len > 0) {
		str_cut(self, '\n', &line, &self);
		if (!str_cut(line, ':', &number, &rest) ||
		    !str_cut(rest, ':', &controllers, &group))
			continue;
		*v2 = str_is_empty(controllers);
		if (*v2)
			found = usable(a, root, "", group);
		else if (has_word(controllers, ',', STR("pids")))
			found = usable(a, root, "/pids", group);
		else
			continue;
		if (found && (!*v2 || hands_down(a, found)))
			return found;
	}
	return NULL;
}

static bool
set(struct arena *a, const char *group, const char *name, int64_t value)
{
	struct str path = arena_printf(a, "%s/%s", group, name);
	struct str text = arena_printf(a, "%" PRId64 "\n", value);
	int fd = open(path.ptr, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len;

	if (fd >= 0)
		close(fd);
	return done;
}

bool
cgroup_make(struct cgroup *g, struct arena *a, int64_t processes, int64_t memory_bytes)
{
	const char *parent;
	struct str self, path;
	struct err e;
	bool v2;

	g->path = NULL;
	if (file_read("/proc/self/cgroup", FILE_BYTES, a, &self, &e) != 0)
		return false;
	parent = cgroup_parent(a, self, MOUNTED, &v2);
	if (!parent)
		return false;
	path = arena_printf(a, "%s/perdure-tool-%d", parent, (int)getpid());
	if (mkdir(path.ptr, 0700) != 0 && errno != EEXIST)
		return false;
	g->path = path.ptr;
	if (!set(a, g->path, "pids.max", processes)) {
		cgroup_remove(g);
		return false;
	}
	if (v2) /* where the memory controller is not handed down there is no such file */
		IGNORE(set(a, g->path, "memory.max", memory_bytes));
	return true;
}

bool
cgroup_join(const struct cgroup *g)
{
	struct arena a;
	bool joined;

	arena_init(&a);
	joined = set(&a, g->path, "cgroup.procs", 0); /* 0: who writes */
	arena_release(&a);
	return joined;
}

void
cgroup_remove(struct cgroup *g)
{
	static const struct timespec NAP = { 0, NAP_MS * 1000 * 1000 };

	/* The dead leave their group a moment after they were reaped. */
	for (int i = 0; g->path && rmdir(g->path) != 0 && errno == EBUSY && i < REMOVE_TRIES; i++)
		nanosleep(&NAP, NULL);
	g->path = NULL;
}
