/* mirror_bundle - the mirror of a session as the bundle that restores it.
 *
 * What the lines add up to decides, not what session.json says of them: it may be older. A last line
 * that was cut short is left out, any other that cannot be read is an error. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* Appends the path of every folder below path that holds a session's mirror, in order: path itself, or
 * all of a data directory. Lives in a. */
NODISCARD int
mirror_bundle_find(struct str path, struct arena *a, struct str_list *out, struct err *e);
/* Writes the bundle of one such folder. */
NODISCARD int mirror_bundle_write(struct str folder, int to_fd, struct arena *a, struct err *e);
