#include "core/compact_policy.h"
#include "harness.h"
#include "transcript_random.h"

#define KEEP_M COMPACT_KEEP_MESSAGES
#define KEEP_T COMPACT_KEEP_TURNS

/* want: one letter per message, s summarised, k kept, then the reason. Messages cost 1 token each
 * unless sized, calling ones 2. */
static const struct compact_row {
	const char *name;
	const char *line;
	enum compact_profile profile;
	enum compact_cause cause;
	int64_t window, reported;
	const char *want;
} ROWS[] = {
	{ "C3 due at exactly 70 % by estimate", "10#u*280", KEEP_T, COMPACT_CHECK, 1000, -1,
	  "sssssskkkk over_threshold" },
	{ "C3 not due one token below", "9#u*280 u*276", KEEP_T, COMPACT_CHECK, 1000, -1,
	  "kkkkkkkkkk below_threshold" },
	{ "C3 due at exactly 80 % by real usage", "10#u", KEEP_T, COMPACT_CHECK, 1000, 800,
	  "sssssskkkk over_threshold" },
	{ "C3 not due one token below 80 %", "10#u", KEEP_T, COMPACT_CHECK, 1000, 799,
	  "kkkkkkkkkk below_threshold" },
	{ "C3 real usage wins over a high estimate", "10#u*4000", KEEP_T, COMPACT_CHECK, 1000, 10,
	  "kkkkkkkkkk below_threshold" },
	{ "C3 five messages are too few", "5#u*4000", KEEP_T, COMPACT_CHECK, 1000, -1,
	  "kkkkk too_few_messages" },
	{ "C3 six messages are enough", "6#u*4000", KEEP_T, COMPACT_CHECK, 1000, -1,
	  "sskkkk over_threshold" },
	{ "C3 keep_turns keeps the last 4 turns", "u a u a u a u a u a u*4000 a", KEEP_T,
	  COMPACT_CHECK, 1000, -1, "sssskkkkkkkk over_threshold" },
	{ "C3 with 4 turns nothing is older", "u a u a u a u*4000 a", KEEP_T, COMPACT_CHECK, 1000,
	  -1, "kkkkkkkk too_few_turns" },
	{ "C3 with fewer turns not all is summarised", "u 9#a*4000", KEEP_T, COMPACT_CHECK, 1000,
	  -1, "kkkkkkkkkk too_few_turns" },
	{ "C3 without any turn not all is summarised", "9#a*4000", KEEP_T, COMPACT_CHECK, 1000, -1,
	  "kkkkkkkkk too_few_turns" },
	{ "C3 a synthetic message opens no turn", "u a u a U a u a u a u*4000", KEEP_T,
	  COMPACT_CHECK, 1000, -1, "sskkkkkkkkk over_threshold" },
	{ "C3 keep_messages keeps the last 10", "u*4000 11#a", KEEP_M, COMPACT_CHECK, 1000, -1,
	  "sskkkkkkkkkk over_threshold" },
	{ "C3 with 10 messages nothing is older", "u*4000 9#a", KEEP_M, COMPACT_CHECK, 1000, -1,
	  "kkkkkkkkkk too_few_messages" },
	{ "C3 the prompt is not one of the 10", "s u*4000 9#a", KEEP_M, COMPACT_CHECK, 1000, -1,
	  "kkkkkkkkkkk too_few_messages" },
	{ "C3 the prompt stays", "2#s u*4000 11#a", KEEP_M, COMPACT_CHECK, 1000, -1,
	  "kksskkkkkkkkkk over_threshold" },
	{ "C3 a later system message is history", "s u*4000 s 10#a", KEEP_M, COMPACT_CHECK, 1000,
	  -1, "ksskkkkkkkkkk over_threshold" },
	{ "C3 a system prompt alone", "6#s*4000", KEEP_T, COMPACT_CHECK, 1000, -1,
	  "kkkkkk too_few_turns" },
	{ "C3 the cut walks back to the caller", "u*4000 u a:1,2,3 t1 t2 t3 7#a", KEEP_M,
	  COMPACT_CHECK, 1000, -1, "sskkkkkkkkkkk over_threshold" },
	{ "C3 results may come in any order", "u*4000 u a:1,2,3 t3 t1 t2 7#a", KEEP_M,
	  COMPACT_CHECK, 1000, -1, "sskkkkkkkkkkk over_threshold" },
	{ "C3 a steering message does not split a pair", "u*4000 a:1 u t1 u u u", KEEP_T,
	  COMPACT_CHECK, 1000, -1, "skkkkkk over_threshold" },
	{ "C3 pairs may chain further back", "u*4000 u a:1 a:2 t1 t2 9#a", KEEP_M, COMPACT_CHECK,
	  1000, -1, "sskkkkkkkkkkkkk over_threshold" },
	{ "C3 a pair that spans everything leaves nothing", "a:1 u u u u u u*4000 t1", KEEP_T,
	  COMPACT_CHECK, 1000, -1, "kkkkkkkk too_few_turns" },
	{ "C3 an id used again belongs to its nearest caller", "u*4000 a:1 t1 u a:1 t1 9#a", KEEP_M,
	  COMPACT_CHECK, 1000, -1, "sssskkkkkkkkkkk over_threshold" },
	{ "C3 a result without an id belongs to the caller before it", "u*4000 u a:1 t t 9#a",
	  KEEP_M, COMPACT_CHECK, 1000, -1, "sskkkkkkkkkkkk over_threshold" },
	{ "C3 an orphan result does not come first", "u*4000 u t9 9#a", KEEP_M, COMPACT_CHECK, 1000,
	  -1, "skkkkkkkkkkk over_threshold" },
	{ "C3 orphans down to the start leave nothing", "3#t9*4000 9#a", KEEP_M, COMPACT_CHECK,
	  1000, -1, "kkkkkkkkkkkk too_few_messages" },
	{ "C5 the previous summary is folded in", "s P P u a u a u a u a u*4000", KEEP_T,
	  COMPACT_CHECK, 1000, -1, "ksssskkkkkkk over_threshold" },
	{ "C5 the previous summary alone is nothing new", "P P u a u a u a u*4000 a", KEEP_T,
	  COMPACT_CHECK, 1000, -1, "kkkkkkkkkk nothing_new" },
	{ "C5 what stands before a checkpoint is nothing new", "u a P P 9#a*4000", KEEP_M,
	  COMPACT_CHECK, 1000, -1, "kkkkkkkkkkkkk nothing_new" },
	{ "C3 aggressive ignores the share", "10#u", KEEP_T, COMPACT_AGGRESSIVE, 1000, -1,
	  "sssssskkkk aggressive" },
	{ "C3 aggressive keeps the recent part", "u a u a u a u a", KEEP_T, COMPACT_AGGRESSIVE,
	  1000, -1, "kkkkkkkk too_few_turns" },
	{ "C3 aggressive keeps the minimum", "5#u", KEEP_T, COMPACT_AGGRESSIVE, 1000, -1,
	  "kkkkk too_few_messages" },
	{ "C3 a person's request ignores the share", "10#u", KEEP_T, COMPACT_COMMAND, 1000, -1,
	  "sssssskkkk requested" },
	{ "C3 no messages", "", KEEP_M, COMPACT_AGGRESSIVE, 1, -1, " too_few_messages" },
};

static void
decide_row(void **state)
{
	const struct compact_row *row = *state;
	struct arena a;
	struct buf got;
	struct compact_plan plan;
	struct compact_facts f = { .window_tokens = row->window,
				   .reported_tokens = row->reported,
				   .profile = row->profile,
				   .cause = row->cause };

	arena_init(&a);
	buf_init(&got, 256);
	f.messages = transcript(row->line, &a, &f.count);
	plan = compact_policy_decide(&f);
	for (size_t i = 0; i < f.count; i++)
		buf_putc(&got, i >= plan.from && i < plan.to ? 's' : 'k');
	buf_printf(&got, " %s", compact_policy_reason_name(plan.reason));
	check_str(row->name, buf_str(&got), str_of(row->want));
	assert_int_equal(plan.needed, plan.from < plan.to);
	buf_release(&got);
	arena_release(&a);
}

static const struct breaker_row {
	const char *name;
	enum compact_cause cause;
	unsigned failures;
	int64_t elapsed_ms;
	enum compact_reason want;
} BREAKER[] = {
	{ "C6 two failures do not open the breaker", COMPACT_CHECK, 2, 0, COMPACT_OVER_THRESHOLD },
	{ "C6 the third waits 60 s", COMPACT_CHECK, 3, 59999, COMPACT_COOLING_DOWN },
	{ "C6 and not longer", COMPACT_CHECK, 3, 60000, COMPACT_OVER_THRESHOLD },
	{ "C6 the fourth waits 300 s", COMPACT_CHECK, 4, 299999, COMPACT_COOLING_DOWN },
	{ "C6 and then tries", COMPACT_CHECK, 4, 300000, COMPACT_OVER_THRESHOLD },
	{ "C6 the fifth waits 900 s", COMPACT_CHECK, 5, 899999, COMPACT_COOLING_DOWN },
	{ "C6 any later one 900 s", COMPACT_CHECK, 4000000000u, 899999, COMPACT_COOLING_DOWN },
	{ "C6 and never longer", COMPACT_CHECK, 4000000000u, 900000, COMPACT_OVER_THRESHOLD },
	{ "C6 the breaker holds for aggressive", COMPACT_AGGRESSIVE, 3, 0, COMPACT_COOLING_DOWN },
	{ "C6 aggressive goes on after it", COMPACT_AGGRESSIVE, 3, 60000, COMPACT_OVERFLOW },
	{ "C6 a person may try in spite of it", COMPACT_COMMAND, 3, 0, COMPACT_REQUESTED },
	{ "C6 a clock moved back does not hold it open", COMPACT_CHECK, 3, -1,
	  COMPACT_OVER_THRESHOLD },
};

static void
breaker_row(void **state)
{
	const struct breaker_row *row = *state;
	struct arena a;
	struct compact_facts f = { .window_tokens = 1,
				   .reported_tokens = -1,
				   .profile = KEEP_T,
				   .cause = row->cause,
				   .breaker = { row->failures, 1000000 },
				   .now_ms = 1000000 + row->elapsed_ms };

	arena_init(&a);
	f.messages = transcript("10#u", &a, &f.count);
	assert_int_equal(compact_policy_decide(&f).reason, row->want);
	arena_release(&a);
}

static const struct judge_row {
	const char *name;
	const char *summary;
	int64_t pair, replaced;
	enum compact_verdict want;
} JUDGE[] = {
	{ "C6 a smaller summary is taken", "Goal: x", 99, 100, COMPACT_ACCEPT },
	{ "C6 one that does not shrink is refused", "Goal: x", 100, 100, COMPACT_NOT_SMALLER },
	{ "C6 a blank one is refused", " \n", 0, 100, COMPACT_EMPTY },
};

static void
judge_row(void **state)
{
	const struct judge_row *row = *state;

	assert_int_equal(compact_policy_judge(str_of(row->summary), row->pair, row->replaced),
			 row->want);
}

static void
C5_limits_per_profile(void **state)
{
	struct compact_limits messages = compact_policy_limits(KEEP_M);
	struct compact_limits turns = compact_policy_limits(KEEP_T);

	(void)state;
	assert_int_equal(messages.words, 500);
	assert_int_equal(messages.max_tokens, 1024);
	assert_int_equal(messages.temperature_milli, 300);
	assert_int_equal(turns.words, 500);
	assert_int_equal(turns.max_tokens, 4096);
	assert_int_equal(turns.temperature_milli, 300);
}

static void
C5_prompt_names_size_and_focus(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	compact_policy_prompt(&out, KEEP_T, STR(" \n"));
	assert_true(str_contains(buf_str(&out), STR("about 500 words")));
	assert_true(str_contains(buf_str(&out), STR("earlier summary")));
	assert_false(str_contains(buf_str(&out), STR("most room")));
	buf_clear(&out);
	compact_policy_prompt(&out, KEEP_T, STR(" the schema\n"));
	assert_true(str_ends(buf_str(&out), STR("Give most room to: the schema\n")));
	buf_release(&out);
	assert_int_equal(COMPACT_BOUNDARY.len, strlen(COMPACT_BOUNDARY.ptr));
}

/* Everything a plan must hold, whatever the transcript. */
static void
check_plan(const struct compact_facts *f, const struct compact_plan *plan, uint64_t seed)
{
	size_t kept = f->count - plan->to, turns = 0, fresh = 0;
	bool split = false;

	for (size_t i = 0; i < f->count; i++) {
		const struct message *m = &f->messages[i];
		bool gone = i >= plan->from && i < plan->to;

		turns += i >= plan->to && message_opens_turn(m);
		fresh += gone && !m->summary;
		split |= m->role == MESSAGE_TOOL && m->owner != MESSAGE_NO_OWNER && !gone &&
			 m->owner >= plan->from && m->owner < plan->to;
		split |= i >= plan->to && m->summary && plan->needed;
		split |= i < plan->from && m->role != MESSAGE_SYSTEM;
	}
	if (split || (plan->needed && fresh == 0) ||
	    (plan->needed && f->profile == KEEP_M && kept < 10) ||
	    (plan->needed && f->profile == KEEP_T && turns < 4) ||
	    (plan->needed && f->messages[plan->to].role == MESSAGE_TOOL))
		fail_msg("seed %llu", (unsigned long long)seed);
}

static void
C3_property_the_cut_splits_no_pair_and_keeps_the_recent_part(void **state)
{
	size_t needed = 0;

	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(2000); seed++) {
		struct arena a;
		struct rand r;
		struct compact_facts f = { .reported_tokens = -1 };
		struct compact_plan plan;

		arena_init(&a);
		rand_init_seed(&r, seed);
		f.messages = transcript_random(&r, &a, &f.count);
		f.window_tokens = 1 + (int64_t)rand_below(&r, 100000);
		f.profile = rand_below(&r, 2) ? KEEP_M : KEEP_T;
		f.cause = rand_below(&r, 2) ? COMPACT_CHECK : COMPACT_AGGRESSIVE;
		plan = compact_policy_decide(&f);
		check_plan(&f, &plan, seed);
		needed += plan.needed;
		arena_release(&a);
	}
	assert_true(needed > 0);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, decide_row);
	SUITE_ROWS(&s, BREAKER, breaker_row);
	SUITE_ROWS(&s, JUDGE, judge_row);
	SUITE_TEST(&s, C5_limits_per_profile);
	SUITE_TEST(&s, C5_prompt_names_size_and_focus);
	SUITE_TEST(&s, C3_property_the_cut_splits_no_pair_and_keeps_the_recent_part);
	return suite_run(&s, "core/compact_policy");
}
