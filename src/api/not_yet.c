#include "api/not_yet.h"

#include "base/arena.h"

static bool
not_yet_find(struct json v, const char *name, struct json *out)
{
	return json_type(v) == JSON_OBJECT && json_find(v, str_of(name), out) &&
	       json_is_set(*out) && json_type(*out) != JSON_NULL;
}

static int
not_yet_absent(struct json id, const char *noun, struct err *e)
{
	struct arena a;
	int rc;

	if (json_type(id) != JSON_STRING)
		return 0; /* the core says what it must be */
	arena_init(&a);
	rc = json_fail(id, e, "there is no %s '" STR_FMT "'", noun,
		       STR_ARG(str_slice(json_str(id, &a), 0, 60)));
	arena_release(&a);
	return rc;
}

/* {"file_id"} and {"memory_store_id"}: neither files nor memory stores can be made yet. */
static int
not_yet_reference(struct json v, struct err *e)
{
	struct json id;

	if (not_yet_find(v, "file_id", &id))
		return not_yet_absent(id, "file", e);
	if (not_yet_find(v, "memory_store_id", &id))
		return not_yet_absent(id, "memory store", e);
	return 0;
}

static int
not_yet_references(struct json body, const char *name, struct err *e)
{
	struct json list;
	int rc = 0;

	if (!not_yet_find(body, name, &list) || json_type(list) != JSON_ARRAY)
		return 0;
	for (struct json_iter it = json_iter(list); rc == 0 && json_next(&it);)
		rc = not_yet_reference(it.value, e);
	return rc;
}

/* Blocks of content name their file in their source. */
static int
not_yet_blocks(struct json v, struct err *e)
{
	struct json list, source;
	int rc = 0;

	if (!not_yet_find(v, "content", &list) || json_type(list) != JSON_ARRAY)
		return 0;
	for (struct json_iter it = json_iter(list); rc == 0 && json_next(&it);)
		if (not_yet_find(it.value, "source", &source))
			rc = not_yet_reference(source, e);
	return rc;
}

static int
not_yet_events(struct json body, const char *name, struct err *e)
{
	struct json list, rubric;
	int rc = 0;

	if (!not_yet_find(body, name, &list) || json_type(list) != JSON_ARRAY)
		return 0;
	for (struct json_iter it = json_iter(list); rc == 0 && json_next(&it);) {
		rc = not_yet_blocks(it.value, e);
		if (rc == 0)
			rc = not_yet_references(it.value, "attachments", e);
		if (rc == 0 && not_yet_find(it.value, "rubric", &rubric))
			rc = not_yet_reference(rubric, e);
	}
	return rc;
}

static int
not_yet_filled(struct json v, const char *name, const char *what, struct err *e)
{
	struct json field;

	if (not_yet_find(v, name, &field) &&
	    (json_type(field) == JSON_STRING || json_count(field) > 0))
		return json_fail(field, e, "%s", what);
	return 0;
}

static int
not_yet_session(struct json body, struct err *e)
{
	struct json agent = { 0 };
	int rc = not_yet_filled(body, "webhook_url", "this server sends no webhooks yet", e);

	if (rc == 0 && not_yet_find(body, "agent", &agent))
		rc = not_yet_filled(agent, "skills", "this server has no skills yet", e);
	if (rc == 0)
		rc = not_yet_references(body, "resources", e);
	return rc == 0 ? not_yet_events(body, "initial_events", e) : rc;
}

static int
not_yet_agent(struct json body, struct err *e)
{
	int rc = not_yet_filled(body, "skills", "this server has no skills yet", e);

	if (rc == 0)
		rc = not_yet_filled(body, "multiagent", "this server has no subagents yet", e);
	return rc;
}

/* Public clients give a token with a repository when they open a session; whoever adds one later can
 * be told that nobody would use it. */
static int
not_yet_resource(struct json body, struct err *e)
{
	struct json url;
	int rc = not_yet_reference(body, e);

	if (rc == 0 && not_yet_find(body, "url", &url))
		rc = not_yet_filled(body, "authorization_token",
				    "this server fetches no repositories yet: leave it out", e);
	return rc;
}

static int
not_yet_environment(struct json body, struct err *e)
{
	struct json config;

	if (!not_yet_find(body, "config", &config))
		return 0;
	return not_yet_filled(config, "env", "this server keeps no secrets for tools yet", e);
}

int
not_yet_check(struct str request, struct json body, struct err *e)
{
	if (str_starts(request, STR("Session")))
		return not_yet_session(body, e);
	if (str_starts(request, STR("Agent")))
		return not_yet_agent(body, e);
	if (str_starts(request, STR("Environment")))
		return not_yet_environment(body, e);
	if (str_starts(request, STR("Resource")))
		return not_yet_resource(body, e);
	if (str_starts(request, STR("Message")))
		return not_yet_references(body, "attachments", e);
	return not_yet_events(body, "events", e);
}
