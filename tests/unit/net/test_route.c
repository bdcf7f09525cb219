#include "net/route.h"

#include "harness.h"

struct my_row {
	struct route route;
	int number;
};

static const struct my_row TABLE[] = {
	{ { "GET", "/v1/things" }, 1 },
	{ { "POST", "/v1/things" }, 2 },
	{ { "GET", "/v1/things/{id}" }, 3 },
	{ { "DELETE", "/v1/things/{id}" }, 4 },
	{ { "GET", "/v1/things/{id}/parts/{part}" }, 5 },
	{ { "POST", "/v1/things/search" }, 6 },
	{ { "GET", "/" }, 7 },
	{ { "HEAD", "/own" }, 8 },
	{ { "GET", "/own" }, 9 },
};

static const struct row {
	const char *name;
	const char *method, *path;
	enum route_result result;
	int number;
	const char *captures; /* each with a | behind it */
	const char *allow;
} ROWS[] = {
	{ "a word", "GET", "/v1/things", ROUTE_FOUND, 1, "", "" },
	{ "another method", "POST", "/v1/things", ROUTE_FOUND, 2, "", "" },
	{ "a name", "GET", "/v1/things/t_1", ROUTE_FOUND, 3, "t_1|", "" },
	{ "two names", "GET", "/v1/things/t_1/parts/9", ROUTE_FOUND, 5, "t_1|9|", "" },
	{ "the root", "GET", "/", ROUTE_FOUND, 7, "", "" },
	{ "a word wins over a name", "POST", "/v1/things/search", ROUTE_FOUND, 6, "", "" },
	{ "a name where the word has no such method", "DELETE", "/v1/things/search", ROUTE_FOUND, 4,
	  "search|", "" },
	{ "HEAD is GET without a body", "HEAD", "/v1/things", ROUTE_FOUND, 1, "", "" },
	{ "HEAD of its own", "HEAD", "/own", ROUTE_FOUND, 8, "", "" },
	{ "a name is decoded", "GET", "/v1/things/a%20b%2Fc", ROUTE_FOUND, 3, "a b/c|", "" },
	{ "a word is decoded", "GET", "/v1/%74hings", ROUTE_FOUND, 1, "", "" },
	{ "an unknown path", "GET", "/v2/things", ROUTE_NO_PATH, 0, "", "" },
	{ "a prefix of a path", "GET", "/v1", ROUTE_NO_PATH, 0, "", "" },
	{ "a path and more", "GET", "/v1/things/t_1/parts/9/x", ROUTE_NO_PATH, 0, "", "" },
	{ "a slash behind it", "GET", "/v1/things/", ROUTE_NO_PATH, 0, "", "" },
	{ "two slashes", "GET", "//v1/things", ROUTE_NO_PATH, 0, "", "" },
	{ "an empty name", "GET", "/v1/things//parts/9", ROUTE_NO_PATH, 0, "", "" },
	{ "no slash at all", "OPTIONS", "*", ROUTE_NO_PATH, 0, "", "" },
	{ "the folder above", "GET", "/v1/things/..", ROUTE_NO_PATH, 0, "", "" },
	{ "the folder above, escaped", "GET", "/v1/things/%2e%2E", ROUTE_NO_PATH, 0, "", "" },
	{ "the same folder", "GET", "/v1/./things", ROUTE_NO_PATH, 0, "", "" },
	{ "escaped twice is a name", "GET", "/v1/things/%252e%252e", ROUTE_FOUND, 3, "%2e%2e|",
	  "" },
	{ "too many segments", "GET", "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", ROUTE_NO_PATH,
	  0, "", "" },
	{ "letters count as they are", "GET", "/V1/things", ROUTE_NO_PATH, 0, "", "" },
	{ "a method that is not there", "PUT", "/v1/things", ROUTE_NO_METHOD, 0, "",
	  "GET, HEAD, POST" },
	{ "methods of word and name", "PUT", "/v1/things/search", ROUTE_NO_METHOD, 0, "",
	  "POST, GET, HEAD, DELETE" },
	{ "HEAD where there is no GET", "HEAD", "/v1/things/search", ROUTE_FOUND, 3, "search|",
	  "" },
	{ "a broken escape", "GET", "/v1/things/%zz", ROUTE_BAD_PATH, 0, "", "" },
	{ "NUL", "GET", "/v1/things/a%00", ROUTE_BAD_PATH, 0, "", "" },
	{ "ill-formed UTF-8", "GET", "/v1/things/%ff", ROUTE_BAD_PATH, 0, "", "" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	const struct route_tree *tree;
	struct route_match match = { 0 };
	struct arena a;
	struct err e;

	arena_init(&a);
	tree = route_tree_new(&a, TABLE, ARRAY_LEN(TABLE), sizeof *TABLE);
	assert_int_equal(route_find(tree, &a, str_of(row->method), str_of(row->path), &match, &e),
			 row->result);
	if (row->result == ROUTE_FOUND) {
		struct str got = STR("");
		for (unsigned i = 0; i < match.capture_count; i++)
			got = arena_printf(&a, STR_FMT STR_FMT "|", STR_ARG(got),
					   STR_ARG(match.captures[i]));
		assert_int_equal(((const struct my_row *)(const void *)match.route)->number,
				 row->number);
		check_str("captures", got, str_of(row->captures));
	}
	if (row->result == ROUTE_NO_METHOD)
		check_str("allow", match.allow, str_of(row->allow));
	arena_release(&a);
}

/* Every row of a table finds itself. */
static void
table_finds_itself(void **state)
{
	const struct route_tree *tree;
	struct arena a;

	(void)state;
	arena_init(&a);
	tree = route_tree_new(&a, TABLE, ARRAY_LEN(TABLE), sizeof *TABLE);
	for (size_t i = 0; i < ARRAY_LEN(TABLE); i++) {
		struct route_match match;
		if (route_find(tree, &a, str_of(TABLE[i].route.method),
			       str_of(TABLE[i].route.pattern), &match, NULL) != ROUTE_FOUND ||
		    match.route != &TABLE[i].route)
			fail_msg("row %zu", i);
	}
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, table_finds_itself);
	return suite_run(&s, "net/route");
}
