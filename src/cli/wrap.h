/* wrap - text that arrives a character at a time, broken into lines at blanks.
 * Only ever appends, so it can be shown while it grows: a word is held back until its end is known,
 * everything before it is out. Line ends are held back as well: what ends in blank lines ends in one. */
#pragma once
#include <stdint.h>
#include "base/buf.h"

enum { WRAP_WORD_MAX = 64 * 1024 };

struct wrap {
	size_t columns;
	size_t column;   /* where the cursor is, without the word that is held back */
	size_t hang;     /* continued lines begin here */
	size_t blanks;   /* before the held word */
	size_t newlines; /* before it */
	struct buf word;
	size_t word_width;
	bool began; /* something was written */
};

void wrap_init(struct wrap *w, size_t columns);
void wrap_release(struct wrap *w);
/* Lines that continue what comes now begin at this column. */
void wrap_hang(struct wrap *w, size_t column);
/* A blank or a visible character; control characters are dropped. */
void wrap_char(struct wrap *w, uint32_t code_point, struct buf *out);
/* As it is, also blanks, and never broken: code. */
void wrap_fixed(struct wrap *w, uint32_t code_point, struct buf *out);
/* An escape sequence: takes no column. Stands before what follows it. */
void wrap_escape(struct wrap *w, const char *sequence);
/* The held word goes out. */
void wrap_flush(struct wrap *w, struct buf *out);
void wrap_line_end(struct wrap *w, struct buf *out);
/* The text is over: the cursor is at the start of a line. */
void wrap_end(struct wrap *w, struct buf *out);
