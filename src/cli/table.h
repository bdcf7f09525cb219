/* table - rows for people on a terminal, fields for programs in a pipe.
 * Terminal: a heading, aligned columns, cut to the width (the columns that may give way do), instants
 * in words. Pipe: no heading, a tab between fields, everything whole, instants as they are. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "cli/terminal.h"

enum table_kind {
	TABLE_TEXT,
	TABLE_WIDE,   /* text that gives way when the terminal is narrow */
	TABLE_NUMBER, /* flush right */
	TABLE_TIME    /* RFC 3339, or empty */
};
struct table_column {
	const char *title;
	enum table_kind kind;
};

enum { TABLE_COLUMNS_MAX = 12 };

struct table {
	const struct table_column *columns;
	size_t count;
	struct arena *a;
	VEC(const struct str *) rows;
};

/* Cells live in a, which the caller keeps. */
void table_init(struct table *t, struct arena *a, const struct table_column *columns, size_t count);
void table_release(struct table *t);
/* count cells; the texts must stay until the table is printed. */
void table_row(struct table *t, const struct str *cells);
void
table_print(const struct table *t, const struct terminal *term, int64_t now_ms, struct buf *out);
