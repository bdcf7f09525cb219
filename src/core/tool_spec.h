/* tool_spec - the words that the tool port and the core share: what a tool says of itself, where a
 * call runs, which server has it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"

/* What the model is told about a tool, and the engine must know of it. */
struct tool_doc {
	struct str name;
	struct str server;       /* the MCP server whose tool it is; empty: ours */
	struct str own_name;     /* what that one calls it; empty: name */
	struct str description;  /* for the model */
	struct str input_schema; /* JSON object */
	bool read_only;          /* changes nothing: may be repeated after a crash */
	bool idempotent;         /* twice is as good as once: the same */
};

enum tool_access { TOOL_ACCESS_NONE, TOOL_ACCESS_READ, TOOL_ACCESS_WRITE };

/* Where a call runs: the session's environment. */
struct tool_place {
	struct str session;   /* whose background processes it starts and sees */
	struct str directory; /* absolute: where it starts, and what access speaks of */
	bool own;             /* the directory is this session's alone, made by the server */
	bool sandboxed;       /* false: the environment's sandbox mode is off */
	enum tool_access access;
	bool network;
};

/* A server that an agent or an environment declares. */
struct tool_server {
	struct str name;
	struct str url;     /* empty: started as a child */
	struct str command; /* looked up in PATH */
	const struct str *arguments;
	size_t argument_count;
	bool foreign; /* the session chose it, not the operator: public addresses alone */
};
