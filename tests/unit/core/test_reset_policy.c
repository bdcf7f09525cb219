#include "base/rand.h"
#include "core/reset_policy.h"
#include "harness.h"

#define MIN(n)      ((n)*INT64_C(60000))
#define AT(d, h, m) (MIN(m) + MIN(60) * (h) + MIN(1440) * (d))

static const struct {
	const char *name;
	struct reset_policy p;
	struct reset_facts f;
	enum reset_reason want;
} DECIDE[] = {
	/*                              policy              now              last active  boundary   work */
	{ "R1 both off", { 0, -1, true }, { AT(9, 0, 0), AT(1, 0, 0), 0, false }, RESET_NONE },
	{ "R1 boundary without daily mode",
	  { 0, -1, true },
	  { AT(9, 0, 0), AT(1, 0, 0), AT(8, 4, 0), false },
	  RESET_NONE },
	{ "R1 idle at the limit",
	  { MIN(30), -1, true },
	  { AT(1, 0, 30), AT(1, 0, 0), 0, false },
	  RESET_NONE },
	{ "R1 idle 1 ms past it",
	  { MIN(30), -1, true },
	  { AT(1, 0, 30) + 1, AT(1, 0, 0), 0, false },
	  RESET_IDLE },
	{ "R1 active at the boundary",
	  { 0, 4, true },
	  { AT(1, 4, 0), AT(1, 4, 0), AT(1, 4, 0), false },
	  RESET_NONE },
	{ "R1 active 1 ms before it",
	  { 0, 4, true },
	  { AT(1, 4, 0), AT(1, 4, 0) - 1, AT(1, 4, 0), false },
	  RESET_DAILY },
	{ "R1 hour 0 is an hour",
	  { 0, 0, true },
	  { AT(2, 1, 0), AT(1, 23, 0), AT(2, 0, 0), false },
	  RESET_DAILY },
	{ "R1 idle named before daily",
	  { MIN(1), 4, true },
	  { AT(2, 5, 0), AT(1, 0, 0), AT(2, 4, 0), false },
	  RESET_IDLE },
	{ "R1 daily when not idle long enough",
	  { MIN(1440), 4, true },
	  { AT(2, 5, 0), AT(2, 3, 0), AT(2, 4, 0), false },
	  RESET_DAILY },
	{ "R2 work still open",
	  { MIN(1), 4, true },
	  { AT(9, 9, 0), AT(1, 0, 0), AT(9, 4, 0), true },
	  RESET_NONE },
	{ "R1 clock moved back",
	  { MIN(1), 4, true },
	  { AT(1, 5, 0), AT(1, 6, 0), AT(1, 4, 0), false },
	  RESET_NONE },
};

static void
decide_row(void **state)
{
	const __typeof__(DECIDE[0]) *row = *state;

	assert_int_equal(reset_policy_decide(&row->p, &row->f), row->want);
}

static const struct {
	const char *name;
	struct reset_settings s;
	struct reset_policy want;
	const char *refusal; /* NULL: accepted */
} INIT[] = {
	{ "R1 mode none", { RESET_MODE_NONE, 4, 1440, true }, { 0, -1, true }, NULL },
	{ "R1 mode idle", { RESET_MODE_IDLE, 4, 30, false }, { MIN(30), -1, false }, NULL },
	{ "R1 mode daily", { RESET_MODE_DAILY, 0, 30, true }, { 0, 0, true }, NULL },
	{ "R1 mode both", { RESET_MODE_BOTH, 23, 525600, true }, { MIN(525600), 23, true }, NULL },
	{ "R1 idle 0 never resets", { RESET_MODE_IDLE, 4, 0, true }, { 0, -1, true }, NULL },
	{ "R1 hour 24 refused", { RESET_MODE_NONE, 24, 0, true }, { 0 }, "at_hour: 24" },
	{ "R1 hour -1 refused", { RESET_MODE_DAILY, -1, 0, true }, { 0 }, "at_hour: -1" },
	{ "R1 idle -1 refused", { RESET_MODE_IDLE, 4, -1, true }, { 0 }, "idle_minutes: -1" },
	{ "R1 idle over a year refused",
	  { RESET_MODE_IDLE, 4, 525601, true },
	  { 0 },
	  "idle_minutes: 525601" },
};

static void
init_row(void **state)
{
	const __typeof__(INIT[0]) *row = *state;
	struct reset_policy got = { .daily_hour = 42 };
	struct err e = { 0 };
	int rc = reset_policy_init(&got, &row->s, &e);

	if (row->refusal) {
		assert_int_equal(rc, ERR_INVALID);
		assert_true(str_contains(str_of(e.text), str_of(row->refusal)));
		assert_int_equal(got.daily_hour, 42);
		return;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(got.idle_ms, row->want.idle_ms);
	assert_int_equal(got.daily_hour, row->want.daily_hour);
	assert_int_equal(got.notify, row->want.notify);
}

static void
R1_shipped_default_is_none_4_1440_notify(void **state)
{
	const struct reset_settings *d = reset_policy_choose(&(struct reset_layers){ 0 });

	(void)state;
	assert_int_equal(d->mode, RESET_MODE_NONE);
	assert_int_equal(d->at_hour, 4);
	assert_int_equal(d->idle_minutes, 1440);
	assert_true(d->notify);
}

static void
R1_platform_over_chat_type_over_agent_over_workspace(void **state)
{
	struct reset_settings s[4] = { { 0 } };
	struct reset_layers layers = { &s[0], &s[1], &s[2], &s[3] };

	(void)state;
	assert_ptr_equal(reset_policy_choose(&layers), &s[0]);
	layers.platform = NULL;
	assert_ptr_equal(reset_policy_choose(&layers), &s[1]);
	layers.chat_type = NULL;
	assert_ptr_equal(reset_policy_choose(&layers), &s[2]);
	layers.agent = NULL;
	assert_ptr_equal(reset_policy_choose(&layers), &s[3]);
}

static const struct {
	const char *name;
	enum reset_reason why;
	int64_t tokens;
	bool notify, quiet;
	bool had_activity;
	const char *model, *user; /* part of the notice; NULL: nothing is said */
} NOTICES[] = {
	{ "R3 idle is told to both", RESET_IDLE, 1, true, false, true, "inactivity", "inactivity" },
	{ "R3 daily is told to both", RESET_DAILY, 1, true, false, true, "daily reset", "Daily" },
	{ "R3 suspended is told to both", RESET_SUSPENDED, 1, true, false, true, "suspended",
	  "suspended" },
	{ "R3 user not told without activity", RESET_IDLE, 0, true, false, false, "inactivity",
	  NULL },
	{ "R3 user not told without notify", RESET_DAILY, 9, false, false, true, "daily", NULL },
	{ "R3 user not told on a quiet platform", RESET_DAILY, 9, true, true, true, "daily", NULL },
	{ "R3 suspended told against everything", RESET_SUSPENDED, 0, false, true, false,
	  "suspended", "suspended" },
	{ "R3 nothing reset, nothing said", RESET_NONE, 9, true, false, false, NULL, NULL },
};

static void
check_notice(struct str got, const char *want)
{
	if (want ? !str_contains(got, str_of(want)) : got.len != 0)
		fail_msg("said '" STR_FMT "', wanted '%s'", STR_ARG(got), want ? want : "nothing");
}

static void
notice_row(void **state)
{
	const __typeof__(NOTICES[0]) *row = *state;
	struct reset_policy p = { .daily_hour = -1, .notify = row->notify };
	struct reset_past old = { row->tokens, row->quiet };
	struct reset_marks marks = reset_policy_roll_over(row->why, &old), first, second;

	first = reset_marks_take(&marks);
	second = reset_marks_take(&marks);
	assert_int_equal(first.was_auto_reset, row->why != RESET_NONE);
	assert_int_equal(first.reason, row->why);
	assert_int_equal(first.had_activity, row->had_activity);
	check_notice(reset_model_notice(&first), row->model);
	check_notice(reset_user_notice(&p, &first, &old), row->user);
	assert_false(second.was_auto_reset || second.had_activity);
	check_notice(reset_model_notice(&second), NULL);
	check_notice(reset_user_notice(&p, &second, &old), NULL);
}

static void
R3_reasons_have_names(void **state)
{
	(void)state;
	check_str("idle", reset_reason_name(RESET_IDLE), STR("idle"));
	check_str("daily", reset_reason_name(RESET_DAILY), STR("daily"));
	check_str("suspended", reset_reason_name(RESET_SUSPENDED), STR("suspended"));
	assert_null(reset_reason_name(RESET_NONE).ptr);
}

/* Fresh activity never resets; once due, waiting longer stays due; open work always holds. */
static void
R1_property_due_stays_due(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(20000); seed++) {
		struct rand r;
		struct reset_policy p;
		struct reset_facts f = { 0 };
		bool fresh, due, held;

		rand_init_seed(&r, seed);
		p = (struct reset_policy){ MIN((int64_t)rand_below(&r, 2000)),
					   (int)rand_below(&r, 25) - 1, true };
		f.now_ms = f.last_active_ms = AT((int64_t)rand_below(&r, 99), 0, 0);
		f.boundary_ms = f.now_ms - MIN((int64_t)rand_below(&r, 1440));
		fresh = reset_policy_decide(&p, &f) == RESET_NONE;
		f.now_ms += MIN((int64_t)rand_below(&r, 5000));
		due = reset_policy_decide(&p, &f) != RESET_NONE;
		f.now_ms += MIN((int64_t)rand_below(&r, 5000));
		if (!fresh || (due && reset_policy_decide(&p, &f) == RESET_NONE))
			fail_msg("seed %llu", (unsigned long long)seed);
		f.work_open = true;
		held = reset_policy_decide(&p, &f) == RESET_NONE;
		if (!held)
			fail_msg("seed %llu: reset over open work", (unsigned long long)seed);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, DECIDE, decide_row);
	SUITE_ROWS(&s, INIT, init_row);
	SUITE_TEST(&s, R1_shipped_default_is_none_4_1440_notify);
	SUITE_TEST(&s, R1_platform_over_chat_type_over_agent_over_workspace);
	SUITE_ROWS(&s, NOTICES, notice_row);
	SUITE_TEST(&s, R3_reasons_have_names);
	SUITE_TEST(&s, R1_property_due_stays_due);
	return suite_run(&s, "reset_policy");
}
