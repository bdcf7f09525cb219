/* api - the HTTP surface: one route table, from which come dispatch, authorisation, limits, the
 * OpenAPI document and the matrix test. Decodes requests into engine commands, renders projections. */
#pragma once
#include "base/arena.h"
#include "base/str.h"
#include "engine/engine.h"
#include "net/http_server.h"
#include "net/loop.h"

struct api;

struct api_config {
	struct loop *loop;
	struct engine *engine;
	struct str_list hosts;   /* Host headers accepted, without port, beside loopback names */
	struct str_list origins; /* Origins accepted, beside none and our own */
	size_t body_bytes;       /* where a route does not say otherwise */
	const char *version;
};

struct api *api_new(const struct api_config *config);
/* What to give to http_server_new. */
struct http_handler api_handler(struct api *api);
/* Before: every request is 503 but /healthz, and a stream an empty one that says when to come again
 * (readers that follow a log give up for good at a 503). After a drain began: false again. */
void api_set_ready(struct api *api, bool ready);
/* A new allow-list after a reload; texts are borrowed. */
void api_set_lists(struct api *api, struct str_list hosts, struct str_list origins);
/* Whose connections /metrics counts; NULL: nobody's. */
void api_set_server(struct api *api, const struct http_server *server);
/* After the server that uses it. Open exchanges must be over. */
void api_free(struct api **api);
/* The route table as an OpenAPI 3.1 document. */
struct str api_openapi(struct arena *a, const char *version);
