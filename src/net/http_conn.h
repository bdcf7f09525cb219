/* http_conn - one HTTP/1.1 connection: what it reads, whose turn it is, what it still has to send.
 * For http_server and http_request only; everybody else speaks of requests.
 *
 * One request at a time: the next one of a pipeline is not looked at before this one is answered
 * and its bytes have left. A connection speaks to its socket in three places (read, send, shut):
 * encryption stands there, and what waits to be sent is encrypted already. */
#pragma once
#include <uv.h>
#include "base/buf.h"
#include "base/map.h"
#include "net/http_parse.h"
#include "net/http_server.h"
#include "net/out_queue.h"
#include "net/tls.h"

/* Who ends a state, and the limit that does if they never do. Bytes that wait for the socket have
 * stall_ms in every state. */
enum http_conn_state {
	HTTP_CONN_IDLE, /* between requests: not a byte of the next one. The client; idle_ms */
	HTTP_CONN_HEAD, /* a head is arriving. The client; header_ms */
	/* The head is with the owner; the body is arriving (the client; body_ms and a least rate), or
	 * waits to be asked for (the owner). */
	HTTP_CONN_BODY,
	/* The request is read; the answer is due. The owner, who is told when the client leaves; what
	 * reading does not show is looked for every stall_ms. */
	HTTP_CONN_ANSWER,
	/* The last answer is given: read and forget until the client hangs up; linger_ms */
	HTTP_CONN_LINGER,
	HTTP_CONN_CLOSED /* handed to uv_close */
};

enum http_answer { HTTP_ANSWER_NONE, HTTP_ANSWER_STREAM, HTTP_ANSWER_COMPLETE };
enum http_body_mode { HTTP_BODY_UNASKED, HTTP_BODY_WANTED, HTTP_BODY_SKIPPED };

/* One address and how many connections it has. */
struct http_peer {
	unsigned connections;
	char text[46];
};

struct http_conn {
	union {
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	} uv;
	struct list node; /* among the server's connections */
	struct list due;  /* among those with something to do at the end of this turn */
	struct http_server *server;
	struct http_peer *peer;
	struct http_request *request; /* the current one; NULL while idle */
	struct http_parse parse;
	struct timeout timeout;
	struct tls *tls;      /* NULL: none */
	struct out_queue out; /* bytes for the wire */
	struct buf pending;   /* read, but not yet its turn */
	enum http_conn_state state;
	uint16_t refused_as; /* once it can be told: one too many */
	bool reading : 1, peer_ended : 1, write_busy : 1, shut_sent : 1;
	bool served : 1;     /* has had a request before */
	bool must_close : 1; /* after this answer */
	bool flush_due : 1, process_due : 1, processing : 1;
	size_t stalled_at; /* what libuv had queued when the write last made progress */
};

/* Who gets what comes after an upgrade. */
struct http_tunnel {
	http_tunnel_fn fn;
	void *context;
};

struct http_request {
	struct http_server *server;
	struct http_conn *conn; /* NULL: gone, or answered and left behind */
	struct arena arena;
	struct http_head head;
	struct http_owner owner;
	struct list gone_node; /* among those whose owner must be told */
	union {
		struct http_body_want want;
		struct http_tunnel tunnel; /* is_tunnel */
	};
	char *body;
	size_t body_len, body_cap, body_total;
	int64_t since_ms; /* when its first byte came; later: when its head was complete */
	enum http_body_mode body_mode;
	enum http_answer answer;
	enum http_gone gone_why;
	bool with_owner, released, told_gone;
	bool body_held, continue_due, chunked, is_head, is_tunnel;
};

struct http_server {
	struct loop *loop;
	struct http_handler handler;
	struct http_limits limits;
	struct http_parse_limits parse_limits;
	struct list listeners, conns;
	struct list due;       /* connections with something to do at the end of this turn */
	struct list gone;      /* requests whose owners must be told */
	struct loop_task turn; /* does both */
	struct map peers;
	struct http_peer unix_peer;
	unsigned conn_count, listener_count;
	unsigned request_count;   /* not yet freed: some outlive their connection */
	struct arena_pool arenas; /* of requests */
	struct list spare;        /* requests that ended, for the next ones */
	unsigned spare_count;
	struct buf head;        /* the head of the answer being sent */
	char *read_buf;         /* shared: what is read is used before the next read */
	struct tls_config *tls; /* of the next connection that wants it */
	char *plain_buf;        /* shared: what was read, decrypted */
	struct buf sealed;      /* records on their way into the queue of a connection */
	bool draining, closing;
	void (*on_drained)(void *context);
	void *drained_context;
};

enum { HTTP_READ_BYTES = 64 * 1024, HTTP_SPARE_MAX = 256 };

/* Accepts what waits at the listener; the connection looks after itself from here on. */
void http_conn_accept(struct http_server *s, uv_stream_t *listener, bool with_tls);
/* It may be spoken to: one too many is told so. */
void http_conn_welcome(struct http_conn *c);
/* Something is to be done at the end of this turn: send, or go on with what was read. */
void http_conn_flush_later(struct http_conn *c);
void http_conn_process_later(struct http_conn *c);
/* Does it. */
void http_conn_turn(struct http_conn *c);
/* The server drains: closes if no whole request is there, else after this answer. */
void http_conn_drain(struct http_conn *c);
/* At once; the request's owner is told why. */
void http_conn_abort(struct http_conn *c, enum http_gone why);
/* The answer to what is refused: in the handler's words, or in ours; its texts in a. */
void http_conn_word_refusal(const struct http_server *s, const struct http_refusal *why,
			    struct arena *a, struct http_reply *reply);
/* Answers what cannot become, or go on being, a request; then closes. */
void http_conn_refuse(struct http_conn *c, int status, const char *reason);

/* The answer is complete. */
void http_conn_answered(struct http_conn *c);
/* Answered and read to its end: the next request, or the end. */
void http_conn_finish_exchange(struct http_conn *c);
/* Nothing waits to be sent any more. */
void http_conn_drained(struct http_conn *c);
/* Sends what is queued, then closes as soon as the client has read it. */
void http_conn_linger(struct http_conn *c);
void http_conn_close(struct http_conn *c);
/* It is the owner's turn: to ask for the body, to take more of it, or to answer. */
bool http_conn_waits_for_owner(const struct http_conn *c);
/* The timeout that fits what the connection is waiting for now. */
void http_conn_arm(struct http_conn *c);

/* A head begins. Up to HTTP_SPARE_MAX requests that ended wait to be used again. */
struct http_request *http_request_new(struct http_conn *c);
/* Its connection has left it and its owner too. */
void http_request_free(struct http_request *r);
void http_request_free_spare(struct http_server *s);
/* The owner hears of it at the end of this turn, unless its answer is complete. */
void http_conn_tell_gone(struct http_request *r, enum http_gone why);
/* Counts it. 0: welcome; else the status to refuse it with; negative: not even that. */
int http_server_admit(struct http_server *s, struct http_peer *peer);
struct http_peer *http_server_peer(struct http_server *s, const char *address);
/* The connection or request is gone: the server may be waiting for the last one. */
void http_server_conn_closed(struct http_server *s, struct http_peer *peer);
void http_server_request_freed(struct http_server *s);
