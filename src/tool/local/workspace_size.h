/* workspace_size - how much does a folder hold? Counted in steps, so that whoever counts can do something
 * else in between.
 *
 * What it takes of the disk, a file or folder at least 4 KiB; a file of several names is shared among
 * them. Links are not followed and other file systems not entered. A folder that cannot be looked into
 * makes the whole not measurable. */
#pragma once
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/vec.h"

struct workspace_size {
	int fd;
	VEC(char *) folders; /* to be looked into: paths from fd on */
	DIR *dir;            /* the one that is being read */
	char *path;          /* its path; empty: fd itself */
	int64_t bytes;       /* so far */
	char problem[256];   /* it cannot be measured, and why; else empty */
};

/* Where directory cannot be opened that is the problem. */
void workspace_size_init(struct workspace_size *s, const char *directory);
void workspace_size_release(struct workspace_size *s);
/* Looks at so many entries; true: that was all, or it cannot be measured. */
bool workspace_size_step(struct workspace_size *s, unsigned entries);
