#include "core/approval_always.h"

#include "base/json_write.h"
#include "core/approval_subject.h"

size_t
approval_always_arity(const struct str *words, size_t count)
{
	/* Commands whose second word (and third) says what they do; the longer prefix first. */
	static const struct {
		const char *first, *second; /* second NULL: any */
		size_t arity;
	} ARITIES[] = {
		{ "npm", "run", 3 },        { "npm", "exec", 3 },      { "npm", NULL, 2 },
		{ "pnpm", "run", 3 },       { "pnpm", "exec", 3 },     { "pnpm", NULL, 2 },
		{ "yarn", "run", 3 },       { "yarn", NULL, 2 },       { "bun", "run", 3 },
		{ "bun", NULL, 2 },         { "deno", "task", 3 },     { "deno", NULL, 2 },
		{ "docker", "compose", 3 }, { "docker", NULL, 2 },     { "podman", NULL, 2 },
		{ "git", "stash", 3 },      { "git", "remote", 3 },    { "git", "config", 3 },
		{ "git", "worktree", 3 },   { "git", "submodule", 3 }, { "git", NULL, 2 },
		{ "gh", NULL, 3 },          { "aws", NULL, 3 },        { "gcloud", NULL, 3 },
		{ "az", NULL, 3 },          { "kubectl", NULL, 2 },    { "helm", NULL, 2 },
		{ "cargo", NULL, 2 },       { "go", NULL, 2 },         { "rustup", NULL, 2 },
		{ "pip", NULL, 2 },         { "pip3", NULL, 2 },       { "poetry", NULL, 2 },
		{ "uv", NULL, 2 },          { "apt", NULL, 2 },        { "apt-get", NULL, 2 },
		{ "brew", NULL, 2 },        { "dnf", NULL, 2 },        { "systemctl", NULL, 2 },
		{ "make", NULL, 2 },        { "meson", NULL, 2 },      { "terraform", NULL, 2 },
		{ "python", NULL, 2 },      { "python3", NULL, 2 },    { "node", NULL, 2 },
		{ "npx", NULL, 2 },         { "sudo", NULL, 2 },       { "bash", NULL, 2 },
		{ "sh", NULL, 2 },
	};
	size_t arity = 1;

	for (size_t i = 0; i < ARRAY_LEN(ARITIES) && count > 0 && arity == 1; i++)
		if (str_eq(words[0], str_of(ARITIES[i].first)) &&
		    (!ARITIES[i].second ||
		     (count > 1 && str_eq(words[1], str_of(ARITIES[i].second)))))
			arity = ARITIES[i].arity;
	return arity < count ? arity : count;
}

/* `git status *`; a command that reaches this has a word. */
static struct str
command_pattern(const struct shell_command *c, struct arena *a)
{
	const struct str *last = &c->words[approval_always_arity(c->words, c->word_count) - 1];
	struct str head = { c->text.ptr, (size_t)(last->ptr + last->len - c->text.ptr) };

	if (str_contains(head, STR("*")))
		return (struct str){ 0 };
	return arena_printf(a, STR_FMT " *", STR_ARG(head));
}

/* The pattern that stands for one subject; ptr NULL when none can. */
static struct str
subject_pattern(const struct approval_subject *s, struct arena *a)
{
	if (s->trust != APPROVAL_PLAIN || s->exact_count == 0)
		return (struct str){ 0 };
	if (s->command)
		return command_pattern(s->command, a);
	return str_contains(s->exact[0], STR("*")) ? (struct str){ 0 } : s->exact[0];
}

static bool
is_redirection(const struct approval_subject *s)
{
	return s->reads_file || s->writes_file;
}

size_t
approval_always_rules(struct tool_ref tool, struct json arguments, struct arena *a,
		      struct approval_rule out[APPROVAL_ALWAYS_MAX])
{
	struct approval_subjects subjects = approval_subjects_of(tool, arguments, a);

	if (subjects.count > APPROVAL_ALWAYS_MAX)
		return 0;
	for (size_t i = 0; i < subjects.count; i++) {
		const struct approval_subject *s = &subjects.ptr[i];

		if (is_redirection(s) && tool.server.len > 0)
			return 0; /* files elsewhere: no rule of ours is about them */
		out[i] = (struct approval_rule){ .tool = tool.server.len > 0 ? tool.own_name
									     : tool.name,
						 .server = tool.server,
						 .exact = true,
						 .action = APPROVAL_ALLOW,
						 .layer = APPROVAL_SESSION };
		if (s->all_arguments)
			continue;
		if (is_redirection(s)) /* not the command of that name */
			out[i].tool = s->writes_file ? STR("write") : STR("read");
		out[i].pattern = subject_pattern(s, a);
		if (!out[i].pattern.ptr)
			return 0;
	}
	return subjects.count;
}

void
approval_always_write(struct buf *out, const struct approval_rule *rules, size_t count)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_array(&w, "rules");
	for (size_t i = 0; i < count; i++) {
		jw_object(&w);
		jw_field_str(&w, "tool", rules[i].tool);
		if (rules[i].server.len > 0)
			jw_field_str(&w, "mcp_server_name", rules[i].server);
		if (rules[i].pattern.ptr)
			jw_field_str(&w, "pattern", rules[i].pattern);
		jw_end_object(&w);
	}
	jw_end_array(&w);
	jw_end_object(&w);
}

size_t
approval_always_read(struct str text, struct arena *a,
		     struct approval_rule out[APPROVAL_ALWAYS_MAX])
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct json list, tool, server, pattern;
	size_t count = 0;

	if (json_parse(a, text, &JSON_LIMITS_DEFAULT, doc, NULL) != 0 ||
	    !json_find(json_root(doc), STR("rules"), &list))
		return 0;
	for (struct json_iter it = json_iter(list);
	     count < APPROVAL_ALWAYS_MAX && json_next(&it);) {
		if (!json_find(it.value, STR("tool"), &tool))
			continue;
		out[count] = (struct approval_rule){ .tool = json_str(tool, a),
						     .exact = true,
						     .action = APPROVAL_ALLOW,
						     .layer = APPROVAL_SESSION };
		if (json_find(it.value, STR("mcp_server_name"), &server))
			out[count].server = json_str(server, a);
		if (json_find(it.value, STR("pattern"), &pattern))
			out[count].pattern = json_str(pattern, a);
		count++;
	}
	return count;
}
