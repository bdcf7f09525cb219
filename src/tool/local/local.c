#include "tool/local/local.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "tool/local/launch.h"
#include "tool/local/process_table.h"
#include "tool/local/tool_docs.h"

const struct tool_limits LOCAL_LIMITS = {
	.output_bytes = 256 * 1024,
	.processes = 500,
	.memory_bytes = INT64_C(4) << 30,
	.file_bytes = INT64_C(1) << 30,
	.cpu_seconds = 24 * 3600,
};

struct local_tools {
	struct toolset port;
	struct host *host;
	struct tool_limits limits;
	int64_t workspace_bytes; /* of a session's own folder; 0: any number */
	char *program, *data_directory;
	struct launches launches;
	struct process_table processes;
	struct list runs, queries; /* on their way */
};

struct tool_query {
	struct list node;
	struct local_tools *owner;
	struct host_task task;
	tool_listed_fn *listed;
	void *ctx;
};

struct tool_run {
	struct list node;
	struct local_tools *owner;
	struct host_task task; /* an answer that needs no helper */
	struct launch *launch;
	struct process *process; /* whose begin is waited for */
	tool_done_fn *done;
	void *ctx;
	enum local_tool tool;
	int64_t timeout_ms;
	bool own_timeout; /* the call's argument, not the limit of every call */
	struct buf output;
	enum tool_outcome outcome;
	char session[]; /* whose call it is */
};

/* ---- listing ---- */

static void
query_free(struct tool_query *q)
{
	list_remove(&q->node);
	list_remove(&q->task.node);
	free(q);
}

static void
answer_query(struct host_task *task)
{
	struct tool_query *q = LIST_OWNER(task, struct tool_query, task);
	tool_listed_fn *listed = q->listed;
	void *ctx = q->ctx;

	query_free(q);
	listed(ctx, &(struct tool_listing){ .tools = TOOL_DOCS, .tool_count = LOCAL_TOOLS });
}

static struct tool_query *
start_list(struct toolset *t, const struct tool_ask *ask, tool_listed_fn *listed, void *ctx)
{
	struct local_tools *local = (struct local_tools *)t;
	struct tool_query *q = xcalloc(1, sizeof *q);

	(void)ask; /* the same everywhere; servers are not ours */
	*q = (struct tool_query){ .owner = local, .listed = listed, .ctx = ctx };
	list_init(&q->task.node);
	q->task.fn = answer_query;
	list_append(&local->queries, &q->node);
	host_defer(local->host, &q->task);
	return q;
}

/* ---- the end of a call ---- */

static void
run_free(struct tool_run *r)
{
	list_remove(&r->node);
	list_remove(&r->task.node);
	if (r->process)
		process_forget_begun(r->process);
	launch_leave(&r->launch);
	buf_release(&r->output);
	free(r);
}

static void
finish(struct tool_run *r)
{
	struct tool_result result = { r->outcome, buf_str(&r->output) };
	struct err e;

	if (buf_check(&r->output, "the tool's output", &e) != 0) /* ours are bounded before */
		result = (struct tool_result){ OUTCOME_ERROR, str_of(e.text) };
	r->done(r->ctx, &result);
	run_free(r);
}

static void
answer_run(struct host_task *task)
{
	finish(LIST_OWNER(task, struct tool_run, task));
}

static void
answer_later(struct tool_run *r, enum tool_outcome outcome)
{
	r->outcome = outcome;
	host_defer(r->owner->host, &r->task);
}

static void
answer_error(struct tool_run *r, const struct err *e)
{
	buf_puts(&r->output, e->text);
	answer_later(r, OUTCOME_ERROR);
}

/* What a report adds to the output, on a line of its own. */
static void
put_note(struct tool_run *r, struct str text)
{
	if (r->output.len > 0 && r->output.ptr[r->output.len - 1] != '\n')
		buf_putc(&r->output, '\n');
	buf_printf(&r->output, "[" STR_FMT "]\n", STR_ARG(text));
}

static enum tool_outcome
judge(struct tool_run *r, const struct tool_report *report)
{
	char note[1200];

	switch (report->end) {
	case TOOL_END_EXITED:
		if (report->text.len > 0)
			put_note(r, report->text);
		if (report->code == 0)
			return OUTCOME_OK;
		snprintf(note, sizeof note, "exit code %" PRId64, report->code);
		if (r->tool == LOCAL_BASH)
			put_note(r, str_of(note));
		return OUTCOME_ERROR;
	case TOOL_END_TIMEOUT:
		snprintf(note, sizeof note,
			 "timed out after %" PRId64 " ms (%s); everything it had started was ended",
			 r->timeout_ms,
			 r->own_timeout ? "the call's timeout_ms" : "the tool timeout");
		put_note(r, str_of(note));
		return OUTCOME_TIMEOUT;
	case TOOL_END_CROWD:
		snprintf(note, sizeof note,
			 "ended: it had more than %" PRId64 " processes at the same time",
			 r->owner->limits.processes);
		put_note(r, str_of(note));
		return OUTCOME_ERROR;
	case TOOL_END_FULL:
		buf_puts(&r->output, r->output.len > 0 ? "\n" : "");
		buf_printf(&r->output, "[ended: " STR_FMT "]\n", STR_ARG(report->text));
		return OUTCOME_ERROR;
	case TOOL_END_STOPPED:
		snprintf(note, sizeof note, "ended before it was done" STR_FMT,
			 STR_ARG(report->text));
		put_note(r, str_of(note));
		return OUTCOME_ERROR;
	case TOOL_END_REFUSED:
		buf_printf(&r->output, "%s was not run: " STR_FMT "\n", tool_args_name(r->tool),
			   STR_ARG(report->text));
		return OUTCOME_ERROR;
	}
	return OUTCOME_ERROR;
}

static void
on_started(void *ctx)
{
	(void)ctx;
}

static void
on_output(void *ctx, struct str bytes)
{
	struct tool_run *r = ctx;

	buf_put_str(&r->output, bytes);
}

static void
on_dropped(void *ctx, uint64_t bytes)
{
	(void)ctx, (void)bytes; /* the helper has put a line where something is missing */
}

static void
on_end(void *ctx, const struct tool_report *report)
{
	struct tool_run *r = ctx;

	r->launch = NULL; /* gone with this event */
	r->outcome = judge(r, report);
	finish(r);
}

static void
on_begun(void *ctx, struct str id, const struct tool_report *refused)
{
	struct tool_run *r = ctx;

	r->process = NULL;
	r->outcome = OUTCOME_OK;
	if (refused)
		r->outcome = judge(r, refused);
	else
		buf_printf(&r->output,
			   "Runs in the background as " STR_FMT
			   "; process_output shows what it says, process_kill ends it.\n",
			   STR_ARG(id));
	finish(r);
}

/* ---- its start ---- */

static struct tool_job
job_of(const struct local_tools *local, const struct tool_request *q, const struct tool_run *r)
{
	return (struct tool_job){
		.tool = q->name,
		.arguments = q->arguments,
		.directory = q->place.directory,
		.hidden = str_of(local->data_directory),
		.sandboxed = q->place.sandboxed,
		.network = q->place.network,
		.access = q->place.access,
		.timeout_ms = r->timeout_ms,
		.parent = getpid(),
		.workspace_bytes = q->place.own && q->place.access == TOOL_ACCESS_WRITE
					   ? local->workspace_bytes
					   : 0,
		.limits = local->limits,
	};
}

static void
start_helper(struct tool_run *r, const struct tool_request *q, const struct tool_args *args)
{
	static const struct launch_events EVENTS = { on_started, on_output, on_dropped, on_end };
	struct local_tools *local = r->owner;
	struct tool_job job;
	struct err e;
	int rc;

	r->own_timeout = args->timeout_ms > 0 && args->timeout_ms < q->timeout_ms;
	r->timeout_ms = r->own_timeout ? args->timeout_ms : q->timeout_ms;
	job = job_of(local, q, r);
	if (args->background)
		rc = process_start(&local->processes,
				   &(struct process_ask){ .session = q->place.session,
							  .command = args->command,
							  .job = job,
							  .begun = on_begun,
							  .ctx = r },
				   &r->process, &e);
	else
		rc = launch_start(&local->launches, &job, &EVENTS, r, &r->launch, &e);
	if (rc != 0)
		answer_error(r, &e);
}

/* What needs no helper. */
static void
ask_table(struct tool_run *r, struct str session, const struct tool_args *args)
{
	struct process_table *t = &r->owner->processes;
	struct err e;
	int rc = 0;

	if (args->tool == LOCAL_PROCESS_LIST)
		process_table_list(t, session, &r->output);
	else if (args->tool == LOCAL_PROCESS_OUTPUT)
		rc = process_table_output(t, session, args->process_id, args->cursor, &r->output,
					  &e);
	else
		rc = process_table_kill(t, session, args->process_id, &r->output, &e);
	if (rc == 0)
		answer_later(r, OUTCOME_OK);
	else
		answer_error(r, &e);
}

static void
begin(struct tool_run *r, const struct tool_request *q)
{
	struct tool_job job = job_of(r->owner, q, r);
	struct tool_args args = { 0 };
	struct arena a;
	struct err e;

	arena_init(&a);
	if (tool_job_args(&a, &job, &args, &e) != 0) {
		answer_error(r, &e);
	} else {
		r->tool = args.tool;
		switch (args.tool) {
		case LOCAL_BASH:
		case LOCAL_READ:
		case LOCAL_WRITE:
		case LOCAL_EDIT:
		case LOCAL_GLOB:
		case LOCAL_GREP: start_helper(r, q, &args); break;
		case LOCAL_PROCESS_LIST:
		case LOCAL_PROCESS_OUTPUT:
		case LOCAL_PROCESS_KILL:
		case LOCAL_TOOLS: ask_table(r, q->place.session, &args);
		}
	}
	arena_release(&a);
}

static struct tool_run *
start_run(struct toolset *t, const struct tool_request *q, tool_done_fn *done, void *ctx)
{
	struct local_tools *local = (struct local_tools *)t;
	struct str session = q->place.session;
	struct tool_run *r = xcalloc(1, sizeof *r + session.len + 1);

	r->owner = local;
	r->done = done;
	r->ctx = ctx;
	memcpy(r->session, session.ptr, session.len);
	list_init(&r->task.node);
	r->task.fn = answer_run;
	/* Cleaned text may be twice as long as what was kept. */
	buf_init(&r->output, 2 * (size_t)local->limits.output_bytes + 64 * 1024);
	list_append(&local->runs, &r->node);
	begin(r, q);
	return r;
}

/* A background process that was asked for and not begun yet is not wanted any more either. */
static void
cancel_run(struct tool_run *r)
{
	if (r->process)
		process_end(r->process);
	run_free(r);
}

static bool
run_waits(const struct tool_run *r)
{
	return (r->launch && launch_waits(r->launch)) || (r->process && process_waits(r->process));
}

/* ---- sessions, and all of it ---- */

static size_t
busy(struct toolset *t, struct str session)
{
	return process_table_busy(&((struct local_tools *)t)->processes, session);
}

static void
end_session(struct toolset *t, struct str session)
{
	process_table_end_session(&((struct local_tools *)t)->processes, session);
}

/* A background process that begins counts as one from the start, its call not. */
static struct tool_load
load_of(const struct local_tools *local, struct str session)
{
	struct tool_load load = { .limit = local->launches.max };

	load.background = process_table_busy(&local->processes, session);
	list_for_each (at, &local->runs) {
		const struct tool_run *r = LIST_OWNER(at, struct tool_run, node);

		if (!str_eq(str_of(r->session), session))
			continue;
		load.waiting += run_waits(r);
		load.running += r->launch && !launch_waits(r->launch);
		load.background -= r->process && process_waits(r->process);
	}
	load.running += load.background;
	return load;
}

static struct tool_load
load(struct toolset *t, struct str session)
{
	const struct local_tools *local = (const struct local_tools *)t;
	struct tool_load all = { local->launches.running, 0, local->launches.background,
				 local->launches.max };

	if (session.len > 0)
		return load_of(local, session);
	list_for_each (at, &local->launches.waiting)
		all.waiting++;
	return all;
}

static void
local_free(struct toolset *t)
{
	struct local_tools *local = (struct local_tools *)t;

	list_for_each (at, &local->runs)
		run_free(LIST_OWNER(at, struct tool_run, node));
	list_for_each (at, &local->queries)
		query_free(LIST_OWNER(at, struct tool_query, node));
	process_table_release(&local->processes);
	launches_release(&local->launches);
	free(local->program);
	free(local->data_directory);
	free(local);
}

/* Helpers look at it from other directories. */
static char *
whole_path(const char *path)
{
	char *whole = path ? realpath(path, NULL) : NULL;

	return whole ? whole : xstrdup(path ? path : "");
}

struct toolset *
local_tools_new(const struct local_config *config)
{
	static const struct toolset_ops OPS = {
		.list = start_list,
		.forget = query_free,
		.start = start_run,
		.cancel = cancel_run,
		.busy = busy,
		.end_session = end_session,
		.free = local_free,
		.waits = run_waits,
		.load = load,
	};
	struct local_tools *local = xcalloc(1, sizeof *local);

	local->port.ops = &OPS;
	local->host = config->host;
	local->limits = config->limits ? *config->limits : LOCAL_LIMITS;
	local->workspace_bytes = config->bounds.workspace_bytes;
	local->program = xstrdup(config->program);
	local->data_directory = whole_path(config->data_directory);
	list_init(&local->runs);
	list_init(&local->queries);
	launches_init(&local->launches, config->loop, local->program, config->bounds.processes);
	process_table_init(&local->processes, config->host, &local->launches);
	return &local->port;
}

void
local_tools_reload(struct toolset *t, const struct local_bounds *bounds)
{
	struct local_tools *local = (struct local_tools *)t;

	local->workspace_bytes = bounds->workspace_bytes;
	launches_set_max(&local->launches, bounds->processes);
}
