/* turn_machine - one turn of an agent: (state, input) -> (state, effects).
 *
 * No I/O and no clock: instants come with the inputs, ids and jitter from the plan's seed, so the same
 * inputs give the same turn, byte for byte. The shell (engine/turn) carries the effects out and
 * translates what happens into inputs.
 *
 * 1. A step yields at most one commit, and no effect that depends on it: those follow `committed`.
 *    While a commit is on its way everything else is remembered, not done.
 * 2. A turn ends in exactly one way: TURN_DO_FINISH is the last effect, and nothing follows it. Its log
 *    has one terminal event, or none when the turn goes on elsewhere (parked, put off) or its lease
 *    was lost.
 * 3. A tool starts only after its call is committed, and a started call is started once; only one that
 *    may be repeated (read_only, idempotent) is started again when the turn goes on after a crash.
 * 4. Of the calls that change files one runs at a time, in the order of the model's answer; one that
 *    waits for people holds up nobody.
 * 5. Inputs that come too late (another request's pieces, a timer of an earlier wait) change nothing. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/sha256.h"
#include "base/str.h"
#include "core/approval_policy.h"
#include "core/event.h"
#include "core/event_make.h"
#include "core/loop_guard.h"
#include "core/message.h"
#include "core/model_failure.h"
#include "core/projection.h"
#include "core/queue_policy.h"
#include "core/recover_policy.h"
#include "core/retry_policy.h"
#include "core/tool_ref.h"
#include "core/usage.h"

enum {
	TURN_STEPS_DEFAULT = 10,
	TURN_TIMEOUT_MS_DEFAULT = 30 * 60 * 1000,
	TURN_SAVE_MS = 1000,                   /* so long may text that was said be unsaved */
	TURN_TEXT_BYTES_MAX = 8 * 1024 * 1024, /* of one message; more is no answer */
	TURN_CALLS_MAX = 128,                  /* of one step */
};

/* ---- what a turn is given ---- */

/* A tool the model may call. */
struct turn_tool {
	struct str name, mcp_server_name;
	struct str own_name;       /* what the server calls it */
	enum event_kind kind;      /* tool_use, custom_tool_use or mcp_tool_use */
	bool client_side;          /* a client executes it: the turn parks */
	enum approval_mode policy; /* how the agent has it; the plan's rules hold it too */
	bool repeatable;           /* a call whose outcome nobody knows may be started again */
	bool changes_files;        /* of the working directory: one such call after the other */
};

/* Something that is missing in the turn, told once: it goes on without. */
struct turn_trouble {
	struct str type, message;   /* of the session.error */
	struct str mcp_server_name; /* empty: none */
};

/* A call of the open turn, with the state that the log gives it. */
struct turn_call {
	struct str id; /* of its event */
	enum event_kind kind;
	enum call_state state;
	bool client_side;
	struct str name, arguments;  /* JSON object */
	struct str server, own_name; /* of an MCP tool, as when it was made (core/tool_spec) */
	struct str call_id;          /* the provider's own; may be empty */
	struct str
		digest; /* hex, of what was judged when it was made (core/call_digest); empty: none */
	enum approval_mode policy; /* the agent's, when it was judged */
	int64_t asked_ms;
};

static inline struct tool_ref
turn_call_ref(const struct turn_call *call)
{
	return (struct tool_ref){ call->name, call->server, call->own_name };
}

/* Is it the tool that was called? Not every one that is called alike by now. */
static inline bool
turn_tool_is(const struct turn_tool *tool, const struct turn_call *call)
{
	struct tool_ref ref = { tool->name, tool->mcp_server_name, tool->own_name };

	return tool->kind == call->kind && tool_ref_same(ref, turn_call_ref(call));
}

/* An answer that is pending. */
struct turn_answer {
	struct str id, call; /* the input, the call it answers (event ids) */
	int64_t seq;
	enum event_kind kind;
	bool allow, always; /* of a confirmation; always: calls like it, too */
	struct str deny_message;
};

/* What is pending and concerns the open turn, whole: it replaces what was known before. */
struct turn_inputs {
	struct str_list interrupts;
	struct str_list steers; /* with what is bound to them, in the order to be consumed */
	const struct turn_answer *answers;
	size_t answer_count;
	struct queue_mark queue; /* the pending triggers, of which steers are some */
};

enum turn_start {
	TURN_OPENS,     /* a new turn for its triggers */
	TURN_CONTINUES, /* the open turn goes on: with answers, or rescheduled before */
	TURN_STOPS,     /* an interrupt hit it while nobody was running it */
	TURN_RECOVERS,  /* its process died in the middle */
};

struct turn_plan {
	enum turn_start how;
	struct str turn;
	struct sha256 seed;      /* random bytes of the caller's: what ids and jitter are made of */
	struct str model;        /* as the session names it */
	struct str prompt_model; /* TURN_OPENS: that its message asked for; empty: none */
	struct str problem;      /* why no model can be asked; empty: one can */
	const struct turn_tool *tools;
	size_t tool_count;
	struct approval_rules rules; /* which calls run, which wait for people, which are denied */
	const struct turn_trouble *troubles; /* TURN_OPENS */
	size_t trouble_count;
	int64_t max_steps, timeout_ms;
	struct retry_policy retry;

	struct str_list consumes, wakes; /* TURN_OPENS */
	struct queue_mark queue;         /* TURN_OPENS: what they were chosen from */

	/* of an open turn */
	struct turn_inputs inputs;
	const struct turn_call *calls;
	size_t call_count;
	int64_t steps, leased_ms; /* used up so far */
	struct loop_guard guard;
	unsigned continuations; /* after restarts and drains, so far */
	struct str note;        /* what the model is told first */
	bool reschedules;       /* it has asked for a wake */
	size_t parked_on;       /* so many calls its park named; 0: it is not parked */

	/* TURN_RECOVERS, TURN_STOPS: what the dead process left */
	struct recover_turn_plan recover;
	enum recover_reason reason;
	struct str open_request;             /* a span without its end; empty: none */
	struct str partial_id, partial_text; /* of a message that was being written */
	struct str partial_model;
	bool has_partial; /* there is a side record to drop */
};

/* ---- inputs ---- */

enum turn_input_kind {
	TURN_IN_START,
	TURN_IN_COMMITTED,
	TURN_IN_REFUSED, /* the commit, or lost: somebody else has the lease. Fresh inputs first */
	TURN_IN_CONTEXT, /* the transcript is ready */
	TURN_IN_NO_CONTEXT, /* it cannot be read: text says why */
	TURN_IN_NO_PRICE,   /* a budget holds and the model has none: text says so */
	TURN_IN_NO_MONEY,   /* a budget is reached: text says which */
	TURN_IN_TEXT,
	TURN_IN_THINKING,
	TURN_IN_THINKING_DATA, /* a JSON object that belongs to the thinking */
	TURN_IN_CALL,
	TURN_IN_LOST_CALL, /* the length limit cut it off: it must not run */
	TURN_IN_DONE,
	TURN_IN_FAILED,
	TURN_IN_TOOL, /* the outcome of a started call */
	TURN_IN_INPUTS,
	TURN_IN_TIMER,
	TURN_IN_DRAIN, /* the server stops or restarts: put the turn off */
};
enum turn_stop {
	TURN_STOP_END,
	TURN_STOP_TOOLS,
	TURN_STOP_LENGTH, /* what it said is cut short */
	TURN_STOP_CUT,    /* so short that a call is lost, or nothing was said */
	TURN_STOP_REFUSAL,
};
enum turn_timer { TURN_TIMER_LIMIT, TURN_TIMER_RETRY, TURN_TIMER_SAVE };
enum { TURN_TIMERS = TURN_TIMER_SAVE + 1 };

struct turn_input {
	enum turn_input_kind kind;
	int64_t now_ms;
	unsigned request;             /* context, model: the effect's number */
	bool lost;                    /* REFUSED: the lease is somebody else's */
	struct str text;              /* pieces; a failure's sentence; a tool's output */
	const struct tool_call *call; /* CALL, LOST_CALL */
	enum turn_stop stop;          /* DONE */
	struct usage usage;
	/* DONE; negative: no price is known. Else of the request that failed, or is on its way and might be
	 * cut now, as far as it must be counted. */
	int64_t cost_picodollars;
	enum model_failure failure; /* FAILED */
	int64_t retry_after_ms;
	struct str call_event; /* TOOL */
	enum tool_outcome outcome;
	bool reschedules;          /* TOOL: the turn has asked for a wake by now, or not any more */
	struct turn_inputs inputs; /* INPUTS */
	enum turn_timer timer;     /* TIMER */
	enum recover_reason reason; /* DRAIN: what the log says of it */
};

/* ---- effects ---- */

enum turn_effect_kind {
	TURN_DO_COMMIT,
	TURN_DO_CONTEXT, /* read the transcript for request */
	TURN_DO_MODEL,   /* send it */
	TURN_DO_MODEL_CANCEL,
	TURN_DO_TOOL,
	TURN_DO_TOOL_CANCEL,
	TURN_DO_TIMER, /* a negative delay cancels */
	TURN_DO_PREVIEW_START,
	TURN_DO_PREVIEW_DELTA,
	TURN_DO_PREVIEW_END,
	TURN_DO_SAVE, /* the text so far into the turn's side record */
	TURN_DO_FINISH,
};

/* The usual author, this turn. */
struct turn_event {
	enum event_kind kind;
	struct str id; /* empty: nobody refers to it, any will do */
	struct str payload;
};
enum turn_lease {
	TURN_LEASE_TAKE,
	TURN_LEASE_KEEP,    /* needs the fence that was taken */
	TURN_LEASE_RELEASE, /* the same */
	TURN_LEASE_BREAK    /* nobody holds it: the log must be as it was when the plan was made */
};
enum turn_finish {
	TURN_FINISH_ENDED,
	TURN_FINISH_PARKED,
	TURN_FINISH_PUT_OFF, /* rescheduled: to be continued after a restart */
	TURN_FINISH_LOST,    /* the lease was never had, or is another's now */
	TURN_FINISH_BROKEN,  /* a commit failed while the lease is held: recover it */
};

struct turn_effect {
	enum turn_effect_kind kind;
	/* COMMIT */
	const struct turn_event *events;
	size_t event_count;
	enum turn_lease lease;
	struct str_list pending; /* inputs that must still be pending */
	bool has_queue; /* what is consumed was chosen: these triggers and no others wait */
	struct queue_mark queue;
	bool drop_partial; /* remove the side record in the same transaction */
	bool ends;         /* it holds the terminal, for the reason in stop */
	bool by_person;    /* an interrupt ends it */
	/* CONTEXT, MODEL, MODEL_CANCEL */
	unsigned request;
	bool aggressive; /* the prompt was too long: prune all that may be */
	struct str note; /* for the model, at the end; empty: none */
	/* TOOL, TOOL_CANCEL */
	const struct turn_call *call;
	/* TIMER */
	enum turn_timer timer;
	int64_t delay_ms;
	/* PREVIEW_*, SAVE */
	struct str event_id, text;
	enum event_kind event_kind;
	/* FINISH */
	enum turn_finish finish;
	enum stop_kind stop; /* ENDED, and the COMMIT that ends it */
};

struct turn_machine;

/* Lives in kept, which must outlive it, and so must what the plan points to. */
struct turn_machine *turn_machine_new(struct arena *kept, const struct turn_plan *plan);
void turn_machine_release(struct turn_machine *m);
/* The effects, to be carried out in order; good until the next step. */
const struct turn_effect *
turn_machine_step(struct turn_machine *m, const struct turn_input *in, size_t *count);
bool turn_machine_is_over(const struct turn_machine *m);
/* Would a machine with this plan do anything? A parked turn waits on until an answer changes something. */
bool turn_machine_has_work(struct arena *a, const struct turn_plan *plan);
