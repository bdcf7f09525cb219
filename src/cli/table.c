#include "cli/table.h"

#include "base/timestamp.h"
#include "cli/term_text.h"
#include "cli/time_words.h"

enum { GAP = 2, WIDE_MIN = 8, NAME_MIN = 12, ROUNDS = 3, CELL_MAX = 1024 * 1024 };

void
table_init(struct table *t, struct arena *a, const struct table_column *columns, size_t count)
{
	*t = (struct table){ .columns = columns, .count = count, .a = a };
}

void
table_release(struct table *t)
{
	vec_release(&t->rows);
}

void
table_row(struct table *t, const struct str *cells)
{
	struct str *row = ARENA_ARRAY(t->a, t->count, struct str);

	memcpy(row, cells, t->count * sizeof *row);
	*vec_push(&t->rows) = row;
}

/* ---- for programs ---- */

static void
print_fields(const struct table *t, struct buf *out)
{
	for (size_t r = 0; r < t->rows.len; r++)
		for (size_t c = 0; c < t->count; c++) {
			term_text_line(out, t->rows.ptr[r][c]);
			buf_putc(out, c + 1 < t->count ? '\t' : '\n');
		}
}

/* ---- for people ---- */

static struct str
shown(const struct table *t, size_t column, struct str cell, int64_t now_ms)
{
	char words[TIME_WORDS_MAX];
	int64_t ms;
	struct buf line;
	struct str text;

	if (t->columns[column].kind == TABLE_TIME && timestamp_parse(cell, &ms))
		return arena_str(t->a, time_words(now_ms, ms, words));
	buf_init(&line, CELL_MAX);
	term_text_line(&line, cell);
	text = arena_str(t->a, buf_str(&line));
	buf_release(&line);
	return text;
}

/* How narrow a column may become, in the order in which they give way: texts that are made for it,
 * then the others, the first one (what a row is called) last of all. 0: not in this round. */
static size_t
least_width(const struct table *t, size_t column, int round)
{
	enum table_kind kind = t->columns[column].kind;

	if (kind == TABLE_WIDE)
		return WIDE_MIN;
	if (kind != TABLE_TEXT || round == 0 || (column == 0 && round == 1))
		return 0;
	return column == 0 ? NAME_MIN : WIDE_MIN;
}

/* Takes from the widest column that may give way, a column at a time, until all fit. */
static bool
narrow(const struct table *t, size_t *widths, size_t columns, int round)
{
	for (;;) {
		size_t total = GAP * (t->count - 1), widest = t->count;

		for (size_t c = 0; c < t->count; c++) {
			size_t least = least_width(t, c, round);

			total += widths[c];
			if (least > 0 && widths[c] > least &&
			    (widest == t->count || widths[c] > widths[widest]))
				widest = c;
		}
		if (total <= columns)
			return true;
		if (widest == t->count)
			return false;
		widths[widest]--;
	}
}

static void
print_row(const struct table *t, const struct str *cells, const size_t *widths, struct buf *out)
{
	for (size_t c = 0; c < t->count; c++) {
		bool right = t->columns[c].kind == TABLE_NUMBER, last = c + 1 == t->count;
		size_t pad = widths[c], width = term_text_width(cells[c]);

		pad -= width < pad ? width : pad;
		for (size_t i = 0; right && i < pad; i++)
			buf_putc(out, ' ');
		term_text_fit(out, cells[c], widths[c]);
		for (size_t i = 0; !last && i < (right ? 0 : pad) + GAP; i++)
			buf_putc(out, ' ');
	}
	buf_putc(out, '\n');
}

static void
print_aligned(const struct table *t, const struct terminal *term, int64_t now_ms, struct buf *out)
{
	struct str *cells = ARENA_ARRAY(t->a, (t->rows.len + 1) * t->count, struct str);
	size_t widths[TABLE_COLUMNS_MAX] = { 0 };

	for (size_t c = 0; c < t->count; c++)
		cells[c] = str_of(t->columns[c].title);
	for (size_t r = 0; r < t->rows.len; r++)
		for (size_t c = 0; c < t->count; c++)
			cells[(r + 1) * t->count + c] = shown(t, c, t->rows.ptr[r][c], now_ms);
	for (size_t i = 0; i < (t->rows.len + 1) * t->count; i++) {
		size_t width = term_text_width(cells[i]);

		if (width > widths[i % t->count])
			widths[i % t->count] = width;
	}
	for (int round = 0; round < ROUNDS; round++)
		if (narrow(t, widths, term->columns, round))
			break;
	buf_puts(out, terminal_style(term, STYLE_BOLD));
	print_row(t, cells, widths, out);
	buf_puts(out, terminal_style(term, STYLE_RESET));
	for (size_t r = 1; r <= t->rows.len; r++)
		print_row(t, cells + r * t->count, widths, out);
}

void
table_print(const struct table *t, const struct terminal *term, int64_t now_ms, struct buf *out)
{
	if (t->rows.len == 0)
		return;
	if (term->is_terminal)
		print_aligned(t, term, now_ms, out);
	else
		print_fields(t, out);
}
