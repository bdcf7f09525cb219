#include "base/rand.h"
#include "core/resolve_policy.h"
#include "harness.h"

#define IDLE_FACTS                                     \
	{                                              \
		.now_ms = 7200000, .last_active_ms = 0 \
	}
#define DAILY_FACTS                                                   \
	{                                                             \
		.now_ms = 1000, .last_active_ms = 1, .boundary_ms = 2 \
	}
#define ACTIVE_FACTS                                  \
	{                                             \
		.now_ms = 1000, .last_active_ms = 999 \
	}

/* Idle after an hour, and daily. */
static const struct reset_policy BOTH = { 3600000, 4, true };

static const struct {
	const char *name;
	struct resolve_facts f;
	const char *action, *reason, *reset_reason; /* NULL: null */
} ROWS[] = {
	{ "K6 no entry: create", { 0 }, "create", "new", NULL },
	{ "K6 flags without an entry mean nothing",
	  { .suspended = true, .resume_pending = true },
	  "create",
	  "new",
	  NULL },
	{ "K6 force_new over an entry",
	  { .has_entry = true, .force_new = true, .reset = ACTIVE_FACTS },
	  "create",
	  "forced",
	  "manual" },
	{ "K6 force_new over suspended",
	  { .has_entry = true, .force_new = true, .suspended = true },
	  "create",
	  "forced",
	  "manual" },
	{ "K6 force_new without an entry", { .force_new = true }, "create", "forced", NULL },
	{ "K6 suspended: reset",
	  { .has_entry = true, .suspended = true, .reset = ACTIVE_FACTS },
	  "reset",
	  "suspended",
	  "suspended" },
	{ "K6 suspended over resume_pending",
	  { .has_entry = true, .suspended = true, .resume_pending = true },
	  "reset",
	  "suspended",
	  "suspended" },
	{ "K6 suspended over the policy",
	  { .has_entry = true, .suspended = true, .reset = IDLE_FACTS },
	  "reset",
	  "suspended",
	  "suspended" },
	{ "K6 suspended while work is open",
	  { .has_entry = true, .suspended = true, .reset = { .work_open = true } },
	  "reset",
	  "suspended",
	  "suspended" },
	{ "K6 resume_pending over the policy",
	  { .has_entry = true, .resume_pending = true, .reset = IDLE_FACTS },
	  "resume",
	  "resume_pending",
	  NULL },
	{ "K6 policy: idle", { .has_entry = true, .reset = IDLE_FACTS }, "reset", "idle", "idle" },
	{ "K6 policy: daily",
	  { .has_entry = true, .reset = DAILY_FACTS },
	  "reset",
	  "daily",
	  "daily" },
	{ "K6 policy held by open work",
	  { .has_entry = true, .reset = { .now_ms = 7200000, .work_open = true } },
	  "continue",
	  "active",
	  NULL },
	{ "K6 otherwise continue",
	  { .has_entry = true, .reset = ACTIVE_FACTS },
	  "continue",
	  "active",
	  NULL },
};

static void
row_check(void **state)
{
	const __typeof__(ROWS[0]) *row = *state;
	struct resolve_plan plan = resolve_policy_decide(&BOTH, &row->f);

	check_str("action", resolve_action_name(plan.action), str_of(row->action));
	check_str("reason", resolve_reason_name(plan.reason), str_of(row->reason));
	check_str("A8 reset_reason", resolve_reset_reason(&plan), str_of(row->reset_reason));
	assert_int_equal(resolve_reset_reason(&plan).ptr != NULL, row->reset_reason != NULL);
}

/* Exactly one session is the lane's afterwards: a new one is opened or the old one lives on. */
static void
K6_property_plans_are_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct rand r;
		struct resolve_facts f = { 0 };
		struct resolve_plan plan;
		bool lives_on;

		rand_init_seed(&r, seed);
		f.has_entry = rand_below(&r, 4) > 0;
		f.suspended = rand_below(&r, 2);
		f.resume_pending = rand_below(&r, 2);
		f.force_new = rand_below(&r, 4) == 0;
		f.reset.work_open = rand_below(&r, 2);
		f.reset.now_ms = (int64_t)rand_below(&r, 9000000);
		f.reset.boundary_ms = (int64_t)rand_below(&r, 2);
		plan = resolve_policy_decide(&BOTH, &f);
		lives_on = plan.action == RESOLVE_CONTINUE || plan.action == RESOLVE_RESUME;
		if (plan.opens_session == lives_on || plan.bumps_activity != lives_on ||
		    plan.archives_session != (f.has_entry && !lives_on) ||
		    (plan.rolled_over != RESET_NONE) != (plan.action == RESOLVE_RESET) ||
		    (lives_on && (!f.has_entry || f.suspended || f.force_new)))
			fail_msg("seed %llu", (unsigned long long)seed);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_check);
	SUITE_TEST(&s, K6_property_plans_are_whole);
	return suite_run(&s, "resolve_policy");
}
