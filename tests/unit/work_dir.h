/* work_dir - a directory of its own for a test of tools, with files put into it by a script. */
#pragma once
#include "base/arena.h"
#include "base/str.h"

struct work_dir {
	char path[64];
};

void work_dir_init(struct work_dir *d);
/* With everything in it. */
void work_dir_release(struct work_dir *d);
/* Relative paths; missing folders are made. A text that begins with '>' makes a link to the rest. */
void work_dir_put(const struct work_dir *d, const char *path, const char *text);
/* text with the directory's path in place of each DIR. */
struct str work_dir_text(const struct work_dir *d, const char *text, struct arena *a);
/* Fails when the file has another content; NULL: when it is there. */
void work_dir_check(const struct work_dir *d, const char *path, const char *want);
