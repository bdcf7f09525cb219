#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/xalloc.h"
#include "cli/call.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/term_text.h"

enum { HELP_MAX = 256 * 1024, WORDS_MAX = 128, HELP_WORDS_MAX = 8 };

static bool
is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* ---- help ---- */

static void
print_help(const struct command_table *t, const struct command *c, const char *group, FILE *to)
{
	struct buf text;

	buf_init(&text, HELP_MAX);
	if (c)
		help_command(c, &text);
	else if (group[0] != '\0')
		help_group(t, group, &text);
	else
		help_all(t, &text);
	fwrite(text.ptr, 1, text.len, to);
	buf_release(&text);
}

/* The words that argv begins with and that begin some command's name: "agent session". */
static void
find_group(const struct command_table *t, int argc, char **argv, char group[WORDS_MAX])
{
	char longer[WORDS_MAX];

	group[0] = '\0';
	for (int i = 0; i < argc; i++) {
		int n = snprintf(longer, sizeof longer, "%s%s%s", group, i > 0 ? " " : "", argv[i]);

		if (n < 0 || n >= (int)sizeof longer || !command_is_group(t, longer))
			return;
		memcpy(group, longer, (size_t)n + 1);
	}
}

/* A word that begins no command: the one that was meant, if there is one. */
static int
unknown_command(const struct command_table *t, const char *group, const char *word)
{
	struct nearest n = nearest_of(str_of(word));
	size_t skip = group[0] != '\0' ? strlen(group) + 1 : 0;

	for (size_t i = 0; i < command_count(t); i++) {
		struct str name = str_of(command_at(t, i)->name), head, tail;

		if (!str_starts(name, str_of(group)))
			continue;
		str_cut(str_slice(name, skip, name.len), ' ', &head, &tail);
		nearest_offer(&n, head);
	}
	fprintf(stderr, "perdure: '%s%s%.40s' is not a command; ", group, skip > 0 ? " " : "",
		word);
	if (n.found.ptr)
		fprintf(stderr, "did you mean '%s%s" STR_FMT "'?\n", group, skip > 0 ? " " : "",
			STR_ARG(n.found));
	else
		fprintf(stderr, "see 'perdure %s%s--help'\n", group, skip > 0 ? " " : "");
	return err_exit_code(ERR_USAGE);
}

static int
answer_group(const struct command_table *t, int argc, char **argv)
{
	char group[WORDS_MAX];
	int words = 0;

	find_group(t, argc, argv, group);
	for (const char *at = group; *at; at++)
		words += *at == ' ';
	words += group[0] != '\0';
	if (words < argc && !is_help(argv[words]))
		return unknown_command(t, group, argv[words]);
	print_help(t, NULL, group, words < argc ? stdout : stderr);
	return words < argc ? 0 : err_exit_code(ERR_USAGE);
}

/* ---- running ---- */

static int
run_call(struct cli_call *call, const struct command *c, int argc, char **argv, struct err *e)
{
	int rc = args_parse(c, argc, argv, &call->args, e);

	if (rc == 0 && call->args.help) {
		print_help(call->table, c, "", stdout);
		return 0;
	}
	if (rc == 0) {
		term_text_init();
		call->out = terminal_of(1);
		rc = c->run(call, e);
	}
	client_free(&call->client);
	return rc;
}

/* An error may quote a server, ours or a foreign one. */
static void
complain(const struct command *c, const struct err *e)
{
	fprintf(stderr, "perdure %s: ", c->name);
	term_text_print(stderr, isatty(STDERR_FILENO) != 0, str_of(e->text));
	fputc('\n', stderr);
}

/* Whoever reads our pipe left: `| head` is no failure of ours. stdio does not keep why a write failed. */
static bool
reader_left(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

/* All of the output is where it should be. */
static int
check_output(struct err *e)
{
	bool flushed = fflush(stdout) == 0;
	const char *why = flushed ? "" : strerror(errno);

	if ((flushed && !ferror(stdout)) || reader_left())
		return 0;
	return err_set(e, ERR_IO, "could not write all of the output%s%s", *why ? ": " : "", why);
}

static int
run_command(const struct command_table *t, const struct command *c, int argc, char **argv)
{
	struct cli_call call = { .table = t };
	struct err e = { 0 };
	int rc;

	if (c->main) {
		rc = c->main(args_ignore(c, argc, argv) + 1, argv - 1, &e);
	} else {
		arena_init(&call.a);
		rc = run_call(&call, c, argc, argv, &e);
		arena_release(&call.a);
	}
	if (rc == 0)
		rc = check_output(&e);
	if (rc != 0)
		complain(c, &e);
	return err_exit_code(rc);
}

static int
dispatch(const struct command_table *t, int argc, char **argv)
{
	int words;
	const struct command *c = command_find(t, argc, argv, &words);

	if (!c)
		return answer_group(t, argc, argv);
	return run_command(t, c, argc - words, argv + words);
}

/* `perdure help session list` is `perdure session list --help`. */
static int
dispatch_help(const struct command_table *t, int argc, char **argv)
{
	static char help[] = "--help";
	char *words[HELP_WORDS_MAX];
	int n = 0;

	while (n < argc && n + 1 < HELP_WORDS_MAX) {
		words[n] = argv[n];
		n++;
	}
	words[n++] = help;
	return dispatch(t, n, words);
}

/* How many words of argv are options of every client, with their values. */
static int
leading_options(int argc, char **argv)
{
	int n = 0;

	while (n < argc && argv[n][0] == '-') {
		size_t len = strcspn(argv[n], "=");
		const struct command_option *o = COMMAND_CLIENT_OPTIONS;

		while (o->name && (strlen(o->name) != len || strncmp(o->name, argv[n], len) != 0))
			o++;
		if (!o->name)
			break;
		n += o->value && argv[n][len] == '\0' ? 2 : 1;
	}
	return n < argc ? n : 0;
}

int
cli_run(int argc, char **argv, const struct command *more, size_t more_count)
{
	const struct command_table table = {
		{ { more, more_count }, { COMMANDS, COMMANDS_COUNT } },
	};
	int count = argc > 0 ? argc - 1 : 0, lead = leading_options(count, argv + 1), rc;
	char **words = xcalloc((size_t)count + 1, sizeof *words);

	/* options that stand before the command are read like those behind it */
	for (int i = 0; i < count; i++)
		words[i] = argv[1 + (i + lead) % count];
	if (count > 0 && strcmp(words[0], "help") == 0)
		rc = dispatch_help(&table, count - 1, words + 1);
	else if (count > 0 && strcmp(words[0], "--version") == 0)
		rc = dispatch(&table, 1, (char *[]){ (char[]){ "version" } });
	else
		rc = dispatch(&table, count, words);
	free(words);
	return rc;
}
