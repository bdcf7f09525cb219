/* terminal - what is behind an output: a person's terminal, how wide, in colour? Or a pipe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct terminal {
	bool is_terminal, colour;
	size_t columns; /* of a pipe: TERMINAL_COLUMNS_DEFAULT, for nothing is cut there */
};

enum { TERMINAL_COLUMNS_DEFAULT = 80, TERMINAL_COLUMNS_MIN = 20 };

/* What the decision goes by. NULL: not set. */
struct terminal_facts {
	bool is_terminal;
	unsigned columns; /* the terminal's own word; 0: it does not know */
	const char *term, *no_color, *columns_env;
};
struct terminal terminal_decide(const struct terminal_facts *f);
/* The facts of this process and that descriptor. */
struct terminal terminal_of(int fd);

/* Escape sequences, empty where there is no colour. */
enum terminal_style {
	STYLE_RESET,
	STYLE_BOLD,
	STYLE_DIM,
	STYLE_ITALIC,
	STYLE_UNDERLINE,
	STYLE_CODE,
	STYLE_RED,
	STYLE_GREEN,
	STYLE_YELLOW
};
const char *terminal_style(const struct terminal *t, enum terminal_style style);
