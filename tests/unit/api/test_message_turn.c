#include "api/message_turn.h"

#include <unistd.h>

#include "live_engine.h"
#include "sse_reader.h"

static struct api_rig rig;

static void
start_rig(void)
{
	api_rig_init(&rig);
	api_rig_start(&rig);
	live_open(&rig, "s1");
}

static struct rig_reply
post(const char *body, const char *headers)
{
	return api_rig_ask(&rig, &(struct rig_ask){ .method = "POST",
						    .target = "/v1/sessions/s1/messages",
						    .token = "owner",
						    .headers = headers,
						    .body = body });
}

/* The value of a member that is a text. */
static void
member(struct str json, const char *name, char out[128])
{
	char needle[64];
	struct str rest, head;
	size_t at;

	snprintf(needle, sizeof needle, "\"%s\":\"", name);
	if (!str_find(json, str_of(needle), 0, &at))
		fail_msg("no %s in " STR_FMT, name, STR_ARG(json));
	rest = str_slice(json, at + strlen(needle), json.len);
	str_cut(rest, '"', &head, &rest);
	snprintf(out, 128, STR_FMT, STR_ARG(head));
}

static void
run(const char *turn, const char *id)
{
	char payload[512];

	snprintf(payload, sizeof payload,
		 "{\"type\":\"session.status_running\",\"turn_id\":\"%s\",\"consumes\":[\"%s\"],"
		 "\"wakes\":[]}",
		 turn, id);
	live_write(&rig, "s1", turn, payload);
}

static void
says(const char *turn, const char *text)
{
	char payload[512];

	snprintf(payload, sizeof payload,
		 "{\"type\":\"agent.message\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}",
		 text);
	live_write(&rig, "s1", turn, payload);
}

static void
idle(const char *turn)
{
	char payload[512];

	snprintf(payload, sizeof payload,
		 "{\"type\":\"session.status_idle\",\"turn_id\":\"%s\",\"stop_reason\":{\"type\":"
		 "\"end_turn\"},\"stop_details\":null,\"consumes\":[]}",
		 turn);
	live_write(&rig, "s1", turn, payload);
}

/* A request whose answer takes its time. */
struct asked {
	int fd;
};

static struct asked
ask_slowly(const char *body)
{
	struct asked a = { probe_connect(&rig.client) };
	char request[1024];

	snprintf(
		request, sizeof request,
		"POST /v1/sessions/s1/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		"Authorization: Bearer owner\r\nContent-Type: application/json\r\n"
		"Content-Length: %zu\r\n\r\n%s",
		strlen(body), body);
	probe_send(a.fd, str_of(request));
	return a;
}

static void
expect_answer(struct asked *a, int status, const char *part)
{
	struct str all = probe_read_all(a->fd);

	if (probe_status(all, 0) != status || !str_contains(all, str_of(part)))
		fail_msg("wanted %d with '%s', got " STR_FMT, status, part, STR_ARG(all));
	close(a->fd);
}

/* The newest message that waits; fails when none does. */
static void
newest(char id[128], int want)
{
	for (int i = 0; i < 500; i++) {
		struct rig_reply reply =
			api_rig_ask(&rig, &(struct rig_ask){ .method = "GET",
							     .target = "/v1/sessions/s1/queue",
							     .token = "owner" });
		size_t at = 0, last = 0;
		int count = 0;

		while (str_find(reply.body, STR("\"event_id\":"), at, &last)) {
			at = last + 1;
			count++;
		}
		if (count == want) {
			member(str_slice(reply.body, at - 1, reply.body.len), "event_id", id);
			return;
		}
		usleep(2000);
	}
	fail_msg("the queue never had %d", want);
}

static void
A7_default_says_what_was_made_of_it(void **state)
{
	struct rig_reply reply;
	char event[128], message[128];

	(void)state;
	start_rig();
	reply = post("{\"text\":\"hello\"}", NULL);
	rig_expect("default", &reply, 200, "{\"type\":\"message\",\"session_id\":\"s1\"");
	rig_expect("default", &reply, 200, "\"triggered\":true,\"queue_position\":0}");
	member(reply.body, "event_id", event);
	member(reply.body, "message_id", message);
	assert_string_equal(event, message);
	reply = post("{\"text\":\"next\",\"message_id\":\"mine\"}", NULL);
	rig_expect("waits", &reply, 200, "\"message_id\":\"mine\"");
	rig_expect("waits", &reply, 200, "\"queue_position\":1}");
	reply = post("{\"text\":\"only stored\",\"mode\":\"append\"}", NULL);
	rig_expect("append", &reply, 200, "\"triggered\":false,\"queue_position\":null}");
	api_rig_stop(&rig);
}

static void
A7_a_repeat_gets_the_first_answer(void **state)
{
	struct rig_reply reply;
	char first[128], again[128];

	(void)state;
	start_rig();
	reply = post("{\"text\":\"hello\",\"message_id\":\"mine\"}", NULL);
	rig_expect("first", &reply, 200, "\"message_id\":\"mine\"");
	member(reply.body, "event_id", first);
	reply = post("{\"text\":\"hello\",\"message_id\":\"mine\"}", NULL);
	rig_expect("again", &reply, 200, "\"message_id\":\"mine\"");
	member(reply.body, "event_id", again);
	assert_string_equal(first, again);
	check_str("mark", rig_header(&reply, "idempotency-replayed"), STR("true"));
	reply = post("{\"text\":\"other\",\"message_id\":\"mine\"}", NULL);
	rig_expect("another text", &reply, 422, "invalid_request_error");
	reply = post("{\"text\":\"key\"}", "Idempotency-Key: k1\r\n");
	rig_expect("key", &reply, 200, "");
	member(reply.body, "event_id", first);
	reply = post("{\"text\":\"key\"}", "Idempotency-Key: k1\r\n");
	member(reply.body, "event_id", again);
	assert_string_equal(first, again);
	api_rig_stop(&rig);
}

static void
A7_wait_answers_with_the_turn(void **state)
{
	struct asked a;
	char id[128];

	(void)state;
	start_rig();
	a = ask_slowly("{\"text\":\"hello\",\"mode\":\"wait\"}");
	newest(id, 1);
	run("t1", id);
	says("t1", "one");
	says("t1", "two <NO_REPLY>");
	idle("t1");
	expect_answer(&a, 200,
		      "\"triggered\":true,\"queue_position\":0,\"text\":\"one\\n\\ntwo\","
		      "\"tool_calls\":[],\"stop_reason\":{\"type\":\"end_turn\"}");
	api_rig_stop(&rig);
}

static void
A7_wait_of_what_runs_nothing_answers_at_once(void **state)
{
	struct rig_reply reply;

	(void)state;
	start_rig();
	reply = api_rig_ask(&rig,
			    &(struct rig_ask){ .method = "POST",
					       .target = "/v1/sessions",
					       .token = "owner",
					       .body = "{\"id\":\"g\",\"agent\":\"main\","
						       "\"environment_id\":\"local-default\","
						       "\"source\":{\"kind\":\"api\",\"type\":"
						       "\"group\"}}" });
	rig_expect("a group", &reply, 200, "\"session_type\":\"group\"");
	reply = api_rig_ask(
		&rig, &(struct rig_ask){ .method = "POST",
					 .target = "/v1/sessions/g/messages",
					 .token = "owner",
					 .body = "{\"text\":\"hi\",\"mode\":\"wait\",\"mentioned\":"
						 "false,\"sender\":{\"channel\":\"c\","
						 "\"channel_user_id\":\"u\"}}" });
	rig_expect("not directed at it", &reply, 200, "\"triggered\":false");
	rig_expect("not directed at it", &reply, 200, "\"text\":\"\"");
	api_rig_stop(&rig);
}

static void
A7_a_sender_is_who_on_which_channel(void **state)
{
	static const struct {
		const char *sender, *names;
	} WRONG[] = {
		{ "{}", "sender.channel" },
		{ "{\"channel\":1,\"channel_user_id\":\"u\"}", "sender.channel" },
		{ "{\"channel\":\"c\"}", "sender.channel_user_id" },
		{ "{\"channel\":\"c\",\"channel_user_id\":1}", "sender.channel_user_id" },
		{ "{\"channel\":\"c\",\"channel_user_id\":\"u\",\"role\":\"owner\"}",
		  "sender.role" },
	};

	(void)state;
	start_rig();
	for (size_t i = 0; i < ARRAY_LEN(WRONG); i++) {
		char body[256];
		struct rig_reply reply;

		snprintf(body, sizeof body, "{\"text\":\"hi\",\"mode\":\"append\",\"sender\":%s}",
			 WRONG[i].sender);
		reply = api_rig_ask(&rig, &(struct rig_ask){ .method = "POST",
							     .target = "/v1/sessions/s1/messages",
							     .token = "owner",
							     .body = body });
		rig_expect(WRONG[i].sender, &reply, 400, WRONG[i].names);
	}
	api_rig_stop(&rig);
}

static void
A7_wait_times_out_with_what_there_is(void **state)
{
	struct asked a;
	char id[128];

	(void)state;
	start_rig();
	a = ask_slowly("{\"text\":\"hello\",\"mode\":\"wait\",\"timeout_ms\":400}");
	newest(id, 1);
	run("t1", id);
	expect_answer(&a, 504, "\"type\":\"timeout_error\"");
	a = ask_slowly("{\"text\":\"again\",\"mode\":\"wait\",\"timeout_ms\":1}");
	expect_answer(&a, 504, "\"text\":\"\"");
	api_rig_stop(&rig);
}

static void
A7_the_text_of_a_timeout_holds_the_half_written(void **state)
{
	struct asked a;
	char id[128];

	(void)state;
	start_rig();
	a = ask_slowly("{\"text\":\"hello\",\"mode\":\"wait\",\"timeout_ms\":400}");
	newest(id, 1);
	run("t1", id);
	says("t1", "one");
	live_preview_start(&rig, "s1", "sevt_9");
	live_preview_delta(&rig, "s1", "sevt_9", "half of");
	expect_answer(&a, 504, "\"text\":\"one\\n\\nhalf of\"");
	live_preview_end(&rig, "s1", "sevt_9");
	api_rig_stop(&rig);
}

static void
A7_a_steered_wait_gets_the_whole_turn(void **state)
{
	struct rig_reply reply;
	struct asked a;
	char first[128], id[128], payload[512];

	(void)state;
	start_rig();
	reply = post("{\"text\":\"first\"}", NULL);
	member(reply.body, "event_id", first);
	run("t1", first);
	says("t1", "before");
	a = ask_slowly("{\"text\":\"more\",\"mode\":\"wait\",\"busy\":\"steer\"}");
	newest(id, 1);
	snprintf(payload, sizeof payload,
		 "{\"type\":\"session.input_consumed\",\"turn_id\":\"t1\",\"consumes\":[\"%s\"]}",
		 id);
	live_write(&rig, "s1", "t1", payload);
	says("t1", "after");
	idle("t1");
	expect_answer(&a, 200, "\"text\":\"before\\n\\nafter\"");
	api_rig_stop(&rig);
}

static void
A7_a_cancelled_message_ends_its_wait(void **state)
{
	struct asked a;
	char id[128];

	(void)state;
	start_rig();
	a = ask_slowly("{\"text\":\"hello\",\"mode\":\"wait\"}");
	newest(id, 1);
	live_write(&rig, "s1", NULL, "{\"type\":\"session.input_cancelled\",\"all\":true}");
	expect_answer(&a, 200, "\"stop_reason\":{\"type\":\"cancelled\"}");
	api_rig_stop(&rig);
}

static void
A7_stream_shows_the_turn_and_closes(void **state)
{
	struct sse_reader r;
	struct sse_frame_read frame;
	char id[128];

	(void)state;
	start_rig();
	sse_reader_open(&r, &rig,
			&(struct rig_ask){ .method = "POST",
					   .target = "/v1/sessions/s1/messages",
					   .token = "owner",
					   .body = "{\"text\":\"hello\",\"mode\":\"stream\"}" });
	frame = sse_reader_wait(&r);
	assert_string_equal(frame.event, "message");
	member(frame.data, "event_id", id);
	assert_true(str_contains(frame.data, STR("\"triggered\":true,\"queue_position\":0}")));
	live_write(&rig, "s1", NULL,
		   "{\"type\":\"session.checkpoint\",\"reason\":\"manual\",\"success\":true,"
		   "\"upto_seq\":1}"); /* not the turn's */
	run("t1", id);
	sse_reader_expect(&r, "session.status_running", "\"turn_id\":\"t1\"");
	live_preview_start(&rig, "s1", "sevt_9");
	live_preview_delta(&rig, "s1", "sevt_9", "Hi");
	sse_reader_expect(&r, "event_start", "sevt_9");
	sse_reader_expect(&r, "event_delta", "\"text\":\"Hi\"");
	live_write_as(
		&rig, "s1", "t1", "sevt_9",
		"{\"type\":\"agent.message\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]}");
	live_preview_end(&rig, "s1", "sevt_9");
	sse_reader_expect(&r, "agent.message", "\"id\":\"sevt_9\"");
	idle("t1");
	sse_reader_expect(&r, "session.status_idle", "end_turn");
	sse_reader_expect_end(&r);
	sse_reader_close(&r);
	api_rig_stop(&rig);
}

static void
A10_a_repeated_stream_joins_the_turn_again(void **state)
{
	struct sse_reader r;
	struct rig_ask ask = { .method = "POST",
			       .target = "/v1/sessions/s1/messages",
			       .token = "owner",
			       .headers = "Idempotency-Key: k\r\n",
			       .body = "{\"text\":\"hello\",\"mode\":\"stream\"}" };
	char id[128];

	(void)state;
	start_rig();
	sse_reader_open(&r, &rig, &ask);
	newest(id, 1);
	sse_reader_close(&r); /* the client loses its connection */
	run("t1", id);
	says("t1", "while you were away");
	sse_reader_open(&r, &rig, &ask);
	sse_reader_expect(&r, "message", id);
	sse_reader_expect(&r, "session.status_running", "t1");
	sse_reader_expect(&r, "agent.message", "while you were away");
	idle("t1");
	sse_reader_expect(&r, "session.status_idle", "");
	sse_reader_expect_end(&r);
	sse_reader_close(&r);
	api_rig_stop(&rig);
}

static const struct refused {
	const char *name, *body;
	int status;
	const char *part;
} REFUSED[] = {
	{ "A7 no text", "{}", 400, "text" },
	{ "A7 a text that is none", "{\"text\":7}", 400, "text" },
	{ "A7 an unknown mode", "{\"text\":\"x\",\"mode\":\"maybe\"}", 400, "mode" },
	{ "A7 an unknown way to be busy", "{\"text\":\"x\",\"busy\":\"now\"}", 400, "busy" },
	{ "A7 no time at all", "{\"text\":\"x\",\"mode\":\"wait\",\"timeout_ms\":0}", 400,
	  "timeout_ms" },
	{ "A7 an empty message id", "{\"text\":\"x\",\"message_id\":\"\"}", 400, "message_id" },
	{ "A7 an unknown field", "{\"text\":\"x\",\"txt\":1}", 400, "txt" },
};

static void
is_refused(void **state)
{
	const struct refused *row = *state;
	struct rig_reply reply;

	start_rig();
	reply = post(row->body, NULL);
	rig_expect(row->name, &reply, row->status, row->part);
	api_rig_stop(&rig);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, A7_default_says_what_was_made_of_it);
	SUITE_TEST(&s, A7_a_repeat_gets_the_first_answer);
	SUITE_TEST(&s, A7_wait_answers_with_the_turn);
	SUITE_TEST(&s, A7_wait_of_what_runs_nothing_answers_at_once);
	SUITE_TEST(&s, A7_a_sender_is_who_on_which_channel);
	SUITE_TEST(&s, A7_wait_times_out_with_what_there_is);
	SUITE_TEST(&s, A7_the_text_of_a_timeout_holds_the_half_written);
	SUITE_TEST(&s, A7_a_steered_wait_gets_the_whole_turn);
	SUITE_TEST(&s, A7_a_cancelled_message_ends_its_wait);
	SUITE_TEST(&s, A7_stream_shows_the_turn_and_closes);
	SUITE_TEST(&s, A10_a_repeated_stream_joins_the_turn_again);
	SUITE_ROWS(&s, REFUSED, is_refused);
	return suite_run(&s, "api/message_turn");
}
