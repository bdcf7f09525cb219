#include "base/rand.h"
#include "core/retry_policy.h"
#include "harness.h"

/* Facts with what every row needs: attempt, rung, next model, Retry-After, jitter. */
#define F(c, n, rung, next, after, jitter)                \
	{                                                 \
		FAILURE_##c, n, rung, next, after, jitter \
	}
#define WAIT(ms, type)                                      \
	{                                                   \
		RETRY_WAIT, ms, RETRY_STATUS_RETRYING, type \
	}
#define GIVE_UP(status, type)                                 \
	{                                                     \
		RETRY_GIVE_UP, 0, RETRY_STATUS_##status, type \
	}
#define FAILED   "model_request_failed_error"
#define TOO_LONG "compaction_limit_reached_error"

/* Four attempts, 1 s to 5 s. */
static const struct row {
	const char *name;
	struct retry_facts f;
	struct retry_decision want;
} ROWS[] = {
	{ "T6 network is tried again", F(NETWORK, 1, 0, false, -1, 0), WAIT(500, FAILED) },
	{ "T6 silence is tried again", F(TIMEOUT, 1, 0, false, -1, 0), WAIT(500, FAILED) },
	{ "T6 a malformed stream is tried again", F(MALFORMED, 1, 0, false, -1, 0),
	  WAIT(500, FAILED) },
	{ "T6 5xx is tried again", F(SERVER, 1, 0, false, -1, 0), WAIT(500, FAILED) },
	{ "T6 overload is tried again", F(OVERLOADED, 1, 0, false, -1, 0),
	  WAIT(500, "model_overloaded_error") },
	{ "T6 429 is tried again", F(RATE_LIMITED, 1, 0, false, -1, 0),
	  WAIT(500, "model_rate_limited_error") },
	{ "T6 jitter adds up to the whole backoff", F(SERVER, 1, 0, false, -1, 999),
	  WAIT(999, FAILED) },
	{ "T6 the wait doubles", F(SERVER, 2, 0, false, -1, 0), WAIT(1000, FAILED) },
	{ "T6 the wait is capped", F(SERVER, 3, 0, false, -1, 999), WAIT(3998, FAILED) },
	{ "T6 Retry-After is obeyed", F(RATE_LIMITED, 1, 0, false, 3000, 500),
	  WAIT(3000, "model_rate_limited_error") },
	{ "T6 Retry-After zero is at once", F(RATE_LIMITED, 3, 0, false, 0, 500),
	  WAIT(0, "model_rate_limited_error") },
	{ "T6 Retry-After is capped", F(RATE_LIMITED, 1, 0, false, 3600000, 0),
	  WAIT(5000, "model_rate_limited_error") },
	{ "T6 the last attempt but one waits", F(SERVER, 3, 0, true, -1, 0), WAIT(2000, FAILED) },
	{ "T6 attempts are counted", F(SERVER, 4, 0, false, -1, 0), GIVE_UP(EXHAUSTED, FAILED) },
	{ "T6 endless 429 ends as a rate limit", F(RATE_LIMITED, 4, 0, false, 1, 0),
	  GIVE_UP(EXHAUSTED, "model_rate_limited_error") },
	{ "T18 exhausted retries go to the next model",
	  F(SERVER, 4, 0, true, -1, 0),
	  { RETRY_FALL_BACK, 0, RETRY_STATUS_RETRYING, FAILED } },
	{ "T18 overload too",
	  F(OVERLOADED, 9, 0, true, -1, 0),
	  { RETRY_FALL_BACK, 0, RETRY_STATUS_RETRYING, "model_overloaded_error" } },
	{ "T18 without a next model it ends", F(OVERLOADED, 9, 0, false, -1, 0),
	  GIVE_UP(EXHAUSTED, "model_overloaded_error") },
	{ "T6 400 and 401 are tried once", F(REQUEST, 1, 0, false, -1, 0),
	  GIVE_UP(TERMINAL, FAILED) },
	{ "T18 nor by the next model", F(REQUEST, 1, 0, true, -1, 0), GIVE_UP(TERMINAL, FAILED) },
	{ "T6 billing is tried once", F(BILLING, 1, 0, true, -1, 0),
	  GIVE_UP(TERMINAL, "billing_error") },
	{ "T6 the unknown is tried once", F(UNKNOWN, 1, 0, true, -1, 0),
	  GIVE_UP(TERMINAL, "unknown_error") },
	{ "T6 a refusal is no error",
	  F(REFUSAL, 1, 0, true, -1, 0),
	  { RETRY_REFUSED, 0, RETRY_STATUS_TERMINAL, NULL } },
	{ "T6 too long: first prune",
	  F(CONTEXT_LENGTH, 1, 0, true, -1, 0),
	  { RETRY_PRUNE, 0, RETRY_STATUS_RETRYING, TOO_LONG } },
	{ "T6 too long: then compact",
	  F(CONTEXT_LENGTH, 1, 1, true, -1, 0),
	  { RETRY_COMPACT, 0, RETRY_STATUS_RETRYING, TOO_LONG } },
	{ "T6 too long: then once more, at once", F(CONTEXT_LENGTH, 1, 2, true, 900, 9),
	  WAIT(0, TOO_LONG) },
	{ "T6 too long: then give up", F(CONTEXT_LENGTH, 2, 3, true, -1, 0),
	  GIVE_UP(EXHAUSTED, TOO_LONG) },
	{ "T6 too long: for good", F(CONTEXT_LENGTH, 1, 9, false, -1, 0),
	  GIVE_UP(EXHAUSTED, TOO_LONG) },
};

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct retry_policy p = { .attempts = 4, .base_ms = 1000, .max_ms = 5000 };
	struct retry_decision d = retry_policy_decide(&p, &r->f);

	if (d.action != r->want.action || d.wait_ms != r->want.wait_ms ||
	    d.status != r->want.status)
		fail_msg("%s: action %d wait %lld status %d", r->name, (int)d.action,
			 (long long)d.wait_ms, (int)d.status);
	check_str(r->name, str_of(d.error_type), str_of(r->want.error_type));
}

static void
T6_the_cap_holds_for_any_attempt(void **state)
{
	struct retry_policy p = { .attempts = 100, .base_ms = 1000, .max_ms = 5000 };
	struct retry_facts f = F(SERVER, 90, 0, false, -1, 999);

	(void)state;
	assert_int_equal(retry_policy_decide(&p, &f).wait_ms, 4997);
	f.jitter_permille = 0;
	assert_int_equal(retry_policy_decide(&p, &f).wait_ms, 2500);
}

/* Driven to its end, every turn ends exactly once, within bounds, and waits are within the cap. */
static void
T6_property_every_turn_ends(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct rand r;
		struct retry_policy p;
		struct retry_facts f = { .attempt = 1 };
		int models, requests = 1, steps = 0;
		bool ended = false;

		rand_init_seed(&r, seed);
		p = (struct retry_policy){ .attempts = 1 + (int)rand_below(&r, 20),
					   .base_ms = 1 + (int64_t)rand_below(&r, 60000) };
		p.max_ms = p.base_ms + (int64_t)rand_below(&r, 540000);
		models = 1 + (int)rand_below(&r, 3);
		while (!ended && steps++ < 1000) {
			struct retry_decision d;

			f.failure = (enum model_failure)rand_below(&r, FAILURE_UNKNOWN + 1);
			f.next_model = models > 1;
			f.retry_after_ms = (int64_t)rand_below(&r, 1000000) - 500000;
			f.jitter_permille = (int)rand_below(&r, 1000);
			d = retry_policy_decide(&p, &f);
			if (d.wait_ms < 0 || d.wait_ms > p.max_ms)
				fail_msg("seed %llu: wait", (unsigned long long)seed);
			switch (d.action) {
			case RETRY_WAIT:
				f.rung += f.failure == FAILURE_CONTEXT_LENGTH;
				f.attempt++;
				requests++;
				break;
			case RETRY_FALL_BACK:
				models--;
				f.attempt = 1;
				requests++;
				break;
			case RETRY_PRUNE:
			case RETRY_COMPACT: f.rung++; break;
			case RETRY_GIVE_UP:
			case RETRY_REFUSED: ended = true; break;
			}
		}
		if (!ended || requests > 3 * p.attempts + 1)
			fail_msg("seed %llu: %d requests", (unsigned long long)seed, requests);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T6_the_cap_holds_for_any_attempt);
	SUITE_TEST(&s, T6_property_every_turn_ends);
	return suite_run(&s, "core/retry_policy");
}
