/* environment_change - environments made, changed, archived, deleted.
 * One that sessions still name is archived, not deleted: they could run no tool any more. local-default
 * stays. Commands of engine.h: engine_environment_create, _update, _archive, _delete. */
#include "core/environment_def.h"
#include "core/session.h"
#include "engine/catalog.h"
#include "engine/record_change.h"

static int
prepare_create(struct record_change *ch, struct err *e)
{
	(void)e;
	ch->id = engine_make_id(ch->en, &ch->arena, "env");
	return 0;
}

static int
prepare_change(struct record_change *ch, struct err *e)
{
	(void)e;
	record_change_read(ch, RECORD_ENVIRONMENT, ch->id);
	return 0;
}

/* For what ends it. */
static int
prepare_end(struct record_change *ch, struct err *e)
{
	if (str_eq(ch->id, CATALOG_ENVIRONMENT))
		return err_set(e, ERR_CONFLICT, "the environment " STR_FMT " always exists",
			       STR_ARG(ch->id));
	return prepare_change(ch, e);
}

static int
check_found(const struct record_change *ch, struct err *e)
{
	if (ch->reads[0].found)
		return 0;
	return err_set(e, ERR_NOT_FOUND, "there is no environment " STR_FMT, STR_ARG(ch->id));
}

static void
put_environment(struct record_change *ch, struct commit *c, const struct definition_text *made)
{
	int64_t now = ch->reads[0].version; /* 0: there is none yet */

	ch->version = made->changed ? now + 1 : now;
	if (made->changed)
		record_change_put(ch, c,
				  &(struct store_record){ .kind = RECORD_ENVIRONMENT,
							  .id = ch->id,
							  .body = made->text },
				  now);
}

static int
decide_make(struct record_change *ch, struct commit *c, struct err *e)
{
	struct definition_facts f = { .id = ch->id,
				      .now_ms = host_now_ms(ch->en->host),
				      .current = ch->reads[0].body };
	struct definition_text made;
	int rc = ch->read_count > 0 ? check_found(ch, e) : 0;

	if (rc == 0)
		rc = environment_def_make(&f, ch->body, &ch->arena, &made, e);
	if (rc == 0)
		put_environment(ch, c, &made);
	return rc;
}

static int
decide_archive(struct record_change *ch, struct commit *c, struct err *e)
{
	struct definition_text made;
	int rc = check_found(ch, e);

	if (rc == 0)
		rc = definition_archive(ch->reads[0].body, host_now_ms(ch->en->host), &ch->arena,
					&made, e);
	if (rc == 0)
		put_environment(ch, c, &made);
	return rc;
}

static int
decide_delete(struct record_change *ch, struct commit *c, struct err *e)
{
	int rc = check_found(ch, e);

	if (rc != 0)
		return rc;
	ch->version = ch->reads[0].version;
	ch->fills = true;
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_ENVIRONMENT, .id = ch->id },
					   .if_version = ch->reads[0].version,
					   .remove = true });
	return 0;
}

/* ---- does a session name it? ---- */

/* The list is ordered by activity, so a session that is active meanwhile moves out of the reach of
 * later pages. After a pass of several pages those are looked at again; a pass of one page misses
 * nothing. */
struct search {
	struct record_change *ch;
	struct str user;           /* a session that names it; empty: none yet */
	int64_t pass_ms, since_ms; /* when this pass began, and what it looks at */
	size_t pages;
	int64_t cursor_ms;
	struct str cursor_id;
};

static void search_on(struct search *s);

static void
search_pass(struct search *s)
{
	s->since_ms = s->pass_ms;
	s->pass_ms = host_now_ms(s->ch->en->host);
	s->pages = 0;
	s->cursor_id = (struct str){ 0 };
	search_on(s);
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct search *s = ctx;

	s->cursor_ms = row->session->row.counters.last_activity_ms;
	s->cursor_id = arena_str(&s->ch->arena, row->session->id);
	if (str_eq(row->session->environment_id, s->ch->id))
		s->user = s->cursor_id;
	return s->user.len == 0;
}

static void
on_sessions(void *ctx, int rc, bool more, const struct err *err)
{
	struct search *s = ctx;
	struct err e;

	s->pages++;
	if (rc == 0 && s->user.len > 0) {
		rc = err_set(&e, ERR_CONFLICT,
			     "the session " STR_FMT " runs in the environment " STR_FMT
			     ": archive it instead, or delete its sessions first",
			     STR_ARG(s->user), STR_ARG(s->ch->id));
		err = &e;
	}
	if (rc != 0)
		record_change_go_on(s->ch, rc, err);
	else if (more)
		search_on(s);
	else if (s->pages > 1)
		search_pass(s);
	else
		record_change_go_on(s->ch, 0, NULL);
}

static void
search_on(struct search *s)
{
	store_read(s->ch->en->store,
		   &(struct store_query){
			   .kind = STORE_LIST_SESSIONS,
			   .filter.lifecycles = 1u << LIFECYCLE_ACTIVE | 1u << LIFECYCLE_INACTIVE |
						1u << LIFECYCLE_ARCHIVED,
			   .filter.active_since_ms = s->since_ms,
			   .cursor_ms = s->cursor_ms,
			   .cursor_id = s->cursor_id,
			   .limit = STORE_PAGE_ROWS_MAX,
		   },
		   on_session_row, on_sessions, s);
}

static void
look_for_sessions(struct record_change *ch)
{
	struct search *s = ARENA_NEW(&ch->arena, struct search);

	s->ch = ch;
	if (ch->reads[0].found)
		search_pass(s);
	else
		record_change_go_on(ch, 0, NULL); /* decide has the sentence for it */
}

/* ---- the commands ---- */

void
engine_environment_create(struct engine *en, const struct engine_call *call, struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_ENVIRONMENT_MANAGE,
						 .prepare = prepare_create,
						 .decide = decide_make };

	record_change_start(en, &PLAN, call, STR(""), body);
}

void
engine_environment_update(struct engine *en, const struct engine_call *call, struct str id,
			  struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_ENVIRONMENT_MANAGE,
						 .prepare = prepare_change,
						 .decide = decide_make };

	record_change_start(en, &PLAN, call, id, body);
}

void
engine_environment_archive(struct engine *en, const struct engine_call *call, struct str id)
{
	static const struct record_plan PLAN = { .verb = ACCESS_ENVIRONMENT_MANAGE,
						 .prepare = prepare_end,
						 .decide = decide_archive };

	record_change_start(en, &PLAN, call, id, (struct json){ 0 });
}

void
engine_environment_delete(struct engine *en, const struct engine_call *call, struct str id)
{
	static const struct record_plan PLAN = { .verb = ACCESS_ENVIRONMENT_MANAGE,
						 .prepare = prepare_end,
						 .look = look_for_sessions,
						 .decide = decide_delete };

	record_change_start(en, &PLAN, call, id, (struct json){ 0 });
}
