#include "core/cost.h"

int64_t
cost_add_capped(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? COST_MAX : sum;
}

/* Neither factor is negative. */
static int64_t
multiply_capped(int64_t a, int64_t b)
{
	int64_t product;

	return __builtin_mul_overflow(a, b, &product) ? COST_MAX : product;
}

static int64_t
charge(int64_t tokens, int64_t price)
{
	return tokens > 0 ? multiply_capped(tokens, price) : 0;
}

/* How well a row fits: SIZE_MAX exactly, else one more than its prefix is long; 0 not at all. */
static size_t
fit(struct str pattern, struct str model)
{
	if (str_eq(pattern, model))
		return SIZE_MAX;
	if (!str_ends(pattern, STR("*")) ||
	    !str_starts(model, str_slice(pattern, 0, pattern.len - 1)))
		return 0;
	return pattern.len;
}

const struct cost_price *
cost_price_find(const struct cost_table *t, struct str model)
{
	const struct cost_price *best = NULL;
	size_t best_fit = 0;

	for (size_t i = 0; i < t->count; i++) {
		size_t row_fit = fit(t->rows[i].model, model);

		if (row_fit > best_fit) {
			best = &t->rows[i];
			best_fit = row_fit;
		}
	}
	return best;
}

const char *
cost_status_name(enum cost_status status)
{
	static const char *const names[] = {
		[COST_EXACT] = "exact",
		[COST_ESTIMATED] = "estimated",
		[COST_UNKNOWN] = "unknown",
	};

	return names[status];
}

struct cost
cost_of(const struct cost_table *t, struct str model, const struct usage *u, bool usage_is_estimate)
{
	const struct cost_price *price = cost_price_find(t, model);
	int64_t sum;

	if (!price)
		return (struct cost){ .status = COST_UNKNOWN };
	sum = charge(u->input, price->input);
	sum = cost_add_capped(sum, charge(u->output, price->output));
	sum = cost_add_capped(sum, charge(u->cache_read, price->cache_read));
	sum = cost_add_capped(sum, charge(u->cache_write, price->cache_write));
	return (struct cost){ sum, usage_is_estimate ? COST_ESTIMATED : COST_EXACT };
}

static int64_t
dearest_input(const struct cost_price *price)
{
	int64_t most = price->input;

	if (price->cache_write > most)
		most = price->cache_write;
	if (price->cache_read > most)
		most = price->cache_read;
	return most;
}

struct cost
cost_ceiling(const struct cost_table *t, struct str model, int64_t prompt_tokens,
	     int64_t max_output_tokens)
{
	const struct cost_price *price = cost_price_find(t, model);

	if (!price)
		return (struct cost){ .status = COST_UNKNOWN };
	return (struct cost){
		.picodollars = cost_add_capped(charge(prompt_tokens, dearest_input(price)),
					       charge(max_output_tokens, price->output)),
		.status = COST_ESTIMATED,
	};
}
