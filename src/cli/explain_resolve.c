/* explain_resolve - a message arrives for a lane: create, continue, resume or roll over? */
#include "cli/explain.h"
#include "cli/explain_time.h"
#include "core/resolve_policy.h"
#include "core/zone.h"

/* A lane's entry. Only two of its fields bear on the decision (a flag left out is false); the others
 * are checked for their type and left alone, so that an exported entry can be pasted as it is. */
enum { TEXT = JSON_WANT_STRING | JSON_WANT_NULL, COUNT = JSON_WANT_NUMBER, FLAG = JSON_WANT_BOOL };

static int
take_entry(struct json v, struct resolve_facts *f, struct err *e)
{
	struct json suspended = { 0 }, resume_pending = { 0 }, other = { 0 };
	const struct json_field fields[] = {
		{ "suspended", FLAG, false, &suspended },
		{ "resume_pending", FLAG, false, &resume_pending },
		{ "session_key", JSON_WANT_STRING, false, &other },
		{ "session_id", JSON_WANT_STRING, false, &other },
		{ "created_at", TEXT, false, &other },
		{ "updated_at", TEXT, false, &other },
		{ "origin", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &other },
		{ "display_name", TEXT, false, &other },
		{ "platform", TEXT, false, &other },
		{ "chat_type", TEXT, false, &other },
		{ "input_tokens", COUNT, false, &other },
		{ "output_tokens", COUNT, false, &other },
		{ "cache_read_tokens", COUNT, false, &other },
		{ "cache_write_tokens", COUNT, false, &other },
		{ "total_tokens", COUNT, false, &other },
		{ "estimated_cost_usd", COUNT, false, &other },
		{ "cost_status", TEXT, false, &other },
		{ "last_prompt_tokens", COUNT, false, &other },
		{ "was_auto_reset", FLAG, false, &other },
		{ "auto_reset_reason", TEXT, false, &other },
		{ "reset_had_activity", FLAG, false, &other },
		{ "is_fresh_reset", FLAG, false, &other },
		{ "expiry_finalized", FLAG, false, &other },
		{ "resume_reason", TEXT, false, &other },
		{ "last_resume_marked_at", TEXT, false, &other },
	};
	int rc;

	f->has_entry = json_is_set(v);
	if (!f->has_entry)
		return 0;
	rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = json_take_bool(suspended, &f->suspended, e);
	if (rc == 0)
		rc = json_take_bool(resume_pending, &f->resume_pending, e);
	return rc;
}

/* The policy is asked only when nothing stronger decides; only then must its facts be there. */
static int
require_reset_facts(const struct resolve_facts *f, const struct reset_policy *policy,
		    struct json now, struct json updated_at, struct err *e)
{
	bool asked = f->has_entry && !f->force_new && !f->suspended && !f->resume_pending &&
		     !f->reset.work_open && (policy->idle_ms > 0 || policy->daily_hour >= 0);

	if (asked && !json_is_set(now))
		return err_set(e, ERR_INVALID, "now: required for this reset policy");
	if (asked && !json_is_set(updated_at))
		return err_set(e, ERR_INVALID, "updated_at: required for this reset policy");
	return 0;
}

static void
write_answer(const struct resolve_plan *plan, struct jw *out)
{
	jw_object(out);
	jw_field_str(out, "action", resolve_action_name(plan->action));
	jw_field_str(out, "reason", resolve_reason_name(plan->reason));
	jw_end_object(out);
}

int
explain_resolve(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	struct json entry = { 0 }, force_new = { 0 }, policy_v = { 0 }, now = { 0 },
		    updated_at = { 0 }, zone_v = { 0 }, work_open = { 0 };
	const struct json_field fields[] = {
		{ "entry", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &entry },
		{ "force_new", JSON_WANT_BOOL, false, &force_new },
		{ "policy", JSON_WANT_OBJECT, false, &policy_v },
		{ "now", JSON_WANT_STRING, false, &now },
		{ "updated_at", JSON_WANT_STRING, false, &updated_at },
		{ "zone", JSON_WANT_STRING, false, &zone_v },
		{ "work_open", JSON_WANT_BOOL, false, &work_open },
	};
	struct resolve_facts f = { 0 };
	struct reset_policy policy;
	struct resolve_plan plan;
	struct zone zone;
	int rc = json_fields(facts, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = take_entry(entry, &f, e);
	if (rc == 0)
		rc = json_take_bool(force_new, &f.force_new, e);
	if (rc == 0)
		rc = explain_take_policy(policy_v, &policy, e);
	if (rc == 0)
		rc = explain_take_instant(now, a, &f.reset.now_ms, e);
	if (rc == 0)
		rc = explain_take_instant(updated_at, a, &f.reset.last_active_ms, e);
	if (rc == 0)
		rc = explain_take_zone(zone_v, a, &zone, e);
	if (rc == 0)
		rc = json_take_bool(work_open, &f.reset.work_open, e);
	if (rc == 0)
		rc = require_reset_facts(&f, &policy, now, updated_at, e);
	if (rc != 0)
		return rc;
	if (policy.daily_hour >= 0)
		f.reset.boundary_ms = zone_last_hour(&zone, policy.daily_hour, f.reset.now_ms);
	plan = resolve_policy_decide(&policy, &f);
	write_answer(&plan, out);
	return 0;
}
