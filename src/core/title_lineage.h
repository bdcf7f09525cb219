/* title_lineage - which name is free for a session? One that is taken goes on as "name #2", "name #3".
 * Pure: the caller shows the titles that are in use; nothing is looked up. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { TITLE_CHARS_MAX = 100 };

/* One line of 1 to TITLE_CHARS_MAX characters, not blank. */
NODISCARD int title_lineage_check(struct str title, struct err *e);

struct title_lineage {
	struct str wanted;
	struct str base; /* without its number */
	bool taken;      /* the very name */
	int64_t last;    /* highest number in use of that base; 1: the base itself; 0: none */
};
struct title_lineage title_lineage_of(struct str wanted);
/* A title in use. */
void title_lineage_see(struct title_lineage *l, struct str title);
/* wanted if nobody has it, else the next of its line, cut so that it fits. Lives in a. */
struct str title_lineage_free(const struct title_lineage *l, struct arena *a);
/* The next of its line, whether or not wanted is free: for a session that goes on from another. */
struct str title_lineage_next(const struct title_lineage *l, struct arena *a);
