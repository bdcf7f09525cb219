#include "engine/session_change.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/event_make.h"
#include "core/metadata.h"
#include "core/session_open.h"
#include "engine/access.h"
#include "engine/commit.h"
#include "engine/wake.h"

struct change;
/* Fills the commit, or leaves it empty when nothing is to be done. */
typedef int
change_fn(struct change *ch, const struct store_session *session, struct commit *c, struct err *e);

struct change {
	struct engine *en;
	struct engine_call call;
	struct engine_caller caller;
	struct str session;
	struct arena arena;
	struct json body;
	change_fn *make;
	bool empty;
};

static void
change_end(struct change *ch, const struct engine_answer *answer)
{
	ch->call.done(ch->call.ctx, answer);
	arena_release(&ch->arena);
	free(ch);
}

static void
on_changed(void *ctx, const struct commit_result *result)
{
	struct change *ch = ctx;
	const struct store_result *r = result->store;
	struct engine_answer answer = { .id = ch->session, .queue_position = -1 };

	if (r->rc < 0) {
		answer.rc = r->rc;
		answer.err = &r->err;
	}
	answer.replayed = r->rc == STORE_REPLAYED;
	change_end(ch, &answer);
}

static void
on_standing(void *ctx, int rc, const struct err *err, const struct store_session *session,
	    bool takes_part)
{
	struct change *ch = ctx;
	struct commit *c;
	struct err e;

	(void)takes_part;
	if (rc != 0) {
		change_end(ch, &(struct engine_answer){ .rc = rc, .err = err });
		return;
	}
	c = commit_new(ch->en, ch->session);
	commit_require(c)->lifecycles = 1u << session->row.state.lifecycle;
	rc = ch->make(ch, session, c, &e);
	if (rc != 0 || ch->empty) {
		commit_abandon(&c);
		change_end(ch,
			   &(struct engine_answer){
				   .rc = rc, .err = &e, .id = ch->session, .queue_position = -1 });
		return;
	}
	commit_repeat(c, ch->call.repeat, STR("{}"));
	commit_submit(c, on_changed, ch);
}

static void
change_start(struct engine *en, const struct engine_call *call, enum access_verb verb,
	     struct str session, struct json body, change_fn *make)
{
	struct change *ch;

	if (engine_is_closed(en, call))
		return;
	ch = xcalloc(1, sizeof *ch);
	*ch = (struct change){ .en = en,
			       .call = *call,
			       .caller = *call->caller,
			       .session = session,
			       .body = body,
			       .make = make };
	arena_init(&ch->arena);
	access_check(en, &ch->caller, verb, session, on_standing, ch);
}

/* ---- update ---- */

int
session_patch_metadata(struct arena *a, struct str current, struct json patch, struct str *out,
		       struct err *e)
{
	struct json_doc doc;
	struct json now = { 0 };
	struct buf merged;
	struct jw w;
	int rc = 0;

	if (current.len > 0)
		rc = json_parse(a, current, &JSON_LIMITS_DEFAULT, &doc, e);
	if (rc != 0)
		return rc;
	if (current.len > 0)
		now = json_root(&doc);
	buf_init(&merged, STORE_INLINE_MAX);
	jw_init(&w, &merged);
	rc = metadata_merge(now, patch, a, &w, e);
	*out = (struct str){ 0 };
	if (rc == 0 && !str_eq(buf_str(&merged), current.len > 0 ? current : STR("{}")))
		*out = arena_str(a, buf_str(&merged));
	buf_release(&merged);
	return rc;
}

struct update {
	struct json title, metadata, budget, agent;
};

static int
read_update(struct json body, struct update *out, struct err *e)
{
	const struct json_field fields[] = {
		{ "title", JSON_WANT_STRING | JSON_WANT_NULL, false, &out->title },
		{ "metadata", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &out->metadata },
		{ "budget", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &out->budget },
		{ "agent", JSON_WANT_OBJECT, false, &out->agent },
	};
	int rc = json_fields(body, fields, ARRAY_LEN(fields), e);

	if (rc == 0 && json_is_set(out->budget))
		rc = session_budget_check(out->budget, e);
	return rc;
}

/* The members of session.updated that really change; returns how many there are. */
static int
write_members(struct change *ch, const struct update *u, const struct store_session *session,
	      struct jw *w, size_t *count, struct err *e)
{
	struct str title, metadata;
	int rc = 0;

	if (json_is_set(u->title)) {
		rc = session_title_check(u->title, &ch->arena, &title, e);
		if (rc == 0 && !str_eq(title, session->row.title)) {
			jw_field_str(w, "title", title);
			jw_field_str(w, "title_source", STR("user"));
			(*count)++;
		}
	}
	if (rc != 0 || !json_is_set(u->metadata))
		return rc;
	rc = session_patch_metadata(&ch->arena, session->metadata, u->metadata, &metadata, e);
	if (rc == 0 && metadata.len > 0) {
		jw_field_raw(w, "metadata", metadata);
		(*count)++;
	}
	return rc;
}

static int
make_update(struct change *ch, const struct store_session *session, struct commit *c, struct err *e)
{
	struct update u = { 0 };
	size_t count = 0;
	struct buf payload;
	struct jw w;
	int rc = read_update(ch->body, &u, e);

	if (rc != 0)
		return rc;
	buf_init(&payload, STORE_INLINE_MAX);
	jw_init(&w, &payload);
	jw_object(&w);
	jw_field_str(&w, "type", STR("session.updated"));
	rc = write_members(ch, &u, session, &w, &count, e);
	jw_end_object(&w);
	ch->empty = count == 0;
	if (rc == 0 && count > 0)
		commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &payload);
	else
		buf_release(&payload);
	return rc;
}

void
engine_session_update(struct engine *en, const struct engine_call *call, struct str session,
		      struct json body)
{
	change_start(en, call, ACCESS_SESSION_MANAGE, session, body, make_update);
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
	change_start(en, call, ACCESS_SESSION_MANAGE, session, (struct json){ 0 }, make_archive);
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
	change_start(en, call, ACCESS_SESSION_DELETE, session, (struct json){ 0 }, make_delete);
}
