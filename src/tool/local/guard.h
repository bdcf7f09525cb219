/* guard - a program of the operator's, such as a hook, and the end of everything that it starts.
 *
 * A process of ours between the server and that program. As the reaper of all below it, it finds also
 * what went into a session or a group of its own, or was orphaned. When the program ends, on SIGTERM
 * and when the server ends, nothing of it is left. The program sees the machine as it is: unlike a
 * tool, it is trusted (docs/decisions/0041). */
#pragma once
#include <signal.h>

/* By this signal a guard ends whose program could not be started; its error output says why. */
enum { GUARD_NOT_STARTED = SIGUSR1 };

/* `perdure tool-helper guard SERVER-PID PATH ARGV0 ARGS`. Ends as the program did: with its code, or by
 * its signal. */
int guard_main(int argc, char **argv);
