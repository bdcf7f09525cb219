#include "cli/term_text.h"

#include <langinfo.h>
#include <locale.h>
#include <wchar.h>

#include "base/utf8.h"

#define ELLIPSIS "…"

void
term_text_init(void)
{
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		IGNORE(setlocale(LC_CTYPE, "C.UTF-8")); /* without it wide characters count one */
}

int
term_text_columns(uint32_t code_point)
{
	int columns;

	if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0))
		return -1;
	if (code_point < 0x7f)
		return 1;
	/* direction marks reorder what stands around them: names would read as others */
	if ((code_point >= 0x202a && code_point <= 0x202e) ||
	    (code_point >= 0x2066 && code_point <= 0x2069))
		return -1;
	columns = wcwidth((wchar_t)code_point);
	return columns < 0 ? 1 : columns;
}

size_t
term_text_width(struct str text)
{
	size_t width = 0;

	for (size_t at = 0; at < text.len;) {
		int columns = term_text_columns(utf8_next(text, &at));

		width += columns > 0 ? (size_t)columns : 0;
	}
	return width;
}

static void
put_char(struct buf *out, uint32_t code_point)
{
	char bytes[4];

	buf_put(out, bytes, utf8_encode(code_point, bytes));
}

void
term_text_clean(struct buf *out, struct str text)
{
	for (size_t at = 0; at < text.len;) {
		uint32_t c = utf8_next(text, &at);

		if (c == '\n' || c == '\t' || term_text_columns(c) >= 0)
			put_char(out, c);
	}
}

void
term_text_print(FILE *to, bool is_terminal, struct str text)
{
	struct buf clean;

	buf_init(&clean, text.len * 3 + 1); /* an ill-formed byte becomes three */
	if (is_terminal) {
		term_text_clean(&clean, text);
		text = buf_str(&clean);
	}
	if (text.len > 0)
		fwrite(text.ptr, 1, text.len, to);
	buf_release(&clean);
}

void
term_text_line(struct buf *out, struct str text)
{
	bool blank = false, any = false;

	for (size_t at = 0; at < text.len;) {
		uint32_t c = utf8_next(text, &at);

		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			blank = any;
			continue;
		}
		if (term_text_columns(c) < 0)
			continue;
		if (blank)
			buf_putc(out, ' ');
		blank = false;
		any = true;
		put_char(out, c);
	}
}

size_t
term_text_fit(struct buf *out, struct str text, size_t columns)
{
	struct buf line;
	size_t width, kept = 0, end = 0;
	struct str s;

	buf_init(&line, text.len * 3 + 1); /* an ill-formed byte becomes three */
	term_text_line(&line, text);
	s = buf_str(&line);
	width = term_text_width(s);
	if (width <= columns) {
		buf_put_str(out, s);
	} else if (columns > 0) {
		for (size_t at = 0; at < s.len;) {
			size_t more = (size_t)term_text_columns(utf8_next(s, &at));

			if (kept + more + 1 > columns)
				break;
			kept += more;
			end = at;
		}
		buf_put_str(out, str_slice(s, 0, end));
		buf_puts(out, ELLIPSIS);
		width = kept + 1;
	} else {
		width = 0;
	}
	buf_release(&line);
	return width;
}
