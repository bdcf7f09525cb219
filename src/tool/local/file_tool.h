/* file_tool - the tools that look at and change files, as they run in the helper: what the model is
 * told in answer. All of them work beneath the working directory. */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "tool/local/beneath.h"
#include "tool/local/tool_args.h"

enum { FILE_TOOL_BYTES = 32 * 1024 * 1024 }; /* of a file that is looked at or changed */

/* out has its ceiling from the caller; what exceeds it is left out with a word about it. On error
 * the sentence is the answer. */
NODISCARD int
read_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e);
NODISCARD int
write_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e);
NODISCARD int
edit_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e);
NODISCARD int
glob_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e);
NODISCARD int
grep_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e);

/* A regular file's bytes, at most FILE_TOOL_BYTES; text false: it has a NUL among its first. */
NODISCARD int file_tool_load(int fd, struct str path, struct arena *a, struct str *out, bool *text,
			     struct err *e);
