#include "core/title_lineage.h"
#include "harness.h"

#define TEN     "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const struct row {
	const char *name, *wanted;
	const char *used[4];
	const char *free, *next;
} ROWS[] = {
	{ "C11 a free name is given", "trip", { "other" }, "trip", "trip #2" },
	{ "C11 a taken one goes on as #2", "trip", { "trip" }, "trip #2", "trip #2" },
	{ "C11 then as #3", "trip", { "trip", "trip #2" }, "trip #3", "trip #3" },
	{ "C11 numbers are not used again", "trip", { "trip", "trip #7" }, "trip #8", "trip #8" },
	{ "C11 in any order", "trip", { "trip #7", "trip", "trip #2" }, "trip #8", "trip #8" },
	{ "C11 a free number may be chosen", "trip #4", { "trip" }, "trip #4", "trip #5" },
	{ "C11 a taken number goes on", "trip #2", { "trip", "trip #2" }, "trip #3", "trip #3" },
	{ "C11 the base alone is free though its number is not",
	  "trip",
	  { "trip #2" },
	  "trip",
	  "trip #3" },
	{ "C11 a longer name is another", "trip", { "trips", "trip home" }, "trip", "trip #2" },
	{ "C11 letters count", "trip", { "Trip" }, "trip", "trip #2" },
	{ "C11 a number of its own is no lineage",
	  "route #66a",
	  { "route #66a" },
	  "route #66a #2",
	  "route #66a #2" },
	{ "C11 nor is one that begins with 0",
	  "agent #07",
	  { "agent #07" },
	  "agent #07 #2",
	  "agent #07 #2" },
	{ "C11 nor #1", "try #1", { "try #1" }, "try #1 #2", "try #1 #2" },
	{ "C11 a number alone is a name", "#2", { "#2" }, "#2 #2", "#2 #2" },
	{ "C11 what does not fit is cut",
	  HUNDRED,
	  { HUNDRED },
	  TEN TEN TEN TEN TEN TEN TEN TEN TEN "0123456 #2",
	  TEN TEN TEN TEN TEN TEN TEN TEN TEN "0123456 #2" },
};

static void
check_row(void **state)
{
	const struct row *row = *state;
	struct title_lineage l = title_lineage_of(str_of(row->wanted));
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(row->used) && row->used[i]; i++)
		title_lineage_see(&l, str_of(row->used[i]));
	check_str(row->name, title_lineage_free(&l, &a), str_of(row->free));
	check_str(row->name, title_lineage_next(&l, &a), str_of(row->next));
	arena_release(&a);
}

static const struct check_case {
	const char *name, *title, *why; /* NULL: it is one */
} CHECKS[] = {
	{ "C11 a title of one letter", "x", NULL },
	{ "C11 a title of a hundred letters", HUNDRED, NULL },
	{ "C11 a hundred letters, not bytes",
	  "ä"
	  "ö" TEN TEN TEN TEN TEN TEN TEN TEN TEN "01234567",
	  NULL },
	{ "C11 one letter more", HUNDRED "x", "the title has 101 characters; at most 100 fit" },
	{ "C11 an empty title", "", "the title is empty" },
	{ "C11 a blank title", "  ", "the title is empty" },
	{ "C11 two lines", "a\nb", "a title is one line without control characters" },
	{ "C11 no text", "\xff", "the title is no UTF-8 text" },
};

static void
check_title(void **state)
{
	const struct check_case *row = *state;
	struct err e;
	int rc = title_lineage_check(str_of(row->title), &e);

	assert_int_equal(rc, row->why ? ERR_INVALID : 0);
	if (row->why)
		check_str(row->name, str_of(e.text), str_of(row->why));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_ROWS(&s, CHECKS, check_title);
	return suite_run(&s, "core/title_lineage");
}
