#include "core/agent_def.h"

#include "core/agent_rules.h"
#include "core/agent_tools.h"
#include "core/mcp_servers.h"
#include "core/metadata.h"

static int
write_description(struct definition *d, struct json v, struct json now, struct err *e)
{
	(void)now;
	return definition_write_text(d, v, 0, AGENT_DESCRIPTION_MAX, e);
}

static int
write_system(struct definition *d, struct json v, struct json now, struct err *e)
{
	(void)now;
	return definition_write_text(d, v, 0, AGENT_SYSTEM_MAX, e);
}

static int
write_servers(struct definition *d, struct json v, struct json now, struct err *e)
{
	(void)now;
	return mcp_servers_write(d, v, false, e);
}

static int
write_metadata(struct definition *d, struct json v, struct json now, struct err *e)
{
	return metadata_merge(json_is_set(v) ? now : (struct json){ 0 }, v, d->a, &d->w, e);
}

/* ---- model ---- */

/* A bare level, or an object with its type. */
static int
write_effort(struct definition *d, struct json v, struct err *e)
{
	static const char *const LEVELS[] = { "low", "medium", "high", "xhigh", "max" };
	struct json type = v;
	const struct json_field fields[] = { { "type", JSON_WANT_STRING, true, &type } };
	size_t level;
	int rc = 0;

	if (!json_is_set(v))
		return 0;
	if (json_type(v) == JSON_OBJECT)
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = json_take_word(type, LEVELS, ARRAY_LEN(LEVELS), &level, e);
	if (rc != 0)
		return rc;
	jw_field_object(&d->w, "effort");
	jw_field_str(&d->w, "type", str_of(LEVELS[level]));
	jw_end_object(&d->w);
	return 0;
}

static int
write_model(struct definition *d, struct json v, struct json now, struct err *e)
{
	static const char *const SPEEDS[] = { "standard", "fast" };
	struct json id = v, effort = { 0 }, speed = { 0 };
	const struct json_field fields[] = {
		{ "id", JSON_WANT_STRING, true, &id },
		{ "effort", JSON_WANT_STRING | JSON_WANT_OBJECT | JSON_WANT_NULL, false, &effort },
		{ "speed", JSON_WANT_STRING | JSON_WANT_NULL, false, &speed },
	};
	size_t pace = 0;
	struct str name;
	int rc = 0;

	(void)now;             /* another model has other settings: replaced whole */
	if (!json_is_set(v)) { /* whatever the server names, turn by turn (core/model_choice) */
		jw_null(&d->w);
		return 0;
	}
	if (json_type(v) == JSON_OBJECT)
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = definition_take_label(d, id, AGENT_MODEL_MAX, &name, e);
	if (rc == 0)
		rc = json_take_word(speed, SPEEDS, ARRAY_LEN(SPEEDS), &pace, e);
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	jw_field_str(&d->w, "id", name);
	rc = write_effort(d, effort, e);
	if (rc != 0)
		return rc;
	jw_field_str(&d->w, "speed", str_of(SPEEDS[pace]));
	jw_end_object(&d->w);
	return 0;
}

/* ---- skills ---- */

static int
write_skill(struct definition *d, struct json v, struct str *name, struct err *e)
{
	static const char *const TYPES[] = { "anthropic", "custom" };
	struct json type = { 0 }, id = { 0 }, version = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "skill_id", JSON_WANT_STRING, true, &id },
		{ "version", JSON_WANT_STRING | JSON_WANT_NULL, false, &version },
	};
	struct str edition = STR("latest");
	size_t kind = 0;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &kind, e);
	if (rc == 0)
		rc = definition_take_label(d, id, DEFINITION_NAME_MAX, name, e);
	if (rc == 0 && json_is_set(version))
		rc = definition_take_label(d, version, DEFINITION_NAME_MAX, &edition, e);
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	jw_field_str(&d->w, "type", str_of(TYPES[kind]));
	jw_field_str(&d->w, "skill_id", *name);
	jw_field_str(&d->w, "version", edition);
	jw_end_object(&d->w);
	return 0;
}

static int
write_skills(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct str names[AGENT_SKILLS_MAX];

	(void)now;
	if (json_count(v) > AGENT_SKILLS_MAX)
		return json_fail(v, e, "must have at most %d skills, not %zu", AGENT_SKILLS_MAX,
				 json_count(v));
	jw_array(&d->w);
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		int rc = write_skill(d, it.value, &names[it.index], e);

		for (size_t i = 0; rc == 0 && i < it.index; i++)
			if (str_eq(names[i], names[it.index]))
				rc = json_fail(it.value, e, "names '" STR_FMT "' a second time",
					       STR_ARG(names[i]));
		if (rc != 0)
			return rc;
	}
	jw_end_array(&d->w);
	return 0;
}

/* ---- the rest ---- */

static int
write_identity(struct definition *d, struct json v, struct json now, struct err *e)
{
	static const char *const TYPES[] = { "service_account" };
	struct json type = { 0 };
	const struct json_field fields[] = { { "type", JSON_WANT_STRING, true, &type } };
	size_t kind = 0;
	int rc = 0;

	(void)now;
	if (json_is_set(v))
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &kind, e);
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	jw_field_str(&d->w, "type", str_of(TYPES[kind]));
	jw_end_object(&d->w);
	return 0;
}

static const struct limit {
	const char *name;
	int64_t min, max, usual; /* usual 0: unset */
} LIMITS[] = {
	{ "max_context_tokens", 1000, 100000000, 0 },
	{ "max_output_tokens", 1, 10000000, 4096 },
	{ "max_steps", 1, 1000, 10 },
	{ "turn_timeout_s", 1, 86400, 1800 },
	{ "tool_timeout_s", 1, 86400, 120 },
};

static int
write_limits(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct json_field fields[ARRAY_LEN(LIMITS)];
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(LIMITS); i++)
		fields[i] = (struct json_field){ LIMITS[i].name, JSON_WANT_NUMBER | JSON_WANT_NULL,
						 false, NULL };
	if (json_is_set(v))
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	else
		now = v; /* all of them back to the usual */
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	for (size_t i = 0; i < ARRAY_LEN(LIMITS); i++) {
		const struct limit *l = &LIMITS[i];
		struct json given = definition_find(v, l->name);
		int64_t value = l->usual;

		if (!json_is_set(given))
			given = definition_find(now, l->name);
		if (json_type(given) != JSON_NULL)
			rc = json_take_int(given, l->min, l->max, &value, e);
		if (rc != 0)
			return rc;
		if (value == 0)
			jw_field_null(&d->w, l->name);
		else
			jw_field_int(&d->w, l->name, value);
	}
	jw_end_object(&d->w);
	return 0;
}

static int
write_access(struct definition *d, struct json v, struct json now, struct err *e)
{
	static const char *const LEVELS[] = { "public", "protected", "private" };
	size_t level = ACCESS_PUBLIC;
	int rc = json_take_word(v, LEVELS, ARRAY_LEN(LEVELS), &level, e);

	(void)now;
	if (rc == 0)
		jw_str(&d->w, str_of(access_level_name((enum access_level)level)));
	return rc;
}

/* What its users may choose: ids that differ. Whether there are such things is the caller's to find out. */
static int
write_choices(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct str ids[AGENT_CHOICES_MAX];

	(void)now;
	if (json_count(v) > AGENT_CHOICES_MAX)
		return json_fail(v, e, "must have at most %d entries, not %zu", AGENT_CHOICES_MAX,
				 json_count(v));
	jw_array(&d->w);
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		int rc = 0;

		if (json_type(it.value) != JSON_STRING)
			return json_fail(it.value, e, "must be a text");
		rc = definition_take_label(d, it.value, AGENT_MODEL_MAX, &ids[it.index], e);
		for (size_t i = 0; rc == 0 && i < it.index; i++)
			if (str_eq(ids[i], ids[it.index]))
				rc = json_fail(it.value, e, "names '" STR_FMT "' a second time",
					       STR_ARG(ids[i]));
		if (rc != 0)
			return rc;
		jw_str(&d->w, ids[it.index]);
	}
	jw_end_array(&d->w);
	return 0;
}

enum {
	TEXT = JSON_WANT_STRING,
	TEXT_OR_NULL = JSON_WANT_STRING | JSON_WANT_NULL,
	LIST_OR_NULL = JSON_WANT_ARRAY | JSON_WANT_NULL,
	OBJECT_OR_NULL = JSON_WANT_OBJECT | JSON_WANT_NULL,
};

static const struct definition_member MEMBERS[] = {
	{ "name", TEXT, true, definition_write_name, NULL },
	{ "description", TEXT_OR_NULL, false, write_description, NULL },
	{ "system", TEXT_OR_NULL, false, write_system, NULL },
	{ "model", JSON_WANT_STRING | JSON_WANT_OBJECT | JSON_WANT_NULL, false, write_model, NULL },
	{ "tools", LIST_OR_NULL, false, agent_tools_write, NULL },
	{ "mcp_servers", LIST_OR_NULL, false, write_servers, NULL },
	{ "skills", LIST_OR_NULL, false, write_skills, NULL },
	{ "metadata", OBJECT_OR_NULL, false, write_metadata, NULL },
	{ "multiagent", OBJECT_OR_NULL, false, agent_roster_write, agent_roster_keep },
	{ "execution_identity", OBJECT_OR_NULL, false, write_identity, NULL },
	{ "limits", OBJECT_OR_NULL, false, write_limits, NULL },
	{ "access", TEXT_OR_NULL, false, write_access, NULL },
	{ "environments", LIST_OR_NULL, false, write_choices, NULL },
	{ "models", LIST_OR_NULL, false, write_choices, NULL },
	{ "approval_rules", LIST_OR_NULL, false, agent_rules_write, NULL },
};
static const struct definition_kind AGENT = {
	.type = "agent",
	.versioned = true,
	.archivable = true,
	.members = MEMBERS,
	.count = ARRAY_LEN(MEMBERS),
};

int
agent_def_make(const struct agent_facts *f, struct json body, struct arena *a,
	       struct definition_text *out, struct err *e)
{
	struct definition_facts facts = { f->id, f->now_ms, f->current, &f->roster };

	return definition_make(&AGENT, &facts, body, a, out, e);
}

int
agent_def_override(struct json current, struct json v, struct arena *a, struct str *out,
		   struct err *e)
{
	static const struct json_field FIELDS[] = {
		{ "type", TEXT, false, NULL },
		{ "id", TEXT, false, NULL },
		{ "version", JSON_WANT_NUMBER | JSON_WANT_NULL, false, NULL },
		{ "model", JSON_WANT_STRING | JSON_WANT_OBJECT, false, NULL },
		{ "system", TEXT_OR_NULL, false, NULL },
		{ "tools", LIST_OR_NULL, false, NULL },
		{ "mcp_servers", LIST_OR_NULL, false, NULL },
		{ "skills", LIST_OR_NULL, false, NULL },
	};
	struct definition_facts facts = { .id = json_str(definition_find(current, "id"), a),
					  .current = current };
	int rc = json_fields(v, FIELDS, ARRAY_LEN(FIELDS), e);

	return rc == 0 ? definition_override(&AGENT, &facts, v, a, out, e) : rc;
}
