/* lock - one process at a time owns a data directory.
 * The lock is on a file of its own beside the database, never on the database: closing any handle on
 * that would drop SQLite's locks. It dies with the process, however that ends, and with children that it
 * had just forked; the pid in the file says for whom it is refused, and when it is only such a child. */
#pragma once
#include <stdint.h>
#include "base/err.h"

struct lock {
	int fd; /* -1: not held */
};

/* ERR_CONFLICT "... is held by pid N" when another process, or this one a second time, has it. When that
 * process is dead it waits, up to 3 seconds, for what it left. The directory must exist. */
NODISCARD int lock_take(struct lock *l, const char *directory, struct err *e);
void lock_release(struct lock *l);

/* Who holds the directory now, without taking it: *pid is 0 when nobody does, -1 when somebody does who
 * left no pid. Looking takes the lock for an instant, shared with others who look. */
NODISCARD int lock_holder(const char *directory, int64_t *pid, struct err *e);
