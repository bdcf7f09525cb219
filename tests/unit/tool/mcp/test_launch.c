#include "tool/mcp/launch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "mcp_rig.h"

static void
T10_a_child_gets_nothing_of_our_environment(void **state)
{
	struct rig_call c;
	struct mcp_rig r;
	struct str env;

	(void)state;
	setenv("SOME_API_KEY", "sk-secret-0123456789", 1);
	mcp_rig_init(&r, false, "");
	mcp_rig_open(&r);
	env = mcp_rig_call(&r, &c, "env", "{}");
	assert_false(str_contains(env, STR("SOME_API_KEY")));
	assert_true(str_contains(env, STR("\"PATH\": ")));
	assert_true(str_contains(env, STR("\"HOME\": ")));
	assert_true(str_contains(env, STR("\"cwd\": \"/tmp\"")));
	rig_call_release(&c);
	mcp_rig_release(&r);
	unsetenv("SOME_API_KEY");
}

/* A sandbox that asks env to start the command with one variable more. */
static int
wrap(void *ctx, const struct tool_place *place, const char *const *argv, struct arena *a,
     struct child_spec *spec, struct err *e)
{
	static const char *const ENV[] = { "PATH=/usr/bin:/bin", NULL };
	const char **made = ARENA_ARRAY(a, 16, const char *);
	size_t at = 0;

	if (*(bool *)ctx)
		return err_set(e, ERR_DENIED, "there is no sandbox here");
	assert_true(place->sandboxed);
	assert_int_equal(place->session.len, 0); /* it is nobody's alone */
	made[at++] = "env";
	made[at++] = "WRAPPED=yes";
	for (size_t i = 0; argv[i]; i++)
		made[at++] = argv[i];
	spec->argv = made;
	spec->env = ENV;
	spec->extra_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(spec->extra_fd >= 0);
	return 0;
}

static size_t
open_descriptors(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) != -1;
	return count;
}

static void
T10_a_child_is_run_as_its_sandbox_says(void **state)
{
	bool refuses = false;
	struct rig_call c;
	struct mcp_rig r;
	size_t before;

	(void)state;
	mcp_rig_init(&r, false, "");
	r.config.wrap = wrap;
	r.config.wrap_ctx = &refuses;
	r.place.sandboxed = true;
	mcp_rig_open(&r);
	mcp_rig_run(&r, 20);
	before = open_descriptors();
	assert_true(str_contains(mcp_rig_call(&r, &c, "env", "{}"), STR("\"WRAPPED\": \"yes\"")));
	rig_call_release(&c);
	assert_in_range(open_descriptors(), before, before + 4); /* pipes, and not the one it got */
	mcp_rig_release(&r);

	refuses = true;
	mcp_rig_init(&r, false, "");
	r.config.wrap = wrap;
	r.config.wrap_ctx = &refuses;
	mcp_rig_open(&r);
	check_str("refused", mcp_rig_list(&r), STR("!MCP server peer: there is no sandbox here"));
	assert_false(mcp_rig_logged(&r, "jsonrpc"));
	mcp_rig_release(&r);
}

static void
T10_a_command_that_is_not_there(void **state)
{
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "");
	r.server.command = STR("no-such-program");
	mcp_rig_open(&r);
	assert_true(str_starts(mcp_rig_list(&r), STR("!MCP server peer: ")));
	assert_true(str_contains(mcp_rig_list(&r), STR("no-such-program")));
	mcp_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T10_a_child_gets_nothing_of_our_environment);
	SUITE_TEST(&s, T10_a_child_is_run_as_its_sandbox_says);
	SUITE_TEST(&s, T10_a_command_that_is_not_there);
	return suite_run(&s, "tool/mcp/launch");
}
