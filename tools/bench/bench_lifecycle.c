/* bench_lifecycle [results.json] - what sessions cost that nobody uses just now: a start after a kill, the
 * watcher that looks for what has expired, and the memory of those at rest. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "bench.h"
#include "http_load.h"
#include "lane_load.h"
#include "server_child.h"

enum {
	SESSIONS = 10000,
	INTERRUPTED = 1000,
	LANES = 100000,
	PASS_MS = 5 * 60 * 1000,
	PASSES_AN_HOUR = 12,
	/* As many as the caches have room for that all sessions share: the store's pages and heads, prepared
	 * agents. What sessions cost that come after them is their own. */
	CACHED_SESSIONS = 8000,
	IDLE_SESSIONS = 800,
	CLIENTS = 16,
	READ_BYTES = 64 * 1024,
	QUIET_TRIES = 200,
	QUIET_WINDOWS = 5,
	QUIET_WINDOW_US = 50 * 1000,
	QUIET_CPU_NS = 2 * 1000 * 1000,
};
static const int64_t DAY_MS = INT64_C(24) * 3600 * 1000;
static const double EXPIRED_A_PASS = LANES / (24.0 * PASSES_AN_HOUR);

/* What came with the last sample of a figure and is a row of its own. */
static double slice_ms, lane_us, caches_mb;

static void
must(bool fine, const char *what)
{
	if (!fine) {
		perror(what);
		abort();
	}
}

static double
last_sample(void *context)
{
	return *(const double *)context;
}

static void
make_directory(char path[64])
{
	snprintf(path, 64, "build/bench/lifecycle.XXXXXX");
	must(mkdtemp(path) != NULL, "mkdtemp");
}

static void
run(const char *format, const char *one, const char *other)
{
	char command[512];

	snprintf(command, sizeof command, format, one, other);
	must(system(command) == 0, command);
}

/* ---- a start after a kill ---- */

/* What a kill leaves of a server with old conversations and some at work: the files of a store that is
 * still in use. */
struct killed {
	char at_work[64];
	struct lane_load *load;
};

static void
killed_init(struct killed *k)
{
	int64_t now_ms = clock_now_ms();

	make_directory(k->at_work);
	k->load = lane_load_new(k->at_work, now_ms - DAY_MS, NULL);
	lane_load_open(k->load, SESSIONS, 1000);
	lane_load_set_clock(k->load, now_ms);
	lane_load_begin_turns(k->load, INTERRUPTED);
	bench_await_quiet();
}

static void
killed_release(struct killed *k)
{
	lane_load_free(&k->load);
	run("rm -r '%s'%s", k->at_work, "");
}

static double
start_ms(void *context)
{
	const struct killed *k = context;
	struct server_child s;
	char copy[64];

	make_directory(copy);
	run("cp -r '%s/.' '%s/' && sync", k->at_work, copy);
	server_child_start(&s, copy);
	server_child_kill(&s);
	server_child_remove(&s);
	return (double)s.ready_ns / 1e6;
}

/* ---- the expiry watcher ---- */

/* Used evenly over a day: with each pass some have expired. Once an hour all of them are looked through
 * for those that may be forgotten; that pass is the one measured. */
static double
sweep_ms(void *context)
{
	struct lane_load *l = context;
	struct lane_load_work work = { 0 };
	double without_ms = 0;

	slice_ms = 0;
	for (int i = 0; i < PASSES_AN_HOUR; i++) {
		without_ms += work.total_ms;
		work = lane_load_pass(l, PASS_MS);
		if (work.slice_ms > slice_ms)
			slice_ms = work.slice_ms;
	}
	lane_us = without_ms * 1000 / (PASSES_AN_HOUR - 1) / EXPIRED_A_PASS;
	return work.total_ms;
}

/* ---- memory ---- */

static void
post(const struct server_child *s, const char *path, const char *text)
{
	char answer[READ_BYTES];

	must(http_load_once(&(struct http_once){ s->port, s->token, "POST", path, text }, answer,
			    sizeof answer) > 0 &&
		     strncmp(answer, "HTTP/1.1 200", 12) == 0,
	     answer);
}

static void
await_rest(const struct server_child *s)
{
	int quiet = 0;

	for (int i = 0; i < QUIET_TRIES && quiet < QUIET_WINDOWS; i++) {
		int64_t before_ns = server_child_cpu_ns(s);

		usleep(QUIET_WINDOW_US);
		quiet = server_child_cpu_ns(s) - before_ns < QUIET_CPU_NS ? quiet + 1 : 0;
	}
	must(quiet == QUIET_WINDOWS, "a server at rest");
}

/* Sessions that have had a turn and wait for the next, opened by several clients at once. */
struct opening {
	const struct server_child *server;
	int first, count;
};

static void *
open_some(void *context)
{
	static const char MESSAGE[] = "{\"events\":[{\"type\":\"user.message\",\"content\":"
				      "[{\"type\":\"text\",\"text\":\"say hello\"}]}]}";
	const struct opening *o = context;
	char text[64], path[64];

	for (int i = o->first; i < o->first + o->count; i++) {
		snprintf(text, sizeof text, "{\"id\":\"rest:%d\"}", i);
		post(o->server, "/v1/sessions", text);
		snprintf(path, sizeof path, "/v1/sessions/rest:%d/events", i);
		post(o->server, path, MESSAGE);
	}
	return NULL;
}

static double
bytes_of_sessions(const struct server_child *s, int count)
{
	static int made;
	struct opening openings[CLIENTS];
	pthread_t threads[CLIENTS];
	int64_t before = server_child_rss_anon_bytes(s);

	for (int i = 0; i < CLIENTS; i++, made += count / CLIENTS) {
		openings[i] = (struct opening){ s, made, count / CLIENTS };
		must(pthread_create(&threads[i], NULL, open_some, &openings[i]) == 0, "thread");
	}
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	await_rest(s);
	return (double)(server_child_rss_anon_bytes(s) - before);
}

static double
resident_bytes(void *context)
{
	return bytes_of_sessions(context, IDLE_SESSIONS) / IDLE_SESSIONS;
}

int
main(int argc, char **argv)
{
	struct killed killed;
	struct server_child server;
	char lanes_in[64];
	struct lane_load *lanes;
	int rc;

	killed_init(&killed);
	make_directory(lanes_in);
	lanes = lane_load_new(lanes_in, clock_now_ms(), "OFF");
	lane_load_open(lanes, LANES, DAY_MS / LANES);
	bench_await_quiet();
	server_child_start(&server, NULL);
	caches_mb = bytes_of_sessions(&server, CACHED_SESSIONS) / 1e6;
	{
		const struct bench benches[] = {
			{ "start.10k", "ms", start_ms, NULL, &killed, BENCH_AT_MOST, 1000 },
			{ "sweep.100k", "ms", sweep_ms, NULL, lanes, BENCH_AT_MOST, 50 },
			{ "sweep.100k.slice", "ms", last_sample, NULL, &slice_ms, BENCH_AT_MOST,
			  2 },
			{ "sweep.lane", "us", last_sample, NULL, &lane_us, BENCH_NO_BAR, 0 },
			{ "session.resident_bytes", "bytes", resident_bytes, NULL, &server,
			  BENCH_AT_MOST, 2048 },
			{ "session.caches", "MB", last_sample, NULL, &caches_mb, BENCH_NO_BAR, 0 },
		};

		rc = bench_run(benches, ARRAY_LEN(benches), argc > 1 ? argv[1] : NULL);
	}
	server_child_stop(&server);
	server_child_remove(&server);
	lane_load_free(&lanes);
	run("rm -r '%s'%s", lanes_in, "");
	killed_release(&killed);
	return rc;
}
