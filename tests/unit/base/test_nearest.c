#include "base/nearest.h"
#include "harness.h"

static const char *const KNOWN[] = { "listen", "limits", "log", "log_level" };

static const struct row {
	const char *name, *written, *want;
} ROWS[] = {
	{ "a missing letter", "lisen", "listen" },
	{ "a letter too many", "limitss", "limits" },
	{ "another letter", "lag", "log" },
	{ "two letters swapped", "lgo", "log" },
	{ "a tail forgotten", "log_leve", "log_level" },
	{ "nothing like it", "providers", NULL },
	{ "at the limit of what is close", "logxxx", "log" },
	{ "one beyond it", "logxxxx", NULL },
	{ "nothing written", "", NULL },
	{ "too long for a slip", "log_level_log_level_log_level_log_level_log_level", NULL },
};

static void
finds(void **state)
{
	const struct row *r = *state;
	struct nearest n = nearest_of(str_of(r->written));

	for (size_t i = 0; i < ARRAY_LEN(KNOWN); i++)
		nearest_offer(&n, str_of(KNOWN[i]));
	check_str(r->name, n.found, str_of(r->want));
}

static void
the_first_of_equals_wins(void **state)
{
	struct nearest n = nearest_of(STR("abd"));

	(void)state;
	nearest_offer(&n, STR("abc"));
	nearest_offer(&n, STR("abe"));
	check_str("tie", n.found, STR("abc"));
	nearest_offer(&n, STR("abd"));
	check_str("closer", n.found, STR("abd"));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, finds);
	SUITE_TEST(&s, the_first_of_equals_wins);
	return suite_run(&s, "base/nearest");
}
