/* process_table - background processes: whose they are, what they said last, how they ended.
 * A session has a few, each for a day at most; what has ended stays to be asked about until there
 * are too many. */
#pragma once
#include "base/buf.h"
#include "base/host.h"
#include "base/id.h"
#include "tool/local/launch.h"
#include "tool/local/output_keep.h"

enum {
	PROCESS_SESSION_MAX = 16,
	PROCESS_ENDED_MAX = 256, /* of all sessions, that are remembered */
	PROCESS_OUTPUT_BYTES = 64 * 1024,
};
#define PROCESS_MS (24 * 3600 * INT64_C(1000))

struct process_table {
	struct host *host;
	struct launches *launches;
	struct rand rand;
	struct id_gen ids;
	struct list all; /* the oldest first */
};

struct process;

void process_table_init(struct process_table *t, struct host *host, struct launches *launches);
void process_table_release(struct process_table *t);

/* begun is called once, not from inside: refused is NULL when it runs, and id is its. */
typedef void process_begun_fn(void *ctx, struct str id, const struct tool_report *refused);
struct process_ask {
	struct str session, command;
	struct tool_job job; /* background and timeout_ms are ours */
	process_begun_fn *begun;
	void *ctx;
};
/* ERR_LIMIT when the session has too many running. */
NODISCARD int process_start(struct process_table *t, const struct process_ask *ask,
			    struct process **out, struct err *e);
/* begun will not be called. */
void process_forget_begun(struct process *p);
void process_end(struct process *p);
/* It has not begun: its turn has not come. */
bool process_waits(const struct process *p);

size_t process_table_busy(const struct process_table *t, struct str session);
void process_table_end_session(struct process_table *t, struct str session);

/* The answers of the process_* tools. An id of another session is not there. */
void process_table_list(const struct process_table *t, struct str session, struct buf *out);
NODISCARD int process_table_output(const struct process_table *t, struct str session, struct str id,
				   int64_t cursor, struct buf *out, struct err *e);
NODISCARD int process_table_kill(struct process_table *t, struct str session, struct str id,
				 struct buf *out, struct err *e);
