/* help - the table of commands as text for people. */
#pragma once
#include "base/buf.h"
#include "cli/command.h"

/* All commands: a line for each first word. */
void help_all(const struct command_table *t, struct buf *out);
/* The commands whose names begin with these words. */
void help_group(const struct command_table *t, const char *words, struct buf *out);
/* One command. */
void help_command(const struct command *c, struct buf *out);
/* The summary as a sentence: "List sessions, newest activity first." */
void help_sentence(const struct command *c, struct buf *out);
/* "perdure session show ID [options]", without a line end. */
void help_usage(const struct command *c, struct buf *out);
