#include "base/json_write.h"
#include "core/approval_always.h"
#include "harness.h"

static const struct tool_ref BASH = { .name = STR("bash") };

/* arguments: JSON, or a bare shell command when the tool is NULL (bash). want: the patterns joined
 * by " ; ", "-" for a rule without pattern, "" for no rules; before one for another tool its name. */
static const struct row {
	const char *name, *tool, *arguments, *want;
} ROWS[] = {
	{ "T8 always git keeps two words", NULL, "git status -s", "git status *" },
	{ "T8 always npm run keeps three", NULL, "npm run build -- x", "npm run build *" },
	{ "T8 always npm keeps two", NULL, "npm install x", "npm install *" },
	{ "T8 always cat keeps one", NULL, "cat a b", "cat *" },
	{ "T8 always an unknown command keeps one", NULL, "frobnicate a b", "frobnicate *" },
	{ "T8 always a short command keeps what it has", NULL, "npm run", "npm run *" },
	{ "T8 always git alone", NULL, "git", "git *" },
	{ "T8 always every command of the line", NULL, "git log | head -1", "git log * ; head *" },
	{ "T8 always names its files", NULL, "echo a > /tmp/x", "echo * ; write:/tmp/x" },
	{ "T8 always names what it reads", NULL, "cat < ls", "cat * ; read:ls" },
	{ "T8 always of both directions is writing", NULL, "cat <> ls", "cat * ; write:ls" },
	{ "T8 always nothing for the unsafe", NULL, "echo $x", "" },
	{ "T8 always nothing for a line with something unsafe", NULL, "ls; sh -c x", "" },
	{ "T8 always nothing for the unreadable", NULL, "echo 'x", "" },
	{ "T8 always nothing when the words have a star", NULL, "git '*'", "" },
	{ "T8 always nothing when the file has a star", NULL, "a > '/tmp/*'", "" },
	{ "T8 always a file tool keeps the path", "read", "{\"path\":\"/a/../b\"}", "/b" },
	{ "T8 always nothing for a path with a star", "read", "{\"path\":\"/a/*\"}", "" },
	{ "T8 always a skill keeps the name", "skill", "{\"name\":\"pdf\"}", "pdf" },
	{ "T8 always another tool as a whole", "x", "{\"a\":1}", "-" },
	{ "T8 always nothing without the argument", "read", "{}", "" },
	{ "T8 always an empty command", NULL, "", "" },
};

static struct json
parse_arguments(const char *tool, const char *arguments, struct arena *a)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct str text = str_of(arguments);
	struct err e = { 0 };

	if (!tool) {
		struct buf b;
		struct jw w;

		buf_init(&b, 4096);
		jw_init(&w, &b);
		jw_object(&w);
		jw_field_str(&w, "command", text);
		jw_end_object(&w);
		text = arena_str(a, buf_str(&b));
		buf_release(&b);
	}
	if (json_parse(a, text, &JSON_LIMITS_DEFAULT, doc, &e) != 0)
		fail_msg("%s", e.text);
	return json_root(doc);
}

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct approval_rule rules[APPROVAL_ALWAYS_MAX];
	struct str tool = str_of(r->tool ? r->tool : "bash");
	struct json arguments;
	struct arena a;
	struct buf got;
	size_t count;

	arena_init(&a);
	buf_init(&got, 4096);
	arguments = parse_arguments(r->tool, r->arguments, &a);
	count = approval_always_rules((struct tool_ref){ tool }, arguments, &a, rules);
	for (size_t i = 0; i < count; i++) {
		buf_puts(&got, i ? " ; " : "");
		if (!str_eq(rules[i].tool, tool))
			buf_printf(&got, STR_FMT ":", STR_ARG(rules[i].tool));
		buf_put_str(&got, rules[i].pattern.ptr ? rules[i].pattern : STR("-"));
		assert_int_equal(rules[i].action, APPROVAL_ALLOW);
		assert_int_equal(rules[i].layer, APPROVAL_SESSION);
	}
	check_str(r->name, buf_str(&got), str_of(r->want));
	/* What was allowed always is not asked again. */
	if (count > 0)
		assert_int_equal(approval_policy_decide((struct approval_rules){ rules, count },
							(struct tool_ref){ tool }, arguments, &a)
					 .action,
				 APPROVAL_ALLOW);
	buf_release(&got);
	arena_release(&a);
}

static void
T8_always_at_most_so_many_rules(void **state)
{
	struct approval_rule rules[APPROVAL_ALWAYS_MAX];
	char line[2 * APPROVAL_ALWAYS_MAX + 2] = "";
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < APPROVAL_ALWAYS_MAX; i++)
		memcpy(line + 2 * i, "a;", 2);
	assert_int_equal(approval_always_rules(BASH, parse_arguments(NULL, line, &a), &a, rules),
			 APPROVAL_ALWAYS_MAX);
	line[sizeof line - 2] = 'b';
	assert_int_equal(approval_always_rules(BASH, parse_arguments(NULL, line, &a), &a, rules),
			 0);
	arena_release(&a);
}

static void
T8_always_re_evaluates_pending_calls(void **state)
{
	struct approval_rule rules[APPROVAL_ALWAYS_MAX + 1] = {
		{ .tool = STR("bash"), .action = APPROVAL_ASK, .layer = APPROVAL_AGENT },
	};
	struct approval_rules before = { rules, 1 }, after = { rules, 2 };
	struct json pending, other;
	struct arena a;

	(void)state;
	arena_init(&a);
	pending = parse_arguments(NULL, "git status --short", &a);
	other = parse_arguments(NULL, "git push", &a);
	assert_int_equal(approval_policy_decide(before, BASH, pending, &a).action, APPROVAL_ASK);
	assert_int_equal(
		approval_always_rules(BASH, parse_arguments(NULL, "git status", &a), &a, rules + 1),
		1);
	assert_int_equal(approval_policy_decide(after, BASH, pending, &a).action, APPROVAL_ALLOW);
	assert_int_equal(approval_policy_decide(after, BASH, other, &a).action, APPROVAL_ASK);
	arena_release(&a);
}

static void
T8_always_of_a_servers_tool_names_the_server(void **state)
{
	static const struct tool_ref SEARCH = { STR("github__search"), STR("github"),
						STR("search") };
	struct approval_rule rules[APPROVAL_ALWAYS_MAX];
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(
		approval_always_rules(SEARCH, parse_arguments("x", "{\"q\":1}", &a), &a, rules), 1);
	check_str("server", rules[0].server, STR("github"));
	check_str("tool", rules[0].tool, STR("search"));
	assert_null(rules[0].pattern.ptr);
	arena_release(&a);
}

static void
T8_rules_are_read_as_they_were_written(void **state)
{
	static const struct approval_rule RULES[] = {
		{ .tool = STR("bash"), .pattern = STR("git \"x\" *") },
		{ .tool = STR("own") },
		{ .tool = STR("search"), .server = STR("github") },
	};
	struct approval_rule out[APPROVAL_ALWAYS_MAX];
	struct arena a;
	struct buf b;

	(void)state;
	arena_init(&a);
	buf_init(&b, 10000);
	approval_always_write(&b, RULES, ARRAY_LEN(RULES));
	assert_int_equal(approval_always_read(buf_str(&b), &a, out), 3);
	check_str("tool", out[0].tool, RULES[0].tool);
	check_str("pattern", out[0].pattern, RULES[0].pattern);
	assert_null(out[1].pattern.ptr);
	check_str("no server", out[1].server, STR(""));
	check_str("server", out[2].server, STR("github"));
	assert_int_equal(out[1].layer, APPROVAL_SESSION);
	assert_int_equal(out[1].action, APPROVAL_ALLOW);
	assert_int_equal(approval_always_read(STR("{}"), &a, out), 0);
	assert_int_equal(approval_always_read(STR("nonsense"), &a, out), 0);
	assert_int_equal(approval_always_read(STR("{\"rules\":[{}]}"), &a, out), 0);
	buf_release(&b);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T8_always_at_most_so_many_rules);
	SUITE_TEST(&s, T8_always_re_evaluates_pending_calls);
	SUITE_TEST(&s, T8_always_of_a_servers_tool_names_the_server);
	SUITE_TEST(&s, T8_rules_are_read_as_they_were_written);
	return suite_run(&s, "core/approval_always");
}
