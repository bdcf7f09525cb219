/* resolve - opens a session: creates it with everything the request brings in one transaction, or
 * finds the one that has this id already. Command of engine.h: engine_session_open. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "core/definition.h"
#include "core/event_make.h"
#include "core/lane_ask.h"
#include "core/model_override.h"
#include "core/session.h"
#include "core/session_open.h"
#include "engine/access.h"
#include "engine/admission.h"
#include "engine/catalog.h"
#include "engine/identity.h"
#include "engine/ingress.h"
#include "engine/override.h"
#include "engine/repeat.h"
#include "engine/resource.h"
#include "engine/schedule.h"
#include "engine/session_birth.h"
#include "engine/session_change.h"
#include "engine/wake.h"
#include "engine/workspace.h"

struct opening {
	struct engine *en;
	struct engine_call call;
	struct engine_caller caller;
	struct arena arena;
	struct session_open want;
	struct str id;
	int64_t agent_version;
	struct str metadata; /* as stored */
	struct str
		agent; /* its definition with the overrides in place; empty: as the version has it */
	struct ingress_batch batch;
	bool reserved; /* its id belongs to a channel: not the caller's to open, but perhaps to reopen */
	bool manages; /* the standing that is asked for: it may change the session's metadata */
};

static void
opening_free(struct opening *o)
{
	arena_release(&o->arena);
	free(o);
}

static void
opening_fail(struct opening *o, int rc, const struct err *err)
{
	o->call.done(o->call.ctx, &(struct engine_answer){ .rc = rc, .err = err });
	opening_free(o);
}

/* The same inside the call. */
static void
opening_refuse(struct opening *o, int rc, const struct err *err)
{
	engine_refuse(o->en, &o->call, rc, err);
	opening_free(o);
}

/* Answered before: the session it was about. */
static void
opening_replay(struct opening *o, struct str session)
{
	o->call.done(o->call.ctx, &(struct engine_answer){
					  .replayed = true, .id = session, .queue_position = -1 });
	opening_free(o);
}

static void
opening_done(struct opening *o, bool created, const struct commit_result *result)
{
	size_t skip = result ? result->event_count - o->batch.count : 0;
	struct engine_answer answer = {
		.id = o->id,
		.version = o->agent_version,
		.created = created,
		.triggered = created && o->batch.has_trigger,
		.queue_position = created && o->batch.has_trigger ? 0 : -1,
	};

	if (created && o->batch.count > 0) {
		answer.events = result->events + skip;
		answer.event_count = o->batch.count;
		answer.first_seq = answer.events[0].seq;
	}
	o->call.done(o->call.ctx, &answer);
	opening_free(o);
}

/* ---- the one that is there ---- */

static void
on_reopened(void *ctx, const struct commit_result *result)
{
	struct opening *o = ctx;

	if (result->store->rc < 0)
		opening_fail(o, result->store->rc, &result->store->err);
	else if (result->store->rc == STORE_REPLAYED)
		opening_replay(o, o->id);
	else
		opening_done(o, false, NULL);
}

static int
write_update(struct opening *o, const struct store_session *session, struct buf *out, bool *changed,
	     struct err *e)
{
	bool wakes = session->row.state.lifecycle == LIFECYCLE_INACTIVE;
	struct str metadata = { 0 };
	struct jw w;
	int rc = 0;

	if (json_is_set(o->want.metadata))
		rc = session_patch_metadata(&o->arena, session->metadata, o->want.metadata,
					    &metadata, e);
	if (rc != 0)
		return rc;
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", STR("session.updated"));
	if (metadata.len > 0)
		jw_field_raw(&w, "metadata", metadata);
	if (wakes)
		jw_field_str(&w, "lifecycle", STR("active"));
	jw_end_object(&w);
	*changed = wakes || metadata.len > 0;
	return 0;
}

/* Somebody else's, or of a channel and perhaps not there at all: more than that one may not know. */
static void
opening_hidden(struct opening *o)
{
	struct err e;
	int rc;

	if (o->reserved)
		rc = err_set(&e, ERR_INVALID,
			     "id: what begins with " STR_FMT ": is for that channel to open",
			     STR_ARG(session_id_namespace(o->id)));
	else
		rc = err_set(&e, ERR_CONFLICT, "id: it is taken");
	opening_fail(o, rc, &e);
}

static void
on_standing(void *ctx, int rc, const struct err *err, const struct store_session *session,
	    bool takes_part)
{
	struct opening *o = ctx;
	struct buf payload;
	struct commit *c;
	bool changed;
	struct err e;

	(void)takes_part; /* reopening adds nobody */
	if (rc == ERR_NOT_FOUND && !o->manages) {
		opening_hidden(o);
		return;
	}
	if (rc != 0) {
		opening_fail(o, rc, err);
		return;
	}
	if (json_is_set(o->want.metadata) && !o->manages) {
		o->manages = true;
		access_check(o->en, &o->caller, ACCESS_SESSION_MANAGE, o->id, on_standing, o);
		return;
	}
	o->agent_version = session->agent_version;
	buf_init(&payload, STORE_INLINE_MAX);
	rc = write_update(o, session, &payload, &changed, &e);
	if (rc != 0 || !changed) {
		buf_release(&payload);
		if (rc != 0)
			opening_fail(o, rc, &e);
		else if (repeat_is_keyed(o->call.repeat))
			repeat_remember(o->en, o->call.repeat, o->id, on_reopened, o);
		else
			opening_done(o, false, NULL);
		return;
	}
	c = commit_new(o->en, o->id);
	commit_require(c)->lifecycles = 1u << session->row.state.lifecycle;
	commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &payload);
	commit_repeat(c, o->call.repeat, o->id);
	commit_submit(c, on_reopened, o);
}

/* ---- a new one ---- */

static void
on_created(void *ctx, const struct commit_result *result)
{
	struct opening *o = ctx;
	const struct store_result *r = result->store;

	if (r->rc == STORE_REPLAYED) {
		opening_replay(o, r->answer);
		return;
	}
	if (r->rc == ERR_CONFLICT && o->want.id.len > 0) {
		access_check(o->en, &o->caller, ACCESS_SESSION_POST, o->id, on_standing, o);
		return;
	}
	if (o->batch.wakes && (r->rc == 0 || r->rc == ERR_UNAVAILABLE)) /* it may be stored */
		wake_session(o->en, o->id);
	if (r->rc != 0) {
		opening_fail(o, r->rc, &r->err);
		return;
	}
	opening_done(o, true, result);
}

static void
put_extra(struct opening *o, struct commit *c)
{
	struct override as = { o->en, &o->caller, o->want.agent_id };
	struct buf body;
	struct jw w;

	if (o->agent.len == 0 && !json_is_set(o->want.vault_ids) && !json_is_set(o->want.budget) &&
	    o->want.webhook_url.len == 0)
		return;
	buf_init(&body, STORE_PAYLOAD_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	if (o->agent.len > 0)
		jw_field_raw(&w, "agent", o->agent);
	if (o->agent.len > 0 && json_is_set(definition_find(o->want.overrides, "model"))) {
		jw_key(&w, MODEL_OVERRIDE_CHOSEN);
		jw_bool(&w, true);
	}
	if (json_is_set(o->want.vault_ids))
		jw_field_raw(&w, "vault_ids", json_raw(o->want.vault_ids));
	if (json_is_set(o->want.budget))
		jw_field_raw(&w, "budget", json_raw(o->want.budget));
	if (json_is_set(o->want.budget) && !override_is_owners(&as))
		jw_field_bool(&w, SESSION_BUDGET_OPEN, true);
	if (o->want.webhook_url.len > 0)
		jw_field_str(&w, "webhook_url", o->want.webhook_url);
	jw_end_object(&w);
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_SESSION_EXTRA,
						       .id = o->id,
						       .owner = o->id,
						       .body = buf_str(&body) },
					   .if_version = STORE_VERSION_ABSENT });
	buf_release(&body);
}

static void
put_people_and_things(struct opening *o, struct commit *c)
{
	struct json_iter it = json_iter(o->want.resources);

	session_birth_join(c, o->id, o->caller.who.user_id, ACCESS_PARTICIPANT);
	while (json_is_set(o->want.resources) && json_next(&it))
		resource_put(o->en, c, o->id, it.value);
	put_extra(o, c);
}

static void
append_created(struct opening *o, struct commit *c)
{
	session_birth_append(c,
			     &(struct make_created){
				     .agent_id = o->want.agent_id,
				     .agent_version = o->agent_version,
				     .environment_id = o->want.environment_id,
				     .group = o->want.source.group,
				     .workspace_id = o->want.workspace_id,
				     .title = o->want.title,
				     .metadata = o->metadata,
			     },
			     &o->want.source);
}

static void
create(struct opening *o)
{
	struct commit *c = commit_new(o->en, o->id);

	commit_require(c)->absent = true;
	append_created(o, c);
	ingress_append(c, &o->batch);
	put_people_and_things(o, c);
	commit_repeat(c, o->call.repeat, o->id);
	commit_submit(c, on_created, o);
}

/* ---- what it needs exists? ---- */

static struct override
override_of(const struct opening *o)
{
	return (struct override){ o->en, &o->caller, o->want.agent_id };
}

static void
on_environment(void *ctx, int rc, const struct err *err, bool unconfined)
{
	struct opening *o = ctx;
	struct override as = override_of(o);
	struct err e = { 0 };

	if (rc != 0)
		e = *err;
	else
		rc = override_check_sandbox(&as, o->want.environment_id, unconfined, &e);
	if (rc != 0)
		opening_fail(o, err_prefix(&e, rc, "environment_id: "), &e);
	else
		create(o);
}

/* The agent as the session would run it, and where. */
static int
choose(struct opening *o, const struct catalog_agent *agent, struct err *e)
{
	struct override as = override_of(o);
	struct override_agent with = { .base = agent->body,
				       .model = definition_find(o->want.overrides, "model") };
	int rc = workspaces_check(o->en->workspaces, o->want.workspace_id, e);

	if (rc == 0)
		rc = catalog_override(&o->arena, agent->body, o->want.overrides, &o->agent, e);
	with.made = o->agent;
	if (rc == 0)
		rc = override_check_agent(&as, &with, &o->arena, e);
	if (rc == 0 && override_environment(&as, o->want.environment_id, &o->arena,
					    &o->want.environment_id, e) != 0)
		rc = err_prefix(e, ERR_NOT_FOUND, "environment_id: ");
	return rc;
}

static void
on_agent(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct opening *o = ctx;
	struct err e = { 0 };

	if (rc != 0) {
		e = *err;
		opening_fail(o, err_prefix(&e, rc, "agent: "), &e);
		return;
	}
	if (agent->archived) {
		opening_fail(o,
			     err_set(&e, ERR_CONFLICT, "agent: %s",
				     access_reason_text(ACCESS_AGENT_ARCHIVED)),
			     &e);
		return;
	}
	o->agent_version = agent->version;
	rc = choose(o, agent, &e);
	if (rc != 0) {
		opening_fail(o, rc, &e);
		return;
	}
	catalog_environment_check(o->en->catalog, o->want.environment_id, on_environment, o);
}

/* ---- the request ---- */

/* Whoever opened the id of a chat before its channel does would listen to it. */
static bool
is_reserved(struct engine *en, struct str id)
{
	const struct engine_policies *policies = &en->config.policies;
	struct str namespace = session_id_namespace(id);
	struct engine_surroundings around = { 0 };

	if (namespace.len == 0)
		return false;
	if (policies->around)
		around = policies->around(policies->ctx, namespace);
	for (size_t i = 0; i < around.platform_count; i++)
		if (str_eq(around.platforms[i], namespace) && !lane_ask_is_own(namespace))
			return true;
	return str_eq(namespace, SCHEDULE_NAMESPACE) || source_is_chat_platform(namespace) ||
	       identity_has_namespace(en->identity, namespace);
}

static int
read_request(struct opening *o, struct json body, struct err *e)
{
	struct ingress_facts facts = { .busy = BUSY_QUEUE,
				       .routed = true,
				       .sender = o->caller.who.user_id };
	int rc = session_open_read(body, &o->arena, &o->want, e);

	if (rc == 0 && json_is_set(o->want.metadata))
		rc = session_patch_metadata(&o->arena, STR(""), o->want.metadata, &o->metadata, e);
	if (rc != 0)
		return rc;
	o->id = o->want.id.len > 0 ? o->want.id : engine_make_id(o->en, &o->arena, "sesn");
	if (o->caller.who.kind == TOKEN_CHANNEL && !principal_owns_id(&o->caller.who, o->id))
		return err_set(e, ERR_INVALID,
			       "id: this token opens only ids that begin with " STR_FMT ":",
			       STR_ARG(o->caller.who.namespace));
	o->reserved = o->want.id.len > 0 && o->caller.who.kind == TOKEN_USER &&
		      !principal_is_owner(&o->caller.who) && is_reserved(o->en, o->id);
	if (!json_is_set(o->want.initial_events) || json_count(o->want.initial_events) == 0)
		return 0;
	if (json_count(o->want.initial_events) > INGRESS_INITIAL_MAX)
		return json_fail(o->want.initial_events, e, "has %zu events; at most %d fit",
				 json_count(o->want.initial_events), INGRESS_INITIAL_MAX);
	facts.group = engine_make_id(o->en, &o->arena, "grp");
	rc = ingress_read(o->en, &o->arena, o->want.initial_events, &facts, &o->batch, e);
	for (size_t i = 0; rc == 0 && i < o->batch.count; i++)
		if (o->batch.inputs[i].kind != EVENT_USER_MESSAGE &&
		    o->batch.inputs[i].kind != EVENT_USER_DEFINE_OUTCOME)
			rc = err_set(e, ERR_INVALID,
				     "initial_events[%zu].type: only user.message and "
				     "user.define_outcome can begin a session",
				     i);
	return rc;
}

/* Whether there is such a version is only for those who may know of the agent. */
static void
look_for_agent(struct opening *o)
{
	struct err e;
	int rc = admission_check(o->en, &o->caller, ACCESS_AGENT_USE, o->want.agent_id, &e);

	if (rc == 0 && o->reserved)
		access_check(o->en, &o->caller, ACCESS_SESSION_POST, o->id, on_standing, o);
	else if (rc != 0)
		opening_refuse(o, err_prefix(&e, rc, "agent: "), &e);
	else
		catalog_agent(o->en->catalog, o->want.agent_id, o->want.agent_version, on_agent, o);
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct opening *o = ctx;

	if (rc != 0)
		opening_fail(o, rc, err);
	else if (first)
		opening_replay(o, *first);
	else
		look_for_agent(o);
}

void
engine_session_open(struct engine *en, const struct engine_call *call, struct json body)
{
	struct opening *o;
	struct err e;
	int rc;

	if (engine_is_closed(en, call))
		return;
	o = xcalloc(1, sizeof *o);
	o->en = en;
	o->call = *call;
	o->caller = *call->caller;
	arena_init(&o->arena);
	rc = read_request(o, body, &e);
	if (rc != 0) {
		opening_refuse(o, rc, &e);
		return;
	}
	if (repeat_is_keyed(call->repeat))
		repeat_find(en, call->repeat, on_repeat, o);
	else
		look_for_agent(o);
}
