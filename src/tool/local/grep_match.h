/* grep_match - does a line match a model's pattern, character by character?
 * Characters are what the locale C.UTF-8 makes of bytes; the C library has it in a file of its own
 * (Debian: of libc-bin). Where that is missing, bytes are compared. */
#pragma once
#include <locale.h>
#include <regex.h>
#include <stdbool.h>
#include "base/err.h"
#include "base/str.h"

struct grep_match {
	locale_t utf8; /* 0: missing */
	regex_t bytes, chars;
	bool ascii; /* the pattern is */
};

/* ERR_INVALID: no regular expression, with a sentence for the model. */
NODISCARD int
grep_match_init(struct grep_match *m, struct str pattern, bool ignore_case, struct err *e);
void grep_match_release(struct grep_match *m);
bool grep_match_line(const struct grep_match *m, struct str line);
