#include "base/rand.h"
#include "core/loop_guard.h"
#include "harness.h"

/* calls: one letter per call, a blank ends a step. want: one of . W E per step. */
static const struct row {
	const char *name, *calls, *want;
} ROWS[] = {
	{ "T5 one call is no loop", "a", "." },
	{ "T5 two identical calls are no loop", "a a", ".." },
	{ "T5 the third identical call warns", "a a a", "..W" },
	{ "T5 again ends the turn", "a a a a", "..WE" },
	{ "T5 a different call in between starts over", "a a b a a", "....." },
	{ "T5 alternating calls are no loop", "a b a b a b", "......" },
	{ "T5 parallel calls in one step count", "aaa", "W" },
	{ "T5 parallel and earlier calls count together", "a aa", ".W" },
	{ "T5 one step warns once, however many calls", "aaaaaaa", "W" },
	{ "T5 a loop inside a step is seen behind a different call", "aaab", "W" },
	{ "T5 parallel different calls are no loop", "abc abc abc", "..." },
	{ "T5 after the warning a change of mind goes on", "a a a b", "..W." },
	{ "T5 a second loop in the turn ends it", "a a a b b b", "..W..E" },
	{ "T5 the warning stays for the turn", "a a a b c d d d", "..W....E" },
	{ "T5 a step without calls decides nothing", "a a  a", "...W" },
	{ "T5 three parallel, then once more", "aaa a", "WE" },
};

static struct sha256
digest_of(char c)
{
	return sha256_of((struct str){ &c, 1 });
}

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct loop_guard g;
	char got[32] = "";
	size_t steps = 0;

	loop_guard_init(&g);
	for (const char *c = r->calls;; c++) {
		if (*c == ' ' || *c == '\0')
			got[steps++] = ".WE"[loop_guard_step(&g)];
		if (*c == '\0')
			break;
		if (*c != ' ') {
			struct sha256 d = digest_of(*c);

			loop_guard_call(&g, &d);
		}
	}
	check_str(r->name, str_of(got), str_of(r->want));
}

static void
T5_the_first_call_is_new_whatever_its_digest(void **state)
{
	struct sha256 zero = { 0 };
	struct loop_guard g;

	(void)state;
	loop_guard_init(&g);
	loop_guard_call(&g, &zero);
	loop_guard_call(&g, &zero);
	assert_int_equal(loop_guard_step(&g), LOOP_NONE);
	loop_guard_call(&g, &zero);
	assert_int_equal(loop_guard_step(&g), LOOP_WARN);
	assert_true(loop_guard_warning().len > 0);
}

/* Against a slow reading of the rule: does any window of three calls, ending in this step, agree? */
static void
T5_property_windows_of_three(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct rand r;
		struct loop_guard g;
		char calls[64];
		size_t count = 0;
		bool warned = false;

		rand_init_seed(&r, seed);
		loop_guard_init(&g);
		for (int step = 0; step < 8; step++) {
			bool hit = false;
			enum loop_verdict want;

			for (uint64_t n = rand_below(&r, 4); n > 0; n--) {
				struct sha256 d;

				calls[count] = (char)('a' + rand_below(&r, 2));
				d = digest_of(calls[count++]);
				loop_guard_call(&g, &d);
				hit |= count >= 3 && calls[count - 1] == calls[count - 2] &&
				       calls[count - 1] == calls[count - 3];
			}
			want = !hit ? LOOP_NONE : warned ? LOOP_END : LOOP_WARN;
			warned |= hit;
			if (loop_guard_step(&g) != want)
				fail_msg("seed %llu step %d", (unsigned long long)seed, step);
		}
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T5_the_first_call_is_new_whatever_its_digest);
	SUITE_TEST(&s, T5_property_windows_of_three);
	return suite_run(&s, "core/loop_guard");
}
