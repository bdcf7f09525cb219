/* tool_args - what a call of one of our own tools asks for: its JSON arguments as a struct.
 * Strict: an unknown or missing argument, a wrong type or a value out of range is refused with a
 * sentence for the model. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

enum local_tool {
	LOCAL_BASH,
	LOCAL_READ,
	LOCAL_WRITE,
	LOCAL_EDIT,
	LOCAL_GLOB,
	LOCAL_GREP,
	LOCAL_PROCESS_LIST,
	LOCAL_PROCESS_OUTPUT,
	LOCAL_PROCESS_KILL,
	LOCAL_TOOLS
};

enum grep_mode { GREP_CONTENT, GREP_FILES, GREP_COUNT };

enum {
	TOOL_COMMAND_BYTES = 100 * 1024, /* the kernel takes 128 KiB as one argument */
	TOOL_PATH_BYTES = 4000,
	TOOL_PATTERN_BYTES = 1000,
	TOOL_LINES_MAX = 1000000,
	TOOL_READ_LINES = 2000,
	TOOL_MATCHES = 200,
	TOOL_FILES = 1000,
};

struct tool_args {
	enum local_tool tool;
	struct str command;
	int64_t timeout_ms; /* 0: as long as any call */
	bool background;
	struct str file_path, content, old_string, new_string;
	bool replace_all;
	int64_t offset,
		limit; /* lines, the first is 1; limit has its default when none was given */
	struct str pattern, path, glob; /* path and glob may be empty */
	enum grep_mode mode;
	bool ignore_case;
	struct str process_id;
	int64_t cursor; /* of process_output; -1: everything that is kept */
};

/* "bash", "process_list", …; false: none of ours. */
bool tool_args_tool(struct str name, enum local_tool *out);
const char *tool_args_name(enum local_tool tool);
/* Texts live in a or in the document of arguments. */
NODISCARD int tool_args_parse(enum local_tool tool, struct json arguments, struct arena *a,
			      struct tool_args *out, struct err *e);
