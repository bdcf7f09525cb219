/* walk - every file below a directory, in the order of their names, without following links.
 * Bounded in depth and in how much it looks at. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "tool/local/beneath.h"

enum { WALK_DEPTH_MAX = 64, WALK_ENTRIES_MAX = 200000 };

struct walk {
	const struct beneath *beneath;
	bool hidden_too; /* folders whose name begins with a dot are gone into as well */
	/* A file, or a link: path from the start, parent is open. False: enough. */
	bool (*on_file)(void *ctx, int parent, const char *name, struct str path);
	void *ctx;
	size_t entries; /* looked at so far */
	bool cut;       /* a bound was met */
};

/* Takes over fd, an open directory; prefix is where that is from the start ("" itself). */
void walk_run(struct walk *w, int fd, struct str prefix);
