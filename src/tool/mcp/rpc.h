/* rpc - requests and their answers over a transport: ids, time limits, progress, cancelling, and what
 * the peer asks back.
 *
 * No answer comes from inside a call. A request has exactly one answer, unless it is cancelled.
 * Progress that the peer tells about a request starts its time anew, to RPC_PATIENCE times in all. */
#pragma once
#include "base/host.h"
#include "base/json.h"
#include "tool/mcp/transport.h"

enum { RPC_PATIENCE = 10 };

struct rpc_identity { /* texts outlive the rpc */
	struct str name, version;
	bool accepts_defaults; /* see ask_back */
};

struct rpc;
struct rpc_request;

struct rpc_ask {
	struct str method;
	struct str name;   /* of the tool that is called, or empty */
	struct str params; /* JSON object without _meta, or empty */
	const struct http_header *headers;
	size_t header_count;
	int64_t timeout_ms; /* 0: none */
	bool progress;      /* is told about */
};

/* Exactly one of result, code and failure is set. */
struct rpc_answer {
	struct json result;
	int64_t code; /* of the peer's error, with its words */
	struct str text;
	struct json data;
	const struct mcp_failure *failure;
};
/* The answer is good during the call; the request is gone. */
typedef void rpc_answer_fn(void *ctx, const struct rpc_answer *answer);

struct rpc_events {
	void (*on_notification)(void *ctx, struct str method, struct json params);
	/* Once, after every request has failed. */
	void (*on_closed)(void *ctx, const struct mcp_failure *failure);
	/* What the peer says of itself does not come any more, until rpc_listen. */
	void (*on_deaf)(void *ctx);
};

/* Takes the transport. */
struct rpc *
rpc_new(struct host *host, struct transport *transport, const struct rpc_identity *identity,
	const struct rpc_events *events, void *ctx);
/* What is said from now on carries that version; the texts are literals. */
void rpc_speak(struct rpc *r, const struct transport_mode *mode);
const struct transport_mode *rpc_mode(const struct rpc *r);
struct rpc_request *rpc_ask(struct rpc *r, const struct rpc_ask *ask, rpc_answer_fn *fn, void *ctx);
/* The peer is told; no answer comes. Clears the pointer, accepts NULL. */
void rpc_cancel(struct rpc_request **request, const char *reason);
/* params: JSON object or empty. */
void rpc_notify(struct rpc *r, struct str method, struct str params);
void rpc_listen(struct rpc *r);
/* Takes leave once the requests that are left have had their answers: nothing else comes any more. From
 * now on it is on the list closing. */
void rpc_retire(struct rpc **r, struct list *closing);
/* Takes leave: nothing comes any more, requests that are left are dropped. It frees itself when the
 * peer knows, or after a moment; until then it is on the list closing. May be called from anywhere. */
void rpc_close(struct rpc **r, struct list *closing);
/* Those that are still on the list are ended at once. Not from inside a callback. */
void rpc_end_all(struct list *closing);
