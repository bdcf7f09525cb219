#include "core/budget.h"

const char *
budget_scope_name(enum budget_scope scope)
{
	static const char *const names[BUDGET_SCOPES] = {
		[BUDGET_SESSION] = "session",
		[BUDGET_USER] = "user",
		[BUDGET_DAY] = "day",
	};

	return names[scope];
}

static bool
fits(int64_t used, int64_t amount, int64_t limit)
{
	int64_t sum = cost_add_capped(used, amount);

	return sum < COST_MAX && sum <= limit;
}

static enum budget_verdict
decide_one(const struct budget *b, struct cost ceiling)
{
	if (b->limit == BUDGET_UNLIMITED)
		return BUDGET_ALLOW;
	if (ceiling.status == COST_UNKNOWN)
		return BUDGET_UNPRICED;
	if (!fits(b->spent, ceiling.picodollars, b->limit))
		return BUDGET_REACHED;
	return fits(cost_add_capped(b->spent, b->reserved), ceiling.picodollars, b->limit)
		       ? BUDGET_ALLOW
		       : BUDGET_BUSY;
}

struct budget_decision
budget_decide(const struct budget budgets[BUDGET_SCOPES], struct cost ceiling)
{
	struct budget_decision d = { .verdict = BUDGET_ALLOW };

	for (int scope = 0; scope < BUDGET_SCOPES; scope++) {
		enum budget_verdict verdict = decide_one(&budgets[scope], ceiling);

		if (verdict > d.verdict)
			d = (struct budget_decision){ verdict, (enum budget_scope)scope };
	}
	return d;
}
