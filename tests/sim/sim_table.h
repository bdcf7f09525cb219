/* sim_table - which state of a session met which fault how often?
 * Counted over all seeds. A cell that can be reached and was not is a hole in the proof. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a session is at, as seen from outside: by its log and by what is on its way for it. */
enum sim_state {
	SIM_IDLE,       /* no turn, nothing pending */
	SIM_QUEUED,     /* no turn, messages wait (a burst, a look put off) */
	SIM_LOOKING,    /* no turn; somebody looks at what is pending */
	SIM_LISTING,    /* toolsets are asked what they have */
	SIM_OPENING,    /* the commit that opens a turn is on its way */
	SIM_CONTEXT,    /* the transcript is being read */
	SIM_ASKED,      /* the model has not said anything yet */
	SIM_STREAMING,  /* it has */
	SIM_TOOLS,      /* started calls run */
	SIM_COMMITTING, /* a commit of the running turn is on its way */
	SIM_BACKOFF,    /* waits to ask the model again */
	SIM_PARKED,     /* waits for people */
	SIM_RESUMING,   /* a commit that takes up an open turn is on its way */
	SIM_LEFT,       /* a turn is open and nobody is at it: put off, or its process died */
	SIM_STATES
};

enum sim_fault {
	SIM_CRASH,
	SIM_TAKEOVER, /* another process takes the leases while the old one goes on */
	SIM_DRAIN,
	SIM_JUMP,  /* of the clock on the wall */
	SIM_STALL, /* nothing moves for a while */
	SIM_INTERRUPT,
	SIM_STEER,
	SIM_MESSAGE,
	SIM_STRAY_ANSWER,   /* twice, too late, or to a call that never was */
	SIM_INPUT_FAILS,    /* what a client sends cannot be stored */
	SIM_COMMIT_FAILS,   /* what a turn writes cannot be */
	SIM_COMMIT_UNKNOWN, /* it is stored, but the answer says nobody knows */
	SIM_COMMIT_LATE,    /* it is stored long before the answer */
	SIM_READ_FAILS,
	SIM_MODEL_FAILS,
	SIM_MODEL_SILENT,
	SIM_LISTING_FAILS, /* a server is away when it is asked for its tools */
	SIM_TOOL_FAILS,
	SIM_TOOL_SILENT,
	SIM_FAULTS
};

/* What a run must have seen besides: each of them is a path of its own through the engine. */
enum sim_scene {
	SIM_SCENE_ENDED, /* a turn ended by itself */
	SIM_SCENE_PARKED,
	SIM_SCENE_RESUMED,
	SIM_SCENE_PARTIAL, /* some answers came, and the turn waited on for the rest */
	SIM_SCENE_STEERED,
	SIM_SCENE_WENT_AHEAD, /* a message that interrupts ran before an older one */
	SIM_SCENE_INTERRUPTED,
	SIM_SCENE_STOPPED_PARKED, /* the same while it was parked */
	SIM_SCENE_RACED,          /* an interrupt came too late for the turn that it meant */
	SIM_SCENE_CONTINUED,      /* after a death */
	SIM_SCENE_PUT_OFF,        /* by a drain */
	SIM_SCENE_HELD,           /* after too many crashes, until somebody asked */
	SIM_SCENE_GIVEN_UP,       /* died too often, or too long ago */
	SIM_SCENE_CUT_SHORT,      /* what was said before a death was kept */
	SIM_SCENE_BACKED_OFF,
	SIM_SCENE_EXHAUSTED,
	SIM_SCENE_REFUSED,
	SIM_SCENE_LIMITED,   /* steps, time or a loop */
	SIM_SCENE_FENCED,    /* an old holder was refused */
	SIM_SCENE_TIMED_OUT, /* a tool took too long */
	SIM_SCENE_DENIED,    /* somebody said no */
	SIM_SCENE_LOST_CALL, /* a call died with its process: interrupted */
	SIM_SCENE_SETTLED,   /* a question expired, or needed nobody */
	SIM_SCENE_BY_WORKER, /* a client gave the result of one of our own tools */
	SIM_SCENE_WOKEN,     /* by a wake that a turn had asked for */
	SIM_SCENE_REPEATED,  /* a message was sent again and stored once */
	SIM_SCENE_RUN_AGAIN, /* a call that may be was started again after a death */
	SIM_SCENES
};

struct sim_table {
	uint64_t hits[SIM_STATES][SIM_FAULTS];
	uint64_t scenes[SIM_SCENES];
};

/* NULL: the cell can be reached; else why it cannot. */
const char *sim_table_unreachable(enum sim_state s, enum sim_fault f);
void sim_table_print(const struct sim_table *t, FILE *out);
/* Reachable cells and scenes that are empty; each is named on out. */
size_t sim_table_holes(const struct sim_table *t, FILE *out);
