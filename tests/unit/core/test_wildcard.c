#include "base/rand.h"
#include "core/wildcard.h"
#include "harness.h"

static const struct row {
	const char *name, *pattern, *text;
	bool want;
} ROWS[] = {
	{ "T8 a literal pattern is the whole text", "git status", "git status", true },
	{ "T8 a literal pattern is no prefix", "git", "git status", false },
	{ "T8 a literal pattern is no suffix", "status", "git status", false },
	{ "T8 case counts", "GIT", "git", false },
	{ "T8 a star spans blanks", "git *", "git log --oneline -5", true },
	{ "T8 a star spans slashes", "/work/*", "/work/a/b/c", true },
	{ "T8 a star spans line ends", "echo *", "echo a\nb", true },
	{ "T8 a star spans nothing", "a*b", "ab", true },
	{ "T8 a star alone is anything", "*", "x; y\n/z", true },
	{ "T8 a star alone is the empty text", "*", "", true },
	{ "T8 the empty pattern is the empty text", "", "", true },
	{ "T8 the empty pattern is nothing else", "", "a", false },
	{ "T8 stars backtrack", "*a*b*c", "xaybzbc", true },
	{ "T8 stars backtrack and fail", "*a*b*c", "xaybzb", false },
	{ "T8 a star in front", "*.c", "src/a.c", true },
	{ "T8 a star in front needs its end", "*.c", "src/a.cc", false },
	{ "T8 the last star takes the rest", "*ab", "aab", true },
	{ "T8 two stars are one", "a**b", "axxb", true },
	{ "T8 trailing stars are nothing too", "ab***", "ab", true },
	{ "T8 a trailing blank star covers the bare command", "git status *", "git status", true },
	{ "T8 and the command with arguments", "git status *", "git status -s", true },
	{ "T8 but no longer word", "git status *", "git statusx", false },
	{ "T8 a trailing star without blank needs the blank", "git *x *", "git ", false },
	{ "T8 a blank star alone is not everything", " *", "", false },
	{ "T8 question marks stand for themselves", "a?c", "abc", false },
	{ "T8 brackets stand for themselves", "[ab]", "a", false },
	{ "T8 a backslash stands for itself", "a\\*", "a\\b", true },
};

static void
check_row(void **state)
{
	const struct row *r = *state;

	if (wildcard_match(str_of(r->pattern), str_of(r->text)) != r->want)
		fail_msg("%s", r->name);
}

/* The definition, spelled out: exponential, for short texts only. */
static bool
match_by_definition(const char *p, const char *t)
{
	if (*p == '\0')
		return *t == '\0';
	if (*p == '*')
		return match_by_definition(p + 1, t) || (*t && match_by_definition(p, t + 1));
	return *p == *t && match_by_definition(p + 1, t + 1);
}

static void
T8_property_agrees_with_the_definition(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(20000); seed++) {
		struct rand r;
		char pattern[9] = "", text[11] = "";

		rand_init_seed(&r, seed);
		for (uint64_t i = 0, n = rand_below(&r, 8); i < n; i++)
			pattern[i] = "ab*"[rand_below(&r, 3)];
		for (uint64_t i = 0, n = rand_below(&r, 10); i < n; i++)
			text[i] = "ab"[rand_below(&r, 2)];
		if (wildcard_match(str_of(pattern), str_of(text)) !=
		    match_by_definition(pattern, text))
			fail_msg("seed %llu: '%s' on '%s'", (unsigned long long)seed, pattern,
				 text);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T8_property_agrees_with_the_definition);
	return suite_run(&s, "core/wildcard");
}
