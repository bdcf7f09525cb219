#include "api/login_log.h"

#include "harness.h"

static void
P3_the_first_of_a_minute_are_logged_and_the_rest_counted(void **state)
{
	struct login_log l = { 0 };
	unsigned unlogged = 9, lines = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		lines += login_log_admit(&l, STR("192.0.2.1"), 1000 + i, &unlogged);
	assert_int_equal(lines, LOGIN_LOG_LINES);
	assert_int_equal(unlogged, 0);
	assert_false(login_log_admit(&l, STR("192.0.2.1"), 999 + LOGIN_LOG_WINDOW_MS, &unlogged));
	assert_true(login_log_admit(&l, STR("192.0.2.1"), 1000 + LOGIN_LOG_WINDOW_MS, &unlogged));
	assert_int_equal(unlogged, 101 - LOGIN_LOG_LINES);
	assert_true(login_log_admit(&l, STR("192.0.2.1"), 10, &unlogged)); /* the clock was set */
	assert_int_equal(unlogged, 0);
}

static void
P3_many_addresses_have_no_more_lines_than_slots_allow(void **state)
{
	struct login_log l = { 0 };
	unsigned unlogged, lines = 0;
	char address[32];

	(void)state;
	for (int i = 0; i < 10000; i++) {
		snprintf(address, sizeof address, "2001:db8::%x", (unsigned)i);
		lines += login_log_admit(&l, str_of(address), 5000, &unlogged);
	}
	assert_true(lines <= LOGIN_LOG_SLOTS * LOGIN_LOG_LINES);
	assert_true(lines > LOGIN_LOG_SLOTS / 2); /* one does not hide all others */
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, P3_the_first_of_a_minute_are_logged_and_the_rest_counted);
	SUITE_TEST(&s, P3_many_addresses_have_no_more_lines_than_slots_allow);
	return suite_run(&s, "api/login_log");
}
