#include "engine/session_change.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/event_make.h"
#include "engine/access.h"
#include "engine/catalog.h"
#include "engine/repeat.h"
#include "engine/wake.h"

static void
change_end(struct change *ch, const struct engine_answer *answer)
{
	ch->call.done(ch->call.ctx, answer);
	arena_release(&ch->arena);
	free(ch);
}

static void
change_fail(struct change *ch, int rc, const struct err *err)
{
	change_end(ch, &(struct engine_answer){ .rc = rc, .err = err });
}

static void
change_done(struct change *ch, bool replayed)
{
	change_end(ch, &(struct engine_answer){
			       .id = ch->session, .replayed = replayed, .queue_position = -1 });
}

static void
on_changed(void *ctx, const struct commit_result *result)
{
	const struct store_result *r = result->store;
	struct change *ch = ctx;

	if (r->rc == 0 && ch->wakes)
		wake_session(ch->en, ch->session);
	if (r->rc < 0)
		change_fail(ch, r->rc, &r->err);
	else
		change_done(ch, r->rc == STORE_REPLAYED);
}

static void
submit(struct change *ch)
{
	struct commit *c = commit_new(ch->en, ch->session);
	struct err e;
	int rc;

	commit_require(c)->lifecycles = 1u << ch->row.row.state.lifecycle;
	rc = ch->make(ch, &ch->row, c, &e);
	if (rc != 0 || ch->empty) {
		commit_abandon(&c);
		if (rc != 0)
			change_fail(ch, rc, &e);
		else if (repeat_is_keyed(ch->call.repeat))
			repeat_remember(ch->en, ch->call.repeat, STR("{}"), on_changed, ch);
		else
			change_done(ch, false);
		return;
	}
	commit_repeat(c, ch->call.repeat, STR("{}"));
	commit_submit(c, on_changed, ch);
}

static bool
on_extra_row(void *ctx, const struct store_row *row)
{
	struct change *ch = ctx;

	ch->extra = arena_str(&ch->arena, row->record->body);
	ch->extra_version = row->record->version;
	return false;
}

static void
on_agent(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct change *ch = ctx;

	if (rc != 0) {
		change_fail(ch, rc, err);
		return;
	}
	ch->agent = arena_str(&ch->arena, agent->body);
	submit(ch);
}

static void
on_extra(void *ctx, int rc, bool more, const struct err *err)
{
	struct change *ch = ctx;

	(void)more;
	if (rc != 0)
		change_fail(ch, rc, err);
	else if (ch->wants_agent)
		catalog_agent(ch->en->catalog, ch->row.agent_id, ch->row.agent_version, on_agent,
			      ch);
	else
		submit(ch);
}

static void
on_standing(void *ctx, int rc, const struct err *err, const struct store_session *session,
	    bool takes_part)
{
	struct change *ch = ctx;

	(void)takes_part;
	if (rc != 0) {
		change_fail(ch, rc, err);
		return;
	}
	access_copy_session(&ch->arena, session, &ch->row);
	if (!ch->wants_extra)
		submit(ch);
	else
		store_read(ch->en->store,
			   &(struct store_query){ .kind = STORE_GET_RECORD,
						  .record_kind = RECORD_SESSION_EXTRA,
						  .record_id = ch->session,
						  .limit = 1 },
			   on_extra_row, on_extra, ch);
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct change *ch = ctx;

	if (rc != 0)
		change_fail(ch, rc, err);
	else if (first)
		change_done(ch, true);
	else
		access_check(ch->en, &ch->caller, ch->verb, ch->session, on_standing, ch);
}

struct change *
change_new(struct engine *en, const struct engine_call *call, enum access_verb verb,
	   struct str session, change_fn *make)
{
	struct change *ch = xcalloc(1, sizeof *ch);

	ch->en = en;
	ch->call = *call;
	ch->caller = *call->caller;
	ch->verb = verb;
	ch->session = session;
	ch->make = make;
	arena_init(&ch->arena);
	return ch;
}

void
change_start(struct change *ch)
{
	if (repeat_is_keyed(ch->call.repeat))
		repeat_find(ch->en, ch->call.repeat, on_repeat, ch);
	else
		access_check(ch->en, &ch->caller, ch->verb, ch->session, on_standing, ch);
}

/* ---- archive, delete ---- */

static int
make_archive(struct change *ch, const struct store_session *session, struct commit *c,
	     struct err *e)
{
	struct buf payload;

	(void)e;
	ch->empty = session->row.state.lifecycle == LIFECYCLE_ARCHIVED;
	if (ch->empty)
		return 0;
	commit_require(c)->idle = true;
	buf_init(&payload, STORE_INLINE_MAX);
	event_make_lifecycle(&payload, LIFECYCLE_ARCHIVED, STR("archived"));
	commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &payload);
	return 0;
}

void
engine_session_archive(struct engine *en, const struct engine_call *call, struct str session)
{
	if (!engine_is_closed(en, call))
		change_start(change_new(en, call, ACCESS_SESSION_MANAGE, session, make_archive));
}

static int
make_delete(struct change *ch, const struct store_session *session, struct commit *c, struct err *e)
{
	struct buf payload;

	(void)ch, (void)session, (void)e;
	commit_require(c)->idle = true;
	buf_init(&payload, STORE_INLINE_MAX);
	event_make_deleted(&payload);
	commit_append_made(c, EVENT_SESSION_DELETED, STR(""), &payload);
	return 0;
}

void
engine_session_delete(struct engine *en, const struct engine_call *call, struct str session)
{
	if (!engine_is_closed(en, call))
		change_start(change_new(en, call, ACCESS_SESSION_DELETE, session, make_delete));
}
