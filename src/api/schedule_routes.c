/* schedule_routes - /v1/schedules: turns that begin by the clock, and how they went. */
#include "api/handlers.h"
#include "api/record_page.h"
#include "core/schedule_state.h"

static void
write_schedule(struct jw *w, const struct record_row *row)
{
	schedule_body_show(row->body, w);
}

static const struct record_view SCHEDULE = {
	.kind = RECORD_SCHEDULE, .list = 'h', .noun = "schedule", .write = write_schedule
};
static const struct record_view RUN = { .kind = RECORD_SCHEDULE_RUN, .list = 'j', .noun = "run" };

void
schedule_create_route(struct exchange *x)
{
	engine_schedule_create(x->engine, record_page_after(x, &SCHEDULE), x->body);
}

void
schedule_get_route(struct exchange *x)
{
	record_page_get(x, &SCHEDULE, x->captures[0], false);
}

void
schedule_update_route(struct exchange *x)
{
	engine_schedule_update(x->engine, record_page_after(x, &SCHEDULE), x->captures[0], x->body);
}

void
schedule_list_route(struct exchange *x)
{
	record_page_list(x, &SCHEDULE, (struct str){ 0 }, (struct str){ 0 });
}

void
schedule_delete_route(struct exchange *x)
{
	engine_schedule_delete(x->engine, record_page_gone(x, "schedule_deleted"), x->captures[0]);
}

/* ---- now, not now, again ---- */

void
schedule_run_route(struct exchange *x)
{
	engine_schedule_run(x->engine, record_page_after(x, &RUN), x->captures[0]);
}

static void
set_enabled(struct exchange *x, struct str body)
{
	struct json_doc *doc = ARENA_NEW(x->arena, struct json_doc);
	struct err e;
	int rc = json_parse(x->arena, body, &JSON_LIMITS_DEFAULT, doc, &e);

	if (rc != 0)
		exchange_fail(x, rc, &e);
	else
		engine_schedule_update(x->engine, record_page_after(x, &SCHEDULE), x->captures[0],
				       json_root(doc));
}

void
schedule_pause_route(struct exchange *x)
{
	set_enabled(x, STR("{\"enabled\":false}"));
}

void
schedule_resume_route(struct exchange *x)
{
	set_enabled(x, STR("{\"enabled\":true}"));
}

/* ---- its runs ---- */

struct runs {
	struct exchange *x;
	bool found;
};

static bool
on_schedule_row(void *ctx, const struct store_row *row)
{
	struct runs *runs = ctx;

	(void)row;
	runs->found = true;
	return false;
}

static void
on_schedule(void *ctx, int rc, bool more, const struct err *err)
{
	struct runs *runs = ctx;
	struct exchange *x = runs->x;
	struct err e;

	(void)more;
	if (rc == 0 && !runs->found) {
		rc = err_set(&e, ERR_NOT_FOUND, "there is no such schedule");
		err = &e;
	}
	if (rc != 0)
		exchange_fail(x, rc, err);
	else
		record_page_list(x, &RUN, x->captures[0], (struct str){ 0 });
}

/* One that has not run yet has none; one that does not exist is another answer. */
void
schedule_runs_route(struct exchange *x)
{
	struct runs *runs = ARENA_NEW(x->arena, struct runs);

	runs->x = x;
	engine_read(x->engine, &x->caller,
		    &(struct store_query){ .kind = STORE_GET_RECORD,
					   .record_kind = RECORD_SCHEDULE,
					   .record_id = x->captures[0],
					   .limit = 1 },
		    on_schedule_row, on_schedule, runs);
}
