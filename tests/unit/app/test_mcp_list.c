#include "app/mcp_list.h"

#include <stdlib.h>

#include "captured_run.h"
#include "cli_rig.h"
#include "mcp_rig.h"

static const struct command ROWS_OF_PROGRAM[] = {
	{ .name = "mcp list", .summary = "list", .client = true, .run = mcp_list_run },
};

static void
list(const char *agents, const char *environments, const char *words, struct captured *got)
{
	const struct rig_step steps[] = {
		{ "GET /v1/agents", RIG_ANSWER, 200, agents },
		{ "GET /v1/environments", RIG_ANSWER, 200, environments },
	};
	struct cli_rig *rig = cli_rig_start(steps, ARRAY_LEN(steps));
	char url[64];

	snprintf(url, sizeof url, "http://127.0.0.1:%d", cli_rig_port(rig));
	assert_int_equal(setenv("PERDURE_SERVER", url, 1), 0);
	captured_run(ROWS_OF_PROGRAM, ARRAY_LEN(ROWS_OF_PROGRAM), words, got);
	cli_rig_stop(&rig);
}

static void
T10_what_is_declared_and_what_it_offers(void **state)
{
	static struct captured got;
	static char agents[1024], want[2048];
	struct mcp_rig r;

	(void)state;
	mcp_rig_init(&r, true, "json");
	mcp_rig_open(&r);
	snprintf(agents, sizeof agents,
		 "{\"data\":[{\"id\":\"main\",\"mcp_servers\":["
		 "{\"type\":\"url\",\"name\":\"here\",\"url\":\"%s\"},"
		 "{\"type\":\"url\",\"name\":\"away\",\"url\":\"http://127.0.0.1:1/mcp\"}]},"
		 "{\"id\":\"plain\",\"mcp_servers\":[]}],\"next_page\":null}",
		 r.url);
	list(agents,
	     "{\"data\":[{\"id\":\"local\",\"config\":{\"type\":\"local\",\"mcp_servers\":["
	     "{\"type\":\"stdio\",\"name\":\"files\",\"command\":\"npx\",\"args\":[\"-y\"]}]}},"
	     "{\"id\":\"far\",\"config\":{\"type\":\"self_hosted\"}}],\"next_page\":null}",
	     "mcp|list", &got);
	assert_int_equal(got.code, 0);
	snprintf(
		want, sizeof want,
		"agent\tmain\there\t%s\t2025-11-25\techo env slow progress die hang grow asks "
		"asks-model big binary\t\n"
		"agent\tmain\taway\thttp://127.0.0.1:1/mcp\t\t\tMCP server away: cannot connect to "
		"127.0.0.1:1: connection refused\n"
		"environment\tlocal\tfiles\tnpx\t\t\tnot started here; its sessions start it\n",
		r.url);
	check_str("listed", str_of(got.out), str_of(want));
	list("{\"data\":[{\"id\":\"main\",\"mcp_servers\":["
	     "{\"type\":\"url\",\"name\":\"away\",\"url\":\"http://127.0.0.1:1/mcp\"}]}]}",
	     "{\"data\":[]}", "mcp|list|--json", &got);
	check_str("for programs", str_of(got.out),
		  STR("{\"data\":[{\"declared_by\":\"agent\",\"id\":\"main\",\"server\":{\"type\":"
		      "\"url\",\"name\":\"away\",\"url\":\"http://127.0.0.1:1/"
		      "mcp\"},\"protocol\":null,"
		      "\"tools\":[],\"problem\":\"MCP server away: cannot connect to 127.0.0.1:1: "
		      "connection refused\"}]}\n"));
	mcp_rig_release(&r);
}

static void
T10_nothing_is_declared(void **state)
{
	static struct captured got;

	(void)state;
	list("{\"data\":[]}", "{\"data\":[]}", "mcp|list", &got);
	assert_int_equal(got.code, 0);
	check_str("listed", str_of(got.out), STR(""));
}

int
main(void)
{
	struct suite s = { 0 };

	if (setenv("PERDURE_TOKEN", "pdr_test", 1) != 0)
		abort();
	SUITE_TEST(&s, T10_what_is_declared_and_what_it_offers);
	SUITE_TEST(&s, T10_nothing_is_declared);
	return suite_run(&s, "app/mcp_list");
}
