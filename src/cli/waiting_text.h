/* waiting_text - what does a session wait for, in words, and which command lines answer it? */
#pragma once
#include <stdio.h>

#include "cli/waiting_call.h"

/* A call, and under it the commands that answer it, each ready for a shell. */
void
waiting_text_print(FILE *to, struct str session, const struct waiting_call *calls, size_t count);
