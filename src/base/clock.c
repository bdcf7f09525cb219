#include "base/clock.h"

#include <time.h>

#ifdef PERDURE_TEST_HOOKS
#include <stdlib.h>

#include "base/str.h"

static _Atomic int64_t test_now_ms = -1;
static _Atomic int64_t test_offset_ms = INT64_MIN; /* not read yet */

static int64_t
offset_ms(void)
{
	int64_t offset = test_offset_ms;

	if (offset != INT64_MIN)
		return offset;
	offset = 0;
	IGNORE(str_to_int(str_of(getenv("PERDURE_CLOCK_OFFSET_MS")), &offset)); /* or 0 */
	test_offset_ms = offset;
	return offset;
}

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
#ifdef PERDURE_TEST_HOOKS
	ts.tv_sec += offset_ms() / 1000;
#endif
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t
clock_monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}
