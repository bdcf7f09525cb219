#include "tool/local/descendants.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attr.h"
#include "harness.h"

/* A child, its child and a daemon of theirs; returns when all are there. */
static void
start_family(void)
{
	int ready[2];
	char bytes[3];

	assert_int_equal(pipe(ready), 0);
	if (fork() == 0) {
		if (fork() == 0) {
			setsid();
			if (fork() == 0)
				setsid();
			signal(SIGTERM, SIG_IGN);
		}
		IGNORE(write(ready[1], "x", 1));
		for (;;)
			pause();
	}
	for (size_t got = 0; got < sizeof bytes;)
		got += (size_t)read(ready[0], bytes, sizeof bytes - got);
	close(ready[0]);
	close(ready[1]);
}

static void
T12_all_are_counted_and_ended(void **state)
{
	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(descendants_count(100), 0);
	start_family();
	assert_int_equal(descendants_count(100), 3);
	assert_true(descendants_count(1) > 1);
	descendants_end(5000);
	assert_int_equal(descendants_count(100), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void
T12_signals_reach_a_generation_and_those_below(void **state)
{
	int status;

	(void)state;
	start_family();
	descendants_signal(SIGTERM, 2); /* they are deaf */
	assert_int_equal(descendants_count(100), 3);
	descendants_signal(SIGKILL, 2);
	/* The daemon is ours since its parent is gone; the other's corpse stays with the first. */
	assert_true(waitpid(-1, &status, 0) > 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_not_equal(descendants_count(100), 0);
	descendants_end(5000);
	assert_int_equal(descendants_count(100), 0);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T12_all_are_counted_and_ended);
	SUITE_TEST(&s, T12_signals_reach_a_generation_and_those_below);
	return suite_run(&s, "tool/local/descendants");
}
