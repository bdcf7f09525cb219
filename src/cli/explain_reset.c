/* explain_reset - does the next message continue this session or open a new one? */
#include "cli/explain.h"
#include "cli/explain_time.h"
#include "core/reset_policy.h"
#include "core/zone.h"

static void
write_answer(const struct reset_policy *policy, const struct reset_facts *f, struct jw *out)
{
	jw_object(out);
	jw_field_opt(out, "reset", reset_reason_name(reset_policy_decide(policy, f)));
	jw_key(out, STR("boundary"));
	if (policy->daily_hour >= 0)
		explain_put_instant(out, f->boundary_ms);
	else
		jw_null(out);
	jw_end_object(out);
}

int
explain_reset(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	struct json policy_v = { 0 }, now = { 0 }, updated_at = { 0 }, zone_v = { 0 },
		    work_open = { 0 };
	const struct json_field fields[] = {
		{ "policy", JSON_WANT_OBJECT, true, &policy_v },
		{ "now", JSON_WANT_STRING, true, &now },
		{ "updated_at", JSON_WANT_STRING, true, &updated_at },
		{ "zone", JSON_WANT_STRING, false, &zone_v },
		{ "work_open", JSON_WANT_BOOL, false, &work_open },
	};
	struct reset_policy policy;
	struct reset_facts f = { 0 };
	struct zone zone;
	int rc = json_fields(facts, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = explain_take_policy(policy_v, &policy, e);
	if (rc == 0)
		rc = explain_take_instant(now, a, &f.now_ms, e);
	if (rc == 0)
		rc = explain_take_instant(updated_at, a, &f.last_active_ms, e);
	if (rc == 0)
		rc = explain_take_zone(zone_v, a, &zone, e);
	if (rc == 0)
		rc = json_take_bool(work_open, &f.work_open, e);
	if (rc != 0)
		return rc;
	if (policy.daily_hour >= 0)
		f.boundary_ms = zone_last_hour(&zone, policy.daily_hour, f.now_ms);
	write_answer(&policy, &f, out);
	return 0;
}
