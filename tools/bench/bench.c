#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_write.h"

enum { ROUNDS = 5, RESULTS_MAX = 1024 * 1024 };
enum { QUIET_TRIES = 100, QUIET_WINDOWS = 3, QUIET_WINDOW_US = 50 * 1000, QUIET_CPU_NS = 1000000 };
static const int64_t SAMPLE_NS = 100 * 1000 * 1000;

struct result {
	double value, baseline, ratio; /* NAN where there is none */
	bool pass;
};

int64_t
bench_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void
bench_await_quiet(void)
{
	int quiet = 0;

	for (int i = 0; i < QUIET_TRIES && quiet < QUIET_WINDOWS; i++) {
		int64_t before_ns = bench_cpu_ns();
		usleep(QUIET_WINDOW_US);
		quiet = bench_cpu_ns() - before_ns < QUIET_CPU_NS ? quiet + 1 : 0;
	}
}

double
bench_calls_per_second(void (*once)(void *context), void *context)
{
	int64_t start = bench_cpu_ns(), spent = 0;
	uint64_t calls = 0;

	/* The clock is read after 1, 2, 4 ... calls, so that reading it is no part of the cost. */
	for (uint64_t batch = 1; spent < SAMPLE_NS; batch *= 2) {
		for (uint64_t i = 0; i < batch; i++)
			once(context);
		calls += batch;
		spent = bench_cpu_ns() - start;
		if (spent * 2 > SAMPLE_NS)
			batch /= 2;
	}
	return (double)calls * 1e9 / (double)spent;
}

static int
by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double
median(double samples[ROUNDS])
{
	qsort(samples, ROUNDS, sizeof *samples, by_size);
	return samples[ROUNDS / 2];
}

static struct result
measure(const struct bench *b)
{
	double values[ROUNDS], baselines[ROUNDS];
	struct result r = { .baseline = NAN, .ratio = NAN };
	double held;

	for (int round = -1; round < ROUNDS; round++) { /* round -1 warms up */
		int at = round < 0 ? 0 : round;
		values[at] = b->value(b->context);
		baselines[at] = b->baseline ? b->baseline(b->context) : NAN;
	}
	r.value = median(values);
	if (b->baseline) {
		r.baseline = median(baselines);
		r.ratio = r.value / r.baseline;
	}
	held = b->baseline ? r.ratio : r.value;
	r.pass = b->bar == BENCH_AT_LEAST ? held >= b->limit
					  : b->bar == BENCH_NO_BAR || held <= b->limit;
	return r;
}

static void
bar_text(const struct bench *b, char *out, size_t size)
{
	if (b->bar == BENCH_NO_BAR)
		snprintf(out, size, "-");
	else
		snprintf(out, size, "%s %g", b->bar == BENCH_AT_LEAST ? ">=" : "<=", b->limit);
}

/* Three significant digits say all that a measurement knows. */
static void
cell_text(double number, char *out, size_t size)
{
	if (isnan(number))
		snprintf(out, size, "-");
	else
		snprintf(out, size, fabs(number) >= 1000 ? "%.0f" : "%.3g", number);
}

static void
print_row(const struct bench *b, const struct result *r)
{
	char value[32], baseline[32], ratio[32], bar[32];

	cell_text(r->value, value, sizeof value);
	cell_text(r->baseline, baseline, sizeof baseline);
	cell_text(r->ratio, ratio, sizeof ratio);
	bar_text(b, bar, sizeof bar);
	printf("%-28s %10s %10s %-8s %8s %10s  %s\n", b->name, value, baseline, b->unit, ratio, bar,
	       b->bar == BENCH_NO_BAR ? ""
	       : r->pass              ? "met"
				      : "MISSED");
	fflush(stdout);
}

static void
write_number(struct jw *w, const char *name, double number)
{
	jw_key(w, str_of(name));
	if (isfinite(number))
		jw_double(w, number);
	else
		jw_null(w);
}

static void
write_result(struct jw *w, const struct bench *b, const struct result *r)
{
	char bar[32];

	bar_text(b, bar, sizeof bar);
	jw_field_object(w, b->name);
	write_number(w, "value", r->value);
	write_number(w, "baseline", r->baseline);
	write_number(w, "ratio", r->ratio);
	jw_field_str(w, "unit", str_of(b->unit));
	if (b->against)
		jw_field_str(w, "against", str_of(b->against));
	if (b->bar == BENCH_NO_BAR) {
		jw_field_null(w, "bar");
		jw_field_null(w, "pass");
	} else {
		jw_field_str(w, "bar", str_of(bar));
		jw_field_bool(w, "pass", r->pass);
	}
	jw_end_object(w);
}

static bool
is_measured(const struct bench *benches, size_t count, struct json name)
{
	for (size_t i = 0; i < count; i++)
		if (json_str_eq(name, str_of(benches[i].name)))
			return true;
	return false;
}

/* What other programs measured before stays; an unreadable file is started afresh. */
static void
write_others(struct jw *w, const struct bench *benches, size_t count, const char *path)
{
	struct arena a;
	struct str text;
	struct json_doc doc;

	arena_init(&a);
	if (file_read(path, RESULTS_MAX, &a, &text, NULL) == 0 &&
	    json_parse(&a, text, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0) {
		struct json_iter it = json_iter(json_root(&doc));
		while (json_next(&it)) {
			if (!it.in_object || is_measured(benches, count, it.key))
				continue;
			jw_key(w, json_str(it.key, &a));
			jw_raw(w, json_raw(it.value));
		}
	}
	arena_release(&a);
}

/* Whole or not at all: a reader never sees half a file. */
static bool
replace_file(const char *path, struct str text)
{
	struct arena a;
	const char *fresh;
	FILE *f;
	bool ok;

	arena_init(&a);
	fresh = arena_printf(&a, "%s.new", path).ptr;
	f = fopen(fresh, "we");
	ok = f && fwrite(text.ptr, 1, text.len, f) == text.len;
	ok = f && fclose(f) == 0 && ok && rename(fresh, path) == 0;
	if (!ok)
		fprintf(stderr, "bench: %s: %s\n", path, strerror(errno));
	arena_release(&a);
	return ok;
}

int
bench_run(const struct bench *benches, size_t count, const char *results_path)
{
	struct buf out;
	struct jw w;
	int missed = 0;
	bool written = true;

	buf_init(&out, RESULTS_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	if (results_path)
		write_others(&w, benches, count, results_path);
	printf("%-28s %10s %10s %-8s %8s %10s\n", "", "value", "baseline", "unit", "ratio", "bar");
	for (size_t i = 0; i < count; i++) {
		struct result r = measure(&benches[i]);
		print_row(&benches[i], &r);
		write_result(&w, &benches[i], &r);
		missed += !r.pass;
	}
	jw_end_object(&w);
	buf_putc(&out, '\n');
	if (results_path)
		written = replace_file(results_path, buf_str(&out));
	buf_release(&out);
	return !written ? 3 : missed > 0 ? 1 : 0;
}
