/* environment_routes - /v1/environments: where the tools of a session run. */
#include "api/handlers.h"
#include "api/record_page.h"

static const struct record_view ENVIRONMENT = { .kind = RECORD_ENVIRONMENT,
						.list = 'n',
						.noun = "environment" };

void
environment_create_route(struct exchange *x)
{
	engine_environment_create(x->engine, record_page_after(x, &ENVIRONMENT), x->body);
}

void
environment_get_route(struct exchange *x)
{
	record_page_get(x, &ENVIRONMENT, x->captures[0], false);
}

void
environment_update_route(struct exchange *x)
{
	engine_environment_update(x->engine, record_page_after(x, &ENVIRONMENT), x->captures[0],
				  x->body);
}

void
environment_list_route(struct exchange *x)
{
	record_page_list(x, &ENVIRONMENT, (struct str){ 0 }, (struct str){ 0 });
}

void
environment_delete_route(struct exchange *x)
{
	engine_environment_delete(x->engine, record_page_gone(x, "environment_deleted"),
				  x->captures[0]);
}

void
environment_archive_route(struct exchange *x)
{
	engine_environment_archive(x->engine, record_page_after(x, &ENVIRONMENT), x->captures[0]);
}
