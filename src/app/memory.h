/* memory - what was needed once goes back to the system: large blocks when they are freed, the rest
 * when a look at the process finds much that is resident and not in use. See docs/decisions/0036. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum {
	MEMORY_LARGE_BYTES = 256 * 1024,      /* from here on a block is mapped for itself */
	MEMORY_WASTE_BYTES = 6 * 1024 * 1024, /* resident beyond use: worth giving back */
};

/* Before the first thread. */
void memory_init(void);

struct memory {
	size_t kept_bytes; /* of waste after the last time: what cannot be given back */
};
/* Pure: is there enough to give back? waste: resident less in use. */
bool memory_is_wasted(const struct memory *m, size_t waste_bytes);
/* Now and then, when nothing is under way; takes some milliseconds if there is much. m is zeroed before the
 * first time. */
void memory_give_back(struct memory *m);
