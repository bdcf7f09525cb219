#include "tool/mcp/http.h"

#include "mcp_rig.h"

/* What the peer sees of us, each a piece of its log, and what it must not see. */
static const struct row {
	const char *name, *words, *tool;
	const char *sees[6];
	const char *never;
} ROWS[] = {
	{ "T10 both kinds of answer are accepted",
	  "",
	  "echo",
	  { "\"accept\": \"application/json, text/event-stream\"",
	    "\"content-type\": \"application/json\"" },
	  "\"accept\": \"*/*\"" },
	{ "T10 a session and its version from the handshake on",
	  "",
	  "echo",
	  { "\"mcp-session-id\": \"1\"", "\"mcp-protocol-version\": \"2025-11-25\"",
	    "\"notifications/initialized\"", "{\"delete\": \"1\"}" },
	  "\"mcp-method\": \"tools/call\"" },
	{ "T10 a stateless call says in its headers what it is",
	  "stateless",
	  "echo",
	  { "\"mcp-method\": \"server/discover\"", "\"mcp-method\": \"tools/list\"",
	    "\"mcp-method\": \"tools/call\"", "\"mcp-name\": \"echo\"",
	    "\"mcp-protocol-version\": \"2026-07-28\"",
	    "\"io.modelcontextprotocol/protocolVersion\": \"2026-07-28\"" },
	  "mcp-session-id" },
	{ "T10 a stream that breaks off goes on where it was",
	  "break-off",
	  "echo",
	  { "{\"get\": \"1\"}" },
	  "{\"get\": null}" },
	{ "T10 what the peer says of itself is asked for once",
	  "changes get",
	  "echo",
	  { "{\"get\": null}" },
	  "{\"get\": \"7\"}" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct rig_call c;
	struct mcp_rig r;

	mcp_rig_init(&r, true, row->words);
	r.config.idle_ms = 100;
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	check_str("call", mcp_rig_call(&r, &c, row->tool, "{\"text\":\"x\"}"), STR("ok x"));
	rig_call_release(&c);
	for (size_t i = 0; i < ARRAY_LEN(row->sees) && row->sees[i]; i++)
		mcp_rig_await_log(&r, row->sees[i]);
	assert_false(mcp_rig_logged(&r, row->never));
	mcp_rig_release(&r);
}

/* How a peer that was restarted, or is none that goes on, refuses it. */
static const struct resume_row {
	const char *name, *words, *says;
} RESUMES[] = {
	{ "T7 a call that had begun is not sent again: the session is over (404)",
	  "break-off resume=404", "it has ended the session (HTTP 404)" },
	{ "T7 a call that had begun is not sent again: the session is over (400)",
	  "break-off resume=400", "it has ended the session (HTTP 400)" },
	{ "T7 a call that had begun is not sent again: 401", "break-off resume=401",
	  "it wants credentials (HTTP 401) no such session" },
	{ "T7 a call that had begun is not sent again: 405", "break-off resume=405",
	  "HTTP 405: no such session" },
	{ "T7 a call that had begun is not sent again: 503", "break-off resume=503",
	  "HTTP 503: no such session" },
};

static void
a_refused_resume_is_told(void **state)
{
	const struct resume_row *row = *state;
	struct rig_call c;
	struct mcp_rig r;
	char want[200];

	mcp_rig_init(&r, true, row->words);
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	snprintf(want, sizeof want,
		 "error MCP server peer: %s. Whether the tool did its work before is not known.",
		 row->says);
	check_str("call", mcp_rig_call(&r, &c, "echo", "{\"text\":\"x\"}"), str_of(want));
	rig_call_release(&c);
	assert_int_equal(mcp_rig_count(&r, "\"method\": \"tools/call\""), 1);
	mcp_rig_release(&r);
}

static void
T10_nobody_listens(void **state)
{
	struct rig_call c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "");
	mcp_rig_open(&r);
	r.server.url = STR("http://127.0.0.1:1/mcp");
	assert_true(str_contains(mcp_rig_list(&r), STR("connection refused")));
	r.server.url = STR("ftp://127.0.0.1/mcp");
	assert_true(str_starts(mcp_rig_list(&r), STR("!MCP server peer: ")));
	mcp_rig_start(&r, &c, "echo", "{}", 5000);
	assert_true(str_starts(mcp_rig_await(&r, &c), STR("error MCP server peer: ")));
	rig_call_release(&c);
	mcp_rig_release(&r);
}

static void
T10_strangers_addresses_are_not_reached(void **state)
{
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "");
	r.config.policy = EGRESS_FOREIGN;
	mcp_rig_open(&r);
	assert_true(str_starts(mcp_rig_list(&r), STR("!MCP server peer: ")));
	assert_false(mcp_rig_logged(&r, "headers"));
	mcp_rig_release(&r);
}

/* A peer that asks and asks, and takes none of the answers, does not get a connection for each. */
static void
T10_answers_that_are_not_taken_end_the_connection(void **state)
{
	struct rig_call c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "pings");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	assert_true(str_contains(mcp_rig_call(&r, &c, "hang", "{}"), STR("takes no answers")));
	assert_true(str_ends(buf_str(&c.output), STR("is not known.")));
	rig_call_release(&c);
	assert_false(mcp_rig_logged(&r, "{\"answer\": 32}"));
	mcp_rig_release(&r);
}

#define GET "{\"get\": "

static void
await_gets(struct mcp_rig *r, size_t count)
{
	for (int i = 0; i < 1000 && mcp_rig_count(r, GET) < count; i++)
		mcp_rig_run(r, 10);
	assert_true(mcp_rig_count(r, GET) >= count);
}

static const struct host_ops *real;

/* A thousand times as fast. */
static int64_t
fast_now_ms(struct host *h)
{
	return real->now_ms(h) * 1000;
}

/* As behind a proxy that ends what is quiet. */
static void
T10_a_quiet_stream_is_listened_to_for_ever(void **state)
{
	struct host_ops fast;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "changes short-get");
	real = r.host->ops;
	fast = *real;
	fast.now_ms = fast_now_ms;
	r.host->ops = &fast;
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	await_gets(&r, 9);
	mcp_rig_release(&r);
}

static void
T10_one_that_is_listened_to_in_vain_is_asked_anew(void **state)
{
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "changes short-get");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	await_gets(&r, 6);
	mcp_rig_run(&r, 500);
	assert_int_equal(mcp_rig_count(&r, GET), 6); /* given up */
	mcp_rig_list(&r);
	await_gets(&r, 7);
	mcp_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, RESUMES, a_refused_resume_is_told);
	SUITE_TEST(&s, T10_nobody_listens);
	SUITE_TEST(&s, T10_strangers_addresses_are_not_reached);
	SUITE_TEST(&s, T10_answers_that_are_not_taken_end_the_connection);
	SUITE_TEST(&s, T10_a_quiet_stream_is_listened_to_for_ever);
	SUITE_TEST(&s, T10_one_that_is_listened_to_in_vain_is_asked_anew);
	return suite_run(&s, "tool/mcp/http");
}
