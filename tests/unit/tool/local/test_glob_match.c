#include "tool/local/glob_match.h"

#include "harness.h"

static const struct {
	const char *name, *pattern, *path;
	bool want;
} ROWS[] = {
	{ "T12 a name", "a.c", "a.c", true },
	{ "T12 another name", "a.c", "b.c", false },
	{ "T12 a star", "*.c", "abc.c", true },
	{ "T12 a star is within a name", "*.c", "a/b.c", false },
	{ "T12 a star for nothing", "a*.c", "a.c", true },
	{ "T12 stars that go back", "*a*b", "aXaYb", true },
	{ "T12 stars that find none", "*a*b", "aXaY", false },
	{ "T12 a question mark", "?.c", "a.c", true },
	{ "T12 a question mark is one character", "?.c", "\xc3\xbc.c", true },
	{ "T12 a question mark is not none", "?.c", ".c", false },
	{ "T12 a set", "[a-c].c", "b.c", true },
	{ "T12 outside of a set", "[a-c].c", "d.c", false },
	{ "T12 a set turned round", "[!a-c].c", "d.c", true },
	{ "T12 a set with a bracket", "[]].c", "].c", true },
	{ "T12 a set that does not close", "[a.c", "[a.c", true },
	{ "T12 an escaped star", "\\*.c", "*.c", true },
	{ "T12 an escaped star is none", "\\*.c", "a.c", false },
	{ "T12 folders", "a/*.c", "a/b.c", true },
	{ "T12 any folders, none", "**/*.c", "a.c", true },
	{ "T12 any folders, one", "**/*.c", "x/a.c", true },
	{ "T12 any folders, many", "**/*.c", "x/y/z/a.c", true },
	{ "T12 any folders in the middle", "src/**/a.c", "src/x/y/a.c", true },
	{ "T12 any folders in the middle, none", "src/**/a.c", "src/a.c", true },
	{ "T12 any folders, twice", "**/x/**/y", "a/x/b/x/c/y", true },
	{ "T12 any folders, but not that", "**/x/**/y", "a/b/y", false },
	{ "T12 everything below", "src/**", "src/x/a.c", true },
	{ "T12 everything below is not the folder", "src/**", "src", false },
	{ "T12 everything", "**", "a/b", true },
	{ "T12 braces", "*.{c,h}", "a.h", true },
	{ "T12 braces without", "*.{c,h}", "a.o", false },
	{ "T12 braces in braces", "{a,b{c,d}}.x", "bd.x", true },
	{ "T12 braces over folders", "{a,b/c}/d", "b/c/d", true },
	{ "T12 an empty alternative", "a{,b}", "a", true },
	{ "T12 a brace that does not close", "{a", "{a", true },
	{ "T12 hidden names", "*", ".git", false },
	{ "T12 hidden names by a question mark", "?git", ".git", false },
	{ "T12 hidden names by their dot", ".*", ".git", true },
	{ "T12 hidden folders", "**/config", ".git/config", false },
	{ "T12 hidden folders by their dot", ".git/**", ".git/a/config", true },
	{ "T12 hidden files below", "**/.*", "a/.x", true },
	{ "T12 nothing matches nothing", "", "a", false },
};

static void
test_row(void **state)
{
	const __typeof__(*ROWS) *row = *state;
	struct glob_pattern p;
	struct arena a;
	struct err e;

	arena_init(&a);
	assert_int_equal(glob_pattern_parse(&a, str_of(row->pattern), &p, &e), 0);
	assert_int_equal(glob_match(&p, str_of(row->path)), row->want);
	arena_release(&a);
}

static void
T12_braces_do_not_explode(void **state)
{
	struct glob_pattern p;
	struct arena a;
	struct err e;

	(void)state;
	arena_init(&a);
	assert_int_equal(
		glob_pattern_parse(&a, STR("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"), &p, &e), 0);
	assert_int_equal(p.count, 256);
	assert_int_equal(glob_pattern_parse(
				 &a, STR("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"), &p, &e),
			 ERR_INVALID);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_TEST(&s, T12_braces_do_not_explode);
	return suite_run(&s, "tool/local/glob_match");
}
