#include "tool/scripted.h"

#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"

struct scripted {
	struct toolset port;
	struct host *host;
	struct arena arena; /* of what was asked */
	struct list runs, queries;
	const struct tool_doc *docs;
	size_t doc_count;
	const struct tool_problem *problems;
	size_t problem_count;
	const struct scripted_result *results;
	size_t result_count;
	bool hold;
	VEC(struct str) started; /* ids, one for each start */
	size_t cancelled;
	struct tool_request last;
};

struct tool_run {
	struct list node;
	struct scripted *script;
	struct str name;
	enum tool_outcome outcome;
	struct str output;
	struct host_task task;
	struct host_timer *timer;
	tool_done_fn *done;
	void *ctx;
};

struct tool_query {
	struct list node;
	struct scripted *script;
	const struct tool_ask *ask;
	struct host_task task;
	tool_listed_fn *listed;
	void *ctx;
};

/* ---- listings ---- */

static void
query_free(struct tool_query *q)
{
	list_remove(&q->node);
	list_remove(&q->task.node);
	free(q);
}

static bool
is_wanted(const struct tool_ask *ask, struct str server)
{
	for (size_t i = 0; i < ask->server_count; i++)
		if (str_eq(ask->servers[i].name, server))
			return true;
	return server.len == 0;
}

static void
tell_listing(struct host_task *task)
{
	struct tool_query *q = LIST_OWNER(task, struct tool_query, task);
	struct scripted *s = q->script;
	struct tool_doc *docs = xcalloc(s->doc_count + 1, sizeof *docs);
	struct tool_problem *problems = xcalloc(s->problem_count + 1, sizeof *problems);
	struct tool_listing l = { .tools = docs, .problems = problems };

	for (size_t i = 0; i < s->doc_count; i++)
		if (is_wanted(q->ask, s->docs[i].server))
			docs[l.tool_count++] = s->docs[i];
	for (size_t i = 0; i < s->problem_count; i++)
		if (is_wanted(q->ask, s->problems[i].server))
			problems[l.problem_count++] = s->problems[i];
	list_remove(&q->node);
	q->listed(q->ctx, &l);
	free(docs);
	free(problems);
	query_free(q);
}

static struct tool_query *
scripted_list(struct toolset *t, const struct tool_ask *ask, tool_listed_fn *listed, void *ctx)
{
	struct scripted *s = (struct scripted *)t;
	struct tool_query *q = xcalloc(1, sizeof *q);

	*q = (struct tool_query){
		.script = s, .ask = ask, .task.fn = tell_listing, .listed = listed, .ctx = ctx
	};
	list_init(&q->node);
	list_init(&q->task.node);
	list_append(&s->queries, &q->node);
	if (!s->hold)
		host_defer(s->host, &q->task);
	return q;
}

void
tool_scripted_hold(struct toolset *t, bool hold)
{
	struct scripted *s = (struct scripted *)t;

	s->hold = hold;
	list_for_each (at, &s->queries)
		if (!hold)
			host_defer(s->host, &LIST_OWNER(at, struct tool_query, node)->task);
}

/* ---- calls ---- */

static void
run_free(struct tool_run *r)
{
	list_remove(&r->node);
	list_remove(&r->task.node);
	r->script->host->ops->timer_free(r->timer);
	free(r);
}

static void
tell_result(struct host_task *task)
{
	struct tool_run *r = LIST_OWNER(task, struct tool_run, task);

	list_remove(&r->node);
	r->done(r->ctx, &(struct tool_result){ r->outcome, r->output });
	run_free(r);
}

static void
on_timer(void *ctx)
{
	struct tool_run *r = ctx;

	tell_result(&r->task);
}

static const struct scripted_result *
result_for(const struct scripted *s, struct str name)
{
	for (size_t i = 0; i < s->result_count; i++)
		if (str_eq(s->results[i].name, name))
			return &s->results[i];
	return NULL;
}

static void
time_out(struct tool_run *r, int64_t timeout_ms)
{
	r->outcome = OUTCOME_TIMEOUT;
	r->output = STR("too slow");
	r->script->host->ops->timer_set(r->timer, timeout_ms);
}

static void
play(struct tool_run *r, const struct scripted_result *result, int64_t timeout_ms)
{
	bool in_time = result->wait_ms >= 0 && result->wait_ms < timeout_ms;

	r->outcome = result->outcome;
	r->output = result->output;
	if (result->wait_ms == 0)
		host_defer(r->script->host, &r->task);
	else if (in_time || (result->ignores_timeout && result->wait_ms > 0))
		r->script->host->ops->timer_set(r->timer, result->wait_ms);
	else if (!result->ignores_timeout)
		time_out(r, timeout_ms);
}

static void
remember(struct scripted *s, const struct tool_request *q)
{
	s->last = *q;
	s->last.id = arena_str(&s->arena, q->id);
	s->last.name = arena_str(&s->arena, q->name);
	s->last.arguments = arena_str(&s->arena, q->arguments);
	s->last.place.session = arena_str(&s->arena, q->place.session);
	s->last.place.directory = arena_str(&s->arena, q->place.directory);
	if (q->server) {
		struct tool_server *server = ARENA_NEW(&s->arena, struct tool_server);

		server->name = arena_str(&s->arena, q->server->name);
		server->url = arena_str(&s->arena, q->server->url);
		s->last.server = server;
	}
	*vec_push(&s->started) = s->last.id;
}

static struct tool_run *
scripted_start(struct toolset *t, const struct tool_request *request, tool_done_fn *done, void *ctx)
{
	struct scripted *s = (struct scripted *)t;
	const struct scripted_result *result = result_for(s, request->name);
	struct tool_run *r = xcalloc(1, sizeof *r);

	remember(s, request);
	*r = (struct tool_run){ .script = s,
				.name = s->last.name,
				.output = s->last.arguments,
				.task.fn = tell_result,
				.done = done,
				.ctx = ctx };
	list_init(&r->node);
	list_init(&r->task.node);
	list_append(&s->runs, &r->node);
	r->timer = s->host->ops->timer_new(s->host, on_timer, r);
	if (result)
		play(r, result, request->timeout_ms);
	else
		host_defer(s->host, &r->task);
	return r;
}

static void
scripted_cancel(struct tool_run *r)
{
	r->script->cancelled++;
	run_free(r);
}

bool
tool_scripted_answer(struct toolset *t, struct str name, enum tool_outcome outcome,
		     struct str output)
{
	struct scripted *s = (struct scripted *)t;

	list_for_each (at, &s->runs) {
		struct tool_run *r = LIST_OWNER(at, struct tool_run, node);

		if (!str_eq(r->name, name))
			continue;
		r->outcome = outcome;
		r->output = arena_str(&s->arena, output);
		s->host->ops->timer_set(r->timer, -1);
		host_defer(s->host, &r->task);
		return true;
	}
	return false;
}

static size_t
scripted_busy(struct toolset *t, struct str session)
{
	(void)t, (void)session;
	return 0;
}

static void
scripted_end_session(struct toolset *t, struct str session)
{
	(void)t, (void)session;
}

/* ---- what was done ---- */

static size_t
list_count(const struct list *head)
{
	size_t count = 0;

	for (const struct list *at = head->next; at != head; at = at->next)
		count++;
	return count;
}

size_t
tool_scripted_open(const struct toolset *t)
{
	return list_count(&((const struct scripted *)t)->runs);
}

size_t
tool_scripted_listings(const struct toolset *t)
{
	return list_count(&((const struct scripted *)t)->queries);
}

size_t
tool_scripted_starts(const struct toolset *t, struct str id)
{
	const struct scripted *s = (const struct scripted *)t;
	size_t count = 0;

	for (size_t i = 0; i < s->started.len; i++)
		count += str_eq(s->started.ptr[i], id);
	return count;
}

size_t
tool_scripted_started(const struct toolset *t)
{
	return ((const struct scripted *)t)->started.len;
}

size_t
tool_scripted_cancelled(const struct toolset *t)
{
	return ((const struct scripted *)t)->cancelled;
}

const struct tool_request *
tool_scripted_last(const struct toolset *t)
{
	return &((const struct scripted *)t)->last;
}

/* ---- life ---- */

static void
scripted_free(struct toolset *t)
{
	struct scripted *s = (struct scripted *)t;

	list_for_each (at, &s->runs)
		run_free(LIST_OWNER(at, struct tool_run, node));
	list_for_each (at, &s->queries)
		query_free(LIST_OWNER(at, struct tool_query, node));
	vec_release(&s->started);
	arena_release(&s->arena);
	free(s);
}

struct toolset *
tool_scripted_new(struct host *host)
{
	static const struct toolset_ops OPS = {
		.list = scripted_list,
		.forget = query_free,
		.start = scripted_start,
		.cancel = scripted_cancel,
		.busy = scripted_busy,
		.end_session = scripted_end_session,
		.free = scripted_free,
	};
	struct scripted *s = xcalloc(1, sizeof *s);

	s->port.ops = &OPS;
	s->host = host;
	arena_init(&s->arena);
	list_init(&s->runs);
	list_init(&s->queries);
	return &s->port;
}

void
tool_scripted_docs(struct toolset *t, const struct tool_doc *docs, size_t count)
{
	struct scripted *s = (struct scripted *)t;

	s->docs = docs;
	s->doc_count = count;
}

void
tool_scripted_problems(struct toolset *t, const struct tool_problem *problems, size_t count)
{
	struct scripted *s = (struct scripted *)t;

	s->problems = problems;
	s->problem_count = count;
}

void
tool_scripted_play(struct toolset *t, const struct scripted_result *results, size_t count)
{
	struct scripted *s = (struct scripted *)t;

	s->results = results;
	s->result_count = count;
}
