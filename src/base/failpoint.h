/* failpoint - named places where a test build can stop the process or fail a step.
 * A release build has no trace of them: FAILPOINT() is 0 there. */
#pragma once

#ifdef PERDURE_TEST_HOOKS
/* Non-zero when the named point is armed and due. PERDURE_FAILPOINTS="name=N:crash,other=N:fail"
 * arms a point for its Nth passing: crash ends the process at once (as kill -9 would), fail makes
 * this return 1 that one time. */
int failpoint_hit(const char *name);
/* Re-reads the environment; for tests that arm points themselves. */
void failpoint_test_reload(void);
#define FAILPOINT(name) failpoint_hit(name)
#else
#define FAILPOINT(name) 0
#endif
