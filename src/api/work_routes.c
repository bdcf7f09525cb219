/* work_routes - /v1/environments/{id}/work: what the executors of an environment are to do.
 * A poll's answer holds a secret for the item; it is shown there and never again. */
#include "api/handlers.h"
#include "api/record_page.h"
#include "base/base64url.h"
#include "base/timestamp.h"

enum {
	BLOCK_MS_MAX = 60 * 1000,
	RECLAIM_MS_MAX = 24 * 60 * 60 * 1000,
	SECRET_MAX = 256,
	BODY_MAX = 64 * 1024,
};

/* ---- one item, read and shown ---- */

/* Writes what is shown of an item and ends the exchange. */
struct showing;
typedef void show_fn(struct showing *s, const struct work_item *item);

struct showing {
	struct exchange *x;
	show_fn *show;
	struct buf body;   /* of the record */
	struct str secret; /* as the wire has it; empty: none */
	bool replayed;
	struct err why; /* show_lost */
};

static bool
on_item_row(void *ctx, const struct store_row *row)
{
	struct showing *s = ctx;

	buf_put_str(&s->body, row->record->body);
	return false;
}

static void
on_item(void *ctx, int rc, bool more, const struct err *err)
{
	struct showing *s = ctx;
	struct exchange *x = s->x;
	struct buf body = s->body; /* s dies with the exchange */
	struct work_item item;
	struct json_doc doc;
	struct err e;

	(void)more;
	if (rc != 0)
		e = *err;
	else if (body.len == 0)
		rc = err_set(&e, ERR_NOT_FOUND, "there is no such work item");
	else if ((rc = json_parse(x->arena, buf_str(&body), &JSON_LIMITS_DEFAULT, &doc, &e)) == 0)
		rc = work_item_read(json_root(&doc), x->arena, &item, &e);
	if (rc != 0)
		exchange_fail(x, rc, &e);
	else
		s->show(s, &item);
	buf_release(&body);
}

static void
read_item(const struct showing *what, struct str id)
{
	struct exchange *x = what->x;
	struct showing *s = ARENA_NEW(x->arena, struct showing);
	struct store_query q = {
		.kind = STORE_GET_RECORD,
		.record_kind = RECORD_WORK,
		.record_owner = x->captures[0],
		.record_id = id,
		.limit = 1,
	};

	*s = *what;
	buf_init(&s->body, BODY_MAX);
	engine_read(x->engine, &x->caller, &q, on_item_row, on_item, s);
}

static void
show_item(struct showing *s, const struct work_item *item)
{
	struct buf *out = exchange_buf(s->x);
	bool has_secret = s->secret.len > 0;
	struct jw w;

	jw_init(&w, out);
	work_item_show(item, s->secret, &w);
	if (has_secret)
		explicit_bzero((char *)(uintptr_t)s->secret.ptr, s->secret.len);
	exchange_json(s->x, 200, buf_str(out), s->replayed);
	if (has_secret)
		explicit_bzero(out->ptr, out->cap);
}

static void
show_heartbeat(struct showing *s, const struct work_item *item)
{
	struct buf *out = exchange_buf(s->x);
	struct jw w;

	jw_init(&w, out);
	work_item_show_heartbeat(item, &w);
	exchange_json(s->x, 200, buf_str(out), s->replayed);
}

static void
show_lost(struct showing *s, const struct work_item *item)
{
	struct buf details;
	struct jw w;

	buf_init(&details, BODY_MAX);
	jw_init(&w, &details);
	jw_object(&w);
	jw_field_str(&w, "error_code", STR("heartbeat_precondition_failed"));
	jw_key(&w, STR("current_state"));
	work_item_show_lease(item, &w);
	jw_end_object(&w);
	exchange_problem(s->x, &(struct api_problem){ .status = 412,
						      .message = str_of(s->why.text),
						      .details = buf_str(&details) });
	buf_release(&details);
}

/* ---- commands about one ---- */

static struct engine_work
item_of(const struct exchange *x)
{
	return (struct engine_work){ x->captures[0], x->captures[1] };
}

static void
on_changed(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;

	if (answer->rc != 0)
		exchange_fail(x, answer->rc, answer->err);
	else
		read_item(&(struct showing){ .x = x,
					     .show = show_item,
					     .replayed = answer->replayed },
			  x->captures[1]);
}

void
work_get_route(struct exchange *x)
{
	read_item(&(struct showing){ .x = x, .show = show_item }, x->captures[1]);
}

void
work_update_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_work_update(x->engine, &x->call, item_of(x), x->body);
}

void
work_acknowledge_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_work_acknowledge(x->engine, &x->call, item_of(x));
}

void
work_stop_route(struct exchange *x)
{
	struct json force = { 0 };
	const struct json_field fields[] = {
		{ "force", JSON_WANT_BOOL | JSON_WANT_NULL, false, &force },
	};
	bool forced = false;
	struct err e;
	int rc = 0;

	if (json_is_set(x->body))
		rc = json_fields(x->body, fields, ARRAY_LEN(fields), &e);
	if (rc == 0)
		rc = json_take_bool(force, &forced, &e);
	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	x->call.done = on_changed;
	engine_work_stop(x->engine, &x->call, item_of(x), forced);
}

/* ---- heartbeats ---- */

static void
on_heartbeat(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;
	struct showing s = { .x = x, .show = show_heartbeat, .replayed = answer->replayed };

	if (answer->rc != 0 && answer->rc != ERR_PRECONDITION) {
		exchange_fail(x, answer->rc, answer->err);
		return;
	}
	if (answer->rc != 0) {
		s.show = show_lost;
		s.why = *answer->err;
	}
	read_item(&s, x->captures[1]);
}

static int
read_heartbeat(struct exchange *x, struct work_heartbeat *out, struct err *e)
{
	struct str expected = { 0 };
	int64_t ttl_s = 0;
	int rc = exchange_query_str(x, "expected_last_heartbeat", &expected, e);

	if (rc == 0)
		rc = exchange_query_int(x, "desired_ttl_seconds", 1, WORK_TTL_S_MAX, &ttl_s, e);
	if (rc != 0)
		return rc;
	*out = (struct work_heartbeat){ .has_expected = expected.ptr != NULL,
					.ttl_ms = ttl_s * 1000 };
	if (expected.ptr && !str_eq(expected, STR("NO_HEARTBEAT")) &&
	    !timestamp_parse(expected, &out->expected_ms))
		return err_set(
			e, ERR_INVALID,
			"expected_last_heartbeat: must be NO_HEARTBEAT or the last_heartbeat "
			"of the answer before");
	return 0;
}

void
work_heartbeat_route(struct exchange *x)
{
	struct work_heartbeat beat;
	struct err e;
	int rc = read_heartbeat(x, &beat, &e);

	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	x->call.done = on_heartbeat;
	engine_work_heartbeat(x->engine, &x->call, item_of(x), &beat);
}

/* ---- the queue: of an environment that exists ---- */

struct entering {
	struct exchange *x;
	exchange_fn *next;
	bool found;
};

static bool
on_environment_row(void *ctx, const struct store_row *row)
{
	struct entering *en = ctx;

	(void)row;
	en->found = true;
	return false;
}

static void
on_environment(void *ctx, int rc, bool more, const struct err *err)
{
	struct entering *en = ctx;
	struct err e;

	(void)more;
	if (rc != 0)
		exchange_fail(en->x, rc, err);
	else if (!en->found)
		exchange_fail(en->x,
			      err_set(&e, ERR_NOT_FOUND, "there is no environment " STR_FMT,
				      STR_ARG(en->x->captures[0])),
			      &e);
	else
		en->next(en->x);
}

static void
enter(struct exchange *x, exchange_fn *next)
{
	struct entering *en = ARENA_NEW(x->arena, struct entering);
	struct store_query q = {
		.kind = STORE_GET_RECORD,
		.record_kind = RECORD_ENVIRONMENT,
		.record_id = x->captures[0],
		.limit = 1,
	};

	*en = (struct entering){ .x = x, .next = next };
	engine_read(x->engine, &x->caller, &q, on_environment_row, on_environment, en);
}

static void
write_listed(struct jw *w, const struct record_row *row)
{
	struct work_item item;

	if (work_item_read(row->body, row->scratch, &item, NULL) == 0)
		work_item_show(&item, (struct str){ 0 }, w);
	else
		jw_null(w); /* the check of the data directory finds it */
}

static void
list(struct exchange *x)
{
	static const struct record_view WORK = {
		.kind = { "work", 4 }, .list = 'w', .noun = "work item", .write = write_listed
	};

	record_page_list(x, &WORK, x->captures[0], (struct str){ 0 });
}

void
work_list_route(struct exchange *x)
{
	enter(x, list);
}

static void
stats(struct exchange *x)
{
	struct buf *out = exchange_buf(x);
	char text[TIMESTAMP_TEXT_MAX];
	struct engine_work_stats s;
	struct err e;
	struct jw w;
	int rc = engine_work_stats(x->engine, &x->caller, x->captures[0], &s, &e);

	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", STR("work_queue_stats"));
	jw_field_int(&w, "depth", s.depth);
	jw_field_int(&w, "pending", s.pending);
	jw_field_opt(&w, "oldest_queued_at",
		     s.oldest_ms == 0 ? (struct str){ 0 } : timestamp_format(s.oldest_ms, text));
	jw_field_int(&w, "workers_polling", s.workers);
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), false);
}

void
work_stats_route(struct exchange *x)
{
	enter(x, stats);
}

/* ---- polling ---- */

/* base64url of {"sessions_token":…} */
static struct str
wire_secret(struct arena *a, struct str token)
{
	unsigned char json[SECRET_MAX];
	char *text = arena_alloc(a, BASE64URL_LEN(SECRET_MAX));
	int len = snprintf((char *)json, sizeof json, "{\"sessions_token\":\"" STR_FMT "\"}",
			   STR_ARG(token));
	struct str secret = { text, base64url_encode(json, (size_t)len, text) };

	explicit_bzero(json, sizeof json);
	return secret;
}

static void
on_polled(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;

	if (answer->rc != 0)
		exchange_fail(x, answer->rc, answer->err);
	else if (answer->id.len == 0)
		exchange_json(x, 200, STR("null"), false);
	else
		read_item(&(struct showing){ .x = x,
					     .show = show_item,
					     .secret = wire_secret(x->arena, answer->secret) },
			  arena_str(x->arena, answer->id));
}

static bool
is_there(void *ctx)
{
	const struct exchange *x = ctx;

	return !exchange_is_left(x);
}

/* Its connection goes now, the poll when its time is over. */
static void
poll_on_left(void *ctx)
{
	struct exchange *x = ctx;

	if (x->request)
		http_request_cut(x->request, HTTP_GONE_PEER);
}

static int
read_poll(struct exchange *x, struct engine_poll *out, struct err *e)
{
	int rc = exchange_query_int(x, "block_ms", 0, BLOCK_MS_MAX, &out->block_ms, e);

	if (rc == 0)
		rc = exchange_query_int(x, "reclaim_older_than_ms", 0, RECLAIM_MS_MAX,
					&out->reclaim_ms, e);
	out->worker = exchange_header(x, STR("anthropic-worker-id"));
	if (rc == 0 && out->worker.len > WORK_WORKER_MAX)
		rc = err_set(e, ERR_INVALID, "anthropic-worker-id: must have at most %d bytes",
			     WORK_WORKER_MAX);
	return rc;
}

static void
poll(struct exchange *x)
{
	struct engine_poll asked = { .environment = x->captures[0],
				     .reclaim_ms = WORK_RECLAIM_MS_DEFAULT,
				     .is_there = is_there };
	struct err e;
	int rc = read_poll(x, &asked, &e);

	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	if (exchange_is_left(x)) {
		exchange_drop(x);
		return;
	}
	exchange_await_leaving(x, poll_on_left, x);
	x->call.done = on_polled;
	engine_work_poll(x->engine, &x->call, &asked);
}

void
work_poll_route(struct exchange *x)
{
	enter(x, poll);
}
