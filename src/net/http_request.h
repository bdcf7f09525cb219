/* http_request - one request and its answer, in terms of streams: nothing here tells which connection
 * carries it or what else that carries, so another version of HTTP can bring requests too.
 *
 * Life: the server's handler gets the request when its head is complete. The owner then takes the
 * body (http_request_body) or answers at once, in this turn or any later one, and releases the
 * handle exactly once. Until then every call is safe, also after the peer went away: it does
 * nothing. No callback comes from inside a call, and none after the release. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "net/net_bytes.h"

struct http_request;

struct http_header {
	struct str name, value; /* names of a request are in lower case */
};

struct http_head {
	struct str method; /* "GET" */
	struct str target; /* as sent: path, then '?' and query */
	struct str path;   /* still percent-encoded: net/query decodes */
	struct str query;
	struct str peer; /* "127.0.0.1", "::1" or "unix" */
	const struct http_header *headers;
	size_t header_count;
	int64_t content_length; /* 0: no body; -1: chunked, length not known */
	bool keep_alive, expects_continue, http_1_0;
	bool over_tls;
};

/* The first header of that name (lower case); ptr is NULL when there is none. */
struct str http_head_find(const struct http_head *head, struct str name);

/* Why an owner is told that its request or stream is over. */
enum http_gone {
	HTTP_GONE_PEER,    /* the client hung up or reset */
	HTTP_GONE_BROKEN,  /* the rest of the request was malformed, too large or too slow */
	HTTP_GONE_SLOW,    /* the stream's queue passed its limit: nothing was skipped, it is cut */
	HTTP_GONE_STALLED, /* the client took no byte for too long */
	HTTP_GONE_SHUTDOWN /* the server is closing */
};

struct http_owner {
	/* At most once, never after an answer is complete. A client that only closed its sending
	 * side is told as HTTP_GONE_PEER as well: a whole answer is still sent if the owner gives
	 * one, a stream is cut. */
	void (*on_gone)(void *context, enum http_gone why);
	/* Everything pushed to the stream has left; the time to push more of something long. */
	void (*on_drained)(void *context);
	void *context;
};

const struct http_head *http_request_head(const struct http_request *r);
/* Dies with the release, or when a stream is opened: a stream that lives for hours must not keep the
 * request's memory. The head's texts and the body live there too. */
struct arena *http_request_arena(struct http_request *r);
/* Either callback may be NULL. */
void http_request_own(struct http_request *r, const struct http_owner *owner);
void http_request_release(struct http_request *r);

enum { HTTP_BODY_DEFAULT = 0 };
/* part is the body (last is true, once), or the next piece of it in pieces mode: false then holds
 * the body back until http_request_resume. */
typedef bool (*http_body_fn)(void *context, struct str part, bool last);
struct http_body_want {
	size_t max_bytes; /* HTTP_BODY_DEFAULT: the server's limit; above: 413 */
	bool in_pieces;
	http_body_fn fn;
	void *context;
};
/* Asks for the body, also when there is none (an empty one arrives). Nothing of it is read before. */
void http_request_body(struct http_request *r, const struct http_body_want *want);
void http_request_resume(struct http_request *r);

struct http_reply {
	int status; /* 200..599 */
	const struct http_header *headers;
	size_t header_count;
	struct str content_type; /* empty: none */
	struct str body;
};
/* The whole answer; texts need to live only during the call. Of several answers the first counts.
 * A body that was not asked for is skipped, or ends the connection when it is long. */
void http_request_reply(struct http_request *r, const struct http_reply *reply);

/* An answer whose body comes in pieces: status and headers (reply->body is ignored) leave at once. */
void http_request_open(struct http_request *r, const struct http_reply *reply);
/* Queues one piece (takes a reference of its own); all of one turn leave in one write. ERR_LIMIT: the
 * queue was full, the stream is cut and on_gone will say HTTP_GONE_SLOW. ERR_UNAVAILABLE: it is over
 * already. */
NODISCARD int http_request_push(struct http_request *r, struct net_bytes *bytes);
size_t http_request_queued_bytes(const struct http_request *r);
/* Nothing is queued, or so many bytes more fit into half of the queue: an owner with several sources
 * who pushes only then is not cut for their sum; on_drained says when to ask again. */
bool http_request_has_room(const struct http_request *r, size_t bytes);
/* The answer is complete; what is queued is still sent. */
void http_request_end(struct http_request *r);
/* At once: the client sees that it was cut, and on_gone says why. */
void http_request_cut(struct http_request *r, enum http_gone why);

/* An answer worded by the server's hook for refusals, with these headers added (may be none). */
void http_request_refuse(struct http_request *r, int status, const char *reason,
			 const struct http_header *headers, size_t header_count);

/* Uses what the client sent and says how much; the rest, and what follows, is held back until
 * http_request_resume: then it is called again, also with nothing new. */
typedef size_t (*http_tunnel_fn)(void *context, struct str bytes);
/* From here on another protocol is spoken, both ways: the reply (101, its body is ignored) leaves at
 * once, pushed pieces are sent as they are, fn gets what comes. The request must have no body. When
 * the server drains, on_gone says HTTP_GONE_SHUTDOWN while pieces can still be pushed; its owner
 * then ends the stream or releases it. ERR_UNAVAILABLE: the client is gone, or the server drains (then
 * the request is refused with 503). */
NODISCARD int http_request_upgrade(struct http_request *r, const struct http_reply *reply,
				   http_tunnel_fn fn, void *context);
/* True once nothing more can reach the client: answered, ended or gone. */
bool http_request_is_over(const struct http_request *r);
