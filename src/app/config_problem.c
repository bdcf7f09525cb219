#include "app/config_problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void
config_problem_init(struct config_problems *p, const char *file)
{
	*p = (struct config_problems){ .file = file };
}

static bool
stands_before(struct config_spot a, struct config_spot b)
{
	return a.line != b.line ? a.line < b.line : a.column < b.column;
}

void
config_problem_add(struct config_problems *p, struct config_spot at, const char *fmt, ...)
{
	size_t place = p->count < CONFIG_PROBLEMS_MAX ? p->count : CONFIG_PROBLEMS_MAX;
	va_list ap;

	p->count++;
	if (place == CONFIG_PROBLEMS_MAX)
		return;
	for (; place > 0 && stands_before(at, p->list[place - 1].at); place--)
		p->list[place] = p->list[place - 1];
	p->list[place].at = at;
	va_start(ap, fmt);
	vsnprintf(p->list[place].text, sizeof p->list[place].text, fmt, ap);
	va_end(ap);
}

void
config_problem_format(const struct config_problems *p, size_t index, struct buf *out)
{
	const struct config_problem *one = &p->list[index];

	if (one->at.line == CONFIG_ON_COMMAND_LINE)
		buf_puts(out, "--");
	else if (one->at.line > 0)
		buf_printf(out, "%s:%d:%d: ", p->file ? p->file : "configuration", one->at.line,
			   one->at.column);
	else if (p->file)
		buf_printf(out, "%s: ", p->file);
	buf_puts(out, one->text);
}

void
config_problem_format_all(const struct config_problems *p, struct buf *out)
{
	for (size_t i = 0; i < p->count && i < CONFIG_PROBLEMS_MAX; i++) {
		config_problem_format(p, i, out);
		buf_putc(out, '\n');
	}
	if (p->count > CONFIG_PROBLEMS_MAX)
		buf_printf(out, "and %zu more\n", p->count - CONFIG_PROBLEMS_MAX);
}

int
config_problem_err(const struct config_problems *p, struct err *e)
{
	struct buf text;

	buf_init(&text, ERR_TEXT_MAX * 10);
	config_problem_format(p, 0, &text);
	if (p->count > 1)
		buf_printf(&text, " (and %zu more)", p->count - 1);
	err_set(e, ERR_INVALID, STR_FMT, STR_ARG(buf_str(&text)));
	buf_release(&text);
	return ERR_INVALID;
}

const char *
config_problem_quote(struct str text, char out[CONFIG_SHOWN_MAX])
{
	static const char MORE[] = "...";
	bool cut = text.len >= CONFIG_SHOWN_MAX;
	size_t len = cut ? utf8_floor(text, CONFIG_SHOWN_MAX - sizeof MORE) : text.len;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		out[i] = c < 0x20 || c == 0x7f ? '?' : text.ptr[i];
	}
	memcpy(out + len, cut ? MORE : "", cut ? sizeof MORE : 1);
	return out;
}
