#include "raw_append.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { RECORD_BYTES = 600, SAMPLE_MS = 500 };

void
raw_append_init(struct raw_append *r, const char *directory)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/raw", directory);
	r->fd = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
	if (r->fd < 0) {
		perror(path);
		abort();
	}
}

void
raw_append_release(struct raw_append *r)
{
	close(r->fd);
}

double
raw_append_per_second(struct raw_append *r)
{
	int64_t start_ns = clock_monotonic_ns(), spent_ns = 0;
	char record[RECORD_BYTES];
	int records = 0;

	memset(record, 'x', sizeof record);
	while (spent_ns < (int64_t)SAMPLE_MS * 1000000) {
		if (write(r->fd, record, sizeof record) != RECORD_BYTES || fdatasync(r->fd) != 0)
			abort();
		records++;
		spent_ns = clock_monotonic_ns() - start_ns;
	}
	return records * 1e9 / (double)spent_ns;
}
