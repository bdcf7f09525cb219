#include "raw_append.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { RECORD_BYTES = 600, SAMPLE_MS = 500, SAMPLES = 201 };

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

static void
append_one(const struct raw_append *r)
{
	char record[RECORD_BYTES];

	memset(record, 'x', sizeof record);
	if (write(r->fd, record, sizeof record) != RECORD_BYTES || fdatasync(r->fd) != 0)
		abort();
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
raw_append_p50_ms(struct raw_append *r)
{
	double took_ms[SAMPLES];

	for (int i = 0; i < SAMPLES; i++) {
		int64_t start_ns = clock_monotonic_ns();

		append_one(r);
		took_ms[i] = (double)(clock_monotonic_ns() - start_ns) / 1e6;
	}
	qsort(took_ms, SAMPLES, sizeof *took_ms, by_size);
	return took_ms[SAMPLES / 2];
}

double
raw_append_per_second(struct raw_append *r)
{
	int64_t start_ns = clock_monotonic_ns(), spent_ns = 0;
	int records = 0;

	while (spent_ns < (int64_t)SAMPLE_MS * 1000000) {
		append_one(r);
		records++;
		spent_ns = clock_monotonic_ns() - start_ns;
	}
	return records * 1e9 / (double)spent_ns;
}
