#include "app/config_value.h"

#include <stdlib.h>

#include "harness.h"

struct target {
	bool flag;
	int small;
	int64_t number;
	struct str text;
	struct str_list texts;
};
#define AT(member) \
	.offset = offsetof(struct target, member), .width = sizeof(((struct target *)0)->member)

static int
refuse_x(struct str text, struct err *e)
{
	return str_eq(text, STR("x")) ? err_set(e, ERR_INVALID, "x is bad") : 0;
}

static const char *const WORDS[] = { "low", "mid", "high", NULL };
static const struct config_key FLAG = { .type = CONFIG_BOOL, AT(flag) };
static const struct config_key SMALL = { .type = CONFIG_INT, AT(small), .min = -2, .max = 9 };
static const struct config_key SIZE = { .type = CONFIG_SIZE, AT(number), .max = 4 << 20 };
static const struct config_key MS = {
	.type = CONFIG_DURATION, AT(number), .min = 10, .max = 90000, .unit_ms = 1
};
static const struct config_key SECONDS = {
	.type = CONFIG_DURATION, AT(number), .max = 100000, .unit_ms = 1000
};
static const struct config_key MONEY = { .type = CONFIG_MONEY, AT(number), .max = 9000000 };
static const struct config_key PRICE = { .type = CONFIG_PRICE, AT(number), .max = 9000000 };
static const struct config_key WORD = { .type = CONFIG_WORD, AT(small), .words = WORDS };
static const struct config_key TEXT = { .type = CONFIG_TEXT, AT(text), .max = 5 };
static const struct config_key SECRET = { .type = CONFIG_TEXT, AT(text), .private = true };
static const struct config_key PATH = { .type = CONFIG_PATH, AT(text) };
static const struct config_key TEXTS = { .type = CONFIG_TEXTS, AT(texts), .check = refuse_x };

/* got: as formatted, then as JSON when that differs; or the problem. */
static const struct row {
	const char *name;
	const struct config_key *key;
	const char *yaml, *got, *json;
} ROWS[] = {
	{ "L2 true", &FLAG, "true", "true", "true" },
	{ "L2 false", &FLAG, "false", "false", "false" },
	{ "L2 yes is not true", &FLAG, "yes", "k: must be true or false, not 'yes'", NULL },
	{ "L2 a quoted boolean", &FLAG, "'true'",
	  "k: must be true or false, not the quoted text 'true'", NULL },
	{ "L2 nothing where a boolean stands", &FLAG, "", "k: must be true or false, not nothing",
	  NULL },
	{ "L2 a list where a boolean stands", &FLAG, "[true]",
	  "k: must be true or false, not a list", NULL },
	{ "L2 a number", &SMALL, "9", "9", "9" },
	{ "L2 a negative number", &SMALL, "-1", "-", "null" },
	{ "L2 a number too high", &SMALL, "10", "k: must be a whole number from -2 to 9, not '10'",
	  NULL },
	{ "L2 a number too low", &SMALL, "-3", "k: must be a whole number from -2 to 9, not '-3'",
	  NULL },
	{ "L2 a fraction", &SMALL, "1.5", "k: must be a whole number from -2 to 9, not '1.5'",
	  NULL },
	{ "L2 a hexadecimal number", &SMALL, "0x1",
	  "k: must be a whole number from -2 to 9, not '0x1'", NULL },
	{ "L2 a quoted number", &SMALL, "\"1\"",
	  "k: must be a whole number from -2 to 9, not the quoted text '1'", NULL },
	{ "L2 a map where a number stands", &SMALL, "{a: 1}",
	  "k: must be a whole number from -2 to 9, not a map", NULL },
	{ "L2 a size in bytes", &SIZE, "1000", "1000", "1000" },
	{ "L2 a size in KiB", &SIZE, "16 KiB", "16 KiB", "16384" },
	{ "L2 a size without the blank", &SIZE, "4MiB", "4 MiB", "4194304" },
	{ "L2 a size of nothing", &SIZE, "0", "0", "0" },
	{ "L2 a size in quotes", &SIZE, "'2048 B'", "2 KiB", "2048" },
	{ "L2 a size in decimal units", &SIZE, "1 MB",
	  "k: must be a size from 0 to 4 MiB (like 64 KiB), not '1 MB'", NULL },
	{ "L2 a size that overflows", &SIZE, "9223372036854775807 GiB",
	  "k: must be a size from 0 to 4 MiB (like 64 KiB), not '9223372036854775807 GiB'", NULL },
	{ "L2 a duration in its own unit", &MS, "1500", "1500 ms", "1500" },
	{ "L2 a duration in seconds", &MS, "2 s", "2 s", "2000" },
	{ "L2 a duration in minutes", &MS, "1min", "60 s", "60000" },
	{ "L2 a duration too long", &MS, "1 h",
	  "k: must be a duration from 10 ms to 90 s (like 5 s), not '1 h'", NULL },
	{ "L2 a duration too short", &MS, "9",
	  "k: must be a duration from 10 ms to 90 s (like 5 s), not '9'", NULL },
	{ "L2 a duration of another unit", &MS, "5 weeks",
	  "k: must be a duration from 10 ms to 90 s (like 5 s), not '5 weeks'", NULL },
	{ "L2 seconds as a number", &SECONDS, "1800", "1800 s", "1800" },
	{ "L2 seconds by the day", &SECONDS, "1 d", "86400 s", "86400" },
	{ "L2 half seconds where seconds are wanted", &SECONDS, "1500 ms",
	  "k: must be a duration from 0 s to 100000 s (like 5 s), not '1500 ms'", NULL },
	{ "L2 a price", &PRICE, "0.25", "0.25", "0.25" },
	{ "L2 a price in dollars", &PRICE, "3", "3", "3" },
	{ "L2 a price with six places", &PRICE, "0.000001", "0.000001", "1e-06" },
	{ "L2 money", &MONEY, "2.5", "2.5", "2.5" },
	{ "L2 a price with seven", &PRICE, "0.0000001",
	  "k: must be dollars per million tokens (like 0.25), not '0.0000001'", NULL },
	{ "L2 a price of no digits", &PRICE, "1.",
	  "k: must be dollars per million tokens (like 0.25), not '1.'", NULL },
	{ "L2 a negative price", &PRICE, "-1",
	  "k: must be dollars per million tokens (like 0.25), not '-1'", NULL },
	{ "L2 a price with letters", &PRICE, "1.2x",
	  "k: must be dollars per million tokens (like 0.25), not '1.2x'", NULL },
	{ "L2 a word", &WORD, "high", "high", "\"high\"" },
	{ "L2 a word in quotes", &WORD, "'low'", "low", "\"low\"" },
	{ "L2 another word", &WORD, "off", "k: must be low, mid or high, not 'off'", NULL },
	{ "L2 a text", &TEXT, "a b", "a b", "\"a b\"" },
	{ "L2 a number as text", &TEXT, "-100", "-100", "\"-100\"" },
	{ "L2 a text too long", &TEXT, "abcdef", "k: at most 5 bytes long, not 6", NULL },
	{ "L2 an empty text", &TEXT, "''", "k: must be text, not the quoted text ''", NULL },
	{ "L2 null is no text", &TEXT, "~", "k: must be text, not nothing", NULL },
	{ "L2 true is no text", &TEXT, "true", "k: must be text, not 'true'", NULL },
	{ "L2 true in quotes is one", &TEXT, "'true'", "true", "\"true\"" },
	{ "L2 a text that could move the cursor", &TEXT, "\"\\e[1m\"",
	  "k: must not hold control characters", NULL },
	{ "P8 what may be a secret is not repeated", &SECRET, "true", "k: must be text", NULL },
	{ "P8 but its kind is", &SECRET, "{a: b}", "k: must be text, not a map", NULL },
	{ "L2 a path from the root", &PATH, "/a/b", "/a/b", "\"/a/b\"" },
	{ "L2 a path from the file's folder", &PATH, "a/b", "/etc/p/a/b", "\"/etc/p/a/b\"" },
	{ "L2 a path with a dot", &PATH, "./a", "/etc/p/a", "\"/etc/p/a\"" },
	{ "L2 a path from home", &PATH, "~/a", "/h/a", "\"/h/a\"" },
	{ "L2 a list", &TEXTS, "[a, b]", "a, b", "[\"a\",\"b\"]" },
	{ "L2 a list of one", &TEXTS, "a", "a", "[\"a\"]" },
	{ "L2 an empty list", &TEXTS, "[]", "-", "[]" },
	{ "L2 a list with everything commented out", &TEXTS, "", "-", "[]" },
	{ "L2 a map where a list stands", &TEXTS, "{a: 1}", "k: must be a list of texts, not a map",
	  NULL },
	{ "L2 a list in a list", &TEXTS, "[[a]]", "k: must be a list of texts, not a list", NULL },
	{ "L2 an item of the list is refused", &TEXTS, "[a, x]", "k: x is bad", NULL },
	{ "L2 a problem that was told is not told again", &TEXT, "&a b",
	  "anchors (&name) are not allowed; write the value out", NULL },
};

static void
reads(void **state)
{
	const struct row *r = *state;
	struct target t = { .small = -7, .number = -7 }, before = t;
	struct config_value_context c = { .folder = STR("/etc/p") };
	struct config_problems p;
	struct config_node *root;
	struct arena a;
	struct buf text;
	struct jw w;

	setenv("HOME", "/h", 1);
	arena_init(&a);
	buf_init(&text, 1000);
	config_problem_init(&p, NULL);
	c.a = &a;
	c.p = &p;
	buf_printf(&text, "k: %s", r->yaml);
	root = config_yaml_parse(&a, buf_str(&text), &p);
	assert_non_null(root);
	buf_clear(&text);
	if (!config_value_read(&c, r->key, STR("k"), root->children, &t)) {
		assert_memory_equal(&t, &before, sizeof t);
		assert_int_equal(p.count, 1);
		check_str(r->name, str_of(p.list[0].text), str_of(r->got));
		assert_null(r->json);
	} else {
		config_value_format(r->key, &t, &text);
		check_str(r->name, buf_str(&text), str_of(r->got));
		buf_clear(&text);
		jw_init(&w, &text);
		config_value_json(r->key, &t, &w);
		check_str(r->name, buf_str(&text), str_of(r->json));
	}
	buf_release(&text);
	arena_release(&a);
}

static void
absent_values_have_no_default(void **state)
{
	struct target t;
	struct arena a;

	(void)state;
	arena_init(&a);
	memset(&t, 0, sizeof t);
	config_value_default(&a, &SIZE, &t);
	assert_int_equal(t.number, -1);
	assert_true(config_value_is_absent(&SIZE, &t));
	config_value_default(&a, &WORD, &t);
	assert_int_equal(t.small, 0);
	assert_false(config_value_is_absent(&WORD, &t));
	assert_true(config_value_is_absent(&TEXT, &t) && config_value_is_absent(&TEXTS, &t));
	arena_release(&a);
}

static void
without_a_home_a_path_stays(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	unsetenv("HOME");
	check_str("~", config_value_path(&a, STR(""), STR("~/x")), STR("~/x"));
	check_str("cwd", config_value_path(&a, STR(""), STR("x")), STR("x"));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, reads);
	SUITE_TEST(&s, absent_values_have_no_default);
	SUITE_TEST(&s, without_a_home_a_path_stays);
	return suite_run(&s, "app/config_value");
}
