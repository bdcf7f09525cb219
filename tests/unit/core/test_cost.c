#include "base/rand.h"
#include "core/cost.h"
#include "harness.h"

static const struct cost_price PRICES[] = {
	{ STR("opus"), 15000000, 75000000, 1500000, 18750000 },
	{ STR("opus-*"), 5, 6, 7, 8 },
	{ STR("opus-4-*"), 50, 60, 70, 80 },
	{ STR("dear"), INT64_MAX, INT64_MAX, 0, 0 },
	{ STR("free*"), 0, 0, 0, 0 },
};
static const struct cost_table TABLE = { PRICES, ARRAY_LEN(PRICES) };

static const struct cost_row {
	const char *name, *model;
	struct usage usage; /* input, output, reasoning, cache read, cache write */
	bool estimate;
	int64_t want;
	enum cost_status status;
} ROWS[] = {
	{ "T15 a million input tokens cost the input price",
	  "opus",
	  { .input = 1000000 },
	  false,
	  INT64_C(15000000000000),
	  COST_EXACT },
	{ "T15 output has its own price", "opus", { .output = 2 }, false, 150000000, COST_EXACT },
	{ "T15 cache reads have their own price",
	  "opus",
	  { .cache_read = 1 },
	  false,
	  1500000,
	  COST_EXACT },
	{ "T15 cache writes have their own price",
	  "opus",
	  { .cache_write = 1 },
	  false,
	  18750000,
	  COST_EXACT },
	{ "T15 reasoning is part of output",
	  "opus",
	  { .output = 1, .reasoning = 1 },
	  false,
	  75000000,
	  COST_EXACT },
	{ "T15 all kinds add up",
	  "opus-x",
	  { 1, 10, 0, 100, 1000 },
	  false,
	  5 + 60 + 700 + 8000,
	  COST_EXACT },
	{ "T15 the longest prefix wins", "opus-4-1", { .input = 1 }, false, 50, COST_EXACT },
	{ "T15 a prefix may match nothing more", "opus-", { .input = 1 }, false, 5, COST_EXACT },
	{ "T15 estimated usage makes an estimated cost",
	  "opus-x",
	  { .input = 1 },
	  true,
	  5,
	  COST_ESTIMATED },
	{ "T15 no price, no cost", "gpt", { .input = 1 }, false, 0, COST_UNKNOWN },
	{ "T15 a prefix row is no substring", "my-opus-4", { .input = 1 }, false, 0, COST_UNKNOWN },
	{ "T15 a free model has a price", "free-as-in-beer", { .input = 9 }, false, 0, COST_EXACT },
	{ "T15 a product that does not fit saturates",
	  "dear",
	  { .input = 2 },
	  false,
	  COST_MAX,
	  COST_EXACT },
	{ "T15 a sum that does not fit saturates",
	  "dear",
	  { .input = 1, .output = 1 },
	  false,
	  COST_MAX,
	  COST_EXACT },
	{ "T15 negative counts are nothing",
	  "opus-x",
	  { .input = -1, .output = INT64_MIN, .cache_read = 1 },
	  false,
	  7,
	  COST_EXACT },
};

static void
cost_row(void **state)
{
	const struct cost_row *row = *state;
	struct cost got = cost_of(&TABLE, str_of(row->model), &row->usage, row->estimate);

	assert_true(got.picodollars == row->want);
	check_str(row->name, str_of(cost_status_name(got.status)),
		  str_of(cost_status_name(row->status)));
}

static void
T15_an_exact_row_wins_in_any_order(void **state)
{
	const struct cost_price rows[] = { { STR("a*"), 1, 0, 0, 0 },
					   { STR("abc"), 2, 0, 0, 0 },
					   { STR("abc*"), 3, 0, 0, 0 } };
	const struct cost_table table = { rows, ARRAY_LEN(rows) };

	(void)state;
	assert_ptr_equal(cost_price_find(&table, STR("abc")), &rows[1]);
	assert_ptr_equal(cost_price_find(&table, STR("abcd")), &rows[2]);
	assert_ptr_equal(cost_price_find(&table, STR("ab")), &rows[0]);
	assert_null(cost_price_find(&table, STR("b")));
}

static void
T15_ceiling_takes_the_dearest_way(void **state)
{
	const struct cost_price rows[] = { { STR("write"), 1, 100, 2, 3 },
					   { STR("read"), 1, 100, 3, 2 },
					   { STR("input"), 3, 100, 1, 2 } };
	const struct cost_table table = { rows, ARRAY_LEN(rows) };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct cost got = cost_ceiling(&table, rows[i].model, 10, 20);

		assert_int_equal(got.picodollars, 10 * 3 + 20 * 100);
		assert_int_equal(got.status, COST_ESTIMATED);
	}
	assert_int_equal(cost_ceiling(&table, STR("none"), 1, 1).status, COST_UNKNOWN);
	assert_true(cost_ceiling(&TABLE, STR("dear"), 1, 1).picodollars == COST_MAX);
}

static struct usage
random_usage(struct rand *r)
{
	return (struct usage){
		.input = (int64_t)rand_below(r, 1000000),
		.output = (int64_t)rand_below(r, 100000),
		.reasoning = (int64_t)rand_below(r, 1000),
		.cache_read = (int64_t)rand_below(r, 1000000),
		.cache_write = (int64_t)rand_below(r, 1000000),
	};
}

static void
T15_property_cost_is_additive_and_under_its_ceiling(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct rand r;
		struct cost whole, ceiling;
		int64_t sum;
		struct usage a, b, both;

		rand_init_seed(&r, seed);
		a = random_usage(&r);
		b = random_usage(&r);
		both = (struct usage){ a.input + b.input, a.output + b.output, 0,
				       a.cache_read + b.cache_read, a.cache_write + b.cache_write };
		sum = cost_of(&TABLE, STR("opus"), &a, false).picodollars +
		      cost_of(&TABLE, STR("opus"), &b, false).picodollars;
		whole = cost_of(&TABLE, STR("opus"), &both, false);
		ceiling =
			cost_ceiling(&TABLE, STR("opus"), usage_prompt_tokens(&both), both.output);
		if (sum != whole.picodollars || whole.picodollars > ceiling.picodollars)
			fail_msg("seed %llu", (unsigned long long)seed);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, cost_row);
	SUITE_TEST(&s, T15_an_exact_row_wins_in_any_order);
	SUITE_TEST(&s, T15_ceiling_takes_the_dearest_way);
	SUITE_TEST(&s, T15_property_cost_is_additive_and_under_its_ceiling);
	return suite_run(&s, "core/cost");
}
