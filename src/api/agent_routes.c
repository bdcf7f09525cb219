/* agent_routes - /v1/agents: definitions that sessions are opened on, version by version. */
#include "api/handlers.h"
#include "api/record_page.h"

/* Which model answers for an agent that names none. */
static const void *
agent_prepare_view(struct exchange *x)
{
	struct model_facts *f = ARENA_NEW(x->arena, struct model_facts);

	f->server = arena_str(x->arena, engine_model_facts(x->engine, (struct str){ 0 }).server);
	return f;
}

static void
agent_write(struct jw *w, const struct record_row *row)
{
	model_choice_write(w, row->body, row->prepared, row->scratch);
}

static const struct record_view AGENT = { .kind = RECORD_AGENT,
					  .list = 'a',
					  .noun = "agent",
					  .write = agent_write,
					  .prepare = agent_prepare_view };
static const struct record_view VERSION = { .kind = RECORD_AGENT_VERSION,
					    .list = 'v',
					    .noun = "agent",
					    .write = agent_write,
					    .prepare = agent_prepare_view,
					    .never_empty = true };

void
agent_create_route(struct exchange *x)
{
	engine_agent_create(x->engine, record_page_after(x, &AGENT), x->body);
}

void
agent_get_route(struct exchange *x)
{
	struct str id = x->captures[0];
	int64_t version = 0;
	struct err e;
	int rc = exchange_query_int(x, "version", 1, INT32_MAX, &version, &e);

	if (rc != 0)
		exchange_fail(x, rc, &e);
	else if (version == 0)
		record_page_get(x, &AGENT, id, false);
	else
		record_page_get(
			x, &VERSION,
			arena_printf(x->arena, STR_FMT "/%010lld", STR_ARG(id), (long long)version),
			false);
}

void
agent_update_route(struct exchange *x)
{
	engine_agent_update(x->engine, record_page_after(x, &AGENT), x->captures[0], x->body);
}

void
agent_list_route(struct exchange *x)
{
	record_page_list(x, &AGENT, (struct str){ 0 }, (struct str){ 0 });
}

void
agent_archive_route(struct exchange *x)
{
	engine_agent_archive(x->engine, record_page_after(x, &AGENT), x->captures[0]);
}

void
agent_versions_route(struct exchange *x)
{
	record_page_list(x, &VERSION, x->captures[0], (struct str){ 0 });
}
