#include "api/exchange.h"

#include <stdlib.h>

#include "api/api_private.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "base/log.h"
#include "base/timestamp.h"
#include "base/xalloc.h"

enum { SPARE_MAX = 256, SCRATCH_KEPT_BYTES = 256 * 1024, NS_PER_MS = 1000000 };

/* --- birth and end --- */

struct exchange *
exchange_new(struct api *api, struct http_request *r, struct exchange_port *port, struct arena *a)
{
	struct exchange *x;

	if (list_is_empty(&api->spare)) {
		x = xmalloc(sizeof *x);
	} else {
		x = LIST_OWNER(api->spare.prev, struct exchange, node); /* still cached */
		list_remove(&x->node);
		api->spare_count--;
	}
	*x = (struct exchange){
		.api = api,
		.engine = api->config.engine,
		.request = r,
		.port = port,
		.arena = a,
		.started_ns = clock_monotonic_ns(),
	};
	list_init(&x->node);
	if (port)
		port->exchange = x;
	x->call = (struct engine_call){ .caller = &x->caller, .ctx = x };
	x->request_id = id_make(&api->ids, clock_now_ms(), "req", x->request_id_text);
	return x;
}

static void
log_access(const struct exchange *x, int status, int64_t duration_ns)
{
	log_write(LOG_DEBUG, "api.request", LOG_STR("request_id", x->request_id),
		  LOG_STR("method", str_of(x->route ? x->route->route.method : "")),
		  LOG_STR("route", str_of(x->route ? x->route->route.pattern : "")),
		  LOG_INT("status", status), LOG_INT("ms", duration_ns / NS_PER_MS));
}

/* Everything but the request. */
static void
finish(struct exchange *x, int status)
{
	struct api *api = x->api;
	int64_t duration_ns = clock_monotonic_ns() - x->started_ns;

	if (status > 0)
		metrics_count(api->metrics, x->route ? x->route - API_ROUTES : METRICS_NO_ROUTE,
			      status, duration_ns);
	log_access(x, status, duration_ns);
	if (x->port)
		x->port->exchange = NULL;
	if (api->spare_count == SPARE_MAX) {
		free(x);
		return;
	}
	api->spare_count++;
	list_append(&api->spare, &x->node);
}

void
exchange_close(struct exchange *x, int status)
{
	struct http_request *r = x->request;
	struct exchange_port *port = x->port;

	finish(x, status);
	if (port)
		port->release(port);
	else
		http_request_release(r);
}

void
exchange_leave(struct exchange *x, int status)
{
	finish(x, status);
}

void
exchange_await_leaving(struct exchange *x, void (*fn)(void *ctx), void *ctx)
{
	x->on_left = fn;
	x->left_ctx = ctx;
}

bool
exchange_is_left(const struct exchange *x)
{
	return x->is_left || (x->request && http_request_is_over(x->request));
}

void
exchange_drop(struct exchange *x)
{
	exchange_close(x, 0);
}

void
exchange_left(struct exchange *x)
{
	void (*fn)(void *ctx) = TAKE(x->on_left);

	x->is_left = true;
	if (fn)
		fn(x->left_ctx);
}

struct str
exchange_header(const struct exchange *x, struct str name)
{
	return x->request ? http_head_find(http_request_head(x->request), name) : (struct str){ 0 };
}

struct buf *
exchange_buf(struct exchange *x)
{
	struct buf *scratch = &x->api->scratch;

	if (scratch->cap > SCRATCH_KEPT_BYTES) { /* one large answer must not cost for good */
		size_t max = scratch->max;

		buf_release(scratch);
		buf_init(scratch, max);
	}
	buf_clear(scratch);
	return scratch;
}

struct sse *
api_sse(struct api *api)
{
	return api->sse;
}

struct loop *
api_loop(struct api *api)
{
	return api->config.loop;
}

struct stream_hub *
api_hub(struct api *api)
{
	return api->hub;
}

/* --- answers --- */

size_t
exchange_headers(const struct exchange *x, struct http_header headers[EXCHANGE_HEADERS])
{
	headers[0] = (struct http_header){ STR("request-id"), x->request_id };
	headers[1] = (struct http_header){ STR("x-request-id"), x->request_id };
	return 2;
}

static void
answer(struct exchange *x, struct http_reply reply, const struct http_header *more, size_t count)
{
	struct http_header headers[2 * EXCHANGE_HEADERS];
	size_t n = exchange_headers(x, headers);

	if (count > EXCHANGE_HEADERS)
		abort();
	for (size_t i = 0; i < count; i++)
		headers[n++] = more[i];
	reply.headers = headers;
	reply.header_count = n;
	if (x->port)
		x->port->reply(x->port, &reply);
	else
		http_request_reply(x->request, &reply);
	exchange_close(x, reply.status);
}

void
exchange_json(struct exchange *x, int status, struct str json, bool replayed)
{
	static const struct http_header REPLAYED = { STR("idempotency-replayed"), STR("true") };
	struct http_reply reply = {
		.status = status,
		.content_type = STR("application/json"),
		.body = json,
	};

	answer(x, reply, &REPLAYED, replayed ? 1 : 0);
}

void
exchange_text(struct exchange *x, int status, struct str content_type, struct str text)
{
	struct http_reply reply = { .status = status, .content_type = content_type, .body = text };

	answer(x, reply, NULL, 0);
}

/* --- errors --- */

/* What a status says about itself where nobody says more. */
static const char *
usual_type(int status)
{
	switch (status) {
	case 401: return "authentication_error";
	case 402: return "billing_error";
	case 403: return "permission_error";
	case 404: return "not_found_error";
	case 408:
	case 504: return "timeout_error";
	case 409: return "conflict_error";
	case 429: return "rate_limit_error";
	case 529: return "overloaded_error";
	default: return status >= 500 ? "api_error" : "invalid_request_error";
	}
}

void
api_error_write(struct buf *out, const struct api_error *error)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", STR("error"));
	jw_field_object(&w, "error");
	jw_field_str(&w, "type", str_of(error->type ? error->type : usual_type(error->status)));
	jw_field_str(&w, "message", error->message);
	if (error->details.len > 0)
		jw_field_raw(&w, "details", error->details);
	jw_end_object(&w);
	jw_field_str(&w, "request_id", error->request_id);
	jw_end_object(&w);
}

void
exchange_refuse(struct exchange *x, const struct api_problem *p, const struct http_header *headers,
		size_t header_count)
{
	struct buf *body = &x->api->errors;
	struct http_reply reply = { .status = p->status, .content_type = STR("application/json") };
	struct api_error error = { p->status, p->type, p->message, p->details, x->request_id };

	buf_clear(body);
	api_error_write(body, &error);
	reply.body = buf_str(body);
	answer(x, reply, headers, header_count);
}

void
exchange_problem(struct exchange *x, const struct api_problem *p)
{
	static const struct http_header NO_RETRY = { STR("x-should-retry"), STR("false") };
	static const struct http_header CHALLENGE = { STR("WWW-Authenticate"), STR("Bearer") };
	static const struct http_header COME_AGAIN = { STR("retry-after"), STR("1") };

	switch (p->status) {
	case 401: exchange_refuse(x, p, &CHALLENGE, 1); return;
	case 409: exchange_refuse(x, p, &NO_RETRY, 1); return;
	case 503: exchange_refuse(x, p, &COME_AGAIN, 1); return;
	default: exchange_refuse(x, p, NULL, 0);
	}
}

/* The stable word for programs; NULL: the type says it all. */
static const char *
error_code(int rc)
{
	switch (rc) {
	case ERR_MISMATCH: return "repeated_with_another_body";
	case ERR_LIMIT: return "limit_reached";
	case ERR_TOO_LARGE: return "too_large";
	case ERR_CORRUPT: return "stored_data_corrupt";
	case ERR_IO: return "store_failed";
	case ERR_NO_SPACE: return "no_space";
	case ERR_UNAVAILABLE: return "unavailable";
	default: return NULL;
	}
}

/* {"error_code":"session_not_found"}: a 404 is named after the first part of the path that it can
 * mean, the same whether the thing is absent or hidden. */
static struct str
details_of(const struct exchange *x, int rc)
{
	const char *code = error_code(rc);
	struct str tag = str_of(x->route ? x->route->tag : NULL);

	if (rc == ERR_NOT_FOUND && str_ends(tag, STR("s")))
		return arena_printf(x->arena, "{\"error_code\":\"%.*s_not_found\"}",
				    (int)tag.len - 1, tag.ptr);
	if (!code)
		return (struct str){ 0 };
	return arena_printf(x->arena, "{\"error_code\":\"%s\"}", code);
}

void
exchange_fail(struct exchange *x, int rc, const struct err *e)
{
	struct api_problem p = {
		.status = err_http_status(rc),
		.message = str_of(e && e->text[0] ? e->text : err_name(rc)),
		.details = details_of(x, rc),
	};

	/* What the machine did; a timeout or a server that stops is part of the answer. */
	if (p.status >= 500 && rc != ERR_TIMEOUT && rc != ERR_UNAVAILABLE)
		log_write(LOG_ERROR, "api.failure", LOG_STR("request_id", x->request_id),
			  LOG_STR("route", str_of(x->route ? x->route->route.pattern : "")),
			  LOG_INT("status", p.status), LOG_STR("message", p.message));
	exchange_problem(x, &p);
}

/* --- query parameters --- */

int
exchange_query_str(struct exchange *x, const char *name, struct str *out, struct err *e)
{
	struct str value;
	int rc = query_one(&x->query, str_of(name), &value, e);

	if (rc == 0 && value.ptr)
		*out = value;
	return rc;
}

int
exchange_query_int(struct exchange *x, const char *name, int64_t min, int64_t max, int64_t *out,
		   struct err *e)
{
	struct str value = { 0 };
	int64_t number;
	int rc = exchange_query_str(x, name, &value, e);

	if (rc != 0 || !value.ptr)
		return rc;
	if (!str_to_int(value, &number) || number < min || number > max)
		return err_set(e, ERR_INVALID, "%s: must be a whole number from %lld to %lld", name,
			       (long long)min, (long long)max);
	*out = number;
	return 0;
}

int
exchange_query_bool(struct exchange *x, const char *name, bool *out, struct err *e)
{
	struct str value = { 0 };
	int rc = exchange_query_str(x, name, &value, e);

	if (rc != 0 || !value.ptr)
		return rc;
	if (str_eq(value, STR("true")))
		*out = true;
	else if (str_eq(value, STR("false")))
		*out = false;
	else
		return err_set(e, ERR_INVALID, "%s: must be true or false", name);
	return 0;
}

int
exchange_query_instant(struct exchange *x, const char *name, int64_t *out, struct err *e)
{
	struct str value = { 0 };
	int64_t ms;
	int rc = exchange_query_str(x, name, &value, e);

	if (rc != 0 || !value.ptr)
		return rc;
	if (!timestamp_parse(value, &ms))
		return err_set(e, ERR_INVALID, "%s: must be a time like 2026-03-29T01:00:00Z",
			       name);
	*out = ms;
	return 0;
}
