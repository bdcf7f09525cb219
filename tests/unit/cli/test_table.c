#include "cli/table.h"

#include "cli/term_text.h"
#include "harness.h"

static const struct table_column COLUMNS[] = {
	{ "ID", TABLE_TEXT },
	{ "TITLE", TABLE_WIDE },
	{ "N", TABLE_NUMBER },
	{ "WHEN", TABLE_TIME },
};
static const struct str ROWS[][4] = {
	{ STR("cli:a"), STR("a title\nof two lines"), STR("7"), STR("2026-03-29T00:00:00Z") },
	{ STR("b"), STR("日本"), STR("1234"), STR("") },
};

static const struct row {
	const char *name;
	struct terminal term;
	const char *want;
} rows[] = {
	{ "a pipe gets fields, whole, without a heading",
	  { false, false, 80 },
	  "cli:a\ta title of two lines\t7\t2026-03-29T00:00:00Z\n"
	  "b\t日本\t1234\t\n" },
	{ "a terminal gets aligned columns and words",
	  { true, false, 80 },
	  "ID     TITLE                    N  WHEN\n"
	  "cli:a  a title of two lines     7  1 h ago\n"
	  "b      日本                  1234  \n" },
	{ "a narrow terminal cuts what may give way",
	  { true, false, 34 },
	  "ID     TITLE            N  WHEN\n"
	  "cli:a  a title of …     7  1 h ago\n"
	  "b      日本          1234  \n" },
	{ "numbers and times stay whole",
	  { true, false, 20 },
	  "ID     TITLE        N  WHEN\n"
	  "cli:a  a title…     7  1 h ago\n"
	  "b      日本      1234  \n" },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	struct arena a;
	struct table t;
	struct buf out;

	term_text_init();
	arena_init(&a);
	buf_init(&out, 10000);
	table_init(&t, &a, COLUMNS, ARRAY_LEN(COLUMNS));
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		table_row(&t, ROWS[i]);
	table_print(&t, &row->term, INT64_C(1774746000000), &out);
	check_str(row->name, buf_str(&out), str_of(row->want));
	table_release(&t);
	buf_release(&out);
	arena_release(&a);
}

static void
test_names_give_way_last(void **state)
{
	static const struct table_column NAMES[] = { { "ID", TABLE_TEXT },
						     { "KIND", TABLE_TEXT },
						     { "N", TABLE_NUMBER } };
	static const struct str ROW[] = { STR("a-name-of-20-letters"), STR("kind-of-16-chars"),
					  STR("123456") };
	const struct terminal wide = { true, false, 40 }, narrow = { true, false, 30 };
	struct arena a;
	struct table t;
	struct buf out;

	(void)state;
	term_text_init();
	arena_init(&a);
	buf_init(&out, 1000);
	table_init(&t, &a, NAMES, ARRAY_LEN(NAMES));
	table_row(&t, ROW);
	table_print(&t, &wide, 0, &out);
	check_str("other texts first", buf_str(&out),
		  STR("ID                    KIND             N\n"
		      "a-name-of-20-letters  kind-of-1…  123456\n"));
	buf_clear(&out);
	table_print(&t, &narrow, 0, &out);
	check_str("then the name", buf_str(&out),
		  STR("ID            KIND           N\n"
		      "a-name-of-2…  kind-of…  123456\n"));
	table_release(&t);
	buf_release(&out);
	arena_release(&a);
}

static void
test_empty_prints_nothing(void **state)
{
	const struct terminal term = { true, true, 80 };
	struct arena a;
	struct table t;
	struct buf out;

	(void)state;
	arena_init(&a);
	buf_init(&out, 100);
	table_init(&t, &a, COLUMNS, ARRAY_LEN(COLUMNS));
	table_print(&t, &term, 0, &out);
	assert_int_equal(out.len, 0);
	table_release(&t);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row);
	SUITE_TEST(&s, test_names_give_way_last);
	SUITE_TEST(&s, test_empty_prints_nothing);
	return suite_run(&s, "table");
}
