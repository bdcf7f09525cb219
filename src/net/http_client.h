/* http_client - exchanges as transfers of libcurl on our loop. Private to net: everybody else goes
 * through net/egress, which alone decides where a connection may lead.
 *
 * curl is never given a name to look up: an exchange waits for its route, which says the addresses;
 * each address is asked for once more when its socket is made. */
#pragma once
#include <curl/curl.h>

#include "base/arena.h"
#include "net/http_exchange.h"
#include "net/http_url.h"
#include "net/loop.h"

enum { HTTP_CLIENT_CONNECTIONS_KEPT = 256 };

struct http_client {
	struct loop *loop;
	CURLM *multi;
	struct loop_timer *timer;
	struct list exchanges;
	char *ca_file;
	unsigned holds; /* calls on the stack that still need it */
	bool in_curl;   /* curl is on the stack: handles can be neither added nor removed */
	bool closing;
};

/* ca_file: certificates to trust instead of the system's; NULL: those. */
struct http_client *http_client_new(struct loop *loop, const char *ca_file);
/* Exchanges that are left are cancelled, their handles are gone. */
void http_client_free(struct http_client **client);
/* Around whatever may run callbacks, so that one of them may free the client. */
void http_client_enter(struct http_client *c);
void http_client_leave(struct http_client *c);
/* After curl has run: ends the exchanges that it is through with. */
void http_client_collect(struct http_client *c);

/* Makes an exchange that waits for its route; its times run already. ERR_INVALID: the call makes no
 * sense, and there is no exchange. */
NODISCARD int
http_client_send(struct http_client *c, const struct http_call *call,
		 const struct http_call_events *events, struct http_exchange **out, struct err *e);

enum http_phase {
	HTTP_PHASE_ROUTE, /* no route yet */
	HTTP_PHASE_CONNECT,
	HTTP_PHASE_ASK,   /* connected; no answer yet */
	HTTP_PHASE_ANSWER /* on_head was told */
};

struct http_route {
	const struct net_address *addresses; /* at least one, unless it is a Unix socket */
	size_t count;
	/* Connections are used again within a scope only ("operator"). */
	const char *scope;
	/* The last word about an address, just before its socket is made. */
	bool (*admits)(const struct net_address *address);
};

struct http_exchange {
	struct list node;
	struct http_client *client;
	struct http_call_events events;
	struct arena arena;
	struct http_url url;
	struct str method, unix_socket, where; /* where: for sentences */
	int64_t connect_ms, idle_ms, total_ms;
	struct timeout connect_timeout, idle_timeout, total_timeout;
	enum http_phase phase;
	bool (*admits)(const struct net_address *address);
	/* Cancels what goes on elsewhere for this exchange: called once when it is over. */
	void (*on_over)(void *context);
	void *over_context;

	CURL *easy;
	struct curl_slist *headers, *connect_to, *resolve;
	char reason[CURL_ERROR_SIZE];
	struct err err; /* why we ended it ourselves; code 0: we did not */

	struct str body; /* what is left to send */
	bool body_in_pieces;
	size_t body_max_bytes, body_left_bytes; /* of the answer */
	struct http_answer answer;
	struct http_header *headers_seen; /* room for HTTP_ANSWER_HEADERS; what answer shows */
	size_t head_bytes;

	struct loop_task task;                   /* starts it, lets it go on, or frees it */
	bool added;                              /* to the multi handle */
	bool paused;                             /* the owner holds the answer back */
	bool curl_holds_answer, curl_holds_body; /* curl was told to */
	bool over;                               /* on_done was called, or will never be */
};

void http_exchange_route(struct http_exchange *x, const struct http_route *route);
/* Ends it: on_done with this error. Not from inside curl. */
void http_exchange_fail(struct http_exchange *x, const struct err *e);
void http_exchange_free(struct http_exchange *x);
/* curl is through with it. */
void http_exchange_finish(struct http_exchange *x, CURLcode code);
/* A byte came or went. */
void http_exchange_touch(struct http_exchange *x);
