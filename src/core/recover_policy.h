/* recover_policy - after a restart: which sessions are to be resumed, which are given up, and may
 * the server resume anything at all this time?
 *
 * Two things are kept apart. The mark (resume_pending) says that the lane's next message continues
 * the same session; it is set at start-up or when a drain times out, and only a successful turn
 * clears it. The turn that was open when the process died is continued, held or ended on its own
 * facts; a marked session without an open turn runs nothing.
 * Pure. Instants are ms since the epoch, UTC. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

struct recover_settings {
	int64_t recent_ms;         /* active this shortly before an unclean start: marked */
	int64_t fresh_ms;          /* older than this is not continued by itself */
	unsigned stuck_starts;     /* found at work by so many starts in a row: suspended */
	unsigned attempts;         /* this attempt at one turn is not made any more */
	unsigned breaker_starts;   /* so many unclean starts with open turns ... */
	int64_t breaker_window_ms; /* ... within this time: nothing is resumed by itself */
};
/* 120 s, 3600 s, 3, 3, 3 in 10 min. */
extern const struct recover_settings RECOVER_SETTINGS_DEFAULT;

enum recover_reason {
	RECOVER_RESTART_TIMEOUT,    /* still running when the drain before a restart timed out */
	RECOVER_SHUTDOWN_TIMEOUT,   /* the same before a shutdown */
	RECOVER_RESTART_INTERRUPTED /* found after an unclean start */
};

/* The recovery flags of a session. */
struct recover_mark {
	bool suspended;      /* the next message opens a new session: never overridden here */
	bool resume_pending; /* the next message continues; the two below belong to it */
	enum recover_reason reason;
	int64_t marked_at_ms;
	unsigned stuck_count; /* starts in a row that found it at work, no success between */
};

struct recover_start { /* what start-up knows about a session */
	int64_t now_ms, updated_at_ms;
	bool clean;     /* the last process drained fully and left its marker */
	bool turn_open; /* the log ends inside a turn; parked on a question does not count */
};

enum recover_turn {
	RECOVER_TURN_NONE,     /* no turn is open */
	RECOVER_TURN_CONTINUE, /* the same turn goes on, the model is told */
	RECOVER_TURN_HOLD,     /* stays rescheduling until someone writes or wakes it */
	RECOVER_TURN_INTERRUPT /* session.error, then idle with stop reason interrupted */
};
enum recover_why {
	RECOVER_WHY_NONE, /* nothing to say: none or continue */
	RECOVER_WHY_SUSPENDED,
	RECOVER_WHY_UNAUTHORISED, /* its user may no longer do this */
	RECOVER_WHY_ATTEMPTS,
	RECOVER_WHY_STALE,
	RECOVER_WHY_BREAKER /* the server restarts too often */
};
struct recover_turn_facts {
	int64_t now_ms, updated_at_ms;
	bool turn_open;
	unsigned attempts; /* continuations of this turn so far */
	bool authorised;   /* asked again now, not remembered */
	bool breaker_open; /* recover_breaker_open of this start */
};
struct recover_turn_plan {
	enum recover_turn turn;
	enum recover_why why;
	unsigned
		attempt; /* RECOVER_TURN_CONTINUE, _HOLD: the number of this continuation, from 1 */
};

/* Sets the mark; false, and nothing changed, when suspended. For drains: a new mark replaces the
 * reason and the time of an old one. */
bool recover_mark_set(struct recover_mark *m, enum recover_reason reason, int64_t now_ms);
/* Start-up: counts, suspends what is stuck, marks what was recently active. An old mark keeps its
 * time, so that it goes stale however often the server restarts. After a clean shutdown nothing
 * changes. */
void recover_mark_start(const struct recover_settings *s, const struct recover_start *f,
			struct recover_mark *m);
/* A turn has ended; only a success clears the mark and the count. */
void recover_mark_turn_ended(struct recover_mark *m, bool succeeded);

/* What becomes of the turn that was open; m is as recover_mark_start left it. */
struct recover_turn_plan
recover_turn_decide(const struct recover_settings *s, const struct recover_mark *m,
		    const struct recover_turn_facts *f);
/* Are there too many unclean starts that found open turns? starts_ms holds them all in any order,
 * this one included. A server that its own sessions bring down must stay up to be repaired. */
bool recover_breaker_open(const struct recover_settings *s, const int64_t *starts_ms, size_t count,
			  int64_t now_ms);

/* "restart_timeout", "shutdown_timeout", "restart_interrupted". */
struct str recover_reason_name(enum recover_reason reason);
/* What the model reads when the turn goes on. */
struct str recover_model_note(enum recover_reason reason);
