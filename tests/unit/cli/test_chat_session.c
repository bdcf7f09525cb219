#include "cli/chat_session.h"

#include "harness.h"

static struct str
place(struct arena *a, const char *host, int64_t user, const char *directory, const char *agent)
{
	const struct chat_place p = { str_of(host), str_of(directory), str_of(agent), user };

	return chat_session_place(&p, a);
}

static void
test_a_place_has_one_name(void **state)
{
	struct arena a;
	struct str home;

	(void)state;
	arena_init(&a);
	home = place(&a, "h", 1, "/srv/one/work", "main");
	assert_true(str_starts(home, STR("cli:work-")));
	assert_int_equal(home.len, strlen("cli:work-") + 8);
	assert_true(str_eq(home, place(&a, "h", 1, "/srv/one/work", "main")));
	assert_false(str_eq(home, place(&a, "g", 1, "/srv/one/work", "main")));
	assert_false(str_eq(home, place(&a, "h", 2, "/srv/one/work", "main")));
	assert_false(str_eq(home, place(&a, "h", 1, "/srv/two/work", "main")));
	assert_false(str_eq(home, place(&a, "h", 1, "/srv/one/work", "other")));
	assert_true(str_starts(place(&a, "h", 1, "/", "main"), STR("cli:root-")));
	assert_true(str_starts(place(&a, "h", 1, "/a/b c:é/", "main"), STR("cli:b-c----")));
	arena_release(&a);
}

static const struct row {
	const char *name, *id;
	bool want;
} rows[] = {
	{ "the first conversation", "cli:work-12345678", true },
	{ "a later one", "cli:work-12345678.20260101_000000000", true },
	{ "of another place", "cli:work-1234567", false },
	{ "of a place that begins so", "cli:work-12345678-87654321", false },
};

static void
test_is_of(void **state)
{
	const struct row *row = *state;

	assert_int_equal(chat_session_is_of(str_of(row->id), STR("cli:work-12345678")), row->want);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, test_a_place_has_one_name);
	SUITE_ROWS(&s, rows, test_is_of);
	return suite_run(&s, "chat_session");
}
