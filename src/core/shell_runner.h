/* shell_runner - does this command run another one that its name does not show?
 * eval, source and `sh -c` run text; env, xargs, exec and their kin run their operands. An allow
 * for the outer command says nothing about the inner one, while a deny for the inner one must
 * still hold. */
#pragma once
#include "core/shell_split.h"

enum { SHELL_INNER_MAX = 16 };

/* True when no pattern may allow it: eval, source, `.`, trap, exec, command, builtin, env, xargs,
 * parallel, watch, find -exec, builtins that change what a name runs (alias, hash, enable, export A=b and
 * their kin), a shell given text (-c, -s or nothing at all), whether called
 * directly, by path, or behind sudo, nohup, timeout and the like. */
bool shell_runner_hides(const struct shell_command *c);
/* The texts a rule against an inner command has to see: the command behind assignments and
 * runners (`sudo -u root rm x` gives `rm x`), and the command named by its last path component
 * (`/bin/rm x` gives `rm x`). Views of c->text; how many is returned. Where an option may or may
 * not take a value both readings are given. */
size_t shell_runner_inner(const struct shell_command *c, struct str out[SHELL_INNER_MAX]);
