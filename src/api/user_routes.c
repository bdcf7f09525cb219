/* user_routes - /v1/users: the people whom tokens and channels speak for. */
#include "api/handlers.h"
#include "api/record_page.h"

static const struct record_view USER = { .kind = RECORD_USER, .list = 'u', .noun = "user" };

void
user_create_route(struct exchange *x)
{
	engine_user_create(x->engine, record_page_after(x, &USER), x->body);
}

void
user_list_route(struct exchange *x)
{
	record_page_list(x, &USER, (struct str){ 0 }, (struct str){ 0 });
}

void
user_get_route(struct exchange *x)
{
	record_page_get(x, &USER, x->captures[0], false);
}

void
user_update_route(struct exchange *x)
{
	engine_user_update(x->engine, record_page_after(x, &USER), x->captures[0], x->body);
}
