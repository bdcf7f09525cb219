#include "api/event_json.h"

#include "harness.h"

static const struct row {
	const char *name;
	struct event_view view;
	struct event ev;
	const char *want;
} ROWS[] = {
	{ "M9 an event of the server's",
	  { .processed_at_ms = 1767225600000 },
	  { .seq = 7,
	    .id = STR("sevt_1"),
	    .kind = EVENT_AGENT_MESSAGE,
	    .created_at_ms = 1767225600000,
	    .turn = STR("turn_1"),
	    .payload = STR("{\"type\":\"agent.message\",\"content\":[]}") },
	  "{\"id\":\"sevt_1\",\"type\":\"agent.message\",\"content\":[],\"seq\":7,\"created_at\":"
	  "\"2026-01-01T00:00:00Z\",\"processed_at\":\"2026-01-01T00:00:00Z\",\"turn_id\":"
	  "\"turn_1\"}" },
	{ "M9 pending is null",
	  { .processed_at_ms = 0 },
	  { .seq = 1,
	    .id = STR("e"),
	    .kind = EVENT_USER_MESSAGE,
	    .created_at_ms = 1767225600123,
	    .payload = STR("{\"type\":\"user.message\"}") },
	  "{\"id\":\"e\",\"type\":\"user.message\",\"seq\":1,\"created_at\":"
	  "\"2026-01-01T00:00:00.123Z\",\"processed_at\":null}" },
	{ "Q3 what waits says where",
	  { .processed_at_ms = 0, .position = 2 },
	  { .seq = 1,
	    .id = STR("e"),
	    .kind = EVENT_USER_MESSAGE,
	    .created_at_ms = 1767225600000,
	    .payload = STR("{\"type\":\"user.message\"}") },
	  "{\"id\":\"e\",\"type\":\"user.message\",\"seq\":1,\"created_at\":"
	  "\"2026-01-01T00:00:00Z\",\"processed_at\":null,\"queue_position\":2}" },
	{ "A3 a payload that names its turn says so once",
	  { .processed_at_ms = 1767225600000 },
	  { .seq = 2,
	    .id = STR("e"),
	    .kind = EVENT_STATUS_RUNNING,
	    .created_at_ms = 1767225600000,
	    .turn = STR("t"),
	    .payload = STR("{\"type\":\"session.status_running\",\"turn_id\":\"t\"}") },
	  "{\"id\":\"e\",\"type\":\"session.status_running\",\"turn_id\":\"t\",\"seq\":2,"
	  "\"created_at\":\"2026-01-01T00:00:00Z\",\"processed_at\":\"2026-01-01T00:00:00Z\"}" },
	{ "A2 bytes as received, line ends as blanks",
	  { .processed_at_ms = 0 },
	  { .seq = 3,
	    .id = STR("e\"1"),
	    .kind = EVENT_USER_INTERRUPT,
	    .created_at_ms = 1767225600000,
	    .payload = STR("{ \"type\" :\r\n\t\"user.interrupt\"\n}") },
	  "{\"id\":\"e\\\"1\",\"type\" :  \t\"user.interrupt\",\"seq\":3,\"created_at\":"
	  "\"2026-01-01T00:00:00Z\",\"processed_at\":null}" },
	{ "A5 with its session",
	  { .processed_at_ms = 1767225600000, .session_id = STR("s1") },
	  { .seq = 4,
	    .id = STR("e"),
	    .kind = EVENT_SESSION_DELETED,
	    .created_at_ms = 1767225600000,
	    .payload = STR("{\"type\":\"session.deleted\"}") },
	  "{\"id\":\"e\",\"type\":\"session.deleted\",\"seq\":4,\"created_at\":"
	  "\"2026-01-01T00:00:00Z\",\"processed_at\":\"2026-01-01T00:00:00Z\",\"session_id\":"
	  "\"s1\"}" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct event_view view = row->view;
	struct buf out;

	view.ev = &row->ev;
	buf_init(&out, 4096);
	event_json_write(&out, &view);
	check_str("event", buf_str(&out), str_of(row->want));
	buf_release(&out);
}

static void
A4_a_frame_is_one_block(void **state)
{
	struct event ev = { .seq = 41,
			    .id = STR("e"),
			    .kind = EVENT_USER_INTERRUPT,
			    .created_at_ms = 1767225600000,
			    .payload = STR("{\"type\":\n\"user.interrupt\"}") };
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	event_json_frame(&out, EVENT_SSE, &(struct event_view){ .ev = &ev }, 41);
	check_str("frame", buf_str(&out),
		  STR("id: 41\nevent: user.interrupt\ndata: {\"id\":\"e\",\"type\": "
		      "\"user.interrupt\",\"seq\":41,\"created_at\":\"2026-01-01T00:00:00Z\","
		      "\"processed_at\":null}\n\n"));
	buf_clear(&out);
	event_json_gap(&out, EVENT_SSE, 3, 9);
	event_json_reset(&out, EVENT_SSE, 12);
	check_str("gap and reset", buf_str(&out),
		  STR("event: gap\ndata: {\"type\":\"gap\",\"from\":3,\"to\":9}\n\n"
		      "event: reset\ndata: {\"type\":\"reset\",\"head\":12}\n\n"));
	buf_release(&out);
}

static void
A16_a_frame_is_the_end_of_a_message(void **state)
{
	struct event ev = { .seq = 41,
			    .id = STR("e"),
			    .kind = EVENT_USER_INTERRUPT,
			    .created_at_ms = 1767225600000,
			    .payload = STR("{\"type\":\"user.interrupt\"}") };
	struct engine_preview p = { .session = STR("s1"),
				    .event_id = STR("sevt_9"),
				    .event_kind = EVENT_AGENT_THINKING };
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	event_json_frame(&out, EVENT_WS, &(struct event_view){ .ev = &ev }, 41);
	check_str("frame", buf_str(&out),
		  STR("\x80\x7e\x00\x87\"type\":\"event\",\"cursor\":41,\"event\":{\"id\":\"e\","
		      "\"type\":\"user.interrupt\",\"seq\":41,\"created_at\":"
		      "\"2026-01-01T00:00:00Z\",\"processed_at\":null}}"));
	buf_clear(&out);
	event_json_gap(&out, EVENT_WS, 3, 9);
	event_json_other(&out, EVENT_WS, "message", STR("{\"type\":\"message\"}"));
	event_json_preview_start(&out, EVENT_WS, &p, true);
	check_str("others", buf_str(&out),
		  STR("\x80\x36\"type\":\"event\",\"event\":{\"type\":\"gap\",\"from\":3,\"to\":9}}"
		      "\x80\x2a\"type\":\"event\",\"event\":{\"type\":\"message\"}}"
		      "\x80\x70\"type\":\"event\",\"event\":{\"type\":\"event_start\",\"event\":"
		      "{\"type\":\"agent.thinking\",\"id\":\"sevt_9\"},\"session_id\":\"s1\"}}"));
	buf_release(&out);
}

static void
A4_previews_carry_no_id(void **state)
{
	struct engine_preview p = { .session = STR("s1"),
				    .event_id = STR("sevt_9"),
				    .event_kind = EVENT_AGENT_THINKING,
				    .text = STR("a\n\"b\"") };
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	event_json_preview_start(&out, EVENT_SSE, &p, false);
	event_json_preview_delta(&out, EVENT_SSE, &p, true);
	check_str("previews", buf_str(&out),
		  STR("event: event_start\ndata: {\"type\":\"event_start\",\"event\":{\"type\":"
		      "\"agent.thinking\",\"id\":\"sevt_9\"}}\n\n"
		      "event: event_delta\ndata: {\"type\":\"event_delta\",\"event_id\":\"sevt_9\","
		      "\"delta\":{\"type\":\"content_delta\",\"index\":0,\"content\":{\"type\":"
		      "\"text\","
		      "\"text\":\"a\\n\\\"b\\\"\"}},\"session_id\":\"s1\"}\n\n"));
	buf_release(&out);
}

static void
M9_passive_inputs_are_processed_on_arrival(void **state)
{
	struct event ev = { .created_at_ms = 5 };

	(void)state;
	assert_int_equal(event_json_accepted_at(&ev), 5); /* no input at all */
	ev.meta = STR("{\"class\":\"passive\"}");
	assert_int_equal(event_json_accepted_at(&ev), 5);
	ev.meta = STR("{\"class\":\"trigger\"}");
	assert_int_equal(event_json_accepted_at(&ev), 0);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, A4_a_frame_is_one_block);
	SUITE_TEST(&s, A16_a_frame_is_the_end_of_a_message);
	SUITE_TEST(&s, A4_previews_carry_no_id);
	SUITE_TEST(&s, M9_passive_inputs_are_processed_on_arrival);
	return suite_run(&s, "api/event_json");
}
