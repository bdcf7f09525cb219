/* budget - may the next model call be made, or is the money for it gone?
 *
 * Budgets are hard: the most a call can cost (cost_ceiling) is reserved in all of them before it is
 * made, and settled by what it really cost. A budget that has reached COST_MAX is exhausted
 * whatever its limit. Which session, user and day a budget belongs to is the caller's business. */
#pragma once
#include <stdint.h>
#include "base/err.h"
#include "core/cost.h"

enum budget_scope { BUDGET_SESSION, BUDGET_USER, BUDGET_DAY, BUDGET_SCOPES };
/* "session", "user", "day". */
const char *budget_scope_name(enum budget_scope scope);

#define BUDGET_UNLIMITED INT64_C(-1)
struct budget {
	int64_t limit; /* picodollars, or BUDGET_UNLIMITED; 0 allows only what is free */
	int64_t spent, reserved;
};
/* The worst that any of the three says; no waiting helps where another is reached. */
enum budget_verdict {
	BUDGET_ALLOW,
	BUDGET_BUSY,     /* only what others have reserved is in the way: some of it comes back */
	BUDGET_REACHED,  /* what is spent leaves too little */
	BUDGET_UNPRICED, /* a budget is set and the model has no price: it could not be kept */
};
struct budget_decision {
	enum budget_verdict verdict;
	enum budget_scope scope; /* the first that says so: session, then user, then day */
};
/* May a call of at most this cost be made? Reaching the limit exactly is allowed. */
struct budget_decision
budget_decide(const struct budget budgets[BUDGET_SCOPES], struct cost ceiling);
