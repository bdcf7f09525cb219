#include "base/close_on_exec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

enum { TRIED_MAX = 65536 };

static void
mark(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	if (flags >= 0 && !(flags & FD_CLOEXEC))
		IGNORE(fcntl(fd, F_SETFD, flags | FD_CLOEXEC)); /* of an open one it cannot fail */
}

static void
mark_numbers(int first)
{
	long max = sysconf(_SC_OPEN_MAX);

	if (max < 0 || max > TRIED_MAX)
		max = TRIED_MAX;
	for (int fd = first; fd < max; fd++)
		mark(fd);
}

void
close_on_exec_each(int first)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!dir) {
		mark_numbers(first);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		char *end;
		long fd = strtol(entry->d_name, &end, 10);

		if (end != entry->d_name && *end == '\0' && fd >= first)
			mark((int)fd);
	}
	closedir(dir);
}

void
close_on_exec_from(int first)
{
	if (close_range((unsigned)first, ~0u, CLOSE_RANGE_CLOEXEC) != 0)
		close_on_exec_each(first);
}
