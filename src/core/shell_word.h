/* shell_word - what is the next word of a shell command line, without its quotes?
 * The lexical half of core/shell_split: quotes, escapes, line continuations, and everything a
 * shell would replace. Nothing is replaced here: it is taken over as written and flagged. */
#pragma once
#include <stdbool.h>
#include "base/str.h"

/* Substitutions looked into in one line, those inside others included. */
enum { SHELL_NESTED_MAX = 32 };

/* Why the text alone does not say what will happen; combine with |. */
enum shell_unsafe {
	SHELL_SUBSTITUTION = 1 << 0, /* $(...) and backticks */
	SHELL_EXPANSION = 1 << 1,    /* $name ${...} $((...)) $'...' ~ {a,b} */
	SHELL_GLOB = 1 << 2,         /* * ? [...]: file names become arguments */
	SHELL_HERE_DOC = 1 << 3,     /* << and <<< */
	SHELL_PROCESS = 1 << 4,      /* <(...) and >(...) */
	SHELL_ASSIGNMENT = 1 << 5,   /* A=b before or instead of a command: PATH, LD_PRELOAD */
	SHELL_KEYWORD = 1 << 6,      /* if, for, while, case, function, [[ and their kin */
	SHELL_CONTROL = 1 << 7,      /* control bytes: what a person is shown is not what runs */
	SHELL_ODD_NAME = 1 << 8, /* a command name with blanks in it reads like another command */
};

struct shell_reader {
	struct str in;
	size_t at;
	char *out; /* in.len bytes given by the caller; receives the unquoted text */
	size_t out_len;
	unsigned unsafe;                     /* collected since the caller last cleared it */
	struct str nested[SHELL_NESTED_MAX]; /* commands inside substitutions, not yet split */
	size_t nested_count;
	const char *error; /* the first one; nothing is read behind it */
	bool full;         /* it was a limit, not the text */
	bool subscript;    /* a bracket behind a name is open in this word */
};

struct shell_word {
	struct str text;  /* in reader->out */
	bool plain;       /* nothing in it was quoted, escaped or replaced: it may be a keyword */
	size_t source_at; /* of its first byte in reader->in */
};

/* At the first byte of a word; reads up to the blank or operator that ends it. */
struct shell_word shell_word_read(struct shell_reader *r);
/* NAME=..., NAME+=... or NAME[...]=... */
bool shell_word_is_assignment(struct str word);
/* Blank, line end or operator byte. */
bool shell_word_ends_at(char c);

/* The body of a here-document: what is substituted in it is kept to be split. */
void shell_reader_look_into(struct shell_reader *r, size_t from, size_t to);
/* Behind the first bracket of "((": to behind the last, with what is substituted inside kept. */
void shell_reader_skip_arithmetic(struct shell_reader *r, size_t from);
/* Stops reading: the text is wrong, or a limit is reached. */
void shell_reader_fail(struct shell_reader *r, const char *why);
void shell_reader_full(struct shell_reader *r, const char *why);
/* The byte `ahead` of the current one; NUL past the end. */
char shell_reader_peek(const struct shell_reader *r, size_t ahead);
bool shell_reader_at_end(const struct shell_reader *r);
