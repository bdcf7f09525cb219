#include "core/title_source.h"

#include "harness.h"

static const struct row {
	const char *name; /* begins with the id of the requirement it proves */
	const char *title, *word;
	enum title_source want;
	const char *called;
} ROWS[] = {
	{ "M4 title: a person's", "t", "user", TITLE_USER, "user" },
	{ "M4 title: a model's", "t", "ai", TITLE_AI, "ai" },
	{ "M4 title: nobody said whose", "t", "", TITLE_USER, "user" },
	{ "M4 title: somebody unknown", "t", "cat", TITLE_USER, "user" },
	{ "M4 title: taken away", "", "user", TITLE_FALLBACK, "fallback" },
	{ "M4 title: taken away by a model", "", "ai", TITLE_FALLBACK, "fallback" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;

	assert_int_equal(title_source_of(str_of(row->title), str_of(row->word)), row->want);
	assert_string_equal(title_source_name(row->want), row->called);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	return suite_run(&s, "core/title_source");
}
