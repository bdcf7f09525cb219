#include "base/clock.h"

#include <time.h>

#ifdef PERDURE_TEST_HOOKS
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"

static _Atomic int64_t test_now_ms = -1;
static pthread_once_t test_once = PTHREAD_ONCE_INIT;
static int64_t test_offset_ms;
static const struct moved {
	_Atomic int64_t clock_ms, timers_ms;
} * test_moved; /* the file's; null: none */

static void
read_environment(void)
{
	const char *path = getenv("PERDURE_CLOCK_FILE");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	IGNORE(str_to_int(str_of(getenv("PERDURE_CLOCK_OFFSET_MS")), &test_offset_ms)); /* or 0 */
	if (fd < 0)
		return;
	test_moved = mmap(NULL, sizeof *test_moved, PROT_READ, MAP_SHARED, fd, 0);
	if (test_moved == MAP_FAILED)
		test_moved = NULL;
	close(fd);
}

static int64_t
offset_ms(void)
{
	pthread_once(&test_once, read_environment);
	return test_offset_ms + (test_moved ? test_moved->clock_ms : 0);
}

int64_t
clock_test_passed_ms(void)
{
	pthread_once(&test_once, read_environment);
	return test_moved ? test_moved->timers_ms : -1;
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
