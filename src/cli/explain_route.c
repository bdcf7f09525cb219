/* explain_route - does this message run a turn, and with which prefix? */
#include "cli/explain.h"
#include "core/route_policy.h"

int
explain_route(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	static const char *const TYPES[] = { "direct", "group" };
	static const char *const ROLES[] = { "owner", "user", "guest" };
	static const enum role ROLE_OF[] = { ROLE_OWNER, ROLE_USER, ROLE_GUEST };
	struct json type = { 0 }, role = { 0 }, mentioned = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "sender_role", JSON_WANT_STRING, true, &role },
		{ "mentioned", JSON_WANT_BOOL | JSON_WANT_NULL, false, &mentioned },
	};
	struct route_facts f = { 0 };
	struct route_decision decision;
	size_t type_at = 0, role_at = 0;
	int rc = json_fields(facts, fields, ARRAY_LEN(fields), e);

	(void)a;
	if (rc == 0)
		rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &type_at, e);
	if (rc == 0)
		rc = json_take_word(role, ROLES, ARRAY_LEN(ROLES), &role_at, e);
	if (rc == 0)
		rc = json_take_bool(mentioned, &f.mentioned, e);
	if (rc != 0)
		return rc;
	f.in_room = type_at == 1;
	f.sender_role = ROLE_OF[role_at];
	decision = route_policy_decide(&f);
	jw_object(out);
	jw_field_bool(out, "trigger", decision.trigger);
	jw_field_opt(out, "prefix", decision.prefix);
	jw_end_object(out);
	return 0;
}
