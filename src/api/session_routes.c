/* session_routes - one session: opened, shown, changed, archived, woken, deleted. */
#include "api/session_routes.h"

#include "api/handlers.h"
#include "api/session_load.h"

void
session_fail(struct exchange *x, const struct engine_answer *answer)
{
	struct api_problem p = { .status = 409 };
	struct buf details;
	struct jw w;

	if (answer->rc != ERR_CONFLICT || answer->current.len == 0) {
		exchange_fail(x, answer->rc, answer->err);
		return;
	}
	buf_init(&details, STORE_INLINE_MAX);
	jw_init(&w, &details);
	jw_object(&w);
	jw_field_str(&w, "error_code", STR("session_archived"));
	jw_field_str(&w, "current_session_id", answer->current);
	jw_end_object(&w);
	p.message = str_of(answer->err->text);
	p.details = buf_str(&details);
	exchange_problem(x, &p);
	buf_release(&details);
}

/* ---- showing ---- */

static void
show(struct exchange *x, const struct session_view *views, size_t count, bool replayed)
{
	struct buf *out = exchange_buf(x);
	struct jw w;

	(void)count;
	jw_init(&w, out);
	session_json_write(&w, &views[0], x->arena);
	exchange_json(x, 200, buf_str(out), replayed);
}

static void
on_loaded(struct exchange *x, const struct session_view *views, size_t count, void *ctx)
{
	(void)ctx;
	show(x, views, count, false);
}

static void
on_loaded_again(struct exchange *x, const struct session_view *views, size_t count, void *ctx)
{
	(void)ctx;
	show(x, views, count, true);
}

void
session_get_route(struct exchange *x)
{
	session_load_one(x, x->captures[0], on_loaded, NULL);
}

/* ---- commands: what was made or changed is shown as it is now ---- */

static void
on_changed(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;

	if (answer->rc != 0)
		session_fail(x, answer);
	else
		session_load_one(
			x, answer->id.len > 0 ? arena_str(x->arena, answer->id) : x->captures[0],
			answer->replayed ? on_loaded_again : on_loaded, NULL);
}

void
session_create_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_session_open(x->engine, &x->call, x->body);
}

void
session_update_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_session_update(x->engine, &x->call, x->captures[0], x->body);
}

void
session_archive_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_session_archive(x->engine, &x->call, x->captures[0]);
}

void
session_wake_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_wake(x->engine, &x->call, x->captures[0]);
}

static void
on_deleted(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;
	struct buf *out;
	struct jw w;

	if (answer->rc != 0) {
		session_fail(x, answer);
		return;
	}
	out = exchange_buf(x);
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "id", x->captures[0]);
	jw_field_str(&w, "type", STR("session_deleted"));
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), answer->replayed);
}

void
session_delete_route(struct exchange *x)
{
	x->call.done = on_deleted;
	engine_session_delete(x->engine, &x->call, x->captures[0]);
}
