/* environment_run - what of an environment's definition does a turn need: whose machine is it, where
 * on it, and how shut in? */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/json.h"
#include "core/tool_spec.h"

struct environment_run {
	bool by_worker; /* a worker of the client's runs the built-in tools: self_hosted, cloud */
	struct tool_place place; /* no directory: the session has a folder of its own */
	struct json mcp_servers;
};

/* Texts stay in the document or in a. What is absent or of another shape is at its default, the
 * strictest: definitions were checked when they were made. An environment that is gone (absent) is
 * nobody's machine: by_worker, so that nothing runs here. */
void environment_run_read(struct json environment, struct arena *a, struct environment_run *out);
