#include "core/user_def.h"

static int
write_role(struct definition *d, struct json v, struct json now, struct err *e)
{
	static const char *const ROLES[] = { "guest", "user", "owner" };
	size_t at = 1;
	int rc = json_take_word(v, ROLES, ARRAY_LEN(ROLES), &at, e);

	(void)now;
	if (rc == 0)
		jw_str(&d->w, str_of(ROLES[at]));
	return rc;
}

int
user_def_make(const struct definition_facts *f, struct json body, struct arena *a,
	      struct definition_text *out, struct err *e)
{
	static const struct definition_member MEMBERS[] = {
		{ "name", JSON_WANT_STRING, true, definition_write_name, NULL },
		{ "role", JSON_WANT_STRING | JSON_WANT_NULL, false, write_role, NULL },
	};
	static const struct definition_kind USER = {
		.type = "user",
		.members = MEMBERS,
		.count = ARRAY_LEN(MEMBERS),
	};

	return definition_make(&USER, f, body, a, out, e);
}

enum role
user_def_role(struct json current)
{
	struct json role = definition_find(current, "role");

	for (int at = ROLE_GUEST; at <= ROLE_OWNER; at++)
		if (json_str_eq(role, str_of(role_name((enum role)at))))
			return (enum role)at;
	return ROLE_NONE;
}
