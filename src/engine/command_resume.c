/* command_resume - /resume: an earlier conversation goes on, by its id or its title. In a lane the lane
 * moves to it; elsewhere whoever asked goes there. */
#include "core/event_make.h"
#include "engine/access.h"
#include "engine/command.h"
#include "engine/lane.h"

struct resuming {
	struct str target;
	enum lifecycle lifecycle;
	struct json_doc body;
	size_t named; /* sessions of that title */
};

static void
write_data(struct command *c)
{
	struct resuming *r = c->state;
	struct jw w;

	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "session_id", r->target);
	jw_field_str(&w, "previous_session_id", c->session);
	jw_end_object(&w);
}

static struct str
said(struct command *c)
{
	struct resuming *r = c->state;

	return arena_printf(&c->arena, "goes on in " STR_FMT, STR_ARG(r->target));
}

/* ---- in a lane ---- */

static void
on_switched(void *ctx, const struct engine_answer *answer)
{
	struct command *c = ctx;

	if (answer->rc != 0) {
		command_fail(c, answer->rc, answer->err);
		return;
	}
	write_data(c);
	command_done_once(c, said(c));
}

static void
switch_lane(struct command *c, struct str lane)
{
	struct resuming *r = c->state;
	struct engine_call call = { &c->caller, NULL, on_switched, c };
	struct buf text;
	struct str kept;
	struct err e;
	struct jw w;
	int rc;

	buf_init(&text, STORE_INLINE_MAX);
	jw_init(&w, &text);
	jw_object(&w);
	jw_field_str(&w, "session_id", r->target);
	jw_end_object(&w);
	kept = arena_str(&c->arena, buf_str(&text));
	buf_release(&text);
	rc = json_parse(&c->arena, kept, &JSON_LIMITS_DEFAULT, &r->body, &e);
	if (rc != 0)
		command_fail(c, rc, &e);
	else
		engine_lane_switch(c->en, &call, lane, json_root(&r->body));
}

/* ---- elsewhere ---- */

static void
reopen(struct command *c)
{
	struct resuming *r = c->state;
	struct commit *commit;
	struct buf payload;

	write_data(c);
	if (r->lifecycle == LIFECYCLE_ACTIVE) {
		command_done_once(c, said(c));
		return;
	}
	commit = commit_new(c->en, r->target);
	commit_require(commit)->lifecycles = 1u << r->lifecycle;
	buf_init(&payload, STORE_INLINE_MAX);
	event_make_lifecycle(&payload, LIFECYCLE_ACTIVE, STR("resumed"));
	commit_append_made(commit, EVENT_SESSION_UPDATED, STR(""), &payload);
	command_submit(c, commit, said(c));
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct command *c = ctx;

	if (rc != 0)
		command_fail(c, rc, err);
	else if (lane->version > 0)
		switch_lane(c, arena_str(&c->arena, lane->id));
	else
		reopen(c);
}

/* ---- which one? ---- */

static void find_by_title(struct command *c);

static void
on_target(void *ctx, int rc, const struct err *err, const struct store_session *session,
	  bool takes_part)
{
	struct command *c = ctx;
	struct resuming *r = c->state;

	(void)takes_part;
	if (rc == ERR_NOT_FOUND && r->named == 0) {
		find_by_title(c);
	} else if (rc != 0) {
		command_fail(c, rc, err);
	} else {
		r->lifecycle = session->row.state.lifecycle;
		lane_find_by_session(c->en, c->session, on_lane, c);
	}
}

static void
look(struct command *c)
{
	struct resuming *r = c->state;

	access_check(c->en, &c->caller, ACCESS_SESSION_RESUME, r->target, on_target, c);
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct command *c = ctx;
	struct resuming *r = c->state;

	if (!str_eq(row->session->row.title, c->line.text))
		return true;
	r->target = arena_str(&c->arena, row->session->id);
	return ++r->named < 2;
}

static void
on_sessions(void *ctx, int rc, bool more, const struct err *err)
{
	struct command *c = ctx;
	struct resuming *r = c->state;
	struct err e;

	(void)more; /* a title that is not among the newest thousand that hold it is asked for by id */
	if (rc != 0) {
		command_fail(c, rc, err);
	} else if (r->named == 1) {
		look(c);
	} else {
		rc = r->named == 0 ? ERR_NOT_FOUND : ERR_CONFLICT;
		err_set(&e, rc, "%s is called " STR_FMT "; /sessions lists them with their ids",
			r->named == 0 ? "no session" : "more than one session",
			STR_ARG(c->line.text));
		command_fail(c, rc, &e);
	}
}

static void
find_by_title(struct command *c)
{
	engine_read(c->en, &c->caller,
		    &(struct store_query){ .kind = STORE_LIST_SESSIONS,
					   .filter = { .text = c->line.text },
					   .limit = STORE_PAGE_ROWS_MAX },
		    on_session_row, on_sessions, c);
}

void
command_resume_go(struct command *c)
{
	struct resuming *r = ARENA_NEW(&c->arena, struct resuming);
	struct err e;

	c->state = r;
	r->target = c->line.text;
	if (c->line.text.len == 0)
		command_fail(c,
			     err_set(&e, ERR_INVALID,
				     "/resume: say which, by id or title; /sessions lists them"),
			     &e);
	else if (session_id_check(c->line.text, NULL) == 0)
		look(c);
	else
		find_by_title(c);
}
