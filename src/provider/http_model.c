#include "provider/http_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "core/retry_after.h"
#include "provider/answer_stream.h"
#include "provider/api_key.h"
#include "provider/peer_error.h"

enum {
	REQUEST_BYTES_MAX = 64 << 20,
	STREAM_BYTES_MAX = 256 << 20,
	ERROR_BYTES_MAX = 64 << 10,
	/* A peer that said its last word ends the exchange at once, and the connection can be used
	 * again; one that does not is not waited for. */
	LINGER_MS = 200,
};

struct http_model {
	struct provider port;
	const struct dialect *dialect;
	struct host *host;
	struct egress *egress;
	struct arena arena; /* the texts */
	struct str url;
	struct api_key_source key;
	int64_t idle_ms;
	bool openai;
};

struct provider_call {
	struct http_model *model;
	struct http_exchange *exchange; /* NULL: none, or it is over */
	struct answer answer;
	struct answer_stream stream;
	struct buf body; /* of an answer that is no stream */
	int status;
	bool streams;
	int64_t retry_after_ms;
	struct host_task task; /* it failed before it began */
	struct host_timer *linger;
	bool lingers;
	bool busy; /* events are being told: it must stay */
};

/* ---- its end ---- */

static void
destroy(struct provider_call *c)
{
	http_exchange_cancel(&c->exchange);
	list_remove(&c->task.node);
	c->model->host->ops->timer_free(c->linger);
	answer_stream_release(&c->stream);
	if (c->answer.secret.len > 0)
		explicit_bzero((void *)(uintptr_t)c->answer.secret.ptr, c->answer.secret.len);
	answer_release(&c->answer);
	buf_release(&c->body);
	free(c);
}

static void
finish(struct provider_call *c)
{
	c->busy = true;
	http_exchange_cancel(&c->exchange);
	answer_finish(&c->answer, c->retry_after_ms);
	destroy(c);
}

static void
on_failed_start(struct host_task *task)
{
	finish(LIST_OWNER(task, struct provider_call, task));
}

static void
on_lingered(void *ctx)
{
	finish(ctx);
}

/* From inside an event it only takes the voice away; whoever told the event frees it. */
static void
cancel(struct provider_call *c)
{
	c->answer.muted = true;
	if (!c->busy)
		destroy(c);
}

/* ---- the answer ---- */

static void
take_retry_after(struct provider_call *c, const struct http_answer *head)
{
	struct str ms = http_answer_find(head, STR("retry-after-ms"));
	struct str when = http_answer_find(head, STR("retry-after"));
	int64_t wait_ms;

	if ((ms.ptr && retry_after_parse_ms(ms, &wait_ms)) ||
	    (when.ptr && retry_after_parse(when, host_now_ms(c->model->host), &wait_ms)))
		c->retry_after_ms = wait_ms;
}

static bool
is_success(const struct provider_call *c)
{
	return c->status >= 200 && c->status <= 299;
}

static void
on_head(void *context, const struct http_answer *head)
{
	struct provider_call *c = context;
	struct str type = http_answer_find(head, STR("content-type"));

	c->status = head->status;
	c->streams = is_success(c) && !str_contains(type, STR("json"));
	take_retry_after(c, head);
}

static void
take_stream(struct provider_call *c, struct str piece)
{
	if (answer_is_over(&c->answer))
		return; /* its last word was said */
	c->busy = true;
	answer_stream_feed(&c->stream, piece);
	c->busy = false;
	if (c->answer.muted) {
		destroy(c);
	} else if (c->answer.failed) {
		finish(c);
	} else if (c->answer.complete && !c->lingers) {
		c->lingers = true;
		c->model->host->ops->timer_set(c->linger, LINGER_MS);
	}
}

static void
on_body(void *context, struct str piece)
{
	struct provider_call *c = context;

	if (c->streams) {
		take_stream(c, piece);
		return;
	}
	buf_put_str(&c->body, piece);
	if (!is_success(c) && c->body.len > ERROR_BYTES_MAX) {
		peer_error_take_answer(&c->answer, c->status, buf_str(&c->body));
		finish(c);
	} else if (c->body.overflow) {
		answer_fail(&c->answer, FAILURE_MALFORMED, "the answer is over %d bytes",
			    ANSWER_BYTES_MAX);
		finish(c);
	}
}

static enum model_failure
failure_of(int rc)
{
	if (rc == ERR_TIMEOUT)
		return FAILURE_TIMEOUT;
	if (rc == ERR_TOO_LARGE)
		return FAILURE_MALFORMED;
	return rc == ERR_INVALID || rc == ERR_DENIED || rc == ERR_AUTH ? FAILURE_REQUEST
								       : FAILURE_NETWORK;
}

/* What breaks behind the last word breaks nothing, and an error is one also when its text is cut. */
static void
conclude(struct provider_call *c, int rc, const struct err *e)
{
	if (answer_is_over(&c->answer))
		return;
	if (c->status != 0 && !is_success(c))
		peer_error_take_answer(&c->answer, c->status, buf_str(&c->body));
	else if (rc != 0)
		answer_fail(&c->answer, failure_of(rc), "%s", e->text);
	else if (c->streams)
		answer_stream_end(&c->stream);
	else
		answer_stream_whole(&c->stream, buf_str(&c->body));
}

static void
on_done(void *context, int rc, const struct err *e)
{
	struct provider_call *c = context;

	c->exchange = NULL;
	c->busy = true;
	conclude(c, rc, e);
	finish(c);
}

/* ---- the request ---- */

static int
write_request(struct provider_call *c, const struct provider_request *q, struct buf *out,
	      struct err *e)
{
	struct dialect_target target = { c->answer.from, c->model->openai };

	c->model->dialect->write(&target, q, out);
	return buf_check(out, "the request", e);
}

static int
send_request(struct provider_call *c, struct str body, struct err *e)
{
	static const struct http_call_events EVENTS = { .on_head = on_head,
							.on_body = on_body,
							.on_done = on_done };
	struct http_model *m = c->model;
	const struct dialect *d = m->dialect;
	struct http_call_events events = EVENTS;
	struct str key = arena_printf(&c->answer.scratch, STR_FMT STR_FMT, STR_ARG(d->key_prefix),
				      STR_ARG(c->answer.secret));
	const struct http_header headers[] = {
		{ d->key_header, key },
		{ STR("content-type"), STR("application/json") },
		{ STR("accept"), STR("text/event-stream, application/json") },
		{ d->version_header, d->version },
	};
	struct http_call call = {
		.method = STR("POST"),
		.url = m->url,
		.headers = headers,
		.header_count = ARRAY_LEN(headers) - (d->version.len == 0),
		.body = body,
		.idle_ms = m->idle_ms,
		.max_body_bytes = STREAM_BYTES_MAX,
	};
	int rc;

	events.context = c;
	rc = egress_send(m->egress, EGRESS_OPERATOR, &call, &events, &c->exchange, e);
	explicit_bzero((void *)(uintptr_t)key.ptr, key.len);
	return rc;
}

static void
begin(struct provider_call *c, const struct provider_request *q)
{
	struct buf body;
	struct err e;
	int rc;

	buf_init(&body, REQUEST_BYTES_MAX);
	rc = api_key_read(&c->model->key, &c->answer.arena, &c->answer.secret, &e);
	if (rc == 0)
		rc = write_request(c, q, &body, &e);
	if (rc == 0)
		rc = send_request(c, buf_str(&body), &e);
	buf_release(&body);
	if (rc == 0)
		return;
	answer_fail(&c->answer, FAILURE_REQUEST, "%s", e.text);
	host_defer(c->model->host, &c->task);
}

static struct provider_call *
start(struct provider *p, const struct provider_request *request,
      const struct provider_events *events, void *ctx)
{
	struct http_model *m = (struct http_model *)p;
	struct provider_call *c = xcalloc(1, sizeof *c);

	c->model = m;
	c->retry_after_ms = -1;
	c->task.fn = on_failed_start;
	list_init(&c->task.node);
	c->linger = m->host->ops->timer_new(m->host, on_lingered, c);
	buf_init(&c->body, ANSWER_BYTES_MAX);
	answer_init(&c->answer, events, ctx);
	c->answer.from = arena_printf(&c->answer.arena, STR_FMT "/" STR_FMT, STR_ARG(m->port.name),
				      STR_ARG(request->model));
	answer_stream_init(&c->stream, m->dialect, &c->answer);
	begin(c, request);
	return c;
}

/* ---- life ---- */

static void
model_free(struct provider *p)
{
	struct http_model *m = (struct http_model *)p;

	arena_release(&m->arena);
	free(m);
}

static bool
is_openai(struct str base_url)
{
	return str_starts(base_url, STR("https://api.openai.com/")) ||
	       str_contains(base_url, STR(".openai.azure.com"));
}

struct provider *
http_model_new(const struct dialect *dialect, const struct http_model_config *config)
{
	static const struct provider_ops OPS = { start, cancel, model_free };
	struct http_model *m = xcalloc(1, sizeof *m);

	arena_init(&m->arena);
	m->port = (struct provider){ &OPS, arena_str(&m->arena, config->name),
				     HTTP_MODEL_CONTEXT_TOKENS };
	m->dialect = dialect;
	m->host = config->host;
	m->egress = config->egress;
	m->url = arena_printf(&m->arena, STR_FMT STR_FMT, STR_ARG(config->base_url),
			      STR_ARG(dialect->path));
	m->key = (struct api_key_source){ m->port.name, arena_str(&m->arena, config->api_key_env),
					  arena_str(&m->arena, config->api_key_file) };
	m->idle_ms = config->idle_ms;
	m->openai = is_openai(config->base_url);
	return &m->port;
}
