#include "core/tool_name.h"

#include "harness.h"

#define TEN "abcdefghij"

static const struct row {
	const char *name, *server, *tool, *want;
} ROWS[] = {
	{ "T10 its own name", "", "read_file-2", "read_file-2" },
	{ "T10 what models do not take", "", "files.read/all", "files_read_all" },
	{ "T10 with the server's", "files", "read", "files__read" },
	{ "T10 a server's name with blanks", "My files", "read", "My_files__read" },
	{ "T10 too long alone", "", TEN TEN TEN TEN TEN TEN TEN, TEN TEN TEN TEN TEN TEN "abcd" },
	{ "T10 the server's name gives way", TEN TEN TEN, TEN TEN TEN TEN,
	  TEN TEN "ab__" TEN TEN TEN TEN },
	{ "T10 but not all of it: two servers may have that tool", "files",
	  TEN TEN TEN TEN TEN TEN "abc", "files__" TEN TEN TEN TEN TEN "abcdefg" },
	{ "T10 what is left of a long one", TEN TEN TEN, TEN TEN TEN TEN TEN TEN,
	  TEN "abcdef__" TEN TEN TEN TEN "abcdef" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct arena a;
	struct str made;

	arena_init(&a);
	made = tool_name_make(str_of(row->server), str_of(row->tool), &a);
	check_str("name", made, str_of(row->want));
	assert_true(tool_name_is_plain(made, TOOL_NAME_MAX));
	arena_release(&a);
}

static const struct word_row {
	const char *name, *word, *want;
} WORDS[] = {
	{ "T3 a word as it is", "look_At-2", "look_At-2" },
	{ "T3 a dot", "multi_tool_use.parallel", "multi_tool_use_parallel" },
	{ "T3 the neighbours of what is taken", "@[`{/:^,.~", "__________" },
	{ "T3 the edges of what is taken", "azAZ09_-", "azAZ09_-" },
	{ "T3 another script, byte by byte", "sé", "s__" },
	{ "T3 nothing", "", "" },
};

static void
word_is_plain(void **state)
{
	const struct word_row *row = *state;
	struct arena a;

	arena_init(&a);
	check_str(row->name, tool_name_plain(str_of(row->word), &a), str_of(row->want));
	arena_release(&a);
}

static void
T10_plain_names(void **state)
{
	(void)state;
	assert_true(tool_name_is_plain(STR("aZ09_-"), TOOL_NAME_MAX));
	assert_false(tool_name_is_plain(STR(""), TOOL_NAME_MAX));
	assert_false(tool_name_is_plain(STR("a b"), TOOL_NAME_MAX));
	assert_false(tool_name_is_plain(STR("\xc3\xa9"), TOOL_NAME_MAX));
	assert_false(tool_name_is_plain(STR(TEN TEN TEN TEN TEN TEN "abcde"), TOOL_NAME_MAX));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, WORDS, word_is_plain);
	SUITE_TEST(&s, T10_plain_names);
	return suite_run(&s, "core/tool_name");
}
