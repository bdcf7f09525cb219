#include "core/whatsapp_id.h"

#include "base/rand.h"
#include "harness.h"

#define T(text)                           \
	{                                 \
		"" text, sizeof(text) - 1 \
	}

static const struct normal_row {
	const char *name, *id, *want;
} normal_rows[] = {
	{ "K4 plain number", "491701234567", "491701234567" },
	{ "K4 plus goes", "+491701234567", "491701234567" },
	{ "K4 domain goes", "491701234567@s.whatsapp.net", "491701234567" },
	{ "K4 device goes", "491701234567:12@s.whatsapp.net", "491701234567" },
	{ "K4 device without domain goes", "491701234567:12", "491701234567" },
	{ "K4 lid", "83729@lid", "83729" },
	{ "K4 group id loses its domain", "49170-15@g.us", "49170-15" },
	{ "K4 blanks go", "  +49170 ", "49170" },
	{ "K4 blanks inside the mark go", "+ 49170 @x", "49170" },
	{ "K4 only marks is empty", "+:1@x", "" },
	{ "K4 empty", "", "" },
};

static void
check_normal(void **state)
{
	const struct normal_row *row = *state;
	struct str got = whatsapp_id_normalise(str_of(row->id));

	check_str(row->name, got, str_of(row->want));
	check_str("again", whatsapp_id_normalise(got), got);
}

enum { PAIRS_MAX = 4 };
static const struct alias_row {
	const char *name;
	struct whatsapp_alias pairs[PAIRS_MAX];
	const char *id, *want;
} alias_rows[] = {
	{ "K4 no mapping gives the normalised id", { { T("1"), T("2") } }, "+777@x", "777" },
	{ "K4 shortest wins", { { T("491701234567"), T("83729") } }, "491701234567", "83729" },
	{ "K4 followed the other way", { { T("491701234567"), T("83729") } }, "83729", "83729" },
	{ "K4 on a tie the first in byte order", { { T("b22"), T("a11") } }, "b22", "a11" },
	{ "K4 mixed directions join",
	  { { T("bbb"), T("aaa") }, { T("ccc"), T("bbb") } },
	  "ccc",
	  "aaa" },
	{ "K4 transitive through a shared alias",
	  { { T("dddd"), T("cccc") }, { T("aaaa"), T("cccc") } },
	  "dddd",
	  "aaaa" },
	{ "K4 transitive whatever the order",
	  { { T("1111"), T("2222") },
	    { T("3333"), T("4444") },
	    { T("22"), T("1111") },
	    { T("4444"), T("2222") } },
	  "3333",
	  "22" },
	{ "K4 keys of the map are normalised", { { T("+491:2@x"), T("7@lid") } }, "491", "7" },
	{ "K4 aliases are normalised", { { T("7"), T("+491:2@x") } }, "+491", "7" },
	{ "K4 an empty alias joins nothing",
	  { { T("123"), T("@x") }, { T("45"), T("+") } },
	  "123",
	  "123" },
	{ "K4 an alias of itself", { { T("123"), T("+123") } }, "123", "123" },
	{ "K4 other accounts stay apart",
	  { { T("123"), T("9") }, { T("456"), T("8") } },
	  "456",
	  "8" },
	{ "K4 empty stays empty", { { T("123"), T("9") } }, "+@", "" },
};

static void
check_alias(void **state)
{
	const struct alias_row *row = *state;
	struct whatsapp_aliases aliases;
	struct arena a;
	size_t count = 0;

	while (count < PAIRS_MAX && row->pairs[count].id.len > 0)
		count++;
	arena_init(&a);
	whatsapp_aliases_init(&aliases, &a, row->pairs, count);
	check_str(row->name, whatsapp_id_canonical(&aliases, str_of(row->id)), str_of(row->want));
	arena_release(&a);
}

static void
K4_without_a_table_an_id_is_only_normalised(void **state)
{
	struct whatsapp_aliases none;
	struct arena a;

	(void)state;
	arena_init(&a);
	whatsapp_aliases_init(&none, &a, NULL, 0);
	check_str("no table", whatsapp_id_canonical(NULL, STR("+49@x")), STR("49"));
	check_str("no pairs", whatsapp_id_canonical(&none, STR("+49@x")), STR("49"));
	arena_release(&a);
}

enum { NAMES = 12 };
static const struct str NAME[NAMES] = {
	T("1"),    T("22"), T("21"), T("333"), T("332"), T("4444"),
	T("4443"), T("55"), T("5"),  T("666"), T("77"),  T("8888")
};

static size_t
index_of(struct str name)
{
	size_t at = 0;

	while (!str_eq(NAME[at], name))
		at++;
	return at;
}

static bool
is_better(struct str a, struct str b)
{
	return a.len < b.len || (a.len == b.len && str_cmp(a, b) < 0);
}

/* The slow and obvious way: pass the better name along every pair until nothing changes. */
static void
spread(const struct whatsapp_alias *pairs, size_t count, size_t best[NAMES])
{
	bool changed = true;

	for (size_t i = 0; i < NAMES; i++)
		best[i] = i;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < count; i++) {
			size_t *x = &best[index_of(pairs[i].id)];
			size_t *y = &best[index_of(pairs[i].other)];

			if (*x == *y)
				continue;
			*x = *y = is_better(NAME[*x], NAME[*y]) ? *x : *y;
			changed = true;
		}
	}
}

static void
K4_property_canonical_is_the_best_reachable_name(void **state)
{
	uint64_t seeds = suite_seeds(3000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct whatsapp_alias pairs[16];
		struct whatsapp_aliases aliases;
		size_t best[NAMES], count;
		struct rand r;
		struct arena a;

		rand_init_seed(&r, seed);
		arena_init(&a);
		count = rand_below(&r, ARRAY_LEN(pairs));
		for (size_t i = 0; i < count; i++)
			pairs[i] = (struct whatsapp_alias){ NAME[rand_below(&r, NAMES)],
							    NAME[rand_below(&r, NAMES)] };
		whatsapp_aliases_init(&aliases, &a, pairs, count);
		spread(pairs, count, best);
		for (size_t n = 0; n < NAMES; n++)
			if (!str_eq(whatsapp_id_canonical(&aliases, NAME[n]), NAME[best[n]]))
				fail_msg("seed %llu: " STR_FMT, (unsigned long long)seed,
					 STR_ARG(NAME[n]));
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, normal_rows, check_normal);
	SUITE_ROWS(&s, alias_rows, check_alias);
	SUITE_TEST(&s, K4_without_a_table_an_id_is_only_normalised);
	SUITE_TEST(&s, K4_property_canonical_is_the_best_reachable_name);
	return suite_run(&s, "whatsapp_id");
}
