/* command - one command that a person wrote, from its line to its answer. What each does is told by its
 * family's file: command_queue, command_history, command_show, command_title, command_model.
 * Command of engine.h: engine_command. */
#pragma once
#include "core/chat_command.h"
#include "engine/commit.h"

struct command;
/* Ends with exactly one of the functions below, now or later. */
typedef void command_fn(struct command *c);

struct command {
	struct engine *en;
	struct engine_call call;
	struct engine_caller caller;
	struct str session;
	struct arena arena; /* lives until it is answered */
	struct chat_line line;
	struct store_session row; /* as it was when the caller's standing was asked */
	bool takes_part;
	void *state;                      /* of the family's own, in the arena */
	struct buf data;                  /* JSON of the answer, being written */
	bool wakes;                       /* once it is committed there may be something to run */
	void (*after)(struct command *c); /* once it is committed; NULL: nothing */
	command_fn *again; /* what a conflict begins anew with, once; NULL: it is told */
	bool tried;        /* it was begun anew */
	struct str said;   /* of command_submit */
};

/* c is gone afterwards. */
void command_fail(struct command *c, int rc, const struct err *err);
/* said: for a person. data: what was written into c->data, or nothing. */
void command_done(struct command *c, struct str said, bool replayed);
/* The change and its answer, which a repeat is given again, in one transaction. */
void command_submit(struct command *c, struct commit *commit, struct str said);
/* For what was changed by a commit that could not carry the key: remembers the answer, then gives it. */
void command_done_once(struct command *c, struct str said);

/* {"text","data"} of an answer, small enough for a key. */
enum { COMMAND_REMEMBERED_MAX = 1000 };

command_fn command_branch_off;
command_fn command_history_undo, command_history_retry;
command_fn command_model_choose;
command_fn command_queue_say, command_queue_steer, command_queue_stop, command_queue_approve,
	command_queue_deny;
command_fn command_reset_begin;
command_fn command_reset_undo;
command_fn command_restart_go;
command_fn command_resume_go;
command_fn command_show_help, command_show_status, command_show_usage, command_show_whoami,
	command_show_sessions;
command_fn command_title_set;
