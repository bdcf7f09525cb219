#include "cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"

struct terminal
terminal_decide(const struct terminal_facts *f)
{
	struct terminal t = { .columns = TERMINAL_COLUMNS_DEFAULT };
	int64_t said;

	if (!f->is_terminal)
		return t;
	t.is_terminal = true;
	t.colour = (!f->no_color || f->no_color[0] == '\0') && f->term && f->term[0] != '\0' &&
		   strcmp(f->term, "dumb") != 0;
	if (f->columns > 0)
		t.columns = f->columns;
	else if (f->columns_env && str_to_int(str_of(f->columns_env), &said) && said > 0 &&
		 said < 10000)
		t.columns = (size_t)said;
	if (t.columns < TERMINAL_COLUMNS_MIN)
		t.columns = TERMINAL_COLUMNS_MIN;
	return t;
}

struct terminal
terminal_of(int fd)
{
	struct winsize size = { 0 };
	struct terminal_facts facts = {
		.is_terminal = isatty(fd) == 1,
		.term = getenv("TERM"),
		.no_color = getenv("NO_COLOR"),
		.columns_env = getenv("COLUMNS"),
	};

	if (facts.is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0)
		facts.columns = size.ws_col;
	return terminal_decide(&facts);
}

const char *
terminal_style(const struct terminal *t, enum terminal_style style)
{
	static const char *const CODES[] = {
		[STYLE_RESET] = "\033[0m",     [STYLE_BOLD] = "\033[1m",
		[STYLE_DIM] = "\033[2m",       [STYLE_ITALIC] = "\033[3m",
		[STYLE_UNDERLINE] = "\033[4m", [STYLE_CODE] = "\033[36m",
		[STYLE_RED] = "\033[31m",      [STYLE_GREEN] = "\033[32m",
		[STYLE_YELLOW] = "\033[33m",
	};

	return t->colour ? CODES[style] : "";
}
