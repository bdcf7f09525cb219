/* explain_key - which lane does this source lead to, and is it shared? */
#include "cli/explain.h"
#include "core/session_key.h"

/* One entry {"id":["alias",…]} as pairs behind *used; null and "" say nothing. */
static int
take_aliases(struct json_iter *entry, struct arena *a, struct whatsapp_alias *pairs, size_t *used,
	     struct err *e)
{
	struct json_iter it = json_iter(entry->value);
	struct str id = json_str(entry->key, a);

	if (json_type(entry->value) == JSON_NULL)
		return 0;
	if (json_type(entry->value) != JSON_ARRAY)
		return json_fail(entry->value, e, "must be an array of strings, not %s",
				 json_type_name(entry->value));
	while (json_next(&it)) {
		if (json_type(it.value) == JSON_NULL)
			continue;
		if (json_type(it.value) != JSON_STRING)
			return json_fail(it.value, e, "must be a string, not %s",
					 json_type_name(it.value));
		pairs[(*used)++] = (struct whatsapp_alias){ id, json_str(it.value, a) };
	}
	return 0;
}

static int
read_aliases(struct json v, struct arena *a, struct whatsapp_aliases *out, struct err *e)
{
	struct json_iter it = json_iter(v);
	struct whatsapp_alias *pairs;
	size_t room = 0, used = 0;
	int rc = 0;

	while (json_next(&it))
		room += json_count(it.value);
	pairs = ARENA_ARRAY(a, room, struct whatsapp_alias);
	it = json_iter(v);
	while (rc == 0 && json_next(&it))
		rc = take_aliases(&it, a, pairs, &used, e);
	if (rc == 0)
		whatsapp_aliases_init(out, a, pairs, used);
	return rc;
}

static int
read_agent(struct json v, struct arena *a, struct str *out, struct err *e)
{
	int rc = json_take_str(v, a, out, e);

	if (rc == 0 && out->len > 0 && !source_segment_valid(*out))
		rc = json_fail(v, e, "must be 1 to 64 of A-Z a-z 0-9 . _ -");
	return rc;
}

int
explain_key(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	struct json source_v = { 0 }, group = { 0 }, thread = { 0 }, aliases_v = { 0 },
		    agent = { 0 };
	const struct json_field fields[] = {
		{ "source", JSON_WANT_OBJECT, true, &source_v },
		{ "group_sessions_per_user", JSON_WANT_BOOL | JSON_WANT_NULL, false, &group },
		{ "thread_sessions_per_user", JSON_WANT_BOOL | JSON_WANT_NULL, false, &thread },
		{ "aliases", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &aliases_v },
		{ "agent", JSON_WANT_STRING | JSON_WANT_NULL, false, &agent },
	};
	struct session_key_policy policy = SESSION_KEY_POLICY_DEFAULT;
	struct whatsapp_aliases aliases = { 0 };
	struct source source;
	struct session_key key;
	int rc = json_fields(facts, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = source_decode(source_v, a, &source, e);
	if (rc == 0)
		rc = json_take_bool(group, &policy.group_per_user, e);
	if (rc == 0)
		rc = json_take_bool(thread, &policy.thread_per_user, e);
	if (rc == 0)
		rc = read_agent(agent, a, &policy.agent_id, e);
	if (rc == 0 && json_is_set(aliases_v))
		rc = read_aliases(aliases_v, a, &aliases, e);
	if (rc != 0)
		return rc;
	policy.aliases = &aliases;
	key = session_key_decide(&source, &policy, a);
	jw_object(out);
	jw_field_str(out, "key", key.text);
	jw_field_bool(out, "shared", key.shared);
	jw_end_object(out);
	return 0;
}
