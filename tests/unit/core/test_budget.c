#include "base/rand.h"
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

static void
T15_settling_returns_the_reservation_and_books_the_cost(void **state)
{
	struct budget b[BUDGET_SCOPES] = { { 100, 10, 0 }, { NONE, 10, 5 }, { 100, 10, COST_MAX } };
	const struct cost ceiling = { 50, COST_ESTIMATED }, actual = { 60, COST_EXACT };

	(void)state;
	budget_reserve(b, ceiling);
	assert_int_equal(b[BUDGET_SESSION].reserved, 50);
	assert_int_equal(b[BUDGET_USER].reserved, 55);
	assert_true(b[BUDGET_DAY].reserved == COST_MAX);
	budget_settle(b, ceiling, actual);
	assert_int_equal(b[BUDGET_SESSION].reserved, 0);
	assert_int_equal(b[BUDGET_SESSION].spent, 70);
	assert_int_equal(b[BUDGET_USER].reserved, 5);
	assert_int_equal(b[BUDGET_USER].spent, 70);
	budget_settle(b, ceiling, actual); /* once too often must not mint money */
	assert_int_equal(b[BUDGET_USER].reserved, 0);
}

static const struct raise_row {
	const char *name;
	int64_t before, limit;
	int want;
} RAISES[] = {
	{ "T15 a budget can be raised", 10, 11, 0 },
	{ "T15 to what it is", 10, 10, 0 },
	{ "T15 or taken away", 10, NONE, 0 },
	{ "T15 not lowered", 10, 9, ERR_INVALID },
	{ "T15 not given where there was none", NONE, 9, ERR_INVALID },
	{ "T15 not made negative", 10, -2, ERR_INVALID },
};

static void
raise_row(void **state)
{
	const struct raise_row *row = *state;
	struct budget b = { row->before, 0, 0 };

	assert_int_equal(budget_raise(&b, row->limit, NULL), row->want);
	assert_int_equal(b.limit, row->want == 0 ? row->limit : row->before);
}

static void
T15_property_calls_under_their_ceiling_never_overspend(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(2000); seed++) {
		struct rand r;
		struct budget b[BUDGET_SCOPES] = { 0 };
		struct cost open[4];
		size_t open_count = 0;

		rand_init_seed(&r, seed);
		for (int i = 0; i < BUDGET_SCOPES; i++)
			b[i].limit = (int64_t)rand_below(&r, 1000) - 1;
		for (int step = 0; step < 60; step++) {
			struct cost ceiling = { (int64_t)rand_below(&r, 50), COST_ESTIMATED };

			if (open_count < ARRAY_LEN(open) &&
			    budget_decide(b, ceiling).verdict == BUDGET_ALLOW) {
				budget_reserve(b, ceiling);
				open[open_count++] = ceiling;
			} else if (open_count > 0) {
				struct cost used = open[--open_count], actual = { 0 };

				actual.picodollars =
					(int64_t)rand_below(&r, (uint64_t)used.picodollars + 1);
				budget_settle(b, used, actual);
			}
			for (int i = 0; i < BUDGET_SCOPES; i++)
				if (b[i].limit >= 0 && b[i].spent + b[i].reserved > b[i].limit)
					fail_msg("seed %llu", (unsigned long long)seed);
		}
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, decide_row);
	SUITE_ROWS(&s, RAISES, raise_row);
	SUITE_TEST(&s, T15_settling_returns_the_reservation_and_books_the_cost);
	SUITE_TEST(&s, T15_property_calls_under_their_ceiling_never_overspend);
	return suite_run(&s, "core/budget");
}
