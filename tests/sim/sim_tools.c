#include "sim_tools.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim_node.h"
#include "sim_referee.h"
#include "sim_world.h"

static const struct tool_doc LOCAL[] = {
	{ .name = STR("bash"), .description = STR("runs"), .input_schema = STR("{}") },
	{ .name = STR("read"),
	  .description = STR("reads"),
	  .input_schema = STR("{}"),
	  .read_only = true },
	{ .name = STR("write"),
	  .description = STR("writes"),
	  .input_schema = STR("{}"),
	  .idempotent = true },
};
static const struct tool_doc REMOTE[] = {
	{ .name = STR("fetch"),
	  .server = STR("web"),
	  .description = STR("gets"),
	  .input_schema = STR("{}") },
};

struct sim_tools {
	struct toolset port;
	struct sim_node *node;
	bool remote;
	struct list runs, queries;
};

struct tool_run {
	struct list link;
	struct sim_tools *set;
	int session;
	struct str id; /* good until done or cancel, as its texts are */
	int64_t timeout_ms;
	tool_done_fn *done;
	void *ctx;
	struct host_timer *timer;
};

struct tool_query {
	struct list link;
	struct sim_tools *set;
	int session;
	tool_listed_fn *listed;
	void *ctx;
	struct host_timer *timer;
};

static struct host *
host_of(const struct sim_tools *t)
{
	return &t->node->host.host;
}

bool
sim_tools_may_repeat(struct str name)
{
	return str_eq(name, STR("read")) || str_eq(name, STR("write"));
}

/* Longer than anything else: most of a turn is waiting for tools. */
static int64_t
takes_ms(struct world *w)
{
	return sim_chance(w, 300) ? sim_delay_ms(w) : (int64_t)sim_below(w, 3000);
}

/* ---- calls ---- */

static void
run_free(struct tool_run *r)
{
	list_remove(&r->link);
	host_of(r->set)->ops->timer_free(r->timer);
	free(r);
}

static void
on_run_due(void *ctx)
{
	struct tool_run *r = ctx;
	struct world *w = r->set->node->w;
	struct arena texts;
	struct tool_result result = { .outcome = OUTCOME_OK };

	if (sim_chance(w, w->rules.tool_fails)) {
		sim_hit(w, r->session, SIM_TOOL_FAILS);
		result.outcome = sim_chance(w, 500) ? OUTCOME_ERROR : OUTCOME_TIMEOUT;
	}
	arena_init(&texts);
	result.output = arena_printf(&texts, "out " STR_FMT, STR_ARG(r->id));
	list_remove(&r->link); /* it is over, whatever the telling leads to */
	r->done(r->ctx, &result);
	arena_release(&texts);
	run_free(r);
}

static struct tool_run *
on_start(struct toolset *port, const struct tool_request *request, tool_done_fn *done, void *ctx)
{
	struct sim_tools *t = (struct sim_tools *)port;
	struct world *w = t->node->w;
	struct tool_run *r = xcalloc(1, sizeof *r);

	*r = (struct tool_run){ .set = t,
				.session = sim_session_index(request->place.session),
				.id = request->id,
				.done = done,
				.ctx = ctx };
	list_init(&r->link);
	list_append(&t->runs, &r->link);
	r->timer = host_of(t)->ops->timer_new(host_of(t), on_run_due, r);
	sim_trace(w, "%s starts " STR_FMT " " STR_FMT, t->node->name, STR_ARG(request->name),
		  STR_ARG(request->id));
	sim_referee_tool(w, t->node, request);
	if (sim_chance(w, w->rules.tool_silent))
		sim_hit(w, r->session, SIM_TOOL_SILENT);
	else
		host_of(t)->ops->timer_set(r->timer, takes_ms(w));
	return r;
}

static void
on_cancel(struct tool_run *r)
{
	run_free(r);
}

/* ---- listings ---- */

static void
query_free(struct tool_query *q)
{
	list_remove(&q->link);
	host_of(q->set)->ops->timer_free(q->timer);
	free(q);
}

static void
on_query_due(void *ctx)
{
	struct tool_query *q = ctx;
	const struct sim_tools *t = q->set;
	struct world *w = t->node->w;
	struct tool_problem problem = { .server = STR("web") };
	struct tool_listing listing = { .tools = t->remote ? REMOTE : LOCAL,
					.tool_count =
						t->remote ? ARRAY_LEN(REMOTE) : ARRAY_LEN(LOCAL) };

	IGNORE(err_set(&problem.err, ERR_UNAVAILABLE, "nobody answers")); /* sets the sentence */
	if (t->remote && sim_chance(w, w->rules.tool_fails)) {
		sim_hit(w, q->session, SIM_LISTING_FAILS);
		listing = (struct tool_listing){ .problems = &problem, .problem_count = 1 };
	}
	list_remove(&q->link);
	q->listed(q->ctx, &listing);
	query_free(q);
}

static struct tool_query *
on_list(struct toolset *port, const struct tool_ask *ask, tool_listed_fn *listed, void *ctx)
{
	struct sim_tools *t = (struct sim_tools *)port;
	struct tool_query *q = xcalloc(1, sizeof *q);

	*q = (struct tool_query){ .set = t,
				  .session = sim_session_index(ask->place.session),
				  .listed = listed,
				  .ctx = ctx };
	list_init(&q->link);
	list_append(&t->queries, &q->link);
	q->timer = host_of(t)->ops->timer_new(host_of(t), on_query_due, q);
	host_of(t)->ops->timer_set(q->timer, sim_delay_ms(t->node->w));
	return q;
}

/* ---- the port ---- */

static size_t
on_busy(struct toolset *port, struct str session)
{
	(void)port, (void)session;
	return 0;
}

static void
on_end_session(struct toolset *port, struct str session)
{
	(void)port, (void)session;
}

static void
on_free(struct toolset *port)
{
	(void)port;
}

struct sim_tools *
sim_tools_new(struct sim_node *node, bool remote)
{
	static const struct toolset_ops OPS = { on_list, query_free,     on_start, on_cancel,
						on_busy, on_end_session, on_free };
	struct sim_tools *t = xcalloc(1, sizeof *t);

	*t = (struct sim_tools){ .port = { &OPS }, .node = node, .remote = remote };
	list_init(&t->runs);
	list_init(&t->queries);
	return t;
}

void
sim_tools_free(struct sim_tools **t)
{
	list_for_each (at, &(*t)->runs)
		run_free(LIST_OWNER(at, struct tool_run, link));
	list_for_each (at, &(*t)->queries)
		query_free(LIST_OWNER(at, struct tool_query, link));
	free(*t);
	*t = NULL;
}

struct toolset *
sim_tools_port(struct sim_tools *t)
{
	return &t->port;
}

bool
sim_tools_run(const struct sim_tools *t, int session)
{
	list_for_each (at, (struct list *)&t->runs)
		if (session == SIM_NONE ||
		    LIST_OWNER(at, struct tool_run, link)->session == session)
			return true;
	return false;
}

bool
sim_tools_list(const struct sim_tools *t, int session)
{
	list_for_each (at, (struct list *)&t->queries)
		if (LIST_OWNER(at, struct tool_query, link)->session == session)
			return true;
	return false;
}
