/* approval_always - a person said "allow always": which rules does that make?
 * Session-layer allow rules narrow enough to mean what was seen: a shell command keeps the words
 * that say what it does (`git status *`, `npm run build *`, `cat *`), a file tool the one path, a
 * skill the name; a redirection is what the file tool would do (`write` of the one path). Of a tool whose arguments mean nothing to us it is the tool as a whole. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "core/approval_policy.h"

enum { APPROVAL_ALWAYS_MAX = 64 };

/* How many leading words name the action: git 2, npm run 3, cat 1; 1 for what is not known.
 * At most count. */
size_t approval_always_arity(const struct str *words, size_t count);

/* Fills out and returns how many. 0 when no rule can stand for the call: it is unsafe or
 * unreadable (no pattern ever allows that), has a `*` of its own in what would become the
 * pattern, or needs more than APPROVAL_ALWAYS_MAX; then only "allow once" can be offered. Texts
 * live in a or in the document of arguments. */
size_t approval_always_rules(struct tool_ref tool, struct json arguments, struct arena *a,
			     struct approval_rule out[APPROVAL_ALWAYS_MAX]);

/* The rules as a record keeps them: {"rules":[{"tool","mcp_server_name"?,"pattern"?}]}, and back: at
 * most APPROVAL_ALWAYS_MAX, none when it is no such object. */
void approval_always_write(struct buf *out, const struct approval_rule *rules, size_t count);
size_t approval_always_read(struct str text, struct arena *a,
			    struct approval_rule out[APPROVAL_ALWAYS_MAX]);
