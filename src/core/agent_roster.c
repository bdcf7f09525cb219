#include "core/agent_roster.h"

/* An id, {"type":"agent","id","version"?} or {"type":"self"}, which is the agent self. */
static int
take_ref(struct json v, struct str self, struct arena *a, struct agent_ref *out, struct err *e)
{
	static const char *const TYPES[] = { "agent", "self" };
	struct json type = { 0 }, id = v, version = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "id", JSON_WANT_STRING, false, &id },
		{ "version", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &version },
	};
	size_t kind = 0;
	int rc = 0;

	*out = (struct agent_ref){ 0 };
	if (json_type(v) == JSON_OBJECT)
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &kind, e);
	if (rc == 0 && kind == 1 && (json_is_set(id) || json_is_set(version)))
		rc = json_fail(v, e, "self has no id and no version");
	if (rc == 0 && kind == 0 && !json_is_set(id))
		rc = json_fail(v, e, "an agent is named by its id");
	if (rc == 0)
		rc = json_take_str(id, a, &out->id, e);
	if (rc == 0)
		rc = json_take_int(version, 1, INT64_MAX, &out->pinned, e);
	if (rc == 0 && kind == 1)
		out->id = self;
	return rc;
}

static int
take_agents(struct json v, struct json *agents, struct err *e)
{
	static const char *const TYPES[] = { "coordinator" };
	struct json type = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "agents", JSON_WANT_ARRAY, true, agents },
	};
	size_t kind;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &kind, e);
	if (rc == 0 && (json_count(*agents) < 1 || json_count(*agents) > AGENT_ROSTER_MAX))
		rc = json_fail(*agents, e, "must have 1 to %d agents, not %zu", AGENT_ROSTER_MAX,
			       json_count(*agents));
	return rc;
}

int
agent_roster_read(struct json body, struct str id, struct arena *a, struct agent_roster *out,
		  struct err *e)
{
	struct json v = definition_find(body, "multiagent"), agents = { 0 };
	struct agent_roster r = { 0 };
	int rc = 0;

	if (json_type(v) != JSON_NULL)
		rc = take_agents(v, &agents, e);
	r.refs = ARENA_ARRAY(a, json_count(agents), struct agent_ref);
	for (struct json_iter it = json_iter(agents); rc == 0 && json_next(&it);) {
		rc = take_ref(it.value, id, a, &r.refs[r.count], e);
		if (rc == 0 && !str_eq(r.refs[r.count].id, id))
			r.count++;
	}
	if (rc == 0)
		*out = r;
	return rc;
}

/* Which version of the agent does the entry mean? */
static int
resolve_ref(const struct definition *d, struct json v, struct agent_ref *ref, struct err *e)
{
	const struct agent_roster *r = d->facts;

	if (str_eq(ref->id, d->id)) {
		ref->version = d->version;
		return 0;
	}
	for (size_t i = 0; i < r->count; i++) {
		const struct agent_ref *known = &r->refs[i];

		if (!str_eq(known->id, ref->id) || known->version == 0)
			continue;
		if (known->archived)
			return json_fail(v, e, "the agent is archived");
		if (known->coordinates)
			return json_fail(v, e, "the agent is a coordinator itself");
		if (ref->pinned > known->version)
			return json_fail(v, e, "the agent has %lld versions, there is no %lld",
					 (long long)known->version, (long long)ref->pinned);
		ref->version = ref->pinned > 0 ? ref->pinned : known->version;
		return 0;
	}
	return json_fail(v, e, "there is no agent '" STR_FMT "'", STR_ARG(ref->id));
}

static void
write_ref(struct definition *d, struct str id, int64_t version)
{
	jw_object(&d->w);
	jw_field_str(&d->w, "type", STR("agent"));
	jw_field_str(&d->w, "id", id);
	jw_field_int(&d->w, "version", version);
	jw_end_object(&d->w);
}

static void
begin_roster(struct definition *d)
{
	jw_object(&d->w);
	jw_field_str(&d->w, "type", STR("coordinator"));
	jw_field_array(&d->w, "agents");
}

static void
end_roster(struct definition *d)
{
	jw_end_array(&d->w);
	jw_end_object(&d->w);
}

int
agent_roster_write(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct agent_ref refs[AGENT_ROSTER_MAX];
	struct json agents;
	int rc;

	(void)now;
	if (!json_is_set(v)) {
		jw_null(&d->w);
		return 0;
	}
	rc = take_agents(v, &agents, e);
	if (rc != 0)
		return rc;
	begin_roster(d);
	for (struct json_iter it = json_iter(agents); json_next(&it);) {
		struct agent_ref *ref = &refs[it.index];

		rc = take_ref(it.value, d->id, d->a, ref, e);
		for (size_t i = 0; rc == 0 && i < it.index; i++)
			if (str_eq(refs[i].id, ref->id))
				rc = json_fail(it.value, e, "names '" STR_FMT "' a second time",
					       STR_ARG(ref->id));
		if (rc == 0)
			rc = resolve_ref(d, it.value, ref, e);
		if (rc != 0)
			return rc;
		write_ref(d, ref->id, ref->version);
	}
	end_roster(d);
	return 0;
}

/* The agent itself is meant as it is from now on. */
void
agent_roster_keep(struct definition *d, struct json now)
{
	struct json agents = definition_find(now, "agents");

	if (json_type(now) == JSON_NULL) {
		jw_null(&d->w);
		return;
	}
	begin_roster(d);
	for (struct json_iter it = json_iter(agents); json_next(&it);) {
		if (json_str_eq(definition_find(it.value, "id"), d->id))
			write_ref(d, d->id, d->version);
		else
			jw_raw(&d->w, json_raw(it.value));
	}
	end_roster(d);
}
