#include "core/retry_policy.h"

struct retry_policy
retry_policy_default(void)
{
	return (struct retry_policy){ .attempts = 5, .base_ms = 1000, .max_ms = 30000 };
}

static int64_t
wait_for(const struct retry_policy *p, const struct retry_facts *f)
{
	int64_t backoff = p->base_ms;

	if (f->retry_after_ms >= 0)
		return f->retry_after_ms < p->max_ms ? f->retry_after_ms : p->max_ms;
	for (int i = 1; i < f->attempt && backoff < p->max_ms; i++)
		backoff *= 2;
	if (backoff > p->max_ms)
		backoff = p->max_ms;
	return backoff / 2 + (backoff - backoff / 2) * f->jitter_permille / 1000;
}

static struct retry_decision
passing_trouble(const struct retry_policy *p, const struct retry_facts *f)
{
	if (f->attempt < p->attempts)
		return (struct retry_decision){ .action = RETRY_WAIT, .wait_ms = wait_for(p, f) };
	if (f->next_model)
		return (struct retry_decision){ .action = RETRY_FALL_BACK };
	return (struct retry_decision){ .action = RETRY_GIVE_UP, .status = RETRY_STATUS_EXHAUSTED };
}

static struct retry_decision
too_long(const struct retry_facts *f)
{
	static const enum retry_action LADDER[] = { RETRY_PRUNE, RETRY_COMPACT, RETRY_WAIT };

	if (f->rung >= 0 && f->rung < (int)ARRAY_LEN(LADDER))
		return (struct retry_decision){ .action = LADDER[f->rung] };
	return (struct retry_decision){ .action = RETRY_GIVE_UP, .status = RETRY_STATUS_EXHAUSTED };
}

struct retry_decision
retry_policy_decide(const struct retry_policy *p, const struct retry_facts *f)
{
	struct retry_decision d = { .action = RETRY_GIVE_UP, .status = RETRY_STATUS_TERMINAL };

	switch (f->failure) {
	case FAILURE_NETWORK:
	case FAILURE_TIMEOUT:
	case FAILURE_MALFORMED:
	case FAILURE_RATE_LIMITED:
	case FAILURE_OVERLOADED:
	case FAILURE_SERVER: d = passing_trouble(p, f); break;
	case FAILURE_CONTEXT_LENGTH: d = too_long(f); break;
	case FAILURE_REFUSAL: d.action = RETRY_REFUSED; return d;
	case FAILURE_BILLING:
	case FAILURE_REQUEST:
	case FAILURE_UNKNOWN: break;
	}
	d.error_type = model_failure_error_type(f->failure);
	return d;
}
