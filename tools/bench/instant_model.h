/* instant_model - a model that thinks for no time, as a process of its own: what is left is ours.
 * Speaks openai-chat on loopback. The name asked for says how: "instant" answers whole at once,
 * "steady" says a word thirty times a second, for ten seconds. */
#pragma once
#include <sys/types.h>

enum { STEADY_PER_SECOND = 30, STEADY_WORDS = 10 * STEADY_PER_SECOND };

struct instant_model {
	pid_t pid;
	int port;
};

/* Ends with this process at the latest. */
void instant_model_start(struct instant_model *m);
void instant_model_stop(struct instant_model *m);
