/* call - one call of a server's tool, from the request to its one outcome.
 * Waits until the server is ready, sends the call, answers what the server asks back, and says what
 * came of it in words for the model. */
#pragma once
#include "tool/mcp/server.h"

/* Texts are copied. done comes once, never from inside; the run is gone then. */
struct tool_run *call_new(struct server *s, struct host *host, const struct tool_request *request,
			  tool_done_fn *done, void *ctx);
/* No done comes; the server is told. On the list runs until then. */
void call_cancel(struct tool_run *run);
/* Where the owner finds it again. */
struct list *call_node(struct tool_run *run);
struct tool_run *call_at(struct list *node);
