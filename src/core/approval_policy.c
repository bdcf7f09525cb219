#include "core/approval_policy.h"
#include "core/approval_subject.h"
#include "core/wildcard.h"

static bool
any_matches(struct str pattern, const struct str *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (wildcard_match(pattern, texts[i]))
			return true;
	return false;
}

static bool
tool_matches(const struct approval_rule *r, struct tool_ref tool, const struct approval_subject *s)
{
	if (r->server.len > 0)
		return str_eq(r->server, tool.server) && str_eq(r->tool, tool.own_name);
	if (r->layer == APPROVAL_SESSION && r->action == APPROVAL_ALLOW && tool.server.len > 0)
		return false;
	return wildcard_match(r->tool, tool.name) ||
	       (s->reads_file && str_eq(r->tool, STR("read"))) ||
	       (s->writes_file && str_eq(r->tool, STR("write")));
}

static bool
rule_matches(const struct approval_rule *r, struct tool_ref tool, const struct approval_subject *s)
{
	if (!tool_matches(r, tool, s))
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

static struct approval_decision
decide_subject(struct approval_rules rules, struct tool_ref tool, const struct approval_subject *s)
{
	int64_t last[APPROVAL_LAYERS] = { APPROVAL_NO_RULE, APPROVAL_NO_RULE, APPROVAL_NO_RULE };
	int64_t agent, winner = APPROVAL_NO_RULE;

	for (size_t i = 0; i < rules.count; i++)
		if (rule_matches(&rules.ptr[i], tool, s))
			last[rules.ptr[i].layer] = (int64_t)i;
	agent = last[APPROVAL_AGENT];
	if (agent >= 0 && rules.ptr[agent].action == APPROVAL_DENY)
		return (struct approval_decision){ APPROVAL_DENY, agent };
	for (size_t layer = 0; layer < APPROVAL_LAYERS; layer++)
		if (last[layer] >= 0)
			winner = last[layer];
	if (winner < 0)
		return (struct approval_decision){ APPROVAL_ASK, APPROVAL_NO_RULE };
	return (struct approval_decision){ rules.ptr[winner].action, winner };
}

struct approval_decision
approval_policy_decide(struct approval_rules rules, struct tool_ref tool, struct json arguments,
		       struct arena *a)
{
	struct approval_subjects subjects = approval_subjects_of(tool.name, arguments, a);
	struct approval_decision worst = decide_subject(rules, tool, &subjects.ptr[0]);

	for (size_t i = 1; i < subjects.count; i++) {
		struct approval_decision d = decide_subject(rules, tool, &subjects.ptr[i]);

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
approval_policy_mode_rule(enum approval_mode mode, struct str tool, struct approval_rule *out)
{
	if (mode == APPROVAL_AUTO)
		return false;
	*out = (struct approval_rule){
		.tool = tool,
		.action = mode == APPROVAL_ALWAYS_ALLOW ? APPROVAL_ALLOW : APPROVAL_ASK,
		.layer = APPROVAL_AGENT,
	};
	return true;
}

struct approval_settings
approval_settings_default(void)
{
	return (struct approval_settings){ .unattended = APPROVAL_DENY, .expired = APPROVAL_DENY };
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
approval_policy_denial(struct str message, struct arena *a)
{
	message = str_trim(message);
	if (message.len == 0)
		return STR("This tool call was denied. It has not run.");
	return arena_printf(a, "This tool call was denied. It has not run. Reason given: " STR_FMT,
			    STR_ARG(message));
}
