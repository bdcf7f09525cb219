/* explain_cron - when does a cron expression fire next in a zone? */
#include "cli/explain.h"
#include "cli/explain_time.h"
#include "core/schedule_rule.h"
#include "core/zone.h"

enum { COUNT_MAX = 1000 };

static int
take_expression(struct json v, struct arena *a, struct schedule_rule *out, struct err *e)
{
	struct err why = { 0 };
	struct str text = { 0 };
	int rc = json_take_str(v, a, &text, e);

	if (rc == 0 && schedule_rule_cron(out, text, &why) != 0)
		return json_fail(v, e, "%s", why.text);
	return rc;
}

static void
write_answer(const struct schedule_rule *rule, const struct zone *zone, int64_t at_ms,
	     int64_t count, struct jw *out)
{
	jw_object(out);
	jw_field_array(out, "next");
	while (count-- > 0 && schedule_rule_next(rule, zone, at_ms, &at_ms))
		explain_put_instant(out, at_ms);
	jw_end_array(out);
	jw_end_object(out);
}

int
explain_cron(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	struct json expression = { 0 }, zone_v = { 0 }, after = { 0 }, count_v = { 0 };
	const struct json_field fields[] = {
		{ "expression", JSON_WANT_STRING, true, &expression },
		{ "zone", JSON_WANT_STRING, false, &zone_v },
		{ "after", JSON_WANT_STRING, true, &after },
		{ "count", JSON_WANT_NUMBER, false, &count_v },
	};
	struct schedule_rule rule;
	struct zone zone;
	int64_t after_ms = 0, count = 1;
	int rc = json_fields(facts, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = take_expression(expression, a, &rule, e);
	if (rc == 0)
		rc = explain_take_zone(zone_v, a, &zone, e);
	if (rc == 0)
		rc = explain_take_instant(after, a, &after_ms, e);
	if (rc == 0)
		rc = json_take_int(count_v, 1, COUNT_MAX, &count, e);
	if (rc != 0)
		return rc;
	write_answer(&rule, &zone, after_ms, count, out);
	return 0;
}
