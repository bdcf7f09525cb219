/* /agent/chat, /agent/chat/stream and /agent/reset, with the real engine and the demo model. */
#include "base/json.h"

#include "real_engine.h"

static struct api_rig RIG;
static struct arena ARENA;

static struct rig_reply
ask_with(const char *target, const char *headers, const char *body)
{
	struct str copy = arena_str(&ARENA, str_of(body));

	for (size_t i = 0; i < copy.len; i++)
		if (copy.ptr[i] == '\'')
			((char *)copy.ptr)[i] = '"';
	return api_rig_ask(
		&RIG, &(struct rig_ask){ "POST", target, REAL_OWNER_TOKEN, headers, copy.ptr });
}

static struct rig_reply
ask(const char *target, const char *body)
{
	return ask_with(target, NULL, body);
}

static struct json
root_of(struct str text)
{
	struct json_doc *doc = ARENA_NEW(&ARENA, struct json_doc);
	struct err e;

	if (json_parse(&ARENA, arena_str(&ARENA, text), &JSON_LIMITS_DEFAULT, doc, &e) != 0)
		fail_msg("%s: " STR_FMT, e.text, STR_ARG(text));
	return json_root(doc);
}

static struct str
member(struct str body, const char *name)
{
	struct json v;

	if (!json_find(root_of(body), str_of(name), &v))
		fail_msg("no %s in " STR_FMT, name, STR_ARG(body));
	return arena_str(&ARENA, json_type(v) == JSON_STRING ? json_str(v, &ARENA) : json_raw(v));
}

#define CHAT(id, text) \
	"{'message':'" text "','agentId':'main','surface':'chat','surfaceId':'" id "'}"
#define RESET(id) "{'agentId':'main','surface':'chat','surfaceId':'" id "'}"

static void
A11_chat_answers_in_one_session(void **state)
{
	struct rig_reply reply = ask("/agent/chat", CHAT("one", "say hello"));
	struct str session;

	(void)state;
	rig_expect("first", &reply, 200, "\"content\":\"hello\"");
	session = member(reply.body, "sessionId");
	check_str("new", member(reply.body, "isNew"), STR("true"));
	check_str("reset", member(reply.body, "resetReason"), STR("null"));
	check_str("tools", member(reply.body, "toolsUsed"), STR("[]"));
	check_str("stop", member(reply.body, "stopReason"), STR("end_turn"));
	assert_true(str_contains(member(reply.body, "usage"), STR("\"totalTokens\":")));
	reply = ask("/agent/chat", CHAT("one", "say again"));
	rig_expect("second", &reply, 200, "\"content\":\"again\"");
	check_str("session", member(reply.body, "sessionId"), session);
	check_str("new", member(reply.body, "isNew"), STR("false"));
	reply = ask("/agent/chat", CHAT("two", "say other"));
	assert_false(str_eq(member(reply.body, "sessionId"), session));
	arena_reset(&ARENA);
}

static void
A11_chat_refuses_what_is_wrong(void **state)
{
	static const struct {
		const char *body;
		int status;
		const char *part;
	} ROWS[] = {
		{ "{'message':'x','agentId':'nobody','surface':'chat','surfaceId':'1'}", 404,
		  "agent_id" },
		{ "{'message':'','surface':'chat','surfaceId':'1'}", 400, "message" },
		{ "{'surface':'chat','surfaceId':'1'}", 400, "message" },
		{ "{'message':'x','surfaceId':'1'}", 400, "surface" },
		{ "{'message':'x','surface':'chat'}", 400, "surfaceId" },
		{ "{'message':'x','surface':'chat','surfaceId':'1','surface_id':'1'}", 400,
		  "surface_id" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct rig_reply reply = ask("/agent/chat", ROWS[i].body);

		rig_expect(ROWS[i].body, &reply, ROWS[i].status, ROWS[i].part);
	}
	arena_reset(&ARENA);
}

/* The workspace is part of the key, and none is a value of its own. */
static void
A11_the_workspace_tells_conversations_apart(void **state)
{
	struct rig_reply none = ask("/agent/chat", CHAT("ws", "say a"));
	struct str session = member(none.body, "sessionId");
	struct rig_reply main = ask("/agent/chat", "{'message':'say b','surface':'chat',"
						   "'surfaceId':'ws','workspaceId':'main'}");

	(void)state;
	assert_false(str_eq(member(main.body, "sessionId"), session));
	arena_reset(&ARENA);
}

static size_t
count(struct str text, const char *part)
{
	size_t n = 0;

	for (size_t at = 0; str_find(text, str_of(part), at, &at); at++)
		n++;
	return n;
}

/* The data of all frames of a type, one after the other. */
static struct str
content_of(struct str stream)
{
	static const char FRAME[] = "event: content\ndata: ";
	struct buf out;
	struct str text, line, rest;

	buf_init(&out, 1 << 20);
	for (size_t at = 0; str_find(stream, str_of(FRAME), at, &at);) {
		at += sizeof FRAME - 1;
		str_cut(str_slice(stream, at, stream.len), '\n', &line, &rest);
		buf_put_str(&out, member(line, "content"));
	}
	text = arena_str(&ARENA, buf_str(&out));
	buf_release(&out);
	return text;
}

static void
A11_the_stream_has_its_frames_in_order(void **state)
{
	struct rig_reply reply =
		ask("/agent/chat/stream", CHAT("stream", "say one two three four five"));
	struct str body = arena_str(&ARENA, reply.body);
	size_t resolved, content, done;

	(void)state;
	assert_int_equal(reply.status, 200);
	assert_int_equal(count(body, "event: session_resolved\n"), 1);
	assert_int_equal(count(body, "event: done\n"), 1);
	assert_int_equal(count(body, "event: error\n"), 0);
	assert_true(str_find(body, STR("event: session_resolved\n"), 0, &resolved));
	assert_true(str_find(body, STR("event: content\n"), 0, &content));
	assert_true(str_find(body, STR("event: done\n"), 0, &done));
	assert_true(resolved < content && content < done);
	check_str("the pieces add up", content_of(body), STR("one two three four five"));
	assert_true(str_contains(str_slice(body, done, body.len),
				 STR("\"content\":\"one two three four five\"")));
	arena_reset(&ARENA);
}

static void
A11_silence_is_not_streamed(void **state)
{
	struct rig_reply reply = ask("/agent/chat/stream", CHAT("silent", "say <NO_REPLY>"));
	struct str body = arena_str(&ARENA, reply.body);

	(void)state;
	assert_int_equal(count(body, "event: content\n"), 0);
	assert_int_equal(count(body, "event: done\n"), 1);
	assert_true(str_contains(body, STR("\"content\":\"\"")));
	reply = ask("/agent/chat/stream", CHAT("silent", "say one <NO_REPLY> two <NO"));
	body = arena_str(&ARENA, reply.body);
	check_str("what is held back comes in the end", content_of(body), STR("one  two <NO"));
	assert_true(str_contains(body, STR("\"content\":\"one  two <NO\"")));
	arena_reset(&ARENA);
}

static void
A11_tools_are_told(void **state)
{
	struct rig_reply reply;
	struct str agent, body;

	(void)state;
	reply = ask("/v1/agents",
		    "{'name':'t','model':'demo','tools':[{'type':'custom','name':'deploy',"
		    "'description':'d','input_schema':{'type':'object'}}]}");
	agent = member(reply.body, "id");
	reply = ask("/agent/chat/stream",
		    arena_printf(&ARENA,
				 "{'message':'tool deploy {}','agentId':'" STR_FMT
				 "','surface':'chat','surfaceId':'t'}",
				 STR_ARG(agent))
			    .ptr);
	body = arena_str(&ARENA, reply.body);
	assert_int_equal(count(body, "event: tool_call\n"), 1);
	assert_int_equal(count(body, "event: tool_call_complete\n"), 1);
	assert_int_equal(count(body, "event: done\n"), 1);
	assert_true(str_contains(body, STR("\"toolsUsed\":[\"deploy\"]")));
	assert_true(str_contains(body, STR("\"stopReason\":\"requires_action\"")));
	arena_reset(&ARENA);
}

static void
A11_reset_archives_and_the_next_chat_uses_the_new_session(void **state)
{
	struct rig_reply reply = ask("/agent/reset", RESET("reset"));
	struct str first, second;

	(void)state;
	rig_expect("nothing there", &reply, 200, "\"reset\":false,\"archivedSessionId\":null");
	first = member(reply.body, "sessionId");
	reply = ask("/agent/chat", CHAT("reset", "say a"));
	check_str("the one it named", member(reply.body, "sessionId"), first);
	reply = ask("/agent/reset", RESET("reset"));
	check_str("reset", member(reply.body, "reset"), STR("true"));
	check_str("archived", member(reply.body, "archivedSessionId"), first);
	second = member(reply.body, "sessionId");
	assert_false(str_eq(first, second));
	reply = ask("/agent/chat", CHAT("reset", "say b"));
	check_str("the new one", member(reply.body, "sessionId"), second);
	check_str("not new", member(reply.body, "isNew"), STR("false"));
	arena_reset(&ARENA);
}

static void
A10_a_repeated_chat_is_said_once(void **state)
{
	static const char KEY[] = "Idempotency-Key: chat-1\r\n";
	struct rig_reply reply = ask_with("/agent/chat", KEY, CHAT("again", "say once"));
	struct str session = member(reply.body, "sessionId");

	(void)state;
	reply = ask_with("/agent/chat", KEY, CHAT("again", "say once"));
	rig_expect("again", &reply, 200, "\"content\":\"once\"");
	assert_true(rig_header(&reply, "idempotency-replayed").ptr != NULL);
	reply = api_rig_ask(
		&RIG, &(struct rig_ask){ "GET",
					 arena_printf(&ARENA, "/v1/sessions/" STR_FMT "/messages",
						      STR_ARG(session))
						 .ptr,
					 REAL_OWNER_TOKEN, NULL, NULL });
	assert_int_equal(count(reply.body, "\"role\":\"user\""), 1);
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
	SUITE_TEST(&s, A11_chat_answers_in_one_session);
	SUITE_TEST(&s, A11_chat_refuses_what_is_wrong);
	SUITE_TEST(&s, A11_the_workspace_tells_conversations_apart);
	SUITE_TEST(&s, A11_the_stream_has_its_frames_in_order);
	SUITE_TEST(&s, A11_silence_is_not_streamed);
	SUITE_TEST(&s, A11_tools_are_told);
	SUITE_TEST(&s, A11_reset_archives_and_the_next_chat_uses_the_new_session);
	SUITE_TEST(&s, A10_a_repeated_chat_is_said_once);
	failed = suite_run(&s, "api/agent_chat_routes");
	api_rig_stop(&RIG);
	arena_release(&ARENA);
	return failed;
}
