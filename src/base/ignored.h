/* ignored - one named setting, field, parameter or flag that a test build pretends not to hear.
 * PERDURE_IGNORE names it: "config log.level", "body POST /v1/sessions title", "query GET /v1/agents limit",
 * "flag session list --limit". A test that claims to observe its effect must fail then. A release build
 * has no trace of it: IGNORED() is false there. */
#pragma once
#include <stdbool.h>

#ifdef PERDURE_TEST_HOOKS
/* True when PERDURE_IGNORE is exactly these words, the empty ones left out, with a blank between them. */
bool ignored_is(const char *kind, const char *where, const char *within, const char *name);
#define IGNORED(kind, where, within, name) ignored_is(kind, where, within, name)
#else
#define IGNORED(kind, where, within, name) false
#endif
