/* shell_split_private - what the parts of core/shell_split share. */
#pragma once
#include "core/shell_split.h"

struct here_doc {
	struct str delimiter;
	bool strip_tabs; /* <<- */
	bool quoted;     /* the body is text and nothing else */
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
	bool piped;       /* behind |: time is a command there, no keyword */
	enum {
		TIME_NONE,
		TIME_SAID,   /* -p or -- may follow */
		TIME_OPTION, /* -- may follow */
	} time;
	bool nested; /* the piece is the inside of a substitution */
	unsigned unsafe_everywhere;

	char open[SHELL_DEPTH_MAX];
	size_t depth;
	struct here_doc here_docs[SHELL_HERE_DOCS_MAX];
	size_t here_doc_count;
};

/* shell_split.c */
/* The command's source reaches from here to where the reader is. */
void shell_split_note_source(struct splitter *s, size_t from);
/* Words that go on over a line end while here-documents wait for it. */
bool shell_split_hides_line_end(const struct splitter *s, const struct shell_word *w);

/* shell_split_redirect.c */
bool shell_split_is_number(struct str word);
/* Blanks and continued lines. */
void shell_split_skip_blanks(struct splitter *s);
/* At what follows an operator; goes_on: the bytes that would make it another, NULL: any. The shell joins
 * continued lines first: `>\` and `>f` on the next line are `>>f`. */
void shell_split_check_operator_ends(struct splitter *s, const char *goes_on);
/* At one of < > &>. */
void shell_split_take_redirect(struct splitter *s);
/* Behind the line end that follows their operators: the bodies are data, but for what is substituted
 * in them. */
void shell_split_skip_here_docs(struct splitter *s);
