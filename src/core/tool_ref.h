/* tool_ref - which tool is it, whatever it is called today?
 * The name that the model calls is a listing's: when a server comes or goes, another tool may have it.
 * A server's tool is told by the server, and by what that one calls it. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/json.h"

struct tool_ref {
	struct str name;             /* as the model calls it */
	struct str server, own_name; /* empty: no MCP server's */
};

bool tool_ref_same(struct tool_ref a, struct tool_ref b);
/* Of a call's event; copied into a. */
struct tool_ref tool_ref_of_call(struct json payload, struct arena *a);
