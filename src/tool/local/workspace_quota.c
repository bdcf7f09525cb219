#include "tool/local/workspace_quota.h"

#include <stdio.h>
#include <time.h>

#include "base/err.h"

enum {
	STEP_ENTRIES = 1000, /* a few milliseconds */
	PAUSE_MS = 1000,     /* between two measurements, */
	PAUSE_TIMES = 20,    /* and so many times as long as one takes */
	KIB = 1024,
	MIB = 1024 * 1024,
};
/* What a call may add that began in a full folder: it can write only where there is a file already. */
static const int64_t SLACK_BYTES = 16 * MIB;

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
workspace_quota_init(struct workspace_quota *q, const char *directory, int64_t limit)
{
	*q = (struct workspace_quota){ .directory = limit > 0 ? directory : NULL,
				       .limit = limit,
				       .next_ms = INT64_MAX };
	if (q->directory)
		q->next_ms = now_ms() + PAUSE_MS;
}

void
workspace_quota_release(struct workspace_quota *q)
{
	if (q->walking)
		workspace_size_release(&q->walk);
	q->walking = false;
}

static void
take(struct workspace_quota *q, const struct workspace_size *s)
{
	q->used = s->bytes;
	snprintf(q->problem, sizeof q->problem, "%s", s->problem);
	q->full = q->used > q->limit || q->problem[0] != '\0';
}

void
workspace_quota_measure(struct workspace_quota *q, int64_t most_ms)
{
	int64_t until = now_ms() + most_ms;
	struct workspace_size s;

	if (!q->directory)
		return;
	workspace_size_init(&s, q->directory);
	while (!workspace_size_step(&s, STEP_ENTRIES) && now_ms() < until)
		;
	take(q, &s);
	workspace_size_release(&s);
}

bool
workspace_quota_look(struct workspace_quota *q, int64_t now)
{
	int64_t before = q->full ? q->used + SLACK_BYTES : 0;

	if (!q->directory || now < q->next_ms)
		return false;
	if (!q->walking) {
		workspace_size_init(&q->walk, q->directory);
		q->walking = true;
		q->walk_began_ms = now;
	}
	if (!workspace_size_step(&q->walk, STEP_ENTRIES))
		return false; /* again at once, after what else there is to do */
	if (before == 0) {
		take(q, &q->walk);
	} else if (q->walk.bytes > before) {
		take(q, &q->walk);
		before = 0;
	}
	workspace_quota_release(q);
	now = now_ms();
	q->next_ms = now + PAUSE_MS + PAUSE_TIMES * (now - q->walk_began_ms);
	return before == 0 && q->full;
}

static struct str
size_text(struct arena *a, int64_t bytes)
{
	if (bytes < MIB)
		return arena_printf(a, "%.1f KiB", (double)bytes / KIB);
	if (bytes < INT64_C(1024) * MIB)
		return arena_printf(a, "%.1f MiB", (double)bytes / MIB);
	return arena_printf(a, "%.1f GiB", (double)bytes / MIB / KIB);
}

struct str
workspace_quota_text(const struct workspace_quota *q, struct arena *a)
{
	struct str used = size_text(a, q->used), limit = size_text(a, q->limit);

	if (q->problem[0] != '\0')
		return arena_printf(
			a,
			"the workspace cannot be measured (%s), and until it can nothing "
			"is written: delete that with bash, or make it readable",
			q->problem);
	return arena_printf(a,
			    "the workspace holds " STR_FMT ", more than the " STR_FMT
			    " that a session may use (limits.workspace_bytes): delete files with "
			    "bash, which can do that but not write until there is room",
			    STR_ARG(used), STR_ARG(limit));
}
