/* beneath - files of the working directory, and no others.
 * Paths are resolved by the kernel below an open directory: neither `..`, links, absolute paths nor
 * /proc lead out of it (openat2). What lies below the server's own data is not there. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { BENEATH_NAME_BYTES = 256 };

struct beneath {
	int fd;            /* the working directory */
	struct str given;  /* as the caller calls it */
	struct str real;   /* without links */
	struct str hidden; /* without links; may be empty */
	struct arena *arena;
};

NODISCARD int beneath_init(struct beneath *b, struct str directory, struct str hidden,
			   struct arena *a, struct err *e);
void beneath_release(struct beneath *b);
/* An existing file or directory; path is relative, or absolute and below the directory. */
NODISCARD int
beneath_open(const struct beneath *b, struct str path, int flags, int *fd, struct err *e);
/* The directory a file is to be put into, and its name there. What path leads to through links is
 * what is meant; missing directories are made. */
NODISCARD int beneath_open_parent(const struct beneath *b, struct str path, int *fd,
				  char name[BENEATH_NAME_BYTES], struct err *e);
/* Where an open file is, from the working directory on; "." is that itself. False: outside. */
bool beneath_where(const struct beneath *b, int fd, struct str *out);
/* Is it the server's own? relative: without links. */
bool beneath_is_hidden(const struct beneath *b, struct str relative);
/* A sentence for errno of an operation on path. */
int beneath_fail(struct err *e, const char *what, struct str path, int number);
