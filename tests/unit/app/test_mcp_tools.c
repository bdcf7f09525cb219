#include "app/mcp_tools.h"

#include "mcp_rig.h"

static void
on_listed(void *ctx, const struct tool_listing *listing)
{
	struct mcp_rig *r = ctx;

	buf_printf(&r->listing, "%zu+%zu ", listing->tool_count, listing->problem_count);
	r->listed++;
	loop_stop(r->loop);
}

static void
T10_servers_here_and_children_in_the_sandbox(void **state)
{
	struct tool_server servers[3];
	struct tool_ask ask = { .servers = servers, .server_count = 1 };
	struct mcp_tools *m;
	struct toolset *set;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "json");
	mcp_rig_open(&r);
	m = mcp_tools_open(r.host, r.loop, "/none/perdure", "/tmp");
	set = mcp_tools_set(m);
	servers[0] = r.server; /* of an owner: on this machine too */
	set->ops->list(set, &ask, on_listed, &r);
	mcp_rig_run(&r, 20000);
	servers[0].foreign = true; /* of anybody */
	set->ops->list(set, &ask, on_listed, &r);
	mcp_rig_run(&r, 20000);
	servers[0] = (struct tool_server){ .name = STR("child"), .command = STR("true") };
	ask.place.sandboxed = true;
	ask.place.directory = STR("/tmp"); /* the data's own: not to be shown */
	set->ops->list(set, &ask, on_listed, &r);
	mcp_rig_run(&r, 20000);
	check_str("listed", buf_str(&r.listing), STR("11+0 0+1 0+1 "));
	mcp_tools_close(&m);
	assert_null(m);
	mcp_tools_close(&m);
	mcp_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T10_servers_here_and_children_in_the_sandbox);
	return suite_run(&s, "app/mcp_tools");
}
