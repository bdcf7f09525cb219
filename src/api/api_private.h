/* api_private - the API's parts as its own files see them. */
#pragma once
#include "api/exchange.h"
#include "api/gate.h"
#include "api/login_log.h"
#include "api/metrics.h"
#include "base/rand.h"
#include "net/ws.h"

struct api {
	struct api_config config;
	struct gate_lists lists;
	struct arena arena; /* the routes, for good */
	const struct route_tree *routes;
	const struct str_list *known; /* the parameters of each route */
	struct sse *sse;
	struct stream_hub *hub;
	struct ws_hub *sockets;
	size_t open_sockets;
	const struct http_server *server;
	struct rand rand;
	struct id_gen ids;
	struct metrics *metrics;
	struct list spare; /* exchanges to be used again */
	unsigned spare_count;
	struct buf scratch, errors; /* what answers are built in */
	struct str openapi;         /* made when first asked for */
	struct login_log logins;
	bool ready;
};

/* For r, or else for port; a is its memory. */
struct exchange *
exchange_new(struct api *api, struct http_request *r, struct exchange_port *port, struct arena *a);
/* Counts, logs and gives the request or port back; x is gone. status 0: the client left before it
 * could be answered. */
void exchange_close(struct exchange *x, int status);
/* The client of a request that is with its handler has gone. */
void exchange_left(struct exchange *x);

/* A request that did not come over HTTP, from one who was let in and is known. From the route on it
 * goes the way of any other, to the same handlers; texts must live as long as the arena. */
struct api_ask {
	struct exchange_port *port;
	struct arena *arena;
	const struct engine_caller *caller;
	struct str method, path, query, body;
	struct str idempotency_key; /* ptr NULL: none */
};
void api_ask(struct api *api, const struct api_ask *ask);

/* An error's body. */
struct api_error {
	int status;
	const char *type; /* NULL: the usual one of the status */
	struct str message;
	struct str details; /* JSON object; empty: none */
	struct str request_id;
};
void api_error_write(struct buf *out, const struct api_error *error);
/* exchange_problem with further headers, at most EXCHANGE_HEADERS. */
void exchange_refuse(struct exchange *x, const struct api_problem *p,
		     const struct http_header *headers, size_t header_count);
