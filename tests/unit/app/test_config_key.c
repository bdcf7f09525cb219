#include "app/config_key.h"

#include "app/config.h"
#include "config_rows.h"
#include "core/queue_policy.h"
#include "core/recover_policy.h"
#include "harness.h"

static void
L2_every_key_has_its_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
		const struct config_key *key = &CONFIG_KEYS[i];
		const struct config_scope *scope = config_key_scope(key);
		size_t doc = key->doc ? strlen(key->doc) : 0;

		if (doc < 10 || doc > 100 || strchr(key->doc, '|') || key->doc[doc - 1] == '.')
			fail_msg("%s: its doc is not one line of a table", key->path);
		if (key->offset + key->width > scope->size)
			fail_msg("%s: lies outside of its struct", key->path);
		if (config_key_find(str_of(key->path)) != key)
			fail_msg("%s: stands twice", key->path);
		if (key->inherit && (!config_key_find(str_of(key->inherit)) || key->value))
			fail_msg("%s: cannot inherit", key->path);
		if (key->inherit && config_key_find(str_of(key->inherit))->width != key->width)
			fail_msg("%s: inherits something else", key->path);
		if (key->type == CONFIG_WORD && !key->words)
			fail_msg("%s: has no words", key->path);
	}
}

/* Two keys that share a member would overwrite one another. */
static void
L2_no_two_keys_share_a_member(void **state)
{
	(void)state;
	for (size_t i = 0; i < CONFIG_KEY_COUNT; i++)
		for (size_t j = 0; j < i; j++) {
			const struct config_key *a = &CONFIG_KEYS[i], *b = &CONFIG_KEYS[j];
			if (config_key_scope(a) == config_key_scope(b) &&
			    a->offset < b->offset + b->width && b->offset < a->offset + a->width)
				fail_msg("%s and %s", a->path, b->path);
		}
}

static size_t
width_of(enum config_type type)
{
	switch (type) {
	case CONFIG_BOOL: return sizeof(bool);
	case CONFIG_TEXT:
	case CONFIG_PATH: return sizeof(struct str);
	case CONFIG_TEXTS: return sizeof(struct str_list);
	case CONFIG_INT:
	case CONFIG_SIZE:
	case CONFIG_DURATION:
	case CONFIG_MONEY:
	case CONFIG_PRICE:
	case CONFIG_WORD: break;
	}
	return 0;
}

static void
L2_members_are_as_wide_as_their_type(void **state)
{
	(void)state;
	for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
		const struct config_key *key = &CONFIG_KEYS[i];
		size_t want = width_of(key->type);
		bool good = want > 0 ? key->width == want
				     : key->width == 8 || key->width == 4 ||
					       (key->type == CONFIG_WORD && key->width == 1);
		if (!good)
			fail_msg("%s: %zu bytes", key->path, key->width);
	}
}

static const struct place_row {
	const char *name, *pattern;
	enum config_place want;
} PLACES[] = {
	{ "a value", "limits.header_bytes", CONFIG_PLACE_VALUE },
	{ "a map of keys", "limits", CONFIG_PLACE_MAP },
	{ "a map below a list", "providers[].retry", CONFIG_PLACE_MAP },
	{ "names", "platforms", CONFIG_PLACE_NAMES },
	{ "items", "providers", CONFIG_PLACE_ITEMS },
	{ "items in items", "providers[].models", CONFIG_PLACE_ITEMS },
	{ "the front of a word", "limit", CONFIG_PLACE_UNKNOWN },
	{ "the front of a key", "limits.header", CONFIG_PLACE_UNKNOWN },
	{ "more than a key", "limits.header_bytes.x", CONFIG_PLACE_UNKNOWN },
	{ "nothing like it", "x", CONFIG_PLACE_UNKNOWN },
};

static void
places(void **state)
{
	const struct place_row *r = *state;
	const struct config_key *key = NULL;

	assert_int_equal(config_key_place(str_of(r->pattern), &key), r->want);
}

static const struct near_row {
	const char *name, *prefix, *path, *word, *want;
} NEAR[] = {
	{ "L2 the nearest at the top", "", "", "lisen", "listen" },
	{ "L2 the nearest of a map", "", "", "limit", "limits" },
	{ "L2 the nearest below", "limits", "limits", "header_byte", "limits.header_bytes" },
	{ "L2 the nearest below a name", "platforms.<name>", "platforms.irc", "pi_safe",
	  "platforms.irc.pii_safe" },
	{ "L2 the nearest in a list", "providers[]", "providers[3]", "baseurl",
	  "providers[3].base_url" },
	{ "L2 a key in the wrong place", "", "", "redact_pii", "privacy.redact_pii" },
	{ "L2 a key in the wrong map", "log", "log", "depth", "queue.depth" },
	{ "L2 nothing near", "", "", "zzzzzzzzzz", NULL },
	{ "L2 an empty word", "limits", "limits", "", NULL },
};

static void
nearest(void **state)
{
	const struct near_row *r = *state;
	struct buf got;
	bool found;

	buf_init(&got, 200);
	found = config_key_nearest(str_of(r->prefix), str_of(r->path), str_of(r->word), &got);
	assert_int_equal(found, r->want != NULL);
	check_str(r->name, buf_str(&got), str_of(r->want));
	buf_release(&got);
}

static void
scopes_hold_their_keys(void **state)
{
	(void)state;
	check_str(
		"nested",
		str_of(config_key_scope(config_key_find(STR("providers[].models[].id")))->pattern),
		STR("providers[].models[]"));
	check_str("root",
		  str_of(config_key_scope(config_key_find(STR("session_reset.mode")))->pattern),
		  STR(""));
	assert_null(config_scope_find(STR("limits")));
}

/* What core and net call their defaults and what the table says is the same. */
static void
L2_defaults_agree_with_the_code_that_uses_them(void **state)
{
	const struct config_key *mode = config_key_find(STR("session_reset.mode"));
	struct config *c = NULL;
	struct err e;

	(void)state;
	setenv("HOME", "/h", 1);
	assert_int_equal(config_rows_read(NULL, &c, &e), 0);
	assert_memory_equal(&c->limits, &HTTP_LIMITS_DEFAULT, sizeof c->limits);
	assert_int_equal(c->session_reset.mode, RESET_SETTINGS_DEFAULT.mode);
	assert_int_equal(c->session_reset.at_hour, RESET_SETTINGS_DEFAULT.at_hour);
	assert_int_equal(c->session_reset.idle_minutes, RESET_SETTINGS_DEFAULT.idle_minutes);
	assert_int_equal(c->session_reset.notify, RESET_SETTINGS_DEFAULT.notify);
	assert_int_equal(c->queue.depth, QUEUE_DEPTH_DEFAULT);
	assert_int_equal(c->queue.quiet_ms, QUEUE_QUIET_MS_DEFAULT);
	assert_int_equal(c->agent.gateway_auto_continue_freshness_s * 1000,
			 RECOVER_SETTINGS_DEFAULT.fresh_ms);
	for (size_t i = 0; i < ARRAY_LEN(RESET_MODE_NAMES); i++)
		assert_string_equal(mode->words[i], RESET_MODE_NAMES[i]);
	config_free(&c);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, L2_every_key_has_its_row);
	SUITE_TEST(&s, L2_no_two_keys_share_a_member);
	SUITE_TEST(&s, L2_members_are_as_wide_as_their_type);
	SUITE_ROWS(&s, PLACES, places);
	SUITE_ROWS(&s, NEAR, nearest);
	SUITE_TEST(&s, scopes_hold_their_keys);
	SUITE_TEST(&s, L2_defaults_agree_with_the_code_that_uses_them);
	return suite_run(&s, "app/config_key");
}
