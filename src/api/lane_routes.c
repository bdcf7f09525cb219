/* lane_routes - conversations: which session one is in, and what is known of its lane. */
#include "api/handlers.h"
#include "api/lane_json.h"
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

/* ---- one lane ---- */

struct shown {
	struct exchange *x;
	bool replayed;
};

static void
on_lane(void *ctx, int rc, const struct err *err, struct str lane, const struct lane_entry *entry)
{
	struct shown *s = ctx;
	struct buf *out;
	struct jw w;

	if (rc != 0) {
		exchange_fail(s->x, rc, err);
		return;
	}
	out = exchange_buf(s->x);
	jw_init(&w, out);
	lane_json_write(&w, lane, entry);
	exchange_json(s->x, 200, buf_str(out), s->replayed);
}

static void
show_lane(struct exchange *x, bool replayed)
{
	struct shown *s = ARENA_NEW(x->arena, struct shown);

	*s = (struct shown){ x, replayed };
	engine_lane_get(x->engine, &x->caller, x->captures[0], on_lane, s);
}

void
lane_get_route(struct exchange *x)
{
	show_lane(x, false);
}

/* What was changed is shown as it is now, so that a repeat gets it as well. */
static void
on_changed(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;

	if (answer->rc != 0)
		session_fail(x, answer);
	else
		show_lane(x, answer->replayed);
}

void
lane_update_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_lane_update(x->engine, &x->call, x->captures[0], x->body);
}

void
lane_suspend_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_lane_suspend(x->engine, &x->call, x->captures[0]);
}

void
lane_mark_resume_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_lane_mark_resume(x->engine, &x->call, x->captures[0], x->body);
}

void
lane_clear_resume_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_lane_clear_resume(x->engine, &x->call, x->captures[0]);
}

void
lane_reset_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_lane_reset(x->engine, &x->call, x->captures[0], x->body);
}

void
lane_switch_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_lane_switch(x->engine, &x->call, x->captures[0], x->body);
}

/* ---- rewinding ---- */

enum { TURNS_MAX = 1000 };

struct rewind {
	struct exchange *x;
	int64_t turns;
	struct str session;
};

static void
write_rewound(const struct rewind *r, struct str data, struct jw *w)
{
	static const struct {
		const char *ours, *name;
	} MEMBERS[] = { { "messages_undone", "rewound_count" },
			{ "turns_undone", "turns_undone" },
			{ "target_text", "target_text" } };
	struct json_doc doc;
	struct json v;

	jw_object(w);
	jw_field_str(w, "type", STR("lane_rewound"));
	jw_field_str(w, "session_id", r->session);
	if (json_parse(r->x->arena, data, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0)
		for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++)
			if (json_find(json_root(&doc), str_of(MEMBERS[i].ours), &v))
				jw_field_raw(w, MEMBERS[i].name, json_raw(v));
	jw_end_object(w);
}

static void
on_rewound(void *ctx, const struct engine_answer *answer)
{
	struct rewind *r = ctx;
	struct buf *out;
	struct jw w;

	if (answer->rc != 0) {
		session_fail(r->x, answer);
		return;
	}
	out = exchange_buf(r->x);
	jw_init(&w, out);
	write_rewound(r, arena_str(r->x->arena, answer->data), &w);
	exchange_json(r->x, 200, buf_str(out), answer->replayed);
}

static void
on_rewind_lane(void *ctx, int rc, const struct err *err, struct str lane,
	       const struct lane_entry *entry)
{
	struct rewind *r = ctx;
	struct exchange *x = r->x;

	(void)lane;
	if (rc != 0) {
		exchange_fail(x, rc, err);
		return;
	}
	r->session = arena_str(x->arena, entry->session_id);
	x->call.done = on_rewound;
	x->call.ctx = r;
	engine_command(x->engine, &x->call, r->session,
		       arena_printf(x->arena, "/undo %lld", (long long)r->turns));
}

void
lane_rewind_route(struct exchange *x)
{
	struct rewind *r = ARENA_NEW(x->arena, struct rewind);
	struct json turns = { 0 };
	const struct json_field fields[] = {
		{ "turns", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &turns },
	};
	struct err e;
	int rc = json_is_set(x->body) ? json_fields(x->body, fields, ARRAY_LEN(fields), &e) : 0;

	*r = (struct rewind){ .x = x, .turns = 1 };
	if (rc == 0)
		rc = json_take_int(turns, 1, TURNS_MAX, &r->turns, &e);
	if (rc != 0)
		exchange_fail(x, rc, &e);
	else
		engine_lane_get(x->engine, &x->caller, x->captures[0], on_rewind_lane, r);
}

/* ---- all lanes ---- */

static void
show_count(struct exchange *x, const char *name, const struct engine_answer *answer)
{
	struct buf *out;
	struct jw w;

	if (answer->rc != 0) {
		exchange_fail(x, answer->rc, answer->err);
		return;
	}
	out = exchange_buf(x);
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", STR("lanes_changed"));
	jw_field_int(&w, name, answer->count);
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), answer->replayed);
}

static void
on_marked(void *ctx, const struct engine_answer *answer)
{
	show_count(ctx, "marked", answer);
}

void
lane_mark_recent_route(struct exchange *x)
{
	x->call.done = on_marked;
	engine_lane_mark_recent(x->engine, &x->call, x->body);
}

static void
on_imported(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;

	if (answer->rc != 0)
		exchange_fail(x, answer->rc, answer->err);
	else
		exchange_json(x, 200, arena_str(x->arena, answer->data), answer->replayed);
}

void
lane_import_route(struct exchange *x)
{
	x->call.done = on_imported;
	engine_lane_import(x->engine, &x->call, x->body_text);
}

static void
on_pruned(void *ctx, const struct engine_answer *answer)
{
	show_count(ctx, "pruned", answer);
}

void
lane_prune_route(struct exchange *x)
{
	x->call.done = on_pruned;
	engine_lane_prune(x->engine, &x->call, x->body);
}
