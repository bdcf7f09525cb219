#include "engine/agent_prepare.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/budget.h"
#include "core/mcp_servers.h"
#include "core/model_override.h"
#include "core/session_open.h"
#include "core/tool_offer.h"
#include "engine/catalog.h"

struct preparing {
	struct engine *en;
	const struct store_session *session;
	struct cached_agent *agent;
	struct str extra;        /* body of session_extra; empty: none */
	struct str environment;  /* body of its record; empty: none */
	bool changed;            /* the session has an agent of its own making */
	struct json own_servers; /* then: those of the agent as the operator made it */
	agent_prepare_fn *done;
	void *ctx;
};

static struct arena *
arena_of(struct preparing *p)
{
	return &p->agent->arena;
}

static void
preparing_end(struct preparing *p, int rc, const struct err *err)
{
	if (rc != 0)
		agent_cache_release(&p->agent);
	else if (p->agent->problem.len == 0) /* it may be back by the next turn */
		agent_cache_keep(p->agent);
	p->done(p->ctx, rc, err, p->agent);
	free(p);
}

/* ---- servers ---- */

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
is_operators(struct preparing *p, const struct tool_server *server)
{
	struct tool_server *own;
	size_t count;

	if (!p->changed)
		return true;
	own = ARENA_ARRAY(arena_of(p), MCP_SERVERS_MAX, struct tool_server);
	count = mcp_servers_read(p->own_servers, arena_of(p), own);
	for (size_t i = 0; i < count; i++)
		if (str_eq(own[i].name, server->name) && str_eq(own[i].url, server->url))
			return true;
	return false;
}

/* The agent's servers that it has a block for, and all of the environment's. Of two of one name the
 * agent's is meant. Agents and environments are the operator's; what a session changed of its agent
 * may be anybody's. */
static void
find_servers(struct preparing *p)
{
	struct cached_agent *agent = p->agent;
	struct arena *a = arena_of(p);
	struct tool_server of_agent[MCP_SERVERS_MAX], of_place[MCP_SERVERS_MAX];
	size_t agents = mcp_servers_read(agent->run.mcp_servers, a, of_agent);
	size_t places = mcp_servers_read(agent->where.mcp_servers, a, of_place);
	struct tool_server *all = ARENA_ARRAY(a, agents + places + 1, struct tool_server);
	size_t count = 0;

	for (size_t i = 0; i < agents; i++)
		if (tool_offer_wants_server(agent->run.tools, of_agent[i].name)) {
			of_agent[i].foreign = !is_operators(p, &of_agent[i]);
			all[count++] = of_agent[i];
		}
	for (size_t i = 0; i < places; i++)
		if (!is_named(all, count, of_place[i].name))
			all[count++] = of_place[i];
	agent->servers = all;
	agent->server_count = p->en->config.servers ? count : 0;
}

/* ---- the environment ---- */

static bool
on_environment_row(void *ctx, const struct store_row *row)
{
	struct preparing *p = ctx;

	p->environment = arena_str(arena_of(p), row->record->body);
	return false;
}

static void
on_environment(void *ctx, int rc, bool more, const struct err *err)
{
	struct preparing *p = ctx;
	struct json_doc *doc = ARENA_NEW(arena_of(p), struct json_doc);
	struct json environment = { 0 };

	(void)more;
	if (rc == 0) {
		if (json_parse(arena_of(p), p->environment, &EVENT_PAYLOAD_LIMITS, doc, NULL) == 0)
			environment = json_root(doc);
		environment_run_read(environment, arena_of(p), &p->agent->where);
		find_servers(p);
	}
	preparing_end(p, rc, err);
}

/* Only an agent that could run something there needs to know where it is. */
static void
read_environment(struct preparing *p)
{
	if (p->agent->problem.len > 0 ||
	    (!tool_offer_wants_built_in(p->agent->run.tools) && !p->en->config.servers)) {
		preparing_end(p, 0, NULL);
		return;
	}
	store_read(p->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_ENVIRONMENT,
					  .record_id = p->session->environment_id,
					  .limit = 1 },
		   on_environment_row, on_environment, p);
}

/* ---- the latest version ---- */

/* An owner's deny holds at once, whatever version a session has. */
static void
on_latest(void *ctx, int rc, const struct err *err, const struct catalog_agent *latest)
{
	struct preparing *p = ctx;
	struct json_doc *doc = ARENA_NEW(arena_of(p), struct json_doc);

	if (rc != 0 && rc != ERR_NOT_FOUND) {
		preparing_end(p, rc, err);
		return;
	}
	if (rc == 0 && latest->version != p->session->agent_version &&
	    json_parse(arena_of(p), arena_str(arena_of(p), latest->body), &EVENT_PAYLOAD_LIMITS,
		       doc, NULL) == 0)
		IGNORE(json_find(json_root(doc), STR("approval_rules"),
				 &p->agent->latest_rules)); /* or none */
	read_environment(p);
}

static void
read_latest(struct preparing *p)
{
	catalog_agent(p->en->catalog, p->session->agent_id, 0, on_latest, p);
}

/* ---- the agent ---- */

static void
read_agent(struct preparing *p, struct str body)
{
	struct json_doc *doc = ARENA_NEW(arena_of(p), struct json_doc);
	struct json agent = { 0 };

	if (json_parse(arena_of(p), arena_str(arena_of(p), body), &EVENT_PAYLOAD_LIMITS, doc,
		       NULL) == 0)
		agent = json_root(doc);
	agent_run_read(agent, arena_of(p), &p->agent->run);
}

static void
on_agent(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct preparing *p = ctx;

	if (rc == ERR_NOT_FOUND) {
		agent_run_read((struct json){ 0 }, arena_of(p), &p->agent->run);
		p->agent->problem =
			arena_printf(arena_of(p), "the session's agent is gone: %s", err->text);
		rc = 0;
	} else if (rc == 0) {
		read_agent(p, agent->body);
	}
	if (rc == 0)
		read_latest(p);
	else
		preparing_end(p, rc, err);
}

/* An agent that is gone brings nothing: what the session says of servers is then its own word. */
static void
on_original(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct preparing *p = ctx;
	struct json_doc *doc = ARENA_NEW(arena_of(p), struct json_doc);

	if (rc != 0 && rc != ERR_NOT_FOUND) {
		preparing_end(p, rc, err);
		return;
	}
	if (rc == 0 && json_parse(arena_of(p), arena_str(arena_of(p), agent->body),
				  &EVENT_PAYLOAD_LIMITS, doc, NULL) == 0)
		IGNORE(json_find(json_root(doc), STR("mcp_servers"),
				 &p->own_servers)); /* or none */
	read_latest(p);
}

/* ---- what the session has of its own ---- */

/* What a session changed of its agent wins over the agent's version. */
static bool
use_snapshot(struct preparing *p)
{
	struct json_doc doc;
	struct json agent, budget = { 0 };

	p->agent->session_budget = BUDGET_UNLIMITED;
	if (p->extra.len == 0 ||
	    json_parse(arena_of(p), p->extra, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
		return false;
	if (json_find(json_root(&doc), STR("budget"), &budget))
		p->agent->session_budget = session_budget_limit(budget);
	if (!json_find(json_root(&doc), STR("agent"), &agent) || json_type(agent) != JSON_OBJECT)
		return false;
	p->agent->chosen = model_override_is_chosen(json_root(&doc));
	read_agent(p, json_raw(agent));
	p->changed = true;
	return true;
}

static bool
on_extra_row(void *ctx, const struct store_row *row)
{
	struct preparing *p = ctx;

	p->extra = arena_str(arena_of(p), row->record->body);
	return false;
}

static void
on_extra(void *ctx, int rc, bool more, const struct err *err)
{
	struct preparing *p = ctx;
	struct catalog *catalog = p->en->catalog;
	const struct store_session *s = p->session;

	(void)more;
	if (rc != 0)
		preparing_end(p, rc, err);
	else if (!use_snapshot(p))
		catalog_agent(catalog, s->agent_id, s->agent_version, on_agent, p);
	else if (json_count(p->agent->run.mcp_servers) > 0)
		catalog_agent(catalog, s->agent_id, s->agent_version, on_original, p);
	else
		read_latest(p);
}

void
agent_prepare(struct engine *en, const struct store_session *session, agent_prepare_fn *done,
	      void *ctx)
{
	struct preparing *p = xcalloc(1, sizeof *p);

	*p = (struct preparing){ .en = en,
				 .session = session,
				 .agent = agent_cache_begin(en->agents, session),
				 .done = done,
				 .ctx = ctx };
	store_read(en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_SESSION_EXTRA,
					  .record_id = session->id,
					  .limit = 1 },
		   on_extra_row, on_extra, p);
}
