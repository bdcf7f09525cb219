#include "tool/local/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"

enum { NAME_BYTES = 64, NAP_MS = 2 };

struct process {
	pid_t pid;
	unsigned depth;
};
struct family {
	VEC(struct process) all; /* parents before their children */
	size_t tasks, max;
};

/* The children of one thread, from its list of decimal numbers. */
static void
add_children(struct family *f, const char *path, unsigned depth)
{
	FILE *file = fopen(path, "re");
	int pid;

	if (!file)
		return;
	while (f->all.len <= f->max && fscanf(file, "%d", &pid) == 1)
		*vec_push(&f->all) = (struct process){ pid, depth };
	fclose(file);
}

/* Every thread has children of its own. */
static size_t
visit(struct family *f, pid_t pid, unsigned depth)
{
	char path[2 * NAME_BYTES + 256];
	struct dirent *entry;
	size_t threads = 0;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		threads++;
		snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, entry->d_name);
		add_children(f, path, depth + 1);
	}
	if (dir)
		closedir(dir);
	return threads;
}

static void
gather(struct family *f, size_t max)
{
	*f = (struct family){ .max = max };
	visit(f, getpid(), 0);
	for (size_t i = 0; i < f->all.len && f->tasks <= max; i++) {
		struct process p = f->all.ptr[i];

		f->tasks += visit(f, p.pid, p.depth);
	}
}

size_t
descendants_count(size_t max)
{
	struct family f;

	gather(&f, max);
	vec_release(&f.all);
	return f.tasks;
}

void
descendants_signal(int signal, unsigned depth)
{
	struct family f;

	gather(&f, SIZE_MAX - 1);
	for (size_t i = 0; i < f.all.len; i++)
		if (f.all.ptr[i].depth >= depth)
			kill(f.all.ptr[i].pid, signal);
	vec_release(&f.all);
}

void
descendants_end(int wait_ms)
{
	static const struct timespec NAP = { 0, NAP_MS * 1000 * 1000 };

	for (int naps = wait_ms / NAP_MS; naps >= 0; naps--) {
		pid_t reaped;

		descendants_signal(SIGKILL, 1);
		do
			reaped = waitpid(-1, NULL, WNOHANG);
		while (reaped > 0 || (reaped < 0 && errno == EINTR));
		if (reaped < 0) /* ECHILD: nobody is left */
			return;
		nanosleep(&NAP, NULL);
	}
}
