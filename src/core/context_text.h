/* context_text - what is the model told about where it is?
 * The section "## Current Session Context" of the system prompt, the sender prefix of messages in
 * shared sessions, and the group prompt. The section must not change from turn to turn (it stands
 * in the prompt cache): give the source the lane was opened with, never the message's own.
 *
 * Names, topics and ids come from strangers. Each is shown as one JSON string without control
 * characters, at most CONTEXT_LABEL_MAX characters long, under a line that says not to obey it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"
#include "core/source.h"

enum { CONTEXT_LABEL_MAX = 240 };

struct context_home {
	struct str platform, chat_id, name; /* name may be absent */
};
struct context_facts {
	const struct source *source; /* of the lane */
	bool shared;                 /* as session_key_decide says */
	struct str session_key, session_id;
	int64_t created_ms;
	const struct str *platforms; /* connected ones; `local` is shown first, the rest as given */
	size_t platform_count;
	const struct context_home *homes;
	size_t home_count;
	bool redact; /* as redact_applies says for the source's platform */
};

void context_text_write(const struct context_facts *f, struct buf *out);
/* What a group session's prompt adds: sender prefixes, ROUTE_PREFIX, and how to stay silent. */
struct str context_group_prompt(void);
/* "[name] " before a message in a shared session; line ends and blanks collapse, brackets become
 * parentheses so that a name cannot pose as two. Without a name the id stands there (redacted if
 * asked), without both "unknown". ROUTE_PREFIX, if any, goes before it. */
void context_sender_prefix(const struct source *message, bool redact, struct buf *out);
/* One untrusted text as a JSON string. */
void context_label(struct str text, struct buf *out);
