#include "cli/url_text.h"

#include "harness.h"

static const struct row {
	const char *name, *text, *want;
} rows[] = {
	{ "an id", "sesn_01-a.b~c", "sesn_01-a.b~c" },
	{ "colon, slash, blank, percent", "cli:a/b c%", "cli%3Aa%2Fb%20c%25" },
	{ "bytes of a character", "é", "%C3%A9" },
	{ "a question mark and a hash", "?#&=+", "%3F%23%26%3D%2B" },
	{ "nothing", "", "" },
};

static void
test_encode(void **state)
{
	const struct row *row = *state;
	struct arena a;

	arena_init(&a);
	check_str(row->name, url_text_encode(&a, str_of(row->text)), str_of(row->want));
	arena_release(&a);
}

static void
test_query(void **state)
{
	struct buf url;

	(void)state;
	buf_init(&url, 1000);
	buf_puts(&url, "/v1/x");
	url_text_query(&url, "none", (struct str){ 0 });
	url_text_query(&url, "types[]", STR("a b"));
	url_text_query(&url, "empty", STR(""));
	url_text_query_int(&url, "limit", -5);
	check_str("query", buf_str(&url), STR("/v1/x?types%5B%5D=a%20b&empty=&limit=-5"));
	buf_release(&url);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_encode);
	SUITE_TEST(&s, test_query);
	return suite_run(&s, "url_text");
}
