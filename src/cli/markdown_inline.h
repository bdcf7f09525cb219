/* markdown_inline - what within a line is emphasised or code? */
#pragma once
#include "cli/markdown.h"

enum {
	MARKDOWN_BOLD = 1,
	MARKDOWN_ITALIC = 2,
	MARKDOWN_CODE = 4,
	MARKDOWN_UNDERLINE = 8,
	MARKDOWN_DIM = 16
};

void markdown_inline_style(struct markdown *m, unsigned styles);
/* Shows what is decided of m->held and takes it out; whole: the line is over, all of it is. */
void markdown_inline_drain(struct markdown *m, bool whole, struct buf *out);
