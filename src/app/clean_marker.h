/* clean_marker - did the last process end in good order? `.clean_shutdown` in the data directory says so:
 * left by a server that has drained fully, taken away by the next start. Only for whoever holds the
 * directory's lock. */
#pragma once
#include <stdbool.h>
#include "base/err.h"

/* Takes it away for good; *was_there: the last end was clean. */
NODISCARD int clean_marker_take(const char *directory, bool *was_there, struct err *e);
/* It is on the disk when this returns 0. */
NODISCARD int clean_marker_leave(const char *directory, struct err *e);
