#include "core/shell_word.h"

#include "core/shell_scan.h"

void
shell_reader_fail(struct shell_reader *r, const char *why)
{
	if (!r->error)
		r->error = why;
	r->at = r->in.len;
}

void
shell_reader_full(struct shell_reader *r, const char *why)
{
	shell_reader_fail(r, why);
	r->full = true;
}

bool
shell_reader_at_end(const struct shell_reader *r)
{
	return r->at >= r->in.len;
}

char
shell_reader_peek(const struct shell_reader *r, size_t ahead)
{
	return r->at + ahead < r->in.len ? r->in.ptr[r->at + ahead] : '\0';
}

static void
put(struct shell_reader *r, char c)
{
	r->out[r->out_len++] = c;
}

static void
put_raw(struct shell_reader *r, size_t to)
{
	while (r->at < to)
		put(r, r->in.ptr[r->at++]);
}

static bool
is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_name(struct str word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!is_name_start(word.ptr[i]) && !(i > 0 && is_digit(word.ptr[i])))
			return false;
	return word.len > 0;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool
shell_word_ends_at(char c)
{
	return is_blank(c) || (c != '\0' && strchr("\n;&|()<>", c));
}

static void
look_into(void *ctx, size_t from, size_t to)
{
	struct shell_reader *r = ctx;

	if (r->nested_count == SHELL_NESTED_MAX)
		shell_reader_full(r, "too many substitutions");
	else
		r->nested[r->nested_count++] = str_slice(r->in, from, to);
}

/* Behind what opens it. Its end is where bash ends it; all of it is taken over as written. */
static struct shell_scan
scan_of(struct shell_reader *r, size_t opening)
{
	return (struct shell_scan){
		.in = r->in, .at = r->at + opening, .found = look_into, .ctx = r
	};
}

void
shell_reader_look_into(struct shell_reader *r, size_t from, size_t to)
{
	struct shell_scan s = {
		.in = str_slice(r->in, 0, to), .at = from, .found = look_into, .ctx = r
	};

	shell_scan_text(&s);
	if (s.failed)
		shell_reader_fail(r, "unclosed substitution or expansion");
}

void
shell_reader_skip_arithmetic(struct shell_reader *r, size_t from)
{
	struct shell_scan s = { .in = r->in, .at = from, .found = look_into, .ctx = r };

	shell_scan_arithmetic(&s);
	if (s.failed)
		shell_reader_fail(r, "arithmetic, or two groups");
	else
		r->at = s.at;
}

static void
end_scan(struct shell_reader *r, const struct shell_scan *s, unsigned unsafe)
{
	r->unsafe |= unsafe;
	if (s->failed)
		shell_reader_fail(r, "unclosed substitution or expansion");
	else
		put_raw(r, s->at);
}

/* At "$(", "<(" or ">(". */
static void
read_command(struct shell_reader *r, unsigned unsafe)
{
	struct shell_scan s = scan_of(r, 2);

	s.found = NULL; /* whoever splits it will see */
	shell_scan_command(&s);
	if (!s.failed)
		look_into(r, r->at + 2, s.at - 1);
	end_scan(r, &s, unsafe);
}

static void
read_backticks(struct shell_reader *r)
{
	struct shell_scan s = scan_of(r, 1);

	shell_scan_backticks(&s);
	if (s.failed)
		shell_reader_fail(r, "unclosed backtick, or a backslash within");
	end_scan(r, &s, SHELL_SUBSTITUTION);
}

/* $'...': its escapes can spell anything, so it is kept as written. */
static void
read_ansi_quoted(struct shell_reader *r)
{
	size_t to = r->at + 2;

	while (to < r->in.len && r->in.ptr[to] != '\'')
		to += r->in.ptr[to] == '\\' ? 2 : 1;
	r->unsafe |= SHELL_EXPANSION;
	if (to >= r->in.len)
		shell_reader_fail(r, "unclosed quote");
	else
		put_raw(r, to + 1);
}

/* $name, $1, $?; or a dollar that is just one. */
static void
read_parameter(struct shell_reader *r, char next)
{
	if (next == '\\' && shell_reader_peek(r, 2) == '\n') {
		shell_reader_fail(r, "a line is continued inside an expansion");
		return;
	}
	if (is_name_start(next) || is_digit(next) || (next && strchr("@*#?$!-", next)))
		r->unsafe |= SHELL_EXPANSION;
	put_raw(r, r->at + (next && strchr("*?#$", next) ? 2 : 1));
}

static void
read_dollar(struct shell_reader *r, bool in_double)
{
	char next = shell_reader_peek(r, 1);
	struct shell_scan s = scan_of(r, 2);

	if (next == '(' && shell_reader_peek(r, 2) == '(') {
		shell_scan_arithmetic(&s);
		end_scan(r, &s, SHELL_EXPANSION);
	} else if (next == '(') {
		read_command(r, SHELL_SUBSTITUTION);
	} else if (next == '{') {
		shell_scan_brace(&s, in_double);
		end_scan(r, &s, SHELL_EXPANSION);
	} else if (next == '[') {
		shell_scan_old_arithmetic(&s);
		end_scan(r, &s, SHELL_EXPANSION);
	} else if (next == '\'' && !in_double) {
		read_ansi_quoted(r);
	} else if (next == '"' && !in_double) {
		r->unsafe |= SHELL_EXPANSION; /* translated text */
		r->at++;
	} else {
		read_parameter(r, next);
	}
}

static void
read_single_quoted(struct shell_reader *r)
{
	size_t end;

	r->at++;
	if (!str_find(r->in, STR("'"), r->at, &end)) {
		shell_reader_fail(r, "unclosed quote");
		return;
	}
	put_raw(r, end);
	r->at++;
}

static void
read_double_quoted(struct shell_reader *r)
{
	r->at++;
	while (!shell_reader_at_end(r) && shell_reader_peek(r, 0) != '"') {
		char next = shell_reader_peek(r, 1);

		if (shell_reader_peek(r, 0) == '$') {
			read_dollar(r, true);
		} else if (shell_reader_peek(r, 0) == '`') {
			read_backticks(r);
		} else if (shell_reader_peek(r, 0) == '\\' && next == '\n') {
			r->at += 2;
		} else {
			if (shell_reader_peek(r, 0) == '\\' && next && strchr("$`\"\\", next))
				r->at++;
			put(r, r->in.ptr[r->at++]);
		}
	}
	if (shell_reader_at_end(r))
		shell_reader_fail(r, "unclosed quote");
	else
		r->at++;
}

/* Bytes that mean nothing but themselves, wherever they stand in a word. */
static bool
is_ordinary(char c)
{
	return is_name_start(c) || is_digit(c) || (c && strchr("-./:,=+@%", c));
}

/* A line that goes on inside a word: the shell joins it before it looks for operators, so what stands on
 * both sides must have no part in one. */
static void
read_continued(struct shell_reader *r)
{
	char before = r->at > 0 ? r->in.ptr[r->at - 1] : '\0', next = shell_reader_peek(r, 2);

	if (is_ordinary(before) && (is_ordinary(next) || is_blank(next) || !next || next == '\n'))
		r->at += 2;
	else
		shell_reader_fail(r, "a line is continued inside an operator or a word");
}

/* At a backslash. */
static void
read_escaped(struct shell_reader *r, struct shell_word *w)
{
	if (r->at + 1 >= r->in.len) {
		shell_reader_fail(r, "ends in a backslash");
	} else if (shell_reader_peek(r, 1) == '\n') {
		read_continued(r);
	} else {
		w->plain = false;
		put(r, shell_reader_peek(r, 1));
		r->at += 2;
	}
}

/* What an unquoted byte means beyond itself. A word that is only `[` is the test command. */
static void
note_unquoted(struct shell_reader *r, char c, bool first)
{
	char next = shell_reader_peek(r, 1);
	bool alone = first && (next == '\0' || shell_word_ends_at(next));

	if (c == '*' || c == '?' || (c == '[' && !alone))
		r->unsafe |= SHELL_GLOB;
	if (c == '~' && (first || r->in.ptr[r->at - 1] == '=' || r->in.ptr[r->at - 1] == ':'))
		r->unsafe |= SHELL_EXPANSION;
}

/* `{` and later a comma or two dots in one word: {a,b} {1..9}. `{}` and `@{u}` stay themselves. */
static void
note_braces(struct shell_reader *r, const struct shell_word *w, size_t brace)
{
	struct str rest = str_slice(w->text, brace, w->text.len);

	if (str_contains(rest, STR(",")) || str_contains(rest, STR("..")))
		r->unsafe |= SHELL_EXPANSION;
}

/* At a byte that is neither quote, escape nor expansion. */
static void
read_unquoted(struct shell_reader *r, const struct shell_word *w, size_t start, size_t *brace)
{
	struct str so_far = { r->out + start, r->out_len - start };
	char c = shell_reader_peek(r, 0);

	if (c == '{' && *brace == SIZE_MAX)
		*brace = so_far.len;
	if (c == '[' && w->plain && is_name(so_far))
		r->subscript =
			true; /* of an assignment, perhaps: then blanks do not end the word */
	if (c == ']')
		r->subscript = false;
	note_unquoted(r, c, so_far.len == 0);
	put(r, c);
	r->at++;
}

/* Reads one word behind what is already in out. */
struct shell_word
shell_word_read(struct shell_reader *r)
{
	size_t start = r->out_len, brace = SIZE_MAX;
	struct shell_word w = { .plain = true, .source_at = r->at };

	r->subscript = false;
	while (!shell_reader_at_end(r)) {
		char c = shell_reader_peek(r, 0);

		if ((c == '<' || c == '>') && shell_reader_peek(r, 1) == '(') {
			read_command(r, SHELL_PROCESS);
			w.plain = false;
		} else if (shell_word_ends_at(c)) {
			break;
		} else if (c == '\\') {
			read_escaped(r, &w);
		} else if (c == '\'' || c == '"') {
			w.plain = false;
			(c == '"' ? read_double_quoted : read_single_quoted)(r);
		} else if (c == '$') {
			w.plain = false;
			read_dollar(r, false);
		} else if (c == '`') {
			w.plain = false;
			read_backticks(r);
		} else {
			read_unquoted(r, &w, start, &brace);
		}
	}
	if (r->subscript)
		shell_reader_fail(r, "a subscript that does not end with its word");
	w.text = (struct str){ r->out + start, r->out_len - start };
	if (brace != SIZE_MAX)
		note_braces(r, &w, brace);
	return w;
}

bool
shell_word_is_assignment(struct str word)
{
	size_t i = 0;

	if (word.len == 0 || !is_name_start(word.ptr[0]))
		return false;
	while (i < word.len && (is_name_start(word.ptr[i]) || is_digit(word.ptr[i])))
		i++;
	if (i < word.len && word.ptr[i] == '+')
		i++;
	return i < word.len && (word.ptr[i] == '=' || word.ptr[i] == '[') &&
	       str_contains(word, STR("="));
}
