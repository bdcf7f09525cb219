/* shell_split - which simple commands would a shell run for this line?
 *
 * Takes a command line apart for approval matching: at ; & && || | |& and line ends, through
 * ( ) and { } groups, `!`, quotes, escapes, comments and line continuations. It runs nothing and
 * expands nothing: what only the shell could know is flagged unsafe on the command where it
 * stands. Substitutions are looked into, so that what they would run is seen as well.
 *
 * It refuses what it does not read exactly as bash does (functions, arrays, coprocesses, a line that is
 * continued inside an operator): a line read one way here and another way there would be a hole.
 * tests/shell compares the two (docs/decisions/0035). */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "core/shell_word.h"

enum {
	SHELL_LINE_MAX_BYTES = 64 * 1024,
	SHELL_COMMANDS_MAX = 256,
	SHELL_WORDS_MAX = 4096,
	SHELL_REDIRECTS_MAX = 128,
	SHELL_DEPTH_MAX = 64,     /* open groups */
	SHELL_HERE_DOCS_MAX = 16, /* opened on one line */
};

enum shell_direction { SHELL_READS, SHELL_WRITES, SHELL_READS_AND_WRITES };

struct shell_redirect {
	enum shell_direction direction;
	struct str path; /* unquoted */
};

struct shell_command {
	struct str source; /* as written, first word to last */
	struct str text;   /* the words, unquoted, joined by one blank; the words point into it */
	struct str *words;
	size_t word_count; /* 0 for a command of redirections alone */
	/* Targets that are files. Duplications (2>&1), closings and /dev/null touch nothing and
	 * are left out. */
	struct shell_redirect *redirects;
	size_t redirect_count;
	unsigned unsafe; /* enum shell_unsafe */
};

struct shell_line {
	struct shell_command *commands;
	size_t count; /* 0 for a line of blanks and comments */
};

/* Everything in *out lives in a; source points into line. ERR_INVALID when the line cannot be
 * read (unclosed quote or group, a function, an array) or exceeds a limit; *out is untouched
 * then. */
NODISCARD int shell_split(struct str line, struct arena *a, struct shell_line *out, struct err *e);
