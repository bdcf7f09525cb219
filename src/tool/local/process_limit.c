#include "tool/local/process_limit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"

enum { YIELD = 500, YIELD_MAX = 1000 };

void
process_limit_lower(int what, int64_t value)
{
	struct rlimit now, wanted = { (rlim_t)value, (rlim_t)value };

	if (getrlimit((__rlimit_resource_t)what, &now) == 0 && now.rlim_max < wanted.rlim_max)
		wanted.rlim_cur = wanted.rlim_max = now.rlim_max;
	IGNORE(setrlimit((__rlimit_resource_t)what, &wanted)); /* lowering cannot fail */
}

/* Raising it is everybody's right; where it cannot be done the call runs all the same. */
void
process_limit_yield_memory(void)
{
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	char text[32] = { 0 };
	long score;

	if (fd < 0)
		return;
	if (read(fd, text, sizeof text - 1) > 0) {
		score = strtol(text, NULL, 10) + YIELD;
		snprintf(text, sizeof text, "%ld", score > YIELD_MAX ? (long)YIELD_MAX : score);
		IGNORE(pwrite(fd, text, strlen(text), 0));
	}
	close(fd);
}
