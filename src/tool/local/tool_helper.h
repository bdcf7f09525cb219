/* tool_helper - what our program does when it is called as `perdure tool-helper`: not for people,
 * but what a tool's call runs in. */
#pragma once

/* argv[0] is "tool-helper". Without arguments: supervise; "inside": the part in the sandbox;
 * "confined": a program that is not ours. */
int tool_helper_main(int argc, char **argv);
