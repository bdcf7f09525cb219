#include "app/mcp_probe.h"

#include <signal.h>

#include "mcp_rig.h"

struct seen {
	size_t answers, tools[2], problems[2];
	int pid;
};

static void
on_probed(void *ctx, size_t at, const struct tool_listing *listing, const struct mcp_peer *peer)
{
	struct seen *s = ctx;

	s->answers++;
	s->tools[at] = listing->tool_count;
	s->problems[at] = listing->problem_count;
	if (peer)
		s->pid = peer->pid;
}

static void
T10_several_are_asked_at_once_and_left(void **state)
{
	const struct mcp_probe_options options = { .timeout_ms = 20000 };
	struct tool_server servers[2];
	struct seen seen = { 0 };
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "");
	mcp_rig_open(&r);
	servers[0] = (struct tool_server){ .name = STR("away"), .command = STR("/none/such") };
	servers[1] = r.server;
	mcp_probe(servers, 2, STR("/tmp"), &options, on_probed, &seen);
	assert_int_equal(seen.answers, 2);
	assert_int_equal(seen.problems[0], 1);
	assert_int_equal(seen.problems[1], 0);
	assert_int_equal(seen.tools[1], 11);
	assert_true(seen.pid > 0);
	assert_int_equal(kill(seen.pid, 0), -1);
	assert_true(mcp_rig_logged(&r, "{\"end\": \"stdin\"}")); /* it was told to leave */
	mcp_probe(NULL, 0, STR("/tmp"), &options, on_probed, &seen);
	assert_int_equal(seen.answers, 2);
	mcp_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T10_several_are_asked_at_once_and_left);
	return suite_run(&s, "app/mcp_probe");
}
