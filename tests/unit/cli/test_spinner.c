#include "cli/spinner.h"

#include "harness.h"

static const struct terminal SCREEN = { true, true, 80 }, PIPE = { false, false, 80 },
			     PLAIN = { true, false, 80 };

static void
test_waits_a_moment_then_turns(void **state)
{
	struct spinner s;
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	spinner_init(&s, &SCREEN);
	spinner_start(&s, "working", 1000);
	spinner_beat(&s, 1000 + SPINNER_DELAY_MS - 1, &out);
	assert_int_equal(out.len, 0);
	spinner_beat(&s, 1000 + SPINNER_DELAY_MS, &out);
	check_str("first", buf_str(&out), STR("\r\033[2m⠋ working\033[0m\033[K"));
	buf_clear(&out);
	spinner_beat(&s, 4000, &out);
	check_str("with its time", buf_str(&out), STR("\r\033[2m⠙ working 3 s\033[0m\033[K"));
	buf_clear(&out);
	spinner_stop(&s, &out);
	check_str("gone", buf_str(&out), STR("\r\033[K"));
	buf_clear(&out);
	spinner_stop(&s, &out);
	spinner_beat(&s, 9000, &out);
	assert_int_equal(out.len, 0);
	buf_release(&out);
}

static void
test_never_in_a_pipe(void **state)
{
	struct spinner s;
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	for (int i = 0; i < 2; i++) {
		spinner_init(&s, i == 0 ? &PIPE : &PLAIN);
		spinner_start(&s, "working", 0);
		spinner_beat(&s, 5000, &out);
		spinner_stop(&s, &out);
		assert_int_equal(out.len, 0);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, test_waits_a_moment_then_turns);
	SUITE_TEST(&s, test_never_in_a_pipe);
	return suite_run(&s, "spinner");
}
