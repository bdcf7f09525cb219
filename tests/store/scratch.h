/* scratch - a directory of this test's own that goes when the test does. */
#pragma once

enum { SCRATCH_PATH_MAX = 512 };

struct scratch {
	char path[SCRATCH_PATH_MAX - 64];
};

/* Below TMPDIR, or /tmp. */
void scratch_init(struct scratch *s, const char *name);
/* In memory where the machine has such a place: for tests that model the disk themselves. */
void scratch_init_memory(struct scratch *s, const char *name);
/* Empties it; folders in it go with what they hold. */
void scratch_clear(const struct scratch *s);
void scratch_release(struct scratch *s);
