/* http_load - clients that ask again when they are answered, in one thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP_LOAD_CLIENTS_MAX = 256 };

struct http_load {
	int port, clients;
	const char *token;
	const char *const *paths; /* one of them per request, at random */
	size_t path_count;
	const char *body;
	int requests; /* in all */
};
struct http_load_result {
	double per_second;
	double p99_ms;
};
/* Aborts when an answer is not a 200. */
void http_load_run(const struct http_load *load, struct http_load_result *out);

int http_load_free_port(void);
/* A connection to a port of this machine; -1: nobody is there. */
int http_load_connect(int port);
bool http_load_is_ready(int port);
struct http_once {
	int port;
	const char *token, *method, *path, *body;
};
/* One request on a connection of its own; its answer, head and body, at most size - 1 bytes. 0: nobody is
 * there. */
size_t http_load_once(const struct http_once *ask, char *out, size_t size);
/* An event stream, its head read. */
int http_load_stream(int port, const char *token, const char *path);
/* A WebSocket that is subscribed to that stream. */
int http_load_socket(int port, const char *token, const char *path);
