#include "api/metrics.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api/exchange.h"
#include "base/attr.h"
#include "base/xalloc.h"

enum { NS_PER_US = 1000, US_PER_S = 1000000 };

/* Statuses that the API answers with; the last one stands for all others. */
static const int STATUSES[] = { 200, 400, 401, 403, 404, 405, 408, 409, 412, 413,
				415, 421, 422, 429, 431, 500, 503, 504, 507, 0 };
/* Upper bounds of the histogram, in microseconds. */
static const int64_t BOUNDS_US[] = { 100,   250,    500,    1000,    2500,    5000,    10000,
				     25000, 100000, 500000, 1000000, 2500000, 10000000 };

struct route_count {
	uint64_t by_status[ARRAY_LEN(STATUSES)];
	uint64_t by_duration[ARRAY_LEN(BOUNDS_US) + 1];
	uint64_t count, total_us;
};

struct metrics {
	size_t route_count;
	struct route_count routes[]; /* the last one: no route */
};

struct metrics *
metrics_new(size_t route_count)
{
	struct metrics *m = xcalloc(1, sizeof *m + (route_count + 1) * sizeof(struct route_count));

	m->route_count = route_count;
	return m;
}

void
metrics_free(struct metrics **m)
{
	free(TAKE(*m));
}

static size_t
status_index(int status)
{
	size_t i = 0;

	while (i < ARRAY_LEN(STATUSES) - 1 && STATUSES[i] != status)
		i++;
	return i;
}

void
metrics_count(struct metrics *m, int64_t route, int status, int64_t duration_ns)
{
	struct route_count *c = &m->routes[route < 0 ? m->route_count : (size_t)route];
	int64_t us = duration_ns / NS_PER_US;
	size_t bucket = 0;

	while (bucket < ARRAY_LEN(BOUNDS_US) && us > BOUNDS_US[bucket])
		bucket++;
	c->by_status[status_index(status)]++;
	c->by_duration[bucket]++;
	c->count++;
	c->total_us += (uint64_t)us;
}

/* --- Prometheus' text form --- */

static void
put_about(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void
metrics_put(struct buf *out, const struct metrics_number *n)
{
	put_about(out, n->name, n->type, n->help);
	buf_printf(out, "%s %.15g\n", n->name, n->value);
}

static void
put_labels(struct buf *out, const struct metrics *m, size_t route)
{
	const struct api_route *row = route < m->route_count ? &API_ROUTES[route] : NULL;

	buf_printf(out, "{method=\"%s\",route=\"%s\"", row ? row->route.method : "",
		   row ? row->route.pattern : "");
}

static void
put_counts(struct buf *out, const struct metrics *m, size_t route)
{
	for (size_t i = 0; i < ARRAY_LEN(STATUSES); i++) {
		uint64_t count = m->routes[route].by_status[i];
		if (count == 0)
			continue;
		buf_puts(out, "perdure_http_requests_total");
		put_labels(out, m, route);
		if (STATUSES[i] > 0)
			buf_printf(out, ",status=\"%d\"} %llu\n", STATUSES[i],
				   (unsigned long long)count);
		else
			buf_printf(out, ",status=\"other\"} %llu\n", (unsigned long long)count);
	}
}

static void
put_histogram(struct buf *out, const struct metrics *m, size_t route)
{
	static const char NAME[] = "perdure_http_request_duration_seconds";
	const struct route_count *c = &m->routes[route];
	uint64_t sum = 0;

	if (c->count == 0)
		return;
	for (size_t i = 0; i <= ARRAY_LEN(BOUNDS_US); i++) {
		sum += c->by_duration[i];
		buf_printf(out, "%s_bucket", NAME);
		put_labels(out, m, route);
		if (i < ARRAY_LEN(BOUNDS_US))
			buf_printf(out, ",le=\"%g\"} ", (double)BOUNDS_US[i] / US_PER_S);
		else
			buf_puts(out, ",le=\"+Inf\"} ");
		buf_printf(out, "%llu\n", (unsigned long long)sum);
	}
	buf_printf(out, "%s_sum", NAME);
	put_labels(out, m, route);
	buf_printf(out, "} %.6f\n%s_count", (double)c->total_us / US_PER_S, NAME);
	put_labels(out, m, route);
	buf_printf(out, "} %llu\n", (unsigned long long)c->count);
}

void
metrics_put_requests(struct buf *out, const struct metrics *m)
{
	put_about(
		out, "perdure_http_requests_total", "counter",
		"Requests answered, by route and status; no route: refused before one was found.");
	for (size_t i = 0; i <= m->route_count; i++)
		put_counts(out, m, i);
	put_about(out, "perdure_http_request_duration_seconds", "histogram",
		  "From the head of a request to its answer; of a stream, to its opening.");
	for (size_t i = 0; i <= m->route_count; i++)
		put_histogram(out, m, i);
}

/* --- the process --- */

static double
open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = -3; /* ".", ".." and the descriptor that reads the directory */

	if (!dir)
		return 0;
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static double
resident_bytes(void)
{
	char text[128];
	struct str rest, size, resident;
	int64_t pages = 0;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, text, sizeof text) : -1;

	if (fd >= 0)
		close(fd);
	if (len <= 0)
		return 0;
	str_cut((struct str){ text, (size_t)len }, ' ', &size, &rest);
	str_cut(rest, ' ', &resident, &rest);
	return str_to_int(resident, &pages) ? (double)pages * (double)sysconf(_SC_PAGESIZE) : 0;
}

static double
cpu_seconds(void)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / US_PER_S;
}

void
metrics_put_process(struct buf *out)
{
	const struct metrics_number numbers[] = {
		{ "process_resident_memory_bytes", "Memory of this process that is in RAM.",
		  "gauge", resident_bytes() },
		{ "process_open_fds", "Descriptors that are open.", "gauge", open_descriptors() },
		{ "process_cpu_seconds_total", "Time on a CPU, in the program and the kernel.",
		  "counter", cpu_seconds() },
	};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		metrics_put(out, &numbers[i]);
}
