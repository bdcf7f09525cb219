/* replay_log - session logs as short scripts, so that a row shows a whole history on a few lines.
 *
 * A script is steps separated by ';'. session.created comes by itself at seq 1. Steps:
 *   msg ID [key=value...]     user.message; keys class busy sender bound group due media
 *   sys ID, outcome ID, fired ID, interrupt ID [key=value...]
 *   allow ID CALL, deny ID CALL, custom ID CALL, toolres ID CALL
 *   run TURN [ID...] [+WAKE...]        status_running
 *   park TURN CALL... [- ID...]        status_idle{requires_action}, consuming what follows the dash
 *   end TURN REASON [ID...]            any other status_idle
 *   resched TURN N, terminate [TURN], consume TURN ID..., edit ID, cancel all|ID...
 *   say ID, think ID, tool ID [ask|deny|client]..., ctool ID [ask], mcp ID [ask], result CALL, mcpres CALL
 *   life WORD, reset WORD, title T [SOURCE], meta JSON, compact ID [KEPT], uncompact SUMMARY, rewind ID, usage IN OUT [COST]
 *   delete, fork [SESSION SEQ], check, error, sent, thread
 * Events without an ID are called e<seq>. */
#pragma once
#include "base/buf.h"
#include "core/replay.h"
#include "harness.h"

/* Applies the script; 0 or the refusal of the step that broke a rule. */
int replay_log_run(struct replay *r, const char *script, struct err *e);
/* One step, with its own seq and clock. */
int replay_log_step(struct replay *r, struct str step, struct err *e);
/* The event that a step stands for, applied to nothing: at seq, with turn as the open one. */
struct replay_log_event {
	struct event ev;
	struct buf payload, meta;
	char id[32]; /* for a step without one */
};
void replay_log_make(struct replay_log_event *out, struct str step, int64_t seq, struct str turn);
void replay_log_release(struct replay_log_event *e);
/* "PHASE LIFECYCLE STOP | items | queue | calls": an item is (x) rewound, [x] archived, x? not placed;
 * ids, so it needs the log's own names. */
void replay_log_show(struct replay *r, struct buf *out);

struct replay_row {
	const char *name, *script;
	const char *want; /* what replay_log_show prints, or "error: part of the refusal" */
};
void replay_row_check(void **state);
