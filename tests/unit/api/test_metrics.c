#include "api/metrics.h"

#include "api/exchange.h"
#include "harness.h"

enum { MS = 1000000 };

static const struct row {
	const char *name, *line;
} ROWS[] = {
	{ "A14 metrics: by route and status",
	  "perdure_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"200\"} 3\n" },
	{ "A14 metrics: another status of it",
	  "perdure_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"404\"} 1\n" },
	{ "A14 metrics: a status that is not on the list",
	  "perdure_http_requests_total{method=\"GET\",route=\"/readyz\",status=\"other\"} 1\n" },
	{ "A14 metrics: without a route",
	  "perdure_http_requests_total{method=\"\",route=\"\",status=\"400\"} 1\n" },
	{ "A14 metrics: a bucket holds those before it",
	  "_bucket{method=\"GET\",route=\"/healthz\",le=\"0.001\"} 2\n" },
	{ "A14 metrics: a bound belongs to its bucket",
	  "_bucket{method=\"GET\",route=\"/healthz\",le=\"0.0001\"} 1\n" },
	{ "A14 metrics: the last but one",
	  "_bucket{method=\"GET\",route=\"/healthz\",le=\"10\"} 3\n" },
	{ "A14 metrics: the last bucket holds all",
	  "_bucket{method=\"GET\",route=\"/healthz\",le=\"+Inf\"} 4\n" },
	{ "A14 metrics: sum", "_sum{method=\"GET\",route=\"/healthz\"} 20.005100\n" },
	{ "A14 metrics: count", "_count{method=\"GET\",route=\"/healthz\"} 4\n" },
	{ "A14 metrics: what a number means",
	  "# HELP perdure_http_requests_total Requests answered" },
	{ "A14 metrics: what kind it is",
	  "# TYPE perdure_http_request_duration_seconds histogram\n" },
	{ "A14 metrics: single numbers", "# HELP x Some.\n# TYPE x gauge\nx 1.5\n" },
	{ "A14 metrics: the process", "# TYPE process_cpu_seconds_total counter\n" },
};

static struct buf TEXT;

static void
row_holds(void **state)
{
	const struct row *row = *state;

	if (!str_contains(buf_str(&TEXT), str_of(row->line)))
		fail_msg("no %s in:\n" STR_FMT, row->line, STR_ARG(buf_str(&TEXT)));
}

static void
A14_quiet_routes_have_no_lines(void **state)
{
	(void)state;
	assert_false(str_contains(buf_str(&TEXT), STR("/v1/agents")));
}

static void
A14_process_numbers_are_not_zero(void **state)
{
	(void)state;
	assert_false(str_contains(buf_str(&TEXT), STR("\nprocess_resident_memory_bytes 0\n")));
	assert_false(str_contains(buf_str(&TEXT), STR("\nprocess_open_fds 0\n")));
}

int
main(void)
{
	struct suite s = { 0 };
	struct metrics *m = metrics_new(API_ROUTE_COUNT);
	int failed;

	metrics_count(m, 0, 200, 100 * 1000);
	metrics_count(m, 0, 200, 1 * MS);
	metrics_count(m, 0, 200, 4 * MS);
	metrics_count(m, 0, 404, INT64_C(20000) * MS);
	metrics_count(m, 1, 299, 0);
	metrics_count(m, METRICS_NO_ROUTE, 400, 0);
	buf_init(&TEXT, 1024 * 1024);
	metrics_put_requests(&TEXT, m);
	metrics_put(&TEXT, &(struct metrics_number){ "x", "Some.", "gauge", 1.5 });
	metrics_put_process(&TEXT);
	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, A14_quiet_routes_have_no_lines);
	SUITE_TEST(&s, A14_process_numbers_are_not_zero);
	failed = suite_run(&s, "api/metrics");
	metrics_free(&m);
	buf_release(&TEXT);
	return failed;
}
