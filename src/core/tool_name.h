/* tool_name - what is a tool called towards a model?
 * Providers take letters, digits, _ and -, in ids of calls too; of names OpenAI takes 64 bytes, Anthropic
 * 128. A server's tool has its own name as long as no other tool of the listing has it; else with the
 * server's before it. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/str.h"

enum { TOOL_NAME_MAX = 64, TOOL_NAME_MAX_ANTHROPIC = 128 };

/* 1 to max of those bytes. */
bool tool_name_is_plain(struct str name, size_t max);
/* Any other byte as _. Lives in a. */
struct str tool_name_plain(struct str word, struct arena *a);
/* server empty: without it. Plain, at most TOOL_NAME_MAX. Lives in a. */
struct str tool_name_make(struct str server, struct str tool, struct arena *a);
