#include "core/shell_word.h"

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
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool
shell_word_ends_at(char c)
{
	return is_blank(c) || (c != '\0' && strchr("\n;&|()<>", c));
}

/* Behind the byte that closes what was opened just before `at`; in.len + 1 when nothing does.
 * Quotes are respected, comments are not: a miss can only make a flagged command unreadable. */
static size_t
close_of(const struct shell_reader *r, size_t at, char open, char close)
{
	size_t depth = 1;
	bool in_double = false;

	for (; at < r->in.len; at++) {
		char c = r->in.ptr[at];

		if (c == '\\') {
			at++;
		} else if (c == '"') {
			in_double = !in_double;
		} else if (c == '\'' && !in_double) {
			if (!str_find(r->in, STR("'"), at + 1, &at))
				break;
		} else if (!in_double && c == open) {
			depth++;
		} else if (!in_double && c == close && --depth == 0) {
			return at + 1;
		}
	}
	return r->in.len + 1;
}

static void
look_into(struct shell_reader *r, size_t from, size_t to)
{
	if (r->nested_count == SHELL_NESTED_MAX)
		shell_reader_full(r, "too many substitutions");
	else
		r->nested[r->nested_count++] = str_slice(r->in, from, to);
}

/* At two bytes that open a bracket ("$(", "<(", "${"): takes all of it over as written. */
static void
read_bracketed(struct shell_reader *r, char open, char close, unsigned unsafe)
{
	size_t from = r->at + 2, end = close_of(r, from, open, close);

	r->unsafe |= unsafe;
	if (end > r->in.len) {
		shell_reader_fail(r, "unclosed substitution or expansion");
		return;
	}
	struct str inside = str_slice(r->in, from, end - 1);

	if (open == '(' || str_contains(inside, STR("$(")) || str_contains(inside, STR("`")))
		look_into(r, from, end - 1);
	put_raw(r, end);
}

static void
read_backticks(struct shell_reader *r)
{
	size_t from = r->at + 1, to = from;

	while (to < r->in.len && r->in.ptr[to] != '`')
		to += r->in.ptr[to] == '\\' ? 2 : 1;
	r->unsafe |= SHELL_SUBSTITUTION;
	if (to >= r->in.len) {
		shell_reader_fail(r, "unclosed backtick");
		return;
	}
	look_into(r, from, to);
	put_raw(r, to + 1);
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

static void
read_dollar(struct shell_reader *r, bool in_double)
{
	char next = shell_reader_peek(r, 1);

	if (next == '(') {
		read_bracketed(r, '(', ')', SHELL_SUBSTITUTION);
	} else if (next == '{') {
		read_bracketed(r, '{', '}', SHELL_EXPANSION);
	} else if (next == '\'' && !in_double) {
		read_ansi_quoted(r);
	} else if (next == '"' && !in_double) {
		r->unsafe |= SHELL_EXPANSION; /* translated text */
		r->at++;
	} else {
		/* A shell joins continued lines first, so "$\\\n(" is a substitution as well. */
		bool continued = next == '\\' && shell_reader_peek(r, 2) == '\n';

		if (continued || is_name_start(next) || is_digit(next) ||
		    (next && strchr("@*#?$!-[", next)))
			r->unsafe |= SHELL_EXPANSION;
		put_raw(r, r->at + (continued || !next || !strchr("*?[", next) ? 1 : 2));
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

/* At a backslash. */
static void
read_escaped(struct shell_reader *r, struct shell_word *w)
{
	if (r->at + 1 >= r->in.len) {
		shell_reader_fail(r, "ends in a backslash");
		return;
	}
	if (shell_reader_peek(r, 1) != '\n') {
		w->plain = false;
		put(r, shell_reader_peek(r, 1));
	}
	r->at += 2;
}

/* What an unquoted byte means beyond itself. A word that is only `[` is the test command. */
static void
note_unquoted(struct shell_reader *r, char c, bool first)
{
	char next = shell_reader_peek(r, 1);
	bool alone = first && (next == '\0' || shell_word_ends_at(next));

	if (c == '*' || c == '?' || (c == '[' && !alone))
		r->unsafe |= SHELL_GLOB;
	if (c == '~' && first)
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

/* Reads one word behind what is already in out. */
struct shell_word
shell_word_read(struct shell_reader *r)
{
	size_t start = r->out_len, brace = SIZE_MAX;
	struct shell_word w = { .plain = true, .source_at = r->at };

	while (!shell_reader_at_end(r)) {
		char c = shell_reader_peek(r, 0);

		if ((c == '<' || c == '>') && shell_reader_peek(r, 1) == '(') {
			read_bracketed(r, '(', ')', SHELL_PROCESS);
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
			if (c == '{' && brace == SIZE_MAX)
				brace = r->out_len - start;
			note_unquoted(r, c, r->out_len == start);
			put(r, c);
			r->at++;
		}
	}
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
