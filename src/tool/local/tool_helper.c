#include "tool/local/tool_helper.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/close_on_exec.h"
#include "tool/local/confine.h"
#include "tool/local/guard.h"
#include "tool/local/inside.h"
#include "tool/local/supervise.h"

int
tool_helper_main(int argc, char **argv)
{
	/* Again: another thread of the server's may have opened something while it started us. */
	close_on_exec_from(STDERR_FILENO + 1);
	if (argc == 1)
		return supervise_main();
	if (argc == 2 && strcmp(argv[1], "inside") == 0)
		/* At once: a leak checker would want ptrace, which the filter refuses. */
		_exit(inside_main());
	if (argc > 2 && strcmp(argv[1], "confined") == 0)
		_exit(confine_main(argc - 1, argv + 1));
	if (argc > 2 && strcmp(argv[1], "guard") == 0)
		_exit(guard_main(argc - 1, argv + 1));
	fputs("perdure: tool-helper is what the server runs its tools in; it takes no commands\n",
	      stderr);
	return 2;
}
