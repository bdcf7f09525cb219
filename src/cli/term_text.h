/* term_text - how many columns does a text take, and what of it may reach a terminal?
 * Titles, previews and answers are written by models and strangers: bytes that a terminal would obey
 * (escape sequences, carriage returns, bells) never get there. */
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include "base/buf.h"
#include "base/str.h"

/* Characters are UTF-8 whatever the environment says. Once, before anything else here. */
void term_text_init(void);
/* 0, 1 or 2 columns; -1: a control character. */
int term_text_columns(uint32_t code_point);
size_t term_text_width(struct str text);
/* Without control characters but line ends and tabs. */
void term_text_clean(struct buf *out, struct str text);
/* What others wrote: a terminal gets it clean, anything else as it is. */
void term_text_print(FILE *to, bool is_terminal, struct str text);
/* The same on one line: line ends, tabs and runs of blanks become one blank. */
void term_text_line(struct buf *out, struct str text);
/* One line of at most `columns` columns, with an ellipsis where it was cut; returns its width. */
size_t term_text_fit(struct buf *out, struct str text, size_t columns);
