/* process_limit - what may this process take at most? */
#pragma once
#include <stdint.h>

enum { PROCESS_LIMIT_FILES = 4096 }; /* open at once */

/* what: RLIMIT_*. One that is lower already stays. */
void process_limit_lower(int what, int64_t value);
/* When memory runs out the kernel ends it, and what it starts, before whoever started it. Needs a
 * /proc that can be written. */
void process_limit_yield_memory(void);
