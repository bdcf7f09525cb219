/* memory_kill - did the kernel end processes because memory ran out?
 * Counters that it keeps: of one group of version 2, which is certain, and of the whole machine (in a
 * container: of that), which says only that it happened somewhere meanwhile. */
#pragma once
#include <stdint.h>
#include "base/str.h"

/* The number behind "oom_kill" in lines of names and numbers; -1: it is not there. */
int64_t memory_kill_parse(struct str counters);
/* Since the machine started; -1: it does not say. */
int64_t memory_kill_machine(void);
/* In the group at path; -1: it does not say, or path is NULL. */
int64_t memory_kill_group(const char *path);
