/* context_setup - what a turn starts with: the agent, its model, and the tools there are. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "core/budget.h"
#include "core/environment_run.h"
#include "core/mcp_servers.h"
#include "core/session_open.h"
#include "engine/approval.h"
#include "engine/catalog.h"
#include "engine/context.h"
#include "engine/own_tool.h"
#include "engine/workspace.h"

struct setup_job {
	struct list node; /* in engine.setups, while a listing is on its way */
	struct engine *en;
	struct arena *arena;
	const struct store_session *session;
	struct str prompt_model; /* the model that the message asks for; empty: none */
	struct str extra;        /* body of session_extra; empty: none */
	struct str environment;  /* body of its record; empty: none */
	bool changed;            /* the session has an agent of its own making */
	bool chosen;             /* its model among that */
	struct json own_servers; /* then: those of the agent as the operator made it */
	struct environment_run where;
	struct tool_docs local, remote;
	struct toolset *asked;
	struct tool_query *query;
	struct tool_ask ask;
	struct context_setup setup;
	context_setup_fn *done;
	void *ctx;
};

static void
setup_end(struct setup_job *j, int rc, const struct err *err)
{
	list_remove(&j->node);
	j->done(j->ctx, rc, err, rc == 0 ? &j->setup : NULL);
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
				      .by_worker = j->where.by_worker };

	tool_offer_make(&f, j->arena, &j->setup.offer);
	if (!j->setup.offer.judged)
		setup_end(j, 0, NULL);
	else
		approval_rules_load(j->en, j->session->id, j->arena, on_rules, j);
}

static struct tool_docs
keep_docs(struct setup_job *j, const struct tool_listing *l)
{
	struct tool_doc *docs = ARENA_ARRAY(j->arena, l->tool_count + 1, struct tool_doc);

	for (size_t i = 0; i < l->tool_count; i++) {
		docs[i] = l->tools[i];
		docs[i].name = arena_str(j->arena, docs[i].name);
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

/* ---- the environment ---- */

static bool
is_named(const struct tool_server *servers, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(servers[i].name, name))
			return true;
	return false;
}

/* Does the operator's own agent bring this server? */
static bool
is_operators(struct setup_job *j, const struct tool_server *server)
{
	struct tool_server *own;
	size_t count;

	if (!j->changed)
		return true;
	own = ARENA_ARRAY(j->arena, MCP_SERVERS_MAX, struct tool_server);
	count = mcp_servers_read(j->own_servers, j->arena, own);
	for (size_t i = 0; i < count; i++)
		if (str_eq(own[i].name, server->name) && str_eq(own[i].url, server->url))
			return true;
	return false;
}

/* The agent's servers that it has a block for, and all of the environment's. Of two of one name the
 * agent's is meant. Agents and environments are the operator's; what a session changed of its agent
 * may be anybody's. */
static void
find_servers(struct setup_job *j)
{
	struct tool_server *of_agent = ARENA_ARRAY(j->arena, MCP_SERVERS_MAX, struct tool_server);
	struct tool_server *of_place = ARENA_ARRAY(j->arena, MCP_SERVERS_MAX, struct tool_server);
	struct tool_server *all = ARENA_ARRAY(j->arena, 2 * MCP_SERVERS_MAX, struct tool_server);
	size_t agents = mcp_servers_read(j->setup.run.mcp_servers, j->arena, of_agent);
	size_t places = mcp_servers_read(j->where.mcp_servers, j->arena, of_place);
	size_t count = 0;

	for (size_t i = 0; i < agents; i++)
		if (tool_offer_wants_server(j->setup.run.tools, of_agent[i].name)) {
			of_agent[i].foreign = !is_operators(j, &of_agent[i]);
			all[count++] = of_agent[i];
		}
	for (size_t i = 0; i < places; i++)
		if (!is_named(all, count, of_place[i].name))
			all[count++] = of_place[i];
	j->setup.servers = all;
	j->setup.server_count = j->en->config.servers ? count : 0;
}

/* A folder that cannot be had is no reason not to answer: the tools will say so. */
static void
find_place(struct setup_job *j)
{
	const struct engine_folders *folders = &j->en->config.folders;
	struct tool_place *place = &j->setup.place;
	struct str path;

	*place = j->where.place;
	place->session = j->session->id;
	if (place->directory.len == 0 && !j->where.by_worker && folders->session_work &&
	    folders->session_work(folders->ctx, j->session->agent_id, j->session->id, j->arena,
				  &path, NULL) == 0)
		place->directory = path;
}

static bool
on_environment_row(void *ctx, const struct store_row *row)
{
	struct setup_job *j = ctx;

	j->environment = arena_str(j->arena, row->record->body);
	return false;
}

static void
on_environment(void *ctx, int rc, bool more, const struct err *err)
{
	struct setup_job *j = ctx;
	struct json_doc *doc = ARENA_NEW(j->arena, struct json_doc);
	struct json environment = { 0 };

	(void)more;
	if (rc != 0) {
		setup_end(j, rc, err);
		return;
	}
	if (json_parse(j->arena, j->environment, &EVENT_PAYLOAD_LIMITS, doc, NULL) == 0)
		environment = json_root(doc);
	environment_run_read(environment, j->arena, &j->where);
	find_place(j);
	find_servers(j);
	list_local(j);
}

/* Only an agent that could run something there needs to know where it is. */
static void
read_environment(struct setup_job *j)
{
	if (j->setup.problem.len > 0 ||
	    (!tool_offer_wants_built_in(j->setup.run.tools) && !j->en->config.servers)) {
		offer_tools(j);
		return;
	}
	store_read(j->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_ENVIRONMENT,
					  .record_id = j->session->environment_id,
					  .limit = 1 },
		   on_environment_row, on_environment, j);
}

/* ---- the agent ---- */

static struct engine_model_terms
terms_of(const struct engine_models *models, const struct context_setup *s)
{
	if (models->terms)
		return models->terms(models->ctx, s->model);
	return (struct engine_model_terms){ s->provider->context_tokens, retry_policy_default() };
}

/* The nearest that names one: the message, the session, its workspace, the agent, the server. */
static struct str
choose_model(const struct setup_job *j)
{
	const struct workspace_settings *workspace =
		workspaces_find(j->en->workspaces, j->session->workspace_id);

	if (j->prompt_model.len > 0)
		return j->prompt_model;
	if (!j->chosen && workspace && workspace->model.len > 0)
		return workspace->model;
	if (j->setup.run.model.len > 0)
		return j->setup.run.model;
	return j->en->config.settings.default_model;
}

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

static void
read_agent(struct setup_job *j, struct str body)
{
	struct json_doc *doc = ARENA_NEW(j->arena, struct json_doc);
	struct json agent = { 0 };
	struct err e;

	body = arena_str(j->arena, body);
	if (json_parse(j->arena, body, &EVENT_PAYLOAD_LIMITS, doc, &e) == 0)
		agent = json_root(doc);
	agent_run_read(agent, j->arena, &j->setup.run);
	find_model(j);
}

static void
on_agent(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct setup_job *j = ctx;

	if (rc == ERR_NOT_FOUND) {
		agent_run_read((struct json){ 0 }, j->arena, &j->setup.run);
		j->setup.problem =
			arena_printf(j->arena, "the session's agent is gone: %s", err->text);
		rc = 0;
	} else if (rc == 0) {
		read_agent(j, agent->body);
	}
	if (rc == 0)
		read_environment(j);
	else
		setup_end(j, rc, err);
}

/* What a session changed of its agent wins over the agent's version. */
static bool
use_snapshot(struct setup_job *j)
{
	struct json_doc doc;
	struct json agent, budget = { 0 }, chosen;

	j->setup.session_budget = BUDGET_UNLIMITED;
	if (j->extra.len == 0 ||
	    json_parse(j->arena, j->extra, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
		return false;
	if (json_find(json_root(&doc), STR("budget"), &budget))
		j->setup.session_budget = session_budget_limit(budget);
	if (!json_find(json_root(&doc), STR("agent"), &agent) || json_type(agent) != JSON_OBJECT)
		return false;
	j->chosen = json_find(json_root(&doc), STR("model_chosen"), &chosen);
	read_agent(j, json_raw(agent));
	j->changed = true;
	return true;
}

/* An agent that is gone brings nothing: what the session says of servers is then its own word. */
static void
on_original(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct setup_job *j = ctx;
	struct json_doc *doc = ARENA_NEW(j->arena, struct json_doc);

	if (rc != 0 && rc != ERR_NOT_FOUND) {
		setup_end(j, rc, err);
		return;
	}
	if (rc == 0 && json_parse(j->arena, arena_str(j->arena, agent->body), &EVENT_PAYLOAD_LIMITS,
				  doc, NULL) == 0)
		IGNORE(json_find(json_root(doc), STR("mcp_servers"),
				 &j->own_servers)); /* or none */
	read_environment(j);
}

static bool
on_extra_row(void *ctx, const struct store_row *row)
{
	struct setup_job *j = ctx;

	j->extra = arena_str(j->arena, row->record->body);
	return false;
}

static void
on_extra(void *ctx, int rc, bool more, const struct err *err)
{
	struct setup_job *j = ctx;

	(void)more;
	if (rc != 0)
		setup_end(j, rc, err);
	else if (!use_snapshot(j))
		catalog_agent(j->en->catalog, j->session->agent_id, j->session->agent_version,
			      on_agent, j);
	else if (json_count(j->setup.run.mcp_servers) > 0)
		catalog_agent(j->en->catalog, j->session->agent_id, j->session->agent_version,
			      on_original, j);
	else
		read_environment(j);
}

static void
read_extra(struct setup_job *j)
{
	store_read(j->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_SESSION_EXTRA,
					  .record_id = j->session->id,
					  .limit = 1 },
		   on_extra_row, on_extra, j);
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
		read_extra(j);
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
	if (session->lane_key.len > 0)
		context_lane_load(en, session, a, on_lane, j);
	else
		read_extra(j);
}
