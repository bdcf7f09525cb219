/* session - what state is this conversation in, which moves are legal, and what does each surface
 * call it?
 *
 * Two orthogonal axes are kept: the phase of the open turn and the lifecycle. Everything a surface
 * shows (wire status, display status, record status, agent status) is projected from facts; nothing
 * a crash could leave stale ("running") is stored: without a live lease a running phase shows as
 * rescheduling. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* A turn is open from its first status_running to its terminal. */
enum turn_phase {
	TURN_NONE,        /* no turn is open */
	TURN_RUNNING,     /* leased */
	TURN_PARKED,      /* requires_action: waits for people or client-side tools */
	TURN_RESCHEDULED, /* backoff, or to be continued after a restart */
};
enum lifecycle { LIFECYCLE_ACTIVE, LIFECYCLE_INACTIVE, LIFECYCLE_ARCHIVED, LIFECYCLE_TERMINATED };

struct session_state {
	enum turn_phase phase;
	enum lifecycle lifecycle;
};

enum session_move {
	MOVE_START,      /* status_running: a new turn, or the open one goes on */
	MOVE_PARK,       /* status_idle{requires_action}, also re-emitted with the rest */
	MOVE_END,        /* any other status_idle: the turn's one terminal */
	MOVE_RESCHEDULE, /* status_rescheduled */
	MOVE_TERMINATE,  /* status_terminated: unrecoverable, final */
	MOVE_DEACTIVATE, /* replaced by /new without a lane, or stale */
	MOVE_REACTIVATE, /* posted to, opened or woken while inactive */
	MOVE_ARCHIVE,
	MOVE_UNARCHIVE, /* /resume, switch, undo reset */
};
enum { SESSION_MOVES = MOVE_UNARCHIVE + 1 };

/* The only function that changes a state. An illegal move leaves it untouched and gives
 * ERR_CONFLICT with a sentence that says what stands in the way. */
NODISCARD int session_move(struct session_state *s, enum session_move move, struct err *e);

/* Why the last turn ended or waits. */
enum stop_kind {
	STOP_NONE, /* no turn has ended yet */
	STOP_END_TURN,
	STOP_REQUIRES_ACTION, /* the park, not an end */
	STOP_RESCHEDULING,    /* ended with a wake queued */
	STOP_TERMINATED,
	STOP_RETRIES_EXHAUSTED,
	STOP_BUDGET_REACHED,
	STOP_INTERRUPTED,
	STOP_REFUSAL,
	STOP_LIMIT_STEPS,
	STOP_LIMIT_TIME,
	STOP_LIMIT_LOOP,
};
/* The wire's word: "end_turn", "limit_reached", ... */
const char *stop_kind_name(enum stop_kind k);
/* "steps", "time", "loop" for the limit kinds, else NULL. */
const char *stop_kind_limit(enum stop_kind k);
/* From the wire's words; limit is empty unless name is limit_reached. */
bool stop_kind_parse(struct str name, struct str limit, enum stop_kind *out);
/* May a status_idle carry it, and if so, does it end the turn? `terminated` never is on one. */
bool stop_kind_on_idle(enum stop_kind k);

enum activity { ACTIVITY_IDLE, ACTIVITY_RUNNING, ACTIVITY_REQUIRES_ACTION, ACTIVITY_RESCHEDULING };

struct session_facts {
	struct session_state state;
	bool lease_live;         /* somebody alive holds this session's lease */
	bool wake_pending;       /* a wake is queued: rescheduling although no turn is open */
	bool waits_for_approval; /* parked on at least one confirmation */
	bool tool_running;       /* a started call has no result yet */
	enum stop_kind last_stop;
};

enum activity session_activity(const struct session_facts *f);
const char *activity_name(enum activity a);
const char *lifecycle_name(enum lifecycle l);
bool lifecycle_parse(struct str name, enum lifecycle *out);
/* idle | running | rescheduling | terminated (the wire and system 001). */
const char *session_wire_status(const struct session_facts *f);
/* idle | running | awaiting_approval | inactive (system 000). */
const char *session_display_status(const struct session_facts *f);
/* active | archived (system 002). */
const char *session_record_status(const struct session_facts *f);
/* idle | streaming | executing_tool | error | aborted (system 004). */
const char *session_agent_status(const struct session_facts *f);

enum { SESSION_ID_MAX = 200 };
/* Refuses empty ids, "..", path separators, control bytes, ill-formed UTF-8 and over 200 bytes. */
NODISCARD int session_id_check(struct str id, struct err *e);
/* The same for an id that somebody gives a new session: not blank either. Stores of earlier releases may
 * hold such a session, so that it can still be listed, read and deleted. */
NODISCARD int session_id_check_chosen(struct str id, struct err *e);
/* `{platform}:{YYYYMMDD_HHMMSS}_{8hex}` in UTC, for channel lanes and /new without a lane. */
void session_id_dated(struct buf *out, struct str prefix, int64_t now_ms, uint32_t random);
/* What stands before the first ':' ("telegram" of "telegram:2026..."); empty without one. */
struct str session_id_namespace(struct str id);
/* Percent-encodes everything but [A-Za-z0-9_-]. A name over 200 bytes becomes its first 100, '-' and 16
 * digits of the id's digest, so that it fits a file system. Distinct ids give distinct names. */
void session_id_file_name(struct buf *out, struct str id);
