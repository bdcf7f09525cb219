#include "app/config_show.h"

#include "app/config_key.h"
#include "base/json.h"
#include "config_rows.h"

static const char TEXT[] = "queue: {depth: 3}\n"
			   "providers:\n"
			   "  - {name: a, kind: anthropic, api_key_env: A_KEY}\n"
			   "limits:\n"
			   "  body_bytes: 2 MiB\n";

static void
L2_each_value_says_where_it_comes_from(void **state)
{
	static const char *const LINES[][3] = {
		{ "queue.depth", "3", "c.yaml:1" },
		{ "limits.body_bytes", "2 MiB", "c.yaml:5" },
		{ "queue.quiet_ms", "1500 ms", "default" },
		{ "providers[0].api_key_env", "A_KEY", "c.yaml:3" },
	};
	struct config *c = config_rows_load(TEXT);
	struct buf got;
	char line[200];

	(void)state;
	buf_init(&got, 100000);
	config_show(c, false, &got);
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		/* as wide as the longest key and value */
		snprintf(line, sizeof line, "\n%-37s  %-25s  %s\n", LINES[i][0], LINES[i][1],
			 LINES[i][2]);
		if (!str_contains(buf_str(&got), str_of(line)))
			fail_msg("no line '%s' in\n" STR_FMT, line, STR_ARG(buf_str(&got)));
	}
	/* what has no value is left out, unless it is a key of the file itself */
	assert_false(str_contains(buf_str(&got), STR("api_key_file")));
	assert_true(str_contains(buf_str(&got), STR("\ntls.key ")));
	buf_release(&got);
	config_free(&c);
}

static void
L2_programs_get_every_key(void **state)
{
	struct config *c = config_rows_load(TEXT);
	struct json_doc doc;
	struct json v;
	struct arena a;
	struct buf got;
	struct err e;
	size_t file_keys = 0, provider_keys = 0;

	(void)state;
	arena_init(&a);
	buf_init(&got, 100000);
	config_show(c, true, &got);
	assert_int_equal(json_parse(&a, buf_str(&got), &JSON_LIMITS_DEFAULT, &doc, &e), 0);
	for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
		const char *scope = config_key_scope(&CONFIG_KEYS[i])->pattern;
		file_keys += scope[0] == '\0';
		provider_keys += str_eq(str_of(scope), STR("providers[]"));
	}
	assert_true(json_find(json_root(&doc), STR("settings"), &v));
	assert_int_equal(json_count(v), file_keys + provider_keys);
	assert_true(str_contains(
		buf_str(&got),
		STR("{\"key\":\"queue.depth\",\"value\":3,\"from\":\"file\",\"line\":1}")));
	assert_true(str_contains(buf_str(&got), STR("{\"key\":\"providers[0].api_key_file\","
						    "\"value\":null,\"from\":\"default\"}")));
	buf_release(&got);
	arena_release(&a);
	config_free(&c);
}

static void
L2_the_table_has_a_line_for_each_key(void **state)
{
	struct buf got;
	size_t lines = 0;

	(void)state;
	buf_init(&got, 100000);
	config_show_keys(&got);
	for (size_t i = 0; i < got.len; i++)
		lines += got.ptr[i] == '\n';
	assert_int_equal(lines, CONFIG_KEY_COUNT + 2);
	for (size_t i = 0; i < 5; i++) {
		static const char *const WANT[] = {
			"| `queue.depth` | a whole number from 1 to 1000 | `20` | ",
			"| `log.format` | json or text | `json` | ",
			"| `providers[].name` | text | required | ",
			"daily or both | as `session_reset.mode` | the same for one platform",
			"| `tls.key` | a path | none | ",
		};
		if (!str_contains(buf_str(&got), str_of(WANT[i])))
			fail_msg("no line '%s'", WANT[i]);
	}
	buf_release(&got);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, L2_each_value_says_where_it_comes_from);
	SUITE_TEST(&s, L2_programs_get_every_key);
	SUITE_TEST(&s, L2_the_table_has_a_line_for_each_key);
	return suite_run(&s, "app/config_show");
}
