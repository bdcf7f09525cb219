/* workspace_quota - may a call add to what its session's own folder holds?
 *
 * No kernel keeps this bound for us: the folder is measured before a call that may write, from time to
 * time while it runs, and at its end. In between it can be passed by what is written in that time. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/str.h"
#include "tool/local/workspace_size.h"

struct workspace_quota {
	const char *directory; /* NULL: nothing is measured */
	int64_t limit;         /* bytes; above it the folder is full */
	int64_t used;          /* when it was measured last */
	bool full;
	char problem[256]; /* why it cannot be measured; it counts as full then */
	struct workspace_size walk;
	bool walking;
	int64_t walk_began_ms, next_ms;
};

/* limit 0: there is none. */
void workspace_quota_init(struct workspace_quota *q, const char *directory, int64_t limit);
void workspace_quota_release(struct workspace_quota *q);
/* Measures it now, for at most so long: what was not reached by then is not counted. */
void workspace_quota_measure(struct workspace_quota *q, int64_t most_ms);
/* The next part of a measurement in passing, if it is time; then asked again at next_ms. True: the
 * folder is fuller than it may be. */
bool workspace_quota_look(struct workspace_quota *q, int64_t now_ms);
/* How full it is and what to do, for the model. */
struct str workspace_quota_text(const struct workspace_quota *q, struct arena *a);
