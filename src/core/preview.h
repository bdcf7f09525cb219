/* preview - a message on one line, for lists and titles. */
#pragma once
#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"

/* The first text of a message's content[] with every run of blanks and control characters as one
 * space, at most chars characters (4 or more), the last three of them dots when it was cut. Empty
 * when it has no text. Lives in a. */
struct str preview_line(struct json payload, size_t chars, struct arena *a);
