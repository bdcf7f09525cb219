/* server_child - the real server as a process of its own, with what the kernel knows about it. */
#pragma once
#include <stdint.h>
#include <sys/types.h>

enum { SERVER_TOKEN_MAX = 128 };

struct server_child {
	pid_t pid;
	int port;
	char directory[256];
	char token[SERVER_TOKEN_MAX];
	int64_t ready_ns; /* from the fork to the first 200 of /readyz */
};

/* The program is build/bench/src/app/perdure, beside this one. directory NULL: a fresh one. Aborts when
 * it does not come up. */
void server_child_start(struct server_child *s, const char *directory);
/* The same with more of a configuration: YAML of keys that the benchmarks do not set themselves. */
void server_child_start_with(struct server_child *s, const char *directory, const char *config);
/* SIGTERM, and waits. The directory stays for another start until server_child_remove. */
void server_child_stop(struct server_child *s);
/* SIGKILL instead: it has no time for anything. */
void server_child_kill(struct server_child *s);
void server_child_remove(struct server_child *s);
/* CPU time of the loop's thread, which is the process's first. */
int64_t server_child_loop_ns(const struct server_child *s);
/* Of all its threads. */
int64_t server_child_cpu_ns(const struct server_child *s);
int64_t server_child_rss_anon_bytes(const struct server_child *s);
