#include "tool/local/grep_pattern.h"

#include "base/utf8.h"

/* A set that is being read; what POSIX wants at a place of its own is put there at the end. */
struct set {
	struct buf *body;
	struct str text;
	size_t at;
	bool negated;
	bool close, open, caret, dash; /* which of ] [ ^ - are in it */
	bool has_body;                 /* others than those */
	size_t *room;                  /* for characters of ranges, in the whole pattern */
};

enum {
	NAME_BYTES = 24, /* of a class; regcomp wants less than 32 */
	ASCII_LAST = 0x7f,
	SURROGATE_FIRST = 0xd800, /* no characters */
	SURROGATE_LAST = 0xdfff,
};

enum member { MEMBER_CHAR, MEMBER_CLASS };

/* ---- a set ---- */

static char
control(char c)
{
	switch (c) {
	case 't': return '\t';
	case 'n': return '\n';
	case 'r': return '\r';
	case 'f': return '\f';
	case 'v': return '\v';
	default: return '\0';
	}
}

static const char *
class_of(char c)
{
	switch (c) {
	case 'd': return "0-9";
	case 'w': return "[:alnum:]_";
	case 's': return "[:space:]";
	default: return NULL;
	}
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char
peek(const struct set *s, size_t ahead)
{
	return s->at + ahead < s->text.len ? s->text.ptr[s->at + ahead] : '\0';
}

static bool
has(const struct set *s, size_t ahead)
{
	return s->at + ahead < s->text.len;
}

/* The character there, and of how many bytes it is. */
static uint32_t
char_at(const struct set *s, size_t ahead, size_t *bytes)
{
	size_t at = s->at + ahead, end = at;
	uint32_t c = has(s, ahead) ? utf8_next(s->text, &end) : 0;

	*bytes = end - at;
	return c;
}

static void
put_char(struct set *s, uint32_t c)
{
	char bytes[4];

	buf_put(s->body, bytes, utf8_encode(c, bytes));
	s->has_body = true;
}

static void
put_class(struct set *s, struct str text)
{
	buf_put_str(s->body, text);
	s->has_body = true;
}

/* Where a character that means something in a set is to stand; NULL: anywhere. */
static bool *
place_of(struct set *s, uint32_t c)
{
	switch (c) {
	case ']': return &s->close;
	case '[': return &s->open;
	case '^': return &s->caret;
	case '-': return &s->dash;
	default: return NULL;
	}
}

/* The ends of a range may be special: they are taken out of it. */
static void
put_ascii(struct set *s, uint32_t low, uint32_t high)
{
	while (low <= high && place_of(s, low))
		*place_of(s, low++) = true;
	while (low <= high && place_of(s, high))
		*place_of(s, high--) = true;
	if (low > high)
		return;
	put_char(s, low);
	if (low == high)
		return;
	buf_putc(s->body, '-');
	put_char(s, high);
}

/* One by one: glibc's C.UTF-8 has no order that regcomp could take a range's ends from. */
static int
put_wide(struct set *s, uint32_t low, uint32_t high, struct err *e)
{
	if (high - low >= *s->room)
		return err_set(e, ERR_INVALID,
			       "pattern: ranges of more than %d characters beyond ASCII cannot "
			       "stand within [ ]; write a class such as [[:alpha:]], or [^ -~] for "
			       "all that is not ASCII",
			       GREP_PATTERN_WIDE);
	*s->room -= high - low + 1;
	for (; low <= high; low++)
		if (low < SURROGATE_FIRST || low > SURROGATE_LAST)
			put_char(s, low);
	return 0;
}

static int
put_range(struct set *s, uint32_t low, uint32_t high, struct err *e)
{
	if (low <= ASCII_LAST)
		put_ascii(s, low, high < ASCII_LAST ? high : ASCII_LAST);
	if (high <= ASCII_LAST)
		return 0;
	return put_wide(s, low > ASCII_LAST ? low : ASCII_LAST + 1, high, e);
}

static int
refuse_escape(char c, struct err *e)
{
	if (c == 'D' || c == 'W' || c == 'S')
		return err_set(e, ERR_INVALID,
			       "pattern: \\%c cannot stand within [ ]; write it beside the set, as "
			       "in (\\%c|[...]), or turn the set round: [^...] with \\%c",
			       c, c, c - 'A' + 'a');
	return err_set(e, ERR_INVALID,
		       "pattern: \\%c means nothing within [ ]; write the character itself", c);
}

static int
take_escape(struct set *s, enum member *kind, struct str *class, uint32_t *c, struct err *e)
{
	char what = peek(s, 1);
	size_t bytes;

	*kind = MEMBER_CHAR;
	*c = char_at(s, 1, &bytes);
	s->at += 1 + bytes;
	if (class_of(what)) {
		*kind = MEMBER_CLASS;
		*class = str_of(class_of(what));
	} else if (control(what)) {
		*c = (uint32_t)control(what);
	} else if (is_letter(what) || is_digit(what)) {
		return refuse_escape(what, e);
	}
	return 0;
}

/* [:name:] [.name.] [=name=]: how many bytes the name has, or 0 when it is none. It is letters, or
 * any one character for the latter two. */
static size_t
name_length(const struct set *s)
{
	char mark = peek(s, 1);
	size_t n = 0;

	if (peek(s, 0) != '[' || (mark != ':' && mark != '.' && mark != '='))
		return 0;
	while (n < NAME_BYTES && is_letter(peek(s, 2 + n)))
		n++;
	if (n == 0 && mark != ':')
		char_at(s, 2, &n);
	return peek(s, 2 + n) == mark && peek(s, 3 + n) == ']' ? n : 0;
}

/* One member: a character, or a class of them. */
static int
take_member(struct set *s, enum member *kind, struct str *class, uint32_t *c, struct err *e)
{
	size_t name = name_length(s), bytes;

	if (peek(s, 0) == '\\' && has(s, 1))
		return take_escape(s, kind, class, c, e);
	*c = char_at(s, name > 0 ? 2 : 0, &bytes);
	*kind = name > bytes || (name > 0 && peek(s, 1) == ':') ? MEMBER_CLASS : MEMBER_CHAR;
	if (name > 0)
		bytes = name + 4; /* with brackets and marks */
	*class = str_slice(s->text, s->at, s->at + bytes);
	s->at += bytes;
	return 0;
}

/* A member, or a range of two; a dash beside a class is a dash. */
static int
take_members(struct set *s, struct err *e)
{
	enum member kind, end_kind;
	struct str class, end_class;
	uint32_t low, high;
	int rc = take_member(s, &kind, &class, &low, e);

	if (rc != 0)
		return rc;
	if (kind == MEMBER_CLASS) {
		put_class(s, class);
		return 0;
	}
	if (peek(s, 0) != '-' || !has(s, 1) || peek(s, 1) == ']')
		return put_range(s, low, low, e);
	s->at++;
	rc = take_member(s, &end_kind, &end_class, &high, e);
	if (rc != 0)
		return rc;
	if (end_kind == MEMBER_CLASS) {
		s->dash = true;
		put_class(s, end_class);
		return put_range(s, low, low, e);
	}
	if (low > high)
		return err_set(e, ERR_INVALID,
			       "pattern: a range within [ ] ends before it begins; a dash that is "
			       "meant itself stands last");
	return put_range(s, low, high, e);
}

/* ] first, - last, ^ anywhere but first, and behind [ no character that makes it a name. */
static void
put_in_place(const struct set *s, struct buf *out)
{
	bool bare = !s->negated && !s->close && !s->has_body && !s->open;

	if (bare && s->caret && !s->dash) { /* no set of its own can say it */
		buf_puts(out, "\\^");
		return;
	}
	buf_puts(out, s->negated ? "[^" : "[");
	if (s->close)
		buf_putc(out, ']');
	buf_put_str(out, buf_str(s->body));
	if (s->open)
		buf_putc(out, '[');
	if (bare && s->caret)
		buf_puts(out, "-^");
	else if (s->caret)
		buf_putc(out, '^');
	if (s->dash && !(bare && s->caret))
		buf_putc(out, '-');
	buf_putc(out, ']');
}

static int
put_members(struct set *s, struct err *e)
{
	bool first = true;
	int rc = 0;

	for (; rc == 0 && has(s, 0) && (first || peek(s, 0) != ']'); first = false)
		rc = take_members(s, e);
	if (rc == 0 && !has(s, 0))
		rc = err_set(
			e, ERR_INVALID,
			"pattern: a [ has no ] that ends it; write \\[ for the bracket itself");
	return rc;
}

/* at: behind the opening bracket, then behind the closing one. */
static int
put_set(struct str text, size_t *at, size_t *room, struct buf *out, struct err *e)
{
	struct buf body;
	struct set s = { .body = &body, .text = text, .at = *at, .room = room };
	int rc;

	s.negated = peek(&s, 0) == '^';
	s.at += s.negated ? 1 : 0;
	buf_init(&body, out->max);
	rc = put_members(&s, e);
	*at = s.at + 1;
	if (rc == 0)
		put_in_place(&s, out);
	buf_release(&body);
	return rc;
}

/* ---- outside of sets ---- */

/* What other dialects have and POSIX has not; an escaped quote is an anchor of GNU's. */
static void
put_escape(struct buf *out, char c)
{
	if (c == 'd')
		buf_puts(out, "[0-9]");
	else if (c == 'D')
		buf_puts(out, "[^0-9]");
	else if (control(c))
		buf_putc(out, control(c));
	else if (c == '\'' || c == '`')
		buf_putc(out, c);
	else
		buf_printf(out, "\\%c", c);
}

int
grep_pattern_put(struct str pattern, struct buf *out, struct err *e)
{
	size_t room = GREP_PATTERN_WIDE;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < pattern.len;) {
		char c = pattern.ptr[i++];

		if (c == '[')
			rc = put_set(pattern, &i, &room, out, e);
		else if (c == '\\' && i < pattern.len)
			put_escape(out, pattern.ptr[i++]);
		else
			buf_putc(out, c);
	}
	buf_putc(out, '\0');
	return rc;
}
