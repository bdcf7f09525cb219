/* resource_routes - what is attached to a session. */
#include "api/handlers.h"
#include "api/record_page.h"

static const struct record_view VIEW = { .kind = { "resource", 8 },
					 .list = 'R',
					 .noun = "resource" };

/* One resource, if it is this session's. */
struct lookup {
	struct exchange *x;
	struct buf body;
	bool replayed;
};

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct lookup *l = ctx;

	if (str_eq(row->record->owner, l->x->captures[0]))
		buf_put_str(&l->body, row->record->body);
	return true;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct lookup *l = ctx;
	struct buf body = l->body;
	struct err e;

	(void)more;
	if (rc == 0 && body.len == 0) {
		rc = err_set(&e, ERR_NOT_FOUND, "there is no such resource");
		err = &e;
	}
	if (rc != 0)
		exchange_fail(l->x, rc, err);
	else
		exchange_json(l->x, 200, buf_str(&body), l->replayed);
	buf_release(&body);
}

static void
show(struct exchange *x, struct str id, bool replayed)
{
	struct lookup *l = ARENA_NEW(x->arena, struct lookup);
	struct store_query q = {
		.kind = STORE_GET_RECORD,
		.session = x->captures[0],
		.record_kind = RECORD_RESOURCE,
		.record_id = id,
		.limit = 1,
	};

	l->x = x;
	l->replayed = replayed;
	buf_init(&l->body, STORE_PAYLOAD_MAX);
	engine_read(x->engine, &x->caller, &q, on_row, on_read, l);
}

static void
on_changed(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;

	if (answer->rc != 0)
		exchange_fail(x, answer->rc, answer->err);
	else
		show(x, arena_str(x->arena, answer->id), answer->replayed);
}

void
resource_add_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_resource_add(x->engine, &x->call, x->captures[0], x->body);
}

void
resource_list_route(struct exchange *x)
{
	record_page_list(x, &VIEW, x->captures[0], x->captures[0]);
}

void
resource_get_route(struct exchange *x)
{
	show(x, x->captures[1], false);
}

void
resource_update_route(struct exchange *x)
{
	x->call.done = on_changed;
	engine_resource_update(x->engine, &x->call, x->captures[0], x->captures[1], x->body);
}

void
resource_delete_route(struct exchange *x)
{
	engine_resource_delete(x->engine, record_page_gone(x, "session_resource_deleted"),
			       x->captures[0], x->captures[1]);
}
