#include "core/approval_policy.h"
#include "core/approval_subject.h"
#include "core/tool_name.h"
#include "core/wildcard.h"

static bool
any_matches(struct str pattern, const struct str *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (wildcard_match(pattern, texts[i]))
			return true;
	return false;
}

/* The tool that was called, and of a server's all the names it may go by: SERVER__TOOL, TOOL, both in
 * the letters that providers take, and what it was offered as. */
struct called {
	struct tool_ref ref;
	struct str names[5];
};

static struct called
called_of(struct tool_ref ref, struct arena *a)
{
	struct called c = { .ref = ref };

	if (ref.server.len == 0)
		return c;
	c.names[0] =
		arena_printf(a, STR_FMT "__" STR_FMT, STR_ARG(ref.server), STR_ARG(ref.own_name));
	c.names[1] = ref.own_name;
	c.names[2] = tool_name_make(ref.server, ref.own_name, a);
	c.names[3] = tool_name_make(STR(""), ref.own_name, a);
	c.names[4] = ref.name;
	return c;
}

/* An allow must not be claimed by another server's tool: `a__b__c` is tool `b__c` of server `a`, never
 * tool `c` of server `a__b`. */
static bool
allow_names(struct str pattern, const struct called *c)
{
	if (str_eq(pattern, STR("*")))
		return true;
	return !str_contains(c->ref.server, STR("__")) && wildcard_match(pattern, c->names[0]);
}

static bool
name_matches(const struct approval_rule *r, const struct called *c)
{
	const struct tool_ref *ref = &c->ref;

	if (r->exact)
		return str_eq(r->server, ref->server) &&
		       str_eq(r->tool, ref->server.len > 0 ? ref->own_name : ref->name);
	if (r->server.len > 0)
		return ref->server.len > 0 && wildcard_match(r->server, ref->server) &&
		       wildcard_match(r->tool, ref->own_name);
	if (ref->server.len == 0)
		return wildcard_match(r->tool, ref->name);
	return r->action == APPROVAL_ALLOW ? allow_names(r->tool, c)
					   : any_matches(r->tool, c->names, ARRAY_LEN(c->names));
}

/* A redirection does what a file tool does: such a rule holds for it. A deny or ask for either
 * direction counts, an allow must cover writing where there is any, and is about files here. */
static bool
file_tool_matches(const struct approval_rule *r, const struct called *c,
		  const struct approval_subject *s)
{
	bool reads = s->reads_file && str_eq(r->tool, STR("read"));
	bool writes = s->writes_file && str_eq(r->tool, STR("write"));

	if (r->server.len > 0)
		return false;
	if (r->action != APPROVAL_ALLOW)
		return reads || writes;
	return c->ref.server.len == 0 && (writes || (reads && !s->writes_file));
}

/* What allows commands allows no file that happens to be called like one: of the shell's own patterns
 * only those that can mean nothing but paths, or everything. */
static bool
allows_paths(struct str pattern)
{
	if (str_eq(pattern, STR("*")))
		return true;
	return (str_starts(pattern, STR("/")) || str_starts(pattern, STR("./")) ||
		str_starts(pattern, STR("../"))) &&
	       str_contains(pattern, STR("*")) && !str_contains(pattern, STR(" "));
}

static bool
tool_matches(const struct approval_rule *r, const struct called *c,
	     const struct approval_subject *s)
{
	bool is_file = s->reads_file || s->writes_file;

	if (is_file && file_tool_matches(r, c, s))
		return true;
	if (is_file && r->action == APPROVAL_ALLOW && r->pattern.ptr && !allows_paths(r->pattern))
		return false;
	return name_matches(r, c);
}

static bool
rule_matches(const struct approval_rule *r, const struct called *c,
	     const struct approval_subject *s)
{
	if (!tool_matches(r, c, s))
		return false;
	if (r->action == APPROVAL_ALLOW && s->trust == APPROVAL_UNREADABLE)
		return false;
	if (!r->pattern.ptr)
		return true;
	if (r->action == APPROVAL_ALLOW && s->trust != APPROVAL_PLAIN)
		return false;
	if (any_matches(r->pattern, s->exact, s->exact_count))
		return true;
	return r->action != APPROVAL_ALLOW && any_matches(r->pattern, s->wider, s->wider_count);
}

/* Does this layer's word replace the one before it? The agent's latest version can only be stricter. */
static bool
overrides(struct approval_rules rules, enum approval_layer layer, int64_t by, int64_t winner)
{
	if (by < 0)
		return false;
	if (layer != APPROVAL_AGENT_LATEST)
		return true;
	return rules.ptr[by].action != APPROVAL_ALLOW &&
	       (winner < 0 || rules.ptr[winner].action == APPROVAL_ALLOW);
}

static struct approval_decision
decide_subject(struct approval_rules rules, const struct called *c,
	       const struct approval_subject *s)
{
	int64_t last[APPROVAL_LAYERS], winner = APPROVAL_NO_RULE;

	for (size_t i = 0; i < APPROVAL_LAYERS; i++)
		last[i] = APPROVAL_NO_RULE;
	for (size_t i = 0; i < rules.count; i++)
		if (rule_matches(&rules.ptr[i], c, s))
			last[rules.ptr[i].layer] = (int64_t)i;
	for (size_t i = 0; i <= APPROVAL_OPERATOR; i++)
		if (last[i] >= 0 && rules.ptr[last[i]].action == APPROVAL_DENY)
			return (struct approval_decision){ APPROVAL_DENY, last[i] };
	for (size_t i = 0; i < APPROVAL_LAYERS; i++)
		if (overrides(rules, (enum approval_layer)i, last[i], winner))
			winner = last[i];
	if (winner < 0)
		return (struct approval_decision){ APPROVAL_ASK, APPROVAL_NO_RULE };
	return (struct approval_decision){ rules.ptr[winner].action, winner };
}

struct approval_decision
approval_policy_decide(struct approval_rules rules, struct tool_ref tool, struct json arguments,
		       struct arena *a)
{
	struct approval_subjects subjects = approval_subjects_of(tool, arguments, a);
	struct called c = called_of(tool, a);
	struct approval_decision worst = decide_subject(rules, &c, &subjects.ptr[0]);

	for (size_t i = 1; i < subjects.count; i++) {
		struct approval_decision d = decide_subject(rules, &c, &subjects.ptr[i]);

		if (d.action > worst.action)
			worst = d;
	}
	return worst;
}

static const struct str MODES[] = {
	[APPROVAL_ALWAYS_ALLOW] = STR("always_allow"),
	[APPROVAL_ALWAYS_ASK] = STR("always_ask"),
	[APPROVAL_AUTO] = STR("auto"),
};

struct str
approval_mode_name(enum approval_mode mode)
{
	return MODES[mode];
}

bool
approval_mode_parse(struct str word, enum approval_mode *out)
{
	for (size_t i = 0; i < ARRAY_LEN(MODES); i++) {
		if (!str_eq(word, MODES[i]))
			continue;
		*out = (enum approval_mode)i;
		return true;
	}
	return false;
}

bool
approval_policy_mode_rule(enum approval_mode mode, struct tool_ref tool, struct approval_rule *out)
{
	if (mode == APPROVAL_AUTO)
		return false;
	*out = (struct approval_rule){
		.tool = tool.server.len > 0 ? tool.own_name : tool.name,
		.server = tool.server,
		.exact = true,
		.action = mode == APPROVAL_ALWAYS_ALLOW ? APPROVAL_ALLOW : APPROVAL_ASK,
		.layer = APPROVAL_AGENT,
	};
	return true;
}

enum approval_action
approval_policy_attend(const struct approval_settings *s, enum approval_action action,
		       bool interactive)
{
	return action == APPROVAL_ASK && !interactive ? s->unattended : action;
}

enum approval_action
approval_policy_expire(const struct approval_settings *s, int64_t asked_ms, int64_t now_ms)
{
	if (s->expire_after_ms == 0 || now_ms - asked_ms < s->expire_after_ms)
		return APPROVAL_ASK;
	return s->expired;
}

struct str
approval_policy_reason(struct approval_rules rules, struct approval_decision d, struct arena *a)
{
	const struct approval_rule *r = &rules.ptr[d.rule];

	return arena_printf(a, "a rule of %s (" STR_FMT "%s" STR_FMT "%s" STR_FMT ") denies it",
			    r->layer == APPROVAL_OPERATOR  ? "the operator"
			    : r->layer == APPROVAL_SESSION ? "the session"
							   : "the agent",
			    STR_ARG(r->server), r->server.len > 0 ? "__" : "", STR_ARG(r->tool),
			    r->pattern.ptr ? ": " : "", STR_ARG(r->pattern));
}

struct str
approval_policy_denial(struct str message, struct arena *a)
{
	message = str_trim(message);
	if (message.len == 0)
		return STR("This tool call was denied. It has not run.");
	return arena_printf(a, "This tool call was denied. It has not run. Reason given: " STR_FMT,
			    STR_ARG(message));
}
