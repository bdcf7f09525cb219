/* bench - named measurements, each beside its baseline, against an optional bar.
 * Value and baseline take turns (A/B/A/B) so that a busy machine slows both; the medians of five
 * rounds count, after one round that warms up. Results are merged into one JSON file by name, so
 * every bench program may be run alone. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum bench_bar { BENCH_NO_BAR, BENCH_AT_LEAST, BENCH_AT_MOST };

struct bench {
	const char *name;                  /* "json.parse.event" */
	const char *unit;                  /* of value and baseline: "MB/s", "ms" */
	double (*value)(void *context);    /* measures once */
	double (*baseline)(void *context); /* NULL: there is nothing to compare with */
	void *context;
	/* What the bar is held against: ratio = value / baseline, or the value itself where there
	 * is no baseline. More is better under AT_LEAST, less under AT_MOST. */
	enum bench_bar bar;
	double limit;
	const char *against; /* what the baseline does, for readers of the file; NULL: obvious */
};

/* Measures all, prints the table, merges into results_path (NULL: prints only). The exit status of
 * a program: 0 when every bar is met, 1 when not, 3 when the file cannot be written. */
int bench_run(const struct bench *benches, size_t count, const char *results_path);

/* For the callbacks: calls `once` for a tenth of a second of this process's CPU time and returns
 * calls per second. */
double bench_calls_per_second(void (*once)(void *context), void *context);
/* Returns when this process has stopped working (threads that tidy up after a sample), so that the
 * next sample is not disturbed; gives up after five seconds. */
void bench_await_quiet(void);
/* CPU time of this process, all threads; wall time is clock_monotonic_ns. */
int64_t bench_cpu_ns(void);
