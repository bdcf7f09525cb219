/* wildcard - does a text match a pattern of literal bytes and `*`?
 * The form approval rules are written in. Only `*` is special, and it spans anything: nothing at
 * all, blanks, slashes, line ends. Everything else stands for itself, case included. */
#pragma once
#include "base/str.h"

/* A pattern that ends in " *" also matches the text without that ending: `git status *` covers
 * `git status`, because a command without arguments is what its author meant too.
 * Time is at most pattern length times text length. */
bool wildcard_match(struct str pattern, struct str text);
