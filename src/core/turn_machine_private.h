/* turn_machine_private - the state behind core/turn_machine, shared by its parts: turn_machine.c (what
 * comes next), turn_machine_start.c (how it begins), turn_machine_model.c (a request and its answer),
 * turn_machine_judge.c (what the model asked for), turn_machine_call.c (tool calls and their answers),
 * turn_machine_log.c (the commit being put together). */
#pragma once
#include "base/buf.h"
#include "base/vec.h"
#include "core/turn_machine.h"

enum turn_stage {
	STAGE_NEW,
	STAGE_COMMITTING, /* `after` says what follows */
	STAGE_CONTEXT,
	STAGE_MODEL,
	STAGE_TOOLS, /* started calls run */
	STAGE_BACKOFF,
	STAGE_OVER,
};

enum turn_after {
	AFTER_REQUEST,   /* its span has begun: read the transcript */
	AFTER_STEP,      /* something of the step is on disk: what next? */
	AFTER_PROBLEM,   /* the turn runs, but no model can be asked */
	AFTER_BACKOFF,   /* wait, then ask again */
	AFTER_RECOVERED, /* what a dead process left is closed */
	AFTER_FINISH,
};

struct call_work {
	struct turn_call call;
	bool launched;
	bool may_have_run; /* launched once, or begun by another process as far as its log says */
	bool has_outcome;  /* known, not yet in the log */
	enum tool_outcome outcome;
	struct str output;
};

/* What the model called for. */
struct asked_call {
	struct tool_call call;
	bool lost;
};

struct turn_machine {
	struct turn_plan plan;
	struct arena *kept;
	struct arena step;   /* what the effects point to */
	struct arena inputs; /* what is pending */
	int64_t now_ms;
	uint64_t drawn; /* numbers made from the seed */
	VEC(struct turn_effect) effects;

	enum turn_stage stage;
	enum turn_after after;
	enum turn_finish finish;
	enum stop_kind stop;
	bool leased; /* a TAKE of ours was committed */
	int refusals;

	/* the commit being put together */
	VEC(struct turn_event) events;
	struct str_list pending;
	bool has_queue;
	struct queue_mark queue;
	bool drop_partial;

	/* what is pending */
	struct turn_inputs waiting;
	struct str_list
		steering; /* the commit on its way consumes them: it may be refused for that */
	VEC(struct str) steered; /* consumed before: what is read too early names them still */
	bool timed_out, draining;
	enum recover_reason drain_reason;
	bool reschedules; /* a wake is queued with the terminal */

	/* the request */
	unsigned request;
	struct str request_id; /* its span; empty: none is open */
	struct buf text, thinking;
	struct str text_id, thinking_id; /* empty: no piece came yet */
	struct str thinking_data;
	bool text_shown, thinking_shown; /* previews that are open */
	size_t saved_bytes;
	bool save_armed, saved; /* saved: the side record exists */
	int64_t cost;           /* of the one that is open, as of this step */
	VEC(struct asked_call) asked;
	int failures, rung;
	int cuts; /* answers in a row that their length cut before they did anything */
	bool aggressive;
	struct str note; /* for the model, until it has answered */
	int64_t backoff_ms;

	VEC(struct call_work) calls;
	VEC(struct approval_rule) rules; /* the plan's, and what people allowed meanwhile */
	int64_t steps;
	struct loop_guard guard;
};

/* turn_machine_log.c */
struct buf turn_machine_payload(void); /* empty, with the ceiling of a payload */
struct str turn_machine_id(struct turn_machine *m);
struct str turn_machine_hex(struct arena *a, const struct sha256 *digest);
int turn_machine_jitter(struct turn_machine *m);
struct turn_effect *turn_machine_do(struct turn_machine *m, enum turn_effect_kind kind);
void turn_machine_timer(struct turn_machine *m, enum turn_timer timer, int64_t delay_ms);
/* Appends to the commit; payload is released. */
void
turn_machine_log(struct turn_machine *m, enum event_kind kind, struct str id, struct buf *payload);
void turn_machine_log_running(struct turn_machine *m, struct str_list consumes);
void turn_machine_log_request_start(struct turn_machine *m);
void turn_machine_log_error(struct turn_machine *m, const char *type, struct str message,
			    const char *retry);
void turn_machine_log_rescheduled(struct turn_machine *m, struct str reason, int64_t attempt,
				  int64_t retry_at_ms);
void turn_machine_log_idle(struct turn_machine *m, enum stop_kind stop, struct str_list waits_for,
			   struct str_list consumes);
void turn_machine_log_result(struct turn_machine *m, const struct turn_call *call,
			     enum tool_outcome outcome, struct str text);
/* Hands the commit over; what follows waits for its answer. */
void turn_machine_submit(struct turn_machine *m, enum turn_lease lease, enum turn_after after);
/* The terminal, and everything that must stand before it: an open request, open calls. */
void turn_machine_end(struct turn_machine *m, enum stop_kind stop);
/* The last effect. */
void turn_machine_finish(struct turn_machine *m, enum turn_finish how);

/* turn_machine_model.c */
void turn_machine_model_input(struct turn_machine *m, const struct turn_input *in);
/* What was said so far goes into the commit, marked as cut short, and the request's end. */
void turn_machine_cut_request(struct turn_machine *m);
/* The same without what was said. */
void turn_machine_drop_request(struct turn_machine *m);
void turn_machine_end_previews(struct turn_machine *m);
/* The turn ends because no model answers. */
void turn_machine_give_up(struct turn_machine *m, const char *type, struct str message,
			  const char *retry);

/* turn_machine_call.c */
void turn_machine_adopt_call(struct turn_machine *m, const struct turn_call *call);
/* A deny that came while a call waited is final: whoever allowed the call is overruled. Reasons in a. */
void turn_machine_veto(struct turn_machine *m, struct turn_answer *answers, size_t count,
		       struct arena *a);
/* Its outcome is known; output must stay. */
void turn_machine_settle(struct call_work *w, enum tool_outcome outcome, struct str output);
void turn_machine_take_outcome(struct turn_machine *m, const struct turn_input *in);
/* Known outcomes into the commit. */
void turn_machine_log_outcomes(struct turn_machine *m);
/* Answers that a running turn consumes now: their ids. The calls change state as the log will have
 * it; a denied one has its outcome. */
struct str_list turn_machine_consume_answers(struct turn_machine *m);
/* What is about to run must be what was judged: a call that is not gets its outcome here. */
void turn_machine_check_calls(struct turn_machine *m);
/* Are there calls that the answers at hand do not settle? */
bool turn_machine_must_wait(const struct turn_machine *m);
/* Answers that a parked turn can consume without running: no call starts by them. */
struct str_list turn_machine_consume_parked(struct turn_machine *m);
/* A started call has not been handed to its tool yet. */
bool turn_machine_may_launch(const struct turn_machine *m);
void turn_machine_launch(struct turn_machine *m);
/* A started call has no outcome yet. */
bool turn_machine_is_working(const struct turn_machine *m);
/* Ids of the calls that wait for somebody, less those whose answer is here. */
struct str_list turn_machine_waits_for(struct turn_machine *m);
/* Cancels what runs and writes a result for each call that has none; waiting calls too if asked. */
void turn_machine_close_calls(struct turn_machine *m, enum tool_outcome outcome, bool waiting_too);

/* The turn goes on in another process, or after a restart: cancels what runs and writes that it was
 * interrupted, or that it was not started, except for calls that may be started again. Waiting
 * calls wait on. */
void turn_machine_cut_calls(struct turn_machine *m);

/* turn_machine_judge.c */
/* The model's calls into the commit, in its order; those nobody can or may run get their result at
 * once. */
void turn_machine_log_calls(struct turn_machine *m);

/* turn_machine_start.c */
void turn_machine_begin(struct turn_machine *m);
/* The open turn runs again, with the answers that are there. */
void turn_machine_continue(struct turn_machine *m);

/* turn_machine.c */
void turn_machine_go_on(struct turn_machine *m);
