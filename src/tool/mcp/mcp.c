#include "tool/mcp/mcp.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/tool_name.h"
#include "tool/mcp/call.h"
#include "tool/mcp/server.h"

/* Declarations that nobody uses any more are forgotten above that. */
enum { SERVERS_KEPT = 256 };

struct entry {
	struct list node;
	struct server *server;
};

struct mcp {
	struct toolset port;
	struct mcp_config config;
	struct arena arena;
	struct server_owner owner;
	struct list entries, queries, runs;
	size_t entry_count;
	struct host_task sweep;
};

/* ---- servers ---- */

static void
entry_free(struct mcp *m, struct entry *entry)
{
	server_free(&entry->server);
	list_remove(&entry->node);
	m->entry_count--;
	free(entry);
}

/* Not while one of them may be talking. */
static void
forget_unused(struct host_task *task)
{
	struct mcp *m = LIST_OWNER(task, struct mcp, sweep);

	list_for_each (at, &m->entries) {
		struct entry *entry = LIST_OWNER(at, struct entry, node);

		if (server_is_unused(entry->server))
			entry_free(m, entry);
	}
}

static struct server *
find_server(const struct mcp *m, const struct tool_server *declared, const struct tool_place *place)
{
	list_for_each (at, &m->entries) {
		struct entry *entry = LIST_OWNER(at, struct entry, node);

		if (server_is(entry->server, declared, place))
			return entry->server;
	}
	return NULL;
}

static struct server *
get_server(struct mcp *m, const struct tool_server *declared, const struct tool_place *place)
{
	struct server *s = find_server(m, declared, place);
	struct entry *entry;

	if (s) {
		server_wanted_by(s, place->session);
		return s;
	}
	if (m->entry_count >= SERVERS_KEPT)
		host_defer(m->config.host, &m->sweep);
	entry = xcalloc(1, sizeof *entry);
	entry->server = server_new(&m->owner, declared, place);
	list_append(&m->entries, &entry->node);
	m->entry_count++;
	return entry->server;
}

/* ---- listing ---- */

struct part { /* of a query: one server */
	struct server_waiter waiter;
	struct tool_query *query;
	struct server *server;
	struct mcp_failure failure;
	bool failed;
};

struct tool_query {
	struct list node;
	struct mcp *mcp;
	tool_listed_fn *listed;
	void *ctx;
	struct part *parts;
	size_t count, open;
	struct host_task task; /* there is nobody to ask */
};

static void
query_free(struct tool_query *q)
{
	for (size_t i = 0; i < q->count; i++) {
		list_remove(&q->parts[i].waiter.node);
		server_leave(q->parts[i].server);
	}
	list_remove(&q->task.node);
	list_remove(&q->node);
	free(q->parts);
	free(q);
}

/* Another server of the listing has a tool of the same name. */
static bool
clashes(const struct tool_query *q, size_t own, struct str told)
{
	for (size_t i = 0; i < q->count; i++) {
		const struct part *p = &q->parts[i];

		if (i != own && !p->failed && catalog_tells(server_catalog(p->server), told))
			return true;
	}
	return false;
}

static size_t
add_tools(const struct tool_query *q, size_t at, struct arena *a, struct tool_doc *out)
{
	const struct catalog *c = server_catalog(q->parts[at].server);
	struct str server = server_name(q->parts[at].server);

	for (size_t i = 0; i < c->count; i++) {
		const struct catalog_tool *tool = &c->tools[i];

		out[i] = tool->doc;
		out[i].server = server;
		out[i].own_name = tool->doc.name;
		out[i].name = clashes(q, at, tool->told) ? tool_name_make(server, tool->doc.name, a)
							 : tool->told;
	}
	return c->count;
}

static void
add_problem(const struct part *p, struct tool_problem *out)
{
	*out = (struct tool_problem){ .server = server_name(p->server),
				      .authentication = p->failure.kind == MCP_FAIL_AUTH };
	server_explain(p->server, &p->failure, &out->err);
}

static void
deliver(struct tool_query *q)
{
	struct tool_listing listing = { 0 };
	struct tool_problem *problems;
	struct tool_doc *tools;
	tool_listed_fn *listed = q->listed;
	void *ctx = q->ctx;
	struct arena a;
	size_t room = 0;

	arena_init(&a);
	for (size_t i = 0; i < q->count; i++)
		room += q->parts[i].failed ? 0 : server_catalog(q->parts[i].server)->count;
	tools = ARENA_ARRAY(&a, room, struct tool_doc);
	problems = ARENA_ARRAY(&a, q->count, struct tool_problem);
	for (size_t i = 0; i < q->count; i++)
		if (q->parts[i].failed)
			add_problem(&q->parts[i], &problems[listing.problem_count++]);
		else
			listing.tool_count += add_tools(q, i, &a, tools + listing.tool_count);
	listing.tools = tools;
	listing.problems = problems;
	query_free(q);
	listed(ctx, &listing);
	arena_release(&a);
}

static void
on_part(struct server_waiter *w, const struct mcp_failure *failure)
{
	struct part *p = LIST_OWNER(w, struct part, waiter);

	p->failed = failure != NULL;
	if (failure)
		p->failure = *failure;
	if (--p->query->open == 0)
		deliver(p->query);
}

static void
on_nobody(struct host_task *task)
{
	deliver(LIST_OWNER(task, struct tool_query, task));
}

static struct tool_query *
list_servers(struct toolset *t, const struct tool_ask *ask, tool_listed_fn *listed, void *ctx)
{
	struct mcp *m = (struct mcp *)t;
	struct tool_query *q = xcalloc(1, sizeof *q);

	*q = (struct tool_query){ .mcp = m,
				  .listed = listed,
				  .ctx = ctx,
				  .count = ask->server_count,
				  .open = ask->server_count,
				  .task = { .fn = on_nobody } };
	list_init(&q->task.node);
	list_append(&m->queries, &q->node);
	q->parts = xcalloc(q->count + 1, sizeof *q->parts);
	for (size_t i = 0; i < q->count; i++) {
		struct part *p = &q->parts[i];

		p->query = q;
		p->server = get_server(m, &ask->servers[i], &ask->place);
		server_use(p->server);
		p->waiter.fresh = true;
		p->waiter.fn = on_part;
		list_init(&p->waiter.node);
		server_await(p->server, &p->waiter);
	}
	if (q->count == 0)
		host_defer(m->config.host, &q->task);
	return q;
}

/* ---- calls ---- */

static struct tool_run *
start(struct toolset *t, const struct tool_request *request, tool_done_fn *done, void *ctx)
{
	struct mcp *m = (struct mcp *)t;
	struct tool_run *run = call_new(get_server(m, request->server, &request->place),
					m->config.host, request, done, ctx);

	list_append(&m->runs, call_node(run));
	return run;
}

/* Calls are a turn's; nothing of them runs in the background. */
static size_t
busy(struct toolset *t, struct str session)
{
	(void)t;
	(void)session;
	return 0;
}

static void
end_session(struct toolset *t, struct str session)
{
	struct mcp *m = (struct mcp *)t;

	list_for_each (at, &m->entries)
		server_end_session(LIST_OWNER(at, struct entry, node)->server, session);
}

/* ---- life ---- */

bool
mcp_tools_peer(struct toolset *t, const struct tool_server *declared,
	       const struct tool_place *place, struct mcp_peer *out)
{
	struct server *s = find_server((struct mcp *)t, declared, place);

	if (!s || !server_rpc(s))
		return false;
	server_describe(s, out);
	return true;
}

size_t
mcp_tools_connections(const struct toolset *t)
{
	const struct mcp *m = (const struct mcp *)t;
	size_t count = 0;

	list_for_each (at, &m->entries)
		count += server_rpc(LIST_OWNER(at, struct entry, node)->server) != NULL;
	list_for_each (at, &m->owner.closing)
		count++;
	return count;
}

static void
mcp_free(struct toolset *t)
{
	struct mcp *m = (struct mcp *)t;

	while (!list_is_empty(&m->queries))
		query_free(LIST_OWNER(m->queries.next, struct tool_query, node));
	while (!list_is_empty(&m->runs))
		call_cancel(call_at(m->runs.next));
	while (!list_is_empty(&m->entries))
		entry_free(m, LIST_OWNER(m->entries.next, struct entry, node));
	rpc_end_all(&m->owner.closing);
	list_remove(&m->sweep.node);
	arena_release(&m->arena);
	free(m);
}

struct toolset *
mcp_tools_new(const struct mcp_config *config)
{
	static const struct toolset_ops OPS = { list_servers, query_free,  start,   call_cancel,
						busy,         end_session, mcp_free };
	struct mcp *m = xcalloc(1, sizeof *m);

	m->port.ops = &OPS;
	m->port.patience = RPC_PATIENCE;
	arena_init(&m->arena);
	m->config = *config;
	if (m->config.connect_ms == 0)
		m->config.connect_ms = MCP_CONNECT_MS;
	if (m->config.idle_ms == 0)
		m->config.idle_ms = MCP_IDLE_MS;
	m->owner = (struct server_owner){ .config = &m->config,
					  .identity = { arena_str(&m->arena, config->name),
							arena_str(&m->arena, config->version),
							config->accepts_defaults } };
	m->sweep.fn = forget_unused;
	list_init(&m->sweep.node);
	list_init(&m->owner.closing);
	list_init(&m->entries);
	list_init(&m->queries);
	list_init(&m->runs);
	return &m->port;
}
