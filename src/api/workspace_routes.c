/* workspace_routes - /v1/workspaces: what holds for the sessions of one. */
#include "api/handlers.h"
#include "api/record_page.h"

static const struct record_view WORKSPACE = { .kind = RECORD_WORKSPACE,
					      .list = 'k',
					      .noun = "workspace" };

void
workspace_list_route(struct exchange *x)
{
	record_page_list(x, &WORKSPACE, (struct str){ 0 }, (struct str){ 0 });
}

void
workspace_get_route(struct exchange *x)
{
	record_page_get(x, &WORKSPACE, x->captures[0], false);
}

void
workspace_create_route(struct exchange *x)
{
	engine_workspace_create(x->engine, record_page_after(x, &WORKSPACE), x->body);
}

void
workspace_update_route(struct exchange *x)
{
	engine_workspace_update(x->engine, record_page_after(x, &WORKSPACE), x->captures[0],
				x->body);
}
