/* cost - what did these model calls cost, and what can the next one cost at most?
 *
 * Money is an integer of picodollars: a price of one microdollar per million tokens is exactly one
 * picodollar per token, so sums are exact, in any order, and the cost of a session is a fold over
 * its log. Amounts saturate at COST_MAX, about nine million dollars. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "core/usage.h"

#define COST_MAX INT64_MAX

/* Microdollars per million tokens: $3.00 per million is 3000000. */
struct cost_price {
	struct str model; /* exact, or a prefix when it ends in '*' */
	int64_t input, output, cache_read, cache_write;
};
struct cost_table {
	const struct cost_price *rows;
	size_t count;
};
/* An exact row wins, then the longest prefix; NULL when the model has no price. */
const struct cost_price *cost_price_find(const struct cost_table *t, struct str model);

/* How far an amount can be trusted; the worst of its parts. */
enum cost_status {
	COST_EXACT,
	COST_ESTIMATED, /* some usage was our estimate, not the provider's figure */
	COST_UNKNOWN,   /* some model has no price: the amount is what is known, a lower bound */
};
struct cost {
	int64_t picodollars;
	enum cost_status status;
};
/* "exact", "estimated", "unknown". */
const char *cost_status_name(enum cost_status status);

/* One model call. Reasoning tokens are part of output and are not charged twice; negative counts
 * are a provider's bug and count as 0. */
struct cost cost_of(const struct cost_table *t, struct str model, const struct usage *u,
		    bool usage_is_estimate);
/* a + b of amounts that are not negative; COST_MAX when it does not fit. */
int64_t cost_add_capped(int64_t a, int64_t b);
/* The most a call can cost: the whole prompt at the dearest input price, all the output allowed. */
struct cost cost_ceiling(const struct cost_table *t, struct str model, int64_t prompt_tokens,
			 int64_t max_output_tokens);
