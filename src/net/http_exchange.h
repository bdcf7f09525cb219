/* http_exchange - one request that goes out, and the answer that comes back: the interface, in terms
 * of calls and events. net/egress makes exchanges; nothing here tells how bytes travel.
 *
 * Life: egress_send copies the call and gives the handle. on_head comes once the answer's head is
 * there, then on_body for each piece, then on_done; after on_done, or after http_exchange_cancel,
 * the handle is gone and nothing comes any more. Every status is an answer, 500 as well: only what
 * keeps an answer from arriving whole is an error. Redirects are answers too. No callback comes from
 * inside a call, and a callback may do anything, also cancel its own exchange. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "net/http_request.h"

struct http_exchange;

/* Where a call says 0. */
enum {
	HTTP_CALL_CONNECT_MS = 10 * 1000,
	HTTP_CALL_IDLE_MS = 120 * 1000,
	HTTP_CALL_BODY_BYTES = 8 * 1024 * 1024
};
/* No limit. */
#define HTTP_CALL_UNLIMITED_MS    INT64_MAX
#define HTTP_CALL_UNLIMITED_BYTES SIZE_MAX
/* The head of an answer: beyond, the exchange fails with ERR_TOO_LARGE. */
enum { HTTP_ANSWER_HEAD_BYTES = 64 * 1024, HTTP_ANSWER_HEADERS = 256 };

struct http_call {
	struct str method;                 /* "GET" */
	struct str url;                    /* see net/http_url */
	const struct http_header *headers; /* none of those that frame the message */
	size_t header_count;
	struct str body;        /* its length is sent, also 0 where the method wants a body */
	bool body_in_pieces;    /* body is empty: on_send gives it, and it is sent chunked */
	struct str unix_socket; /* its path; empty: TCP. The URL's host is only sent then */
	int64_t connect_ms;     /* looking up, connecting and the TLS handshake together */
	int64_t idle_ms;  /* between two bytes of the peer's; not while the owner holds back */
	int64_t total_ms; /* all of it; 0: unlimited */
	size_t max_body_bytes;
};

struct http_answer {
	int status; /* 200..999 */
	const struct http_header *headers;
	size_t header_count;
};
/* The first header of that name (lower case); ptr is NULL when there is none. */
struct str http_answer_find(const struct http_answer *answer, struct str name);

#define HTTP_SEND_LATER SIZE_MAX

struct http_call_events {
	/* At most once. The texts live as long as the exchange. May be NULL. */
	void (*on_head)(void *context, const struct http_answer *answer);
	/* A piece is never empty and lives during the call. May be NULL. */
	void (*on_body)(void *context, struct str piece);
	/* The next of the body, at most room bytes: their number, 0 at the end, or HTTP_SEND_LATER
	 * when there are none yet (http_exchange_send_more asks again). */
	size_t (*on_send)(void *context, char *to, size_t room);
	/* Exactly once, unless cancelled. rc 0: the answer is whole; else e has the sentence. */
	void (*on_done)(void *context, int rc, const struct err *e);
	void *context;
};

/* Accepts NULL and clears the pointer. In on_done it does nothing: the exchange ends anyway. */
void http_exchange_cancel(struct http_exchange **x);
/* Holds the answer's body back: no piece comes until http_exchange_resume, and when its buffers are
 * full the peer has to wait. */
void http_exchange_pause(struct http_exchange *x);
void http_exchange_resume(struct http_exchange *x);
/* on_send said HTTP_SEND_LATER, and now there is something. */
void http_exchange_send_more(struct http_exchange *x);
