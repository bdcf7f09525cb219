#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "harness.h"

static void
arm(const char *points)
{
	setenv("PERDURE_FAILPOINTS", points, 1);
	failpoint_test_reload();
}

static void
an_unarmed_point_is_silent(void **state)
{
	(void)state;
	arm("");
	assert_int_equal(FAILPOINT("commit"), 0);
}

static void
a_point_fails_once_at_its_passing(void **state)
{
	(void)state;
	arm("other=1:fail,commit=3:fail");
	assert_int_equal(FAILPOINT("commit"), 0);
	assert_int_equal(FAILPOINT("commit"), 0);
	assert_int_equal(FAILPOINT("commit"), 1);
	assert_int_equal(FAILPOINT("commit"), 0);
	assert_int_equal(FAILPOINT("other"), 1);
	assert_int_equal(FAILPOINT("other"), 0);
}

static void
nonsense_arms_nothing(void **state)
{
	(void)state;
	arm("commit,commit=,commit=x:fail,commit=0:fail,commit=-1:fail,=1:fail");
	for (int i = 0; i < 5; i++)
		assert_int_equal(FAILPOINT("commit"), 0);
}

static void
a_crash_is_a_kill(void **state)
{
	int status;
	pid_t child;

	(void)state;
	arm("commit=2:crash");
	child = fork();
	if (child == 0) {
		if (FAILPOINT("commit") == 0)
			IGNORE(FAILPOINT("commit")); /* does not return */
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, an_unarmed_point_is_silent);
	SUITE_TEST(&s, a_point_fails_once_at_its_passing);
	SUITE_TEST(&s, nonsense_arms_nothing);
	SUITE_TEST(&s, a_crash_is_a_kill);
	return suite_run(&s, "failpoint");
}
