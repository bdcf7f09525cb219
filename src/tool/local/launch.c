#include "tool/local/launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "net/child.h"
#include "net/child_env.h"

enum {
	LATE_MS = 15 * 1000, /* so long after the job's own time a helper is given up */
	STOP_MS = 12 * 1000, /* so long after it was asked to end */
	NAP_MS = 2,
	RELEASE_NAPS = 1500,
	SAID_BYTES = 1000,
};

struct launch {
	struct list node;
	struct launches *owner;
	struct child *child; /* NULL: it waits, or never ran */
	struct loop_timer *late;
	struct launch_events events;
	void *ctx;
	bool left, has_report;
	bool background;
	struct str job; /* what the helper is told, until then */
	int64_t timeout_ms;
	struct tool_frames frames;
	struct buf said;    /* on its standard error, where a sound helper says nothing */
	struct arena arena; /* the report's */
	struct tool_report report;
};

void
launches_init(struct launches *ls, struct loop *loop, const char *program, size_t max)
{
	*ls = (struct launches){ .loop = loop, .program = program, .max = max };
	list_init(&ls->all);
	list_init(&ls->waiting);
}

static void
launch_free(struct launch *l)
{
	list_remove(&l->node);
	if (l->child) {
		l->owner->running--;
		l->owner->background -= l->background;
	}
	child_free(&l->child);
	loop_timer_free(&l->late);
	tool_frames_release(&l->frames);
	buf_release(&l->said);
	arena_release(&l->arena);
	free(l);
}

/* ---- what it says ---- */

static void
on_frame(void *ctx, enum tool_frame kind, struct str payload)
{
	struct launch *l = ctx;
	int64_t dropped;
	struct err e;

	if (l->left || l->has_report)
		return;
	switch (kind) {
	case TOOL_FRAME_STARTED: l->events.on_started(l->ctx); break;
	case TOOL_FRAME_OUTPUT: l->events.on_output(l->ctx, payload); break;
	case TOOL_FRAME_DROPPED:
		if (str_to_int(payload, &dropped) && dropped > 0)
			l->events.on_dropped(l->ctx, (uint64_t)dropped);
		break;
	case TOOL_FRAME_REPORT:
		/* The frame's memory goes. */
		payload = arena_str(&l->arena, payload);
		l->has_report = tool_report_parse(&l->arena, payload, &l->report, &e) == 0;
		break;
	}
}

static void
on_output(void *ctx, struct str bytes)
{
	struct launch *l = ctx;
	struct err e;

	/* A helper that talks nonsense ends without a report, which says enough. */
	if (tool_frames_feed(&l->frames, bytes, on_frame, l, &e) != 0)
		child_signal(l->child, SIGTERM);
}

static void
on_errors(void *ctx, struct str bytes)
{
	struct launch *l = ctx;

	buf_put_str(&l->said, str_slice(bytes, 0, SAID_BYTES - l->said.len));
}

static void start_waiting(struct launches *ls);

/* The last event. Its place is free for the next. */
static void
launch_end(struct launch *l)
{
	struct launches *ls = l->owner;

	list_remove(&l->node);
	if (!l->left)
		l->events.on_end(l->ctx, &l->report);
	launch_free(l);
	start_waiting(ls);
}

static void
on_exit_told(void *ctx, int code, int signal)
{
	struct launch *l = ctx;

	if (!l->has_report || code != 0)
		l->report = (struct tool_report){
			.end = TOOL_END_STOPPED,
			.text = arena_printf(&l->arena, ": its helper ended by %s %d " STR_FMT,
					     signal ? "signal" : "code", signal ? signal : code,
					     STR_ARG(buf_str(&l->said))),
		};
	launch_end(l);
}

/* It should have ended by itself: kill it, and with it what is in the sandbox. One that never ran has
 * only its end to tell. */
static void
on_late(void *ctx)
{
	struct launch *l = ctx;

	if (l->child)
		child_signal(l->child, SIGKILL);
	else
		launch_end(l);
}

/* ---- start and end ---- */

static struct launch *
launch_new(struct launches *ls, const struct launch_events *events, void *ctx)
{
	struct launch *l = xcalloc(1, sizeof *l);

	arena_init(&l->arena);
	tool_frames_init(&l->frames);
	buf_init(&l->said, SAID_BYTES);
	list_init(&l->node);
	l->owner = ls;
	l->events = *events;
	l->ctx = ctx;
	l->late = loop_timer_new(ls->loop, on_late, l);
	return l;
}

static int
start_child(struct launches *ls, struct launch *l, struct err *e)
{
	static const struct child_events HEARD = { on_output, on_errors, on_exit_told };
	const char *const argv[] = { ls->program, "tool-helper", NULL };
	const char *const env[] = {
		child_env_path(&l->arena),
		child_env_home(&l->arena),
		"LANG=C.UTF-8",
		NULL,
	};
	const struct child_spec spec = { .argv = argv, .env = env, .extra_fd = -1 };

	return child_start(ls->loop, &spec, &HEARD, l, &l->child, e);
}

static int
begin(struct launch *l, struct err *e)
{
	struct launches *ls = l->owner;
	int rc = start_child(ls, l, e);

	if (rc != 0)
		return rc;
	ls->running++;
	ls->background += l->background;
	list_append(&ls->all, &l->node);
	child_write(l->child, l->job);
	child_close_input(l->child);
	l->job = (struct str){ 0 };
	loop_timer_set(l->late, l->timeout_ms + LATE_MS);
	return 0;
}

/* ---- whose turn it is ---- */

static bool
has_place(const struct launches *ls, bool background)
{
	size_t kept = ls->max < 8 ? ls->max > 1 : ls->max / 4; /* for those that end soon */

	return ls->max == 0 ||
	       (ls->running < ls->max && (!background || ls->background < ls->max - kept));
}

static void
start_waiting(struct launches *ls)
{
	struct err e;

	list_for_each (at, &ls->waiting) {
		struct launch *l = LIST_OWNER(at, struct launch, node);

		if (!has_place(ls, l->background))
			continue;
		list_remove(&l->node);
		if (begin(l, &e) == 0)
			continue;
		l->report = (struct tool_report){ .end = TOOL_END_REFUSED,
						  .text = arena_str(&l->arena, str_of(e.text)) };
		loop_timer_set(l->late, 0);
	}
}

void
launches_set_max(struct launches *ls, size_t max)
{
	ls->max = max;
	start_waiting(ls);
}

bool
launch_waits(const struct launch *l)
{
	return !l->child;
}

int
launch_start(struct launches *ls, const struct tool_job *job, const struct launch_events *events,
	     void *ctx, struct launch **out, struct err *e)
{
	struct launch *l = launch_new(ls, events, ctx);
	struct buf text;
	int rc;

	buf_init(&text, TOOL_JOB_BYTES);
	tool_job_write(&text, job);
	rc = buf_check(&text, "the call", e);
	l->job = arena_str(&l->arena, buf_str(&text));
	l->background = job->background;
	l->timeout_ms = job->timeout_ms;
	if (rc == 0 && has_place(ls, l->background))
		rc = begin(l, e);
	else if (rc == 0)
		list_append(&ls->waiting, &l->node);
	if (rc == 0)
		*out = l;
	else
		launch_free(l);
	buf_release(&text);
	return rc;
}

void
launch_stop(struct launch *l)
{
	if (l->child) {
		child_signal(l->child, SIGTERM);
		loop_timer_set(l->late, STOP_MS);
		return;
	}
	list_remove(&l->node);
	l->report = (struct tool_report){ .end = TOOL_END_STOPPED };
	loop_timer_set(l->late, 0);
}

void
launch_leave(struct launch **out)
{
	struct launch *l = *out;

	*out = NULL;
	if (!l)
		return;
	l->left = true;
	if (l->child)
		launch_stop(l);
	else
		launch_free(l);
}

static bool
is_running(const struct launch *l)
{
	siginfo_t info = { 0 };

	/* Only looked at: reaping is the loop's. */
	return waitid(P_PID, (id_t)child_pid(l->child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0;
}

static bool
any_running(const struct launches *ls)
{
	list_for_each (at, &ls->all)
		if (is_running(LIST_OWNER(at, struct launch, node)))
			return true;
	return false;
}

void
launches_release(struct launches *ls)
{
	static const struct timespec NAP = { 0, NAP_MS * 1000 * 1000 };

	list_for_each (at, &ls->all)
		child_signal(LIST_OWNER(at, struct launch, node)->child, SIGTERM);
	for (int i = 0; i < RELEASE_NAPS && any_running(ls); i++)
		nanosleep(&NAP, NULL);
	list_for_each (at, &ls->all)
		launch_free(LIST_OWNER(at, struct launch, node));
	list_for_each (at, &ls->waiting)
		launch_free(LIST_OWNER(at, struct launch, node));
}
