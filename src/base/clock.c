#include "base/clock.h"

#include <time.h>

#ifdef PERDURE_TEST_HOOKS
static _Atomic int64_t test_now_ms = -1;

void
clock_test_set_ms(int64_t now_ms)
{
	test_now_ms = now_ms;
}
#endif

int64_t
clock_now_ms(void)
{
	struct timespec ts;

#ifdef PERDURE_TEST_HOOKS
	int64_t frozen = test_now_ms;
	if (frozen >= 0)
		return frozen;
#endif
	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t
clock_monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}
