#include "explain_rows.h"

static const struct explain_row rows[] = {
	{ "P4 explain route: owner undirected in a group", "route",
	  "{\"type\":\"group\",\"sender_role\":\"owner\",\"mentioned\":false}",
	  "{\"trigger\":true,\"prefix\":\"[not directed at you] \"}" },
	{ "P4 explain route: owner mentioned in a group", "route",
	  "{\"type\":\"group\",\"sender_role\":\"owner\",\"mentioned\":true}",
	  "{\"trigger\":true,\"prefix\":null}" },
	{ "P4 explain route: user mentioned", "route",
	  "{\"type\":\"group\",\"sender_role\":\"user\",\"mentioned\":true}",
	  "{\"trigger\":true,\"prefix\":null}" },
	{ "P4 explain route: guest mentioned", "route",
	  "{\"type\":\"group\",\"sender_role\":\"guest\",\"mentioned\":true}",
	  "{\"trigger\":true,\"prefix\":null}" },
	{ "P4 explain route: user unmentioned", "route",
	  "{\"type\":\"group\",\"sender_role\":\"user\",\"mentioned\":false}",
	  "{\"trigger\":false,\"prefix\":null}" },
	{ "P4 explain route: missing in a group is not mentioned", "route",
	  "{\"type\":\"group\",\"sender_role\":\"guest\"}", "{\"trigger\":false,\"prefix\":null}" },
	{ "P4 explain route: null in a group is not mentioned", "route",
	  "{\"type\":\"group\",\"sender_role\":\"owner\",\"mentioned\":null}",
	  "{\"trigger\":true,\"prefix\":\"[not directed at you] \"}" },
	{ "P4 explain route: missing in a direct session is mentioned", "route",
	  "{\"type\":\"direct\",\"sender_role\":\"guest\"}", "{\"trigger\":true,\"prefix\":null}" },
	{ "P4 explain route: direct triggers whatever is said", "route",
	  "{\"type\":\"direct\",\"sender_role\":\"owner\",\"mentioned\":false}",
	  "{\"trigger\":true,\"prefix\":null}" },
	{ "P4 explain route: type is required", "route", "{\"sender_role\":\"user\"}",
	  "error: type" },
	{ "P4 explain route: a bad type", "route", "{\"type\":\"dm\",\"sender_role\":\"user\"}",
	  "error: type" },
	{ "P4 explain route: role is required", "route", "{\"type\":\"group\"}",
	  "error: sender_role" },
	{ "P4 explain route: a bad role", "route", "{\"type\":\"group\",\"sender_role\":\"none\"}",
	  "error: sender_role" },
	{ "P4 explain route: mentioned is a boolean", "route",
	  "{\"type\":\"group\",\"sender_role\":\"user\",\"mentioned\":1}", "error: mentioned" },
	{ "P4 explain route: an unknown fact", "route",
	  "{\"type\":\"group\",\"sender_role\":\"user\",\"mention\":true}", "error: mention" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, explain_row_check);
	return suite_run(&s, "explain_route");
}
