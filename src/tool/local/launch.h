/* launch - one helper process of the server's: started with a job, heard, ended.
 *
 * Events never come from inside a call here. on_end is the last and comes once. Nothing of what the
 * helper started is left when it comes, unless the helper itself had to be killed: then what is in a
 * sandbox ends with it.
 *
 * Only so many run at once, over all sessions; the others wait for their turn in the order in which
 * they came. Background processes, which may stay for a day, take at most three quarters of the
 * places: calls that end soon always find some. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "net/loop.h"
#include "tool/local/tool_frame.h"
#include "tool/local/tool_job.h"

struct launch_events {
	void (*on_started)(void *ctx); /* what was asked for runs now; not when it was refused */
	void (*on_output)(void *ctx, struct str bytes);
	void (*on_dropped)(void *ctx, uint64_t bytes); /* left out before what comes next */
	void (*on_end)(void *ctx, const struct tool_report *report);
};

struct launch;

/* All helpers of one toolset, also those whose owner has left them. */
struct launches {
	struct loop *loop;
	const char *program; /* our own */
	struct list all;     /* those that run */
	struct list waiting; /* the first comes next */
	size_t max;          /* 0: any number */
	size_t running, background;
};
void launches_init(struct launches *ls, struct loop *loop, const char *program, size_t max);
/* From now on; what runs above it goes on. */
void launches_set_max(struct launches *ls, size_t max);
/* Ends every one of them and waits until that is so; the only call that waits. */
void launches_release(struct launches *ls);

NODISCARD int
launch_start(struct launches *ls, const struct tool_job *job, const struct launch_events *events,
	     void *ctx, struct launch **out, struct err *e);
bool launch_waits(const struct launch *l);
/* Asks it to end; on_end follows. */
void launch_stop(struct launch *l);
/* The owner leaves: no event comes any more. It is ended, if it has not yet. */
void launch_leave(struct launch **l);
