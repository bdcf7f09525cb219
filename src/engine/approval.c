#include "engine/approval.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/agent_rules.h"
#include "core/approval_always.h"
#include "core/approval_open.h"
#include "core/event_make.h"
#include "engine/agent_prepare.h"
#include "engine/commit.h"
#include "engine/ingress.h"

enum { PAGE_ROWS = 200 };

/* ---- rules ---- */

struct rules_job {
	struct engine *en;
	const struct store_session *session;
	struct cached_agent *agent;
	struct str last; /* id of the last record */
	struct arena *arena;
	VEC(struct approval_rule) rules;
	approval_rules_fn *done;
	void *ctx;
};

static void read_rules(struct rules_job *j);

static bool
on_rules_row(void *ctx, const struct store_row *row)
{
	struct rules_job *j = ctx;
	struct approval_rule rules[APPROVAL_ALWAYS_MAX];
	size_t count =
		approval_always_read(arena_str(j->arena, row->record->body), j->arena, rules);

	j->last = arena_str(j->arena, row->record->id);
	for (size_t i = 0; i < count; i++)
		*vec_push(&j->rules) = rules[i];
	return true;
}

static void
on_rules(void *ctx, int rc, bool more, const struct err *err)
{
	struct rules_job *j = ctx;
	struct approval_rule *kept;

	if (rc == 0 && more) {
		read_rules(j);
		return;
	}
	kept = ARENA_ARRAY(j->arena, j->rules.len + 1, struct approval_rule);
	for (size_t i = 0; i < j->rules.len; i++)
		kept[i] = j->rules.ptr[i];
	j->done(j->ctx, rc, err, (struct approval_rules){ kept, j->rules.len });
	vec_release(&j->rules);
	agent_cache_release(&j->agent);
	free(j);
}

static void
read_rules(struct rules_job *j)
{
	store_read(j->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_APPROVAL,
					  .record_owner = j->session->id,
					  .record_id = j->last,
					  .limit = PAGE_ROWS },
		   on_rules_row, on_rules, j);
}

/* Copied: a change of the agent, or a reload, lets go of where they are. */
static void
add_rules(struct rules_job *j, struct approval_rules rules, enum approval_layer layer)
{
	for (size_t i = 0; i < rules.count; i++) {
		struct approval_rule *rule = vec_push(&j->rules);

		*rule = rules.ptr[i];
		rule->layer = layer;
		rule->tool = arena_str(j->arena, rule->tool);
		rule->server = arena_str(j->arena, rule->server);
		rule->pattern = rule->pattern.len > 0 ? arena_str(j->arena, rule->pattern)
						      : (struct str){ 0 };
	}
}

static void
add_agent_rules(struct rules_job *j, struct json rules, enum approval_layer layer)
{
	add_rules(j, agent_rules_read(rules, layer, j->arena), layer);
}

static void
on_agent(void *ctx, int rc, const struct err *err, struct cached_agent *agent)
{
	struct rules_job *j = ctx;

	j->agent = agent;
	if (rc != 0) {
		on_rules(j, rc, false, err);
		return;
	}
	add_agent_rules(j, agent->run.approval_rules, APPROVAL_AGENT);
	add_agent_rules(j, agent->latest_rules, APPROVAL_AGENT_LATEST);
	add_rules(j, j->en->config.settings.rules, APPROVAL_OPERATOR);
	read_rules(j);
}

void
approval_rules_load(struct engine *en, const struct store_session *session,
		    struct cached_agent *agent, struct arena *a, approval_rules_fn *done, void *ctx)
{
	struct rules_job *j = xcalloc(1, sizeof *j);

	*j = (struct rules_job){
		.en = en, .session = session, .arena = a, .done = done, .ctx = ctx
	};
	if (agent)
		agent_cache_use(agent);
	else
		agent = agent_cache_find(en->agents, session);
	if (agent)
		on_agent(j, 0, NULL, agent);
	else
		agent_prepare(en, session, on_agent, j);
}

/* ---- questions ---- */

static bool
is_interactive(struct look *l)
{
	struct json_doc doc;
	struct json v;

	return json_parse(&l->arena, l->session.source, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0 ||
	       !json_find(json_root(&doc), STR("interactive"), &v) || json_type(v) != JSON_FALSE;
}

static void
confirm(struct look *l, struct commit *c, struct str call, const struct approval_verdict *v)
{
	struct input_meta meta = { .class = INPUT_ANSWER, .busy = BUSY_QUEUE };
	struct store_require *need = commit_require(c);
	struct str *ids = ARENA_ARRAY(commit_arena(c), need->open_calls.len + 1, struct str);
	struct buf payload;

	for (size_t i = 0; i < need->open_calls.len; i++)
		ids[i] = need->open_calls.ptr[i];
	ids[need->open_calls.len] = arena_str(commit_arena(c), call);
	need->open_calls = (struct str_list){ ids, need->open_calls.len + 1 };
	buf_init(&payload, STORE_INLINE_MAX);
	event_make_confirmation(&payload, call, v->action == APPROVAL_ALLOW, v->deny_message);
	IGNORE(commit_append(c,
			     &(struct commit_event){ /* its id */
						     .kind = EVENT_USER_TOOL_CONFIRMATION,
						     .author = AUTHOR_SYSTEM,
						     .meta = ingress_meta(l->en, &l->arena, &meta),
						     .payload = buf_str(&payload) }));
	buf_release(&payload);
}

static void
keep_due(int64_t *due_ms, int64_t at_ms)
{
	if (at_ms != 0 && (*due_ms == 0 || at_ms < *due_ms))
		*due_ms = at_ms;
}

struct commit *
approval_settle(struct look *l, int64_t *due_ms)
{
	struct approval_open_facts f = { .rules = l->rules,
					 .settings = l->en->config.settings.approvals,
					 .interactive = is_interactive(l),
					 .now_ms = host_now_ms(l->en->host) };
	struct commit *c = NULL;

	*due_ms = 0;
	for (size_t i = 0; i < l->calls.len; i++) {
		struct approval_verdict v;
		struct turn_call call;

		if (!look_is_question(&l->calls.ptr[i]) ||
		    !turn_history_call(&l->history, &l->calls.ptr[i], &call))
			continue;
		v = approval_open_decide(&f,
					 &(struct approval_question){ turn_call_ref(&call),
								      call.arguments, call.policy,
								      call.asked_ms },
					 &l->arena);
		keep_due(due_ms, v.due_ms);
		if (v.action == APPROVAL_ASK)
			continue;
		if (!c)
			c = commit_new(l->en, l->session_id);
		confirm(l, c, call.id, &v);
	}
	return c;
}
