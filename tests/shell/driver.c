/* driver - what core/shell_split makes of command lines, for a program to read.
 *
 * stdin: lines, each ended by a NUL byte. stdout, for each line, texts ended by a NUL byte:
 *   "error" and why, or "line" and then for each command
 *   "command", its flags, "hides" or "", each word with a "w" before it, and each redirection as
 *   "r" (reads), "o" (writes) or "b" (both) with its path behind it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "core/shell_runner.h"

static void
say(const char *kind, struct str text)
{
	printf("%s", kind);
	fwrite(text.ptr, 1, text.len, stdout);
	putchar('\0');
}

static void
tell_command(const struct shell_command *c)
{
	static const char *const SIGNS[] = { "r", "o", "b" };

	say("command", STR(""));
	printf("%u", c->unsafe);
	say("", STR(""));
	say(shell_runner_hides(c) ? "hides" : "", STR(""));
	for (size_t i = 0; i < c->word_count; i++)
		say("w", c->words[i]);
	for (size_t i = 0; i < c->redirect_count; i++)
		say(SIGNS[c->redirects[i].direction], c->redirects[i].path);
}

static void
tell_line(struct str text)
{
	struct shell_line line = { 0 };
	struct err e = { 0 };
	struct arena a;

	arena_init(&a);
	if (shell_split(text, &a, &line, &e) != 0)
		say("error ", str_of(e.text));
	else
		say("line", STR(""));
	for (size_t i = 0; i < line.count; i++)
		tell_command(&line.commands[i]);
	arena_release(&a);
}

int
main(void)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t len;

	while ((len = getdelim(&text, &size, '\0', stdin)) > 0)
		tell_line((struct str){ text, (size_t)len - 1 });
	free(text);
	return 0;
}
