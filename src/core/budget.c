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
has_room(const struct budget *b, int64_t amount)
{
	int64_t sum = cost_add_capped(cost_add_capped(b->spent, b->reserved), amount);

	return sum < COST_MAX && sum <= b->limit;
}

struct budget_decision
budget_decide(const struct budget budgets[BUDGET_SCOPES], struct cost ceiling)
{
	for (int scope = 0; scope < BUDGET_SCOPES; scope++) {
		enum budget_verdict verdict = BUDGET_ALLOW;

		if (budgets[scope].limit == BUDGET_UNLIMITED)
			continue;
		if (ceiling.status == COST_UNKNOWN)
			verdict = BUDGET_UNPRICED;
		else if (!has_room(&budgets[scope], ceiling.picodollars))
			verdict = BUDGET_REACHED;
		if (verdict != BUDGET_ALLOW)
			return (struct budget_decision){ verdict, (enum budget_scope)scope };
	}
	return (struct budget_decision){ .verdict = BUDGET_ALLOW };
}

void
budget_reserve(struct budget budgets[BUDGET_SCOPES], struct cost ceiling)
{
	for (int scope = 0; scope < BUDGET_SCOPES; scope++)
		budgets[scope].reserved =
			cost_add_capped(budgets[scope].reserved, ceiling.picodollars);
}

void
budget_settle(struct budget budgets[BUDGET_SCOPES], struct cost ceiling, struct cost actual)
{
	for (int scope = 0; scope < BUDGET_SCOPES; scope++) {
		struct budget *b = &budgets[scope];

		b->reserved -=
			b->reserved > ceiling.picodollars ? ceiling.picodollars : b->reserved;
		b->spent = cost_add_capped(b->spent, actual.picodollars);
	}
}

int
budget_raise(struct budget *b, int64_t limit, struct err *e)
{
	if (limit != BUDGET_UNLIMITED && (b->limit == BUDGET_UNLIMITED || limit < b->limit))
		return err_set(e, ERR_INVALID, "limit: a budget can be raised, not lowered");
	b->limit = limit;
	return 0;
}
