/* cgroup - a kernel group that bounds how many processes a call has, where one can be made.
 * Below the group that the server itself is in, and only there: a service manager owns the rest. In
 * version 2 the memory of all of them together is bounded too. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/str.h"

struct cgroup {
	const char *path; /* NULL: there is none */
};

/* Where groups can be made, as /proc/self/cgroup tells; NULL: nowhere. root is where they are
 * mounted. *v2 says which kind. */
const char *cgroup_parent(struct arena *a, struct str self, const char *root, bool *v2);
/* Makes one; false where that cannot be done. */
bool cgroup_make(struct cgroup *g, struct arena *a, int64_t processes, int64_t memory_bytes);
/* The calling process joins; false: it did not. */
bool cgroup_join(const struct cgroup *g);
/* When everyone in it is gone. */
void cgroup_remove(struct cgroup *g);
