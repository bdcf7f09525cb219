/* The transcript, the queue, threads and resources as a client sees them. */
#include "live_ask.h"

static struct api_rig rig;

static void
start_rig(void)
{
	api_rig_init(&rig);
	api_rig_start(&rig);
	live_open(&rig, "s1");
}

/* One turn with everything in it. */
static void
fill(void)
{
	char id[256];

	start_rig();
	live_ask(&rig, "s1", "first", id);
	live_run(&rig, "s1", "t1", id);
	live_write(&rig, "s1", "t1", "{\"type\":\"agent.thinking\",\"text\":\"hmm\"}");
	live_write_as(
		&rig, "s1", "t1", "call1",
		"{\"type\":\"agent.tool_use\",\"name\":\"bash\",\"input\":{\"command\":\"ls\"},"
		"\"evaluated_permission\":\"allow\"}");
	live_write(
		&rig, "s1", "t1",
		"{\"type\":\"agent.tool_result\",\"tool_use_id\":\"call1\",\"content\":[{\"type\":"
		"\"text\",\"text\":\"a b\"}],\"outcome\":\"ok\"}");
	live_reply(&rig, "s1", "t1", "done");
	live_idle(&rig, "s1", "t1");
}

static void
M11_the_transcript(void **state)
{
	static const char *const PARTS[] = {
		"\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"first\"}]",
		"\"role\":\"assistant\",\"content\":[],\"reasoning\":\"hmm\"",
		"\"role\":\"assistant\",\"content\":[],\"tool_calls\":[{\"id\":\"call1\",\"type\":"
		"\"agent.tool_use\",\"name\":\"bash\",\"input\":{\"command\":\"ls\"}}]",
		"\"role\":\"tool\",\"content\":[{\"type\":\"text\",\"text\":\"a b\"}],"
		"\"tool_call_id\":\"call1\",\"outcome\":\"ok\"",
		"\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"done\"}]",
		"\"next_page\":null}",
	};
	struct rig_reply reply;

	(void)state;
	fill();
	reply = live_get(&rig, "owner", "/v1/sessions/s1/messages");
	for (size_t i = 0; i < ARRAY_LEN(PARTS); i++)
		rig_expect("messages", &reply, 200, PARTS[i]);
	assert_int_equal(live_count(reply.body, "\"type\":\"message\""), 5);
	assert_int_equal(live_count(reply.body, "\"token_estimate\":"), 5);
	api_rig_stop(&rig);
}

static void
T7_a_long_result_shows_its_head_and_tail(void **state)
{
	struct rig_reply reply;
	struct buf b;
	char id[256];

	(void)state;
	start_rig();
	live_ask(&rig, "s1", "first", id);
	live_run(&rig, "s1", "t1", id);
	live_write_as(&rig, "s1", "t1", "call1",
		      "{\"type\":\"agent.tool_use\",\"name\":\"bash\",\"input\":{}}");
	buf_init(&b, 200000);
	buf_puts(&b, "{\"type\":\"agent.tool_result\",\"tool_use_id\":\"call1\",\"content\":[{"
		     "\"type\":\"text\",\"text\":\"head");
	for (size_t i = 0; i < 100000; i++)
		buf_putc(&b, 'x');
	buf_puts(&b, "tail\"}],\"outcome\":\"ok\"}");
	buf_putc(&b, '\0');
	live_write(&rig, "s1", "t1", b.ptr);
	buf_release(&b);
	reply = live_get(&rig, "owner", "/v1/sessions/s1/messages");
	rig_expect("messages", &reply, 200, "\"text\":\"headxxx");
	rig_expect("messages", &reply, 200, "of 100008 bytes are left out");
	rig_expect("messages", &reply, 200, "xtail\"}],\"tool_call_id\":\"call1\"");
	assert_true(reply.body.len < 40000);
	api_rig_stop(&rig);
}

static void
M11_pages_go_on_where_they_ended(void **state)
{
	struct rig_reply reply;
	char target[512] = "/v1/sessions/s1/messages?limit=2", page[256];
	int counts[3] = { 2, 2, 1 };

	(void)state;
	fill();
	for (int i = 0; i < 3; i++) {
		reply = live_get(&rig, "owner", target);
		assert_int_equal(live_count(reply.body, "\"type\":\"message\""), counts[i]);
		if (i == 2)
			break;
		live_member(reply.body, "next_page", 0, page);
		snprintf(target, sizeof target, "/v1/sessions/s1/messages?limit=2&page=%s", page);
	}
	rig_expect("the last", &reply, 200, "\"text\":\"done\"");
	rig_expect("the last", &reply, 200, "\"next_page\":null");
	reply = live_get(&rig, "owner", "/v1/sessions/s1/messages?limit=1&order=desc");
	rig_expect("from the end", &reply, 200, "\"text\":\"done\"");
	live_member(reply.body, "next_page", 0, page);
	snprintf(target, sizeof target, "/v1/sessions/s1/messages?limit=1&order=desc&page=%s",
		 page);
	reply = live_get(&rig, "owner", target);
	rig_expect("the one before", &reply, 200, "\"text\":\"a b\"");
	reply = live_get(&rig, "owner", "/v1/sessions/s1/messages?limit=201");
	rig_expect("limit", &reply, 400, "limit");
	api_rig_stop(&rig);
}

static void
M11_rewound_messages_are_left_out(void **state)
{
	struct rig_reply reply;
	char id[256], payload[512];

	(void)state;
	fill();
	live_ask(&rig, "s1", "second", id);
	live_run(&rig, "s1", "t2", id);
	live_reply(&rig, "s1", "t2", "again");
	live_idle(&rig, "s1", "t2");
	snprintf(payload, sizeof payload,
		 "{\"type\":\"session.rewound\",\"target_id\":\"%s\",\"turns_undone\":1}", id);
	live_write(&rig, "s1", NULL, payload);
	reply = live_get(&rig, "owner", "/v1/sessions/s1/messages");
	rig_expect("what is left", &reply, 200, "\"text\":\"done\"");
	assert_false(str_contains(reply.body, STR("second")));
	assert_false(str_contains(reply.body, STR("again")));
	api_rig_stop(&rig);
}

static void
Q9_the_queue_shows_what_waits(void **state)
{
	struct rig_reply reply;
	char first[256], second[256], payload[512], page[256], target[512];

	(void)state;
	start_rig();
	live_ask(&rig, "s1", "one", first);
	live_ask(&rig, "s1", "two", second);
	reply = live_post(&rig, "owner", "/v1/sessions/s1/messages",
			  "{\"text\":\"three\",\"message_id\":\"mine\",\"busy\":\"steer\"}");
	rig_expect("three", &reply, 200, "mine");
	live_say(&rig, "s1", "does not wait");
	snprintf(payload, sizeof payload,
		 "{\"type\":\"session.input_edited\",\"input_id\":\"%s\",\"content\":[{\"type\":"
		 "\"text\",\"text\":\"changed\"}]}",
		 second);
	live_write(&rig, "s1", NULL, payload);
	reply = live_get(&rig, "owner", "/v1/sessions/s1/queue");
	assert_int_equal(live_count(reply.body, "queued_message"), 3);
	rig_expect("edited", &reply, 200, "\"text\":\"changed\"");
	assert_false(str_contains(reply.body, STR("\"text\":\"two\"")));
	rig_expect("own id", &reply, 200, "\"message_id\":\"mine\"");
	rig_expect("mode", &reply, 200, "\"position\":2,\"busy\":\"steer\"");
	live_run(&rig, "s1", "t1", first);
	reply = live_get(&rig, "owner", "/v1/sessions/s1/queue?limit=1");
	rig_expect("behind the turn", &reply, 200, "\"position\":1");
	live_member(reply.body, "next_page", 0, page);
	snprintf(target, sizeof target, "/v1/sessions/s1/queue?limit=1&page=%s", page);
	reply = live_get(&rig, "owner", target);
	rig_expect("the next", &reply, 200, "\"position\":2");
	rig_expect("the last", &reply, 200, "\"next_page\":null");
	api_rig_stop(&rig);
}

static void
threads_are_the_session_itself(void **state)
{
	struct rig_reply reply;

	(void)state;
	fill();
	reply = live_get(&rig, "owner", "/v1/sessions/s1/threads");
	rig_expect(
		"list", &reply, 200,
		"{\"data\":[{\"id\":\"sthr_s1\",\"type\":\"session_thread\",\"session_id\":\"s1\"");
	reply = live_get(&rig, "owner", "/v1/sessions/s1/threads?statuses[]=running");
	rig_expect("none runs", &reply, 200, "{\"data\":[],\"next_page\":null}");
	reply = live_get(&rig, "owner", "/v1/sessions/s1/threads?statuses[]=idle&statuses[]=busy");
	rig_expect("no such status", &reply, 400, "statuses: busy is no status of a thread");
	reply = live_get(&rig, "owner", "/v1/sessions/s1/threads/sthr_s1");
	rig_expect("get", &reply, 200, "\"parent_thread_id\":null");
	reply = live_get(&rig, "owner", "/v1/sessions/s1/threads/sthr_s2");
	rig_expect("another", &reply, 404, NULL);
	reply = live_get(&rig, "owner", "/v1/sessions/s1/threads/sthr_s1/events?limit=1");
	rig_expect("events", &reply, 200, "session.created");
	reply = live_post(&rig, "owner", "/v1/sessions/s1/threads/sthr_s1/archive", NULL);
	rig_expect("archive", &reply, 409, "with its session");
	reply = live_get(&rig, "user", "/v1/sessions/s1/threads/sthr_s1");
	rig_expect("not theirs", &reply, 404, NULL);
	api_rig_stop(&rig);
}

static void
A1_resources_of_a_session(void **state)
{
	struct rig_reply reply;
	char id[256], target[512];

	(void)state;
	start_rig();
	live_open(&rig, "s2");
	reply = live_post(&rig, "owner", "/v1/sessions/s1/resources",
			  "{\"type\":\"github_repository\",\"url\":\"https://x/y\"}");
	rig_expect("add", &reply, 200, "\"url\":\"https://x/y\"");
	live_member(reply.body, "id", 0, id);
	reply = live_get(&rig, "owner", "/v1/sessions/s1/resources");
	rig_expect("list", &reply, 200, id);
	snprintf(target, sizeof target, "/v1/sessions/s1/resources/%s", id);
	reply = live_get(&rig, "owner", target);
	rig_expect("get", &reply, 200, "\"url\":\"https://x/y\"");
	snprintf(target, sizeof target, "/v1/sessions/s2/resources/%s", id);
	reply = live_get(&rig, "owner", target);
	rig_expect("of another session", &reply, 404, NULL);
	reply = live_get(&rig, "owner", "/v1/sessions/s2/resources");
	rig_expect("of another session", &reply, 200, "{\"data\":[]");
	snprintf(target, sizeof target, "/v1/sessions/s1/resources/%s", id);
	reply = api_rig_ask(
		&rig, &(struct rig_ask){ .method = "DELETE", .target = target, .token = "owner" });
	rig_expect("delete", &reply, 200, "\"type\":\"session_resource_deleted\"");
	reply = live_get(&rig, "owner", target);
	rig_expect("gone", &reply, 404, NULL);
	api_rig_stop(&rig);
}

static void
C8_search_finds_what_was_said(void **state)
{
	struct rig_reply reply;

	(void)state;
	fill();
	live_open(&rig, "s2");
	live_say(&rig, "s2", "nothing of the kind");
	reply = live_get(&rig, "owner", "/v1/search?q=done");
	rig_expect("found", &reply, 200, "\"session_id\":\"s1\"");
	reply = live_get(&rig, "owner", "/v1/search?q=done&session_id=s2");
	rig_expect("not there", &reply, 200, "{\"data\":[],\"next_page\":null}");
	reply = live_get(&rig, "user", "/v1/search?q=done");
	rig_expect("P2 not theirs", &reply, 200, "{\"data\":[],\"next_page\":null}");
	reply = live_get(&rig, "owner", "/v1/search");
	rig_expect("nothing asked", &reply, 400, "q:");
	api_rig_stop(&rig);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M11_the_transcript);
	SUITE_TEST(&s, T7_a_long_result_shows_its_head_and_tail);
	SUITE_TEST(&s, M11_pages_go_on_where_they_ended);
	SUITE_TEST(&s, M11_rewound_messages_are_left_out);
	SUITE_TEST(&s, Q9_the_queue_shows_what_waits);
	SUITE_TEST(&s, threads_are_the_session_itself);
	SUITE_TEST(&s, A1_resources_of_a_session);
	SUITE_TEST(&s, C8_search_finds_what_was_said);
	return suite_run(&s, "api/message_routes");
}
