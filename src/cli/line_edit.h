/* line_edit - a line that a person types at a terminal, with editing and a history. The only file that
 * knows libedit. */
#pragma once
#include "base/buf.h"

struct line_edit;

enum line_edit_result {
	LINE_EDIT_LINE,
	LINE_EDIT_INTERRUPTED, /* Ctrl-C: what was typed is gone */
	LINE_EDIT_END          /* Ctrl-D, or the terminal is gone */
};

/* history_file: read now, written with each line that is remembered; NULL: none is kept. */
struct line_edit *line_edit_new(const char *history_file);
void line_edit_free(struct line_edit **l);
/* The line without its end into *out, which is emptied first. */
enum line_edit_result line_edit_read(struct line_edit *l, const char *prompt, struct buf *out);
/* What was typed so far is not read: it was meant for something else than what comes now. */
void line_edit_drop_input(struct line_edit *l);
void line_edit_remember(struct line_edit *l, struct str line);
