/* config_problem - what is wrong with a configuration: all of it at once, each thing with its place. */
#pragma once
#include <stddef.h>
#include "base/buf.h"
#include "base/err.h"

enum { CONFIG_PROBLEMS_MAX = 10, CONFIG_ON_COMMAND_LINE = -1 };

/* Where something was said. Lines and columns count from 1; line 0: nowhere, it is a default or
 * missing; CONFIG_ON_COMMAND_LINE: not in the file. */
struct config_spot {
	int line, column;
};

struct config_problem {
	struct config_spot at;
	char text[ERR_TEXT_MAX]; /* a sentence; begins with the key's path where there is one */
};
/* The caller's storage; lives as long as file does. */
struct config_problems {
	const char *file; /* its name in messages; NULL: there is none */
	struct config_problem list[CONFIG_PROBLEMS_MAX]; /* in the order of the file */
	size_t count;                                    /* of all, also those not kept */
};

void config_problem_init(struct config_problems *p, const char *file);
void config_problem_add(struct config_problems *p, struct config_spot at, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* "config.yaml:7:1: 'lisen' is not a key; did you mean 'listen'?"; the command line's begin with
 * the option: "--data: ...". */
void config_problem_format(const struct config_problems *p, size_t index, struct buf *out);
/* One line each, and how many more there are. */
void config_problem_format_all(const struct config_problems *p, struct buf *out);
/* The first one as an error, with the number of others. Returns ERR_INVALID. */
int config_problem_err(const struct config_problems *p, struct err *e);
/* What of a text from the file may stand in a sentence: one line, no control bytes, not too long. */
enum { CONFIG_SHOWN_MAX = 61 };
const char *config_problem_quote(struct str text, char out[CONFIG_SHOWN_MAX]);
