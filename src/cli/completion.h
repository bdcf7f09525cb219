/* completion - the table of commands as a script that completes them in bash. */
#pragma once
#include "base/buf.h"
#include "cli/command.h"

void completion_bash(const struct command_table *t, struct buf *out);
