#include "tool/mcp/server.h"

#include <signal.h>
#include <unistd.h>

#include "mcp_rig.h"

static size_t
count_lists(struct mcp_rig *r)
{
	return mcp_rig_count(r, "\"tools/list\"");
}

static void
T10_one_connection_is_shared_and_its_tools_are_kept(void **state)
{
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "");
	mcp_rig_open(&r);
	for (int i = 0; i < 3; i++) {
		r.place.session = i % 2 ? STR("one") : STR("another");
		mcp_rig_list(&r);
	}
	assert_int_equal(mcp_tools_connections(r.tools), 1);
	assert_int_equal(count_lists(&r), 1);
	r.place.directory = STR("/"); /* another place is another process */
	mcp_rig_list(&r);
	assert_int_equal(mcp_tools_connections(r.tools), 2);
	mcp_rig_release(&r);
}

static const struct changes_row {
	const char *name, *words;
	bool http;
} CHANGES[] = {
	{ "T10 list_changed over stdio", "changes", false },
	{ "T10 list_changed in the answer to a call over HTTP", "changes", true },
	{ "T10 list_changed in the answer to a stateless call", "changes stateless", true },
};

static void
changes_are_heard_of(void **state)
{
	const struct changes_row *row = *state;
	struct rig_call c;
	struct mcp_rig r;

	mcp_rig_init(&r, row->http, row->words);
	mcp_rig_open(&r);
	assert_false(str_contains(mcp_rig_list(&r), STR("grown0")));
	check_str("grow", mcp_rig_call(&r, &c, "grow", "{}"), STR("ok grown"));
	rig_call_release(&c);
	assert_true(str_ends(mcp_rig_list(&r), STR(" grown0")));
	mcp_rig_release(&r);
}

static const struct again_row {
	const char *name, *words;
	bool http;
	const char *slow; /* longer than the failure takes */
} AGAIN[] = {
	{ "T10 tools that are refused the second time", "changes busy", false, "{\"ms\":2000}" },
	{ "T10 tools that do not come the second time", "changes stuck", false, "{\"ms\":5000}" },
	{ "T10 tools that are refused by HTTP the second time", "changes throttle", true,
	  "{\"ms\":2000}" },
	{ "T10 tools that do not come over HTTP the second time", "changes stuck", true,
	  "{\"ms\":5000}" },
};

static const struct host_ops *real;
static int64_t ahead_ms;

static int64_t
skewed_now_ms(struct host *h)
{
	return real->now_ms(h) + ahead_ms;
}

/* What was known stays, and so do the calls on the way; later the tools are asked for again. */
static void
known_tools_outlive_a_failed_listing(void **state)
{
	const struct again_row *row = *state;
	struct rig_call slow, c;
	struct host_ops skewed;
	struct mcp_rig r;

	mcp_rig_init(&r, row->http, row->words);
	r.config.connect_ms = 1500;
	real = r.host->ops;
	skewed = *real;
	skewed.now_ms = skewed_now_ms;
	ahead_ms = 0;
	r.host->ops = &skewed;
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	mcp_rig_start(&r, &slow, "slow", row->slow, 20000);
	check_str("grow", mcp_rig_call(&r, &c, "grow", "{}"), STR("ok grown"));
	rig_call_release(&c);
	assert_true(str_starts(mcp_rig_list(&r), STR("echo ")));
	assert_false(str_contains(buf_str(&r.listing), STR("grown0")));
	assert_int_equal(slow.dones, 0);
	mcp_rig_list(&r); /* not again at once */
	assert_int_equal(count_lists(&r), 2);
	ahead_ms = 60 * 1000;
	assert_true(str_ends(mcp_rig_list(&r), STR(" grown0")));
	check_str("slow", mcp_rig_await(&r, &slow), STR("ok done"));
	rig_call_release(&slow);
	assert_int_equal(mcp_tools_connections(r.tools), 1);
	mcp_rig_release(&r);
}

static void
T7_a_call_under_way_outlives_a_listing_of_a_session_that_ended(void **state)
{
	struct rig_call slow, c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "changes forget-list");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	mcp_rig_start(&r, &slow, "slow", "{\"ms\":600}", 20000);
	check_str("grow", mcp_rig_call(&r, &c, "grow", "{}"), STR("ok grown"));
	rig_call_release(&c);
	assert_true(str_ends(mcp_rig_list(&r), STR(" grown0"))); /* of another session */
	assert_int_equal(slow.dones, 0);
	assert_int_equal(mcp_tools_connections(r.tools), 2);
	check_str("slow", mcp_rig_await(&r, &slow), STR("ok done"));
	rig_call_release(&slow);
	for (int i = 0; i < 500 && mcp_tools_connections(r.tools) > 1; i++)
		mcp_rig_run(&r, 10);
	assert_int_equal(mcp_tools_connections(r.tools), 1);
	mcp_rig_release(&r);
}

static void
T10_list_changed_on_a_stream_of_its_own(void **state)
{
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "changes get");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	mcp_rig_await_log(&r, "{\"get\": null}");
	mcp_rig_run(&r, 100);
	mcp_rig_list(&r);
	assert_int_equal(count_lists(&r), 2);
	mcp_rig_release(&r);
}

static void
T10_a_stateless_peer_is_subscribed_to(void **state)
{
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "changes stateless");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	mcp_rig_await_log(&r, "\"subscriptions/listen\"");
	assert_true(mcp_rig_logged(&r, "\"notifications\": {\"toolsListChanged\": true}"));
	mcp_rig_release(&r);
}

static void
T10_an_idle_connection_is_left_in_good_order(void **state)
{
	struct mcp_peer peer;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "");
	r.config.idle_ms = 50;
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	assert_true(mcp_tools_peer(r.tools, &r.server, &r.place, &peer));
	mcp_rig_await_log(&r, "{\"end\": \"stdin\"}");
	for (int i = 0; i < 500 && mcp_tools_connections(r.tools) > 0; i++)
		mcp_rig_run(&r, 10);
	assert_int_equal(mcp_tools_connections(r.tools), 0);
	assert_int_equal(kill(peer.pid, 0), -1);
	assert_true(mcp_rig_list(&r).len > 10); /* and made again */
	mcp_rig_release(&r);

	mcp_rig_init(&r, true, "");
	r.config.idle_ms = 50;
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	mcp_rig_await_log(&r, "{\"delete\": \"1\"}");
	mcp_rig_release(&r);
}

static void
T10_a_call_keeps_it_from_being_idle(void **state)
{
	struct rig_call c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "");
	r.config.idle_ms = 30;
	mcp_rig_open(&r);
	mcp_rig_start(&r, &c, "slow", "{\"ms\":400}", 10000);
	check_str("slow", mcp_rig_await(&r, &c), STR("ok done"));
	rig_call_release(&c);
	mcp_rig_release(&r);
}

static void
T10_one_that_died_between_calls_is_started_again(void **state)
{
	struct mcp_peer first, second;
	struct rig_call c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	assert_true(mcp_tools_peer(r.tools, &r.server, &r.place, &first));
	kill(first.pid, SIGKILL);
	for (int i = 0; i < 500 && mcp_tools_connections(r.tools) > 0; i++)
		mcp_rig_run(&r, 10);
	check_str("echo", mcp_rig_call(&r, &c, "echo", "{\"text\":\"x\"}"), STR("ok x"));
	rig_call_release(&c);
	assert_true(mcp_tools_peer(r.tools, &r.server, &r.place, &second));
	assert_int_not_equal(first.pid, second.pid);
	mcp_rig_release(&r);
}

static void
T10_a_failed_one_is_tried_again_later(void **state)
{
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "die-at-start");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	r.arguments[r.server.argument_count - 2] = STR("well"); /* it was repaired */
	assert_true(str_starts(mcp_rig_list(&r), STR("!MCP server peer: its process ended")) ||
		    r.listing.ptr[0] != '!'); /* another declaration is another server */
	r.arguments[r.server.argument_count - 2] = STR("die-at-start");
	assert_true(str_starts(mcp_rig_list(&r), STR("!")));
	mcp_rig_run(&r, 1100);
	assert_true(str_starts(mcp_rig_list(&r), STR("!")));
	mcp_rig_release(&r);
}

static void
T10_a_server_without_tools(void **state)
{
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "json no-tools");
	mcp_rig_open(&r);
	check_str("tools", mcp_rig_list(&r), STR(""));
	mcp_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T10_one_connection_is_shared_and_its_tools_are_kept);
	SUITE_ROWS(&s, CHANGES, changes_are_heard_of);
	SUITE_ROWS(&s, AGAIN, known_tools_outlive_a_failed_listing);
	SUITE_TEST(&s, T7_a_call_under_way_outlives_a_listing_of_a_session_that_ended);
	SUITE_TEST(&s, T10_list_changed_on_a_stream_of_its_own);
	SUITE_TEST(&s, T10_a_stateless_peer_is_subscribed_to);
	SUITE_TEST(&s, T10_an_idle_connection_is_left_in_good_order);
	SUITE_TEST(&s, T10_a_call_keeps_it_from_being_idle);
	SUITE_TEST(&s, T10_one_that_died_between_calls_is_started_again);
	SUITE_TEST(&s, T10_a_failed_one_is_tried_again_later);
	SUITE_TEST(&s, T10_a_server_without_tools);
	return suite_run(&s, "tool/mcp/server");
}
