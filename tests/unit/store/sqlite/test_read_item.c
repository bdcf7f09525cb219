#include "sqlite_fill.h"

static struct fill fill;

/* clang-format off: one query a line */
static const struct fill_query QUERIES[] = {
	/* a at 3, x at 4; b was edited at 7 and consumed at 8 */
	{ "M9 an input stands where it was consumed",
	  { .kind = STORE_LIST_ITEMS, .session = STR("s") },
	  "2 4 6@7 9" },
	{ "a page", { .kind = STORE_LIST_ITEMS, .session = STR("s"), .limit = 2 }, "2 4 +" },
	{ "behind its last row",
	  { .kind = STORE_LIST_ITEMS,
	    .session = STR("s"),
	    .after_item = { .seq = 4, .content_seq = 4, .at_seq = 4, .role = ITEM_ASSISTANT } },
	  "6@7 9" },
	{ "nothing behind the end",
	  { .kind = STORE_LIST_ITEMS,
	    .session = STR("s"),
	    .after_item = { .seq = 9, .content_seq = 9, .at_seq = 9, .role = ITEM_ASSISTANT } },
	  "" },
	{ "unknown session", { .kind = STORE_LIST_ITEMS, .session = STR("x") }, "" },
	/* two summaries keep from the same message on: the first is archived by the second */
	{ "C5 the last summary stands before what it kept",
	  { .kind = STORE_LIST_ITEMS, .session = STR("c") },
	  "11 7 9" },
	{ "archived ones on request",
	  { .kind = STORE_LIST_ITEMS, .session = STR("c"), .all = true },
	  "2 4 6 10 11 7 9" },
	{ "behind the first of two in one place",
	  { .kind = STORE_LIST_ITEMS,
	    .session = STR("c"),
	    .all = true,
	    .after_item = { .seq = 10, .at_seq = 8, .role = ITEM_SUMMARY } },
	  "11 7 9" },
	{ "behind the second",
	  { .kind = STORE_LIST_ITEMS,
	    .session = STR("c"),
	    .all = true,
	    .after_item = { .seq = 11, .at_seq = 8, .role = ITEM_SUMMARY } },
	  "7 9" },
	{ "queued inputs have no place",
	  { .kind = STORE_LIST_ITEMS, .session = STR("q"), .all = true },
	  "" },
	{ "an entry without its event is told",
	  { .kind = STORE_LIST_ITEMS, .session = STR("d") },
	  "2 error: session d, transcript entry of seq 4: its event is missing" },
};
/* clang-format on */

static void
query(void **state)
{
	fill_check(&fill, *state);
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	fill_open(&fill);
	fill_session(&fill, "s",
		     "msg a; run t a; say x; end t end_turn; msg b; edit b; run u b; say y", 40);
	fill_session(&fill, "c",
		     "msg a; run t a; say x; end t end_turn; msg k class=passive; msg b; run u b; "
		     "say y;"
		     "compact S b; compact T b",
		     0);
	fill_session(&fill, "q", "msg a; msg b", 0);
	fill_session(&fill, "d", "msg a; run t a; say x; end t end_turn", 0);
	fill_run(&fill, "DELETE FROM event WHERE seq = 4 AND sid = 4");
	SUITE_ROWS(&s, QUERIES, query);
	failed = suite_run(&s, "store/sqlite/read_item");
	fill_close(&fill);
	return failed;
}
