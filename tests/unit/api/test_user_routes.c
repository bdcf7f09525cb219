#include "record_routes.h"

static const struct record_route ROWS[] = {
	{ "P2 create",
	  { "POST", "/v1/users", "owner", NULL, "{\"name\":\"x\"}" },
	  "user_create",
	  "" },
	{ "P2 update",
	  { "POST", "/v1/users/u1", "owner", NULL, "{\"name\":\"y\"}" },
	  "user_update",
	  "u1" },
};

int
main(void)
{
	struct suite s = { 0 };

	return record_routes_run(&s, &(struct record_routes){ "api/user_routes", "/v1/users",
							      "\"error_code\":\"user_not_found\"",
							      RECORD_USER, ROWS, ARRAY_LEN(ROWS) });
}
