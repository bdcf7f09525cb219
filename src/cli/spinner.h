/* spinner - something moves while nothing else happens. Never in a pipe. */
#pragma once
#include "base/buf.h"
#include "cli/terminal.h"

enum { SPINNER_BEAT_MS = 120, SPINNER_DELAY_MS = 250, SPINNER_TEXT_MAX = 80 };

struct spinner {
	struct terminal term;
	char text[SPINNER_TEXT_MAX];
	int64_t since_ms;
	unsigned frame;
	bool wanted, visible;
};

void spinner_init(struct spinner *s, const struct terminal *term);
/* From now on, if nothing happens for a moment. */
void spinner_start(struct spinner *s, const char *text, int64_t now_ms);
/* The next picture, if it is time for one. */
void spinner_beat(struct spinner *s, int64_t now_ms, struct buf *out);
/* Takes it off the screen. */
void spinner_stop(struct spinner *s, struct buf *out);
