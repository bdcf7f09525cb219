#include "record_routes.h"

static const struct record_route ROWS[] = {
	{ "T3 create",
	  { "POST", "/v1/workspaces", "owner", NULL, "{\"name\":\"x\"}" },
	  "workspace_create",
	  "" },
	{ "T3 update",
	  { "POST", "/v1/workspaces/acme", "owner", NULL, "{\"name\":\"y\"}" },
	  "workspace_update",
	  "acme" },
};

int
main(void)
{
	struct suite s = { 0 };

	return record_routes_run(
		&s, &(struct record_routes){ "api/workspace_routes", "/v1/workspaces",
					     "\"error_code\":\"workspace_not_found\"",
					     RECORD_WORKSPACE, ROWS, ARRAY_LEN(ROWS) });
}
