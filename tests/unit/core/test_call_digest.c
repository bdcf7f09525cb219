#include "core/call_digest.h"
#include "harness.h"

/* A tool, or SERVER:OWN_NAME:NAME. */
static const struct row {
	const char *name;
	const char *left_tool, *left, *right_tool, *right;
	bool same;
} ROWS[] = {
	{ "T8 the digest binds the tool", "read", "{}", "write", "{}", false },
	{ "T8 the digest binds the arguments", "bash", "{\"command\":\"ls\"}", "bash",
	  "{\"command\":\"ls -l\"}", false },
	{ "T8 the digest ignores member order", "bash", "{\"a\":1,\"b\":2}", "bash",
	  "{\"b\":2,\"a\":1}", true },
	{ "T8 the digest ignores blanks and escapes", "bash", "{\"a\":\"\\u0078\"}", "bash",
	  "{ \"a\" : \"x\" }", true },
	{ "T8 the digest takes numbers verbatim", "t", "{\"a\":1}", "t", "{\"a\":1.0}", false },
	{ "T8 name and arguments do not run together", "a{}", "{}", "a", "{}", false },
	{ "T8 the digest binds the server", "github:search:search", "{}", "jira:search:search",
	  "{}", false },
	{ "T8 the digest of a server's tool is not that of ours", "github:search:search", "{}",
	  "search", "{}", false },
	{ "T8 the digest binds what the server calls it", "github:search:x", "{}", "github:find:x",
	  "{}", false },
	{ "T8 the digest does not depend on who else is there", "github:search:search", "{}",
	  "github:search:github__search", "{}", true },
	{ "T5 an empty object differs from an empty array", "t", "{}", "t", "[]", false },
};

static struct tool_ref
tool_of(struct str text)
{
	struct tool_ref ref = { .name = text };

	if (str_contains(text, STR(":"))) {
		str_cut(text, ':', &ref.server, &text);
		str_cut(text, ':', &ref.own_name, &ref.name);
	}
	return ref;
}

static struct sha256
digest(struct arena *a, const char *tool, const char *text)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct err e = { 0 };

	if (json_parse(a, str_of(text), &JSON_LIMITS_DEFAULT, doc, &e) != 0)
		fail_msg("%s", e.text);
	return call_digest(tool_of(str_of(tool)), json_root(doc), a);
}

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct sha256 left, right;
	struct arena a;

	arena_init(&a);
	left = digest(&a, r->left_tool, r->left);
	right = digest(&a, r->right_tool, r->right);
	if ((memcmp(&left, &right, sizeof left) == 0) != r->same)
		fail_msg("%s", r->name);
	arena_release(&a);
}

static void
T8_the_digest_of_a_servers_tool_has_the_server_first(void **state)
{
	struct sha256 got, want = sha256_of(STR("github\0search\0{\"a\":1}"));
	struct arena a;

	(void)state;
	arena_init(&a);
	got = digest(&a, "github:search:github__search", "{ \"a\":1}");
	assert_memory_equal(&got, &want, sizeof got);
	arena_release(&a);
}

static void
T8_the_digest_is_sha256_of_name_nul_arguments(void **state)
{
	struct sha256 got, want = sha256_of(STR("bash\0{\"a\":1}"));
	struct arena a;

	(void)state;
	arena_init(&a);
	got = digest(&a, "bash", "{ \"a\":1}");
	assert_memory_equal(&got, &want, sizeof got);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T8_the_digest_is_sha256_of_name_nul_arguments);
	SUITE_TEST(&s, T8_the_digest_of_a_servers_tool_has_the_server_first);
	return suite_run(&s, "core/call_digest");
}
