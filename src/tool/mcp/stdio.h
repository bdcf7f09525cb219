/* stdio - the transport over the pipes of a child: a message is a line.
 * What the child says on its error output goes to the log, bounded; its last line explains why it
 * ended. Lines that are no JSON object are taken for chatter and skipped: servers print banners. */
#pragma once
#include "base/host.h"
#include "net/child.h"
#include "tool/mcp/transport.h"

struct stdio_config {
	struct host *host;
	struct loop *loop;
	struct str name; /* of the server, for the log */
	struct child_spec spec;
};

/* Texts and the descriptor are needed during the call only. The events are set before any comes. */
NODISCARD int stdio_new(const struct stdio_config *config, struct transport **out, struct err *e);
int stdio_pid(const struct transport *t);
