#include "base/failpoint.h"

#ifdef PERDURE_TEST_HOOKS
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"

enum { POINTS_MAX = 32 };

static struct point {
	struct str name;
	int64_t left; /* passings before it fires */
	bool crash;
} points[POINTS_MAX];
static size_t point_count;
static bool loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* "name=N:crash" or "name=N:fail"; anything else is ignored, the test that armed it will notice. */
static void
arm(struct str spec)
{
	struct str name, rest, count, action;
	struct point p;

	if (!str_cut(spec, '=', &name, &rest) || !str_cut(rest, ':', &count, &action))
		return;
	p = (struct point){ .name = name, .crash = str_eq(action, STR("crash")) };
	if (str_to_int(count, &p.left) && p.left > 0 && point_count < POINTS_MAX)
		points[point_count++] = p;
}

static void
load(void)
{
	struct str rest = str_of(getenv("PERDURE_FAILPOINTS")), spec;

	loaded = true;
	point_count = 0;
	while (rest.len > 0) {
		str_cut(rest, ',', &spec, &rest);
		arm(spec);
	}
}

void
failpoint_test_reload(void)
{
	pthread_mutex_lock(&lock);
	load();
	pthread_mutex_unlock(&lock);
}

int
failpoint_hit(const char *name)
{
	int fire = 0;

	pthread_mutex_lock(&lock);
	if (!loaded)
		load();
	for (size_t i = 0; i < point_count; i++) {
		struct point *p = &points[i];
		if (!str_eq(p->name, str_of(name)) || p->left <= 0 || --p->left > 0)
			continue;
		if (p->crash)
			kill(getpid(), SIGKILL);
		fire = 1;
	}
	pthread_mutex_unlock(&lock);
	return fire;
}
#else
typedef int failpoint_none; /* an empty file is not C */
#endif
