/* sim_tools - tools without manners: they take any time, fail, or never answer; servers are away when
 * they are asked what they have. What a call gives names the call, so that nobody takes it for
 * another's. */
#pragma once
#include <stdbool.h>
#include "tool/tool.h"

struct sim_node;
struct sim_tools;

/* remote: those of a server, else our own. */
struct sim_tools *sim_tools_new(struct sim_node *node, bool remote);
void sim_tools_free(struct sim_tools **t);
struct toolset *sim_tools_port(struct sim_tools *t);
/* Are calls of the session on their way? SIM_NONE: of any. */
bool sim_tools_run(const struct sim_tools *t, int session);
/* Is it being asked what it has, for that session? */
bool sim_tools_list(const struct sim_tools *t, int session);
/* May a call of this tool be started again when nobody knows what became of it? */
bool sim_tools_may_repeat(struct str name);
