#include "core/shell_split.h"

#include "core/shell_split_private.h"

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

void
shell_split_note_source(struct splitter *s, size_t from)
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

enum keyword {
	KEYWORD_NONE,
	KEYWORD_BANG,
	KEYWORD_TIME,
	KEYWORD_PREFIX,
	KEYWORD_END,
	KEYWORD_HEAD,
	KEYWORD_ODD,
};

/* BANG, TIME and PREFIX: a command follows. END: closes a compound (what opened it is flagged). HEAD:
 * the words behind it are its own. ODD: what follows is a name, or a command, or both. */
static enum keyword
keyword_of(struct str word)
{
	static const struct {
		const char *word;
		enum keyword kind;
	} KEYWORDS[] = {
		{ "!", KEYWORD_BANG },       { "time", KEYWORD_TIME },
		{ "if", KEYWORD_PREFIX },    { "then", KEYWORD_PREFIX },
		{ "elif", KEYWORD_PREFIX },  { "else", KEYWORD_PREFIX },
		{ "while", KEYWORD_PREFIX }, { "until", KEYWORD_PREFIX },
		{ "do", KEYWORD_PREFIX },    { "coproc", KEYWORD_ODD },
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

	if (kind == KEYWORD_TIME && s->piped)
		return false;
	if (kind == KEYWORD_ODD)
		shell_reader_fail(&s->r, "a coprocess");
	s->piped = false;
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
	if (kind == KEYWORD_TIME)
		s->time = TIME_SAID;
	if (kind == KEYWORD_END)
		s->after_group = true;
	else
		shell_split_note_source(s, w->source_at);
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
	shell_split_note_source(s, w->source_at);
}

/* `time -p --`: they are no words of the command. */
static bool
take_time_option(struct splitter *s, const struct shell_word *w)
{
	bool ends = s->time != TIME_NONE && str_eq(w->text, STR("--"));
	bool option = s->time == TIME_SAID && str_eq(w->text, STR("-p"));

	s->time = option ? TIME_OPTION : TIME_NONE;
	return ends || option;
}

enum { DESCRIPTOR_DIGITS_MAX = 9 };

/* A word with a redirection directly behind it: is it the redirection's descriptor? */
static bool
is_descriptor_before(struct splitter *s, const struct shell_word *w)
{
	char next = shell_reader_peek(&s->r, 0);

	if (!w->plain || (next != '<' && next != '>'))
		return false;
	if (str_starts(w->text, STR("{")) && str_ends(w->text, STR("}")))
		shell_reader_fail(&s->r, "a redirection that sets a variable");
	if (shell_split_is_number(w->text) && w->text.len > DESCRIPTOR_DIGITS_MAX)
		shell_reader_fail(&s->r, "a descriptor of too many digits");
	return shell_split_is_number(w->text);
}

/* The third word of `for x do`, where the commands begin. */
static bool
begins_body(const struct splitter *s, const struct shell_word *w)
{
	const struct shell_command *c = &s->now;

	return c->word_count == 2 && (c->unsafe & SHELL_KEYWORD) && w->plain &&
	       (str_eq(w->text, STR("do")) || str_eq(w->text, STR("{")));
}

/* Bash writes the command of a substitution anew before it runs it, redirections last: a word that they
 * kept from being a keyword becomes one. */
static bool
becomes_keyword(const struct splitter *s, const struct shell_word *w)
{
	return s->nested && s->begun && s->now.word_count == 0 && w->plain &&
	       (keyword_of(w->text) != KEYWORD_NONE || str_eq(w->text, STR("{")) ||
		str_eq(w->text, STR("}")));
}

bool
shell_split_hides_line_end(const struct splitter *s, const struct shell_word *w)
{
	struct str source = str_slice(s->r.in, w->source_at, s->r.at);

	return s->here_doc_count > 0 && !w->plain && str_contains(source, STR("\n"));
}

static void
take_word(struct splitter *s)
{
	size_t start = s->r.out_len;
	struct shell_word w;

	if (s->now.word_count > 0)
		s->r.out[s->r.out_len++] = ' ';
	w = shell_word_read(&s->r);
	if (shell_split_hides_line_end(s, &w) || begins_body(s, &w) || becomes_keyword(s, &w))
		shell_reader_fail(&s->r, "a line end, a body or a keyword inside a command");
	if (is_descriptor_before(s, &w)) {
		s->r.out_len = start; /* of the redirection that follows */
		shell_split_note_source(s, w.source_at);
	} else if (w.plain && !s->begun && take_time_option(s, &w)) {
		s->r.out_len = start;
	} else if (w.plain && !s->begun && take_keyword(s, &w)) {
		s->r.out_len = start;
	} else if (s->after_group) {
		shell_reader_fail(&s->r, "words follow a closed group");
	} else if (!s->r.error) {
		add_word(s, &w);
	}
}

/* At one of ; & && || | |& or a line end. */
static void
take_separator(struct splitter *s, char c, char next)
{
	bool complete = s->begun || s->after_group;

	if (c == '\n') { /* ends a command, or stands where one may still come */
		s->dangling = s->dangling && !complete;
		s->piped = s->piped && !complete;
	} else {
		if (!complete && !s->in_case)
			shell_reader_fail(&s->r, "an operator without a command before it");
		s->dangling = c == '|' || (c == '&' && next == '&');
		s->piped = c == '|' && next != '|';
	}
	end_command(s);
}

/* At `((` where a command begins: arithmetic for sure, or not ours to read. */
static void
take_arithmetic(struct splitter *s)
{
	s->now.unsafe |= SHELL_KEYWORD;
	shell_split_note_source(s, s->r.at);
	shell_reader_skip_arithmetic(&s->r, s->r.at + 1);
	shell_split_note_source(s, s->r.at);
	s->after_group = true;
}

static void
take_operator(struct splitter *s)
{
	char c = shell_reader_peek(&s->r, 0), next = shell_reader_peek(&s->r, 1);

	s->time = TIME_NONE;
	if (c == '<' || c == '>' || (c == '&' && next == '>')) {
		shell_split_take_redirect(s);
		return;
	}
	if (c == '(') {
		if (s->begun || s->after_group)
			shell_reader_fail(&s->r, "a function or an array");
		s->piped = false;
		if (next == '(') {
			take_arithmetic(s);
			return;
		}
		open_group(s, c);
	} else if (c == ')') {
		close_group(s, '(');
	} else {
		take_separator(s, c, next);
	}
	if (s->r.error)
		return;
	s->r.at += (c == '&' && next == '&') || (c == '|' && (next == '|' || next == '&')) ? 2 : 1;
	shell_split_check_operator_ends(s, c == ';'   ? ";&"
					   : c == '&' ? "&>"
					   : c == '|' ? "|&"
						      : "(");
	if (c == '\n')
		shell_split_skip_here_docs(s);
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
	s->after_group = s->in_case = s->dangling = s->piped = false;
	s->time = TIME_NONE;
	begin_command(s);
	for (;;) {
		shell_split_skip_blanks(s);
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
	s->nested = true;
	for (size_t i = 0; !s->r.error && i < s->r.nested_count; i++)
		split_piece(s, s->r.nested[i]);
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
