#include "cli/chat_screen.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/approval_text.h"
#include "cli/term_text.h"

enum { BYTES_MAX = 64 * 1024 * 1024 };

void
chat_screen_init(struct chat_screen *s, const struct terminal *out, bool quiet)
{
	*s = (struct chat_screen){ .out = *out, .quiet = quiet };
	s->err = terminal_of(STDERR_FILENO);
	buf_init(&s->bytes, BYTES_MAX);
	markdown_init(&s->markdown, out);
	spinner_init(&s->spinner, &s->err);
}

void
chat_screen_release(struct chat_screen *s)
{
	markdown_release(&s->markdown);
	buf_release(&s->bytes);
}

static void
write_to(struct chat_screen *s, FILE *to)
{
	if (s->bytes.len > 0) {
		fwrite(s->bytes.ptr, 1, s->bytes.len, to);
		fflush(to);
	}
	buf_clear(&s->bytes);
}

void
chat_screen_hide(struct chat_screen *s)
{
	spinner_stop(&s->spinner, &s->bytes);
	write_to(s, stderr);
}

void
chat_screen_wait(struct chat_screen *s, const char *what)
{
	spinner_start(&s->spinner, what, clock_now_ms());
}

void
chat_screen_text(struct chat_screen *s, struct str piece)
{
	if (s->quiet)
		return;
	chat_screen_hide(s);
	if (!s->in_text && s->any_text && !s->goes_on) /* another message: a blank line between */
		buf_putc(&s->bytes, '\n');
	s->in_text = s->any_text = s->fresh_text = true;
	s->goes_on = false;
	markdown_feed(&s->markdown, piece, &s->bytes);
	write_to(s, stdout);
}

static void
end_line(struct chat_screen *s)
{
	if (!s->in_text)
		return;
	s->in_text = false;
	markdown_end(&s->markdown, &s->bytes);
	write_to(s, stdout);
}

void
chat_screen_text_end(struct chat_screen *s)
{
	end_line(s);
	s->goes_on = false;
	chat_screen_wait(s, "working");
}

void
chat_screen_break(struct chat_screen *s)
{
	s->goes_on |= s->in_text;
	end_line(s);
}

void
chat_screen_say(struct chat_screen *s, const char *mark, struct str line, enum terminal_style style)
{
	bool beside = s->out.is_terminal && !s->quiet;
	const struct terminal *term = beside ? &s->out : &s->err;

	chat_screen_hide(s);
	buf_printf(&s->bytes, "%s%s", terminal_style(term, style), mark);
	if (term->is_terminal)
		term_text_fit(&s->bytes, line, term->columns - term_text_width(str_of(mark)));
	else
		term_text_line(&s->bytes, line);
	buf_printf(&s->bytes, "%s\n", terminal_style(term, STYLE_RESET));
	write_to(s, beside ? stdout : stderr);
}

void
chat_screen_ask(struct chat_screen *s, struct str text)
{
	static const char MARK[] = "? ";
	const struct approval_text_frame frame = { s->out.columns, strlen(MARK), 0 };

	chat_screen_hide(s);
	buf_printf(&s->bytes, "%s%s", terminal_style(&s->out, STYLE_YELLOW), MARK);
	approval_text_wrap(&s->bytes, text, &frame);
	buf_printf(&s->bytes, "%s\n", terminal_style(&s->out, STYLE_RESET));
	write_to(s, stdout);
}

void
chat_screen_call(struct chat_screen *s, struct str line)
{
	chat_screen_break(s);
	if (s->out.is_terminal || s->err.is_terminal)
		chat_screen_say(s, "⚙ ", line, STYLE_DIM);
	chat_screen_wait(s, "running");
}

void
chat_screen_note(struct chat_screen *s, struct str line)
{
	chat_screen_break(s);
	chat_screen_say(s, "! ", line, STYLE_YELLOW);
	chat_screen_wait(s, "working");
}

void
chat_screen_beat(struct chat_screen *s, int64_t now_ms)
{
	if (!s->in_text) {
		spinner_beat(&s->spinner, now_ms, &s->bytes);
		write_to(s, stderr);
	} else if (!s->fresh_text) {
		markdown_pause(&s->markdown, &s->bytes);
		write_to(s, stdout);
	}
	s->fresh_text = false;
}
