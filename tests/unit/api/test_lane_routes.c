/* Lanes over HTTP, with the real engine. */
#include "core/lane_entry.h"

#include <stdlib.h>

#include "real_engine.h"

static struct api_rig RIG;
static struct arena ARENA;

static struct rig_reply
ask(const char *method, const char *target, const char *body)
{
	struct str copy;

	if (body) {
		copy = arena_str(&ARENA, str_of(body));
		for (size_t i = 0; i < copy.len; i++)
			if (copy.ptr[i] == '\'')
				((char *)copy.ptr)[i] = '"';
		body = copy.ptr;
	}
	return api_rig_ask(&RIG, &(struct rig_ask){ method, target, REAL_OWNER_TOKEN, NULL, body });
}

/* A member of an answer, texts without quotes. */
static const char *
member(const struct rig_reply *reply, const char *path)
{
	struct json_doc *doc = ARENA_NEW(&ARENA, struct json_doc);
	struct str rest = str_of(path), name;
	struct json v;
	struct err e;

	if (json_parse(&ARENA, arena_str(&ARENA, reply->body), &JSON_LIMITS_DEFAULT, doc, &e) != 0)
		fail_msg("%s: " STR_FMT, e.text, STR_ARG(reply->body));
	v = json_root(doc);
	while (rest.len > 0) {
		str_cut(rest, '.', &name, &rest);
		if (!json_find(v, name, &v))
			fail_msg("no %s in " STR_FMT, path, STR_ARG(reply->body));
	}
	return json_type(v) == JSON_STRING ? arena_str(&ARENA, json_str(v, &ARENA)).ptr
					   : arena_str(&ARENA, json_raw(v)).ptr;
}

static struct rig_reply
resolve(const char *body)
{
	struct rig_reply reply = ask("POST", "/v1/sessions/resolve", body);

	rig_expect("resolve", &reply, 200, "\"session\":{");
	return reply;
}

static void
A8_resolving_answers_session_is_new_and_reset_reason(void **state)
{
	struct rig_reply reply =
		resolve("{'source':{'platform':'slack','chat_type':'channel','chat_id':'C1'}}");
	const char *id = member(&reply, "session.id");

	(void)state;
	assert_string_equal(member(&reply, "is_new"), "true");
	assert_string_equal(member(&reply, "reset_reason"), "null");
	assert_string_equal(member(&reply, "session.lane_key"), "agent:main:slack:channel:C1");
	reply = resolve("{'source':{'platform':'slack','chat_type':'channel','chat_id':'C1'}}");
	assert_string_equal(member(&reply, "is_new"), "false");
	assert_string_equal(member(&reply, "session.id"), id);
	reply = ask("POST", "/v1/sessions/resolve", "{'key':{'surface':'chat'}}");
	rig_expect("no surface id", &reply, 400, "surface_id");
	reply = ask("POST", "/v1/sessions/resolve",
		    "{'key':{'surface':'chat','surface_id':'1','agent_id':'nobody'}}");
	rig_expect("unknown agent", &reply, 404, "agent_id");
	arena_reset(&ARENA);
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	arena_init(&ARENA);
	api_rig_init(&RIG);
	api_rig_start(&RIG);
	SUITE_TEST(&s, A8_resolving_answers_session_is_new_and_reset_reason);
	failed = suite_run(&s, "api/lane_routes");
	api_rig_stop(&RIG);
	arena_release(&ARENA);
	return failed;
}
