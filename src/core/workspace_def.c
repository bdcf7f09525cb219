#include "core/workspace_def.h"

#include "base/utf8.h"

#define OBJECT_OR_NULL (JSON_WANT_OBJECT | JSON_WANT_NULL)

/* ---- what it is called ---- */

static int
check_id(struct json v, struct str id, struct err *e)
{
	if (id.len == 0 || id.len > WORKSPACE_ID_MAX)
		return json_fail(v, e, "must have 1 to %d bytes, not %zu", WORKSPACE_ID_MAX,
				 id.len);
	for (size_t i = 0; i < id.len; i++)
		if ((unsigned char)id.ptr[i] < 0x20 || id.ptr[i] == 0x7f || id.ptr[i] == '/')
			return json_fail(v, e, "has a control character or a slash at byte %zu", i);
	if (utf8_is_blank(id))
		return json_fail(v, e, "must not be blank");
	return 0;
}

int
workspace_def_id(struct json body, struct arena *a, struct str *id, struct err *e)
{
	struct json given = definition_find(body, "id");
	int rc;

	*id = (struct str){ 0 };
	if (!json_is_set(given))
		return 0;
	rc = json_take_str(given, a, id, e);
	return rc == 0 ? check_id(given, *id, e) : rc;
}

/* ---- when its sessions are reset ---- */

static int
take_number(struct json v, int64_t max, int *out, struct err *e)
{
	int64_t n = *out;
	int rc = json_is_set(v) ? json_take_int(v, 0, max, &n, e) : 0;

	if (rc == 0)
		*out = (int)n;
	return rc;
}

static int
take_reset(struct json v, struct json now, struct reset_settings *out, struct err *e)
{
	struct json notify = definition_given_or_kept(v, now, "notify");
	size_t mode = out->mode;
	int rc = json_take_word(definition_given_or_kept(v, now, "mode"), RESET_MODE_NAMES,
				ARRAY_LEN(RESET_MODE_NAMES), &mode, e);

	out->mode = (enum reset_mode)mode;
	if (rc == 0)
		rc = take_number(definition_given_or_kept(v, now, "at_hour"), 23, &out->at_hour, e);
	if (rc == 0)
		rc = take_number(definition_given_or_kept(v, now, "idle_minutes"),
				 RESET_IDLE_MINUTES_MAX, &out->idle_minutes, e);
	if (rc == 0 && json_is_set(notify))
		rc = json_take_bool(notify, &out->notify, e);
	return rc;
}

static int
write_reset(struct definition *d, struct json v, struct json now, struct err *e)
{
	const struct json_field fields[] = {
		{ "mode", JSON_WANT_STRING, !json_is_set(now), NULL },
		{ "at_hour", JSON_WANT_NUMBER, false, NULL },
		{ "idle_minutes", JSON_WANT_NUMBER, false, NULL },
		{ "notify", JSON_WANT_BOOL, false, NULL },
	};
	struct reset_settings s = RESET_SETTINGS_DEFAULT;
	int rc = json_is_set(v) ? json_fields(v, fields, ARRAY_LEN(fields), e) : 0;

	if (rc == 0)
		rc = take_reset(v, now, &s, e);
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	jw_field_str(&d->w, "mode", str_of(RESET_MODE_NAMES[s.mode]));
	jw_field_int(&d->w, "at_hour", s.at_hour);
	jw_field_int(&d->w, "idle_minutes", s.idle_minutes);
	jw_field_bool(&d->w, "notify", s.notify);
	jw_end_object(&d->w);
	return 0;
}

/* ---- the object ---- */

static bool
says(struct json v)
{
	return json_is_set(v) && json_type(v) != JSON_NULL;
}

static int
write_config(struct definition *d, struct json v, struct json now, struct err *e)
{
	const struct json_field fields[] = {
		{ "model", JSON_WANT_STRING | JSON_WANT_NULL, false, NULL },
		{ "session_reset", OBJECT_OR_NULL, false, NULL },
	};
	struct json model, reset = definition_find(v, "session_reset"), kept = { 0 };
	struct str name;
	int rc = 0;

	if (!says(v))
		now = v = (struct json){ 0 };
	else
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc != 0)
		return rc;
	model = definition_given_or_kept(v, now, "model");
	if (!json_is_set(reset) || says(reset))
		kept = definition_find(now, "session_reset");
	jw_object(&d->w);
	if (says(model)) {
		rc = definition_take_label(d, model, WORKSPACE_MODEL_MAX, &name, e);
		if (rc != 0)
			return rc;
		jw_field_str(&d->w, "model", name);
	}
	if (says(reset) || says(kept)) {
		jw_key(&d->w, STR("session_reset"));
		rc = write_reset(d, reset, kept, e);
	}
	if (rc == 0)
		jw_end_object(&d->w);
	return rc;
}

int
workspace_def_make(const struct definition_facts *f, struct json body, struct arena *a,
		   struct definition_text *out, struct err *e)
{
	static const struct definition_member MEMBERS[] = {
		{ "name", JSON_WANT_STRING, true, definition_write_name, NULL },
		{ "config", OBJECT_OR_NULL, false, write_config, NULL },
	};
	static const struct definition_kind WORKSPACE = {
		.type = "workspace",
		.named = true,
		.members = MEMBERS,
		.count = ARRAY_LEN(MEMBERS),
	};

	return definition_make(&WORKSPACE, f, body, a, out, e);
}

void
workspace_def_read(struct json current, struct arena *a, struct workspace_settings *out)
{
	struct json config = definition_find(current, "config");
	struct json model = definition_find(config, "model");
	struct json reset = definition_find(config, "session_reset");

	*out = (struct workspace_settings){ .reset = RESET_SETTINGS_DEFAULT };
	if (json_type(model) == JSON_STRING)
		out->model = arena_str(a, json_str(model, a));
	if (json_type(reset) == JSON_OBJECT)
		out->resets = take_reset(reset, (struct json){ 0 }, &out->reset, NULL) == 0;
}
