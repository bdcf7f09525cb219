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

static const char *
lane_of(const char *chat)
{
	struct rig_reply reply = resolve(
		arena_printf(&ARENA, "{'source':{'platform':'irc','chat_id':'%s'}}", chat).ptr);

	return member(&reply, "lane_id");
}

static struct rig_reply
ask_lane(const char *method, const char *lane, const char *what, const char *body)
{
	struct rig_reply reply =
		ask(method, arena_printf(&ARENA, "/v1/lanes/%s%s", lane, what).ptr, body);

	rig_expect(what, &reply, 200, "\"type\":\"lane\"");
	return reply;
}

static void
K7_a_lane_is_changed_and_shown(void **state)
{
	const char *lane = lane_of("changed"), *session;
	struct rig_reply reply;

	(void)state;
	reply = ask_lane("GET", lane, "", NULL);
	assert_string_equal(member(&reply, "id"), lane);
	assert_string_equal(member(&reply, "session_key"), "agent:main:irc:dm:changed");
	reply = ask_lane("POST", lane, "", "{'last_prompt_tokens':5,'display_name':'D'}");
	assert_string_equal(member(&reply, "last_prompt_tokens"), "5");
	assert_string_equal(member(&reply, "display_name"), "D");
	reply = ask_lane("POST", lane, "/resume_pending", "{'reason':'shutdown_timeout'}");
	assert_string_equal(member(&reply, "resume_pending"), "true");
	assert_string_equal(member(&reply, "resume_reason"), "shutdown_timeout");
	reply = ask_lane("DELETE", lane, "/resume_pending", NULL);
	assert_string_equal(member(&reply, "resume_pending"), "false");
	reply = ask_lane("POST", lane, "/suspend", NULL);
	assert_string_equal(member(&reply, "suspended"), "true");
	session = member(&reply, "session_id");
	reply = ask_lane("POST", lane, "/reset", NULL);
	assert_string_equal(member(&reply, "is_fresh_reset"), "true");
	assert_string_equal(member(&reply, "previous_session_id"), session);
	reply = ask_lane("POST", lane, "/switch",
			 arena_printf(&ARENA, "{'session_id':'%s'}", session).ptr);
	assert_string_equal(member(&reply, "session_id"), session);
	reply = ask("GET", "/v1/lanes/lane_none", NULL);
	rig_expect("absent", &reply, 404, "there is no lane");
	arena_reset(&ARENA);
}

static void
K7_list_shows_each_lane_once(void **state)
{
	struct rig_reply reply = ask("GET", "/v1/lanes/any", NULL);
	const char *one, *two;
	size_t at;

	(void)state;
	rig_expect("any", &reply, 200, "\"has_any\":");
	one = lane_of("one");
	two = lane_of("two");
	reply = ask("GET", "/v1/lanes?limit=200", NULL);
	rig_expect("list", &reply, 200, "\"next_page\":null");
	assert_true(str_contains(reply.body, str_of(two)));
	assert_true(str_find(reply.body, str_of(one), 0, &at));
	assert_false(str_find(reply.body, str_of(one), at + 1, &at));
	reply = ask("GET", "/v1/lanes?active_minutes=1&limit=1", NULL);
	rig_expect("one row", &reply, 200, "\"next_page\":\"");
	reply = ask("GET",
		    arena_printf(&ARENA, "/v1/lanes?limit=200&page=%s", member(&reply, "next_page"))
			    .ptr,
		    NULL);
	rig_expect("a cursor of other filters", &reply, 400, "page");
	reply = ask("GET", "/v1/lanes/any", NULL);
	rig_expect("any", &reply, 200, "\"has_any\":true");
	arena_reset(&ARENA);
}

static void
K7_pages_hold_every_lane(void **state)
{
	struct rig_reply reply;
	const char *page = NULL;
	bool seen[3] = { false };

	(void)state;
	for (int i = 0; i < 3; i++)
		lane_of(arena_printf(&ARENA, "page%d", i).ptr);
	for (int n = 0; n < 50; n++) {
		reply = ask("GET",
			    arena_printf(&ARENA, "/v1/lanes?limit=1%s%s", page ? "&page=" : "",
					 page ? page : "")
				    .ptr,
			    NULL);
		rig_expect("a page", &reply, 200, "\"data\":[");
		for (int i = 0; i < 3; i++)
			seen[i] |= str_contains(
				reply.body,
				arena_printf(&ARENA, "\"agent:main:irc:dm:page%d\"", i));
		page = member(&reply, "next_page");
		if (strcmp(page, "null") == 0)
			break;
	}
	assert_true(seen[0] && seen[1] && seen[2]);
	assert_string_equal(page, "null");
	arena_reset(&ARENA);
}

static void
K7_lookup_by_session_id(void **state)
{
	struct rig_reply reply = resolve("{'source':{'platform':'irc','chat_id':'looked'}}");
	const char *session = member(&reply, "session.id"), *lane = member(&reply, "lane_id");

	(void)state;
	reply = ask("GET", arena_printf(&ARENA, "/v1/lanes?session_id=%s", session).ptr, NULL);
	rig_expect("by session", &reply, 200, lane);
	reply = ask("GET", "/v1/lanes?session_id=sesn_none", NULL);
	rig_expect("no such session", &reply, 404, NULL);
	arena_reset(&ARENA);
}

/* ---- the transcript of a lane's session ---- */

static const char *
session_of(const char *lane)
{
	struct rig_reply reply = ask_lane("GET", lane, "", NULL);

	return member(&reply, "session_id");
}

static struct rig_reply
ask_session(const char *method, const char *session, const char *what, const char *body)
{
	struct rig_reply reply =
		ask(method, arena_printf(&ARENA, "/v1/sessions/%s%s", session, what).ptr, body);

	assert_int_equal(reply.status, 200);
	return reply;
}

static void
K7_append_to_transcript_and_load_transcript(void **state)
{
	const char *session = session_of(lane_of("appended"));
	struct rig_reply reply;

	(void)state;
	ask_session("POST", session, "/messages", "{'text':'noted','mode':'append'}");
	reply = ask_session("GET", session, "/messages", NULL);
	rig_expect("loaded", &reply, 200, "noted");
	arena_reset(&ARENA);
}

static void
K7_rewind_takes_turns_back_and_keeps_the_log(void **state)
{
	const char *lane = lane_of("rewound"), *session = session_of(lane);
	struct rig_reply reply;

	(void)state;
	ask_session("POST", session, "/messages", "{'text':'say one','mode':'wait'}");
	ask_session("POST", session, "/messages", "{'text':'say two','mode':'wait'}");
	ask_session("POST", session, "/messages", "{'text':'say three','mode':'wait'}");
	reply = ask("POST", arena_printf(&ARENA, "/v1/lanes/%s/rewind", lane).ptr, "{'turns':2}");
	rig_expect("rewound", &reply, 200, "\"turns_undone\":2");
	assert_string_equal(member(&reply, "rewound_count"), "4");
	assert_string_equal(member(&reply, "target_text"), "say two");
	reply = ask_session("GET", session, "/messages", NULL);
	assert_true(str_contains(reply.body, STR("say one")));
	assert_false(str_contains(reply.body, STR("say two")));
	reply = ask_session("GET", session, "/events?limit=1000", NULL);
	assert_true(str_contains(reply.body, STR("say two"))); /* the audit is kept */
	reply = ask("POST", arena_printf(&ARENA, "/v1/lanes/%s/rewind", lane).ptr, NULL);
	assert_string_equal(member(&reply, "turns_undone"), "1");
	reply = ask("POST", arena_printf(&ARENA, "/v1/lanes/%s/rewind", lane).ptr, NULL);
	rig_expect("nothing left", &reply, 409, NULL);
	reply = ask("POST", arena_printf(&ARENA, "/v1/lanes/%s/rewind", lane).ptr, "{'turns':0}");
	rig_expect("no turns", &reply, 400, "turns");
	arena_reset(&ARENA);
}

/* Never an edit of the log: what is replaced is rewound, what replaces it is new. */
static void
K7_rewrite_transcript_is_a_rewind_and_new_events(void **state)
{
	const char *lane = lane_of("rewritten"), *session = session_of(lane);
	struct rig_reply reply;

	(void)state;
	ask_session("POST", session, "/messages", "{'text':'say first','mode':'wait'}");
	reply = ask("POST", arena_printf(&ARENA, "/v1/lanes/%s/rewind", lane).ptr, NULL);
	assert_int_equal(reply.status, 200);
	ask_session("POST", session, "/messages", "{'text':'say second','mode':'wait'}");
	reply = ask_session("GET", session, "/events?limit=1000", NULL);
	assert_true(str_contains(reply.body, STR("\"session.rewound\"")));
	assert_true(str_contains(reply.body, STR("say first")));
	reply = ask_session("GET", session, "/messages", NULL);
	assert_false(str_contains(reply.body, STR("say first")));
	assert_true(str_contains(reply.body, STR("say second")));
	arena_reset(&ARENA);
}

static void
K5_the_export_is_a_sessions_json(void **state)
{
	struct rig_reply reply;

	(void)state;
	resolve("{'source':{'platform':'irc','chat_id':'twice'}}");
	reply = ask("POST", "/v1/workspaces", "{'id':'other','name':'Other'}");
	rig_expect("workspace", &reply, 200, NULL);
	resolve("{'source':{'platform':'irc','chat_id':'twice'},'workspace_id':'other'}");
	reply = ask("GET", "/v1/lanes/export", NULL);
	rig_expect("export", &reply, 200, "\"agent:main:irc:dm:twice\":{\"session_key\":");
	rig_expect("export", &reply, 200, "\"agent:main:irc:dm:twice#lane_");
	arena_reset(&ARENA);
}

static void
K7_all_lanes_at_once(void **state)
{
	struct rig_reply reply;

	(void)state;
	lane_of("marked");
	reply = ask("POST", "/v1/lanes/suspend_recently_active", "{'max_age_seconds':600}");
	rig_expect("marked", &reply, 200, "\"marked\":");
	reply = ask("POST", "/v1/lanes/prune", "{'max_age_days':36500}");
	rig_expect("pruned", &reply, 200, "\"pruned\":0");
	reply = ask("POST", "/v1/lanes/prune", "{}");
	rig_expect("no age", &reply, 400, "max_age_days");
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
	SUITE_TEST(&s, K7_list_shows_each_lane_once);
	SUITE_TEST(&s, K7_pages_hold_every_lane);
	SUITE_TEST(&s, K7_lookup_by_session_id);
	SUITE_TEST(&s, K7_a_lane_is_changed_and_shown);
	SUITE_TEST(&s, K7_append_to_transcript_and_load_transcript);
	SUITE_TEST(&s, K7_rewind_takes_turns_back_and_keeps_the_log);
	SUITE_TEST(&s, K7_rewrite_transcript_is_a_rewind_and_new_events);
	SUITE_TEST(&s, K5_the_export_is_a_sessions_json);
	SUITE_TEST(&s, K7_all_lanes_at_once);
	failed = suite_run(&s, "api/lane_routes");
	api_rig_stop(&RIG);
	arena_release(&ARENA);
	return failed;
}
