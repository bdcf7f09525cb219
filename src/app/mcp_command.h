/* mcp_command - `perdure mcp probe URL | -- COMMAND ARGS...`: who is there, and what can it do? */
#pragma once
#include "base/err.h"

/* Reads its own arguments; argv[0] is its last word. Fails with what is wrong with the server. */
NODISCARD int mcp_command_probe(int argc, char **argv, struct err *e);
