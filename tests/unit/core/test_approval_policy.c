#include "base/json_write.h"
#include "base/rand.h"
#include "core/approval_policy.h"
#include "harness.h"

#define RULE(l, t, p, x)                                                     \
	{                                                                    \
		.tool = { t, sizeof t - 1 }, .pattern = { p, sizeof p - 1 }, \
		.action = APPROVAL_##x, .layer = APPROVAL_##l                \
	}
#define WHOLE(l, t, x)                                                                     \
	{                                                                                  \
		.tool = { t, sizeof t - 1 }, .action = APPROVAL_##x, .layer = APPROVAL_##l \
	}

enum { RULES_MAX = 5 };

#define OF_SERVER(s, t)                                                            \
	{                                                                          \
		.tool = { t, sizeof t - 1 }, .server = { s, sizeof s - 1 },        \
		.action = APPROVAL_ALLOW, .layer = APPROVAL_SESSION, .exact = true \
	}
#define OF_SERVERS(l, s, t, x)                                              \
	{                                                                   \
		.tool = { t, sizeof t - 1 }, .server = { s, sizeof s - 1 }, \
		.action = APPROVAL_##x, .layer = APPROVAL_##l               \
	}

/* tool: a name, or SERVER:OWN_NAME:NAME. arguments: JSON, or a bare shell command when the tool is NULL
 * (bash). */
static const struct row {
	const char *name;
	struct approval_rule rules[RULES_MAX];
	const char *tool, *arguments;
	enum approval_action want;
	int64_t rule;
} ROWS[] = {
	/* clang-format off */
	{ "T8 no rule asks", { { .tool = { 0 } } }, NULL, "ls", APPROVAL_ASK, -1 },
	{ "T8 what is allowed always of a server's tool", { OF_SERVER("github", "search") }, "github:search:search", "{}", APPROVAL_ALLOW, 0 },
	{ "T8 it is the same tool by another name", { OF_SERVER("github", "search") }, "github:search:github__search", "{}", APPROVAL_ALLOW, 0 },
	{ "T8 it is not another server's tool of that name", { OF_SERVER("github", "search") }, "jira:search:search", "{}", APPROVAL_ASK, -1 },
	{ "T8 it is not another tool of the server that has the name by now", { OF_SERVER("github", "search") }, "github:find:search", "{}", APPROVAL_ASK, -1 },
	{ "T8 what is allowed always is a name, no pattern", { OF_SERVER("github", "sea*") }, "github:search:search", "{}", APPROVAL_ASK, -1 },
	{ "T8 it is not our tool of that name", { OF_SERVER("github", "search") }, "search", "{}", APPROVAL_ASK, -1 },
	{ "T8 what is allowed always without a server is no server's tool", { WHOLE(SESSION, "search", ALLOW) }, "jira:search:search", "{}", APPROVAL_ASK, -1 },
	{ "T8 a deny is about whatever has the name", { WHOLE(OPERATOR, "sea*", DENY) }, "jira:search:jira__search", "{}", APPROVAL_DENY, 0 },
	{ "T8 an ask is about whatever has the name", { WHOLE(AGENT, "search", ASK) }, "jira:search:jira__search", "{}", APPROVAL_ASK, 0 },
	{ "T8 an allow of a name is no server's tool", { WHOLE(OPERATOR, "sea*", ALLOW) }, "jira:search:search", "{}", APPROVAL_ASK, -1 },
	{ "T8 an allow names the server", { WHOLE(OPERATOR, "jira__sea*", ALLOW) }, "jira:search:search", "{}", APPROVAL_ALLOW, 0 },
	{ "T8 an allow of another server's", { WHOLE(OPERATOR, "jira__search", ALLOW) }, "github:search:search", "{}", APPROVAL_ASK, -1 },
	{ "T8 a deny of a server's tool, offered by its own name", { WHOLE(OPERATOR, "jira__search", DENY) }, "jira:search:search", "{}", APPROVAL_DENY, 0 },
	{ "T8 a deny in the letters that providers take", { WHOLE(OPERATOR, "my_jira__look_up", DENY) }, "my.jira:look/up:look_up", "{}", APPROVAL_DENY, 0 },
	{ "T8 an allow in the letters that providers take", { WHOLE(OPERATOR, "my_jira__look_up", ALLOW) }, "my.jira:look/up:look_up", "{}", APPROVAL_ASK, -1 },
	{ "T8 an allow is not for a server whose name goes on", { WHOLE(OPERATOR, "jira__*", ALLOW) }, "jira__evil:search:search", "{}", APPROVAL_ASK, -1 },
	{ "T8 an allow of everything is for every server", { WHOLE(OPERATOR, "*", ALLOW) }, "jira__evil:search:search", "{}", APPROVAL_ALLOW, 0 },
	{ "T8 a rule for a server's tools", { OF_SERVERS(OPERATOR, "ji*", "sea*", ALLOW) }, "jira:search:search", "{}", APPROVAL_ALLOW, 0 },
	{ "T8 a rule for another server's tools", { OF_SERVERS(OPERATOR, "jira", "*", DENY) }, "github:search:search", "{}", APPROVAL_ASK, -1 },
	{ "T8 a rule for a server's tools is not for ours", { OF_SERVERS(AGENT, "*", "*", DENY) }, "search", "{}", APPROVAL_ASK, -1 },
	{ "T8 a rule for a server's write is not for redirections", { WHOLE(AGENT, "bash", ALLOW), OF_SERVERS(AGENT, "*", "write", DENY) }, NULL, "echo > f", APPROVAL_ALLOW, 0 },
	{ "T8 a server's shell is known by its own name", { RULE(OPERATOR, "bash", "rm *", DENY) }, "box:bash:box__bash", "{\"command\":\"ls; rm x\",\"timeout\":1}", APPROVAL_DENY, 0 },
	{ "T8 no match asks", { RULE(SESSION, "bash", "git *", ALLOW) }, NULL, "ls", APPROVAL_ASK, -1 },
	{ "T8 a pattern allows", { RULE(SESSION, "bash", "git *", ALLOW) }, NULL, "git log", APPROVAL_ALLOW, 0 },
	{ "T8 a pattern denies", { RULE(SESSION, "bash", "rm *", DENY) }, NULL, "rm x", APPROVAL_DENY, 0 },
	{ "T8 a pattern asks", { RULE(SESSION, "bash", "rm *", ASK) }, NULL, "rm x", APPROVAL_ASK, 0 },
	{ "T8 a whole tool is allowed", { WHOLE(SESSION, "bash", ALLOW) }, NULL, "ls", APPROVAL_ALLOW, 0 },
	{ "T8 another tool's rule is not asked", { WHOLE(SESSION, "read", ALLOW) }, NULL, "ls", APPROVAL_ASK, -1 },
	{ "T8 a star names every tool", { WHOLE(SESSION, "*", ALLOW) }, NULL, "ls", APPROVAL_ALLOW, 0 },
	{ "T8 a star inside a tool's name", { WHOLE(SESSION, "mcp_*", ALLOW) }, "mcp_x", "{}", APPROVAL_ALLOW, 0 },
	{ "T8 the last match wins", { WHOLE(SESSION, "bash", ALLOW), RULE(SESSION, "bash", "rm *", DENY) }, NULL, "rm x", APPROVAL_DENY, 1 },
	{ "T8 the last match wins over a deny", { WHOLE(SESSION, "bash", DENY), RULE(SESSION, "bash", "ls *", ALLOW) }, NULL, "ls", APPROVAL_ALLOW, 1 },
	{ "T8 within the agent layer too", { WHOLE(AGENT, "bash", DENY), RULE(AGENT, "bash", "ls *", ALLOW) }, NULL, "ls", APPROVAL_ALLOW, 1 },
	{ "T8 an agent deny is final", { WHOLE(AGENT, "bash", DENY), WHOLE(SESSION, "bash", ALLOW) }, NULL, "ls", APPROVAL_DENY, 0 },
	{ "T8 an agent deny is final wherever it stands", { WHOLE(SESSION, "bash", ALLOW), RULE(AGENT, "bash", "rm *", DENY) }, NULL, "rm x", APPROVAL_DENY, 1 },
	{ "T8 an operator's deny is final too", { WHOLE(OPERATOR, "bash", DENY), WHOLE(SESSION, "bash", ALLOW) }, NULL, "ls", APPROVAL_DENY, 0 },
	{ "T8 an operator's deny of the last match is", { WHOLE(OPERATOR, "bash", DENY), RULE(OPERATOR, "bash", "ls *", ALLOW) }, NULL, "ls", APPROVAL_ALLOW, 1 },
	{ "T8 an agent's deny is final towards the operator", { WHOLE(AGENT, "bash", DENY), WHOLE(OPERATOR, "bash", ALLOW) }, NULL, "ls", APPROVAL_DENY, 0 },
	{ "T8 always beats an operator's ask", { WHOLE(OPERATOR, "bash", ASK), WHOLE(SESSION, "bash", ALLOW) }, NULL, "ls", APPROVAL_ALLOW, 1 },
	{ "T8 a session's deny is not final", { WHOLE(SESSION, "bash", DENY), WHOLE(SESSION, "bash", ALLOW) }, NULL, "ls", APPROVAL_ALLOW, 1 },
	{ "T8 a deny of the agent's latest version is final", { WHOLE(AGENT, "bash", ALLOW), WHOLE(AGENT_LATEST, "bash", DENY), WHOLE(OPERATOR, "bash", ALLOW), WHOLE(SESSION, "bash", ALLOW) }, NULL, "ls", APPROVAL_DENY, 1 },
	{ "T8 an ask of the latest version asks", { WHOLE(AGENT, "bash", ALLOW), WHOLE(AGENT_LATEST, "bash", ASK) }, NULL, "ls", APPROVAL_ASK, 1 },
	{ "T8 an ask of the latest version asks without another word", { WHOLE(AGENT_LATEST, "bash", ASK) }, NULL, "ls", APPROVAL_ASK, 0 },
	{ "T8 an allow of the latest version takes nothing back", { WHOLE(AGENT, "bash", ASK), WHOLE(AGENT_LATEST, "bash", ALLOW) }, NULL, "ls", APPROVAL_ASK, 0 },
	{ "T8 an allow of the latest version allows nothing", { WHOLE(AGENT_LATEST, "bash", ALLOW) }, NULL, "ls", APPROVAL_ASK, -1 },
	{ "T8 a deny of the session's version stays", { WHOLE(AGENT, "bash", DENY), WHOLE(AGENT_LATEST, "bash", ALLOW) }, NULL, "ls", APPROVAL_DENY, 0 },
	{ "T8 a later layer overrides an allow", { WHOLE(AGENT, "bash", ALLOW), WHOLE(OPERATOR, "bash", ASK) }, NULL, "ls", APPROVAL_ASK, 1 },
	{ "T8 a later layer overrides an ask", { WHOLE(AGENT, "bash", ASK), WHOLE(SESSION, "bash", ALLOW) }, NULL, "ls", APPROVAL_ALLOW, 1 },
	{ "T8 layers count, not list order", { WHOLE(SESSION, "bash", ALLOW), WHOLE(OPERATOR, "bash", ASK) }, NULL, "ls", APPROVAL_ALLOW, 0 },
	{ "T8 a layer without match decides nothing", { WHOLE(AGENT, "bash", ALLOW), RULE(SESSION, "bash", "rm *", DENY) }, NULL, "ls", APPROVAL_ALLOW, 0 },
	{ "T8 deny before allow of several commands", { RULE(SESSION, "bash", "a *", ALLOW), RULE(SESSION, "bash", "rm *", DENY) }, NULL, "a;rm -rf /", APPROVAL_DENY, 1 },
	{ "T8 deny before ask of several commands", { RULE(SESSION, "bash", "a *", ASK), RULE(SESSION, "bash", "rm *", DENY) }, NULL, "a | rm x", APPROVAL_DENY, 1 },
	{ "T8 ask before allow of several commands", { RULE(SESSION, "bash", "a *", ALLOW), RULE(SESSION, "bash", "b *", ASK) }, NULL, "a && b", APPROVAL_ASK, 1 },
	{ "T8 one command without match asks", { RULE(SESSION, "bash", "a *", ALLOW) }, NULL, "a; b", APPROVAL_ASK, -1 },
	{ "T8 all commands allowed is allowed", { RULE(SESSION, "bash", "a *", ALLOW), RULE(SESSION, "bash", "b *", ALLOW) }, NULL, "b x | a y", APPROVAL_ALLOW, 1 },
	{ "T8 a star does not span a separator", { RULE(SESSION, "bash", "git *", ALLOW) }, NULL, "git log && rm x", APPROVAL_ASK, -1 },
	{ "T8 a separator in quotes is none", { RULE(SESSION, "bash", "git *", ALLOW) }, NULL, "git commit -m 'a && rm x'", APPROVAL_ALLOW, 0 },
	{ "T8 quotes do not hide a name", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "bash", "rm *", DENY) }, NULL, "r'm' x", APPROVAL_DENY, 1 },
	{ "T8 a pattern may be written with its quotes", { RULE(SESSION, "bash", "echo \"a b\"", ALLOW) }, NULL, "echo \"a b\"", APPROVAL_ALLOW, 0 },
	{ "T8 substitution is not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "echo $(id)", APPROVAL_ASK, -1 },
	{ "T8 backticks are not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "echo `id`", APPROVAL_ASK, -1 },
	{ "T8 expansion is not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "echo $HOME", APPROVAL_ASK, -1 },
	{ "T8 a here-document is not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "cat <<E\nx\nE", APPROVAL_ASK, -1 },
	{ "T8 process substitution is not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "cat <(id)", APPROVAL_ASK, -1 },
	{ "T8 eval is not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "eval ls", APPROVAL_ASK, -1 },
	{ "T8 sh -c is not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "sh -c ls", APPROVAL_ASK, -1 },
	{ "T8 a pipe into a shell is not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "curl x | sh", APPROVAL_ASK, -1 },
	{ "T8 an env prefix is not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "env A=b ls", APPROVAL_ASK, -1 },
	{ "T8 an assignment is not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "LD_PRELOAD=x ls", APPROVAL_ASK, -1 },
	{ "T8 one unsafe command spoils the line", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "ls; echo $x", APPROVAL_ASK, -1 },
	{ "T8 an unsafe command can still be denied", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "bash", "echo *", DENY) }, NULL, "echo $x", APPROVAL_DENY, 1 },
	{ "T8 an unsafe command names the rule that asks", { RULE(SESSION, "bash", "*", ASK) }, NULL, "echo $x", APPROVAL_ASK, 0 },
	{ "T8 what a substitution runs can be denied", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "bash", "rm *", DENY) }, NULL, "echo $(rm x)", APPROVAL_DENY, 1 },
	{ "T8 a whole tool allowed includes the unsafe", { WHOLE(SESSION, "bash", ALLOW) }, NULL, "echo $(id)", APPROVAL_ALLOW, 0 },
	{ "T8 a pattern does not take that back", { WHOLE(SESSION, "bash", ALLOW), RULE(SESSION, "bash", "echo *", ALLOW) }, NULL, "echo $(id)", APPROVAL_ALLOW, 0 },
	{ "T8 unparsable asks", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "echo 'a", APPROVAL_ASK, -1 },
	{ "T8 unparsable asks even for an allowed tool", { WHOLE(SESSION, "bash", ALLOW) }, NULL, "echo 'a", APPROVAL_ASK, -1 },
	{ "T8 unparsable can be denied", { RULE(SESSION, "bash", "rm *", DENY) }, NULL, "rm 'a", APPROVAL_DENY, 0 },
	{ "T8 a command behind sudo can be denied", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "bash", "rm *", DENY) }, NULL, "sudo rm x", APPROVAL_DENY, 1 },
	{ "T8 a command behind an assignment can be denied", { RULE(SESSION, "bash", "rm *", DENY) }, NULL, "A=b rm x", APPROVAL_DENY, 0 },
	{ "T8 a command by path can be denied", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "bash", "rm *", DENY) }, NULL, "/bin/rm x", APPROVAL_DENY, 1 },
	{ "T8 a command by path is not allowed by its name", { RULE(SESSION, "bash", "git *", ALLOW) }, NULL, "./git log", APPROVAL_ASK, -1 },
	{ "T8 a command behind sudo is not allowed by its name", { RULE(SESSION, "bash", "ls *", ALLOW) }, NULL, "sudo ls", APPROVAL_ASK, -1 },
	{ "T8 a pattern may name time", { RULE(SESSION, "bash", "time *", ALLOW) }, NULL, "time ls", APPROVAL_ALLOW, 0 },
	{ "T8 a path allowed by name beats the general ask", { RULE(SESSION, "bash", "*", ASK), RULE(SESSION, "bash", "/bin/ls *", ALLOW) }, NULL, "/bin/ls x", APPROVAL_ALLOW, 1 },
	{ "T8 an allowed command does not allow its output file", { RULE(SESSION, "bash", "echo *", ALLOW) }, NULL, "echo a > /etc/x", APPROVAL_ASK, -1 },
	{ "T8 nor its input file", { RULE(SESSION, "bash", "cat *", ALLOW) }, NULL, "cat < /etc/x", APPROVAL_ASK, -1 },
	{ "T8 redirections are matched as paths", { RULE(SESSION, "bash", "echo *", ALLOW), RULE(SESSION, "bash", "/tmp/*", ALLOW) }, NULL, "echo a > /tmp/x", APPROVAL_ALLOW, 0 },
	{ "T8 what allows commands allows no file called like one", { RULE(SESSION, "bash", "git *", ALLOW) }, NULL, "git log > git\\ x", APPROVAL_ASK, -1 },
	{ "T8 nor one that is called like the command", { RULE(SESSION, "bash", "git*", ALLOW) }, NULL, "git log > git", APPROVAL_ASK, -1 },
	{ "T8 nor the program itself", { RULE(SESSION, "bash", "/opt/run", ALLOW) }, NULL, "/opt/run > /opt/run", APPROVAL_ASK, -1 },
	{ "T8 nor a file below a command's arguments", { RULE(SESSION, "bash", "./run *", ALLOW) }, NULL, "./run > './run x'", APPROVAL_ASK, -1 },
	{ "T8 but such a file can be denied", { RULE(SESSION, "bash", "git *", ALLOW), RULE(SESSION, "bash", "git x", DENY) }, NULL, "git log > git\\ x", APPROVAL_DENY, 1 },
	{ "T8 relative paths below a folder", { RULE(SESSION, "bash", "git *", ALLOW), RULE(SESSION, "bash", "./out/*", ALLOW) }, NULL, "git log > ./out/x", APPROVAL_ALLOW, 0 },
	{ "T8 reading allows no writing", { RULE(SESSION, "bash", "a *", ALLOW), WHOLE(SESSION, "read", ALLOW) }, NULL, "a <> f", APPROVAL_ASK, -1 },
	{ "T8 a server's shell does not write here", { WHOLE(SESSION, "write", ALLOW), RULE(OPERATOR, "box__bash", "a *", ALLOW) }, "box:bash:bash", "{\"command\":\"a > f\"}", APPROVAL_ASK, -1 },
	{ "T8 a path below is not a path beside", { RULE(SESSION, "bash", "echo *", ALLOW), RULE(SESSION, "bash", "/tmp/*", ALLOW) }, NULL, "echo a > /tmp/../etc/x", APPROVAL_ASK, -1 },
	{ "T8 a redirection can be denied", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "bash", "/etc/*", DENY) }, NULL, "echo a >> /etc/x", APPROVAL_DENY, 1 },
	{ "T8 output obeys the write tool's rules", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "write", "/etc/*", DENY) }, NULL, "echo a > /etc/x", APPROVAL_DENY, 1 },
	{ "T8 output may be allowed by them", { RULE(SESSION, "bash", "echo *", ALLOW), RULE(SESSION, "write", "/tmp/*", ALLOW) }, NULL, "echo a > /tmp/x", APPROVAL_ALLOW, 0 },
	{ "T8 input obeys the read tool's rules", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "read", "/etc/*", DENY) }, NULL, "cat < /etc/x", APPROVAL_DENY, 1 },
	{ "T8 input does not obey the write tool's", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "write", "/etc/*", DENY) }, NULL, "cat < /etc/x", APPROVAL_ALLOW, 0 },
	{ "T8 output does not obey the read tool's", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "read", "/etc/*", DENY) }, NULL, "echo > /etc/x", APPROVAL_ALLOW, 0 },
	{ "T8 both directions obey both", { RULE(SESSION, "bash", "*", ALLOW), RULE(SESSION, "read", "/etc/*", DENY) }, NULL, "a <> /etc/x", APPROVAL_DENY, 1 },
	{ "T8 a command does not obey the write tool's rules", { RULE(SESSION, "bash", "*", ALLOW), WHOLE(SESSION, "write", DENY) }, NULL, "echo a", APPROVAL_ALLOW, 0 },
	{ "T8 the null device needs no rule", { RULE(SESSION, "bash", "a *", ALLOW) }, NULL, "a >/dev/null 2>&1", APPROVAL_ALLOW, 0 },
	{ "T8 an unsafe target is not allowed by a pattern", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "a > $x", APPROVAL_ASK, -1 },
	{ "T8 an unsafe target is not allowed by the write tool's", { RULE(SESSION, "write", "*", ALLOW) }, NULL, "> $x", APPROVAL_ASK, -1 },
	{ "T8 an empty command is nothing", { RULE(SESSION, "bash", "*", ALLOW) }, NULL, "", APPROVAL_ALLOW, 0 },
	{ "T8 a file tool is matched by its path", { RULE(SESSION, "read", "/work/*", ALLOW) }, "read", "{\"file_path\":\"/work/a\"}", APPROVAL_ALLOW, 0 },
	{ "T8 a file tool climbing out", { RULE(SESSION, "read", "/work/*", ALLOW) }, "read", "{\"file_path\":\"/work/../etc/a\"}", APPROVAL_ASK, -1 },
	{ "T8 a path denied as written", { WHOLE(SESSION, "read", ALLOW), RULE(SESSION, "read", "/work/*", DENY) }, "read", "{\"file_path\":\"/work/../etc/a\"}", APPROVAL_DENY, 1 },
	{ "T8 a tool without its argument", { RULE(SESSION, "read", "*", ALLOW) }, "read", "{}", APPROVAL_ASK, -1 },
	{ "T8 a tool without its argument, allowed whole", { WHOLE(SESSION, "read", ALLOW) }, "read", "{}", APPROVAL_ALLOW, 0 },
	{ "T8 another tool is matched by all its arguments", { RULE(SESSION, "x", "{\"a\":1,*", ALLOW) }, "x", "{\"b\":2,\"a\":1}", APPROVAL_ALLOW, 0 },
	{ "T8 one text among several allows nothing", { RULE(SESSION, "x", "ok", ALLOW) }, "x", "{\"a\":\"ok\",\"b\":\"bad\"}", APPROVAL_ASK, -1 },
	{ "T8 one text among several denies", { WHOLE(SESSION, "x", ALLOW), RULE(SESSION, "x", "bad", DENY) }, "x", "{\"a\":\"ok\",\"b\":\"bad\"}", APPROVAL_DENY, 1 },
	{ "T8 the only text allows", { RULE(SESSION, "fetch", "https://a/*", ALLOW) }, "fetch", "{\"url\":\"https://a/b\"}", APPROVAL_ALLOW, 0 },
	/* clang-format on */
};

static struct json
parse_arguments(const struct row *r, struct arena *a)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct str text = str_of(r->arguments);
	struct err e = { 0 };

	if (!r->tool) {
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
		fail_msg("%s: %s", r->name, e.text);
	return json_root(doc);
}

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

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct approval_rules rules = { r->rules, 0 };
	struct approval_decision d;
	struct arena a;

	while (rules.count < RULES_MAX && r->rules[rules.count].tool.ptr)
		rules.count++;
	arena_init(&a);
	d = approval_policy_decide(rules, tool_of(str_of(r->tool ? r->tool : "bash")),
				   parse_arguments(r, &a), &a);
	if (d.action != r->want || d.rule != r->rule)
		fail_msg("%s: action %d by %lld, wanted %d by %lld", r->name, (int)d.action,
			 (long long)d.rule, (int)r->want, (long long)r->rule);
	arena_release(&a);
}

static void
T8_modes_are_agent_rules(void **state)
{
	const struct tool_ref OURS = { .name = STR("read") };
	const struct tool_ref THEIRS = { STR("jira__search"), STR("jira"), STR("search") };
	struct approval_rule rule = { 0 };

	(void)state;
	assert_true(approval_policy_mode_rule(APPROVAL_ALWAYS_ALLOW, OURS, &rule));
	assert_int_equal(rule.action, APPROVAL_ALLOW);
	assert_int_equal(rule.layer, APPROVAL_AGENT);
	check_str("tool", rule.tool, STR("read"));
	assert_null(rule.pattern.ptr);
	assert_true(approval_policy_mode_rule(APPROVAL_ALWAYS_ASK, OURS, &rule));
	assert_int_equal(rule.action, APPROVAL_ASK);
	assert_false(approval_policy_mode_rule(APPROVAL_AUTO, OURS, &rule));
	assert_true(approval_policy_mode_rule(APPROVAL_ALWAYS_ASK, THEIRS, &rule));
	check_str("tool", rule.tool, STR("search"));
	check_str("server", rule.server, STR("jira"));
	assert_true(rule.exact);
}

static void
T8_nobody_there_means_the_configured_default(void **state)
{
	struct approval_settings s = { .unattended = APPROVAL_DENY, .expired = APPROVAL_DENY };

	(void)state;
	assert_int_equal(approval_policy_attend(&s, APPROVAL_ASK, true), APPROVAL_ASK);
	assert_int_equal(approval_policy_attend(&s, APPROVAL_ASK, false), APPROVAL_DENY);
	assert_int_equal(approval_policy_attend(&s, APPROVAL_ALLOW, false), APPROVAL_ALLOW);
	s.unattended = APPROVAL_ALLOW;
	assert_int_equal(approval_policy_attend(&s, APPROVAL_ASK, false), APPROVAL_ALLOW);
	assert_int_equal(approval_policy_attend(&s, APPROVAL_DENY, false), APPROVAL_DENY);
}

static void
T8_expiry_is_off_unless_set(void **state)
{
	struct approval_settings s = { .unattended = APPROVAL_DENY, .expired = APPROVAL_DENY };

	(void)state;
	assert_int_equal(approval_policy_expire(&s, 0, INT64_MAX), APPROVAL_ASK);
	s.expire_after_ms = 120000;
	assert_int_equal(approval_policy_expire(&s, 1000, 120999), APPROVAL_ASK);
	assert_int_equal(approval_policy_expire(&s, 1000, 121000), APPROVAL_DENY);
	s.expired = APPROVAL_ALLOW;
	assert_int_equal(approval_policy_expire(&s, 1000, 121000), APPROVAL_ALLOW);
}

static void
T8_a_denial_names_the_rule(void **state)
{
	static const struct approval_rule RULES[] = {
		RULE(AGENT, "bash", "rm *", DENY), WHOLE(AGENT_LATEST, "bash", DENY),
		WHOLE(OPERATOR, "*", DENY),        OF_SERVERS(OPERATOR, "jira", "s*", DENY),
		WHOLE(SESSION, "bash", DENY),
	};
	static const char *const WANT[] = {
		"a rule of the agent (bash: rm *) denies it",
		"a rule of the agent (bash) denies it",
		"a rule of the operator (*) denies it",
		"a rule of the operator (jira__s*) denies it",
		"a rule of the session (bash) denies it",
	};
	struct approval_rules rules = { RULES, ARRAY_LEN(RULES) };
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(RULES); i++) {
		struct approval_decision d = { APPROVAL_DENY, (int64_t)i };

		check_str("reason", approval_policy_reason(rules, d, &a), str_of(WANT[i]));
	}
	arena_release(&a);
}

static void
T8_a_denial_carries_its_message(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_true(str_ends(approval_policy_denial(STR(" use git mv "), &a), STR(": use git mv")));
	assert_true(str_ends(approval_policy_denial(STR(" "), &a), STR("It has not run.")));
	arena_release(&a);
}

/* A rule of random action, layer and pattern over the commands a, b, c. */
static struct approval_rule
random_rule(struct rand *r)
{
	static const char *const PATTERNS[] = { "*", "a *", "b *", "c x", "d" };
	struct approval_rule rule = {
		.tool = rand_below(r, 4) ? STR("bash") : STR("*"),
		.action = (enum approval_action)rand_below(r, 3),
		.layer = (enum approval_layer)rand_below(r, APPROVAL_LAYERS),
	};

	if (rand_below(r, 4))
		rule.pattern = str_of(PATTERNS[rand_below(r, ARRAY_LEN(PATTERNS))]);
	return rule;
}

static struct approval_decision
decide(struct approval_rules rules, const char *command, struct arena *a)
{
	struct row row = { .name = "property", .arguments = command };

	return approval_policy_decide(rules, (struct tool_ref){ STR("bash") },
				      parse_arguments(&row, a), a);
}

/* Of a line: as strict as its strictest command. A final deny stays whatever other layers add. An
 * unsafe line is never allowed when every rule has a pattern. */
static void
T8_property_strictest_veto_and_unsafe(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct approval_rule rules[6];
		struct approval_rules all = { rules, 6 }, five = { rules, 5 };
		struct approval_decision one, two, both;
		bool ok, all_patterns = true;
		struct arena a;
		struct rand r;

		rand_init_seed(&r, seed);
		arena_init(&a);
		for (size_t i = 0; i < 6; i++) {
			rules[i] = random_rule(&r);
			all_patterns &= rules[i].pattern.ptr != NULL;
		}
		one = decide(all, "a y", &a);
		two = decide(all, "b", &a);
		both = decide(all, "a y && b", &a);
		ok = both.action == (one.action > two.action ? one.action : two.action);
		ok &= !all_patterns || decide(all, "a $y", &a).action != APPROVAL_ALLOW;
		two = decide(five, "a y", &a);
		if (two.rule >= 0 && rules[two.rule].layer <= APPROVAL_OPERATOR &&
		    two.action == APPROVAL_DENY && rules[5].layer != rules[two.rule].layer)
			ok &= one.action == APPROVAL_DENY;
		if (!ok)
			fail_msg("seed %llu", (unsigned long long)seed);
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T8_modes_are_agent_rules);
	SUITE_TEST(&s, T8_nobody_there_means_the_configured_default);
	SUITE_TEST(&s, T8_expiry_is_off_unless_set);
	SUITE_TEST(&s, T8_a_denial_names_the_rule);
	SUITE_TEST(&s, T8_a_denial_carries_its_message);
	SUITE_TEST(&s, T8_property_strictest_veto_and_unsafe);
	return suite_run(&s, "core/approval_policy");
}
