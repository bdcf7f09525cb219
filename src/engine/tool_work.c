#include "engine/tool_work.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/own_tool.h"

/* An adapter ends a call that takes too long itself, and knows what it said until then; if it does
 * not, the call is ended from here. */
enum {
	GRACE_MS = 5000,
	LOOK_MS = 200, /* has a call that waits begun? */
};

struct tool_work {
	struct list node; /* in its turn's works */
	struct engine *en;
	struct str call_event;
	int64_t timeout_ms, longest_ms; /* longest: with what its toolset grants for progress */
	struct host_timer *timer;
	bool waiting; /* its time has not begun */
	tool_work_fn *done;
	void *ctx;
	struct arena arena;

	/* who has it */
	struct toolset *set;
	struct tool_run *run;
	const struct own_tool *own; /* while it runs */
	struct own_tool_call own_call;

	/* a result that is told when the callbacks are through */
	struct host_task task;
	struct tool_result result;
};

static void
work_free(struct tool_work *w)
{
	list_remove(&w->node);
	list_remove(&w->task.node);
	w->en->host->ops->timer_free(w->timer);
	arena_release(&w->arena);
	free(w);
}

static void
stop(struct tool_work *w)
{
	const struct own_tool *own = w->own;

	w->own = NULL;
	if (own && own->cancel)
		own->cancel(&w->own_call);
	if (w->run)
		w->set->ops->cancel(TAKE(w->run));
}

static void
tell(struct tool_work *w, const struct tool_result *result)
{
	list_remove(&w->node); /* whoever hears of it may cancel all that is left */
	w->done(w->ctx, w->call_event, result);
	work_free(w);
}

static void
tell_later(struct host_task *task)
{
	struct tool_work *w = LIST_OWNER(task, struct tool_work, task);

	tell(w, &w->result);
}

static void
settle(struct tool_work *w, enum tool_outcome outcome, struct str output)
{
	w->result = (struct tool_result){ outcome, arena_str(&w->arena, output) };
	host_defer(w->en->host, &w->task);
}

void
own_tool_done(struct own_tool_call *call, enum tool_outcome outcome, struct str output)
{
	struct tool_work *w = LIST_OWNER(call, struct tool_work, own_call);

	w->own = NULL;
	settle(w, outcome, output);
}

static void
on_done(void *ctx, const struct tool_result *result)
{
	struct tool_work *w = ctx;

	w->run = NULL;
	tell(w, result);
}

/* Its time begins when it does. */
static void
set_timer(struct tool_work *w)
{
	w->waiting = w->run && w->set->ops->waits && w->set->ops->waits(w->run);
	w->en->host->ops->timer_set(w->timer, w->waiting ? LOOK_MS : w->longest_ms + GRACE_MS);
}

static void
on_timeout(void *ctx)
{
	struct tool_work *w = ctx;
	struct str text;

	if (w->waiting) {
		set_timer(w);
		return;
	}
	text = arena_printf(&w->arena, "timed out after %lld s", (long long)(w->longest_ms / 1000));

	if (!list_is_empty(&w->task.node))
		return; /* it is done, and about to be told */
	stop(w);
	tell(w, &(struct tool_result){ OUTCOME_TIMEOUT, text });
}

/* ---- who has it ---- */

static const struct tool_server *
server_of(const struct context_setup *s, struct str name)
{
	for (size_t i = 0; i < s->server_count; i++)
		if (str_eq(s->servers[i].name, name))
			return &s->servers[i];
	return NULL;
}

static void
start_own(struct tool_work *w, const struct own_tool *own, const struct tool_work_ask *ask)
{
	w->own = own;
	w->own_call = (struct own_tool_call){ .en = ask->en,
					      .session = ask->session,
					      .turn = ask->turn,
					      .fence = ask->fence,
					      .id = ask->call->id,
					      .arguments = ask->call->arguments,
					      .arena = &w->arena };
	w->en->host->ops->timer_set(w->timer, w->longest_ms);
	own->start(&w->own_call);
}

static void
start_in_set(struct tool_work *w, const struct tool_doc *doc, const struct tool_work_ask *ask)
{
	struct tool_request request = { .id = ask->call->id,
					.name = tool_offer_own_name(doc),
					.arguments = ask->call->arguments,
					.place =
						context_setup_place(ask->en, ask->setup, &w->arena),
					.timeout_ms = w->timeout_ms };

	w->set = doc->server.len > 0 ? ask->en->config.servers : ask->en->config.tools;
	if (w->set->patience > 1)
		w->longest_ms *= w->set->patience;
	if (doc->server.len > 0)
		request.server = server_of(ask->setup, doc->server);
	w->run = w->set->ops->start(w->set, &request, on_done, w);
	set_timer(w);
}

void
tool_work_start(struct list *works, const struct tool_work_ask *ask, tool_work_fn *done, void *ctx)
{
	const struct tool_doc *doc = tool_offer_doc(&ask->setup->offer, ask->call);
	const struct own_tool *own = own_tool_find(ask->en, ask->call->name);
	struct tool_work *w = xcalloc(1, sizeof *w);

	*w = (struct tool_work){ .en = ask->en,
				 .call_event = ask->call->id,
				 .timeout_ms = ask->setup->run.tool_timeout_ms,
				 .done = done,
				 .ctx = ctx,
				 .task.fn = tell_later };
	arena_init(&w->arena);
	list_init(&w->node);
	list_init(&w->task.node);
	list_append(works, &w->node);
	w->longest_ms = w->timeout_ms;
	w->timer = w->en->host->ops->timer_new(w->en->host, on_timeout, w);
	if (!doc) {
		settle(w, OUTCOME_ERROR,
		       STR("the tool is not there: what has it does not answer, or the agent was "
			   "changed"));
		return;
	}
	if (doc->server.len > 0)
		own = NULL; /* a server's tool, only named alike */
	if (own)
		start_own(w, own, ask);
	else
		start_in_set(w, doc, ask);
}

/* ---- cancelling ---- */

static void
cancel(struct tool_work *w)
{
	stop(w);
	work_free(w);
}

void
tool_work_cancel(struct list *works, struct str call_event)
{
	list_for_each (at, works) {
		struct tool_work *w = LIST_OWNER(at, struct tool_work, node);

		if (str_eq(w->call_event, call_event))
			cancel(w);
	}
}

void
tool_work_cancel_all(struct list *works)
{
	while (!list_is_empty(works))
		cancel(LIST_OWNER(works->next, struct tool_work, node));
}
