#include "base/buf.h"
#include "core/chat_command.h"
#include "harness.h"

static const struct row {
	const char *name, *line;
	const char *want; /* command, then what was given; or the refusal */
} ROWS[] = {
	{ "L3 a name alone", "/status", "status" },
	{ "L3 blanks around it", "  /status \n", "status" },
	{ "L3 letters of either case", "/Status", "status" },
	{ "L3 as group chats address a bot", "/status@perdure_bot", "status" },
	{ "L3 a count", "/undo 3", "undo count=3" },
	{ "L3 no count is none", "/undo", "undo" },
	{ "L3 undo reset", "/undo reset", "undo flag" },
	{ "L3 a count and reset", "/undo 2 reset",
	  "/undo [N | reset]: takes a number or the word, not both" },
	{ "L3 a count of nothing", "/undo 0",
	  "/undo [N | reset]: takes one whole number from 1 on" },
	{ "L3 a count backwards", "/undo -1",
	  "/undo [N | reset]: takes one whole number from 1 on" },
	{ "L3 a count in words", "/undo two",
	  "/undo [N | reset]: takes one whole number from 1 on" },
	{ "L3 two counts", "/undo 1 2", "/undo [N | reset]: takes one whole number from 1 on" },
	{ "L3 a count beyond all bounds", "/undo 99999999999",
	  "/undo [N | reset]: takes one whole number from 1 on" },
	{ "L3 text stays as it is", "/queue  say \"hello\"  twice ",
	  "queue text=say \"hello\"  twice" },
	{ "L3 text over lines", "/steer a\nb", "steer text=a\nb" },
	{ "L3 text that may be missing", "/queue", "queue" },
	{ "L3 text that must not", "/steer", "/steer TEXT: the text is missing" },
	{ "L3 a name of several words", "/title my  trip", "title text=my  trip" },
	{ "L3 a name in quotes", "/title \"my trip\"", "title text=my trip" },
	{ "L3 a name in single quotes", "/title 'my \"own\" trip'", "title text=my \"own\" trip" },
	{ "L3 a quote inside quotes", "/title \"a \\\"b\\\" \\\\ c\"", "title text=a \"b\" \\ c" },
	{ "L3 quotes that do not close", "/title \"my trip",
	  "/title [NAME]: the quotes must close at the end of the name" },
	{ "L3 quotes that close too early", "/title \"my\" trip",
	  "/title [NAME]: the quotes must close at the end of the name" },
	{ "L3 quotes that end in a backslash", "/title \"my\\",
	  "/title [NAME]: the quotes must close at the end of the name" },
	{ "L3 a quote alone", "/title \"",
	  "/title [NAME]: the quotes must close at the end of the name" },
	{ "L3 quotes around nothing", "/title \"\"",
	  "/title [NAME]: the name between the quotes is missing" },
	{ "L3 what takes nothing", "/whoami now", "/whoami: takes no arguments" },
	{ "Q8 stopping", "/stop", "stop" },
	{ "Q8 suspending is said in so many letters", "/stop --suspend", "stop flag" },
	{ "Q8 nothing else is", "/stop now", "/stop [--suspend]: takes nothing else" },
	{ "Q8 no part of it is", "/stop --suspended", "/stop [--suspend]: takes nothing else" },
	{ "L3 all questions", "/approve", "approve" },
	{ "L3 one question for good", "/approve sevt_1 --always", "approve question=sevt_1 flag" },
	{ "L3 the flag in front", "/approve --always sevt_1", "approve question=sevt_1 flag" },
	{ "L3 nothing but ids", "/approve yes",
	  "/approve [ID] [--always]: what follows is neither the id of a question nor --always" },
	{ "L3 a reason", "/deny not today", "deny text=not today" },
	{ "L3 one question and a reason", "/deny sevt_1 not today",
	  "deny question=sevt_1 text=not today" },
	{ "L3 the nearest name", "/stpo", "there is no command /stpo; did you mean /stop?" },
	{ "L3 nothing near", "/frobnicate", "there is no command /frobnicate; /help lists them" },
	{ "L3 a path is none", "/etc/passwd",
	  "a command begins with a slash and a letter, as /help does" },
	{ "L3 a slash alone is none", "/",
	  "a command begins with a slash and a letter, as /help does" },
	{ "L3 no slash, no command", "undo",
	  "a command begins with a slash and a letter, as /help does" },
	{ "L3 nothing is no command", "",
	  "a command begins with a slash and a letter, as /help does" },
};

static void
check_row(void **state)
{
	const struct row *row = *state;
	struct chat_line line;
	struct arena a;
	struct buf said;
	struct err e;

	arena_init(&a);
	buf_init(&said, 4096);
	if (chat_command_parse(str_of(row->line), &a, &line, &e) != 0) {
		buf_puts(&said, e.text);
	} else {
		buf_puts(&said, line.command->name);
		if (line.question.len > 0)
			buf_printf(&said, " question=" STR_FMT, STR_ARG(line.question));
		if (line.text.len > 0)
			buf_printf(&said, " text=" STR_FMT, STR_ARG(line.text));
		if (line.count > 0)
			buf_printf(&said, " count=%lld", (long long)line.count);
		if (line.flag)
			buf_puts(&said, " flag");
	}
	check_str(row->name, buf_str(&said), str_of(row->want));
	buf_release(&said);
	arena_release(&a);
}

static void
L3_every_row_says_role_busy_and_undo(void **state)
{
	(void)state;
	for (size_t i = 0; i < CHAT_COMMANDS; i++) {
		const struct chat_command *c = &CHAT_TABLE[i];

		assert_int_equal(c->id, i);
		assert_non_null(c->name);
		assert_true(c->help && c->help[0]);
		assert_true(chat_command_role(c)[0] != '\0');
		/* whoever only reads changes nothing; what changes something says how it is undone */
		assert_int_equal(c->undo == NULL, c->verb == ACCESS_SESSION_READ);
		if (i > 0)
			assert_true(strcmp(CHAT_TABLE[i - 1].name, c->name) < 0);
	}
}

static void
C11_history_is_not_rewritten_while_busy(void **state)
{
	(void)state;
	assert_false(CHAT_TABLE[CHAT_UNDO].while_busy);
	assert_false(CHAT_TABLE[CHAT_RETRY].while_busy);
	assert_true(CHAT_TABLE[CHAT_BRANCH].while_busy);
	assert_true(CHAT_TABLE[CHAT_STOP].while_busy);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, L3_every_row_says_role_busy_and_undo);
	SUITE_TEST(&s, C11_history_is_not_rewritten_while_busy);
	return suite_run(&s, "core/chat_command");
}
