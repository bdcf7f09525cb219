/* bench_turn [results.json] - whole turns against a model that thinks for no time: what the server
 * adds to an answer, what a turn costs it, and what hundreds of answers at once cost. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "bench.h"
#include "instant_model.h"
#include "raw_append.h"
#include "server_child.h"
#include "turn_load.h"

enum {
	TURNS_ALONE = 100,
	MANY = 32,
	TURNS_OF_MANY = 20,
	STEADY = 500,
	SETTLE_MS = 300,
	WINDOW_MS = 3000,
	STEADY_MS = STEADY_WORDS * 1000 / STEADY_PER_SECOND,
};

static struct instant_model model;
static struct server_child server;
static struct raw_append raw;
static struct turn_load load;
/* What came with the last sample of a figure and is a row of its own. */
static double many_p99_ms, many_cpu_ms, steady_bytes;

static void
must(bool fine, const char *what)
{
	if (!fine) {
		perror(what);
		abort();
	}
}

static void
start_server(struct server_child *s)
{
	char config[512];

	snprintf(config, sizeof config,
		 "providers:\n  - name: bench\n    kind: openai-chat\n"
		 "    base_url: http://127.0.0.1:%d/v1\n    api_key_env: BENCH_KEY\n",
		 model.port);
	server_child_start_with(s, NULL, config);
}

/* ---- from the acknowledgement to the last event ---- */

static double
disk_ms(void *context)
{
	(void)context;
	return raw_append_p50_ms(&raw);
}

static double
alone_ms(void *context)
{
	static double took_ms[TURNS_ALONE];

	(void)context;
	turn_load_open(&load, &server, "bench/instant", 1);
	turn_load_run(&load, TURNS_ALONE, took_ms);
	turn_load_close(&load);
	return took_ms[TURNS_ALONE / 2];
}

static double
many_ms(void *context)
{
	static double took_ms[MANY * TURNS_OF_MANY];
	int64_t begun_ns;

	(void)context;
	turn_load_open(&load, &server, "bench/instant", MANY);
	begun_ns = server_child_cpu_ns(&server);
	turn_load_run(&load, TURNS_OF_MANY, took_ms);
	many_cpu_ms = (double)(server_child_cpu_ns(&server) - begun_ns) / 1e6 / ARRAY_LEN(took_ms);
	turn_load_close(&load);
	many_p99_ms = took_ms[ARRAY_LEN(took_ms) * 99 / 100];
	return took_ms[ARRAY_LEN(took_ms) / 2];
}

static double
last_sample(void *context)
{
	return *(const double *)context;
}

/* ---- many answers at once ---- */

/* A server that has done nothing else: memory that another sample left free would hide the turns. */
static double
steady_cores(void *context)
{
	struct server_child s;
	int64_t before_bytes, cpu_ns, wall_ns;
	int ended;

	(void)context;
	start_server(&s);
	turn_load_open(&load, &s, "bench/steady", STEADY);
	usleep(SETTLE_MS * 1000);
	before_bytes = server_child_rss_anon_bytes(&s);
	turn_load_start(&load);
	cpu_ns = server_child_cpu_ns(&s);
	wall_ns = clock_monotonic_ns();
	ended = turn_load_listen(&load, WINDOW_MS);
	cpu_ns = server_child_cpu_ns(&s) - cpu_ns;
	wall_ns = clock_monotonic_ns() - wall_ns;
	must(ended == 0, "turns that last");
	steady_bytes = (double)(server_child_rss_anon_bytes(&s) - before_bytes) / STEADY;
	for (int waited_ms = 0; ended < STEADY && waited_ms < 2 * STEADY_MS; waited_ms += SETTLE_MS)
		ended += turn_load_listen(&load, SETTLE_MS);
	must(ended == STEADY, "turns that end");
	turn_load_close(&load);
	server_child_stop(&s);
	server_child_remove(&s);
	return (double)cpu_ns / (double)wall_ns;
}

int
main(int argc, char **argv)
{
	const struct bench benches[] = {
		{ "turn.overhead.p50", "ms", alone_ms, disk_ms, NULL, BENCH_AT_MOST, 12,
		  "append of 600 bytes and fdatasync, median" },
		{ "turn.overhead.32.p50", "ms", many_ms, NULL, NULL, BENCH_AT_MOST, 10 },
		{ "turn.overhead.32.p99", "ms", last_sample, NULL, &many_p99_ms, BENCH_NO_BAR, 0 },
		{ "turn.cpu", "ms", last_sample, NULL, &many_cpu_ms, BENCH_NO_BAR, 0 },
		{ "turn.500.cpu", "cores", steady_cores, NULL, NULL, BENCH_AT_MOST, 0.6 },
		{ "turn.500.bytes", "bytes", last_sample, NULL, &steady_bytes, BENCH_AT_MOST,
		  100000 },
	};
	struct rlimit files;
	int rc;

	must(getrlimit(RLIMIT_NOFILE, &files) == 0, "getrlimit");
	files.rlim_cur = files.rlim_max;
	must(setrlimit(RLIMIT_NOFILE, &files) == 0, "setrlimit");
	must(setenv("BENCH_KEY", "none", 1) == 0, "setenv");
	instant_model_start(&model);
	start_server(&server);
	raw_append_init(&raw, server.directory);
	rc = bench_run(benches, ARRAY_LEN(benches), argc > 1 ? argv[1] : NULL);
	server_child_stop(&server);
	raw_append_release(&raw);
	server_child_remove(&server);
	instant_model_stop(&model);
	return rc;
}
