/* exchange - one request on its way through a handler: authenticated, decoded, to be answered once.
 *
 * A handler is called with everything its row asked for in place and ends the exchange by exactly one
 * of exchange_json, exchange_text, exchange_fail, exchange_problem, exchange_leave or exchange_drop, now or later.
 * What it needs until then it allocates in x->arena. Whether the client is still there matters only to a
 * handler that waits for something (exchange_await_leaving). */
#pragma once
#include "api/api.h"
#include "base/buf.h"
#include "base/id.h"
#include "base/json.h"
#include "net/http_request.h"
#include "net/query.h"
#include "net/route.h"
#include "net/sse.h"

struct exchange;
typedef void exchange_fn(struct exchange *x);

enum route_auth {
	ROUTE_OPEN,  /* nobody is asked: health, readiness, the API's description */
	ROUTE_TOKEN, /* any token; the engine decides what it may see */
};
enum route_body {
	ROUTE_NO_BODY,    /* one that is sent is refused */
	ROUTE_JSON,       /* a JSON object must come */
	ROUTE_JSON_MAYBE, /* may be missing or empty */
	ROUTE_JSON_TEXT,  /* too large to be parsed at once: the handler reads body_text */
	ROUTE_BYTES       /* whatever comes, as body_text */
};
enum route_answer {
	ROUTE_REPLY,  /* whole, JSON or a text */
	ROUTE_EVENTS, /* a stream of events */
	ROUTE_FILE,   /* bytes as they are read: only as an answer of HTTP */
	ROUTE_SOCKET  /* becomes a WebSocket */
};
/* A row of the one table (api/routes.c). */
struct api_route {
	struct route route; /* method, pattern */
	exchange_fn *handle;
	enum route_auth auth;
	enum access_verb
		verb; /* what the engine asks for it: the authorisation matrix is made of it */
	enum route_body body;
	enum route_answer answer;
	bool mutates;      /* takes an Idempotency-Key */
	size_t body_bytes; /* may have more than the configured limit; 0: not */
	/* The parameters it knows: "limit page types[] metadata.*"; others are refused. */
	const char *query;
	const char *tag, *summary; /* for the documents */
	const char *request,
		*response; /* names of their schemas in the OpenAPI document; NULL: none */
};
extern const struct api_route API_ROUTES[];
extern const size_t API_ROUTE_COUNT;

/* Where an answer goes that is for no request of HTTP (api/socket_call). */
struct exchange_port {
	/* Once, unless the handler opens a stream. */
	void (*reply)(struct exchange_port *p, const struct http_reply *reply);
	/* The exchange is over, and its memory is not used any more. */
	void (*release)(struct exchange_port *p);
	struct exchange *exchange; /* the one under way; NULL: none, or a stream */
};

struct exchange {
	struct api *api;
	struct engine *engine;
	struct http_request *request; /* NULL: it came through port */
	struct exchange_port *port;
	struct arena *arena;
	const struct api_route *route;
	struct engine_caller caller;
	struct str captures[ROUTE_CAPTURES_MAX];
	struct query query;
	struct str body_text;
	struct json body; /* absent without one */
	struct engine_repeat repeat;
	/* caller, repeat and ctx (x) in place: set done and hand it over */
	struct engine_call call;
	struct str request_id;

	/* for api/api and api/exchange alone */
	struct list node;
	struct json_doc doc;
	int64_t started_ns;
	void (*on_left)(void *ctx);
	void *left_ctx;
	bool with_handler, is_left;
	char request_id_text[ID_TEXT_MAX];
};

/* An emptied buffer to build the answer in, which is the API's own: good until the handler returns. */
struct buf *exchange_buf(struct exchange *x);
/* The whole answer; json is copied. Adds request-id, x-request-id; idempotency-replayed when
 * replayed. */
void exchange_json(struct exchange *x, int status, struct str json, bool replayed);
/* The error body for an ERR_* code and its sentence; 409 carries x-should-retry: false. */
void exchange_fail(struct exchange *x, int rc, const struct err *e);
/* The same with everything said by the caller: status, error.type, error.details (JSON or empty). */
struct api_problem {
	int status;
	const char *type; /* "conflict_error"; NULL: the usual one of the status */
	struct str message;
	struct str details; /* JSON object; empty: none */
};
void exchange_problem(struct exchange *x, const struct api_problem *p);
/* The same for an answer that is no JSON. */
void exchange_text(struct exchange *x, int status, struct str content_type, struct str text);
/* For a handler that waits for something: fn is called, at most once and never from inside this, when
 * the client leaves before it is answered, and may end x. Also when the client only closed its
 * sending side: a program that was killed looks just like it. */
void exchange_await_leaving(struct exchange *x, void (*fn)(void *ctx), void *ctx);
bool exchange_is_left(const struct exchange *x);
/* The client left: nobody is answered. */
void exchange_drop(struct exchange *x);
/* The handler keeps the request: it opens a stream and releases the request itself. headers gets
 * those that every answer has (at most EXCHANGE_HEADERS); their texts live as long as x. */
enum { EXCHANGE_HEADERS = 4 };
size_t exchange_headers(const struct exchange *x, struct http_header headers[EXCHANGE_HEADERS]);
/* The request or port is the handler's: x is gone, counted as answered with status. Before or after
 * sse_open, in which x->arena dies: what a stream keeps it has copied. */
void exchange_leave(struct exchange *x, int status);
/* Of the request; ptr NULL: it was not sent, or nothing of HTTP came. */
struct str exchange_header(const struct exchange *x, struct str name);
struct sse *api_sse(struct api *api);
struct loop *api_loop(struct api *api);
struct stream_hub;
struct stream_hub *api_hub(struct api *api);

/* Query parameters. Absent: *out keeps its value. Errors name the parameter. */
NODISCARD int exchange_query_int(struct exchange *x, const char *name, int64_t min, int64_t max,
				 int64_t *out, struct err *e);
NODISCARD int
exchange_query_str(struct exchange *x, const char *name, struct str *out, struct err *e);
NODISCARD int exchange_query_bool(struct exchange *x, const char *name, bool *out, struct err *e);
/* RFC 3339. */
NODISCARD int
exchange_query_instant(struct exchange *x, const char *name, int64_t *out, struct err *e);
