/* explain_redact - how would these ids read in the text the model sees? */
#include "cli/explain.h"
#include "core/redact.h"

static void
put_id(struct jw *out, const char *name, struct str id, void (*hide)(struct str, struct buf *))
{
	struct buf shown;

	if (id.len == 0) {
		jw_field_null(out, name);
		return;
	}
	buf_init(&shown, id.len + 64);
	if (hide)
		hide(id, &shown);
	else
		buf_put_str(&shown, id);
	jw_field_str(out, name, buf_str(&shown));
	buf_release(&shown);
}

int
explain_redact(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	struct json platform_v = { 0 }, user_v = { 0 }, chat_v = { 0 }, enabled_v = { 0 },
		    safe_v = { 0 };
	const struct json_field fields[] = {
		{ "platform", JSON_WANT_STRING, true, &platform_v },
		{ "user_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &user_v },
		{ "chat_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &chat_v },
		{ "enabled", JSON_WANT_BOOL, true, &enabled_v },
		{ "pii_safe", JSON_WANT_BOOL, false, &safe_v },
	};
	struct str platform = { 0 }, user = { 0 }, chat = { 0 };
	bool enabled = false, pii_safe = false, hide;
	int rc = json_fields(facts, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_str(platform_v, a, &platform, e);
	if (rc == 0 && platform.len == 0)
		rc = json_fail(platform_v, e, "must not be empty");
	if (rc == 0)
		rc = json_take_str(user_v, a, &user, e);
	if (rc == 0)
		rc = json_take_str(chat_v, a, &chat, e);
	if (rc == 0)
		rc = json_take_bool(enabled_v, &enabled, e);
	if (rc == 0)
		rc = json_take_bool(safe_v, &pii_safe, e);
	if (rc != 0)
		return rc;
	hide = redact_applies(platform, enabled, pii_safe);
	jw_object(out);
	put_id(out, "user", user, hide ? redact_user_id : NULL);
	put_id(out, "chat", chat, hide ? redact_chat_id : NULL);
	jw_end_object(out);
	return 0;
}
