#include "base/clock.h"
#include "harness.h"

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
	struct suite s = { 0 };

	SUITE_TEST(&s, it_can_be_set_and_given_back);
	SUITE_TEST(&s, monotonic_time_never_goes_back);
	return suite_run(&s, "clock");
}
