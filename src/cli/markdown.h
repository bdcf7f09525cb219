/* markdown - an agent's answer for a terminal, while it is being written.
 * Headings, emphasis, code and lists get a form, long lines are wrapped; everything else stays as it
 * is, and nothing but the marks of what was formatted is left out. However the text is cut into
 * pieces, the same bytes come out. Without colour the text passes unchanged: to a terminal without
 * control characters, to a pipe byte for byte. */
#pragma once
#include "cli/terminal.h"
#include "cli/wrap.h"

struct markdown {
	struct terminal term;
	struct wrap wrap;
	struct buf lead; /* the beginning of a line whose kind is not decided */
	struct buf held; /* of a line, from a mark on whose partner has not come */
	char torn[4];    /* the beginning of a character */
	size_t torn_len;
	bool in_line; /* the line's kind is decided */
	bool fixed;   /* the line is shown as it is */
	char fence;   /* the mark of the fence that is open, else 0 */
	size_t fence_len;
	unsigned styles, base_styles; /* in force; of the line */
	uint32_t before;              /* the character before held */
	bool open_line;               /* what was fed does not end in a line end */
};

void markdown_init(struct markdown *m, const struct terminal *term);
void markdown_release(struct markdown *m);
/* What can be shown of it is appended to out. */
void markdown_feed(struct markdown *m, struct str text, struct buf *out);
/* Nothing came for a moment: the word that is being written is shown as far as it goes. What follows
 * is set as if it were another one. */
void markdown_pause(struct markdown *m, struct buf *out);
/* The answer is over: the rest, and the cursor at the start of a line. Ready for the next one. */
void markdown_end(struct markdown *m, struct buf *out);
