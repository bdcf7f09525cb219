#include "tool/mcp/tool_name.h"

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
	{ "T10 no room for the server's", "files", TEN TEN TEN TEN TEN TEN "abc",
	  TEN TEN TEN TEN TEN TEN "abc" },
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
	assert_true(tool_name_is_plain(made));
	assert_true(tool_name_means(made, str_of(row->server), str_of(row->tool)));
	assert_true(tool_name_means(str_of(row->tool), str_of(row->server), str_of(row->tool)));
	assert_false(tool_name_means(STR("another"), str_of(row->server), str_of(row->tool)));
	arena_release(&a);
}

static void
T10_plain_names(void **state)
{
	(void)state;
	assert_true(tool_name_is_plain(STR("aZ09_-")));
	assert_false(tool_name_is_plain(STR("")));
	assert_false(tool_name_is_plain(STR("a b")));
	assert_false(tool_name_is_plain(STR("\xc3\xa9")));
	assert_false(tool_name_is_plain(STR(TEN TEN TEN TEN TEN TEN "abcde")));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T10_plain_names);
	return suite_run(&s, "tool/mcp/tool_name");
}
