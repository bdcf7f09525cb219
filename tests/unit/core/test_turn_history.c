#include "core/turn_history.h"

#include "replay_log.h"
#include "turn_world.h"

/* A turn in the making; the world's machine writes the log that is folded. */
struct fold {
	struct world w;
	struct turn_history h;
};

static void
fold_of(struct fold *f, const char *script)
{
	world_init(&f->w, 3);
	world_run(&f->w, script);
	turn_history_init(&f->h, &f->w.arena);
	for (size_t i = 0; i < f->w.log.len; i++)
		turn_history_add(&f->h, &f->w.log.ptr[i]);
}

static void
fold_release(struct fold *f)
{
	turn_history_release(&f->h);
	world_release(&f->w);
}

#define ASK  "msg a; open a; ok; ctx;"
#define WARN ASK "call no; done; ok; ctx; call no; done; ok; ctx; call no; done; ok;"

static const struct {
	const char *name, *script;
	int64_t steps, leased_ms;
	unsigned continuations;
	bool marked, parked, request_open, warned;
} ROWS[] = {
	{ "T4 a turn at its first request", "msg a; open a; ok", .request_open = true },
	{ "T4 an answered request is a step", ASK "call no; done; ok", 1, .request_open = true },
	{ "T4 a failed one is none", ASK "fail overloaded; ok; at 500; at 500", 0, 0 },
	{ "T4 leased time counts up to the last event", ASK "at 7000; call run; done; ok; at 100",
	  1, 7000 },
	{ "T4 a backoff is leased time", ASK "fail rate_limit 4000; ok; at 4000; ok", 0, 4000,
	  .request_open = true },
	{ "T4 a park is not",
	  ASK "at 10; call client; done; ok; at 900; custom r $client; go; ok; ok", 1, 10,
	  .parked = true, .request_open = true },
	{ "H5 a crash is a continuation", ASK "crash; go; ok", 0, 0, 1, true },
	{ "H5 that runs is not marked", ASK "crash; go; ok; ok", 0, 0, 1 },
	{ "H5 two drains", ASK "drain; ok; go; ok; ok; drain; ok", 0, 0, 2, true },
	{ "H5 a backoff is none", ASK "fail overloaded; ok" },
	{ "T5 a warning is remembered", WARN, 3, .warned = true, .request_open = true },
};

static void
check_row(void **state)
{
	const __typeof__(ROWS[0]) *row = *state;
	struct fold f;

	fold_of(&f, row->script);
	assert_int_equal(f.h.steps, row->steps);
	assert_int_equal(turn_history_leased_ms(&f.h), row->leased_ms);
	assert_int_equal(f.h.continuations, row->continuations);
	assert_int_equal(f.h.marked, row->marked);
	assert_int_equal(f.h.parked_on > 0, row->parked);
	assert_int_equal(f.h.open_request.len > 0, row->request_open);
	assert_int_equal(f.h.guard.warned, row->warned);
	fold_release(&f);
}

static void
H5_the_reason_is_kept(void **state)
{
	struct fold f;

	(void)state;
	fold_of(&f, ASK "drain; ok");
	assert_int_equal(f.h.reason, RECOVER_SHUTDOWN_TIMEOUT);
	fold_release(&f);
	fold_of(&f, ASK "crash; go; ok");
	assert_int_equal(f.h.reason, RECOVER_RESTART_INTERRUPTED);
	fold_release(&f);
}

static void
T7_calls_come_with_what_was_asked(void **state)
{
	struct fold f;
	struct turn_call call;
	struct call_row row = { .state = CALL_CLOSED };

	(void)state;
	fold_of(&f, ASK "call client {\"x\":1}; done; ok");
	row.id = f.w.called.ptr[0].id;
	assert_true(turn_history_call(&f.h, &row, &call));
	check_str("name", call.name, STR("client"));
	check_str("arguments", call.arguments, STR("{\"x\":1}"));
	check_str("call id", call.call_id, STR("c1"));
	assert_true(call.client_side);
	assert_int_equal(call.kind, EVENT_AGENT_CUSTOM_TOOL_USE);
	assert_int_equal(call.state, CALL_CLOSED);
	row.id = STR("other");
	assert_false(turn_history_call(&f.h, &row, &call));
	fold_release(&f);
}

/* Whose tool it was is the log's to say; where nothing else is said the server calls it the same. */
static void
T8_a_servers_tool_comes_with_its_server(void **state)
{
	static const struct {
		const char *payload, *own_name;
	} CALLS[] = {
		{ "{\"name\":\"search\",\"mcp_server_name\":\"github\",\"input\":{}}", "search" },
		{ "{\"name\":\"github__search\",\"mcp_server_name\":\"github\",\"mcp_tool_name\":"
		  "\"search\",\"input\":{}}",
		  "search" },
	};
	struct turn_history h;
	struct arena a;

	(void)state;
	arena_init(&a);
	turn_history_init(&h, &a);
	for (size_t i = 0; i < ARRAY_LEN(CALLS); i++) {
		turn_history_add(&h, &(struct event){ .kind = EVENT_AGENT_MCP_TOOL_USE,
						      .payload = str_of(CALLS[i].payload) });
		check_str("server", h.calls.ptr[i].server, STR("github"));
		check_str("own name", h.calls.ptr[i].own_name, str_of(CALLS[i].own_name));
	}
	turn_history_release(&h);
	arena_release(&a);
}

static void
T8_answers_come_with_what_was_said(void **state)
{
	struct fold f;
	const struct turn_answer *a;

	(void)state;
	fold_of(&f, ASK "call ask; call client; done; ok; deny n $ask; custom r $client");
	a = turn_history_answer(&f.h, STR("n"));
	assert_non_null(a);
	assert_false(a->allow);
	check_str("message", a->deny_message, STR("no"));
	check_str("call", a->call, f.w.called.ptr[0].id);
	a = turn_history_answer(&f.h, STR("r"));
	assert_non_null(a);
	check_str("call", a->call, f.w.called.ptr[1].id);
	assert_int_equal(a->kind, EVENT_USER_CUSTOM_TOOL_RESULT);
	assert_null(turn_history_answer(&f.h, STR("a")));
	fold_release(&f);
}

/* Whoever asks for these kinds alone gets the same history. */
static void
T4_the_kinds_are_all_that_is_looked_at(void **state)
{
	struct fold f;
	struct turn_history h;

	(void)state;
	fold_of(&f, WARN "crash; go; ok; ok");
	turn_history_init(&h, &f.w.arena);
	for (size_t i = 0; i < f.w.log.len; i++)
		if (turn_history_kinds() & UINT64_C(1) << f.w.log.ptr[i].kind)
			turn_history_add(&h, &f.w.log.ptr[i]);
	assert_int_equal(h.steps, f.h.steps);
	assert_int_equal(h.last_at_ms, f.h.last_at_ms);
	assert_int_equal(h.calls.len, f.h.calls.len);
	turn_history_add(&h, &(struct event){ .kind = EVENT_AGENT_TOOL_USE, .payload = STR("{") });
	assert_int_equal(h.calls.len, f.h.calls.len);
	turn_history_release(&h);
	fold_release(&f);
}

/* It stands in the first status_running; the others are no beginnings. */
static void
T3_the_model_that_its_message_asked_for(void **state)
{
	static const char *const RUNNING[] = {
		"{\"type\":\"session.status_running\",\"turn_id\":\"t\",\"consumes\":[\"a\"],"
		"\"wakes\":[],\"model\":\"fast\"}",
		"{\"type\":\"session.status_running\",\"turn_id\":\"t\",\"consumes\":[],"
		"\"wakes\":[]}",
	};
	struct turn_history h;
	struct arena a;

	(void)state;
	arena_init(&a);
	turn_history_init(&h, &a);
	for (size_t i = 0; i < ARRAY_LEN(RUNNING); i++)
		turn_history_add(&h, &(struct event){ .kind = EVENT_STATUS_RUNNING,
						      .payload = str_of(RUNNING[i]) });
	check_str("model", h.model, STR("fast"));
	turn_history_release(&h);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, H5_the_reason_is_kept);
	SUITE_TEST(&s, T7_calls_come_with_what_was_asked);
	SUITE_TEST(&s, T8_a_servers_tool_comes_with_its_server);
	SUITE_TEST(&s, T8_answers_come_with_what_was_said);
	SUITE_TEST(&s, T4_the_kinds_are_all_that_is_looked_at);
	SUITE_TEST(&s, T3_the_model_that_its_message_asked_for);
	return suite_run(&s, "core/turn_history");
}
