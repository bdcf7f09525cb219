#include "cli/wrap.h"

#include "base/utf8.h"
#include "cli/term_text.h"

void
wrap_init(struct wrap *w, size_t columns)
{
	*w = (struct wrap){ .columns = columns };
	buf_init(&w->word, WRAP_WORD_MAX);
}

void
wrap_release(struct wrap *w)
{
	buf_release(&w->word);
}

void
wrap_hang(struct wrap *w, size_t column)
{
	w->hang = column < w->columns / 2 ? column : w->columns / 2;
}

static void
put_blanks(struct buf *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_putc(out, ' ');
}

static void
put_newlines(struct wrap *w, struct buf *out)
{
	for (; w->newlines > 0; w->newlines--)
		if (w->began)
			buf_putc(out, '\n');
}

void
wrap_flush(struct wrap *w, struct buf *out)
{
	if (w->word.len == 0)
		return;
	if (w->word_width > 0) {
		put_newlines(w, out);
		if (w->column > w->hang && w->column + w->blanks + w->word_width > w->columns) {
			buf_putc(out, '\n');
			put_blanks(out, w->hang);
			w->column = w->hang;
		} else {
			put_blanks(out, w->blanks);
			w->column += w->blanks;
		}
		w->blanks = 0;
		w->began = true;
	}
	buf_put_str(out, buf_str(&w->word));
	w->column += w->word_width;
	w->word_width = 0;
	buf_clear(&w->word);
}

static void
hold(struct wrap *w, uint32_t code_point, size_t columns)
{
	char bytes[4];

	buf_put(&w->word, bytes, utf8_encode(code_point, bytes));
	w->word_width += columns;
}

void
wrap_char(struct wrap *w, uint32_t code_point, struct buf *out)
{
	int columns = term_text_columns(code_point);

	if (code_point == ' ' || code_point == '\t') {
		wrap_flush(w, out);
		w->blanks++;
		return;
	}
	if (columns < 0)
		return;
	/* a word longer than a line is broken where the line ends */
	if (w->word_width + (size_t)columns > w->columns - w->hang)
		wrap_flush(w, out);
	hold(w, code_point, (size_t)columns);
	if (columns == 2) /* scripts without blanks may be broken anywhere */
		wrap_flush(w, out);
}

void
wrap_fixed(struct wrap *w, uint32_t code_point, struct buf *out)
{
	int columns = term_text_columns(code_point);

	if (columns < 0 && code_point != '\t')
		return;
	put_newlines(w, out);
	put_blanks(out, w->blanks);
	w->blanks = 0;
	hold(w, code_point, 0);
	buf_put_str(out, buf_str(&w->word));
	buf_clear(&w->word);
	w->began = true;
	w->column++;
}

void
wrap_escape(struct wrap *w, const char *sequence)
{
	buf_puts(&w->word, sequence);
}

void
wrap_line_end(struct wrap *w, struct buf *out)
{
	wrap_flush(w, out);
	w->newlines++;
	w->blanks = 0;
	w->column = 0;
	w->hang = 0;
}

void
wrap_end(struct wrap *w, struct buf *out)
{
	wrap_flush(w, out);
	if (w->began)
		buf_putc(out, '\n');
	w->newlines = w->blanks = w->column = w->hang = 0;
	w->began = false;
}
