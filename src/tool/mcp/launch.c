#include "tool/mcp/launch.h"

#include <stdlib.h>
#include <unistd.h>

#include "tool/mcp/http.h"
#include "tool/mcp/stdio.h"

static const char *
variable(struct arena *a, const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return arena_printf(a, "%s=%s", name, value ? value : otherwise).ptr;
}

/* Nothing of our environment reaches it: keys are there. */
static void
run_as_is(const struct tool_place *place, const char *const *argv, struct arena *a,
	  struct child_spec *spec)
{
	const char **env = ARENA_ARRAY(a, 3, const char *);

	env[0] = variable(a, "PATH", "/usr/local/bin:/usr/bin:/bin");
	env[1] = variable(a, "HOME", "/");
	spec->argv = argv;
	spec->env = env;
	spec->directory = place->directory.len > 0 ? arena_str(a, place->directory).ptr : NULL;
}

static const char *const *
make_argv(const struct tool_server *declared, struct arena *a)
{
	const char **argv = ARENA_ARRAY(a, declared->argument_count + 2, const char *);

	argv[0] = arena_str(a, declared->command).ptr;
	for (size_t i = 0; i < declared->argument_count; i++)
		argv[i + 1] = arena_str(a, declared->arguments[i]).ptr;
	return argv;
}

static int
start_child(const struct mcp_config *config, const struct tool_server *declared,
	    const struct tool_place *place, struct transport **out, struct err *e)
{
	struct stdio_config made = {
		config->host, config->loop, declared->name, { .extra_fd = -1 }
	};
	const char *const *argv;
	struct arena a;
	int rc = 0;

	arena_init(&a);
	argv = make_argv(declared, &a);
	if (config->wrap)
		rc = config->wrap(config->wrap_ctx, place, argv, &a, &made.spec, e);
	else
		run_as_is(place, argv, &a, &made.spec);
	if (rc == 0)
		rc = stdio_new(&made, out, e);
	if (made.spec.extra_fd >= 0)
		close(made.spec.extra_fd);
	arena_release(&a);
	return rc;
}

int
launch_transport(const struct mcp_config *config, const struct tool_server *declared,
		 const struct tool_place *place, struct transport **out, struct err *e)
{
	if (declared->url.len == 0)
		return start_child(config, declared, place, out, e);
	*out = mcp_http_new(&(struct http_config){
		config->host, config->egress, declared->foreign ? EGRESS_FOREIGN : config->policy,
		declared->url });
	return 0;
}
