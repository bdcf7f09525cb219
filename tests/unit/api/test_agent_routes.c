#include "record_routes.h"

static const struct record_route ROWS[] = {
	{ "A1 create",
	  { "POST", "/v1/agents", "owner", NULL, "{\"name\":\"x\",\"model\":\"demo\"}" },
	  "agent_create",
	  "" },
	{ "A1 update",
	  { "POST", "/v1/agents/a1", "owner", NULL, "{\"name\":\"y\"}" },
	  "agent_update",
	  "a1" },
	{ "A1 archive",
	  { "POST", "/v1/agents/a1/archive", "owner", NULL, NULL },
	  "agent_archive",
	  "a1" },
};

int
main(void)
{
	struct suite s = { 0 };

	return record_routes_run(&s,
				 &(struct record_routes){ "api/agent_routes", "/v1/agents",
							  "\"error_code\":\"agent_not_found\"",
							  RECORD_AGENT, ROWS, ARRAY_LEN(ROWS) });
}
