/* tool_name - what is a server's tool called towards a model?
 * Its own name, as long as models take it and no other tool of the same listing has it; else with the
 * server's before it, and what models do not take replaced. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/str.h"

enum { TOOL_NAME_MAX = 64 };

/* Letters, digits, _ and -, at most TOOL_NAME_MAX. */
bool tool_name_is_plain(struct str name);
/* server empty: without it. The result is plain. */
struct str tool_name_make(struct str server, struct str tool, struct arena *a);
/* Is this what the tool is called? */
bool tool_name_means(struct str name, struct str server, struct str tool);
