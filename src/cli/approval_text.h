/* approval_text - what is somebody asked to allow? A tool call with all of its input.
 *
 * Whoever wrote the call may want it to look like another one. So nothing is cut to a width, no member
 * is left out, and what cannot be seen is made visible: control characters and direction marks by a
 * sign, a line end by a new line that begins with a bar, which no text can forge: a line that was only
 * wrapped begins with blanks instead, as many as stand before the text behind a bar. Of a value that is
 * too long for any reader the middle is left out, and its size is said. */
#pragma once
#include "base/buf.h"
#include "base/json.h"

enum { APPROVAL_TEXT_VALUE_MAX = 4096 }; /* bytes of one value that are shown */

/* "bash: git status", or the tool's name and a line for each member of its input. event: a tool_use of
 * any kind. Lives in a; without an end of line at its end. */
struct str approval_text(struct json event, struct arena *a);

/* Where it is shown, in columns. */
struct approval_text_frame {
	size_t columns; /* SIZE_MAX: no line is wrapped */
	size_t first;   /* those before its first line, which are there already */
	size_t indent;  /* blanks before each line behind it */
};
/* Such a text, wrapped by us: a terminal would let a line that is too long begin at the left again, like
 * one that we wrote. */
void approval_text_wrap(struct buf *out, struct str text, const struct approval_text_frame *f);
