/* supervise - one call from the outside of its sandbox: starts it, reads what it says, ends it.
 *
 * A process of its own between the server and the tool, where neither the tool can reach it nor it
 * the loop: it may wait. It reads a job (tool_job) from standard input and tells the server in
 * frames (tool_frame). The call ends when the tool does, when its time is over, when it has too many
 * processes, on SIGTERM, and when the server ends; nothing of it is left then. */
#pragma once

int supervise_main(void);
