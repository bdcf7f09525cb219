/* retry_policy - a model request failed: wait and try again, shrink the context, use the next
 * model, or give up?
 *
 * What may pass by itself (network, silence, broken stream, 429, overload, 5xx) is tried again
 * after a growing wait until the attempts are used up; then the next model of the agent's chain
 * continues the same turn with attempts of its own; after the last one the turn ends. What would
 * fail the same way again (400, 401, 403, 404, billing) is not repeated, not even by another
 * model: its cause is the request or the configuration, and hiding it helps nobody.
 *
 * A request too long for the model goes down a ladder instead: prune aggressively, then compact,
 * then send once more, then give up. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "core/model_failure.h"

struct retry_policy {
	int attempts;            /* requests to one model, the first included */
	int64_t base_ms, max_ms; /* waits grow from base, doubling, to max */
};

enum retry_action {
	RETRY_WAIT,      /* the same request after wait_ms */
	RETRY_FALL_BACK, /* the same turn with the next model, at once */
	RETRY_PRUNE,     /* prune aggressively, then decide again one rung further */
	RETRY_COMPACT,   /* compact, then decide again one rung further */
	RETRY_GIVE_UP,   /* session.error, then the turn's terminal */
	RETRY_REFUSED,   /* end the turn with stop reason refusal; no error */
};
/* The wire API's retry_status of the session.error that goes with it. */
enum retry_status { RETRY_STATUS_RETRYING, RETRY_STATUS_EXHAUSTED, RETRY_STATUS_TERMINAL };

struct retry_facts {
	enum model_failure failure;
	int attempt;            /* requests to this model that failed, this one included: from 1 */
	int rung;               /* steps of the context-length ladder already taken in this turn */
	bool next_model;        /* the chain has another one */
	int64_t retry_after_ms; /* what the peer asked for (core/retry_after); -1: nothing */
	int jitter_permille; /* 0..999, drawn by the caller: spreads waits, so that clients part */
};

struct retry_decision {
	enum retry_action action;
	int64_t wait_ms; /* RETRY_WAIT only, else 0 */
	enum retry_status status;
	const char *error_type; /* of the session.error; NULL for RETRY_REFUSED */
};

/* 5 attempts, 1 s to 30 s. */
struct retry_policy retry_policy_default(void);
/* Total. A wait is what the peer asked for, at most max; else half the backoff plus up to another
 * half by jitter. */
struct retry_decision
retry_policy_decide(const struct retry_policy *p, const struct retry_facts *f);
