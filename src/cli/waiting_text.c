#include "cli/waiting_text.h"

#include <ctype.h>

#include "cli/approval_text.h"
#include "cli/term_text.h"
#include "cli/terminal.h"

/* Of a call that is shown whole: columns before it, and what one byte of it becomes at most. */
enum { WHOLE_INDENT = 6, WHOLE_GROWTH = 8, WORDS_MAX = 1024, COMMAND_MAX = 64 * 1024 };

static bool
waiting_text_is_plain(struct str word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!isalnum((unsigned char)word.ptr[i]) && !strchr("_-.:/@%+,=", word.ptr[i]))
			return false;
	return word.len > 0;
}

/* As one word of a shell's command line: as it is, or in quotes. */
static void
waiting_text_put_word(struct buf *out, struct str word)
{
	if (waiting_text_is_plain(word)) {
		buf_put_str(out, word);
		return;
	}
	buf_putc(out, '\'');
	for (size_t i = 0; i < word.len; i++)
		if (word.ptr[i] == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, word.ptr[i]);
	buf_putc(out, '\'');
}

/* The phrase, and all of the input where that does not show it: line ends, other members, a long one. */
static void
waiting_text_put_call(struct buf *out, const struct terminal *term, const struct waiting_call *w)
{
	static const char TITLE[] = "- waits for: ";
	const size_t columns = term->is_terminal ? term->columns : SIZE_MAX;
	const size_t room = columns - strlen(TITLE);
	const struct approval_text_frame frame = { columns, WHOLE_INDENT, WHOLE_INDENT };

	buf_puts(out, TITLE);
	term_text_fit(out, w->line, room);
	if (!str_eq(w->line, w->whole) || term_text_width(w->line) > room) {
		buf_printf(out, "\n%*s", WHOLE_INDENT, "");
		approval_text_wrap(out, w->whole, &frame);
	}
	buf_putc(out, '\n');
}

static void
waiting_text_put_command(struct buf *out, const char *verb, struct str session, struct str id,
			 const char *rest)
{
	struct buf command;

	buf_init(&command, COMMAND_MAX);
	buf_printf(&command, "perdure agent session %s --session ", verb);
	waiting_text_put_word(&command, session);
	buf_puts(&command, " --request ");
	waiting_text_put_word(&command, id);
	buf_printf(&command, " %s", rest);
	buf_puts(out, "    ");
	term_text_line(out, buf_str(&command));
	buf_putc(out, '\n');
	buf_release(&command);
}

static void
waiting_text_put_answers(struct buf *out, struct str session, const struct waiting_call *w)
{
	switch (w->waits_for) {
	case WAITING_FOR_PERSON:
		waiting_text_put_command(out, "confirm-tool", session, w->id, "--allowed true");
		waiting_text_put_command(out, "confirm-tool", session, w->id, "--allowed false");
		break;
	case WAITING_FOR_PROGRAM:
		waiting_text_put_command(out, "custom-tool-result", session, w->id,
					 "--output TEXT");
		break;
	case WAITING_FOR_WORKER: buf_puts(out, "    a worker of the environment runs it\n"); break;
	}
}

void
waiting_text_print(FILE *to, struct str session, const struct waiting_call *calls, size_t count)
{
	const struct terminal term = terminal_of(fileno(to));

	for (size_t i = 0; i < count; i++) {
		struct buf out;

		buf_init(&out, calls[i].line.len + calls[i].whole.len * WHOLE_GROWTH + WORDS_MAX +
				       2 * COMMAND_MAX);
		waiting_text_put_call(&out, &term, &calls[i]);
		waiting_text_put_answers(&out, session, &calls[i]);
		fwrite(out.ptr, 1, out.len, to);
		buf_release(&out);
	}
}
