/* man_page - the table of commands as a page for man(1). */
#pragma once
#include "base/buf.h"
#include "cli/command.h"

void man_page(const struct command_table *t, struct buf *out);
