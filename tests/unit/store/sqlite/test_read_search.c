#include "sqlite_fill.h"

#include "base/rand.h"
#include "store/sqlite/search_index.h"

static struct fill fill;

#define SEARCH(words) .kind = STORE_SEARCH, .text = STR(words)

/* clang-format off: one query a line */
static const struct fill_query QUERIES[] = {
	{ "C8 newest first", { SEARCH("fox") }, "o/3 s/4 s/2" },
	{ "all words must be there", { SEARCH("quick fox") }, "s/4 s/2" },
	{ "in any order", { SEARCH("fox quick") }, "s/4 s/2" },
	{ "case and diacritics do not matter", { SEARCH("CAFE") }, "s/3" },
	{ "accents in the question do not either", { SEARCH("caf\u00e9") }, "s/3" },
	{ "an apostrophe splits as it did when indexed", { SEARCH("don't") }, "o/2" },
	{ "a hyphen too", { SEARCH("co-op") }, "o/2" },
	{ "punctuation of other scripts",
	  { SEARCH("\u201cfox\u201d\uff0cquick\u2026") },
	  "s/4 s/2" },
	{ "operators are words", { SEARCH("fox OR banana") }, "" },
	{ "NOT as well", { SEARCH("NOT fox") }, "" },
	{ "a quote is no syntax", { SEARCH("\"fox") }, "o/3 s/4 s/2" },
	{ "a star neither", { SEARCH("qui*") }, "" },
	{ "column filters neither", { SEARCH("text:fox") }, "" },
	{ "nor parentheses and signs", { SEARCH("(fox ^ + - {quick}") }, "s/4 s/2" },
	{ "near neither", { SEARCH("NEAR(quick fox, 1)") }, "" },
	{ "nothing to look for", { SEARCH("?!") }, "" },
	{ "a page", { SEARCH("fox"), .limit = 1 }, "o/3 +" },
	{ "before a change", { SEARCH("fox"), .before = 4 }, "s/2" },
	{ "in one session", { SEARCH("fox"), .session = STR("s") }, "s/4 s/2" },
	{ "in one workspace", { SEARCH("fox"), .filter.workspace_id = STR("w1") }, "o/3" },
	{ "of one agent", { SEARCH("fox"), .filter.agent_id = STR("nobody") }, "" },
	{ "of sessions with a prefix", { SEARCH("fox"), .filter.id_prefix = STR("o") }, "o/3" },
	{ "of a kind", { SEARCH("fox"), .kinds = 1ull << EVENT_AGENT_MESSAGE }, "" },
	{ "not in deleted sessions", { SEARCH("secret") }, "" },
	{ "not what is not indexed yet", { SEARCH("later") }, "" },
};
/* clang-format on */

static void
query(void **state)
{
	fill_check(&fill, *state);
}

/* Whatever people type, it is looked for and never parsed as a query. */
static void
no_text_is_an_error(void **state)
{
	static const char *const BITS[] = { "fox",    "\"",     "'",    "*",  "AND", " ", "(",
					    ")",      "-",      "^",    ":",  "+",   "{", "\u0301",
					    "\u00df", "\u6f22", "NEAR", "\t", "\\",  "%" };
	struct rand rand;
	struct buf text, got;

	(void)state;
	buf_init(&text, 400);
	buf_init(&got, 1 << 16);
	for (uint64_t seed = 0; seed < suite_seeds(300); seed++) {
		struct store_query q = { .kind = STORE_SEARCH };
		rand_init_seed(&rand, seed);
		buf_clear(&text);
		buf_clear(&got);
		for (uint64_t n = rand_below(&rand, 12) + 1; n > 0; n--)
			buf_puts(&text, BITS[rand_below(&rand, ARRAY_LEN(BITS))]);
		q.text = buf_str(&text);
		fill_show(&fill, &q, &got);
		if (str_contains(buf_str(&got), STR("error")))
			fail_msg("seed %llu: " STR_FMT, (unsigned long long)seed,
				 STR_ARG(buf_str(&got)));
	}
	buf_release(&text);
	buf_release(&got);
}

int
main(void)
{
	struct suite s = { 0 };
	struct err e;
	int64_t indexed_to;
	int failed;

	fill_open(&fill);
	fill_session(
		&fill, "s",
		"msg a text=the\\u0020quick\\u0020brown\\u0020fox; msg b text=un\\u0020Caf\\u00e9;"
		"msg c text=Quick\\u0020Fox",
		0);
	fill_session(&fill, "o", "msg a text=don't\\u0020co-op; msg b text=fox", 0);
	fill_session(&fill, "gone", "msg a text=secret; delete", 0);
	fill_run(&fill, "UPDATE session SET workspace_id = 'w1' WHERE id = 'o'");
	if (search_index_step(&fill.db, 500, &indexed_to, &e) != 0)
		return 1;
	fill_session(&fill, "new", "msg a text=later", 0);
	SUITE_ROWS(&s, QUERIES, query);
	SUITE_TEST(&s, no_text_is_an_error);
	failed = suite_run(&s, "store/sqlite/read_search");
	fill_close(&fill);
	return failed;
}
