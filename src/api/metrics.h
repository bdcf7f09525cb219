/* metrics - what has been asked and answered so far, and how long it took, for /metrics.
 * Counts per route and status; all of it belongs to the loop's thread. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

struct metrics;

struct metrics *metrics_new(size_t route_count);
void metrics_free(struct metrics **m);
/* route: an index into API_ROUTES; METRICS_NO_ROUTE for what never found one. */
enum { METRICS_NO_ROUTE = -1 };
void metrics_count(struct metrics *m, int64_t route, int status, int64_t duration_ns);

/* One number with its two comment lines, in Prometheus' text form. */
struct metrics_number {
	const char *name, *help, *type; /* "gauge", "counter" */
	double value;
};
void metrics_put(struct buf *out, const struct metrics_number *number);
/* Requests by route and status, and the histogram of durations. */
void metrics_put_requests(struct buf *out, const struct metrics *m);
/* Of this process: memory, descriptors, CPU. */
void metrics_put_process(struct buf *out);
