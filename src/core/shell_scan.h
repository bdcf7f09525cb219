/* shell_scan - where does a substitution or an expansion end?
 *
 * As bash reads it: quotes, escapes, comments and here-documents inside are respected, nested ones too.
 * It is strict: what bash might end elsewhere (case, arithmetic commands, a line continued inside, quotes
 * that mean one thing inside double quotes and another outside) has no end here, and the caller gives up. */
#pragma once
#include <stdbool.h>
#include "base/str.h"

enum {
	SHELL_SCAN_DEPTH_MAX = 32, /* substitutions inside each other */
	SHELL_SCAN_HERE_DOCS_MAX = 4,
};

/* A command that a substitution inside would run: text from, up to but not including to. */
typedef void shell_scan_fn(void *ctx, size_t from, size_t to);

struct shell_scan {
	struct str in;
	size_t at;
	shell_scan_fn *found; /* NULL: nobody wants to know */
	void *ctx;
	unsigned depth;
	bool failed; /* it has no end, or none that is certain */
};

/* Behind "$(", "<(" or ">(": stops behind the closing bracket. */
void shell_scan_command(struct shell_scan *s);
/* Behind "$(" where "(" follows: the same, for arithmetic. Tells commands of nested substitutions, as
 * those below do. */
void shell_scan_arithmetic(struct shell_scan *s);
/* Behind "$[", only where it is plainly a sum. */
void shell_scan_old_arithmetic(struct shell_scan *s);
/* Behind "${": stops behind the closing brace. */
void shell_scan_brace(struct shell_scan *s, bool in_double);
/* Behind a backtick: stops behind the closing one. Tells the command. */
void shell_scan_backticks(struct shell_scan *s);
/* From at to the end, as within double quotes: the body of a here-document. */
void shell_scan_text(struct shell_scan *s);
