#include "cli/explain_time.h"

#include "base/file.h"
#include "base/timestamp.h"

int
explain_take_instant(struct json v, struct arena *a, int64_t *out_ms, struct err *e)
{
	struct str text = { 0 };
	int rc = json_take_str(v, a, &text, e);

	if (rc != 0 || !json_is_set(v))
		return rc;
	if (!timestamp_parse(text, out_ms))
		return json_fail(v, e, "'" STR_FMT "' is not an instant like 2026-03-29T01:00:00Z",
				 STR_ARG(str_slice(text, 0, 40)));
	return 0;
}

int
explain_take_zone(struct json v, struct arena *a, struct zone *out, struct err *e)
{
	struct str name = STR("UTC"), tzif;
	struct err why = { 0 };
	int rc = json_take_str(v, a, &name, e);

	if (rc != 0)
		return rc;
	if (str_eq(name, STR("UTC"))) { /* needs no rules, so none need be installed */
		*out = ZONE_UTC;
		return 0;
	}
	rc = file_read_zoneinfo(name, a, &tzif, &why);
	if (rc == 0)
		rc = zone_parse(tzif, a, out, &why);
	return rc == 0 ? 0 : json_fail(v, e, "%s", why.text);
}

int
explain_take_policy(struct json v, struct reset_policy *out, struct err *e)
{
	struct json mode = { 0 }, at_hour = { 0 }, idle_minutes = { 0 };
	const struct json_field fields[] = {
		{ "mode", JSON_WANT_STRING, true, &mode },
		{ "at_hour", JSON_WANT_NUMBER, false, &at_hour },
		{ "idle_minutes", JSON_WANT_NUMBER, false, &idle_minutes },
	};
	struct reset_settings settings = RESET_SETTINGS_DEFAULT;
	int64_t hour = settings.at_hour, minutes = settings.idle_minutes;
	size_t mode_at = settings.mode;
	int rc = 0;

	if (json_is_set(v)) {
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
		if (rc == 0)
			rc = json_take_word(mode, RESET_MODE_NAMES, ARRAY_LEN(RESET_MODE_NAMES),
					    &mode_at, e);
		if (rc == 0)
			rc = json_take_int(at_hour, 0, 23, &hour, e);
		if (rc == 0)
			rc = json_take_int(idle_minutes, 0, RESET_IDLE_MINUTES_MAX, &minutes, e);
	}
	if (rc != 0)
		return rc;
	settings.mode = (enum reset_mode)mode_at;
	settings.at_hour = (int)hour;
	settings.idle_minutes = (int)minutes;
	return reset_policy_init(out, &settings, e);
}

void
explain_put_instant(struct jw *out, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	jw_str(out, timestamp_format(ms, text));
}
