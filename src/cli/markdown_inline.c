#include "cli/markdown_inline.h"

#include <ctype.h>

#include "base/utf8.h"

/* A mark whose partner is farther away is no mark: an answer must not be held back for long. */
enum { SPAN_MAX = 1000, RUN_MAX = 64 };

enum found { FOUND, ABSENT, UNKNOWN };

static void show(struct markdown *m, struct str text, unsigned styles, struct buf *out);

void
markdown_inline_style(struct markdown *m, unsigned styles)
{
	static const struct {
		unsigned bit;
		enum terminal_style style;
	} STYLES[] = {
		{ MARKDOWN_BOLD, STYLE_BOLD },           { MARKDOWN_ITALIC, STYLE_ITALIC },
		{ MARKDOWN_CODE, STYLE_CODE },           { MARKDOWN_DIM, STYLE_DIM },
		{ MARKDOWN_UNDERLINE, STYLE_UNDERLINE },
	};

	if (m->styles == styles)
		return;
	if (m->styles != 0)
		wrap_escape(&m->wrap, terminal_style(&m->term, STYLE_RESET));
	for (size_t i = 0; i < ARRAY_LEN(STYLES); i++)
		if (styles & STYLES[i].bit)
			wrap_escape(&m->wrap, terminal_style(&m->term, STYLES[i].style));
	m->styles = styles;
}

static bool
is_word(uint32_t c)
{
	return c >= 0x80 || (c != 0 && isalnum((int)c));
}

static bool
is_blank(uint32_t c)
{
	return c == 0 || c == ' ' || c == '\t';
}

static size_t
run_length(struct str text, size_t at)
{
	size_t end = at;

	while (end < text.len && text.ptr[end] == text.ptr[at])
		end++;
	return end - at;
}

static uint32_t
char_at(struct str text, size_t at)
{
	return at < text.len ? (unsigned char)text.ptr[at] : 0;
}

/* What is looked at for a partner: as much, however much more there is already. */
static void
see_window(struct str *text, size_t at, bool *whole)
{
	if (text->len - at < SPAN_MAX)
		return;
	*text = str_slice(*text, 0, at + SPAN_MAX);
	*whole = true;
}

/* The run of exactly len backticks that closes a code span whose text begins at `at`. */
static enum found
find_ticks(struct str text, size_t at, size_t len, bool whole, size_t *close)
{
	see_window(&text, at, &whole);
	for (size_t i = at; i < text.len;) {
		size_t run = text.ptr[i] == '`' ? run_length(text, i) : 0;

		if (run == 0) {
			i++;
			continue;
		}
		if (i + run == text.len && !whole)
			return UNKNOWN;
		if (run == len) {
			*close = i;
			return FOUND;
		}
		i += run;
	}
	return whole ? ABSENT : UNKNOWN;
}

/* The same for emphasis: a run that stands right behind a word, and no code span around it. */
static enum found
find_marks(struct str text, size_t at, size_t len, bool whole, size_t *close)
{
	char mark = text.ptr[at - 1];

	see_window(&text, at, &whole);
	for (size_t i = at; i < text.len;) {
		char c = text.ptr[i];
		size_t run = c == mark || c == '`' ? run_length(text, i) : 0, end;

		if (c == '\\' || run == 0) {
			i += c == '\\' ? 2 : 1;
			continue;
		}
		if (i + run == text.len && !whole)
			return UNKNOWN;
		if (c == '`') {
			enum found code = find_ticks(text, i + run, run, whole, &end);

			if (code == UNKNOWN)
				return UNKNOWN;
			i = code == FOUND ? end + run : i + run;
			continue;
		}
		if (run == len && i > at && !is_blank(char_at(text, i - 1)) &&
		    (mark == '*' || !is_word(char_at(text, i + run)))) {
			*close = i;
			return FOUND;
		}
		i += run;
	}
	return whole ? ABSENT : UNKNOWN;
}

static void
show_plain(struct markdown *m, struct str text, struct buf *out)
{
	for (size_t at = 0; at < text.len;) {
		m->before = utf8_next(text, &at);
		wrap_char(&m->wrap, m->before, out);
	}
}

static void
show_code(struct markdown *m, struct str text, unsigned styles, struct buf *out)
{
	if (text.len > 2 && text.ptr[0] == ' ' && text.ptr[text.len - 1] == ' ')
		text = str_slice(text, 1, text.len - 1); /* blanks that only keep backticks apart */
	markdown_inline_style(m, styles | MARKDOWN_CODE);
	show_plain(m, text, out);
	markdown_inline_style(m, styles);
}

/* Shows from a run of marks on; returns how far it got, 0: the rest must come first. */
static size_t
take_marks(struct markdown *m, struct str text, unsigned styles, bool whole, struct buf *out)
{
	static const unsigned BY_LENGTH[] = { 0, MARKDOWN_ITALIC, MARKDOWN_BOLD,
					      MARKDOWN_BOLD | MARKDOWN_ITALIC };
	size_t run = run_length(text, 0), close = 0;
	enum found found = ABSENT;
	bool opens;

	if (run >= RUN_MAX) {
		show_plain(m, str_slice(text, 0, RUN_MAX), out);
		return RUN_MAX;
	}
	if (run == text.len && !whole)
		return 0;
	if (text.ptr[0] == '`') {
		found = find_ticks(text, run, run, whole, &close);
	} else {
		opens = run < ARRAY_LEN(BY_LENGTH) && !is_blank(char_at(text, run)) &&
			(text.ptr[0] == '*' || !is_word(m->before));
		if (opens)
			found = find_marks(text, run, run, whole, &close);
	}
	if (found == UNKNOWN)
		return 0;
	if (found == ABSENT) {
		show_plain(m, str_slice(text, 0, run), out);
		return run;
	}
	if (text.ptr[0] == '`')
		show_code(m, str_slice(text, run, close), styles, out);
	else
		show(m, str_slice(text, run, close), styles | BY_LENGTH[run], out);
	markdown_inline_style(m, styles);
	return close + run;
}

/* Shows the decided beginning of text; returns its length. */
static size_t
take(struct markdown *m, struct str text, unsigned styles, bool whole, struct buf *out)
{
	size_t at = 0;

	while (at < text.len) {
		char c = text.ptr[at];
		size_t taken = 1;

		if (c == '\\') {
			if (at + 1 == text.len && !whole)
				break;
			taken = at + 1 < text.len && ispunct((unsigned char)text.ptr[at + 1]) ? 2
											      : 1;
			show_plain(m, str_slice(text, at + taken - 1, at + taken), out);
		} else if (c == '`' || c == '*' || c == '_') {
			taken = take_marks(m, str_slice(text, at, text.len), styles, whole, out);
			if (taken == 0)
				break;
		} else {
			size_t end = at;

			IGNORE(utf8_next(text, &end)); /* only how long the character is */
			taken = end - at;
			show_plain(m, str_slice(text, at, end), out);
		}
		at += taken;
	}
	return at;
}

/* All of a span, marks within it included. */
static void
show(struct markdown *m, struct str text, unsigned styles, struct buf *out)
{
	markdown_inline_style(m, styles);
	take(m, text, styles, true, out);
}

void
markdown_inline_drain(struct markdown *m, bool whole, struct buf *out)
{
	struct str text = buf_str(&m->held);
	size_t taken = take(m, text, m->base_styles, whole, out);

	if (taken == 0)
		return;
	memmove(m->held.ptr, m->held.ptr + taken, m->held.len - taken);
	m->held.len -= taken;
}
