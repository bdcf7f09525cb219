#include "core/session_source.h"

enum { KIND_MAX = 32 };

bool
session_source_is_interactive(struct str kind)
{
	return !str_eq(kind, STR("api")) && !str_eq(kind, STR("schedule"));
}

static bool
is_word(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'))
			return false;
	}
	return s.len > 0 && s.len <= KIND_MAX;
}

int
session_source_read(struct json v, struct arena *a, struct session_source *out, struct err *e)
{
	static const char *const TYPES[] = { "direct", "group" };
	struct json kind = { 0 }, interactive = { 0 }, platform = { 0 }, trigger_id = { 0 };
	struct json type = { 0 };
	const struct json_field fields[] = {
		{ "kind", JSON_WANT_STRING, true, &kind },
		{ "interactive", JSON_WANT_BOOL, false, &interactive },
		{ "platform", JSON_WANT_STRING | JSON_WANT_NULL, false, &platform },
		{ "trigger_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &trigger_id },
		{ "type", JSON_WANT_STRING, false, &type },
	};
	struct session_source s = { 0 };
	size_t type_at = 0;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_str(kind, a, &s.kind, e);
	if (rc == 0 && !is_word(s.kind))
		rc = json_fail(kind, e, "must be a word like cli, api, web, channel or schedule");
	s.interactive = session_source_is_interactive(s.kind);
	if (rc == 0)
		rc = json_take_bool(interactive, &s.interactive, e);
	if (rc == 0)
		rc = json_take_str(platform, a, &s.platform, e);
	if (rc == 0)
		rc = json_take_str(trigger_id, a, &s.trigger_id, e);
	if (rc == 0)
		rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &type_at, e);
	if (rc != 0)
		return rc;
	s.group = type_at == 1;
	*out = s;
	return 0;
}

void
session_source_write(const struct session_source *s, struct jw *out)
{
	jw_object(out);
	jw_field_str(out, "kind", s->kind);
	jw_field_bool(out, "interactive", s->interactive);
	if (s->platform.len > 0)
		jw_field_str(out, "platform", s->platform);
	if (s->trigger_id.len > 0)
		jw_field_str(out, "trigger_id", s->trigger_id);
	jw_field_str(out, "type", s->group ? STR("group") : STR("direct"));
	jw_end_object(out);
}
