#include "base/clock.h"

#include <stdlib.h>
#include <unistd.h>

#include "harness.h"

static int moved_fd;

static void
move(int64_t clock_ms, int64_t timers_ms)
{
	const int64_t moved[] = { clock_ms, timers_ms };

	assert_int_equal(pwrite(moved_fd, moved, sizeof moved, 0), sizeof moved);
}

static void
a_file_moves_it_while_it_runs(void **state)
{
	const int64_t day_ms = INT64_C(24) * 3600 * 1000;
	int64_t before = clock_now_ms();

	(void)state;
	assert_int_equal(clock_test_passed_ms(), 0);
	move(day_ms, 5000);
	assert_true(clock_now_ms() - before >= day_ms);
	assert_int_equal(clock_test_passed_ms(), 5000);
	move(-day_ms, 5000);
	assert_true(clock_now_ms() < before);
	move(0, 0);
}

static void
it_can_be_set_and_given_back(void **state)
{
	int64_t before = clock_now_ms();

	(void)state;
	assert_true(before > INT64_C(1700000000000));
	clock_test_set_ms(1000);
	assert_int_equal(clock_now_ms(), 1000);
	assert_int_equal(clock_now_ms(), 1000);
	clock_test_set_ms(0);
	assert_int_equal(clock_now_ms(), 0);
	clock_test_set_ms(-1);
	assert_true(clock_now_ms() >= before);
}

static void
monotonic_time_never_goes_back(void **state)
{
	int64_t last = clock_monotonic_ns();

	(void)state;
	clock_test_set_ms(0); /* it does not care */
	for (int i = 0; i < 1000; i++) {
		int64_t now = clock_monotonic_ns();
		assert_true(now >= last);
		last = now;
	}
	clock_test_set_ms(-1);
}

int
main(void)
{
	char path[] = "/tmp/perdure_test_clock_XXXXXX";
	struct suite s = { 0 };

	moved_fd = mkstemp(path);
	move(0, 0);
	setenv("PERDURE_CLOCK_FILE", path, 1);
	clock_now_ms(); /* reads it */
	unlink(path);
	SUITE_TEST(&s, a_file_moves_it_while_it_runs);
	SUITE_TEST(&s, it_can_be_set_and_given_back);
	SUITE_TEST(&s, monotonic_time_never_goes_back);
	return suite_run(&s, "clock");
}
