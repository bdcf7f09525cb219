#include "app/config_name.h"

#include "harness.h"

static const struct row {
	const char *name;
	int (*check)(struct str name, struct err *e);
	const char *text;
	bool good;
} ROWS[] = {
	{ "L2 a provider's name", config_name_check_provider, "open-ai.2_x", true },
	{ "L2 demo is built in", config_name_check_provider, "demo", false },
	{ "L2 scripted is built in", config_name_check_provider, "scripted", false },
	{ "L2 a slash would end it", config_name_check_provider, "a/b", false },
	{ "L2 a model may have slashes", config_name_check_model, "org/big-1.5:free", true },
	{ "L2 a star would match others", config_name_check_model, "big*", false },
	{ "L2 no blanks in a model", config_name_check_model, "big 1", false },
	{ "L2 ASCII only in a model", config_name_check_model, "gro\xc3\x9f", false },
	{ "L2 a time zone", config_name_check_zone, "Europe/Berlin", true },
	{ "L2 UTC needs no rules", config_name_check_zone, "UTC", true },
	{ "L2 a time zone that nobody knows", config_name_check_zone, "Europe/Atlantis", false },
	{ "L2 a time zone stays in its folder", config_name_check_zone, "../passwd", false },
	{ "L2 a variable", config_name_check_env, "_Key_1", true },
	{ "L2 a variable begins with no digit", config_name_check_env, "1KEY", false },
	{ "L2 a variable has no dash", config_name_check_env, "MY-KEY", false },
	{ "L2 a variable is not empty", config_name_check_env, "", false },
};

static void
names(void **state)
{
	const struct row *r = *state;
	struct err e;

	assert_int_equal(r->check(str_of(r->text), &e) == 0, r->good);
}

static void
P8_a_refused_variable_is_not_repeated(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(config_name_check_env(STR("sk-12345"), &e), ERR_INVALID);
	assert_false(str_contains(str_of(e.text), STR("12345")));
}

static void
names_of_maps(void **state)
{
	(void)state;
	assert_true(config_name_is_segment(STR("telegram")));
	assert_false(config_name_is_segment(STR("a:b")));
	assert_true(config_name_is_chat_type(STR("dm")));
	assert_false(config_name_is_chat_type(STR("room")));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, names);
	SUITE_TEST(&s, P8_a_refused_variable_is_not_repeated);
	SUITE_TEST(&s, names_of_maps);
	return suite_run(&s, "app/config_name");
}
