#include "core/event.h"
#include "core/session_source.h"
#include "harness.h"

static const struct source_case {
	const char *name, *json;
	const char *want; /* written again, or "error: part of the refusal" */
} CASES[] = {
	/* clang-format off */
	{ "M6 a terminal", "{\"kind\":\"cli\"}", "{\"kind\":\"cli\",\"interactive\":true,\"type\":\"direct\"}" },
	{ "M6 an API client is not interactive", "{\"kind\":\"api\"}", "{\"kind\":\"api\",\"interactive\":false,\"type\":\"direct\"}" },
	{ "M6 unless it says so", "{\"kind\":\"api\",\"interactive\":true}", "{\"kind\":\"api\",\"interactive\":true,\"type\":\"direct\"}" },
	{ "M6 a schedule is not interactive", "{\"kind\":\"schedule\",\"trigger_id\":\"nightly\"}", "{\"kind\":\"schedule\",\"interactive\":false,\"trigger_id\":\"nightly\",\"type\":\"direct\"}" },
	{ "M6 a channel names its platform", "{\"kind\":\"channel\",\"platform\":\"telegram\",\"type\":\"group\"}", "{\"kind\":\"channel\",\"interactive\":true,\"platform\":\"telegram\",\"type\":\"group\"}" },
	{ "M6 a surface's own word", "{\"kind\":\"voice-2\",\"platform\":null,\"trigger_id\":null}", "{\"kind\":\"voice-2\",\"interactive\":true,\"type\":\"direct\"}" },
	{ "M6 no kind", "{}", "error: kind" },
	{ "M6 a kind is a word", "{\"kind\":\"a b\"}", "error: kind: must be a word" },
	{ "M6 a kind is not empty", "{\"kind\":\"\"}", "error: kind: must be a word" },
	{ "M6 a kind of 33 bytes", "{\"kind\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}", "error: kind: must be a word" },
	{ "M6 a kind of 32 bytes", "{\"kind\":\"az09_-aaaaaaaaaaaaaaaaaaaaaaaaaa\"}", "{\"kind\":\"az09_-aaaaaaaaaaaaaaaaaaaaaaaaaa\",\"interactive\":true,\"type\":\"direct\"}" },
	{ "M6 another type", "{\"kind\":\"cli\",\"type\":\"room\"}", "error: type" },
	{ "M6 interactive is true or false", "{\"kind\":\"cli\",\"interactive\":1}", "error: interactive" },
	{ "M6 an unknown field", "{\"kind\":\"cli\",\"user\":1}", "error: user" },
	/* clang-format on */
};

static void
source_row(void **state)
{
	const struct source_case *c = *state;
	struct str want = str_of(c->want);
	struct session_source s = { 0 };
	struct arena a;
	struct json_doc doc;
	struct err e = { 0 };
	struct buf out;
	struct jw w;
	int rc;

	arena_init(&a);
	buf_init(&out, 1000);
	assert_int_equal(json_parse(&a, str_of(c->json), &JSON_LIMITS_DEFAULT, &doc, &e), 0);
	rc = session_source_read(json_root(&doc), &a, &s, &e);
	if (str_starts(want, STR("error: "))) {
		assert_int_equal(rc, ERR_INVALID);
		if (!str_contains(str_of(e.text), str_slice(want, 7, want.len)))
			fail_msg("%s: '%s'", c->name, e.text);
	} else {
		if (rc != 0)
			fail_msg("%s: %s", c->name, e.text);
		jw_init(&w, &out);
		session_source_write(&s, &w);
		check_str(c->name, buf_str(&out), want);
	}
	buf_release(&out);
	arena_release(&a);
}

/* The log has no event that could change them: created is seq 1 only, updated refuses them. */
static void
M6_source_type_and_creation_are_written_once(void **state)
{
	static const char *const CHANGES[] = { "source", "session_type", "created_at" };
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(CHANGES); i++) {
		struct json_doc doc;
		enum event_kind kind;
		struct err e = { 0 };
		struct str text =
			arena_printf(&a, "{\"type\":\"session.updated\",\"%s\":{}}", CHANGES[i]);

		assert_int_equal(json_parse(&a, text, &JSON_LIMITS_DEFAULT, &doc, &e), 0);
		assert_int_equal(event_check(json_root(&doc), &kind, &e), ERR_INVALID);
		assert_non_null(strstr(e.text, CHANGES[i]));
	}
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, CASES, source_row);
	SUITE_TEST(&s, M6_source_type_and_creation_are_written_once);
	return suite_run(&s, "session_source");
}
