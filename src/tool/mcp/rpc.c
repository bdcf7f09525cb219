#include "tool/mcp/rpc.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "tool/mcp/ask_back.h"

enum {
	OUT_BYTES_MAX = 32 << 20,
	LEAVE_MS = 2000,
	METHOD_NOT_FOUND = -32601,
};

struct rpc {
	struct list node; /* among those that take leave */
	struct host *host;
	struct transport *transport;
	const struct rpc_identity *identity;
	struct rpc_events events;
	void *ctx;
	struct transport_mode mode;
	struct list pending;
	int64_t last_id;
	struct host_task last;    /* it has no request left, and is retired */
	struct host_task end;     /* it has taken leave */
	struct host_timer *leave; /* it takes too long */
	bool retired;             /* it will take leave when its requests are answered */
	bool muted;               /* it takes leave */
	bool closed;              /* the transport is over */
	struct mcp_failure failure;
};

struct rpc_request {
	struct list node;
	struct rpc *rpc;
	int64_t id;
	struct str method; /* for messages; a copy */
	rpc_answer_fn *fn;
	void *ctx;
	struct host_timer *timer;
	struct host_task failing; /* it could not be sent */
	int64_t asked_at_ms;
	int64_t timeout_ms; /* without a word of the peer's; 0: none */
	int64_t granted_ms; /* in all, after what progress there was */
};

/* ---- requests ---- */

static struct rpc_request *
find(struct rpc *r, int64_t id)
{
	list_for_each (at, &r->pending) {
		struct rpc_request *q = LIST_OWNER(at, struct rpc_request, node);

		if (q->id == id)
			return q;
	}
	return NULL;
}

static void
request_free(struct rpc_request *q)
{
	list_remove(&q->node);
	list_remove(&q->failing.node);
	q->rpc->host->ops->timer_free(q->timer);
	if (q->rpc->retired)
		host_defer(q->rpc->host, &q->rpc->last);
	free((void *)(uintptr_t)q->method.ptr);
	free(q);
}

static void
finish(struct rpc_request *q, const struct rpc_answer *answer)
{
	rpc_answer_fn *fn = q->fn;
	void *ctx = q->ctx;

	request_free(q);
	fn(ctx, answer);
}

static void
fail(struct rpc_request *q, const struct mcp_failure *failure)
{
	finish(q, &(struct rpc_answer){ .failure = failure });
}

static void
on_failing(struct host_task *task)
{
	struct rpc_request *q = LIST_OWNER(task, struct rpc_request, failing);
	struct mcp_failure failure = q->rpc->failure;

	fail(q, &failure);
}

/* ---- messages of ours ---- */

static void
write_stateless_meta(const struct rpc *r, struct jw *w)
{
	jw_field_str(w, "io.modelcontextprotocol/protocolVersion", r->mode.version);
	jw_field_object(w, "io.modelcontextprotocol/clientInfo");
	jw_field_str(w, "name", r->identity->name);
	jw_field_str(w, "version", r->identity->version);
	jw_end_object(w);
	jw_key(w, STR("io.modelcontextprotocol/clientCapabilities"));
	ask_back_capabilities(r->identity->accepts_defaults, w);
}

/* The members of params behind _meta, where one is due. */
static void
write_params(const struct rpc *r, struct str params, int64_t progress_token, struct jw *w)
{
	bool has_meta = r->mode.stateless || progress_token >= 0;
	struct str members = str_trim(params);

	members = members.len > 2 ? str_trim(str_slice(members, 1, members.len - 1)) : STR("");
	if (!has_meta && params.len == 0)
		return;
	jw_key(w, STR("params"));
	jw_object(w);
	if (has_meta) {
		jw_field_object(w, "_meta");
		if (r->mode.stateless)
			write_stateless_meta(r, w);
		if (progress_token >= 0)
			jw_field_int(w, "progressToken", progress_token);
		jw_end_object(w);
	}
	/* jw has no way to take members that are written already */
	if (members.len > 0 && has_meta)
		buf_putc(w->out, ',');
	buf_put_str(w->out, members);
	jw_end_object(w);
}

static void
begin_message(struct jw *w, struct buf *text)
{
	buf_init(text, OUT_BYTES_MAX);
	jw_init(w, text);
	jw_object(w);
	jw_field_str(w, "jsonrpc", STR("2.0"));
}

/* Whether it fits. */
static bool
end_message(struct rpc *r, struct jw *w, struct transport_out *out)
{
	bool fits;

	jw_end_object(w);
	out->text = buf_str(w->out);
	fits = !w->out->overflow;
	if (fits && !r->closed)
		r->transport->ops->send(r->transport, out);
	buf_release(w->out);
	return fits;
}

void
rpc_notify(struct rpc *r, struct str method, struct str params)
{
	struct transport_out out = { .id = MESSAGE_NO_ID, .method = method };
	struct buf text;
	struct jw w;

	begin_message(&w, &text);
	jw_field_str(&w, "method", method);
	if (params.len > 0)
		jw_field_raw(&w, "params", params);
	end_message(r, &w, &out);
}

static void
answer_peer(struct rpc *r, const struct message_in *m)
{
	struct transport_out out = { .id = MESSAGE_NO_ID };
	struct buf text, result;
	struct jw w, inner;
	struct err e;

	buf_init(&result, MESSAGE_BYTES_MAX);
	jw_init(&inner, &result);
	begin_message(&w, &text);
	jw_field_raw(&w, "id", m->raw_id);
	if (ask_back_answer(m->method, m->params, r->identity->accepts_defaults, &inner, &e) == 0) {
		jw_field_raw(&w, "result", buf_str(&result));
	} else {
		jw_field_object(&w, "error");
		jw_field_int(&w, "code", METHOD_NOT_FOUND);
		jw_field_str(&w, "message", str_of(e.text));
		jw_end_object(&w);
	}
	end_message(r, &w, &out);
	buf_release(&result);
}

/* ---- what the peer says ---- */

/* Its time begins anew. */
static void
take_progress(struct rpc *r, struct json params)
{
	struct json token;
	struct rpc_request *q;
	int64_t id, spent_ms;

	if (!json_find(params, STR("progressToken"), &token) || !json_int(token, &id))
		return;
	q = find(r, id);
	if (!q || q->timeout_ms == 0)
		return;
	spent_ms = host_now_ms(r->host) - q->asked_at_ms;
	q->granted_ms = spent_ms + q->timeout_ms;
	if (q->granted_ms > RPC_PATIENCE * q->timeout_ms)
		q->granted_ms = RPC_PATIENCE * q->timeout_ms;
	r->host->ops->timer_set(q->timer, q->granted_ms > spent_ms ? q->granted_ms - spent_ms : 0);
}

static void
take_answer(struct rpc *r, const struct message_in *m, int64_t id)
{
	struct rpc_answer answer = { m->result, m->code, m->text, m->data, NULL };
	struct rpc_request *q = find(r, id);

	if (!q)
		return; /* cancelled, or nobody asked */
	if (m->kind == MESSAGE_ERROR && m->code == 0)
		answer.code = METHOD_NOT_FOUND; /* an error all the same */
	r->transport->ops->settle(r->transport, id, false);
	finish(q, &answer);
}

static void
take_message(struct rpc *r, const struct message_in *m, int64_t came_for)
{
	switch (m->kind) {
	case MESSAGE_RESULT: take_answer(r, m, m->id); break;
	case MESSAGE_ERROR: take_answer(r, m, m->id == MESSAGE_NO_ID ? came_for : m->id); break;
	case MESSAGE_REQUEST: answer_peer(r, m); break;
	case MESSAGE_NOTIFICATION:
		if (str_eq(m->method, STR("notifications/progress")))
			take_progress(r, m->params);
		else if (!r->retired)
			r->events.on_notification(r->ctx, m->method, m->params);
		break;
	}
}

static void
on_closed(void *ctx, const struct mcp_failure *failure)
{
	struct rpc *r = ctx;
	bool known = r->closed; /* it spoke nonsense before */

	r->closed = true;
	if (r->muted)
		host_defer(r->host, &r->end);
	if (r->muted || known)
		return;
	r->failure = *failure;
	for (struct list *first = r->pending.next; !r->muted && first != &r->pending;
	     first = r->pending.next)
		fail(LIST_OWNER(first, struct rpc_request, node), failure);
	if (!r->muted && !r->retired)
		r->events.on_closed(r->ctx, failure);
}

static void
on_failed(void *ctx, int64_t id, const struct mcp_failure *failure)
{
	struct rpc *r = ctx;
	struct rpc_request *q = r->muted ? NULL : find(r, id);

	if (q)
		fail(q, failure);
	else if (id == MESSAGE_NO_ID && !r->muted && !r->closed && !r->retired)
		r->events.on_deaf(r->ctx);
}

/* Without knowing whose answer it was, nothing after it can be trusted. */
static void
take_nonsense(struct rpc *r, int64_t came_for, const struct err *why)
{
	struct mcp_failure failure = { .kind = MCP_FAIL_MALFORMED };

	err_set(&failure.err, ERR_INVALID, "what it says makes no sense: %s", why->text);
	if (came_for == MESSAGE_NO_ID) {
		r->transport->ops->hang_up(r->transport);
		on_closed(r, &failure);
		return;
	}
	r->transport->ops->settle(r->transport, came_for, true);
	on_failed(r, came_for, &failure);
}

static void
on_text(void *ctx, struct str text, int64_t came_for)
{
	struct rpc *r = ctx;
	struct message_in *messages;
	struct arena a;
	struct err e;
	size_t count;

	if (r->muted || r->closed)
		return;
	arena_init(&a);
	if (message_read(&a, text, &messages, &count, &e) == 0)
		for (size_t i = 0; i < count && !r->muted && !r->closed; i++)
			take_message(r, &messages[i], came_for);
	else
		take_nonsense(r, came_for, &e);
	arena_release(&a);
}

/* ---- asking ---- */

static void
on_late(void *ctx)
{
	struct rpc_request *q = ctx;
	struct mcp_failure failure = { .kind = MCP_FAIL_TIMEOUT };
	rpc_answer_fn *fn = q->fn;
	void *fn_ctx = q->ctx;

	err_set(&failure.err, ERR_TIMEOUT, "no answer to " STR_FMT " within %lld ms",
		STR_ARG(q->method), (long long)q->granted_ms);
	rpc_cancel(&q, "timeout");
	fn(fn_ctx, &(struct rpc_answer){ .failure = &failure });
}

static bool
send_request(struct rpc_request *q, const struct rpc_ask *ask)
{
	struct transport_out out = { q->id,   ask->method,  ask->name,
				     STR(""), ask->headers, ask->header_count };
	struct buf text;
	struct jw w;

	begin_message(&w, &text);
	jw_field_int(&w, "id", q->id);
	jw_field_str(&w, "method", ask->method);
	write_params(q->rpc, ask->params, ask->progress ? q->id : -1, &w);
	return end_message(q->rpc, &w, &out);
}

struct rpc_request *
rpc_ask(struct rpc *r, const struct rpc_ask *ask, rpc_answer_fn *fn, void *ctx)
{
	struct rpc_request *q = xcalloc(1, sizeof *q);
	char *method = xmalloc(ask->method.len + 1);

	memcpy(method, ask->method.ptr, ask->method.len);
	*q = (struct rpc_request){ .rpc = r,
				   .id = ++r->last_id,
				   .method = { method, ask->method.len },
				   .fn = fn,
				   .ctx = ctx,
				   .asked_at_ms = host_now_ms(r->host),
				   .timeout_ms = ask->timeout_ms,
				   .granted_ms = ask->timeout_ms };
	q->failing.fn = on_failing;
	list_init(&q->failing.node);
	q->timer = r->host->ops->timer_new(r->host, on_late, q);
	list_append(&r->pending, &q->node);
	if (!r->closed && !send_request(q, ask)) {
		r->failure.kind = MCP_FAIL_LOCAL;
		err_set(&r->failure.err, ERR_TOO_LARGE, "the request is over %d bytes",
			OUT_BYTES_MAX);
		host_defer(r->host, &q->failing);
	} else if (r->closed) {
		host_defer(r->host, &q->failing);
	} else if (ask->timeout_ms > 0) {
		r->host->ops->timer_set(q->timer, ask->timeout_ms);
	}
	return q;
}

void
rpc_cancel(struct rpc_request **request, const char *reason)
{
	struct rpc_request *q = TAKE(*request);
	struct rpc *r;
	char params[128];
	int len;

	if (!q)
		return;
	r = q->rpc;
	len = snprintf(params, sizeof params, "{\"requestId\":%lld,\"reason\":\"%.60s\"}",
		       (long long)q->id, reason);
	if (!r->closed && !r->muted && !r->transport->ops->settle(r->transport, q->id, true))
		rpc_notify(r, STR("notifications/cancelled"), (struct str){ params, (size_t)len });
	request_free(q);
}

void
rpc_listen(struct rpc *r)
{
	if (!r->closed)
		r->transport->ops->listen(r->transport);
}

/* ---- life ---- */

void
rpc_speak(struct rpc *r, const struct transport_mode *mode)
{
	r->mode = *mode;
	r->transport->ops->speak(r->transport, mode);
}

const struct transport_mode *
rpc_mode(const struct rpc *r)
{
	return &r->mode;
}

static void
destroy(struct rpc *r)
{
	while (!list_is_empty(&r->pending))
		request_free(LIST_OWNER(r->pending.next, struct rpc_request, node));
	r->transport->ops->free(r->transport);
	list_remove(&r->last.node);
	list_remove(&r->end.node);
	list_remove(&r->node);
	r->host->ops->timer_free(r->leave);
	free(r);
}

static void
on_end(struct host_task *task)
{
	destroy(LIST_OWNER(task, struct rpc, end));
}

static void
on_leave_late(void *ctx)
{
	destroy(ctx);
}

static void
take_leave(struct rpc *r)
{
	r->muted = true;
	if (r->closed) {
		host_defer(r->host, &r->end);
		return;
	}
	r->transport->ops->hang_up(r->transport);
	r->host->ops->timer_set(r->leave, LEAVE_MS);
}

/* Whoever had the last answer may have asked once more. */
static void
on_last(struct host_task *task)
{
	struct rpc *r = LIST_OWNER(task, struct rpc, last);

	if (list_is_empty(&r->pending) && !r->muted)
		take_leave(r);
}

struct rpc *
rpc_new(struct host *host, struct transport *transport, const struct rpc_identity *identity,
	const struct rpc_events *events, void *ctx)
{
	static const struct transport_events EVENTS = { on_text, on_failed, on_closed };
	struct rpc *r = xcalloc(1, sizeof *r);

	r->host = host;
	r->transport = transport;
	r->identity = identity;
	r->events = *events;
	r->ctx = ctx;
	list_init(&r->node);
	list_init(&r->pending);
	r->last.fn = on_last;
	list_init(&r->last.node);
	r->end.fn = on_end;
	list_init(&r->end.node);
	r->leave = host->ops->timer_new(host, on_leave_late, r);
	transport->events = &EVENTS;
	transport->ctx = r;
	return r;
}

void
rpc_close(struct rpc **rpc, struct list *closing)
{
	struct rpc *r = TAKE(*rpc);

	if (!r)
		return;
	while (!list_is_empty(&r->pending))
		request_free(LIST_OWNER(r->pending.next, struct rpc_request, node));
	list_append(closing, &r->node);
	take_leave(r);
}

void
rpc_retire(struct rpc **rpc, struct list *closing)
{
	struct rpc *r = TAKE(*rpc);

	if (!r)
		return;
	r->retired = true;
	list_append(closing, &r->node);
	host_defer(r->host, &r->last);
}

void
rpc_end_all(struct list *closing)
{
	while (!list_is_empty(closing))
		destroy(LIST_OWNER(closing->next, struct rpc, node));
}
