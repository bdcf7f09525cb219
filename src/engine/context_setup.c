/* context_setup - what a turn starts with: the agent, its model, and the tools there are. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/agent_prepare.h"
#include "engine/approval.h"
#include "engine/context.h"
#include "engine/own_tool.h"

struct setup_job {
	struct list node; /* in engine.setups, while a listing is on its way */
	struct engine *en;
	struct arena *arena;
	const struct store_session *session;
	struct str prompt_model; /* the model that the message asks for; empty: none */
	struct host_task task;   /* the agent is looked for */
	struct tool_docs local, remote;
	struct toolset *asked;
	struct tool_query *query;
	struct tool_ask ask;
	struct context_setup setup;
	context_setup_fn *done;
	void *ctx;
};

void
context_setup_keep(const struct context_setup *setup)
{
	agent_cache_use(setup->agent);
}

void
context_setup_release(struct context_setup *setup)
{
	agent_cache_release(&setup->agent);
}

static void
setup_end(struct setup_job *j, int rc, const struct err *err)
{
	list_remove(&j->node);
	j->done(j->ctx, rc, err, rc == 0 ? &j->setup : NULL);
	context_setup_release(&j->setup);
	free(j);
}

void
context_setup_abandon_all(struct engine *en)
{
	struct err e;
	int rc = err_set(&e, ERR_UNAVAILABLE, "the server stops");

	while (!list_is_empty(&en->setups)) {
		struct setup_job *j = LIST_OWNER(en->setups.next, struct setup_job, node);

		j->asked->ops->forget(TAKE(j->query));
		setup_end(j, rc, &e);
	}
}

/* ---- tools ---- */

static struct tool_docs
own_docs(struct setup_job *j)
{
	struct tool_doc *docs;
	size_t count = 0;

	while (j->en->own_tools[count])
		count++;
	docs = ARENA_ARRAY(j->arena, count + 1, struct tool_doc);
	for (size_t i = 0; i < count; i++)
		docs[i] = j->en->own_tools[i]->doc;
	return (struct tool_docs){ docs, count };
}

static void
on_rules(void *ctx, int rc, const struct err *err, struct approval_rules rules)
{
	struct setup_job *j = ctx;
	const struct tool_offer *offer = &j->setup.offer;
	struct approval_rule *all =
		ARENA_ARRAY(j->arena, offer->rule_count + rules.count + 1, struct approval_rule);
	size_t count = 0;

	for (size_t i = 0; i < offer->rule_count; i++)
		all[count++] = offer->rules[i];
	for (size_t i = 0; i < rules.count; i++)
		all[count++] = rules.ptr[i];
	j->setup.rules = (struct approval_rules){ all, count };
	setup_end(j, rc, err);
}

static void
offer_tools(struct setup_job *j)
{
	struct tool_offer_facts f = { .blocks = j->setup.run.tools,
				      .own = own_docs(j),
				      .local = j->local,
				      .remote = j->remote,
				      .by_worker = j->setup.agent->where.by_worker };

	tool_offer_make(&f, j->arena, &j->setup.offer);
	if (j->setup.offer.count == 0)
		setup_end(j, 0, NULL);
	else
		approval_rules_load(j->en, j->session, j->setup.agent, j->arena, on_rules, j);
}

static struct tool_docs
keep_docs(struct setup_job *j, const struct tool_listing *l)
{
	struct tool_doc *docs = ARENA_ARRAY(j->arena, l->tool_count + 1, struct tool_doc);

	for (size_t i = 0; i < l->tool_count; i++) {
		docs[i] = l->tools[i];
		docs[i].name = arena_str(j->arena, docs[i].name);
		docs[i].own_name = arena_str(j->arena, docs[i].own_name);
		docs[i].server = arena_str(j->arena, docs[i].server);
		docs[i].description = arena_str(j->arena, docs[i].description);
		docs[i].input_schema = arena_str(j->arena, docs[i].input_schema);
	}
	return (struct tool_docs){ docs, l->tool_count };
}

static void
keep_troubles(struct setup_job *j, const struct tool_listing *l)
{
	struct turn_trouble *t = ARENA_ARRAY(j->arena, l->problem_count + 1, struct turn_trouble);

	for (size_t i = 0; i < l->problem_count; i++)
		t[i] = (struct turn_trouble){
			.type = l->problems[i].authentication
					? STR("mcp_authentication_failed_error")
					: STR("mcp_connection_failed_error"),
			.message = arena_str(j->arena, str_of(l->problems[i].err.text)),
			.mcp_server_name = arena_str(j->arena, l->problems[i].server),
		};
	j->setup.troubles = t;
	j->setup.trouble_count = l->problem_count;
}

static void
list_tools(struct setup_job *j, struct toolset *from, tool_listed_fn *listed)
{
	j->asked = from;
	list_append(&j->en->setups, &j->node);
	j->query = from->ops->list(from, &j->ask, listed, j);
}

static void
on_remote(void *ctx, const struct tool_listing *l)
{
	struct setup_job *j = ctx;

	j->query = NULL;
	list_remove(&j->node);
	j->remote = keep_docs(j, l);
	keep_troubles(j, l);
	offer_tools(j);
}

static void
list_remote(struct setup_job *j)
{
	j->ask.servers = j->setup.servers;
	j->ask.server_count = j->setup.server_count;
	if (j->setup.server_count > 0)
		list_tools(j, j->en->config.servers, on_remote);
	else
		offer_tools(j);
}

static void
on_local(void *ctx, const struct tool_listing *l)
{
	struct setup_job *j = ctx;

	j->query = NULL;
	list_remove(&j->node);
	j->local = keep_docs(j, l);
	list_remote(j);
}

static void
list_local(struct setup_job *j)
{
	j->ask = (struct tool_ask){ .place = j->setup.place };
	if (j->en->config.tools && tool_offer_wants_built_in(j->setup.run.tools))
		list_tools(j, j->en->config.tools, on_local);
	else
		list_remote(j);
}

/* ---- the agent ---- */

/* A folder that cannot be had is no reason not to answer: the tools will say so. */
struct tool_place
context_setup_place(struct engine *en, const struct context_setup *s, struct arena *a)
{
	const struct engine_folders *folders = &en->config.folders;
	struct tool_place place = s->place;
	struct str path;

	if (place.directory.len == 0 && !s->agent->where.by_worker && folders->session_work &&
	    folders->session_work(folders->ctx, s->run.id, place.session, a, &path, NULL) == 0) {
		place.directory = path;
		place.own = true;
	}
	return place;
}

/* Servers run from the first question on; our own tools only when they are called. */
static void
find_place(struct setup_job *j)
{
	struct context_setup *s = &j->setup;

	s->place = s->agent->where.place;
	s->place.session = j->session->id;
	if (s->server_count > 0)
		s->place = context_setup_place(j->en, s, j->arena);
}

static struct engine_model_terms
terms_of(const struct engine_models *models, const struct context_setup *s)
{
	if (models->terms)
		return models->terms(models->ctx, s->model);
	return (struct engine_model_terms){ s->provider->context_tokens, retry_policy_default() };
}

static struct str
choose_model(const struct setup_job *j)
{
	struct model_facts f = engine_model_facts(j->en, j->session->workspace_id);

	f.message = j->prompt_model;
	f.own = j->setup.run.model;
	f.chosen = j->setup.agent->chosen;
	return model_choice_decide(&f).model;
}

/* Looked up for each turn: the operator may have changed the models since. */
static void
find_model(struct setup_job *j)
{
	struct context_setup *s = &j->setup;
	const struct engine_models *models = &j->en->config.models;
	struct str name;
	struct err e;

	s->model = arena_str(j->arena, choose_model(j));
	if (models->find(models->ctx, s->model, &s->provider, &name, &e) != 0) {
		s->problem = arena_str(j->arena, str_of(e.text));
		return;
	}
	s->provider_model = arena_str(j->arena, name);
	s->terms = terms_of(models, s);
}

/* Only an agent that could run something needs to know where. */
static void
go_on_with(struct setup_job *j, struct cached_agent *agent)
{
	struct context_setup *s = &j->setup;

	s->agent = agent;
	s->run = agent->run;
	s->session_budget = agent->session_budget;
	s->problem = agent->problem;
	if (s->problem.len == 0)
		find_model(j);
	if (s->problem.len > 0 ||
	    (!tool_offer_wants_built_in(s->run.tools) && !j->en->config.servers)) {
		offer_tools(j);
		return;
	}
	s->servers = agent->servers;
	s->server_count = agent->server_count;
	find_place(j);
	list_local(j);
}

static void
on_prepared(void *ctx, int rc, const struct err *err, struct cached_agent *agent)
{
	struct setup_job *j = ctx;

	if (rc != 0)
		setup_end(j, rc, err);
	else
		go_on_with(j, agent);
}

static void
find_agent(struct setup_job *j)
{
	struct cached_agent *agent = agent_cache_find(j->en->agents, j->session);

	if (agent)
		go_on_with(j, agent);
	else
		agent_prepare(j->en, j->session, on_prepared, j);
}

static void
find_agent_now(struct host_task *task)
{
	find_agent(LIST_OWNER(task, struct setup_job, task));
}

/* ---- the conversation ---- */

static void
on_lane(void *ctx, int rc, const struct err *err, const struct context_lane *lane)
{
	struct setup_job *j = ctx;

	j->setup.lane = *lane;
	if (rc != 0)
		setup_end(j, rc, err);
	else
		find_agent(j);
}

void
context_setup_load(struct engine *en, const struct store_session *session, struct str model,
		   struct arena *a, context_setup_fn *done, void *ctx)
{
	struct setup_job *j = xcalloc(1, sizeof *j);

	*j = (struct setup_job){ .en = en,
				 .arena = a,
				 .session = session,
				 .prompt_model = model,
				 .done = done,
				 .ctx = ctx };
	list_init(&j->node);
	list_init(&j->task.node);
	j->task.fn = find_agent_now;
	if (session->lane_key.len > 0)
		context_lane_load(en, session, a, on_lane, j);
	else
		host_defer(en->host, &j->task);
}
