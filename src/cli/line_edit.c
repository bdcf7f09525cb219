#include "cli/line_edit.h"

#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "base/utf8.h"
#include "base/xalloc.h"

enum { HISTORY_LINES = 1000 };

struct line_edit {
	EditLine *el;
	History *history;
	char *history_file;
	const char *prompt;
	bool drops_input;      /* keys are thrown away: no more of them are waited for */
	sigset_t open_signals; /* what may come while a key is waited for */
};

static volatile sig_atomic_t interrupted, resized;

static void
on_interrupt(int signum)
{
	(void)signum;
	interrupted = 1;
}

static void
on_resize(int signum)
{
	(void)signum;
	resized = 1;
}

static char *
prompt_of(EditLine *el)
{
	struct line_edit *l = NULL;

	el_get(el, EL_CLIENTDATA, &l);
	return (char *)(uintptr_t)l->prompt; /* libedit only reads it */
}

/* One byte; false at the end or when a person has had enough. Signals come only while it waits: one
 * that came just before would else be noticed with the next key. */
static bool
read_byte(struct line_edit *l, unsigned char *out)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	for (;;) {
		int ready = ppoll(&in, 1, NULL, &l->open_signals);

		if (resized) {
			resized = 0;
			el_resize(l->el);
		}
		if (interrupted || (ready < 0 && errno != EINTR))
			return false;
		if (ready > 0)
			return read(STDIN_FILENO, out, 1) == 1;
	}
}

/* libedit's own reader starts again after a signal; this one gives the line up. */
static int
read_char(EditLine *el, wchar_t *out)
{
	struct line_edit *l = NULL;
	unsigned char bytes[4];
	struct str text = { (const char *)bytes, 1 };
	size_t want, at = 0;

	el_get(el, EL_CLIENTDATA, &l);
	if (l->drops_input)
		return 0;
	if (!read_byte(l, &bytes[0]))
		return interrupted ? -1 : 0;
	want = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : bytes[0] >= 0xc0 ? 2 : 1;
	while (text.len < want && read_byte(l, &bytes[text.len]))
		text.len++;
	*out = (wchar_t)utf8_next(text, &at);
	return 1;
}

struct line_edit *
line_edit_new(const char *history_file)
{
	struct line_edit *l = xcalloc(1, sizeof *l);
	HistEvent event;

	l->history_file = history_file ? xstrdup(history_file) : NULL;
	l->history = history_init();
	l->el = el_init("perdure", stdin, stdout, stderr);
	if (!l->history || !l->el)
		abort(); /* only without memory */
	history(l->history, &event, H_SETSIZE, HISTORY_LINES);
	history(l->history, &event, H_SETUNIQUE, 1);
	if (l->history_file)
		history(l->history, &event, H_LOAD, l->history_file);
	el_set(l->el, EL_CLIENTDATA, l);
	el_set(l->el, EL_PROMPT, prompt_of);
	el_set(l->el, EL_EDITOR, "emacs");
	el_set(l->el, EL_HIST, history, l->history);
	el_set(l->el, EL_GETCFN, read_char);
	el_set(l->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_source(l->el, NULL);
	return l;
}

void
line_edit_free(struct line_edit **line)
{
	struct line_edit *l = *line;

	if (!l)
		return;
	el_end(l->el);
	history_end(l->history);
	free(l->history_file);
	free(l);
	*line = NULL;
}

/* What a line wants of the signals, and what was before. */
struct signals {
	struct sigaction interrupt, resize;
};

static void
take_signals(struct line_edit *l, struct signals *before)
{
	struct sigaction mine = { .sa_handler = on_interrupt };
	sigset_t ours;

	interrupted = resized = 0;
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGWINCH);
	sigprocmask(SIG_BLOCK, &ours, &l->open_signals);
	sigaction(SIGINT, &mine, &before->interrupt);
	mine.sa_handler = on_resize;
	sigaction(SIGWINCH, &mine, &before->resize);
}

static void
give_signals_back(struct line_edit *l, const struct signals *before)
{
	sigprocmask(SIG_SETMASK, &l->open_signals, NULL); /* one that waits is ours still */
	sigaction(SIGINT, &before->interrupt, NULL);
	sigaction(SIGWINCH, &before->resize, NULL);
}

enum line_edit_result
line_edit_read(struct line_edit *l, const char *prompt, struct buf *out)
{
	struct signals before;
	const char *line;
	int count = 0;

	buf_clear(out);
	l->prompt = prompt;
	take_signals(l, &before);
	/* before the prompt is seen: a key that is typed between it and the switch would be the
	 * line discipline's, and a Ctrl-D lost */
	el_set(l->el, EL_PREP_TERM, 1);
	line = el_gets(l->el, &count);
	if (line && count > 0)
		buf_put(out, line, (size_t)count);
	give_signals_back(l, &before);
	if (out->len > 0 && out->ptr[out->len - 1] == '\n')
		out->len--;
	if (interrupted) {
		el_reset(l->el);
		buf_clear(out);
		return LINE_EDIT_INTERRUPTED;
	}
	return line ? LINE_EDIT_LINE : LINE_EDIT_END;
}

void
line_edit_drop_input(struct line_edit *l)
{
	wchar_t key;

	l->drops_input = true;
	while (el_wgetc(l->el, &key) > 0)
		; /* what is left of a key that stands for several */
	l->drops_input = false;
	el_set(l->el, EL_PREP_TERM, 0);
	tcflush(STDIN_FILENO, TCIFLUSH);
}

void
line_edit_remember(struct line_edit *l, struct str line)
{
	HistEvent event;
	struct buf text;

	if (str_trim(line).len == 0)
		return;
	buf_init(&text, line.len + 2);
	buf_put_str(&text, line);
	buf_puts(&text, "\n");
	buf_putc(&text, '\0');
	history(l->history, &event, H_ENTER, text.ptr);
	if (l->history_file)
		history(l->history, &event, H_SAVE, l->history_file);
	buf_release(&text);
}
