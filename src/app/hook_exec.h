/* hook_exec - hooks as programs: each gets the facts as JSON on its standard input, and its exit status is
 * its answer: 0 is fine, anything else is a no. What says nothing in time is killed; whatever one started ends
 * with it (tool/local/guard). A program that cannot be asked (not found, killed, too slow) is as good as fine with
 * on_failure: open, a no with closed.
 *
 * Hooks of one event run one after the other, in the order of the configuration; the first no ends it.
 * Only so many run at once, the others wait; of those that nobody waits for, too many are dropped and
 * logged. Their environment is PATH, HOME, LANG and TZ: no secret of ours is in it. */
#pragma once
#include "app/config.h"
#include "engine/engine.h"
#include "net/loop.h"

struct hook_exec;

/* config must stay until the next one. program: our own, an absolute path. */
struct hook_exec *
hook_exec_new(struct loop *loop, const struct config *config, const char *program);
/* For what begins from now on. */
void hook_exec_reload(struct hook_exec *x, const struct config *config);
/* Kills what runs; whoever waits is told ERR_UNAVAILABLE. From now on nobody listens, and nothing begins:
 * whoever asks nevertheless is told by hook_exec_free. NULL is fine. */
void hook_exec_stop(struct hook_exec *x);
/* Stops it first. After the engine that has its port. */
void hook_exec_free(struct hook_exec **x);
struct engine_hooks hook_exec_port(struct hook_exec *x);
