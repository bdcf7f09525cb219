#include "tool/local/confine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/child_env.h"
#include "tool/local/inside.h"
#include "tool/local/local.h"
#include "tool/local/process_limit.h"
#include "tool/local/sandbox.h"
#include "tool/local/syscall_filter.h"

enum { ARGUMENTS_MAX = 1024, NO_PROGRAM = 127 };

/* ---- the command line ---- */

static size_t
put(const char **out, size_t at, const char *argument)
{
	if (at + 1 < ARGUMENTS_MAX) /* a declaration has at most 128 */
		out[at++] = argument;
	return at;
}

/* As a call of ours would be run there, but with another last step. */
static int
in_sandbox(const struct confine *c, const struct tool_place *place, struct arena *a,
	   const char **out, size_t *at, struct err *e)
{
	struct tool_job job = { .directory = place->directory,
				.hidden = str_of(c->hidden),
				.sandboxed = true,
				.network = place->network,
				.access = place->access };
	const char *const *ours;
	struct sandbox box;
	int rc = sandbox_place(&box, &job, c->program, a, e);

	if (rc != 0)
		return rc;
	ours = sandbox_command(&box, &job, a);
	for (size_t i = 0; ours[i + 1]; i++) /* the last word is "inside" */
		*at = put(out, *at, ours[i]);
	return 0;
}

int
confine_command(const struct confine *c, const struct tool_place *place, const char *const *argv,
		struct arena *a, struct child_spec *out, struct err *e)
{
	const char **made = ARENA_ARRAY(a, ARGUMENTS_MAX, const char *);
	const char **env = ARENA_ARRAY(a, 3, const char *);
	size_t at = 0;
	int rc = 0;

	env[0] = child_env_path(a);
	at = put(made, at, c->program);
	at = put(made, at, "tool-helper");
	at = put(made, at, "confined");
	at = put(made, at, "open");
	if (place->sandboxed) {
		rc = in_sandbox(c, place, a, made, &at, e);
		at = put(made, at, "confined");
		at = put(made, at, "closed");
	} else {
		env[1] = child_env_home(a);
	}
	if (rc != 0)
		return rc;
	for (size_t i = 0; argv[i]; i++)
		at = put(made, at, argv[i]);
	*out = (struct child_spec){ .argv = made, .env = env, .extra_fd = -1 };
	if (!place->sandboxed && place->directory.len > 0)
		out->directory = arena_str(a, place->directory).ptr;
	return 0;
}

/* ---- the last step ---- */

/* Memory last: until it becomes the other program, this one may need more. */
static int
close_in(struct err *e)
{
	int rc = syscall_filter_load(false, e);

	process_limit_lower(RLIMIT_CORE, 0);
	process_limit_lower(RLIMIT_FSIZE, LOCAL_LIMITS.file_bytes);
	process_limit_lower(RLIMIT_NOFILE, PROCESS_LIMIT_FILES);
	process_limit_lower(RLIMIT_NPROC, LOCAL_LIMITS.processes);
	process_limit_lower(RLIMIT_DATA, LOCAL_LIMITS.memory_bytes);
	return rc;
}

int
confine_main(int argc, char **argv)
{
	struct err e;

	if (argc < 3) {
		fputs("perdure: tool-helper confined takes open or closed, and a command\n",
		      stderr);
		return 2;
	}
	umask(022);
	/* What holds our pipes holds our life: in a sandbox bubblewrap sees to it, and there /proc
	 * is read-only. */
	if (strcmp(argv[1], "open") == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		process_limit_yield_memory();
	} else if (close_in(&e) != 0) {
		fprintf(stderr, "%s\n", e.text);
		return INSIDE_NOT_RUN;
	}
	execvp(argv[2], argv + 2);
	fprintf(stderr, "cannot start %s: %s\n", argv[2], strerror(errno));
	return NO_PROGRAM;
}
