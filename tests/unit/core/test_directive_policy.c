#include "base/rand.h"
#include "core/directive_policy.h"
#include "harness.h"

#define TEN     "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
static const struct directive_wake WAKES[4] = {
	{ 1, { "r", 1 }, { 0 } },
	{ 86400, { HUNDRED TEN TEN, 120 }, { HUNDRED HUNDRED HUNDRED HUNDRED, 400 } },
	{ 60, { "r", 1 }, { 0 } },
	{ 60, { "r", 1 }, { 0 } },
};
static const struct directive_wake TOO_SOON[] = { { 5, { "r", 1 }, { 0 } },
						  { 0, { "r", 1 }, { 0 } } };
static const struct directive_wake TOO_LATE[] = { { 86401, { "r", 1 }, { 0 } } };
static const struct directive_wake NO_REASON[] = { { 1, { 0 }, { 0 } } };
static const struct directive_wake LONG_REASON[] = { { 1, { HUNDRED TEN TEN "x", 121 }, { 0 } } };
static const struct directive_wake LONG_NOTE[] = {
	{ 1, { "r", 1 }, { HUNDRED HUNDRED HUNDRED HUNDRED "x", 401 } }
};
static const struct directive_learning LEARNINGS[4] = {
	{ { HUNDRED TEN TEN, 120 }, { HUNDRED HUNDRED HUNDRED HUNDRED, 400 } },
	{ { "b", 1 }, { "", 0 } },
	{ { "c", 1 }, { "", 0 } },
	{ { "d", 1 }, { "", 0 } },
};
static const struct directive_learning LONG_TITLE[] = { { { HUNDRED TEN TEN "x", 121 },
							  { "", 0 } } };
static const struct directive_learning NO_TITLE[] = { { { "", 0 }, { "x", 1 } } };
static const struct directive_learning LONG_DETAIL[] = {
	{ { "a", 1 }, { HUNDRED HUNDRED HUNDRED HUNDRED "x", 401 } }
};

static const struct check_row {
	const char *name;
	struct directive d;
	const char *refusal; /* NULL: accepted */
} CHECKS[] = {
	{ "T16 nothing asked for", { 0 }, NULL },
	{ "T16 three wakes, delays at the limits", { .wakes = WAKES, .wake_count = 3 }, NULL },
	{ "T16 a fourth wake", { .wakes = WAKES, .wake_count = 4 }, "wakes: 4" },
	{ "T16 a wake too soon",
	  { .wakes = TOO_SOON, .wake_count = 2 },
	  "wakes[1].delay_seconds: 0" },
	{ "T16 a wake too late",
	  { .wakes = TOO_LATE, .wake_count = 1 },
	  "wakes[0].delay_seconds: 86401" },
	{ "T16 a wake without reason",
	  { .wakes = NO_REASON, .wake_count = 1 },
	  "wakes[0].reason: 0" },
	{ "T16 a reason too long",
	  { .wakes = LONG_REASON, .wake_count = 1 },
	  "wakes[0].reason: 121" },
	{ "T16 a note too long", { .wakes = LONG_NOTE, .wake_count = 1 }, "wakes[0].note" },
	{ "T16 three learnings", { .learnings = LEARNINGS, .learning_count = 3 }, NULL },
	{ "T16 a fourth learning",
	  { .learnings = LEARNINGS, .learning_count = 4 },
	  "learnings: 4" },
	{ "T16 a title too long",
	  { .learnings = LONG_TITLE, .learning_count = 1 },
	  "learnings[0].title: 121" },
	{ "T16 no title", { .learnings = NO_TITLE, .learning_count = 1 }, "learnings[0].title: 0" },
	{ "T16 a detail too long",
	  { .learnings = LONG_DETAIL, .learning_count = 1 },
	  "learnings[0].detail" },
	{ "T16 a follow-up in a second", { .has_follow_up = true, .follow_up_s = 1 }, NULL },
	{ "T16 a follow-up in a day", { .has_follow_up = true, .follow_up_s = 86400 }, NULL },
	{ "T16 a follow-up at once",
	  { .has_follow_up = true, .follow_up_s = 0 },
	  "follow_up_seconds: 0" },
	{ "T16 a follow-up past a day",
	  { .has_follow_up = true, .follow_up_s = 86401 },
	  "follow_up_seconds: 86401" },
};

static void
check_limits(void **state)
{
	const struct check_row *r = *state;
	struct err e = { 0 };
	int rc = directive_policy_check(&r->d, &e);

	assert_int_equal(rc, r->refusal ? ERR_INVALID : 0);
	if (r->refusal && !str_contains(str_of(e.text), str_of(r->refusal)))
		fail_msg("%s: %s", r->name, e.text);
}

static const struct plan_row {
	const char *name;
	struct directive d;
	int continues;
	struct directive_plan want;
} PLANS[] = {
	{ "T16 sleep sleeps", { 0 }, 2, { DIRECTIVE_SLEEP, false, 0, -1 } },
	{ "T16 sleep keeps a follow-up",
	  { .has_follow_up = true, .follow_up_s = 5 },
	  0,
	  { DIRECTIVE_SLEEP, false, 0, 5000 } },
	{ "T16 continue follows up in 300 s",
	  { .outcome = DIRECTIVE_CONTINUE },
	  0,
	  { DIRECTIVE_CONTINUE, false, 1, 300000 } },
	{ "T16 continue follows up when asked",
	  { .outcome = DIRECTIVE_CONTINUE, .has_follow_up = true, .follow_up_s = 7 },
	  1,
	  { DIRECTIVE_CONTINUE, false, 2, 7000 } },
	{ "T16 the third continue continues",
	  { .outcome = DIRECTIVE_CONTINUE },
	  2,
	  { DIRECTIVE_CONTINUE, false, 3, 300000 } },
	{ "T16 the fourth is put to sleep",
	  { .outcome = DIRECTIVE_CONTINUE, .has_follow_up = true, .follow_up_s = 7 },
	  3,
	  { DIRECTIVE_SLEEP, true, 0, -1 } },
};

static void
check_plan(void **state)
{
	const struct plan_row *r = *state;
	struct directive_plan p = directive_policy_decide(&r->d, r->continues);

	if (p.outcome != r->want.outcome || p.forced != r->want.forced ||
	    p.continues != r->want.continues || p.follow_up_ms != r->want.follow_up_ms)
		fail_msg("%s", r->name);
}

/* However the model answers, no more than three cycles in a row continue. */
static void
T16_property_nobody_stays_awake(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(2000); seed++) {
		struct rand r;
		int continues = 0, in_a_row = 0;

		rand_init_seed(&r, seed);
		for (int i = 0; i < 50; i++) {
			struct directive d = { .outcome = rand_below(&r, 8) ? DIRECTIVE_CONTINUE
									    : DIRECTIVE_SLEEP };
			struct directive_plan p = directive_policy_decide(&d, continues);

			continues = p.continues;
			in_a_row = p.outcome == DIRECTIVE_CONTINUE ? in_a_row + 1 : 0;
			if (in_a_row > DIRECTIVE_CONTINUES_MAX)
				fail_msg("seed %llu", (unsigned long long)seed);
		}
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, CHECKS, check_limits);
	SUITE_ROWS(&s, PLANS, check_plan);
	SUITE_TEST(&s, T16_property_nobody_stays_awake);
	return suite_run(&s, "core/directive_policy");
}
