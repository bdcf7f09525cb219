#include "cli/markdown.h"

#include <ctype.h>

#include "base/utf8.h"
#include "cli/markdown_inline.h"
#include "cli/term_text.h"

enum { INDENT_MAX = 40, FENCE_MIN = 3, LEAD_MAX = 4096 };

/* ---- what a line is ---- */

enum line_kind {
	LINE_OPEN,
	LINE_TEXT,
	LINE_HEADING,
	LINE_BULLET,
	LINE_NUMBER,
	LINE_QUOTE,
	LINE_RULE,
	LINE_FENCE,
	LINE_TABLE
};

struct line {
	enum line_kind kind; /* LINE_OPEN: more of it has to come */
	size_t indent;       /* blanks before it */
	size_t skip;         /* bytes of the mark, indent included, that are not shown as text */
	size_t level;        /* of a heading; of a fence: its length */
};

static size_t
count_of(struct str text, size_t at, char c)
{
	size_t end = at;

	while (end < text.len && text.ptr[end] == c)
		end++;
	return end - at;
}

static struct line
judge_heading(struct str text, struct line l, bool whole)
{
	size_t marks = count_of(text, l.indent, '#'), end = l.indent + marks;

	if (marks <= 6 && end == text.len && !whole)
		return l;
	l.kind = LINE_TEXT;
	if (marks <= 6 && end < text.len && text.ptr[end] == ' ')
		l = (struct line){ LINE_HEADING, l.indent, end + 1, marks };
	return l;
}

static struct line
judge_fence(struct str text, struct line l, bool whole)
{
	char c = text.ptr[l.indent];
	size_t marks = count_of(text, l.indent, c), end = l.indent + marks;

	if (!whole && (end == text.len || marks >= FENCE_MIN))
		return l;
	l.kind = LINE_TEXT;
	if (marks >= FENCE_MIN &&
	    (c == '~' || !str_contains(str_slice(text, end, text.len), STR("`"))))
		l = (struct line){ LINE_FENCE, l.indent, 0, marks };
	return l;
}

/* A bullet, a rule of three and more, or text that begins with emphasis. */
static struct line
judge_dash(struct str text, struct line l, bool whole)
{
	char c = text.ptr[l.indent];
	size_t marks = count_of(text, l.indent, c), end = l.indent + marks;

	if (end == text.len && !whole)
		return l;
	l.kind = LINE_TEXT;
	if (end == text.len && marks >= 3 && c != '+')
		l.kind = LINE_RULE;
	else if (end < text.len && marks == 1 && c != '_' && text.ptr[end] == ' ')
		l = (struct line){ LINE_BULLET, l.indent, end + 1, 0 };
	return l;
}

static struct line
judge_number(struct str text, struct line l, bool whole)
{
	size_t at = l.indent;

	while (at < text.len && at - l.indent < 9 && isdigit((unsigned char)text.ptr[at]))
		at++;
	if (at == text.len && !whole)
		return l;
	if (at < text.len && (text.ptr[at] == '.' || text.ptr[at] == ')')) {
		if (at + 1 == text.len && !whole)
			return l;
		if (at + 1 < text.len && text.ptr[at + 1] == ' ')
			return (struct line){ LINE_NUMBER, l.indent, at + 2, 0 };
	}
	l.kind = LINE_TEXT;
	return l;
}

static struct line
judge_quote(struct str text, struct line l, bool whole)
{
	size_t end = l.indent + 1;

	if (end == text.len && !whole)
		return l;
	end += end < text.len && text.ptr[end] == ' ';
	return (struct line){ LINE_QUOTE, l.indent, end, 0 };
}

static struct line
judge(struct str text, bool whole)
{
	struct line l = { .kind = LINE_OPEN, .indent = count_of(text, 0, ' ') };
	char c;

	if (l.indent == text.len) {
		if (whole || l.indent > INDENT_MAX)
			l.kind = LINE_TEXT;
		return l;
	}
	c = text.ptr[l.indent];
	switch (c) {
	case '#': return judge_heading(text, l, whole);
	case '`':
	case '~': return judge_fence(text, l, whole);
	case '-':
	case '+':
	case '*':
	case '_': return judge_dash(text, l, whole);
	case '>': return judge_quote(text, l, whole);
	case '|': l.kind = LINE_TABLE; return l;
	default: break;
	}
	if (isdigit((unsigned char)c))
		return judge_number(text, l, whole);
	l.kind = LINE_TEXT;
	return l;
}

/* ---- beginning a line ---- */

static void
put_fixed(struct markdown *m, struct str text, struct buf *out)
{
	for (size_t at = 0; at < text.len;)
		wrap_fixed(&m->wrap, utf8_next(text, &at), out);
}

static void
put_indent(struct markdown *m, size_t indent, struct buf *out)
{
	for (size_t i = 0; i < indent && i < INDENT_MAX; i++)
		wrap_char(&m->wrap, ' ', out);
}

/* The mark, a blank, and lines that go on behind it. */
static void
put_mark(struct markdown *m, const struct line *l, struct str mark, struct buf *out)
{
	put_indent(m, l->indent, out);
	for (size_t at = 0; at < mark.len;)
		wrap_char(&m->wrap, utf8_next(mark, &at), out);
	wrap_char(&m->wrap, ' ', out);
	wrap_hang(&m->wrap, l->indent + term_text_width(mark) + 1);
}

static void
put_rule(struct markdown *m, struct buf *out)
{
	markdown_inline_style(m, MARKDOWN_DIM);
	for (size_t i = 0; i < m->wrap.columns; i++)
		wrap_char(&m->wrap, 0x2500, out);
}

/* A line that is shown as it is, from here to its end. */
static void
begin_fixed(struct markdown *m, unsigned styles, struct buf *out)
{
	m->in_line = m->fixed = true;
	if (m->lead.len > 0)
		markdown_inline_style(m, styles);
	put_fixed(m, buf_str(&m->lead), out);
	buf_clear(&m->lead);
}

static void
begin_text(struct markdown *m, const struct line *l, struct buf *out)
{
	struct str lead = buf_str(&m->lead);
	size_t skip = l->kind == LINE_TEXT ? l->indent : l->skip;

	m->in_line = true;
	m->fixed = false;
	m->before = 0;
	m->base_styles = 0;
	if (l->kind == LINE_HEADING)
		m->base_styles = MARKDOWN_BOLD | (l->level == 1 ? MARKDOWN_UNDERLINE : 0);
	else if (l->kind == LINE_QUOTE)
		m->base_styles = MARKDOWN_DIM;
	markdown_inline_style(m, m->base_styles);
	if (l->kind == LINE_BULLET) {
		put_mark(m, l, STR("•"), out);
	} else if (l->kind == LINE_NUMBER) {
		put_mark(m, l, str_slice(lead, l->indent, l->skip - 1), out);
	} else if (l->kind == LINE_QUOTE) {
		put_mark(m, l, STR("│"), out);
	} else if (l->kind == LINE_TEXT) {
		put_indent(m, l->indent, out);
		wrap_hang(&m->wrap, l->indent);
	}
	buf_put_str(&m->held, str_slice(lead, skip, lead.len));
	buf_clear(&m->lead);
}

/* Between fences: a line of nothing but the fence's own mark ends it. */
static void
decide_code(struct markdown *m, bool whole, struct buf *out)
{
	struct str lead = buf_str(&m->lead);
	size_t indent = count_of(lead, 0, ' '), marks = count_of(lead, indent, m->fence);
	bool only_marks = str_trim(str_slice(lead, indent + marks, lead.len)).len == 0;

	if (!whole && only_marks && indent < 4 && lead.len < LEAD_MAX)
		return;
	if (only_marks && indent < 4 && marks >= m->fence_len) {
		m->fence = 0;
		begin_fixed(m, MARKDOWN_DIM, out);
	} else {
		begin_fixed(m, MARKDOWN_CODE, out);
	}
}

static void
decide(struct markdown *m, bool whole, struct buf *out)
{
	struct line l;

	if (m->fence) {
		decide_code(m, whole, out);
		return;
	}
	l = judge(buf_str(&m->lead), whole);
	if (l.kind == LINE_OPEN && m->lead.len >= LEAD_MAX)
		l.kind = LINE_TEXT;
	switch (l.kind) {
	case LINE_OPEN: break;
	case LINE_FENCE:
		m->fence = m->lead.ptr[l.indent];
		m->fence_len = l.level;
		begin_fixed(m, MARKDOWN_DIM, out);
		break;
	case LINE_TABLE: begin_fixed(m, 0, out); break;
	case LINE_RULE:
		put_rule(m, out);
		buf_clear(&m->lead);
		m->in_line = m->fixed = true;
		break;
	case LINE_TEXT:
	case LINE_HEADING:
	case LINE_BULLET:
	case LINE_NUMBER:
	case LINE_QUOTE: begin_text(m, &l, out); break;
	}
}

/* ---- the text ---- */

static void
finish_line(struct markdown *m, struct buf *out)
{
	if (!m->in_line)
		decide(m, true, out);
	markdown_inline_drain(m, true, out);
	markdown_inline_style(m, 0);
	m->in_line = false;
}

static void
put_char(struct buf *to, uint32_t c)
{
	char bytes[4];

	buf_put(to, bytes, utf8_encode(c, bytes));
}

static void
step(struct markdown *m, uint32_t c, struct buf *out)
{
	if (c == '\n') {
		finish_line(m, out);
		wrap_line_end(&m->wrap, out);
	} else if (c == '\r') {
		return; /* what follows a bare one is on the same line */
	} else if (!m->in_line) {
		put_char(&m->lead, c);
		decide(m, false, out);
	} else if (m->fixed) {
		wrap_fixed(&m->wrap, c, out);
	} else {
		put_char(&m->held, c);
		if (m->held.len > LEAD_MAX)
			markdown_inline_drain(m, false, out);
	}
}

/* How many bytes at the end of the text may be the beginning of a character. */
static size_t
torn_bytes(struct str text)
{
	for (size_t back = 1; back <= 3 && back <= text.len; back++) {
		unsigned char c = (unsigned char)text.ptr[text.len - back];
		size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

		if ((c & 0xc0) != 0x80)
			return want > back ? back : 0;
	}
	return 0;
}

static void
take(struct markdown *m, struct str text, struct buf *out)
{
	for (size_t at = 0; at < text.len;) {
		uint32_t c = utf8_next(text, &at);

		if (m->term.colour)
			step(m, c, out);
		else if (c == '\n' || c == '\t' || term_text_columns(c) >= 0)
			put_char(out, c);
	}
}

void
markdown_init(struct markdown *m, const struct terminal *term)
{
	*m = (struct markdown){ .term = *term };
	wrap_init(&m->wrap, term->columns);
	buf_init(&m->lead, LEAD_MAX * 2);
	buf_init(&m->held, LEAD_MAX * 4);
}

void
markdown_release(struct markdown *m)
{
	wrap_release(&m->wrap);
	buf_release(&m->lead);
	buf_release(&m->held);
}

static void
pass(struct markdown *m, struct str text, struct buf *out)
{
	if (text.len == 0)
		return;
	buf_put_str(out, text);
	m->open_line = text.ptr[text.len - 1] != '\n';
}

void
markdown_feed(struct markdown *m, struct str text, struct buf *out)
{
	struct buf all;
	struct str now;
	size_t torn;

	if (!m->term.is_terminal) {
		pass(m, text, out);
		return;
	}
	buf_init(&all, m->torn_len + text.len);
	buf_put(&all, m->torn, m->torn_len);
	buf_put_str(&all, text);
	now = buf_str(&all);
	torn = torn_bytes(now);
	if (torn > 0)
		memcpy(m->torn, now.ptr + now.len - torn, torn);
	m->torn_len = torn;
	now.len -= torn;
	take(m, now, out);
	if (now.len > 0)
		m->open_line = now.ptr[now.len - 1] != '\n';
	if (m->term.colour && m->in_line)
		markdown_inline_drain(m, false, out);
	buf_release(&all);
}

void
markdown_pause(struct markdown *m, struct buf *out)
{
	wrap_flush(&m->wrap, out);
}

void
markdown_end(struct markdown *m, struct buf *out)
{
	if (m->torn_len > 0) {
		take(m, (struct str){ m->torn, m->torn_len }, out);
		m->torn_len = 0;
		m->open_line = true;
	}
	if (m->term.colour) {
		finish_line(m, out);
		wrap_end(&m->wrap, out);
		m->fence = 0;
	} else if (m->open_line) {
		buf_putc(out, '\n');
	}
	m->open_line = false;
}
