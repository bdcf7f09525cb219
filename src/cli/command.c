#include "cli/command.h"

#include <string.h>

#include "base/str.h"

const struct command_option COMMAND_CLIENT_OPTIONS[] = {
	{ "--server", "URL", "where the server is: http://HOST:PORT or unix:/PATH" },
	{ "--token-file", "FILE", "the file that holds the token" },
	{ "--data", "DIR", "the server's data directory: its owner.token is used" },
	{ "--json", NULL, "print JSON for programs" },
	{ "--verbose", NULL, "also say which server and request it was", 'v' },
	{ 0 },
};

size_t
command_count(const struct command_table *t)
{
	return t->parts[0].count + t->parts[1].count;
}

const struct command *
command_at(const struct command_table *t, size_t i)
{
	return i < t->parts[0].count ? &t->parts[0].ptr[i]
				     : &t->parts[1].ptr[i - t->parts[0].count];
}

/* How many words of argv are this name; 0 when they are not. */
static int
words_matched(struct str name, int argc, char **argv)
{
	struct str word;
	int count = 0;

	while (name.len > 0) {
		str_cut(name, ' ', &word, &name);
		if (count == argc || !str_eq(word, str_of(argv[count])))
			return 0;
		count++;
	}
	return count;
}

const struct command *
command_find(const struct command_table *t, int argc, char **argv, int *words)
{
	const struct command *found = NULL;

	*words = 0;
	for (size_t i = 0; i < command_count(t); i++) {
		int count = words_matched(str_of(command_at(t, i)->name), argc, argv);

		if (count > *words) {
			found = command_at(t, i);
			*words = count;
		}
	}
	return found;
}

bool
command_is_group(const struct command_table *t, const char *words)
{
	size_t len = strlen(words);

	for (size_t i = 0; i < command_count(t); i++) {
		struct str name = str_of(command_at(t, i)->name);

		if (str_starts(name, str_of(words)) && name.len > len && name.ptr[len] == ' ')
			return true;
	}
	return false;
}

const struct command_option *
command_option_at(const struct command *c, size_t i)
{
	size_t own = 0;

	while (own < COMMAND_OPTIONS_MAX && c->options[own].name)
		own++;
	if (i < own)
		return &c->options[i];
	for (size_t k = 0; c->client && COMMAND_CLIENT_OPTIONS[k].name; k++)
		if (own + k == i)
			return &COMMAND_CLIENT_OPTIONS[k];
	return NULL;
}

const struct command_option *
command_option_find(const struct command *c, const char *name)
{
	const struct command_option *o;
	bool is_letter = name[0] == '-' && name[1] != '\0' && name[1] != '-' && name[2] == '\0';

	for (size_t i = 0; (o = command_option_at(c, i)) != NULL; i++)
		if (strcmp(o->name, name) == 0 ||
		    (is_letter && o->letter != '\0' && o->letter == name[1]))
			return o;
	return NULL;
}
