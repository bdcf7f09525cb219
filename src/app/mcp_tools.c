#include "app/mcp_tools.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "net/egress.h"
#include "tool/local/confine.h"
#include "tool/mcp/mcp.h"

struct mcp_tools {
	struct egress *egress;
	struct arena arena;
	struct confine confine;
	struct toolset *set;
};

static int
wrap(void *ctx, const struct tool_place *place, const char *const *argv, struct arena *a,
     struct child_spec *spec, struct err *e)
{
	struct mcp_tools *m = ctx;

	return confine_command(&m->confine, place, argv, a, spec, e);
}

struct mcp_tools *
mcp_tools_open(struct host *host, struct loop *loop, const char *program, const char *data)
{
	struct mcp_tools *m = xcalloc(1, sizeof *m);

	arena_init(&m->arena);
	m->egress = egress_new(loop, NULL);
	m->confine = (struct confine){ arena_str(&m->arena, str_of(program)).ptr,
				       arena_str(&m->arena, str_of(data)).ptr };
	/* Agents and environments are declared by owners: their servers may be on this machine. */
	m->set = mcp_tools_new(&(struct mcp_config){
		.host = host,
		.loop = loop,
		.egress = m->egress,
		.policy = EGRESS_OPERATOR,
		.name = STR("perdure"),
		.version = STR(PERDURE_VERSION),
		.wrap = wrap,
		.wrap_ctx = m,
	});
	return m;
}

struct toolset *
mcp_tools_set(struct mcp_tools *m)
{
	return m->set;
}

void
mcp_tools_close(struct mcp_tools **tools)
{
	struct mcp_tools *m = TAKE(*tools);

	if (!m)
		return;
	m->set->ops->free(m->set);
	egress_free(&m->egress);
	arena_release(&m->arena);
	free(m);
}
