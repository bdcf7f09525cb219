#include "core/budget.h"
#include "harness.h"

#define NONE BUDGET_UNLIMITED

static const struct budget_row {
	const char *name;
	struct budget budgets[BUDGET_SCOPES]; /* limit, spent, reserved */
	struct cost ceiling;
	enum budget_verdict verdict;
	const char *scope;
} ROWS[] = {
	{ "T15 no budget, no limit",
	  { { NONE, 9, 9 }, { NONE, 9, 9 }, { NONE, 9, 9 } },
	  { COST_MAX, COST_ESTIMATED },
	  BUDGET_ALLOW,
	  "session" },
	{ "T15 up to the limit",
	  { { 100, 60, 30 }, { NONE }, { NONE } },
	  { 10, COST_ESTIMATED },
	  BUDGET_ALLOW,
	  "session" },
	{ "T15 one past the limit",
	  { { 100, 90, 0 }, { NONE }, { NONE } },
	  { 11, COST_ESTIMATED },
	  BUDGET_REACHED,
	  "session" },
	{ "T15 one past the limit for what others have reserved",
	  { { 100, 60, 30 }, { NONE }, { NONE } },
	  { 11, COST_ESTIMATED },
	  BUDGET_BUSY,
	  "session" },
	{ "T15 as much as would be left if all of it came back",
	  { { NONE }, { 100, 60, 30 }, { NONE } },
	  { 40, COST_ESTIMATED },
	  BUDGET_BUSY,
	  "user" },
	{ "T15 more than would be left then",
	  { { NONE }, { 100, 60, 30 }, { NONE } },
	  { 41, COST_ESTIMATED },
	  BUDGET_REACHED,
	  "user" },
	{ "T15 no waiting helps where another budget is reached",
	  { { NONE }, { 100, 60, 40 }, { 100, 90, 0 } },
	  { 11, COST_ESTIMATED },
	  BUDGET_REACHED,
	  "day" },
	{ "T15 the user's others are named before the day's",
	  { { 100 }, { 100, 60, 40 }, { 100, 60, 40 } },
	  { 11, COST_ESTIMATED },
	  BUDGET_BUSY,
	  "user" },
	{ "T15 a reservation that does not fit is only in the way",
	  { { NONE }, { NONE }, { 100, 0, COST_MAX } },
	  { 11, COST_ESTIMATED },
	  BUDGET_BUSY,
	  "day" },
	{ "T15 the user's budget is named",
	  { { NONE }, { 100, 90, 0 }, { NONE } },
	  { 11, COST_ESTIMATED },
	  BUDGET_REACHED,
	  "user" },
	{ "T15 the day's budget is named",
	  { { 100 }, { 100 }, { 10, 0, 0 } },
	  { 11, COST_ESTIMATED },
	  BUDGET_REACHED,
	  "day" },
	{ "T15 the session is named before user and day",
	  { { 0 }, { 0 }, { 0 } },
	  { 1, COST_ESTIMATED },
	  BUDGET_REACHED,
	  "session" },
	{ "T15 the user is named before the day",
	  { { NONE }, { 0 }, { 0 } },
	  { 1, COST_ESTIMATED },
	  BUDGET_REACHED,
	  "user" },
	{ "T15 nothing left still allows what is free",
	  { { 0 }, { 5, 5, 0 }, { 0 } },
	  { 0, COST_ESTIMATED },
	  BUDGET_ALLOW,
	  "session" },
	{ "T15 an unpriced model cannot keep a budget",
	  { { NONE }, { 100 }, { NONE } },
	  { 0, COST_UNKNOWN },
	  BUDGET_UNPRICED,
	  "user" },
	{ "T15 an unpriced model without a budget",
	  { { NONE }, { NONE }, { NONE } },
	  { 0, COST_UNKNOWN },
	  BUDGET_ALLOW,
	  "session" },
	{ "T15 a sum that does not fit reaches any budget",
	  { { COST_MAX, COST_MAX - 1, 1 }, { NONE }, { NONE } },
	  { 1, COST_ESTIMATED },
	  BUDGET_REACHED,
	  "session" },
};

static void
decide_row(void **state)
{
	const struct budget_row *row = *state;
	struct budget_decision got = budget_decide(row->budgets, row->ceiling);

	assert_int_equal(got.verdict, row->verdict);
	check_str(row->name, str_of(budget_scope_name(got.scope)), str_of(row->scope));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, decide_row);
	return suite_run(&s, "core/budget");
}
