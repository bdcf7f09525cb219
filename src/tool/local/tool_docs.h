/* tool_docs - what the model is told about our own tools, in the order of enum local_tool. */
#pragma once
#include "tool/local/tool_args.h"
#include "tool/tool.h"

extern const struct tool_doc TOOL_DOCS[LOCAL_TOOLS];
