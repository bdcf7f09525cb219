#include "core/schedule_def.h"

#include "base/timestamp.h"
#include "core/metadata.h"

enum {
	NAME_MAX_CHARS = 200,
	EXPRESSION_MAX = 256,
	OBJECT_OR_NULL = JSON_WANT_OBJECT | JSON_WANT_NULL
};
static const int64_t TIMEOUT_DEFAULT_MS = INT64_C(3600000), GRACE_MS = 60000;
static const int64_t INTERVAL_MAX_MS = 366 * INT64_C(86400000);

static const char *const RULES[] = {
	[SCHEDULE_CRON] = "cron",
	[SCHEDULE_AT] = "at",
	[SCHEDULE_EVERY] = "every",
};
static const char *const MISSED[] = {
	[SCHEDULE_MISSED_SKIP] = "skip",
	[SCHEDULE_MISSED_LATEST] = "latest",
	[SCHEDULE_MISSED_ALL] = "all",
};
static const char *const DELIVERIES[] = {
	[SCHEDULE_DELIVER_SILENT] = "silent", [SCHEDULE_DELIVER_SESSION] = "session",
	[SCHEDULE_DELIVER_ORIGIN] = "origin", [SCHEDULE_DELIVER_HOME] = "home",
	[SCHEDULE_DELIVER_TARGET] = "target",
};

const char *
schedule_delivery_name(enum schedule_delivery_kind kind)
{
	return DELIVERIES[kind];
}

/* What members need to know. */
struct surroundings {
	int64_t now_ms;
	struct str environment; /* of one that names none */
};

/* ---- plain members ---- */

/* An id that never changes: the session of the runs is bound to it. */
static int
write_fixed(struct definition *d, struct json v, struct json now, struct str usual, struct err *e)
{
	struct str id = usual;
	int rc = json_is_set(v) ? definition_take_label(d, v, NAME_MAX_CHARS, &id, e) : 0;

	if (rc == 0 && json_is_set(now) && !json_str_eq(now, id)) {
		struct buf path;

		buf_init(&path, ERR_TEXT_MAX);
		json_path(now, &path);
		rc = err_set(e, ERR_CONFLICT,
			     STR_FMT ": stays what it was, because the runs share a session: make "
				     "another schedule",
			     STR_ARG(buf_str(&path)));
		buf_release(&path);
	}
	if (rc == 0)
		jw_str(&d->w, id);
	return rc;
}

static int
write_agent(struct definition *d, struct json v, struct json now, struct err *e)
{
	return write_fixed(d, v, now, STR("main"), e);
}

static int
write_environment(struct definition *d, struct json v, struct json now, struct err *e)
{
	const struct surroundings *around = d->facts;

	return write_fixed(d, v, now, around->environment, e);
}

static int
write_prompt(struct definition *d, struct json v, struct json now, struct err *e)
{
	(void)now;
	return definition_write_text(d, v, 1, SCHEDULE_PROMPT_MAX, e);
}

static int
write_timeout(struct definition *d, struct json v, struct json now, struct err *e)
{
	int64_t ms = TIMEOUT_DEFAULT_MS;
	int rc = json_take_int(v, SCHEDULE_TIMEOUT_MIN_MS, SCHEDULE_TIMEOUT_MAX_MS, &ms, e);

	(void)now;
	if (rc == 0)
		jw_int(&d->w, ms);
	return rc;
}

static int
write_enabled(struct definition *d, struct json v, struct json now, struct err *e)
{
	bool on = true;
	int rc = json_take_bool(v, &on, e);

	(void)now;
	if (rc == 0)
		jw_bool(&d->w, on);
	return rc;
}

static int
write_metadata(struct definition *d, struct json v, struct json now, struct err *e)
{
	return metadata_merge(json_is_set(v) ? now : (struct json){ 0 }, v, d->a, &d->w, e);
}

/* ---- the rule ---- */

static void
field_instant(struct jw *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	jw_field_str(w, name, timestamp_format(ms, text));
}

static int
take_instant(struct json v, struct arena *a, int64_t *out_ms, struct err *e)
{
	struct str text = { 0 };
	int rc = json_take_str(v, a, &text, e);

	if (rc != 0 || !json_is_set(v))
		return rc;
	if (!timestamp_parse(text, out_ms))
		return json_fail(v, e, "must be an instant like 2026-03-29T09:00:00Z");
	return 0;
}

static int
write_cron(struct definition *d, struct json v, struct err *e)
{
	struct json type, expression = { 0 }, zone = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "expression", JSON_WANT_STRING, true, &expression },
		{ "time_zone", JSON_WANT_STRING | JSON_WANT_NULL, false, &zone },
	};
	struct str text, name = STR("UTC");
	struct cron parsed;
	struct err why = { 0 };
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = definition_take_label(d, expression, EXPRESSION_MAX, &text, e);
	if (rc == 0 && cron_parse(text, &parsed, &why) != 0)
		rc = json_fail(expression, e, "%s", why.text);
	if (rc == 0 && json_is_set(zone))
		rc = definition_take_label(d, zone, NAME_MAX_CHARS, &name, e);
	if (rc != 0)
		return rc;
	jw_field_str(&d->w, "expression", text);
	jw_field_str(&d->w, "time_zone", name);
	return 0;
}

static int
write_at(struct definition *d, struct json v, struct err *e)
{
	struct json type, at = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "at", JSON_WANT_STRING, true, &at },
	};
	int64_t at_ms = 0;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = take_instant(at, d->a, &at_ms, e);
	if (rc == 0)
		field_instant(&d->w, "at", at_ms);
	return rc;
}

/* The same interval again, without a word about its beginning, goes on as it was. */
static bool
is_same_every(struct json v, struct json now)
{
	int64_t asked = 0, kept = 0;

	return json_str_eq(definition_find(now, "type"), STR("every")) &&
	       json_type(definition_find(v, "first_at")) == JSON_NULL &&
	       json_int(definition_find(v, "every_ms"), &asked) &&
	       json_int(definition_find(now, "every_ms"), &kept) && asked == kept;
}

/* The first slot is an interval away unless the body says when; its value is kept, so that later
 * slots do not move when something else changes. */
static int
write_every(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct json type, every = { 0 }, first = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "every_ms", JSON_WANT_NUMBER, true, &every },
		{ "first_at", JSON_WANT_STRING | JSON_WANT_NULL, false, &first },
	};
	const struct surroundings *around = d->facts;
	int64_t every_ms = 0, first_ms;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_int(every, SCHEDULE_INTERVAL_MIN_MS, INTERVAL_MAX_MS, &every_ms, e);
	first_ms = around->now_ms + every_ms;
	if (rc == 0)
		rc = take_instant(is_same_every(v, now) ? definition_find(now, "first_at") : first,
				  d->a, &first_ms, e);
	if (rc != 0)
		return rc;
	jw_field_int(&d->w, "every_ms", every_ms);
	field_instant(&d->w, "first_at", first_ms);
	return 0;
}

static int
write_rule(struct definition *d, struct json v, struct json now, struct err *e)
{
	size_t kind = 0;
	int rc;

	if (!json_is_set(v)) /* only where a stored one lost it */
		return err_set(e, ERR_INVALID, "rule: is required");
	if (!json_is_set(definition_find(v, "type")))
		return json_fail(v, e, "needs a type: cron, at or every");
	rc = json_take_word(definition_find(v, "type"), RULES, ARRAY_LEN(RULES), &kind, e);
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	jw_field_str(&d->w, "type", str_of(RULES[kind]));
	switch ((enum schedule_kind)kind) {
	case SCHEDULE_CRON: rc = write_cron(d, v, e); break;
	case SCHEDULE_AT: rc = write_at(d, v, e); break;
	case SCHEDULE_EVERY: rc = write_every(d, v, now, e); break;
	}
	if (rc == 0)
		jw_end_object(&d->w);
	return rc;
}

/* ---- missed slots ---- */

static int
write_missed(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct json type = { 0 }, limit = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "limit", JSON_WANT_NUMBER, true, &limit },
	};
	bool all = json_str_eq(definition_find(v, "type"), STR("all"));
	size_t policy = SCHEDULE_MISSED_LATEST;
	int64_t count = 0;
	int rc = 0;

	(void)now;
	if (json_is_set(v))
		rc = json_fields(v, fields, all ? 2 : 1, e);
	if (rc == 0)
		rc = json_take_word(type, MISSED, ARRAY_LEN(MISSED), &policy, e);
	if (rc == 0)
		rc = json_take_int(limit, 1, SCHEDULE_CATCH_UP_MAX, &count, e);
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	jw_field_str(&d->w, "type", str_of(MISSED[policy]));
	if (all)
		jw_field_int(&d->w, "limit", count);
	jw_end_object(&d->w);
	return 0;
}

/* ---- where to ---- */

static int
field_label(struct definition *d, const char *name, struct json v, struct err *e)
{
	struct str text;
	int rc;

	if (!json_is_set(v)) {
		jw_field_null(&d->w, name);
		return 0;
	}
	rc = definition_take_label(d, v, NAME_MAX_CHARS, &text, e);
	if (rc == 0)
		jw_field_str(&d->w, name, text);
	return rc;
}

/* A chat somewhere; typed: not an origin. The object is open. */
static int
write_chat(struct definition *d, struct json v, bool typed, struct err *e)
{
	struct json platform = { 0 }, chat = { 0 }, thread = { 0 };
	const struct json_field fields[] = {
		{ "platform", JSON_WANT_STRING, true, &platform },
		{ "chat_id", JSON_WANT_STRING, true, &chat },
		{ "thread_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &thread },
		{ "type", JSON_WANT_STRING, true, NULL },
	};
	int rc = json_fields(v, fields, typed ? 4 : 3, e);

	if (rc == 0)
		rc = field_label(d, "platform", platform, e);
	if (rc == 0)
		rc = field_label(d, "chat_id", chat, e);
	return rc == 0 ? field_label(d, "thread_id", thread, e) : rc;
}

/* {"type", name}; name NULL: nothing else. */
static int
write_single(struct definition *d, struct json v, const char *name, struct err *e)
{
	struct json value = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, NULL },
		{ name, JSON_WANT_STRING, true, &value },
	};
	int rc = json_is_set(v) ? json_fields(v, fields, name ? 2 : 1, e) : 0;

	return rc == 0 && name ? field_label(d, name, value, e) : rc;
}

static int
write_delivery(struct definition *d, struct json v, struct json now, struct err *e)
{
	size_t kind = SCHEDULE_DELIVER_ORIGIN;
	int rc = 0;

	(void)now;
	if (json_is_set(v) && !json_is_set(definition_find(v, "type")))
		return json_fail(v, e, "needs a type: silent, session, origin, home or target");
	rc = json_take_word(definition_find(v, "type"), DELIVERIES, ARRAY_LEN(DELIVERIES), &kind,
			    e);
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	jw_field_str(&d->w, "type", str_of(DELIVERIES[kind]));
	switch ((enum schedule_delivery_kind)kind) {
	case SCHEDULE_DELIVER_SILENT:
	case SCHEDULE_DELIVER_ORIGIN: rc = write_single(d, v, NULL, e); break;
	case SCHEDULE_DELIVER_SESSION: rc = write_single(d, v, "session_id", e); break;
	case SCHEDULE_DELIVER_HOME: rc = write_single(d, v, "platform", e); break;
	case SCHEDULE_DELIVER_TARGET: rc = write_chat(d, v, true, e); break;
	}
	if (rc == 0)
		jw_end_object(&d->w);
	return rc;
}

static int
write_origin(struct definition *d, struct json v, struct json now, struct err *e)
{
	int rc;

	(void)now;
	if (!json_is_set(v)) {
		jw_null(&d->w);
		return 0;
	}
	jw_object(&d->w);
	rc = write_chat(d, v, false, e);
	if (rc == 0)
		jw_end_object(&d->w);
	return rc;
}

/* ---- the object ---- */

int
schedule_def_make(const struct definition_facts *f, struct json body, struct arena *a,
		  struct definition_text *out, struct err *e)
{
	static const struct definition_member MEMBERS[] = {
		{ "name", JSON_WANT_STRING, true, definition_write_name, NULL },
		{ "agent_id", JSON_WANT_STRING | JSON_WANT_NULL, false, write_agent, NULL },
		{ "environment_id", JSON_WANT_STRING | JSON_WANT_NULL, false, write_environment,
		  NULL },
		{ "prompt", JSON_WANT_STRING, true, write_prompt, NULL },
		{ "rule", JSON_WANT_OBJECT, true, write_rule, NULL },
		{ "missed", OBJECT_OR_NULL, false, write_missed, NULL },
		{ "timeout_ms", JSON_WANT_NUMBER | JSON_WANT_NULL, false, write_timeout, NULL },
		{ "delivery", OBJECT_OR_NULL, false, write_delivery, NULL },
		{ "origin", OBJECT_OR_NULL, false, write_origin, NULL },
		{ "enabled", JSON_WANT_BOOL | JSON_WANT_NULL, false, write_enabled, NULL },
		{ "metadata", OBJECT_OR_NULL, false, write_metadata, NULL },
	};
	static const struct definition_kind SCHEDULE = {
		.type = "schedule",
		.members = MEMBERS,
		.count = ARRAY_LEN(MEMBERS),
	};
	const struct str *environment = f->facts;
	const struct surroundings around = {
		.now_ms = f->now_ms,
		.environment = environment ? *environment : STR("local-default"),
	};
	struct definition_facts facts = *f;

	facts.facts = &around;
	return definition_make(&SCHEDULE, &facts, body, a, out, e);
}

/* ---- reading ---- */

static struct str
text_of(struct json v, const char *name, struct arena *a)
{
	return json_str(definition_find(v, name), a);
}

static size_t
word_of(struct json v, const char *const *words, size_t count, size_t usual)
{
	struct json type = definition_find(v, "type");

	for (size_t i = 0; i < count; i++)
		if (json_str_eq(type, str_of(words[i])))
			return i;
	return usual;
}

static bool
read_rule(struct json v, struct arena *a, struct schedule_def *out)
{
	int64_t every_ms = 0, at_ms = 0;

	switch ((enum schedule_kind)word_of(v, RULES, ARRAY_LEN(RULES), SCHEDULE_CRON)) {
	case SCHEDULE_CRON:
		out->time_zone = text_of(v, "time_zone", a);
		return schedule_rule_cron(&out->rule, text_of(v, "expression", a), NULL) == 0;
	case SCHEDULE_AT:
		if (!timestamp_parse(text_of(v, "at", a), &at_ms))
			return false;
		out->rule = schedule_rule_at(at_ms);
		return true;
	case SCHEDULE_EVERY:
		return json_int(definition_find(v, "every_ms"), &every_ms) &&
		       timestamp_parse(text_of(v, "first_at", a), &at_ms) &&
		       schedule_rule_every(&out->rule, every_ms, at_ms, NULL) == 0;
	}
	return false;
}

static struct schedule_catch_up
read_missed(struct json v)
{
	int64_t limit = 1;

	IGNORE(json_int(definition_find(v, "limit"), &limit)); /* of all alone */
	return (struct schedule_catch_up){
		.policy = (enum schedule_missed)word_of(v, MISSED, ARRAY_LEN(MISSED),
							SCHEDULE_MISSED_LATEST),
		.limit = (size_t)limit,
		.grace_ms = GRACE_MS,
	};
}

static struct schedule_delivery
read_delivery(struct json v, struct json origin, struct arena *a)
{
	struct schedule_delivery d = {
		.kind = (enum schedule_delivery_kind)word_of(v, DELIVERIES, ARRAY_LEN(DELIVERIES),
							     SCHEDULE_DELIVER_SILENT),
		.session_id = text_of(v, "session_id", a),
	};
	struct json chat = d.kind == SCHEDULE_DELIVER_ORIGIN ? origin : v;

	if (d.kind == SCHEDULE_DELIVER_ORIGIN && json_type(origin) != JSON_OBJECT)
		d.kind = SCHEDULE_DELIVER_SILENT;
	d.platform = text_of(chat, "platform", a);
	d.chat_id = text_of(chat, "chat_id", a);
	return d;
}

int
schedule_def_read(struct json v, struct arena *a, struct schedule_def *out, struct err *e)
{
	struct schedule_def def = {
		.id = text_of(v, "id", a),
		.name = text_of(v, "name", a),
		.agent_id = text_of(v, "agent_id", a),
		.environment_id = text_of(v, "environment_id", a),
		.prompt = text_of(v, "prompt", a),
		.missed = read_missed(definition_find(v, "missed")),
		.timeout_ms = TIMEOUT_DEFAULT_MS,
		.delivery = read_delivery(definition_find(v, "delivery"),
					  definition_find(v, "origin"), a),
		.enabled = json_type(definition_find(v, "enabled")) == JSON_TRUE,
	};

	IGNORE(json_int(definition_find(v, "timeout_ms"), &def.timeout_ms)); /* or the usual */
	if (def.id.len == 0 || def.agent_id.len == 0 ||
	    !read_rule(definition_find(v, "rule"), a, &def))
		return err_set(e, ERR_CORRUPT, "a stored schedule without id, agent or rule");
	*out = def;
	return 0;
}
