/* lane_routes - conversations: which session one is in, and what is known of its lane. */
#include "api/handlers.h"
#include "api/session_load.h"
#include "api/session_routes.h"

/* ---- resolving ---- */

struct resolved {
	bool created, replayed;
	struct str lane, reset_reason;
};

static void
show_resolved(struct exchange *x, const struct session_view *views, size_t count, void *ctx)
{
	const struct resolved *r = ctx;
	struct buf *out = exchange_buf(x);
	struct jw w;

	(void)count;
	jw_init(&w, out);
	jw_object(&w);
	jw_key(&w, STR("session"));
	session_json_write(&w, &views[0], x->arena);
	jw_field_bool(&w, "is_new", r->created);
	jw_field_opt(&w, "reset_reason", r->reset_reason);
	jw_field_str(&w, "lane_id", r->lane);
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), r->replayed);
}

static void
on_resolved(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;
	struct resolved *r = ARENA_NEW(x->arena, struct resolved);

	if (answer->rc != 0) {
		session_fail(x, answer);
		return;
	}
	r->created = answer->created;
	r->replayed = answer->replayed;
	r->lane = arena_str(x->arena, answer->lane);
	if (answer->reset_reason.ptr)
		r->reset_reason = arena_str(x->arena, answer->reset_reason);
	session_load_one(x, arena_str(x->arena, answer->id), show_resolved, r);
}

void
session_resolve_route(struct exchange *x)
{
	x->call.done = on_resolved;
	engine_session_resolve(x->engine, &x->call, x->body);
}
