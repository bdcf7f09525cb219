#include "app/hook_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/log.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "net/child.h"
#include "tool/local/guard.h"

enum {
	RUNNING_MAX = 16,
	WAITING_MAX = 1000, /* of those that nobody waits for */
	OUTPUT_MAX = 4096,  /* kept of what one says */
	REASON_MAX = 400,
	FACTS_MAX = 64 * 1024 * 1024,
};

struct hook_exec {
	struct loop *loop;
	const struct config *config;
	struct list running, waiting;
	size_t running_count, waiting_count;
	bool stopped;
	const char *program; /* our own */
	char server[16];     /* our process id */
	const char *env[5];  /* ends with NULL */
	struct arena arena;  /* of env */
};

/* One program of a run. */
struct step {
	const char *const *argv;
	int64_t timeout_ms;
	bool closed;
};

/* The hooks of one event, asked once. */
struct run {
	struct hook_exec *x;
	struct list node;
	struct arena arena;
	enum hook_event event;
	struct str facts;
	struct step *steps;
	size_t step_count, at;
	engine_hook_done_fn *done; /* NULL: nobody waits */
	void *done_ctx;
	struct child *child;
	struct loop_timer *deadline;
	struct buf said;
	struct loop_task task; /* what is not to be told from inside */
	int rc;
	struct err err;
};

static void start_next(struct hook_exec *x);
static void run_step(struct run *r);

/* ---- the end of a run ---- */

static void
run_free(struct run *r)
{
	loop_task_cancel(&r->task);
	child_free(&r->child);
	loop_timer_free(&r->deadline);
	buf_release(&r->said);
	arena_release(&r->arena);
	free(r);
}

static void
run_end(struct run *r)
{
	struct hook_exec *x = r->x;

	list_remove(&r->node);
	x->running_count--;
	if (r->done)
		r->done(r->done_ctx, r->rc, &r->err);
	run_free(r);
	start_next(x);
}

/* ---- one program ---- */

/* The first line of what it said, for people. */
static struct str
reason_of(const struct run *r)
{
	struct str line, rest;

	str_cut(buf_str(&r->said), '\n', &line, &rest);
	return str_slice(line, 0, line.len < REASON_MAX ? line.len : REASON_MAX);
}

static void
say_failed(const struct run *r, const char *what, int64_t code)
{
	log_write(LOG_WARN, "hook.failed", LOG_STR("hook", str_of(hook_event_name(r->event))),
		  LOG_STR("command", str_of(r->steps[r->at].argv[0])),
		  LOG_STR("what", str_of(what)), LOG_INT("code", code),
		  LOG_STR("output", reason_of(r)));
}

enum answer { ANSWER_YES, ANSWER_NO, ANSWER_NONE };

static void
step_over(struct run *r, enum answer answer)
{
	const char *name = hook_event_name(r->event);
	struct str reason = reason_of(r);

	if (answer == ANSWER_NO)
		r->rc = err_set(&r->err, ERR_DENIED, "the %s hook refused it%s" STR_FMT, name,
				reason.len > 0 ? ": " : "", STR_ARG(reason));
	else if (answer == ANSWER_NONE && r->steps[r->at].closed)
		r->rc = err_set(&r->err, ERR_DENIED,
				"the %s hook gave no answer, and without one nothing goes on",
				name);
	if (r->rc != 0 || ++r->at == r->step_count)
		run_end(r);
	else
		run_step(r);
}

static void
on_said(void *ctx, struct str bytes)
{
	struct run *r = ctx;
	size_t room = OUTPUT_MAX - r->said.len;

	buf_put_str(&r->said, str_slice(bytes, 0, bytes.len < room ? bytes.len : room));
}

static void
on_exit_told(void *ctx, int code, int signal)
{
	struct run *r = ctx;

	loop_timer_cancel(r->deadline);
	child_free(&r->child);
	if (signal == GUARD_NOT_STARTED)
		say_failed(r, "it cannot be started", 0);
	else if (signal != 0)
		say_failed(r, "it was killed", signal);
	else if (code != 0)
		say_failed(r, "it refused", code);
	else
		log_write(LOG_DEBUG, "hook.ran", LOG_STR("hook", str_of(hook_event_name(r->event))),
			  LOG_STR("output", reason_of(r)));
	step_over(r, signal != 0 ? ANSWER_NONE : code != 0 ? ANSWER_NO : ANSWER_YES);
}

static void
on_deadline(void *ctx)
{
	struct run *r = ctx;

	child_free(&r->child);
	say_failed(r, "it took too long", 0);
	step_over(r, ANSWER_NONE);
}

static void
on_not_started(struct loop_task *task)
{
	struct run *r = LIST_OWNER(task, struct run, task);

	say_failed(r, "it cannot be started", 0);
	step_over(r, ANSWER_NONE);
}

static int
start_guarded(struct run *r, struct err *e)
{
	static const struct child_events EVENTS = { on_said, on_said, on_exit_told };
	struct hook_exec *x = r->x;
	const char *const *argv = r->steps[r->at].argv;
	char path[CHILD_PATH_BYTES];
	VEC(const char *) words = { 0 };
	struct child_spec spec = { .env = x->env, .ends_all = true, .extra_fd = -1 };
	int rc = child_find(argv[0], path, e);

	if (rc != 0)
		return rc;
	*vec_push(&words) = x->program;
	*vec_push(&words) = "tool-helper";
	*vec_push(&words) = "guard";
	*vec_push(&words) = x->server;
	*vec_push(&words) = path;
	for (size_t i = 0; argv[i]; i++)
		*vec_push(&words) = argv[i];
	*vec_push(&words) = NULL;
	spec.argv = words.ptr;
	rc = child_start(x->loop, &spec, &EVENTS, r, &r->child, e);
	vec_release(&words);
	return rc;
}

static void
run_step(struct run *r)
{
	struct err e;

	buf_clear(&r->said);
	if (start_guarded(r, &e) != 0) {
		buf_puts(&r->said, e.text);
		loop_defer(r->x->loop, &r->task);
		return;
	}
	child_write(r->child, r->facts);
	child_close_input(r->child);
	loop_timer_set(r->deadline, r->steps[r->at].timeout_ms);
}

/* ---- who runs ---- */

static void
start_next(struct hook_exec *x)
{
	while (!x->stopped && x->running_count < RUNNING_MAX && !list_is_empty(&x->waiting)) {
		struct run *r = LIST_OWNER(x->waiting.next, struct run, node);

		list_remove(&r->node);
		x->waiting_count--;
		list_append(&x->running, &r->node);
		x->running_count++;
		run_step(r);
	}
}

static const char *const *
copy_argv(struct arena *a, struct str_list words)
{
	const char **argv = ARENA_ARRAY(a, words.len + 1, const char *);

	for (size_t i = 0; i < words.len; i++)
		argv[i] = arena_str(a, words.ptr[i]).ptr;
	return argv;
}

/* Copies: a reload may take the configuration away. */
static void
add_steps(struct run *r)
{
	const struct config *c = r->x->config;

	r->steps = ARENA_ARRAY(&r->arena, c->hooks.len + 1, struct step);
	for (size_t i = 0; i < c->hooks.len; i++)
		if (c->hooks.ptr[i].event == r->event)
			r->steps[r->step_count++] = (struct step){
				.argv = copy_argv(&r->arena, c->hooks.ptr[i].command),
				.timeout_ms = c->hooks.ptr[i].timeout_ms,
				.closed = c->hooks.ptr[i].fails_closed,
			};
}

static void
on_nobody(struct loop_task *task)
{
	run_end(LIST_OWNER(task, struct run, task));
}

static void
ask(void *ctx, enum hook_event event, struct str facts, engine_hook_done_fn *done, void *done_ctx)
{
	struct hook_exec *x = ctx;
	struct run *r;

	if (!done && x->stopped)
		return;
	if (!done && x->waiting_count >= WAITING_MAX) {
		log_write(LOG_ERROR, "hook.dropped",
			  LOG_STR("hook", str_of(hook_event_name(event))));
		return;
	}
	r = xcalloc(1, sizeof *r);
	r->x = x;
	r->event = event;
	r->done = done;
	r->done_ctx = done_ctx;
	arena_init(&r->arena);
	r->facts = arena_str(&r->arena, facts);
	buf_init(&r->said, OUTPUT_MAX);
	r->deadline = loop_timer_new(x->loop, on_deadline, r);
	add_steps(r);
	list_init(&r->node);
	if (r->step_count == 0 && !x->stopped) { /* a reload took them away */
		list_append(&x->running, &r->node);
		x->running_count++;
		loop_task_init(&r->task, on_nobody);
		loop_defer(x->loop, &r->task);
		return;
	}
	loop_task_init(&r->task, on_not_started);
	list_append(&x->waiting, &r->node);
	x->waiting_count++;
	start_next(x);
}

static bool
wants(void *ctx, enum hook_event event)
{
	const struct hook_exec *x = ctx;
	const struct config *c = x->config;

	if (x->stopped)
		return false;
	for (size_t i = 0; i < c->hooks.len; i++)
		if (c->hooks.ptr[i].event == event)
			return true;
	return false;
}

static void
finalize(void *ctx, const struct engine_finalize *what, engine_hook_done_fn *done, void *done_ctx)
{
	struct buf facts;
	struct jw w;

	buf_init(&facts, FACTS_MAX);
	jw_init(&w, &facts);
	jw_object(&w);
	jw_field_str(&w, "event", str_of(hook_event_name(HOOK_SESSION_FINALIZE)));
	jw_field_str(&w, "session_id", what->session);
	jw_field_str(&w, "lane_id", what->lane);
	jw_field_str(&w, "agent_id", what->agent);
	jw_end_object(&w);
	ask(ctx, HOOK_SESSION_FINALIZE, buf_str(&facts), done, done_ctx);
	buf_release(&facts);
}

/* ---- what is not asked to the end ---- */

static void
end_all(struct list *runs)
{
	struct err e;
	int rc =
		err_set(&e, ERR_UNAVAILABLE, "the server stops: the hook was not asked to the end");

	while (!list_is_empty(runs)) {
		struct run *r = LIST_OWNER(runs->next, struct run, node);

		list_remove(&r->node);
		if (r->done)
			r->done(r->done_ctx, rc, &e);
		run_free(r);
	}
}

static size_t
take_asked(struct list *from, struct list *to)
{
	size_t count = 0;

	list_for_each (at, from) {
		if (!LIST_OWNER(at, struct run, node)->done)
			continue;
		list_remove(at);
		list_append(to, at);
		count++;
	}
	return count;
}

static void
give_up(void *ctx)
{
	struct hook_exec *x = ctx;
	struct list asked;

	list_init(&asked);
	x->running_count -= take_asked(&x->running, &asked);
	x->waiting_count -= take_asked(&x->waiting, &asked);
	end_all(&asked);
	start_next(x);
}

/* ---- life ---- */

static void
make_env(struct hook_exec *x)
{
	static const char *const NAMES[] = { "PATH", "HOME", "LANG", "TZ" };
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		const char *value = getenv(NAMES[i]);

		if (value)
			x->env[count++] = arena_printf(&x->arena, "%s=%s", NAMES[i], value).ptr;
	}
}

struct hook_exec *
hook_exec_new(struct loop *loop, const struct config *config, const char *program)
{
	struct hook_exec *x = xcalloc(1, sizeof *x);

	x->loop = loop;
	x->config = config;
	list_init(&x->running);
	list_init(&x->waiting);
	arena_init(&x->arena);
	x->program = arena_str(&x->arena, str_of(program)).ptr;
	snprintf(x->server, sizeof x->server, "%d", (int)getpid());
	make_env(x);
	return x;
}

void
hook_exec_reload(struct hook_exec *x, const struct config *config)
{
	x->config = config;
}

struct engine_hooks
hook_exec_port(struct hook_exec *x)
{
	return (struct engine_hooks){
		.finalize = finalize, .ctx = x, .wants = wants, .run = ask, .give_up = give_up
	};
}

void
hook_exec_stop(struct hook_exec *x)
{
	if (!x)
		return;
	x->stopped = true;
	end_all(&x->running);
	end_all(&x->waiting);
	x->running_count = x->waiting_count = 0;
}

void
hook_exec_free(struct hook_exec **p)
{
	struct hook_exec *x = *p;

	if (!x)
		return;
	hook_exec_stop(x);
	arena_release(&x->arena);
	free(x);
	*p = NULL;
}
