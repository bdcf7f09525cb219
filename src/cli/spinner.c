#include "cli/spinner.h"

#include <stdio.h>

void
spinner_init(struct spinner *s, const struct terminal *term)
{
	*s = (struct spinner){ .term = *term };
}

void
spinner_start(struct spinner *s, const char *text, int64_t now_ms)
{
	snprintf(s->text, sizeof s->text, "%s", text);
	s->since_ms = now_ms;
	s->wanted = true;
}

void
spinner_beat(struct spinner *s, int64_t now_ms, struct buf *out)
{
	static const char *const FRAMES[] = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" };
	int64_t waited = now_ms - s->since_ms;

	if (!s->wanted || !s->term.colour || waited < SPINNER_DELAY_MS)
		return;
	buf_printf(out, "\r%s%s %s", terminal_style(&s->term, STYLE_DIM),
		   FRAMES[s->frame++ % ARRAY_LEN(FRAMES)], s->text);
	if (waited >= 3000)
		buf_printf(out, " %lld s", (long long)(waited / 1000));
	buf_printf(out, "%s\033[K", terminal_style(&s->term, STYLE_RESET));
	s->visible = true;
}

void
spinner_stop(struct spinner *s, struct buf *out)
{
	if (s->visible)
		buf_puts(out, "\r\033[K");
	s->visible = s->wanted = false;
}
