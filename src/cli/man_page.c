#include "cli/man_page.h"

#include "base/str.h"
#include "cli/help.h"

enum { LINE_MAX_BYTES = 4096 };

/* roff reads a hyphen as one that may break, and obeys backslashes and lines that begin with a dot. */
static void
put_text(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if ((c == '.' || c == '\'') && (i == 0 || text.ptr[i - 1] == '\n'))
			buf_puts(out, "\\&");
		if (c == '-')
			buf_puts(out, "\\-");
		else if (c == '\\')
			buf_puts(out, "\\e");
		else
			buf_putc(out, c);
	}
}

static void
put_option(struct buf *out, const struct command_option *o)
{
	buf_puts(out, ".TP\n.B ");
	if (o->letter)
		buf_printf(out, "\\-%c, ", o->letter);
	put_text(out, str_of(o->name));
	if (o->value)
		buf_printf(out, " \\fI%s\\fR", o->value);
	buf_putc(out, '\n');
	put_text(out, str_of(o->help));
	buf_putc(out, '\n');
}

static void
put_command(struct buf *out, const struct command *c)
{
	struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	help_usage(c, &line);
	buf_puts(out, ".SS ");
	put_text(out, buf_str(&line));
	buf_putc(out, '\n');
	buf_clear(&line);
	help_sentence(c, &line);
	put_text(out, buf_str(&line));
	buf_putc(out, '\n');
	buf_release(&line);
	if (c->more) {
		put_text(out, str_of(c->more));
		buf_putc(out, '\n');
	}
	for (size_t i = 0; i < COMMAND_OPTIONS_MAX && c->options[i].name; i++)
		put_option(out, &c->options[i]);
	if (c->examples) {
		buf_puts(out, ".PP\n.nf\n");
		put_text(out, str_of(c->examples));
		buf_puts(out, "\n.fi\n");
	}
}

void
man_page(const struct command_table *t, struct buf *out)
{
	buf_puts(out,
		 ".\\\" Made by `perdure man` of the table of commands.\n"
		 ".TH PERDURE 1\n"
		 ".SH NAME\n"
		 "perdure \\- a server that keeps the sessions of AI agents, and its command line\n"
		 ".SH SYNOPSIS\n"
		 ".B perdure\n"
		 ".I command\n"
		 "[options]\n"
		 ".SH DESCRIPTION\n"
		 "Perdure keeps the conversations of AI agents in an append-only log.\n"
		 ".B perdure serve\n"
		 "runs the server; most other commands are clients of its API and find it, and\n"
		 "its token, by themselves.\n"
		 ".SH COMMANDS\n");
	for (size_t i = 0; i < command_count(t); i++)
		put_command(out, command_at(t, i));
	buf_puts(out, ".SH OPTIONS OF CLIENTS\n");
	for (size_t i = 0; COMMAND_CLIENT_OPTIONS[i].name; i++)
		put_option(out, &COMMAND_CLIENT_OPTIONS[i]);
	buf_puts(out, ".SH ENVIRONMENT\n"
		      ".TP\n.B PERDURE_SERVER\nwhere the server is, as \\-\\-server says it\n"
		      ".TP\n.B PERDURE_TOKEN\nthe token itself\n"
		      ".TP\n.B PERDURE_DATA\nthe server's data directory, as \\-\\-data says it\n"
		      ".TP\n.B NO_COLOR\nno colours, and answers as plain text\n"
		      ".SH FILES\n"
		      ".TP\n.I owner.token\nin the data directory: the owner's token\n"
		      ".TP\n.I perdure.sock\nin the data directory: the server's socket, if it "
		      "listens there\n"
		      ".TP\n.I ~/.local/state/perdure\ndata of the server, and the history of "
		      "\\fBperdure chat\\fR\n"
		      ".SH EXIT STATUS\n"
		      "0 ok, 1 refused, 2 usage or bad input, 3 the machine failed.\n");
}
