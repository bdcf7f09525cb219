#include "core/approval_open.h"

#include "core/event.h"

static struct approval_verdict
settled(enum approval_action action, struct str why)
{
	return (struct approval_verdict){
		.action = action, .deny_message = action == APPROVAL_DENY ? why : (struct str){ 0 }
	};
}

/* The rules as they are now, what the agent's block said of the tool first. reason: of a deny. */
static enum approval_action
judge(const struct approval_open_facts *f, const struct approval_question *q, struct arena *a,
      struct str *reason)
{
	struct approval_rule *rules = ARENA_ARRAY(a, f->rules.count + 1, struct approval_rule);
	struct approval_rules all = { rules, 0 };
	struct approval_decision d;
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct json arguments = { 0 };

	all.count = approval_policy_mode_rule(q->policy, q->tool, &rules[0]) ? 1 : 0;
	for (size_t i = 0; i < f->rules.count; i++)
		rules[all.count++] = f->rules.ptr[i];
	if (json_parse(a, q->arguments, &EVENT_PAYLOAD_LIMITS, doc, NULL) == 0)
		arguments = json_root(doc);
	d = approval_policy_decide(all, q->tool, arguments, a);
	if (d.action == APPROVAL_DENY)
		*reason = approval_policy_reason(all, d, a);
	return d.action;
}

struct approval_verdict
approval_open_decide(const struct approval_open_facts *f, const struct approval_question *q,
		     struct arena *a)
{
	const struct approval_settings *s = &f->settings;
	struct str reason = { 0 };
	enum approval_action action = judge(f, q, a, &reason);

	if (action != APPROVAL_ASK)
		return settled(action, reason);
	action = approval_policy_attend(s, APPROVAL_ASK, f->interactive);
	if (action != APPROVAL_ASK)
		return settled(action, STR("nobody is there who could be asked"));
	action = approval_policy_expire(s, q->asked_ms, f->now_ms);
	if (action != APPROVAL_ASK)
		return settled(action, STR("nobody answered in time"));
	return (struct approval_verdict){
		.action = APPROVAL_ASK,
		.due_ms = s->expire_after_ms > 0 ? q->asked_ms + s->expire_after_ms : 0,
	};
}
