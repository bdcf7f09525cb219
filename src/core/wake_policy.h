/* wake_policy - which session runs next, and what becomes of a wake when its turn has ended?
 * A wake is a durable promise to look at a session again at a due time. Pure; instants are ms
 * since the epoch, UTC. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "core/session.h"

enum wake_priority { WAKE_HIGH, WAKE_NORMAL, WAKE_LOW }; /* in the order they run */

struct wake_item {
	struct str id;
	int64_t due_ms;
	enum wake_priority priority;
	struct str reason, note;
	struct str dedupe_key; /* empty: never a duplicate */
	int attempt;           /* turns that failed with it */
	bool parked;           /* given up; waits for a person */
};

/* One thing that could run: a session's pending input, or a wake of it. */
struct wake_candidate {
	enum wake_priority priority;
	bool pending_input; /* false: a wake */
	int64_t due_ms;     /* of an input: when it arrived */
	struct str id;
};
/* By priority, inputs before wakes, due time, id. A total order: 0 only for equal ids. */
int wake_policy_compare(const struct wake_candidate *a, const struct wake_candidate *b);

/* Parked wakes are never due. */
bool wake_policy_is_due(const struct wake_item *w, int64_t now_ms);
/* The queued wake a new one with this key would repeat, else NULL; the new one is then dropped and
 * the first keeps its due time. A parked wake blocks nothing. */
const struct wake_item *
wake_policy_duplicate(const struct wake_item *queue, size_t count, struct str key);

enum wake_turn {
	WAKE_TURN_SUCCEEDED,
	WAKE_TURN_FAILED,
	WAKE_TURN_INTERRUPTED,
	WAKE_TURN_PAUSED, /* the money was gone: it is not the wake's fault */
};
/* How a turn that ended so counts for its wakes. A refusal is an answer; a limit is not. by_person: an
 * interrupt was consumed, rather than the turn given up after restarts. */
enum wake_turn wake_policy_turn(enum stop_kind stop, bool by_person);

enum wake_fate {
	WAKE_CONSUMED,  /* its turn succeeded: remove it in the terminal's transaction */
	WAKE_CANCELLED, /* a person interrupted: remove it */
	WAKE_AGAIN,     /* failed: attempt + 1, due at due_ms */
	WAKE_PARKED,    /* failed too often: keep it parked and append session.error */
	WAKE_KEPT,      /* paused: stays as it is */
};

struct wake_outcome {
	enum wake_fate fate;
	int64_t due_ms; /* WAKE_AGAIN only */
	int attempt;    /* to be stored with it */
};

enum { WAKE_ATTEMPTS_DEFAULT = 5 };
/* What becomes of a wake that its turn looked at; attempts is the cap (at least 1). The wait after
 * failure n, counted from 0, is 2 s times 2^n, at most 30 s. */
struct wake_outcome
wake_policy_settle(const struct wake_item *w, enum wake_turn turn, int attempts, int64_t now_ms);
