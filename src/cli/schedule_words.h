/* schedule_words - what options say about a schedule, as the members of the API's body:
 *   --cron EXPRESSION [--zone NAME] | --at TIME | --every 15m     its rule
 *   --missed skip | latest | all:N                                 slots that passed
 *   --timeout 10m                                                  how long a run may take
 *   --to silent | origin | session:ID | home:PLATFORM | target:PLATFORM:CHAT[:THREAD]
 * Whether a value is a good one, the server says; here it is only put into its form. */
#pragma once
#include "base/json_write.h"
#include "cli/args.h"

/* 90s, 15m, 2h, 7d; ERR_USAGE for anything else. option is for the message. */
NODISCARD int
schedule_words_duration(const char *option, const char *text, int64_t *out_ms, struct err *e);
/* Writes the members that the options name. ERR_USAGE: two rules at once, or a word that is none. */
NODISCARD int schedule_words_write(const struct args *args, struct jw *w, struct err *e);
