#include "core/shell_scan.h"

static void scan_dollar(struct shell_scan *s, bool in_double);

static char
peek(const struct shell_scan *s, size_t ahead)
{
	return s->at + ahead < s->in.len ? s->in.ptr[s->at + ahead] : '\0';
}

static bool
goes_on(const struct shell_scan *s)
{
	return !s->failed && s->at < s->in.len;
}

static bool
ends_word(char c)
{
	return c == '\0' || strchr(" \t\n;&|()<>", c);
}

static void
tell(const struct shell_scan *s, size_t from, size_t to)
{
	if (s->found && !s->failed)
		s->found(s->ctx, from, to);
}

/* Behind an opening quote, to behind the closing one. */
static void
scan_single(struct shell_scan *s)
{
	size_t end;

	if (str_find(s->in, STR("'"), s->at, &end))
		s->at = end + 1;
	else
		s->failed = true;
}

/* At a backslash. A continued line inside a substitution is joined by some readers and not by others. */
static void
scan_escaped(struct shell_scan *s)
{
	s->failed |= peek(s, 1) == '\0' || peek(s, 1) == '\n';
	s->at += 2;
}

/* Behind $'. */
static void
scan_ansi(struct shell_scan *s)
{
	while (goes_on(s) && peek(s, 0) != '\'')
		s->at += peek(s, 0) == '\\' ? 2 : 1;
	s->failed |= s->at >= s->in.len;
	s->at++;
}

/* Its escapes are undone before the command is read, by rules of their own: then it is not ours to read. */
void
shell_scan_backticks(struct shell_scan *s)
{
	size_t from = s->at;

	while (goes_on(s) && peek(s, 0) != '`') {
		s->failed |= peek(s, 0) == '\\';
		s->at++;
	}
	s->failed |= s->at >= s->in.len;
	tell(s, from, s->at);
	s->at++;
}

/* Inside double quotes, at a byte that is not the closing one. */
static void
scan_in_double(struct shell_scan *s)
{
	char c = peek(s, 0);

	if (c == '\\' && peek(s, 1) == '\n') {
		s->at += 2;
	} else if (c == '\\') {
		scan_escaped(s);
	} else if (c == '`') {
		s->at++;
		shell_scan_backticks(s);
	} else if (c == '$') {
		scan_dollar(s, true);
	} else {
		s->at++;
	}
}

/* Behind the opening quote. */
static void
scan_double(struct shell_scan *s)
{
	while (goes_on(s) && peek(s, 0) != '"')
		scan_in_double(s);
	s->failed |= s->at >= s->in.len;
	s->at++;
}

void
shell_scan_text(struct shell_scan *s)
{
	while (goes_on(s))
		scan_in_double(s);
}

/* At an unquoted byte of a word, an expansion or arithmetic. */
static void
scan_unquoted(struct shell_scan *s)
{
	char c = peek(s, 0);

	if (c == '\\') {
		scan_escaped(s);
	} else if (c == '$') {
		scan_dollar(s, false);
	} else if (c == '\'' || c == '"' || c == '`') {
		s->at++;
		(c == '"' ? scan_double : c == '`' ? shell_scan_backticks : scan_single)(s);
	} else {
		s->at++;
	}
}

/* At a single quote inside double quotes: it is a quote to find the end, and a plain byte when it is
 * expanded. With nothing special up to the next one it is all the same. */
static void
scan_odd_quote(struct shell_scan *s)
{
	do
		s->at++;
	while (s->at < s->in.len && !strchr("'\"`$\\{}\n", peek(s, 0)));
	s->failed |= peek(s, 0) != '\'';
	s->at++;
}

/* `${ command; }` and `${|command; }` are newer shells' substitutions. */
void
shell_scan_brace(struct shell_scan *s, bool in_double)
{
	s->failed |= peek(s, 0) == '\0' || strchr(" \t\n|(;&", peek(s, 0));
	while (goes_on(s) && peek(s, 0) != '}') {
		char c = peek(s, 0);

		if ((c == '<' || c == '>') && peek(s, 1) == '(')
			s->failed = true;
		else if (c == '\'' && in_double)
			scan_odd_quote(s);
		else
			scan_unquoted(s);
	}
	s->failed |= s->at >= s->in.len;
	s->at++;
}

/* Arithmetic for sure if the inner brackets match: else bash runs it as a command. */
void
shell_scan_arithmetic(struct shell_scan *s)
{
	size_t open = 1;

	while (goes_on(s) && open > 0) {
		char c = peek(s, 0);

		if (c == '(') {
			open++;
			s->at++;
		} else if (c == ')') {
			open--;
			s->at++;
			s->failed |= open == 1 && peek(s, 0) != ')';
		} else if (c == '$') {
			scan_dollar(s, false);
		} else {
			s->failed |= c == '\\' || c == '\'' || c == '"' || c == '`' || c == '\n';
			s->at++;
		}
	}
	s->failed |= open > 0;
}

void
shell_scan_old_arithmetic(struct shell_scan *s)
{
	while (goes_on(s) && peek(s, 0) != ']') {
		s->failed |= ends_word(peek(s, 0)) || strchr("\\'\"`$[", peek(s, 0));
		s->at++;
	}
	s->failed |= s->at >= s->in.len;
	s->at++;
}

/* At "$(". */
static void
scan_substitution(struct shell_scan *s)
{
	size_t from = s->at + 2;
	shell_scan_fn *found = s->found;

	s->at = from;
	if (peek(s, 0) == '(') {
		shell_scan_arithmetic(s);
		return;
	}
	s->found = NULL;
	shell_scan_command(s);
	s->found = found;
	tell(s, from, s->at - 1);
}

static void
scan_dollar(struct shell_scan *s, bool in_double)
{
	char next = peek(s, 1);

	if (s->depth == SHELL_SCAN_DEPTH_MAX) {
		s->failed = true;
		return;
	}
	s->depth++;
	if (next == '(') {
		scan_substitution(s);
	} else if (next == '{') {
		s->at += 2;
		shell_scan_brace(s, in_double);
	} else if (next == '[') {
		s->at += 2;
		shell_scan_old_arithmetic(s);
	} else if (next == '\'' && !in_double) {
		s->at += 2;
		scan_ansi(s);
	} else {
		s->failed |= next == '\\' && peek(s, 2) == '\n';
		s->at += next == '$' ? 2 : 1;
	}
	s->depth--;
}

/* ---- commands ---- */

struct scan_doc {
	struct str delimiter;
	bool strip_tabs, quoted;
};

struct scan_command {
	size_t open; /* brackets */
	struct scan_doc docs[SHELL_SCAN_HERE_DOCS_MAX];
	size_t doc_count;
};

/* The line end behind `<<`: the bodies are no commands. */
static void
scan_bodies(struct shell_scan *s, struct scan_command *c)
{
	for (size_t i = 0; i < c->doc_count; i++) {
		const struct scan_doc *doc = &c->docs[i];
		struct str line = { 0 }, rest;
		bool found = false;

		while (!found && goes_on(s)) {
			str_cut(str_slice(s->in, s->at, s->in.len), '\n', &line, &rest);
			s->at += line.len + 1;
			s->failed |= !doc->quoted && str_ends(line, STR("\\"));
			while (doc->strip_tabs && str_starts(line, STR("\t")))
				line = str_slice(line, 1, line.len);
			found = str_eq(line, doc->delimiter);
			/* Bash ends it there as well, where a bracket follows. */
			s->failed |= !found && str_starts(line, doc->delimiter) &&
				     str_contains(line, STR(")"));
		}
		s->failed |= !found;
	}
	c->doc_count = 0;
}

/* At `<<`. The word behind it is one plain word, or one in quotes. */
static void
scan_here_doc(struct shell_scan *s, struct scan_command *c)
{
	struct scan_doc doc = { 0 };
	size_t from, to;
	char quote;

	s->at += 2;
	doc.strip_tabs = peek(s, 0) == '-';
	s->at += doc.strip_tabs;
	while (peek(s, 0) == ' ' || peek(s, 0) == '\t')
		s->at++;
	quote = peek(s, 0);
	doc.quoted = quote == '\'' || quote == '"';
	s->at += doc.quoted;
	from = s->at;
	while (goes_on(s) && (doc.quoted ? peek(s, 0) != quote : !ends_word(peek(s, 0)))) {
		s->failed |= strchr("\\'\"`$\n", peek(s, 0)) != NULL;
		s->at++;
	}
	to = s->at;
	s->failed |= to == from || s->at >= s->in.len;
	s->at += doc.quoted;
	doc.delimiter = str_slice(s->in, from, to);
	s->failed |= !ends_word(peek(s, 0)) || c->doc_count == SHELL_SCAN_HERE_DOCS_MAX;
	if (!s->failed)
		c->docs[c->doc_count++] = doc;
}

static void
scan_word(struct shell_scan *s)
{
	size_t from = s->at;
	struct str word;

	while (goes_on(s) && !ends_word(peek(s, 0)))
		scan_unquoted(s);
	word = str_slice(s->in, from, s->at);
	/* In the one a bracket has no partner, the other is not written anew as it was (core/shell_split). */
	s->failed |=
		str_eq(word, STR("case")) || str_eq(word, STR("[[")) || str_eq(word, STR("coproc"));
}

/* At an operator. */
static void
scan_operator(struct shell_scan *s, struct scan_command *c)
{
	char here = peek(s, 0), next = peek(s, 1);

	if (here == '<' && next == '<' && peek(s, 2) == '<') {
		s->at += 3;
	} else if (here == '<' && next == '<') {
		scan_here_doc(s, c);
	} else {
		s->failed |= here == '(' && next == '('; /* two groups, or arithmetic */
		c->open += here == '(';
		c->open -= here == ')';
		s->at++;
		if (here == '\n')
			scan_bodies(s, c);
	}
	s->failed |= c->open > 0 && peek(s, 0) == '\\' && peek(s, 1) == '\n';
}

static void
scan_comment(struct shell_scan *s)
{
	while (goes_on(s) && peek(s, 0) != '\n')
		s->at++;
}

void
shell_scan_command(struct shell_scan *s)
{
	struct scan_command c = { .open = 1 };

	while (goes_on(s) && c.open > 0) {
		char here = peek(s, 0);

		if (here == ' ' || here == '\t')
			s->at += peek(s, 1) == '\\' && peek(s, 2) == '\n' ? 3 : 1;
		else if (here == '#')
			scan_comment(s);
		else if (ends_word(here))
			scan_operator(s, &c);
		else
			scan_word(s);
	}
	s->failed |= c.open > 0 || c.doc_count > 0;
}
