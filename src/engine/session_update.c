/* session_update - title, metadata, budget and the agent's tools of a session, changed in one event.
 * Command of engine.h: engine_session_update. */
#include "core/metadata.h"
#include "core/model_override.h"
#include "core/session_open.h"
#include "engine/catalog.h"
#include "engine/override.h"
#include "engine/pause.h"
#include "engine/session_change.h"

struct update {
	struct json title, metadata, budget, agent, model;
	bool title_said, budget_said; /* null takes it away */
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
	struct json any[2] = { 0 };
	const struct json_field agent_fields[] = {
		{ "model", JSON_WANT_STRING | JSON_WANT_OBJECT, false, &out->model },
		{ "tools", JSON_WANT_ARRAY, false, &any[0] },
		{ "mcp_servers", JSON_WANT_ARRAY, false, &any[1] },
	};
	int rc = json_fields(body, fields, ARRAY_LEN(fields), e);

	if (rc == 0 && json_is_set(out->budget))
		rc = session_budget_check(out->budget, e);
	if (rc == 0 && json_is_set(out->agent))
		rc = json_fields(out->agent, agent_fields, ARRAY_LEN(agent_fields), e);
	out->title_said = json_find(body, STR("title"), &any[0]);
	out->budget_said = json_find(body, STR("budget"), &any[0]);
	return rc;
}

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

struct new_agent {
	struct str text;         /* empty: it stays as it is */
	struct str model_before; /* JSON, when another model is chosen */
};

static bool
is_replaced(struct json key, const struct update *u, const struct new_agent *agent)
{
	return (agent->text.len > 0 && json_str_eq(key, STR("agent"))) ||
	       (agent->model_before.len > 0 && json_str_eq(key, MODEL_OVERRIDE_BEFORE)) ||
	       (u->budget_said &&
		(json_str_eq(key, STR("budget")) || json_str_eq(key, STR(SESSION_BUDGET_OPEN))));
}

static struct override
override_of(const struct change *ch)
{
	return (struct override){ ch->en, &ch->caller, ch->row.agent_id };
}

/* What is kept beside the log, with the new budget and agent in place. */
static void
put_extra(struct change *ch, struct commit *c, const struct update *u,
	  const struct new_agent *agent, struct json old)
{
	struct json_iter it = json_iter(old);
	struct override as = override_of(ch);
	struct buf body;
	struct jw w;

	buf_init(&body, STORE_PAYLOAD_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	if (agent->text.len > 0)
		jw_field_raw(&w, "agent", agent->text);
	if (agent->model_before.len > 0) {
		jw_key(&w, MODEL_OVERRIDE_BEFORE);
		jw_raw(&w, agent->model_before);
	}
	if (json_is_set(u->budget))
		jw_field_raw(&w, "budget", json_raw(u->budget));
	if (json_is_set(u->budget) && !override_is_owners(&as))
		jw_field_bool(&w, SESSION_BUDGET_OPEN, true);
	while (json_is_set(old) && json_next(&it)) {
		if (is_replaced(it.key, u, agent))
			continue;
		jw_key(&w, json_str(it.key, &ch->arena));
		jw_raw(&w, json_raw(it.value));
	}
	jw_end_object(&w);
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_SESSION_EXTRA,
						       .id = ch->session,
						       .owner = ch->session,
						       .body = buf_str(&body) },
					   .if_version = ch->extra_version });
	buf_release(&body);
}

/* The members of session.updated that really change, counted. */
static int
write_plain(struct change *ch, const struct update *u, const struct store_session *session,
	    struct jw *w, size_t *count, struct err *e)
{
	struct str title = { 0 }, metadata;
	int rc = 0;

	if (json_is_set(u->title))
		rc = session_title_check(u->title, &ch->arena, &title, e);
	if (rc == 0 && u->title_said && !str_eq(title, session->row.title)) {
		jw_field_str(w, "title", title);
		jw_field_str(w, "title_source", STR("user"));
		(*count)++;
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

/* More money, or no limit any more: what waits for it may run. */
static void
raise_budget(struct change *ch, struct commit *c, struct json extra, struct json budget)
{
	struct json before = { 0 };
	int64_t old, now = session_budget_limit(budget);

	if (json_is_set(extra))
		IGNORE(json_find(extra, STR("budget"), &before)); /* or there was none */
	old = session_budget_limit(before);
	if (now != BUDGET_UNLIMITED && (old == BUDGET_UNLIMITED || now <= old))
		return;
	pause_lift(ch->session, c);
	ch->wakes = true;
}

static int
make_agent(struct change *ch, const struct update *u, struct json old, struct new_agent *out,
	   struct err *e)
{
	struct override as = override_of(ch);
	struct json now = { 0 };
	struct json_doc doc;
	struct str base = ch->agent;
	int rc;

	if (json_is_set(old) && json_find(old, STR("agent"), &now))
		base = json_raw(now);
	rc = catalog_override(&ch->arena, base, u->agent, &out->text, e);
	if (rc == 0)
		rc = override_check_agent(
			&as, &(struct override_agent){ base, out->text, u->model }, &ch->arena, e);
	if (rc == 0 && json_is_set(u->model)) {
		rc = json_parse(&ch->arena, base, &JSON_LIMITS_DEFAULT, &doc, e);
		if (rc == 0)
			out->model_before = model_override_before(old, json_root(&doc));
	}
	return rc;
}

/* What an owner set stays until an owner says otherwise. */
static int
check_budget(const struct change *ch, struct json old, struct err *e)
{
	struct override as = override_of(ch);
	struct json v;

	if (!json_is_set(old) || !json_find(old, STR("budget"), &v) ||
	    json_find(old, STR(SESSION_BUDGET_OPEN), &v) || override_is_owners(&as))
		return 0;
	return err_set(e, ERR_DENIED, "budget: an owner set it; only an owner changes it");
}

static int
write_extra(struct change *ch, const struct update *u, struct commit *c, struct jw *w,
	    size_t *count, struct err *e)
{
	struct json_doc doc;
	struct json old = { 0 };
	struct new_agent agent = { 0 };
	int rc = 0;

	if (!u->budget_said && !json_is_set(u->agent))
		return 0;
	if (ch->extra.len > 0) {
		rc = json_parse(&ch->arena, ch->extra, &JSON_LIMITS_DEFAULT, &doc, e);
		if (rc != 0)
			return rc;
		old = json_root(&doc);
	}
	if (u->budget_said)
		rc = check_budget(ch, old, e);
	if (rc == 0 && json_is_set(u->agent))
		rc = make_agent(ch, u, old, &agent, e);
	if (rc != 0)
		return rc;
	if (agent.text.len > 0) {
		jw_key(w, STR("agent"));
		catalog_show(ch->en->catalog,
			     &(struct catalog_own_agent){
				     .workspace = ch->row.workspace_id,
				     .text = agent.text,
				     .chosen = agent.model_before.len > 0 ||
					       model_override_is_chosen(old),
			     },
			     &ch->arena, w);
		(*count)++;
	}
	if (u->budget_said) {
		raise_budget(ch, c, old, u->budget);
		jw_key(w, STR("budget"));
		if (json_is_set(u->budget))
			jw_raw(w, json_raw(u->budget));
		else
			jw_null(w);
		(*count)++;
	}
	put_extra(ch, c, u, &agent, old);
	return 0;
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
	buf_init(&payload, STORE_PAYLOAD_MAX);
	jw_init(&w, &payload);
	jw_object(&w);
	jw_field_str(&w, "type", STR("session.updated"));
	rc = write_plain(ch, &u, session, &w, &count, e);
	if (rc == 0)
		rc = write_extra(ch, &u, c, &w, &count, e);
	ch->empty = count == 0;
	if (rc == 0 && count > 0) {
		jw_end_object(&w);
		commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &payload);
	} else {
		buf_release(&payload);
	}
	return rc;
}

void
engine_session_update(struct engine *en, const struct engine_call *call, struct str session,
		      struct json body)
{
	struct update u = { 0 };
	struct change *ch;
	struct err e;
	int rc;

	if (engine_is_closed(en, call))
		return;
	rc = read_update(body, &u, &e);
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		return;
	}
	ch = change_new(en, call, ACCESS_SESSION_MANAGE, session, make_update);
	ch->body = body;
	ch->wants_extra = u.budget_said || json_is_set(u.agent);
	ch->wants_agent = json_is_set(u.agent);
	change_start(ch);
}
