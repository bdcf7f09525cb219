/* inside - the last step of a call, in the sandbox (or where it would be): limits and the filter of
 * system calls are put on, then the tool is carried out or the shell takes over.
 *
 * The job comes on standard input, the answer goes to standard output. A byte on standard error says
 * that the tool begins; from then on that is the same as standard output. */
#pragma once

enum {
	INSIDE_READY = 0x06,
	INSIDE_NOT_RUN = 126, /* what it says then is ours, not bubblewrap's */
};

/* Exit code: 0, 1 for a tool's error (its sentence is the output), 126 when it could not begin. A
 * shell's own otherwise. */
int inside_main(void);
