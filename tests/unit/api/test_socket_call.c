#include "api/socket_call.h"

#include "api/socket.h"
#include "live_ask.h"
#include "socket_client.h"

static struct api_rig rig;
static struct socket_client ws;

static void
begin_as(const char *token)
{
	api_rig_init(&rig);
	rig.config.body_bytes = 1024 * 1024;
	atomic_store(&LIVE.short_is_dead, false);
	api_rig_start(&rig);
	live_open(&rig, "s1");
	socket_client_open(&ws, &rig, token, NULL);
}

static void
end(void)
{
	socket_client_close(&ws);
	api_rig_stop(&rig);
}

/* ---- requests ---- */

#define TEXT(words)                                                                           \
	"{\"events\":[{\"type\":\"system.message\",\"content\":[{\"type\":\"text\",\"text\":" \
	"\"" words "\"}]}]}"

static const struct asked {
	const char *name, *token, *text;
	int status;
	const char *id, *part;
} ASKED[] = {
	{ "A16 retrieves", "owner", "{\"id\":5,\"path\":\"/v1/sessions/s1\"}", 200, "5",
	  "\"body\":{\"id\":\"s1\"" },
	{ "A16 lists, with a query", "owner",
	  "{\"id\":6,\"method\":\"GET\",\"path\":\"/v1/sessions/s1/events?limit=1&order=desc\"}",
	  200, "6", "\"body\":{\"data\":[{\"id\":" },
	{ "A16 sends", "owner",
	  "{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/s1/events\",\"body\":" TEXT(
		  "hello") "}",
	  200, "1", "\"text\":\"hello\"" },
	{ "A16 deletes", "owner", "{\"id\":1,\"method\":\"DELETE\",\"path\":\"/v1/sessions/s1\"}",
	  200, "1", "\"body\":{\"id\":\"s1\",\"type\":\"session_deleted\"}" },
	{ "A16 names the request as HTTP does", "owner", "{\"id\":1,\"path\":\"/v1/sessions/s1\"}",
	  200, "1", "\"headers\":{\"request-id\":\"req_" },
	{ "A16 a text is a text", "owner", "{\"id\":1,\"path\":\"/metrics\"}", 200, "1",
	  "\"body\":\"# HELP " },
	{ "A16 a message that is no JSON", "owner", "hello", 400, "null",
	  "\"body\":{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\"" },
	{ "A16 a message without an id", "owner", "{\"path\":\"/v1/sessions\"}", 400, "null",
	  "id" },
	{ "A16 a path that is not there", "owner", "{\"id\":1,\"path\":\"/v1/nothing\"}", 404, "1",
	  "not_found_error" },
	{ "A16 a method that is not there", "owner",
	  "{\"id\":1,\"method\":\"DELETE\",\"path\":\"/v1/sessions\"}", 405, "1", "\"Allow\":\"" },
	{ "A16 a path that cannot be decoded", "owner", "{\"id\":1,\"path\":\"/v1/sessions/%zz\"}",
	  400, "1", "path" },
	{ "A16 an unknown parameter", "owner", "{\"id\":1,\"path\":\"/v1/sessions/s1?x=1\"}", 400,
	  "1", "query parameter x" },
	{ "A16 a body where none belongs", "owner",
	  "{\"id\":1,\"path\":\"/v1/sessions/s1\",\"body\":{\"a\":1}}", 400, "1", "body" },
	{ "A16 no body where one belongs", "owner",
	  "{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/s1/events\"}", 400, "1", "body" },
	{ "A16 a wrong field", "owner",
	  "{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/s1/"
	  "events\",\"body\":{\"event\":[]}}",
	  400, "1", "event" },
	{ "P3 a token in the URL", "owner", "{\"id\":1,\"path\":\"/v1/sessions?token=x\"}", 401,
	  "1", "does not belong into a URL" },
	{ "A16 a bad key", "owner",
	  "{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/s1/"
	  "archive\",\"idempotency_key\":\"\"}",
	  400, "1", "Idempotency-Key" },
	{ "A16 a file is for HTTP", "owner", "{\"id\":1,\"path\":\"/v1/sessions/s1/export\"}", 400,
	  "1", "over HTTP only" },
	{ "A16 so are bytes", "owner",
	  "{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/import\",\"body\":{}}", 400, "1",
	  "over HTTP only" },
	{ "A16 so is a WebSocket", "owner", "{\"id\":1,\"path\":\"/v1/ws\"}", 400, "1",
	  "over HTTP only" },
	{ "P2 another's session is not found", "user", "{\"id\":1,\"path\":\"/v1/sessions/s1\"}",
	  404, "1", "session_not_found" },
	{ "P2 nor is its stream", "user",
	  "{\"id\":1,\"path\":\"/v1/sessions/s1/events/stream?after=0\"}", 404, "1",
	  "session_not_found" },
	{ "P2 nor what is the operator's", "user", "{\"id\":1,\"path\":\"/metrics\"}", 404, "1",
	  "not_found_error" },
	{ "A16 a stream with a bad cursor", "owner",
	  "{\"id\":1,\"path\":\"/v1/sessions/s1/events/stream?after=x\"}", 400, "1", "after" },
	{ "A16 no stream to unsubscribe from", "owner", "{\"id\":4,\"type\":\"unsubscribe\"}", 400,
	  "4", "no stream of that id" },
};

static void
is_answered(void **state)
{
	const struct asked *row = *state;
	char begins[128];

	begin_as(row->token);
	socket_client_say(&ws, row->text);
	snprintf(begins, sizeof begins, "{\"id\":%s,\"type\":\"response\",\"status\":%d,", row->id,
		 row->status);
	socket_client_expect(&ws, begins, row->part);
	socket_client_get(&ws, 77, "/v1/agents?limit=1"); /* it goes on */
	socket_client_expect(&ws, "{\"id\":77,", "\"status\":200");
	end();
}

static void
A16_a_key_is_the_same_key_as_over_http(void **state)
{
	static const char SEND[] =
		"{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/s1/events\","
		"\"idempotency_key\":\"k1\",\"body\":" TEXT("once") "}";
	struct rig_reply reply;

	(void)state;
	begin_as("owner");
	socket_client_say(&ws, SEND);
	socket_client_expect(&ws, "{\"id\":1,", "\"seq\":2");
	socket_client_say(&ws, SEND);
	socket_client_expect(&ws, "{\"id\":1,", "\"idempotency-replayed\":\"true\"");
	reply = api_rig_ask(&rig, &(struct rig_ask){ .method = "POST",
						     .target = "/v1/sessions/s1/events",
						     .token = "owner",
						     .headers = "Idempotency-Key: k1\r\n",
						     .body = TEXT("once") });
	rig_expect("over HTTP", &reply, 200, "\"seq\":2");
	check_str("replayed", rig_header(&reply, "idempotency-replayed"), STR("true"));
	socket_client_say(&ws, "{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/s1/events\","
			       "\"idempotency_key\":\"k1\",\"body\":" TEXT("twice") "}");
	socket_client_expect(&ws, "{\"id\":1,\"type\":\"response\",\"status\":422,", "error");
	end();
}

static void
A16_answers_come_as_they_are_ready(void **state)
{
	char event[256];

	(void)state;
	begin_as("owner");
	socket_client_say(&ws,
			  "{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/s1/messages\","
			  "\"body\":{\"text\":\"hi\",\"mode\":\"wait\",\"message_id\":\"m1\"}}");
	socket_client_get(&ws, 2, "/v1/sessions/s1/queue");
	socket_client_expect(&ws, "{\"id\":2,", "\"data\":[");
	socket_client_get(&ws, 1, "/v1/sessions");
	socket_client_expect(&ws, "{\"id\":1,\"type\":\"response\",\"status\":400,",
			     "of that id is still open");
	live_member(live_get(&rig, "owner", "/v1/sessions/s1/events?order=desc&limit=1").body, "id",
		    0, event);
	live_run(&rig, "s1", "t1", event);
	live_reply(&rig, "s1", "t1", "hello");
	live_idle(&rig, "s1", "t1");
	socket_client_expect(&ws, "{\"id\":1,\"type\":\"response\",\"status\":200,",
			     "\"text\":\"hello\"");
	end();
}

/* ---- streams ---- */

static void
A16_a_stream_is_subscribed_to_by_its_path(void **state)
{
	(void)state;
	begin_as("owner");
	live_say(&rig, "s1", "one");
	socket_client_get(&ws, 2, "/v1/sessions/s1/events/stream?after=1");
	socket_client_expect(&ws, "{\"id\":2,\"type\":\"subscribed\",\"request_id\":\"req_", "");
	socket_client_expect(&ws, "{\"id\":2,\"type\":\"event\",\"cursor\":2,\"event\":{\"id\":",
			     "\"text\":\"one\"");
	live_say(&rig, "s1", "two");
	socket_client_expect(&ws, "{\"id\":2,\"type\":\"event\",\"cursor\":3,\"event\":{\"id\":",
			     "\"text\":\"two\"");
	socket_client_get(&ws, 9, "/v1/sessions/s1"); /* beside it */
	socket_client_expect(&ws, "{\"id\":9,\"type\":\"response\"", "");
	socket_client_say(&ws, "{\"id\":2,\"type\":\"unsubscribe\"}");
	socket_client_expect(&ws, "{\"id\":2,\"type\":\"unsubscribed\",\"reason\":\"asked\"}", "");
	live_say(&rig, "s1", "three");
	socket_client_expect_silence(&ws, 30);
	socket_client_get(&ws, 2,
			  "/v1/sessions/s1/events/stream?after=3"); /* the id is free again */
	socket_client_expect(&ws, "{\"id\":2,\"type\":\"subscribed\"", "");
	socket_client_expect(&ws, "{\"id\":2,\"type\":\"event\",\"cursor\":4,", "three");
	end();
}

static void
A16_a_stream_may_be_unwanted_before_it_begins(void **state)
{
	(void)state;
	begin_as("owner");
	for (int i = 0; i < 20; i++) {
		socket_client_get(&ws, 2, "/v1/sessions/s1/events/stream");
		socket_client_say(&ws, "{\"id\":2,\"type\":\"unsubscribe\"}");
		socket_client_expect(&ws, "{\"id\":2,\"type\":\"subscribed\"", "");
		socket_client_expect(
			&ws, "{\"id\":2,\"type\":\"unsubscribed\",\"reason\":\"asked\"}", "");
	}
	live_say(&rig, "s1", "to nobody");
	socket_client_expect_silence(&ws, 20);
	end();
}

static void
A16_streams_share_events_but_not_ids(void **state)
{
	struct socket_client other;

	(void)state;
	begin_as("owner");
	socket_client_open(&other, &rig, "owner", NULL);
	socket_client_get(&ws, 1, "/v1/sessions/s1/events/stream");
	socket_client_expect(&ws, "{\"id\":1,\"type\":\"subscribed\"", "");
	socket_client_get(&ws, 12345, "/v1/events/stream");
	socket_client_expect(&ws, "{\"id\":12345,\"type\":\"subscribed\"", "");
	socket_client_get(&other, 3, "/v1/sessions/s1/events/stream");
	socket_client_expect(&other, "{\"id\":3,\"type\":\"subscribed\"", "");
	live_say(&rig, "s1", "all hear it");
	for (int i = 0; i < 2; i++) {
		struct str text = socket_client_wait(&ws);
		bool of_all = str_starts(text, STR("{\"id\":12345,\"type\":\"event\",\"cursor\":"));

		assert_true(of_all ||
			    str_starts(text, STR("{\"id\":1,\"type\":\"event\",\"cursor\":2,")));
		assert_int_equal(str_contains(text, STR("\"session_id\":\"s1\"")), of_all);
		assert_true(str_contains(text, STR("all hear it")));
	}
	socket_client_expect(&other, "{\"id\":3,\"type\":\"event\",\"cursor\":2,", "all hear it");
	socket_client_close(&other);
	end();
}

static void
A16_a_cursor_above_the_head_is_reset(void **state)
{
	(void)state;
	begin_as("owner");
	socket_client_get(&ws, 2, "/v1/sessions/s1/events/stream?after=77");
	socket_client_expect(&ws, "{\"id\":2,\"type\":\"subscribed\"", "");
	socket_client_expect(
		&ws, "{\"id\":2,\"type\":\"event\",\"event\":{\"type\":\"reset\",\"head\":1}}", "");
	live_say(&rig, "s1", "live");
	socket_client_expect(&ws, "{\"id\":2,\"type\":\"event\",\"cursor\":2,", "live");
	end();
}

static void
A16_a_message_that_is_being_written(void **state)
{
	(void)state;
	begin_as("owner");
	live_write(&rig, "s1", "t1",
		   "{\"type\":\"session.status_running\",\"turn_id\":\"t1\",\"consumes\":[],"
		   "\"wakes\":[\"w1\"]}");
	live_preview_start(&rig, "s1", "sevt_9");
	live_preview_delta(&rig, "s1", "sevt_9", "Hel");
	socket_client_get(&ws, 2,
			  "/v1/sessions/s1/events/stream?after=2&event_deltas[]=agent.message");
	socket_client_expect(&ws, "{\"id\":2,\"type\":\"subscribed\"", "");
	socket_client_expect(
		&ws,
		"{\"id\":2,\"type\":\"event\",\"event\":{\"type\":\"event_start\",\"event\":{"
		"\"type\":\"agent.message\",\"id\":\"sevt_9\"}}}",
		"");
	socket_client_expect(&ws,
			     "{\"id\":2,\"type\":\"event\",\"event\":{\"type\":\"event_delta\",",
			     "\"text\":\"Hel\"");
	live_preview_delta(&rig, "s1", "sevt_9", "lo");
	socket_client_expect(&ws, "{\"id\":2,", "\"text\":\"lo\"");
	live_preview_end(&rig, "s1", "sevt_9");
	end();
}

static void
A16_a_stream_ends_with_its_session(void **state)
{
	static const char *const AFTER[] = { "", "?after=0" }; /* live, and in a page */

	(void)state;
	begin_as("owner");
	socket_client_get(&ws, 1, "/v1/sessions/s1/events/stream");
	socket_client_expect(&ws, "{\"id\":1,\"type\":\"subscribed\"", "");
	live_write(&rig, "s1", NULL,
		   "{\"type\":\"session.status_terminated\",\"reason\":\"test\",\"consumes\":[]}");
	for (int i = 0; i < 2; i++) {
		char path[64];

		if (i == 1) {
			snprintf(path, sizeof path, "/v1/sessions/s1/events/stream%s", AFTER[i]);
			socket_client_get(&ws, 1, path);
			socket_client_expect(&ws, "{\"id\":1,\"type\":\"subscribed\"", "");
			socket_client_expect(&ws, "{\"id\":1,", "session.created");
		}
		socket_client_expect(&ws, "{\"id\":1,\"type\":\"event\",\"cursor\":2,",
				     "session.status_terminated");
		socket_client_expect(
			&ws, "{\"id\":1,\"type\":\"unsubscribed\",\"reason\":\"ended\"}", "");
	}
	end();
}

static void
A16_a_posted_message_streams_its_turn(void **state)
{
	char event[256];

	(void)state;
	begin_as("owner");
	socket_client_say(&ws,
			  "{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/s1/messages\","
			  "\"body\":{\"text\":\"hi\",\"mode\":\"stream\"}}");
	socket_client_expect(&ws, "{\"id\":1,\"type\":\"subscribed\"", "");
	live_member(socket_client_wait(&ws), "event_id", 0, event);
	live_run(&rig, "s1", "t1", event);
	live_reply(&rig, "s1", "t1", "hello");
	live_idle(&rig, "s1", "t1");
	for (struct str text = socket_client_wait(&ws);
	     !str_contains(text, STR("session.status_idle")); text = socket_client_wait(&ws))
		assert_true(str_starts(text, STR("{\"id\":1,\"type\":\"event\",")));
	socket_client_expect(&ws, "{\"id\":1,\"type\":\"unsubscribed\",\"reason\":\"ended\"}", "");
	end();
}

static void
A16_too_many_at_a_time_is_429(void **state)
{
	(void)state;
	begin_as("owner");
	for (int i = 0; i < SOCKET_CALLS_MAX; i++) {
		socket_client_get(&ws, i, "/v1/sessions/s1/events/stream");
		socket_client_expect(&ws, "{\"id\":", "subscribed");
	}
	socket_client_get(&ws, 1000, "/v1/sessions/s1");
	socket_client_expect(&ws, "{\"id\":1000,\"type\":\"response\",\"status\":429,",
			     "rate_limit_error");
	socket_client_say(&ws, "{\"id\":7,\"type\":\"unsubscribe\"}");
	socket_client_expect(&ws, "{\"id\":7,\"type\":\"unsubscribed\"", "");
	socket_client_get(&ws, 1000, "/v1/sessions/s1");
	socket_client_expect(&ws, "{\"id\":1000,\"type\":\"response\",\"status\":200,", "");
	live_say(&rig, "s1", "to all of them");
	for (int i = 0; i < SOCKET_CALLS_MAX - 1; i++)
		socket_client_expect(&ws, "{\"id\":", "to all of them");
	socket_client_expect_silence(&ws, 10);
	end();
}

/* A handler that is under way when its client leaves ends as any other; so do streams. */
static void
A16_a_client_may_leave_at_any_time(void **state)
{
	char event[256];

	(void)state;
	begin_as("owner");
	socket_client_get(&ws, 2, "/v1/sessions/s1/events/stream?after=0");
	socket_client_expect(&ws, "{\"id\":2,\"type\":\"subscribed\"", "");
	socket_client_say(&ws,
			  "{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/s1/messages\","
			  "\"body\":{\"text\":\"hi\",\"mode\":\"wait\"}}");
	socket_client_expect(&ws, "{\"id\":2,", "session.created");
	live_member(socket_client_wait(&ws), "id", 0, event);
	socket_client_get(&ws, 3, "/v1/sessions/s1/events");
	socket_client_get(&ws, 4, "/v1/sessions/s1/events/stream?after=0");
	socket_client_close(&ws);
	live_run(&rig, "s1", "t1", event);
	live_reply(&rig, "s1", "t1", "hello");
	live_idle(&rig, "s1", "t1");
	socket_client_open(&ws, &rig, "owner", NULL);
	socket_client_get(&ws, 1, "/v1/sessions/s1/messages");
	socket_client_expect(&ws, "{\"id\":1,", "\"hello\"");
	end();
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ASKED, is_answered);
	SUITE_TEST(&s, A16_a_key_is_the_same_key_as_over_http);
	SUITE_TEST(&s, A16_answers_come_as_they_are_ready);
	SUITE_TEST(&s, A16_a_stream_is_subscribed_to_by_its_path);
	SUITE_TEST(&s, A16_a_stream_may_be_unwanted_before_it_begins);
	SUITE_TEST(&s, A16_streams_share_events_but_not_ids);
	SUITE_TEST(&s, A16_a_cursor_above_the_head_is_reset);
	SUITE_TEST(&s, A16_a_message_that_is_being_written);
	SUITE_TEST(&s, A16_a_stream_ends_with_its_session);
	SUITE_TEST(&s, A16_a_posted_message_streams_its_turn);
	SUITE_TEST(&s, A16_too_many_at_a_time_is_429);
	SUITE_TEST(&s, A16_a_client_may_leave_at_any_time);
	return suite_run(&s, "api/socket_call");
}
