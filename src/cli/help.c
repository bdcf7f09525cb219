#include "cli/help.h"

#include <ctype.h>
#include <string.h>

enum { NAME_COLUMNS = 14, OPTION_COLUMNS = 22, WIDTH = 79 };

static const char EXIT_CODES[] =
	"Exit codes: 0 ok, 1 refused, 2 usage or bad input, 3 the machine failed.\n";

/* Words of text in lines that begin at `indent`; the first one is there already, at `column`. */
static void
put_paragraph(struct buf *out, const char *text, size_t column, size_t indent)
{
	struct str rest = str_of(text), word;
	bool first = true;

	while (rest.len > 0) {
		str_cut(rest, ' ', &word, &rest);
		if (!first && column + 1 + word.len > WIDTH) {
			buf_putc(out, '\n');
			for (column = 0; column < indent; column++)
				buf_putc(out, ' ');
		} else if (!first) {
			buf_putc(out, ' ');
			column++;
		}
		buf_put_str(out, word);
		column += word.len;
		first = false;
	}
	buf_putc(out, '\n');
}

static void
put_entry(struct buf *out, const char *name, size_t columns, const char *text)
{
	size_t column = 2 + strlen(name);

	buf_printf(out, "  %s", name);
	if (column + 1 > columns + 2) {
		buf_putc(out, '\n');
		column = 0;
	}
	for (; column < columns + 2; column++)
		buf_putc(out, ' ');
	put_paragraph(out, text, column, columns + 2);
}

static struct str
first_word(const char *name)
{
	struct str head, tail;

	str_cut(str_of(name), ' ', &head, &tail);
	return head;
}

/* "list show events": the words that follow the first one. */
static void
put_verbs(const struct command_table *t, struct str group, struct buf *out)
{
	struct str last = { 0 }, head, tail, verb;

	for (size_t i = 0; i < command_count(t); i++) {
		if (!str_cut(str_of(command_at(t, i)->name), ' ', &head, &tail) ||
		    !str_eq(head, group))
			continue;
		str_cut(tail, ' ', &verb, &tail);
		if (str_eq(verb, last))
			continue;
		buf_printf(out, "%s" STR_FMT, last.ptr ? " " : "", STR_ARG(verb));
		last = verb;
	}
}

void
help_all(const struct command_table *t, struct buf *out)
{
	struct str last = { 0 };
	struct buf text;
	char name[NAME_COLUMNS];

	buf_init(&text, 4096);
	buf_puts(out, "usage: perdure <command> [options]\n\n");
	for (size_t i = 0; i < command_count(t); i++) {
		const struct command *c = command_at(t, i);
		struct str word = first_word(c->name);

		if (str_eq(word, last))
			continue;
		last = word;
		snprintf(name, sizeof name, STR_FMT, STR_ARG(word));
		buf_clear(&text);
		if (command_is_group(t, name))
			put_verbs(t, word, &text);
		else
			buf_puts(&text, c->summary);
		buf_putc(&text, '\0');
		put_entry(out, name, NAME_COLUMNS, text.ptr);
	}
	buf_printf(out, "\nEach command explains itself with --help.\n%s", EXIT_CODES);
	buf_release(&text);
}

void
help_group(const struct command_table *t, const char *words, struct buf *out)
{
	size_t len = strlen(words);

	buf_printf(out, "usage: perdure %s <command> [options]\n\n", words);
	for (size_t i = 0; i < command_count(t); i++) {
		const struct command *c = command_at(t, i);

		if (strncmp(c->name, words, len) == 0 && c->name[len] == ' ')
			put_entry(out, c->name + len + 1, OPTION_COLUMNS, c->summary);
	}
	buf_puts(out, "\nEach command explains itself with --help.\n");
}

void
help_usage(const struct command *c, struct buf *out)
{
	bool optional = c->client;

	buf_printf(out, "perdure %s", c->name);
	if (c->args)
		buf_printf(out, " %s", c->args);
	for (size_t i = 0; i < COMMAND_OPTIONS_MAX && c->options[i].name; i++)
		if (c->options[i].required)
			buf_printf(out, " %s %s", c->options[i].name, c->options[i].value);
		else
			optional = true;
	if (optional)
		buf_puts(out, " [options]");
}

static void
put_options(const struct command_option *options, size_t max, struct buf *out)
{
	char name[NAME_COLUMNS * 4];

	for (size_t i = 0; i < max && options[i].name; i++) {
		const struct command_option *o = &options[i];
		const char letter[] = { '-', o->letter, ',', ' ', '\0' };

		snprintf(name, sizeof name, "%s%s%s%s", o->letter ? letter : "", o->name,
			 o->value ? " " : "", o->value ? o->value : "");
		put_entry(out, name, OPTION_COLUMNS, o->help);
	}
}

static void
put_lines(struct buf *out, const char *text)
{
	struct str rest = str_of(text), line;

	while (rest.len > 0) {
		str_cut(rest, '\n', &line, &rest);
		buf_printf(out, "  " STR_FMT "\n", STR_ARG(line));
	}
}

void
help_sentence(const struct command *c, struct buf *out)
{
	struct str text = str_of(c->summary);

	buf_putc(out, (char)toupper((unsigned char)text.ptr[0]));
	buf_put_str(out, str_slice(text, 1, text.len));
	if (!str_ends(text, STR("?")))
		buf_putc(out, '.');
}

void
help_command(const struct command *c, struct buf *out)
{
	buf_puts(out, "usage: ");
	help_usage(c, out);
	buf_puts(out, "\n\n");
	help_sentence(c, out);
	buf_putc(out, '\n');
	if (c->more)
		put_paragraph(out, c->more, 0, 0);
	if (c->options[0].name) {
		buf_putc(out, '\n');
		put_options(c->options, COMMAND_OPTIONS_MAX, out);
	}
	if (c->client) {
		buf_puts(out, "\nOptions of every command that talks to a server:\n");
		put_options(COMMAND_CLIENT_OPTIONS, SIZE_MAX, out);
	}
	if (c->examples) {
		buf_puts(out, "\nExamples:\n");
		put_lines(out, c->examples);
	}
	buf_printf(out, "\n%s", EXIT_CODES);
}
