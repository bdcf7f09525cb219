#include "tool/local/process_limit.h"

#include <sys/resource.h>

#include "harness.h"

static void
check_limit(rlim_t want)
{
	struct rlimit now;

	assert_int_equal(getrlimit(RLIMIT_CORE, &now), 0);
	assert_int_equal(now.rlim_cur, want);
	assert_int_equal(now.rlim_max, want);
}

static void
T12_a_limit_is_lowered_and_never_raised(void **state)
{
	(void)state;
	process_limit_lower(RLIMIT_CORE, 0); /* nobody has one that is lower */
	check_limit(0);
	process_limit_lower(RLIMIT_CORE, 4096);
	check_limit(0);
}

/* What may still be raised by the process itself is no limit. */
static void
T12_a_limit_cannot_be_raised_again(void **state)
{
	struct rlimit before, now;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	process_limit_lower(RLIMIT_NOFILE, (int64_t)before.rlim_cur - 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_int_equal(now.rlim_cur, before.rlim_cur - 1);
	assert_int_equal(now.rlim_max, before.rlim_cur - 1);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T12_a_limit_is_lowered_and_never_raised);
	SUITE_TEST(&s, T12_a_limit_cannot_be_raised_again);
	return suite_run(&s, "tool/local/process_limit");
}
