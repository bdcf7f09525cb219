#include "core/shell_split.h"

struct here_doc {
	struct str delimiter;
	bool strip_tabs; /* <<- */
};

/* One pass over one piece of text: the line itself, or the inside of a substitution. The arrays
 * and their counts go on across pieces. */
struct splitter {
	struct arena *a;
	struct shell_reader r;

	struct shell_command *commands;
	size_t command_count;
	struct str *words;
	size_t word_count;
	struct shell_redirect *redirects;
	size_t redirect_count;

	struct shell_command now; /* the command being read */
	size_t source_end;
	bool begun;       /* it has a word or a redirection: keywords and groups are over */
	bool after_group; /* only redirections and separators may follow `)` and `}` */
	bool in_case;     /* then a lone `)` ends a pattern */
	bool dangling;    /* behind && || |: a command must follow */
	unsigned unsafe_everywhere;

	char open[SHELL_DEPTH_MAX];
	size_t depth;
	struct here_doc here_docs[SHELL_HERE_DOCS_MAX];
	size_t here_doc_count;
};

static bool
is_number(struct str word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word.ptr[i] < '0' || word.ptr[i] > '9')
			return false;
	return word.len > 0;
}

static bool
has_blank(struct str word)
{
	return str_contains(word, STR(" ")) || str_contains(word, STR("\t")) ||
	       str_contains(word, STR("\n"));
}

static bool
is_control(unsigned char c)
{
	return (c < ' ' && c != '\t' && c != '\n') || c == 0x7f;
}

static void
note_source(struct splitter *s, size_t from)
{
	if (!s->now.source.ptr)
		s->now.source.ptr = s->r.in.ptr + from;
	s->source_end = s->r.at;
}

static void
begin_command(struct splitter *s)
{
	s->r.unsafe = 0;
	s->begun = false;
	s->now = (struct shell_command){ .words = s->words + s->word_count,
					 .redirects = s->redirects + s->redirect_count };
}

/* Keeps the command just read, unless it is nothing; a flag alone is something (`<<EOF`). */
static void
end_command(struct splitter *s)
{
	struct shell_command *c = &s->now;

	s->after_group = false;
	c->unsafe |= s->r.unsafe;
	if (c->word_count > 0 || c->redirect_count > 0 || c->unsafe) {
		if (s->command_count == SHELL_COMMANDS_MAX) {
			shell_reader_full(&s->r, "too many commands");
			return;
		}
		if (c->word_count > 0) {
			const struct str *last = &c->words[c->word_count - 1];

			c->text.ptr = c->words[0].ptr;
			c->text.len = (size_t)(last->ptr + last->len - c->text.ptr);
		}
		c->source.len = (size_t)(s->r.in.ptr + s->source_end - c->source.ptr);
		c->unsafe |= s->unsafe_everywhere;
		s->commands[s->command_count++] = *c;
	}
	begin_command(s);
}

/* Before a separator, a closing bracket or the end: a command that an operator asked for is there. */
static void
check_follows(struct splitter *s)
{
	if (s->dangling && !s->begun && !s->after_group)
		shell_reader_fail(&s->r, "an operator without a command behind it");
}

static void
open_group(struct splitter *s, char bracket)
{
	if (s->depth == SHELL_DEPTH_MAX)
		shell_reader_full(&s->r, "groups nested too deeply");
	else
		s->open[s->depth++] = bracket;
}

static void
close_group(struct splitter *s, char bracket)
{
	check_follows(s);
	s->dangling = false;
	end_command(s);
	if (s->depth == 0 || s->open[s->depth - 1] != bracket) {
		if (bracket != '(' || !s->in_case)
			shell_reader_fail(&s->r, "a group is closed that was not opened");
		return;
	}
	s->depth--;
	s->after_group = true;
}

enum keyword { KEYWORD_NONE, KEYWORD_HARMLESS, KEYWORD_PREFIX, KEYWORD_END, KEYWORD_HEAD };

/* HARMLESS and PREFIX: a command follows. END: closes a compound (what opened it is flagged). HEAD:
 * the words behind it are its own. */
static enum keyword
keyword_of(struct str word)
{
	static const struct {
		const char *word;
		enum keyword kind;
	} KEYWORDS[] = {
		{ "!", KEYWORD_HARMLESS },   { "time", KEYWORD_HARMLESS },
		{ "if", KEYWORD_PREFIX },    { "then", KEYWORD_PREFIX },
		{ "elif", KEYWORD_PREFIX },  { "else", KEYWORD_PREFIX },
		{ "while", KEYWORD_PREFIX }, { "until", KEYWORD_PREFIX },
		{ "do", KEYWORD_PREFIX },    { "coproc", KEYWORD_PREFIX },
		{ "fi", KEYWORD_END },       { "done", KEYWORD_END },
		{ "esac", KEYWORD_END },     { "for", KEYWORD_HEAD },
		{ "case", KEYWORD_HEAD },    { "select", KEYWORD_HEAD },
		{ "[[", KEYWORD_HEAD },      { "function", KEYWORD_HEAD },
	};

	for (size_t i = 0; i < ARRAY_LEN(KEYWORDS); i++)
		if (str_eq(word, str_of(KEYWORDS[i].word)))
			return KEYWORDS[i].kind;
	return KEYWORD_NONE;
}

/* Handles a plain word where a command begins; true when it is no word of the command. */
static bool
take_keyword(struct splitter *s, const struct shell_word *w)
{
	enum keyword kind = keyword_of(w->text);

	if (str_eq(w->text, STR("{"))) {
		open_group(s, '{');
		return true;
	}
	if (str_eq(w->text, STR("}"))) {
		close_group(s, '{');
		return true;
	}
	if (kind == KEYWORD_NONE)
		return false;
	if (kind == KEYWORD_PREFIX || kind == KEYWORD_HEAD)
		s->now.unsafe |= SHELL_KEYWORD;
	if (kind == KEYWORD_END)
		s->after_group = true;
	else
		note_source(s, w->source_at);
	if (str_eq(w->text, STR("case")))
		s->in_case = true;
	return kind != KEYWORD_HEAD;
}

static void
add_word(struct splitter *s, const struct shell_word *w)
{
	if (s->word_count == SHELL_WORDS_MAX) {
		shell_reader_full(&s->r, "too many words");
		return;
	}
	if (s->now.word_count == 0 && shell_word_is_assignment(w->text))
		s->now.unsafe |= SHELL_ASSIGNMENT;
	if (s->now.word_count == 0 && has_blank(w->text))
		s->now.unsafe |= SHELL_ODD_NAME;
	s->words[s->word_count++] = w->text;
	s->now.word_count++;
	s->begun = true;
	note_source(s, w->source_at);
}

static void
take_word(struct splitter *s)
{
	size_t start = s->r.out_len;
	struct shell_word w;
	char next;

	if (s->now.word_count > 0)
		s->r.out[s->r.out_len++] = ' ';
	w = shell_word_read(&s->r);
	next = shell_reader_peek(&s->r, 0);
	if (w.plain && is_number(w.text) && (next == '<' || next == '>')) {
		s->r.out_len = start; /* the descriptor of the redirection that follows */
		note_source(s, w.source_at);
	} else if (w.plain && !s->begun && take_keyword(s, &w)) {
		s->r.out_len = start;
	} else if (s->after_group) {
		shell_reader_fail(&s->r, "words follow a closed group");
	} else if (!s->r.error) {
		add_word(s, &w);
	}
}

enum redirect_kind {
	REDIRECT_FILE,
	REDIRECT_DUPLICATE,
	REDIRECT_CLOSE,
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
		{ ">&-", REDIRECT_CLOSE, SHELL_WRITES },
		{ "<&-", REDIRECT_CLOSE, SHELL_READS },
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
	return word.len == 0 || is_number(word);
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

static void
add_here_doc(struct splitter *s, const struct redirect_operator *op, struct str delimiter)
{
	if (s->here_doc_count == SHELL_HERE_DOCS_MAX) {
		shell_reader_full(&s->r, "too many here-documents");
		return;
	}
	s->here_docs[s->here_doc_count++] = (struct here_doc){
		.delimiter = arena_str(s->a, delimiter),
		.strip_tabs = str_ends(str_of(op->text), STR("-")),
	};
}

/* Blanks and continued lines. */
static void
skip_blanks(struct splitter *s)
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

static void
take_redirect(struct splitter *s)
{
	size_t from = s->r.at, start = s->r.out_len;
	const struct redirect_operator *op = read_operator(s);
	struct shell_word target;

	s->begun = true;
	note_source(s, from);
	if (op->kind == REDIRECT_CLOSE)
		return;
	skip_blanks(s);
	if (shell_reader_at_end(&s->r) || shell_word_ends_at(shell_reader_peek(&s->r, 0))) {
		shell_reader_fail(&s->r, "a redirection without its target");
		return;
	}
	target = shell_word_read(&s->r);
	note_source(s, from);
	if (op->kind == REDIRECT_HERE_DOC || op->kind == REDIRECT_HERE_STRING)
		s->now.unsafe |= SHELL_HERE_DOC;
	if (op->kind == REDIRECT_HERE_DOC)
		add_here_doc(s, op, target.text);
	else if (op->kind != REDIRECT_HERE_STRING)
		add_redirect(s, op, target.text);
	s->r.out_len = start;
}

/* Behind the line end that follows their operators: the bodies are data, not commands. */
static void
skip_here_docs(struct splitter *s)
{
	for (size_t i = 0; i < s->here_doc_count; i++) {
		const struct here_doc *doc = &s->here_docs[i];
		struct str line = { 0 }, rest;
		bool found = false;

		while (!found && !shell_reader_at_end(&s->r)) {
			str_cut(str_slice(s->r.in, s->r.at, s->r.in.len), '\n', &line, &rest);
			s->r.at += line.len + 1;
			while (doc->strip_tabs && str_starts(line, STR("\t")))
				line = str_slice(line, 1, line.len);
			found = str_eq(line, doc->delimiter);
		}
	}
	s->here_doc_count = 0;
}

/* At one of ; & && || | |& or a line end. */
static void
take_separator(struct splitter *s, char c, char next)
{
	bool complete = s->begun || s->after_group;

	if (c == '\n') { /* ends a command, or stands where one may still come */
		s->dangling = s->dangling && !complete;
	} else {
		if (!complete && !s->in_case)
			shell_reader_fail(&s->r, "an operator without a command before it");
		s->dangling = c == '|' || (c == '&' && next == '&');
	}
	end_command(s);
}

static void
take_operator(struct splitter *s)
{
	char c = shell_reader_peek(&s->r, 0), next = shell_reader_peek(&s->r, 1);

	if (c == '<' || c == '>' || (c == '&' && next == '>')) {
		take_redirect(s);
		return;
	}
	if (c == '(') {
		if (s->begun || s->after_group)
			shell_reader_fail(&s->r, "a function or an array");
		open_group(s, c);
	} else if (c == ')') {
		close_group(s, '(');
	} else {
		take_separator(s, c, next);
	}
	if (s->r.error)
		return;
	s->r.at += (c == '&' && next == '&') || (c == '|' && (next == '|' || next == '&')) ? 2 : 1;
	if (c == '\n')
		skip_here_docs(s);
}

static void
take_comment(struct splitter *s)
{
	while (!shell_reader_at_end(&s->r) && shell_reader_peek(&s->r, 0) != '\n')
		s->r.at++;
}

static void
split_piece(struct splitter *s, struct str text)
{
	s->r.in = text;
	s->r.at = s->r.out_len = 0;
	s->r.out = arena_alloc(s->a, text.len + 1);
	s->depth = s->here_doc_count = 0;
	s->after_group = s->in_case = s->dangling = false;
	begin_command(s);
	for (;;) {
		skip_blanks(s);
		if (shell_reader_at_end(&s->r))
			break;
		char c = shell_reader_peek(&s->r, 0), next = shell_reader_peek(&s->r, 1);
		bool substitutes = (c == '<' || c == '>') && next == '(';

		if (c == '#')
			take_comment(s);
		else if (shell_word_ends_at(c) && !substitutes)
			take_operator(s);
		else
			take_word(s);
	}
	if (!s->r.error) {
		check_follows(s);
		end_command(s);
	}
	if (s->depth > 0)
		shell_reader_fail(&s->r, "an unclosed group");
}

/* A line made of what was read; pieces found on the way are split in turn, without recursion. */
static void
split_all(struct splitter *s, struct str line)
{
	split_piece(s, line);
	for (size_t i = 0; !s->r.error && i < s->r.nested_count; i++) {
		split_piece(s, s->r.nested[i]);
		if (!s->r.full)
			s->r.error = NULL; /* unreadable inside (arithmetic, say): flagged anyway */
	}
}

int
shell_split(struct str line, struct arena *a, struct shell_line *out, struct err *e)
{
	struct splitter s = { .a = a };

	if (line.len > SHELL_LINE_MAX_BYTES)
		return err_set(e, ERR_INVALID, "the command is longer than %d bytes",
			       SHELL_LINE_MAX_BYTES);
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == '\0')
			return err_set(e, ERR_INVALID, "the command has a NUL byte");
		if (is_control((unsigned char)line.ptr[i]))
			s.unsafe_everywhere = SHELL_CONTROL;
	}
	s.commands = ARENA_ARRAY(a, SHELL_COMMANDS_MAX, struct shell_command);
	s.words = ARENA_ARRAY(a, SHELL_WORDS_MAX, struct str);
	s.redirects = ARENA_ARRAY(a, SHELL_REDIRECTS_MAX, struct shell_redirect);
	split_all(&s, line);
	if (s.r.error)
		return err_set(e, ERR_INVALID, "the command cannot be read: %s", s.r.error);
	*out = (struct shell_line){ s.commands, s.command_count };
	return 0;
}
