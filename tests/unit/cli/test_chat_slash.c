#include "cli/chat.h"
#include "harness.h"

static const struct row {
	const char *name, *line, *want;
} rows[] = {
	{ "L3 a command", "/help", "/help" },
	{ "L3 a command with words", "/title My work", "/title" },
	{ "L3 text is none", "hello /help", "" },
	{ "L3 a path is text", "/etc/passwd is a file", "" },
	{ "L3 two slashes are text", "//help", "" },
	{ "L3 a slash alone is text", "/", "" },
	{ "L3 capitals are text", "/Users are people", "" },
	{ "L3 nothing", "", "" },
};

static void
test_word(void **state)
{
	const struct row *row = *state;

	check_str(row->name, chat_slash_word(str_of(row->line)), str_of(row->want));
}

static void
test_two_slashes_say_one(void **state)
{
	struct str text;

	(void)state;
	assert_int_equal(chat_slash(NULL, STR("//help me"), &text), CHAT_SLASH_TEXT);
	check_str("text", text, STR("/help me"));
	assert_int_equal(chat_slash(NULL, STR("hello"), &text), CHAT_SLASH_TEXT);
	check_str("text", text, STR("hello"));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_word);
	SUITE_TEST(&s, test_two_slashes_say_one);
	return suite_run(&s, "chat_slash");
}
