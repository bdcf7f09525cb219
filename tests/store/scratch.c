#include "scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
give_up(const char *path)
{
	fprintf(stderr, "scratch: %s: %s\n", path, strerror(errno));
	abort();
}

static void
make(struct scratch *s, const char *parent, const char *name)
{
	snprintf(s->path, sizeof s->path, "%s/perdure-%s-XXXXXX", parent, name);
	if (!mkdtemp(s->path))
		give_up(s->path);
}

void
scratch_init(struct scratch *s, const char *name)
{
	const char *parent = getenv("TMPDIR");

	make(s, parent ? parent : "/tmp", name);
}

void
scratch_init_memory(struct scratch *s, const char *name)
{
	static const char MEMORY[] = "/dev/shm";

	if (access(MEMORY, W_OK | X_OK) == 0)
		make(s, MEMORY, name);
	else
		scratch_init(s, name);
}

static int
remove_below(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st;
	(void)flag;
	if (at->level > 0 && remove(path) != 0)
		give_up(path);
	return 0;
}

void
scratch_clear(const struct scratch *s)
{
	if (nftw(s->path, remove_below, 16, FTW_DEPTH | FTW_PHYS) != 0)
		give_up(s->path);
}

void
scratch_release(struct scratch *s)
{
	scratch_clear(s);
	if (rmdir(s->path) != 0)
		give_up(s->path);
}
