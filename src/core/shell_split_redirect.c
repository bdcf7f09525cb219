/* shell_split_redirect - redirections of a command, and the here-documents that they owe. */
#include "core/shell_split_private.h"

bool
shell_split_is_number(struct str word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word.ptr[i] < '0' || word.ptr[i] > '9')
			return false;
	return word.len > 0;
}

enum redirect_kind {
	REDIRECT_FILE,
	REDIRECT_DUPLICATE,
	REDIRECT_HERE_DOC,
	REDIRECT_HERE_STRING,
};

struct redirect_operator {
	const char *text;
	enum redirect_kind kind;
	enum shell_direction direction;
};

/* At one of < > &>. */
static const struct redirect_operator *
read_operator(struct splitter *s)
{
	/* Longest first. */
	static const struct redirect_operator OPERATORS[] = {
		{ "&>>", REDIRECT_FILE, SHELL_WRITES },
		{ "<<<", REDIRECT_HERE_STRING, SHELL_READS },
		{ "<<-", REDIRECT_HERE_DOC, SHELL_READS },
		{ "&>", REDIRECT_FILE, SHELL_WRITES },
		{ ">>", REDIRECT_FILE, SHELL_WRITES },
		{ ">|", REDIRECT_FILE, SHELL_WRITES },
		{ ">&", REDIRECT_DUPLICATE, SHELL_WRITES },
		{ "<<", REDIRECT_HERE_DOC, SHELL_READS },
		{ "<&", REDIRECT_DUPLICATE, SHELL_READS },
		{ "<>", REDIRECT_FILE, SHELL_READS_AND_WRITES },
		{ ">", REDIRECT_FILE, SHELL_WRITES },
		{ "<", REDIRECT_FILE, SHELL_READS },
	};
	struct str rest = str_slice(s->r.in, s->r.at, s->r.in.len);
	const struct redirect_operator *op = OPERATORS;

	while (!str_starts(rest, str_of(op->text)))
		op++;
	s->r.at += strlen(op->text);
	return op;
}

/* `2>&1`, `>&-`, `2>&1-`: what follows names a descriptor, not a file. */
static bool
is_descriptor(struct str word)
{
	if (str_ends(word, STR("-")))
		word.len--;
	return word.len == 0 || shell_split_is_number(word);
}

static void
add_redirect(struct splitter *s, const struct redirect_operator *op, struct str target)
{
	if (op->kind == REDIRECT_DUPLICATE && is_descriptor(target))
		return;
	if (str_eq(target, STR("/dev/null")))
		return;
	if (s->redirect_count == SHELL_REDIRECTS_MAX) {
		shell_reader_full(&s->r, "too many redirections");
		return;
	}
	s->redirects[s->redirect_count++] =
		(struct shell_redirect){ op->direction, arena_str(s->a, target) };
	s->now.redirect_count++;
}

/* A word that is not plain is quoted, which makes the body mere text. */
static void
add_here_doc(struct splitter *s, const struct redirect_operator *op, const struct shell_word *w)
{
	struct str source = str_slice(s->r.in, w->source_at, s->r.at);

	if (str_contains(source, STR("$")) || str_contains(source, STR("`")) ||
	    (s->r.unsafe & SHELL_PROCESS))
		shell_reader_fail(&s->r, "a here-document without a plain end");
	if (s->here_doc_count == SHELL_HERE_DOCS_MAX) {
		shell_reader_full(&s->r, "too many here-documents");
		return;
	}
	s->here_docs[s->here_doc_count++] = (struct here_doc){
		.delimiter = arena_str(s->a, w->text),
		.strip_tabs = str_ends(str_of(op->text), STR("-")),
		.quoted = !w->plain,
	};
}

void
shell_split_skip_blanks(struct splitter *s)
{
	for (;;) {
		char c = shell_reader_peek(&s->r, 0);

		if (c == ' ' || c == '\t')
			s->r.at++;
		else if (c == '\\' && shell_reader_peek(&s->r, 1) == '\n')
			s->r.at += 2;
		else
			return;
	}
}

void
shell_split_check_operator_ends(struct splitter *s, const char *goes_on)
{
	size_t ahead = 0;
	char next;

	while (shell_reader_peek(&s->r, ahead) == '\\' &&
	       shell_reader_peek(&s->r, ahead + 1) == '\n')
		ahead += 2;
	next = shell_reader_peek(&s->r, ahead);
	if (ahead > 0 && (!goes_on || (next && strchr(goes_on, next))))
		shell_reader_fail(&s->r, "a line is continued inside an operator");
}

void
shell_split_take_redirect(struct splitter *s)
{
	size_t from = s->r.at, start = s->r.out_len;
	const struct redirect_operator *op = read_operator(s);
	struct shell_word target;

	s->begun = true;
	shell_split_note_source(s, from);
	shell_split_check_operator_ends(s, NULL);
	shell_split_skip_blanks(s);
	if (op->kind == REDIRECT_DUPLICATE && shell_reader_peek(&s->r, 0) == '-') {
		s->r.at++; /* it is closed, and whatever stands behind begins another word */
		shell_split_note_source(s, from);
		return;
	}
	if (shell_reader_at_end(&s->r) || shell_word_ends_at(shell_reader_peek(&s->r, 0))) {
		shell_reader_fail(&s->r, "a redirection without its target");
		return;
	}
	target = shell_word_read(&s->r);
	shell_split_note_source(s, from);
	if (shell_split_hides_line_end(s, &target))
		shell_reader_fail(&s->r, "a line end inside a redirection");
	if (op->kind == REDIRECT_DUPLICATE && !target.plain)
		shell_reader_fail(&s->r,
				  "a duplication of what is not plain"); /* bash expands it twice */
	if (op->kind == REDIRECT_HERE_DOC || op->kind == REDIRECT_HERE_STRING)
		s->now.unsafe |= SHELL_HERE_DOC;
	if (op->kind == REDIRECT_HERE_DOC)
		add_here_doc(s, op, &target);
	else if (op->kind != REDIRECT_HERE_STRING)
		add_redirect(s, op, target.text);
	s->r.out_len = start;
}

/* To behind the line that ends it. */
static void
skip_here_doc(struct splitter *s, const struct here_doc *doc)
{
	size_t from = s->r.at, to = s->r.in.len;
	struct str line = { 0 }, rest;
	bool found = false;

	while (!found && !shell_reader_at_end(&s->r)) {
		to = s->r.at;
		str_cut(str_slice(s->r.in, s->r.at, s->r.in.len), '\n', &line, &rest);
		s->r.at += line.len + 1;
		if (!doc->quoted && str_ends(line, STR("\\")))
			shell_reader_fail(&s->r, "a line is continued inside a here-document");
		while (doc->strip_tabs && str_starts(line, STR("\t")))
			line = str_slice(line, 1, line.len);
		found = str_eq(line, doc->delimiter);
	}
	if (!doc->quoted)
		shell_reader_look_into(&s->r, from, found ? to : s->r.in.len);
}

void
shell_split_skip_here_docs(struct splitter *s)
{
	for (size_t i = 0; i < s->here_doc_count && !s->r.error; i++)
		skip_here_doc(s, &s->here_docs[i]);
	s->here_doc_count = 0;
}
