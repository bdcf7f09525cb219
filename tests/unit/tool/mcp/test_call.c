#include "tool/mcp/call.h"

#include "mcp_rig.h"

/* Tools that end in all kinds of ways. */
static const struct row {
	const char *name, *words;
	bool http;
	const char *tool, *arguments;
	int64_t timeout_ms;
	const char *want; /* how it begins */
} ROWS[] = {
	{ "T10 a tool that is not there", "", false, "nothing", "{}", 5000,
	  "error MCP server peer: it has no tool nothing" },
	{ "T10 the server dies in the middle", "", false, "die", "{}", 5000,
	  "error MCP server peer: its process ended with code 3: going down. Whether the tool did "
	  "its "
	  "work before is not known." },
	{ "T10 no answer in time", "", false, "hang", "{}", 200,
	  "timeout MCP server peer: no answer to tools/call within 200 ms" },
	{ "T10 no answer in time over HTTP", "", true, "hang", "{}", 200,
	  "timeout MCP server peer: no answer to tools/call within 200 ms" },
	{ "T10 progress keeps it alive", "", false, "progress", "{\"ms\":300,\"steps\":5}", 1200,
	  "ok done" },
	{ "T10 progress keeps it alive over HTTP", "stateless", true, "progress",
	  "{\"ms\":300,\"steps\":5}", 1200, "ok done" },
	{ "T10 a question back is declined", "stateless", false, "asks", "{}", 5000,
	  "ok [{\"q\": {\"action\": \"decline\"}}, \"s t\"]" },
	{ "T10 a question back over HTTP", "stateless json", true, "asks", "{}", 5000,
	  "ok [{\"q\": {\"action\": \"decline\"}}, \"s t\"]" },
	{ "T10 a model is not lent", "stateless", false, "asks-model", "{}", 5000,
	  "error MCP server peer: this client does not answer sampling/createMessage" },
	{ "T10 the session was forgotten", "forget", true, "echo", "{\"text\":\"x\"}", 5000,
	  "ok x" },
	{ "T10 a long answer", "", false, "big", "{\"bytes\":3000000}", 5000, "ok xxx" },
	{ "T10 no arguments", "", false, "echo", "", 5000, "ok " },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct rig_call c;
	struct mcp_rig r;

	mcp_rig_init(&r, row->http, row->words);
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	mcp_rig_start(&r, &c, row->tool, row->arguments, row->timeout_ms);
	if (!str_starts(mcp_rig_await(&r, &c), str_of(row->want)))
		check_str("outcome", str_slice(buf_str(&c.output), 0, 300), str_of(row->want));
	rig_call_release(&c);
	mcp_rig_release(&r);
}

static void
T10_cancelling_reaches_the_server(void **state)
{
	static const struct {
		bool http;
		const char *words, *sign;
	} PEERS[] = {
		{ false, "", "\"notifications/cancelled\"" },
		{ true, "", "\"notifications/cancelled\"" },
		{ true, "stateless", "{\"gone\":" }, /* hanging up is how it is told */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(PEERS); i++) {
		struct rig_call c;
		struct mcp_rig r;

		mcp_rig_init(&r, PEERS[i].http, PEERS[i].words);
		mcp_rig_open(&r);
		mcp_rig_start(&r, &c, "hang", "{}", 20000);
		mcp_rig_await_log(&r, "\"hang\"");
		mcp_rig_run(&r, 20);
		r.tools->ops->cancel(c.run);
		mcp_rig_await_log(&r, PEERS[i].sign);
		assert_int_equal(c.dones, 0);
		rig_call_release(&c);
		check_str("the next one", mcp_rig_call(&r, &c, "echo", "{\"text\":\"y\"}"),
			  STR("ok y"));
		rig_call_release(&c);
		mcp_rig_release(&r);
	}
}

static void
T10_cancelled_before_the_server_is_there(void **state)
{
	struct rig_call c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "");
	mcp_rig_open(&r);
	mcp_rig_start(&r, &c, "echo", "{}", 20000);
	r.tools->ops->cancel(c.run);
	mcp_rig_run(&r, 200);
	assert_int_equal(c.dones, 0);
	assert_false(mcp_rig_logged(&r, "tools/call"));
	rig_call_release(&c);
	mcp_rig_release(&r);
}

static void
T10_waiting_for_the_server_counts(void **state)
{
	struct rig_call c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "silent");
	mcp_rig_open(&r);
	mcp_rig_start(&r, &c, "echo", "{}", 300);
	check_str("outcome", mcp_rig_await(&r, &c),
		  STR("timeout MCP server peer: it did not get ready in time"));
	rig_call_release(&c);
	mcp_rig_release(&r);
}

static void
T10_every_call_under_way_hears_that_it_died(void **state)
{
	struct rig_call calls[3], last;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	for (size_t i = 0; i < 3; i++)
		mcp_rig_start(&r, &calls[i], i == 2 ? "die" : "hang", "{}", 10000);
	for (size_t i = 0; i < 3; i++) {
		mcp_rig_await(&r, &calls[i]);
		assert_int_equal(calls[i].outcome, OUTCOME_ERROR);
		rig_call_release(&calls[i]);
	}
	check_str("again", mcp_rig_call(&r, &last, "echo", "{\"text\":\"z\"}"), STR("ok z"));
	rig_call_release(&last);
	mcp_rig_release(&r);
}

static void
T10_a_tool_that_asks_back_and_is_gone(void **state)
{
	struct rig_call asks, c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "stateless changes vanish");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	mcp_rig_start(&r, &asks, "asks", "{\"ms\":500}", 10000);
	mcp_rig_await_log(&r, "\"asks\"");
	check_str("grow", mcp_rig_call(&r, &c, "grow", "{}"), STR("ok grown"));
	rig_call_release(&c);
	assert_true(str_ends(mcp_rig_list(&r), STR(" grown0")));
	check_str("asks", mcp_rig_await(&r, &asks),
		  STR("error MCP server peer: it has no tool asks"));
	rig_call_release(&asks);
	mcp_rig_release(&r);
}

/* However short ago they could not be listed. */
static void
T10_headers_that_do_not_match_have_the_tools_listed_again(void **state)
{
	struct rig_call c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "stateless changes busy mismatch");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	check_str("grow", mcp_rig_call(&r, &c, "grow", "{}"), STR("ok grown"));
	rig_call_release(&c);
	mcp_rig_list(&r);
	check_str("echo", mcp_rig_call(&r, &c, "echo", "{\"text\":\"x\"}"), STR("ok x"));
	rig_call_release(&c);
	assert_int_equal(mcp_rig_count(&r, "\"method\": \"tools/list\""), 3);
	mcp_rig_release(&r);
}

static void
T10_calls_of_a_session_that_ended_are_all_repeated(void **state)
{
	struct rig_call calls[3];
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "forget");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	for (size_t i = 0; i < 3; i++)
		mcp_rig_start(&r, &calls[i], "echo", "{\"text\":\"x\"}", 10000);
	for (size_t i = 0; i < 3; i++) {
		check_str("call", mcp_rig_await(&r, &calls[i]), STR("ok x"));
		rig_call_release(&calls[i]);
	}
	assert_int_equal(mcp_rig_count(&r, "\"method\": \"initialize\""), 2);
	mcp_rig_release(&r);
}

/* What one call learns of the session is no word about another that is carried out, and nobody waits for
 * that one. */
static void
T7_a_call_under_way_outlives_its_session(void **state)
{
	struct rig_call slow, c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "forget-echo");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	mcp_rig_start(&r, &slow, "slow", "{\"ms\":600}", 10000);
	mcp_rig_await_log(&r, "\"slow\"");
	mcp_rig_start(&r, &c, "echo", "{\"text\":\"x\"}", 10000);
	check_str("echo", mcp_rig_await(&r, &c), STR("ok x"));
	assert_int_equal(slow.dones, 0);
	check_str("slow", mcp_rig_await(&r, &slow), STR("ok done"));
	rig_call_release(&slow);
	rig_call_release(&c);
	assert_int_equal(mcp_rig_count(&r, "\"name\": \"slow\""), 1);
	assert_int_equal(mcp_rig_count(&r, "\"method\": \"initialize\""), 2);
	mcp_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T10_cancelling_reaches_the_server);
	SUITE_TEST(&s, T10_cancelled_before_the_server_is_there);
	SUITE_TEST(&s, T10_waiting_for_the_server_counts);
	SUITE_TEST(&s, T10_every_call_under_way_hears_that_it_died);
	SUITE_TEST(&s, T10_a_tool_that_asks_back_and_is_gone);
	SUITE_TEST(&s, T10_headers_that_do_not_match_have_the_tools_listed_again);
	SUITE_TEST(&s, T10_calls_of_a_session_that_ended_are_all_repeated);
	SUITE_TEST(&s, T7_a_call_under_way_outlives_its_session);
	return suite_run(&s, "tool/mcp/call");
}
