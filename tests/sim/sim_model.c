#include "sim_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "sim_node.h"
#include "sim_referee.h"
#include "sim_world.h"

enum { CONTEXT_TOKENS = 32000, PIECES_MAX = 6 };

struct sim_model {
	struct provider port;
	struct sim_node *node;
	struct list calls;
};

struct provider_call {
	struct list link;
	struct sim_model *model;
	const struct provider_request *request;
	const struct provider_events *events;
	void *ctx;
	struct host_task task;
	struct host_timer *timer;
	int session;
	uint64_t pieces;   /* still to come */
	bool spoke, asked; /* said something; called a tool */
};

static void
call_free(struct provider_call *c)
{
	list_remove(&c->link);
	list_remove(&c->task.node);
	c->model->node->host.host.ops->timer_free(c->timer);
	free(c);
}

/* ---- what it says ---- */

static void
say_text(struct provider_call *c)
{
	static const char WORDS[] =
		"as far as anybody can tell from here, and then some, it is so; ";
	struct world *w = c->model->node->w;
	size_t from = sim_below(w, sizeof WORDS - 1);
	size_t len = 1 + sim_below(w, sizeof WORDS - 1 - from);

	c->events->on_text(c->ctx, (struct str){ WORDS + from, len });
}

static void
say_thinking_data(struct provider_call *c)
{
	bool odd = sim_chance(c->model->node->w, 300);

	c->events->on_thinking_data(c->ctx, odd ? STR("no object") : STR("{\"signature\":\"x\"}"));
}

static struct str
some_tool(struct provider_call *c)
{
	struct world *w = c->model->node->w;

	if (c->request->tool_count == 0 || sim_chance(w, 100))
		return STR("nosuch");
	return c->request->tools[sim_below(w, c->request->tool_count)].name;
}

/* What it asks for itself at the end of a turn: to sleep, to go on, to be woken. */
static struct str
directive(struct world *w, char *out, size_t size)
{
	int seconds = 1 + (int)sim_below(w, 120);

	if (w->calm)
		return STR("{\"outcome\":\"sleep\"}");
	if (sim_chance(w, 500))
		snprintf(out, size, "{\"outcome\":\"continue\",\"follow_up_seconds\":%d}", seconds);
	else
		snprintf(out, size,
			 "{\"outcome\":\"sleep\",\"wakes\":[{\"delay_seconds\":%d,"
			 "\"reason\":\"look again\"}]}",
			 seconds);
	return str_of(out);
}

/* Models repeat their ids, forget them, and write arguments that are none. */
static void
call_tool(struct provider_call *c)
{
	static const struct str IDS[] = { STR("call_1"), STR("call_2"), STR("") };
	struct world *w = c->model->node->w;
	char arguments[128];
	struct tool_call call = { .name = some_tool(c), .id = IDS[sim_below(w, ARRAY_LEN(IDS))] };

	snprintf(arguments, sizeof arguments, "{\"n\":%d}", (int)sim_below(w, 50));
	call.arguments = str_of(arguments);
	if (str_eq(call.name, STR("session_directive")) && sim_chance(w, 900))
		call.arguments = directive(w, arguments, sizeof arguments);
	if (sim_chance(w, 50))
		call.arguments = STR("{\"n\":");
	c->asked = true;
	c->events->on_call(c->ctx, &call);
}

static void
say_something(struct provider_call *c)
{
	struct world *w = c->model->node->w;

	c->spoke = true;
	if (sim_chance(w, w->rules.model_calls)) {
		call_tool(c);
		return;
	}
	switch (sim_below(w, 8)) {
	case 0: c->events->on_thinking(c->ctx, STR("hm ")); return;
	case 1: say_thinking_data(c); return;
	default: say_text(c); return;
	}
}

/* ---- how it ends ---- */

static void
end_badly(struct provider_call *c)
{
	struct world *w = c->model->node->w;
	struct provider_failure failure = {
		.kind = (enum model_failure)sim_below(w, FAILURE_UNKNOWN + 1),
		.retry_after_ms = sim_chance(w, 200) ? (int64_t)sim_below(w, 60000) : -1,
	};
	struct err e;

	IGNORE(err_set(&e, ERR_UNAVAILABLE, "the model broke off")); /* sets the sentence */
	failure.err = &e;
	sim_hit(w, c->session, SIM_MODEL_FAILS);
	c->events->on_failed(c->ctx, &failure);
	call_free(c);
}

static void
end_well(struct provider_call *c)
{
	const struct usage usage = { .input = 100, .output = 10 };
	struct world *w = c->model->node->w;
	enum provider_stop stop = c->asked ? PROVIDER_STOP_TOOLS : PROVIDER_STOP_END;

	if (sim_chance(w, 60))
		stop = (enum provider_stop)sim_below(w, PROVIDER_STOP_REFUSAL + 1);
	if (stop == PROVIDER_STOP_CUT && !sim_chance(w, 300))
		c->events->on_lost_call(c->ctx, &(struct tool_call){ .name = some_tool(c) });
	c->events->on_done(c->ctx, stop, &usage);
	call_free(c);
}

/* The next piece is on its way before this one is told: the telling may cancel the call. */
static void
wait_for_next(struct provider_call *c)
{
	struct host *host = &c->model->node->host.host;
	struct world *w = c->model->node->w;
	int64_t ms = sim_chance(w, 150) ? (int64_t)sim_below(w, 4000) : sim_delay_ms(w);

	if (ms == 0)
		host_defer(host, &c->task);
	else
		host->ops->timer_set(c->timer, ms);
}

static void
play(struct provider_call *c)
{
	struct world *w = c->model->node->w;

	if (sim_chance(w, w->rules.model_silent)) {
		sim_hit(w, c->session, SIM_MODEL_SILENT);
		return; /* and nothing ever follows */
	}
	if (sim_chance(w, w->rules.model_fails)) {
		end_badly(c);
	} else if (c->pieces > 0) {
		c->pieces--;
		wait_for_next(c);
		say_something(c);
	} else {
		end_well(c);
	}
}

static void
on_task(struct host_task *task)
{
	play(LIST_OWNER(task, struct provider_call, task));
}

static void
on_timer(void *ctx)
{
	play(ctx);
}

/* ---- the port ---- */

static struct provider_call *
on_start(struct provider *p, const struct provider_request *request,
	 const struct provider_events *events, void *ctx)
{
	struct sim_model *m = (struct sim_model *)p;
	struct host *host = &m->node->host.host;
	struct provider_call *c = xcalloc(1, sizeof *c);

	*c = (struct provider_call){ .model = m,
				     .request = request,
				     .events = events,
				     .ctx = ctx,
				     .task.fn = on_task,
				     .session = sim_session_index(request->cache_key),
				     .pieces = sim_below(m->node->w, PIECES_MAX) };
	list_init(&c->task.node);
	list_init(&c->link);
	list_append(&m->calls, &c->link);
	c->timer = host->ops->timer_new(host, on_timer, c);
	sim_referee_request(m->node->w, m->node, request);
	wait_for_next(c);
	return c;
}

static void
on_free(struct provider *p)
{
	(void)p;
}

struct sim_model *
sim_model_new(struct sim_node *node)
{
	static const struct provider_ops OPS = { on_start, call_free, on_free };
	struct sim_model *m = xcalloc(1, sizeof *m);

	m->port = (struct provider){ &OPS, STR("sim"), CONTEXT_TOKENS };
	m->node = node;
	list_init(&m->calls);
	return m;
}

void
sim_model_free(struct sim_model **m)
{
	list_for_each (at, &(*m)->calls)
		call_free(LIST_OWNER(at, struct provider_call, link));
	free(*m);
	*m = NULL;
}

struct provider *
sim_model_port(struct sim_model *m)
{
	return &m->port;
}

static const struct provider_call *
call_of(const struct sim_model *m, int session)
{
	list_for_each (at, (struct list *)&m->calls) {
		const struct provider_call *c = LIST_OWNER(at, struct provider_call, link);

		if (session == SIM_NONE || c->session == session)
			return c;
	}
	return NULL;
}

bool
sim_model_open(const struct sim_model *m, int session)
{
	return call_of(m, session) != NULL;
}

bool
sim_model_streams(const struct sim_model *m, int session)
{
	const struct provider_call *c = call_of(m, session);

	return c && c->spoke;
}
