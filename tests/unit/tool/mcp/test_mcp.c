#include "tool/mcp/mcp.h"

#include <signal.h>
#include <unistd.h>

#include "mcp_rig.h"

#define ALL "echo env slow progress die hang grow asks asks-model big binary"

/* The same over both transports and in both eras. */
static const struct row {
	const char *name, *words;
	bool http;
	const char *protocol;
} ROWS[] = {
	{ "T10 stdio, with a handshake", "", false, "2025-11-25" },
	{ "T10 stdio, stateless", "stateless", false, "2026-07-28" },
	{ "T10 stdio, with pages and chatter", "pages chatter", false, "2025-11-25" },
	{ "T10 HTTP, streams", "", true, "2025-11-25" },
	{ "T10 HTTP, documents", "json", true, "2025-11-25" },
	{ "T10 HTTP, streams that break off", "break-off", true, "2025-11-25" },
	{ "T10 HTTP, stateless", "stateless", true, "2026-07-28" },
	{ "T10 HTTP, stateless documents, pages", "stateless json pages", true, "2026-07-28" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct rig_call c, d;
	struct mcp_peer peer;
	struct mcp_rig r;

	mcp_rig_init(&r, row->http, row->words);
	mcp_rig_open(&r);
	check_str("tools", mcp_rig_list(&r), STR(ALL));
	assert_true(mcp_tools_peer(r.tools, &r.server, &r.place, &peer));
	check_str("protocol", peer.protocol, str_of(row->protocol));
	check_str("name", peer.name, STR("peer"));
	assert_int_equal(peer.pid > 0, !row->http);
	check_str("echo", mcp_rig_call(&r, &c, "echo", "{\"text\":\"a\\n\\u00e9\"}"),
		  STR("ok a\n\xc3\xa9"));
	rig_call_release(&c);
	check_str("binary", mcp_rig_call(&r, &c, "binary", "{}"),
		  STR("ok a\xef\xbf\xbd"
		      "b\xef\xbf\xbd"));
	rig_call_release(&c);
	mcp_rig_start(&r, &c, "slow", "{\"ms\":150}", 5000);
	if (!str_contains(str_of(row->words), STR("break-off"))) { /* it holds one answer */
		mcp_rig_start(&r, &d, "echo", "{\"text\":\n \"b\"}", 5000);
		check_str("the quick one", mcp_rig_await(&r, &d), STR("ok b"));
		rig_call_release(&d);
	}
	check_str("the slow one", mcp_rig_await(&r, &c), STR("ok done"));
	rig_call_release(&c);
	assert_int_equal(r.tools->ops->busy(r.tools, STR("s")), 0);
	r.tools->ops->end_session(r.tools, STR("other"));
	assert_true(mcp_tools_peer(r.tools, &r.server, &r.place, &peer));
	r.tools->ops->end_session(r.tools, STR("s")); /* a child that is its alone ends */
	assert_int_equal(mcp_tools_peer(r.tools, &r.server, &r.place, &peer), row->http);
	check_str("tools again", mcp_rig_list(&r), STR(ALL));
	r.place.session = STR("second"); /* in the same directory: the same child */
	check_str("tools of both", mcp_rig_list(&r), STR(ALL));
	r.tools->ops->end_session(r.tools, STR("s"));
	assert_true(mcp_tools_peer(r.tools, &r.server, &r.place, &peer));
	mcp_rig_release(&r);
}

/* Peers that are of no use, and what is said of them. */
static const struct problem_row {
	const char *name, *words;
	bool http, authentication;
	const char *says;
} PROBLEMS[] = {
	{ "T10 it dies at once", "die-at-start", false, false,
	  "!MCP server peer: its process ended with code 1: it has no time" },
	{ "T10 it speaks nonsense", "nonsense", false, false,
	  "!MCP server peer: what it says makes no sense: " },
	{ "T10 it does not end its line", "long-line", false, false,
	  "!MCP server peer: it wrote a line that is too long" },
	{ "T10 it says nothing", "silent", false, false,
	  "!MCP server peer: it did not get ready within 1500 ms" },
	{ "T10 it wants credentials", "auth", true, true,
	  "!MCP server peer: it wants credentials (HTTP 401)" },
};

static void
problem_is_told(void **state)
{
	const struct problem_row *row = *state;
	struct rig_call c;
	struct mcp_rig r;

	mcp_rig_init(&r, row->http, row->words);
	r.config.connect_ms = 1500;
	mcp_rig_open(&r);
	if (!str_starts(mcp_rig_list(&r), str_of(row->says)))
		check_str("problem", buf_str(&r.listing), str_of(row->says));
	assert_int_equal(r.authentication, row->authentication);
	/* It is not tried again at once, and a call hears the same. */
	if (!str_contains(mcp_rig_call(&r, &c, "echo", "{}"), str_of(row->says + 1)))
		check_str("call", buf_str(&c.output), str_of(row->says));
	assert_false(str_contains(buf_str(&c.output), STR("not known"))); /* it was never sent */
	assert_int_equal(c.outcome, OUTCOME_ERROR + (strcmp(row->words, "silent") == 0) *
							    (OUTCOME_TIMEOUT - OUTCOME_ERROR));
	rig_call_release(&c);
	mcp_rig_release(&r);
}

static void
on_several(void *ctx, const struct tool_listing *listing)
{
	struct mcp_rig *r = ctx;

	r->listed++;
	for (size_t i = 0; i < listing->tool_count; i++)
		if (str_ends(listing->tools[i].name, STR("echo")))
			buf_printf(&r->listing, STR_FMT "/" STR_FMT "=" STR_FMT " ",
				   STR_ARG(listing->tools[i].server),
				   STR_ARG(listing->tools[i].name),
				   STR_ARG(listing->tools[i].own_name));
	for (size_t i = 0; i < listing->problem_count; i++)
		buf_printf(&r->listing, "!" STR_FMT " ", STR_ARG(listing->problems[i].server));
	loop_stop(r->loop);
}

static void
T10_several_servers_at_once(void **state)
{
	struct tool_server servers[3];
	struct tool_ask ask = { .servers = servers, .server_count = 3 };
	struct tool_query *q;
	struct rig_call c;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "");
	mcp_rig_open(&r);
	for (size_t i = 0; i < 3; i++)
		servers[i] = r.server;
	servers[1].name = STR("other one");
	servers[2] = (struct tool_server){ .name = STR("away"), .command = STR("/none/such") };
	ask.place = r.place;
	r.tools->ops->list(r.tools, &ask, on_several, &r);
	mcp_rig_run(&r, 20000);
	check_str("names", buf_str(&r.listing),
		  STR("peer/peer__echo=echo other one/other_one__echo=echo !away "));
	check_str("called by its own name", mcp_rig_call(&r, &c, "echo", "{\"text\":\"x\"}"),
		  STR("ok x"));
	rig_call_release(&c);
	check_str("called by the model's", mcp_rig_call(&r, &c, "peer__echo", "{}"),
		  STR("error MCP server peer: it has no tool peer__echo"));
	rig_call_release(&c);
	q = r.tools->ops->list(r.tools, &ask, on_several, &r);
	r.tools->ops->forget(q);
	ask.server_count = 0;
	r.tools->ops->list(r.tools, &ask, on_several, &r);
	assert_int_equal(r.listed, 1);
	mcp_rig_run(&r, 20000);
	assert_int_equal(r.listed, 2);
	mcp_rig_release(&r);
}

static void
T10_what_is_under_way_ends_with_the_toolset(void **state)
{
	struct tool_ask ask;
	struct rig_call c;
	struct mcp_peer peer;
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, false, "");
	mcp_rig_open(&r);
	mcp_rig_list(&r);
	assert_true(mcp_tools_peer(r.tools, &r.server, &r.place, &peer));
	mcp_rig_start(&r, &c, "hang", "{}", 20000);
	mcp_rig_await_log(&r, "\"hang\"");
	ask = (struct tool_ask){ r.place, &r.server, 1 };
	r.tools->ops->list(r.tools, &ask, on_several, &r);
	mcp_rig_release(&r);
	assert_int_equal(c.dones, 0);
	rig_call_release(&c);
	assert_int_equal(kill(peer.pid, 0), -1);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, PROBLEMS, problem_is_told);
	SUITE_TEST(&s, T10_several_servers_at_once);
	SUITE_TEST(&s, T10_what_is_under_way_ends_with_the_toolset);
	return suite_run(&s, "tool/mcp/mcp");
}
