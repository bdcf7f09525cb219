/* lane_resolve - the session that a conversation is in: continued, resumed, made or replaced (engine/
 * lane_open). Command of engine.h: engine_session_resolve.
 *
 * Single flight: while one request resolves a lane here, others of the same lane wait for it; those of
 * the same user then get its session, the rest take their turn. Between processes the record's version
 * settles it: whoever comes second reads again. */
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "core/event_make.h"
#include "engine/access.h"
#include "engine/admission.h"
#include "engine/catalog.h"
#include "engine/lane_resolve_private.h"
#include "engine/repeat.h"
#include "engine/session_birth.h"
#include "engine/workspace.h"

enum {
	TRIES_MAX = 16,
	BUMP_MS = 1000, /* activity is noted no more often: idleness is counted in minutes */
	KEY_TEXT_MAX = 4096,
};

/* ---- the end of one, and who comes next ---- */

static void
resolving_free(struct resolving *r)
{
	arena_release(&r->arena);
	free(r);
}

static void look_up(struct resolving *r);

static void
fly(struct resolving *r)
{
	r->in_flight = true;
	map_put(&r->en->flights, r->lane.id, r);
	look_up(r);
}

/* Those who came meanwhile: the same session for the same user, the lane for the next of the others. */
static void
land(struct resolving *r, const struct engine_answer *answer)
{
	struct resolving *next = NULL;

	map_remove(&r->en->flights, r->lane.id);
	list_for_each (at, &r->queue) {
		struct resolving *w = LIST_OWNER(at, struct resolving, node);

		list_remove(&w->node);
		if (next) {
			list_append(&next->queue, &w->node);
		} else if (answer->rc == 0 && !w->ask.force_new && str_eq(w->user, r->user) &&
			   str_eq(w->caller.who.user_id, r->caller.who.user_id) &&
			   !repeat_is_keyed(w->call.repeat)) {
			w->call.done(w->call.ctx, &(struct engine_answer){ .id = answer->id,
									   .lane = answer->lane,
									   .queue_position = -1 });
			resolving_free(w);
		} else {
			next = w;
		}
	}
	if (next)
		fly(next);
}

static void
resolving_end(struct resolving *r, const struct engine_answer *answer)
{
	r->call.done(r->call.ctx, answer);
	if (r->in_flight)
		land(r, answer);
	resolving_free(r);
}

void
resolving_fail(struct resolving *r, int rc, const struct err *err)
{
	resolving_end(r, &(struct engine_answer){ .rc = rc, .err = err });
}

/* A surface is named as people know it; who a source's people are is not for logs. */
static void
log_opened(struct resolving *r)
{
	struct str reason = resolve_reset_reason(&r->plan);
	struct buf surface;

	buf_init(&surface, KEY_TEXT_MAX);
	if (!r->ask.by_source)
		surface_key_log_form(&r->ask.key, &surface);
	log_write(LOG_INFO, "lane.session_opened", LOG_STR("lane", r->lane.id),
		  LOG_STR("surface", buf_str(&surface)), LOG_STR("session", r->id),
		  LOG_STR("reset_reason", reason));
	buf_release(&surface);
}

void
resolving_done(struct resolving *r)
{
	if (r->plan.opens_session)
		log_opened(r);
	resolving_end(r, &(struct engine_answer){ .id = r->id,
						  .lane = r->lane.id,
						  .created = r->plan.opens_session,
						  .reset_reason = resolve_reset_reason(&r->plan),
						  .queue_position = -1 });
}

/* ---- what a repeat is told ---- */

struct str
resolving_remembered(struct resolving *r)
{
	struct buf out;
	struct str text;
	struct jw w;

	buf_init(&out, STORE_KEY_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	jw_field_str(&w, "id", r->id);
	jw_field_str(&w, "lane", r->lane.id);
	jw_field_bool(&w, "created", r->plan.opens_session);
	jw_field_opt(&w, "reset_reason", resolve_reset_reason(&r->plan));
	jw_end_object(&w);
	text = arena_str(&r->arena, buf_str(&out));
	buf_release(&out);
	return text;
}

void
resolving_replay(struct resolving *r, struct str first)
{
	struct json id = { 0 }, lane = { 0 }, created = { 0 }, reason = { 0 };
	const struct json_field fields[] = {
		{ "id", JSON_WANT_STRING, true, &id },
		{ "lane", JSON_WANT_STRING, true, &lane },
		{ "created", JSON_WANT_BOOL, true, &created },
		{ "reset_reason", JSON_WANT_STRING | JSON_WANT_NULL, false, &reason },
	};
	struct engine_answer answer = { .replayed = true, .queue_position = -1 };
	struct json_doc doc;
	struct err e;
	int rc = json_parse(&r->arena, arena_str(&r->arena, first), &JSON_LIMITS_DEFAULT, &doc, &e);

	if (rc == 0)
		rc = json_fields(json_root(&doc), fields, ARRAY_LEN(fields), &e);
	if (rc == 0)
		rc = json_take_bool(created, &answer.created, &e);
	if (rc != 0) {
		resolving_fail(r, err_set(&e, ERR_CORRUPT, "a remembered answer cannot be read"),
			       &e);
		return;
	}
	answer.id = json_str(id, &r->arena);
	answer.lane = json_str(lane, &r->arena);
	if (json_is_set(reason))
		answer.reset_reason = json_str(reason, &r->arena);
	resolving_end(r, &answer);
}

void
resolving_retry(struct resolving *r, const struct err *err)
{
	if (++r->tries < TRIES_MAX)
		look_up(r); /* see what it is now */
	else
		resolving_fail(r, ERR_CONFLICT, err);
}

void
resolving_committed(void *ctx, const struct commit_result *result)
{
	const struct store_result *s = result->store;
	struct resolving *r = ctx;

	if (s->rc == STORE_REPLAYED)
		resolving_replay(r, s->answer);
	else if (s->rc == ERR_CONFLICT)
		resolving_retry(r, &s->err);
	else if (s->rc != 0)
		resolving_fail(r, s->rc, &s->err);
	else
		resolving_done(r);
}

/* ---- the session that is there ---- */

void
resolving_put_participant(struct resolving *r, struct commit *c, struct str session)
{
	bool comes_in =
		r->has_session && r->shared && !r->ask.by_source; /* to what others opened */

	session_birth_join(c, session, r->user.len > 0 ? r->user : r->caller.who.user_id,
			   comes_in ? ACCESS_MEMBER : ACCESS_PARTICIPANT);
}

static void
go_on(struct resolving *r)
{
	bool asleep = r->session.row.state.lifecycle == LIFECYCLE_INACTIVE;
	int64_t now = host_now_ms(r->en->host);
	bool joins = r->caller.who.user_id.len > 0 && !r->takes_part &&
		     !principal_is_owner(&r->caller.who);
	struct commit *c;
	struct buf payload;

	r->id = r->session.id;
	if (!asleep && !joins && now - r->lane.entry.updated_ms < BUMP_MS) {
		if (repeat_is_keyed(r->call.repeat))
			repeat_remember(r->en, r->call.repeat, resolving_remembered(r),
					resolving_committed, r);
		else
			resolving_done(r);
		return;
	}
	c = commit_new(r->en, asleep ? r->id : STR(""));
	if (asleep) {
		commit_require(c)->lifecycles = 1u << LIFECYCLE_INACTIVE;
		buf_init(&payload, STORE_INLINE_MAX);
		event_make_lifecycle(&payload, LIFECYCLE_ACTIVE, STR("opened"));
		commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &payload);
	}
	r->lane.entry.updated_ms = now;
	r->lane.entry.expiry_finalized = false; /* it lives on, and may expire again */
	r->lane.entry.finalize_attempts = 0;
	lane_put(c, &r->lane);
	if (joins)
		resolving_put_participant(r, c, r->id);
	commit_repeat(c, r->call.repeat, resolving_remembered(r));
	commit_submit(c, resolving_committed, r);
}

/* ---- what is there, and what becomes of it ---- */

static void
decide(struct resolving *r)
{
	const struct lane_entry *entry = &r->lane.entry;
	struct resolve_facts f = { .has_entry = r->has_session, .force_new = r->ask.force_new };
	struct reset_policy policy = { .daily_hour = -1 };

	if (r->has_session) {
		int64_t active = r->session.row.counters.last_activity_ms;

		policy = lane_policy(r->en, entry);
		f.suspended = entry->recover.suspended;
		f.resume_pending = entry->recover.resume_pending;
		f.reset = (struct reset_facts){
			.now_ms = host_now_ms(r->en->host),
			.last_active_ms = active > entry->updated_ms ? active : entry->updated_ms,
			.boundary_ms = lane_boundary_ms(r->en, entry, policy.daily_hour),
			.work_open = r->work_open || r->session.row.state.phase != TURN_NONE,
		};
	}
	r->plan = resolve_policy_decide(&policy, &f);
	if (!r->plan.opens_session)
		go_on(r);
	else if (r->plan.archives_session)
		lane_open_next(r);
	else
		lane_open_first(r);
}

/* Surface group belongs to everybody in its workspace, to read and to post; the one that everybody is in is main,
 * or none. A new session in its place is not theirs to ask for. */
static bool
may_join(const struct resolving *r)
{
	return !r->ask.by_source && r->shared && r->caller.who.kind == TOKEN_USER &&
	       !r->ask.force_new &&
	       (r->ask.workspace_id.len == 0 || str_eq(r->ask.workspace_id, CATALOG_WORKSPACE));
}

static void
on_session(void *ctx, int rc, const struct err *err, const struct store_session *session,
	   bool takes_part)
{
	struct resolving *r = ctx;
	bool exists = session && !session->row.deleted;
	struct err e;

	if (rc == ERR_NOT_FOUND && exists && !may_join(r)) {
		resolving_fail(r, err_set(&e, ERR_NOT_FOUND, "there is no such conversation here"),
			       &e);
		return;
	}
	if (rc != 0 && rc != ERR_NOT_FOUND && rc != ERR_CONFLICT) {
		resolving_fail(r, rc, err);
		return;
	}
	r->has_session = exists && session->row.state.lifecycle != LIFECYCLE_ARCHIVED &&
			 session->row.state.lifecycle != LIFECYCLE_TERMINATED;
	r->takes_part = takes_part;
	if (r->has_session)
		access_copy_session(&r->arena, session, &r->session);
	decide(r);
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct resolving *r = ctx;

	if (rc != 0) {
		resolving_fail(r, rc, err);
		return;
	}
	r->lane = lane_copy(&r->arena, lane);
	r->has_session = false;
	if (lane->version == 0)
		decide(r);
	else
		access_check(r->en, &r->caller,
			     r->ask.force_new ? ACCESS_SESSION_CONTROL : ACCESS_SESSION_POST,
			     r->lane.entry.session_id, on_session, r);
}

static void
look_up(struct resolving *r)
{
	lane_find(r->en, r->lane.id, on_lane, r);
}

/* ---- the request ---- */

static void
name_lane(struct resolving *r)
{
	struct session_key_policy policy = {
		.agent_id = r->ask.agent_id,
		.group_per_user = r->en->config.settings.group_per_user,
		.thread_per_user = r->en->config.settings.thread_per_user,
	};
	struct session_key by_source;
	struct buf text;

	if (r->ask.by_source) {
		by_source = session_key_decide(&r->ask.source, &policy, &r->arena);
		r->key = by_source.text;
		r->shared = by_source.shared;
		r->lane.id = lane_id_of_source(&r->arena, r->ask.workspace_id, &by_source);
		return;
	}
	r->user = r->ask.key.user_id.len > 0 ? r->ask.key.user_id : r->caller.who.user_id;
	r->ask.key.user_id = r->user;
	r->shared = surface_key_is_shared(&r->ask.key);
	if (r->shared)
		r->user = (struct str){ 0 };
	buf_init(&text, KEY_TEXT_MAX);
	surface_key_format(&r->ask.key, &text);
	r->key = arena_str(&r->arena, buf_str(&text));
	buf_release(&text);
	r->lane.id = lane_id_of_surface(&r->arena, &r->ask.key);
}

static void
enter(struct resolving *r)
{
	struct resolving *first = map_find(&r->en->flights, r->lane.id);

	if (first)
		list_append(&first->queue, &r->node);
	else
		fly(r);
}

static void
on_agent(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct resolving *r = ctx;
	struct err e = { 0 };

	if (rc != 0) {
		e = *err;
		rc = err_prefix(&e, rc, "agent_id: ");
	} else {
		r->agent_version = agent->version;
		r->agent_archived = agent->archived;
	}
	if (rc == 0)
		rc = lane_ask_check(&r->ask, &r->caller.who, &e);
	if (rc == 0 && r->ask.workspace_id.len > 0)
		rc = workspaces_check(r->en->workspaces, r->ask.workspace_id, &e);
	if (rc != 0)
		resolving_fail(r, rc, &e);
	else
		enter(r);
}

static void
look_for_agent(struct resolving *r)
{
	struct err e;
	int rc = admission_check(r->en, &r->caller, ACCESS_AGENT_USE, r->ask.agent_id, &e);

	if (rc != 0) {
		engine_refuse(r->en, &r->call, err_prefix(&e, rc, "agent_id: "), &e);
		resolving_free(r);
	} else {
		catalog_agent(r->en->catalog, r->ask.agent_id, 0, on_agent, r);
	}
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct resolving *r = ctx;

	if (rc != 0)
		resolving_fail(r, rc, err);
	else if (first)
		resolving_replay(r, *first);
	else
		look_for_agent(r);
}

void
engine_session_resolve(struct engine *en, const struct engine_call *call, struct json body)
{
	struct resolving *r;
	struct err e;
	int rc;

	if (engine_is_closed(en, call))
		return;
	r = xcalloc(1, sizeof *r);
	list_init(&r->node);
	list_init(&r->queue);
	r->en = en;
	r->call = *call;
	r->caller = *call->caller;
	arena_init(&r->arena);
	rc = lane_ask_read(body, &r->arena, &r->ask, &e);
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		resolving_free(r);
		return;
	}
	name_lane(r);
	if (repeat_is_keyed(call->repeat))
		repeat_find(en, call->repeat, on_repeat, r);
	else
		look_for_agent(r);
}
