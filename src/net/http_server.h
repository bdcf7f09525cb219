/* http_server - listeners and their connections: accepts, limits, drains, closes.
 * Everything a client asks reaches the handler as a struct http_request. */
#pragma once
#include "net/http_request.h"
#include "net/loop.h"
#include "net/tls.h"

struct http_server;

/* What a client may take: space, places and time. */
struct http_limits {
	size_t header_bytes;       /* 16 KiB, request line included */
	unsigned headers;          /* 100 */
	size_t body_bytes;         /* 8 MiB, where the handler does not say otherwise */
	size_t stream_queue_bytes; /* 256 KiB wait for a slow reader, then it is cut */
	unsigned connections;      /* 10,000; one more: 503 */
	unsigned per_address;      /* 1,000 (a proxy is one address); one more: 429 */
	int64_t header_ms;         /* 30 s from its first byte, or from the connect: 408 */
	int64_t body_ms;           /* 30 s, and a second for every 16 KiB that came: 408 */
	int64_t idle_ms;           /* 75 s between requests */
	int64_t stall_ms;          /* 30 s without the client taking a byte */
	int64_t linger_ms;         /* 2 s for the client to read the last answer and hang up */
};
extern const struct http_limits HTTP_LIMITS_DEFAULT;

struct http_refusal {
	int status;
	struct str reason; /* a sentence without a full stop */
};

struct http_handler {
	/* A head is complete. The handler owns r now and releases it, now or later. */
	void (*on_request)(void *context, struct http_request *r);
	/* The answer to what never became a request: fills *reply (status is set), its texts in a.
	 * NULL: {"error":{"status":400,"message":"..."}}. */
	void (*on_refuse)(void *context, const struct http_refusal *why, struct arena *a,
			  struct http_reply *reply);
	void *context;
};

struct http_server *http_server_new(struct loop *loop, const struct http_handler *handler,
				    const struct http_limits *limits);
/* host: an IPv4 or IPv6 address, no name. port 0 takes a free one; *bound (may be NULL) tells. */
NODISCARD int http_server_listen_tcp(struct http_server *s, const char *host, int port, int *bound,
				     struct err *e);
/* The certificate of TLS connections (takes a reference of its own). Again, for a reload: counts for
 * connections that come from then on. */
void http_server_use_tls(struct http_server *s, struct tls_config *config);
/* As listen_tcp, with TLS: ERR_INVALID before http_server_use_tls. */
NODISCARD int http_server_listen_tls(struct http_server *s, const char *host, int port, int *bound,
				     struct err *e);
/* Only this user may connect. A socket that a dead process left behind is replaced. */
NODISCARD int http_server_listen_unix(struct http_server *s, const char *path, struct err *e);
/* Stops accepting, closes idle connections, lets requests finish; open streams get what is queued,
 * end, and their owners hear HTTP_GONE_SHUTDOWN. fn is called once nothing is left. */
void http_server_drain(struct http_server *s, void (*fn)(void *context), void *context);
/* Cuts everything. The memory goes when the last connection is closed and the last request is
 * released; owners hear HTTP_GONE_SHUTDOWN before. */
void http_server_free(struct http_server **s);
unsigned http_server_connections(const struct http_server *s);
