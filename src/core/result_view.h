/* result_view - a tool's result as it is shown: whole, or its head and tail with a note of what is
 * left out. The log keeps all of it. */
#pragma once
#include "base/arena.h"
#include "base/str.h"

enum { RESULT_VIEW_BYTES_MAX = 32 * 1024 };

/* At most RESULT_VIEW_BYTES_MAX; a character is never cut. text itself when it is short enough, else
 * in a. */
struct str result_view(struct str text, struct arena *a);
