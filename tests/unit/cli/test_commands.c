#include "cli/commands.h"

#include <ctype.h>

#include "harness.h"

static struct command_table
table_of_cli(void)
{
	return (struct command_table){ { { COMMANDS, 0 }, { COMMANDS, COMMANDS_COUNT } } };
}

/* What was promised by name. */
static const struct promised_row {
	const char *name, *command, *options;
} promised[] = {
	{ "L1 agent session create", "agent session create", "--name --environment --json" },
	{ "L1 agent session send", "agent session send", "--session --message --json" },
	{ "L1 agent session status", "agent session status", "--session --json" },
	{ "L1 agent session events", "agent session events", "--session --limit --json" },
	{ "L1 agent session confirm-tool", "agent session confirm-tool", "--session --json" },
	{ "L1 agent session custom-tool-result", "agent session custom-tool-result",
	  "--session --json" },
	{ "L1 agent session interrupt", "agent session interrupt", "--session --json" },
	{ "L1 agent wake", "agent wake", "--session --json" },
	{ "chat", "chat", "--session --agent --message --json --new" },
};

static void
test_promised(void **state)
{
	const struct promised_row *row = *state;
	const struct command_table t = table_of_cli();
	struct str rest = str_of(row->options), name;
	char option[32];

	for (size_t i = 0; i < command_count(&t); i++) {
		const struct command *c = command_at(&t, i);

		if (strcmp(c->name, row->command) != 0)
			continue;
		while (rest.len > 0) {
			str_cut(rest, ' ', &name, &rest);
			snprintf(option, sizeof option, STR_FMT, STR_ARG(name));
			if (!command_option_find(c, option))
				fail_msg("%s has no %s", c->name, option);
		}
		return;
	}
	fail_msg("there is no %s", row->command);
}

static void
check_row(const struct command *c)
{
	const struct command_option *o, *other;

	if (!c->run == !c->main)
		fail_msg("%s: needs one of run and main", c->name);
	if (!islower((unsigned char)c->summary[0]) || strchr(c->summary, '\n') ||
	    c->summary[strlen(c->summary) - 1] == '.')
		fail_msg("%s: summary is no phrase", c->name);
	for (size_t i = 0; (o = command_option_at(c, i)) != NULL; i++) {
		if (strncmp(o->name, "--", 2) != 0 || !o->help || (o->required && !o->value))
			fail_msg("%s: %s is not right", c->name, o->name);
		for (size_t k = 0; k < i; k++) {
			other = command_option_at(c, k);
			if (strcmp(other->name, o->name) == 0 ||
			    (o->letter && other->letter == o->letter))
				fail_msg("%s: %s and %s clash", c->name, other->name, o->name);
		}
	}
}

static void
test_every_row_is_sound(void **state)
{
	const struct command_table t = table_of_cli();

	(void)state;
	for (size_t i = 0; i < command_count(&t); i++) {
		check_row(command_at(&t, i));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(command_at(&t, i)->name, command_at(&t, k)->name);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, promised, test_promised);
	SUITE_TEST(&s, test_every_row_is_sound);
	return suite_run(&s, "commands");
}
