#include "cli/args.h"

#include <stdlib.h>
#include <string.h>

#include "base/ignored.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/utf8.h"

enum { NAME_MAX_BYTES = 64 };

static size_t
place_of(const struct command *c, const struct command_option *option)
{
	size_t i = 0;

	while (command_option_at(c, i) != option)
		i++;
	return i;
}

static int
unknown_option(const struct command *c, struct str name, struct err *e)
{
	struct nearest n = nearest_of(name);
	const struct command_option *o;

	for (size_t i = 0; (o = command_option_at(c, i)) != NULL; i++)
		nearest_offer(&n, str_of(o->name));
	if (n.found.ptr)
		return err_set(e, ERR_USAGE,
			       "there is no option " STR_FMT "; did you mean " STR_FMT "?",
			       STR_ARG(str_slice(name, 0, 40)), STR_ARG(n.found));
	return err_set(e, ERR_USAGE, "there is no option " STR_FMT "; see perdure %s --help",
		       STR_ARG(str_slice(name, 0, 40)), c->name);
}

/* Takes argv[*at], an option, and its value if it has one. */
static int
take_option(struct args *a, int argc, char **argv, int *at, struct err *e)
{
	char name[NAME_MAX_BYTES];
	struct str text = str_of(argv[*at]), head, tail;
	bool joined = str_starts(text, STR("--")) && str_cut(text, '=', &head, &tail);
	const struct command_option *o;
	size_t place;

	if (!joined)
		head = text;
	if (head.len >= sizeof name)
		return unknown_option(a->command, head, e);
	memcpy(name, head.ptr, head.len);
	name[head.len] = '\0';
	o = command_option_find(a->command, name);
	if (!o)
		return unknown_option(a->command, head, e);
	place = place_of(a->command, o);
	if (a->values[place])
		return err_set(e, ERR_USAGE, "%s is given twice", o->name);
	if (!o->value && joined)
		return err_set(e, ERR_USAGE, "%s takes no value", o->name);
	if (IGNORED("flag", a->command->name, o->name, "") || IGNORED("flag", "*", o->name, "")) {
		*at += o->value && !joined;
	} else if (!o->value) {
		a->values[place] = o->name;
	} else if (joined) {
		a->values[place] = tail.ptr;
	} else if (*at + 1 < argc) {
		a->values[place] = argv[++*at];
	} else {
		return err_set(e, ERR_USAGE, "%s needs a value: %s %s", o->name, o->name, o->value);
	}
	return 0;
}

/* "$SESSION" with nothing in it: the server would be asked for something else. */
static int
check_id(struct str what, struct str kind, const char *value, struct err *e)
{
	static const char *const KINDS[] = { "ID", "LANE", "MESSAGE", "SESSION" };

	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (str_eq(kind, str_of(KINDS[i])) && utf8_is_blank(str_of(value)))
			return err_set(e, ERR_USAGE, STR_FMT " must not be empty", STR_ARG(what));
	return 0;
}

static int
check_words(const struct args *a, struct err *e)
{
	struct str rest = str_of(a->command->args), word;
	size_t n = 0;

	for (; rest.len > 0; n++) {
		str_cut(rest, ' ', &word, &rest);
		if (n >= a->word_count && !str_starts(word, STR("[")))
			return err_set(e, ERR_USAGE, STR_FMT " is missing: perdure %s %s",
				       STR_ARG(word), a->command->name, a->command->args);
		if (n < a->word_count && check_id(word, word, a->words[n], e) != 0)
			return ERR_USAGE;
	}
	if (a->word_count > n)
		return err_set(e, ERR_USAGE,
			       "'%.60s' is one argument too many; see perdure %s --help",
			       a->words[n], a->command->name);
	return 0;
}

static int
check_options(const struct args *a, struct err *e)
{
	const struct command_option *o;

	for (size_t i = 0; (o = command_option_at(a->command, i)) != NULL; i++)
		if (o->required && !a->values[i])
			return err_set(e, ERR_USAGE, "%s %s is missing; see perdure %s --help",
				       o->name, o->value, a->command->name);
		else if (o->value && a->values[i] &&
			 check_id(str_of(o->name), str_of(o->value), a->values[i], e) != 0)
			return ERR_USAGE;
	return 0;
}

static bool
asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

int
args_parse(const struct command *c, int argc, char **argv, struct args *out, struct err *e)
{
	struct args a = { .command = c, .help = asks_for_help(argc, argv) };
	bool words_only = false;
	int rc = 0;

	for (int i = 0; rc == 0 && !a.help && i < argc; i++) {
		bool dash = argv[i][0] == '-' && argv[i][1] != '\0';

		if (!words_only && strcmp(argv[i], "--") == 0)
			words_only = true;
		else if (!words_only && dash)
			rc = take_option(&a, argc, argv, &i, e);
		else if (a.word_count == ARGS_WORDS_MAX)
			rc = err_set(e, ERR_USAGE, "'%.60s' is one argument too many", argv[i]);
		else
			a.words[a.word_count++] = argv[i];
	}
	if (rc == 0 && !a.help)
		rc = check_words(&a, e);
	if (rc == 0 && !a.help)
		rc = check_options(&a, e);
	if (rc == 0)
		*out = a;
	return rc;
}

const char *
args_value(const struct args *a, const char *name)
{
	const struct command_option *o = command_option_find(a->command, name);

	if (!o)
		abort(); /* a command asks for what its row does not have */
	return a->values[place_of(a->command, o)];
}

int
args_int(const struct args *a, const char *name, int64_t min, int64_t max, int64_t *out,
	 struct err *e)
{
	const char *text = args_value(a, name);
	int64_t value;

	if (!text)
		return 0;
	if (!str_to_int(str_of(text), &value) || value < min || value > max)
		return err_set(e, ERR_USAGE, "%s %.40s: must be a number from %lld to %lld", name,
			       text, (long long)min, (long long)max);
	*out = value;
	return 0;
}

const char *
args_word(const struct args *a, size_t n)
{
	return n < a->word_count ? a->words[n] : NULL;
}

#ifdef PERDURE_TEST_HOOKS
int
args_ignore(const struct command *c, int argc, char **argv)
{
	int kept = 0;

	for (int i = 0; i < argc; i++) {
		const struct command_option *o = command_option_find(c, argv[i]);

		if (o && IGNORED("flag", c->name, o->name, ""))
			i += o->value != NULL;
		else
			argv[kept++] = argv[i];
	}
	return kept;
}
#endif
