#include "engine/context.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/context_window.h"
#include "engine/catalog.h"

/* ---- the agent ---- */

struct setup_job {
	struct engine *en;
	struct arena *arena;
	const struct store_session *session;
	struct str extra; /* body of session_extra; empty: none */
	struct context_setup setup;
	context_setup_fn *done;
	void *ctx;
};

static void
setup_end(struct setup_job *j, int rc, const struct err *err)
{
	j->done(j->ctx, rc, err, rc == 0 ? &j->setup : NULL);
	free(j);
}

static struct engine_model_terms
terms_of(const struct engine_models *models, const struct context_setup *s)
{
	if (models->terms)
		return models->terms(models->ctx, s->model);
	return (struct engine_model_terms){ s->provider->context_tokens, retry_policy_default() };
}

static void
find_model(struct setup_job *j)
{
	struct context_setup *s = &j->setup;
	const struct engine_models *models = &j->en->config.models;
	struct str name;
	struct err e;

	s->model = arena_str(j->arena, s->run.model.len > 0 ? s->run.model
							    : j->en->config.settings.default_model);
	if (models->find(models->ctx, s->model, &s->provider, &name, &e) != 0) {
		s->problem = arena_str(j->arena, str_of(e.text));
		return;
	}
	s->provider_model = arena_str(j->arena, name);
	s->terms = terms_of(models, s);
}

static void
read_agent(struct setup_job *j, struct str body)
{
	struct json_doc *doc = ARENA_NEW(j->arena, struct json_doc);
	struct json agent = { 0 };
	struct err e;

	body = arena_str(j->arena, body);
	if (json_parse(j->arena, body, &EVENT_PAYLOAD_LIMITS, doc, &e) == 0)
		agent = json_root(doc);
	agent_run_read(agent, j->arena, &j->setup.run);
	find_model(j);
}

static void
on_agent(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct setup_job *j = ctx;

	if (rc == ERR_NOT_FOUND) {
		agent_run_read((struct json){ 0 }, j->arena, &j->setup.run);
		j->setup.problem =
			arena_printf(j->arena, "the session's agent is gone: %s", err->text);
		rc = 0;
	} else if (rc == 0) {
		read_agent(j, agent->body);
	}
	setup_end(j, rc, err);
}

/* What a session changed of its agent wins over the agent's version. */
static bool
use_snapshot(struct setup_job *j)
{
	struct json_doc doc;
	struct json agent;

	if (j->extra.len == 0 ||
	    json_parse(j->arena, j->extra, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0 ||
	    !json_find(json_root(&doc), STR("agent"), &agent) || json_type(agent) != JSON_OBJECT)
		return false;
	read_agent(j, json_raw(agent));
	return true;
}

static bool
on_extra_row(void *ctx, const struct store_row *row)
{
	struct setup_job *j = ctx;

	j->extra = arena_str(j->arena, row->record->body);
	return false;
}

static void
on_extra(void *ctx, int rc, bool more, const struct err *err)
{
	struct setup_job *j = ctx;

	(void)more;
	if (rc != 0 || use_snapshot(j))
		setup_end(j, rc, err);
	else
		catalog_agent(j->en->catalog, j->session->agent_id, j->session->agent_version,
			      on_agent, j);
}

void
context_setup_load(struct engine *en, const struct store_session *session, struct arena *a,
		   context_setup_fn *done, void *ctx)
{
	struct setup_job *j = xcalloc(1, sizeof *j);

	*j = (struct setup_job){
		.en = en, .arena = a, .session = session, .done = done, .ctx = ctx
	};
	store_read(en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_SESSION_EXTRA,
					  .record_id = session->id,
					  .limit = 1 },
		   on_extra_row, on_extra, j);
}

/* ---- the transcript ---- */

enum { PAGE_ROWS = 200, SYSTEM_BYTES_MAX = 4 << 20 };

struct context {
	struct engine *en;
	struct arena arena;
	struct context_window window;
	struct context_setup setup;
	struct str session, note;
	bool aggressive;
	bool reading, abandoned;
	struct item_row last;
	struct provider_request request;
	context_fn *done;
	void *ctx;
};

static void
destroy(struct context *c)
{
	context_window_release(&c->window);
	arena_release(&c->arena);
	free(c);
}

void
context_free(struct context **p)
{
	struct context *c = *p;

	*p = NULL;
	if (!c)
		return;
	if (c->reading)
		c->abandoned = true; /* it belongs to the reader until its page is through */
	else
		destroy(c);
}

const struct provider_request *
context_request(const struct context *c)
{
	return &c->request;
}

/* The agent's prompt and where it is. Nothing in it changes from turn to turn: it stands at the head
 * of the prompt cache. */
static struct str
system_prompt(struct context *c)
{
	const struct agent_run *run = &c->setup.run;
	struct buf b;
	struct str text;

	buf_init(&b, SYSTEM_BYTES_MAX);
	if (run->system.len > 0)
		buf_printf(&b, STR_FMT "\n\n", STR_ARG(run->system));
	buf_printf(&b,
		   "## Current Session Context\n- Agent: " STR_FMT
		   " (version %lld)\n- Session: " STR_FMT "\n- Model: " STR_FMT "\n",
		   STR_ARG(run->id), (long long)run->version, STR_ARG(c->session),
		   STR_ARG(c->setup.model));
	text = arena_str(&c->arena, buf_str(&b));
	buf_release(&b);
	return text;
}

static const struct provider_tool *
tools_of(struct context *c)
{
	const struct agent_run *run = &c->setup.run;
	struct provider_tool *tools =
		ARENA_ARRAY(&c->arena, run->tool_count + 1, struct provider_tool);

	for (size_t i = 0; i < run->tool_count; i++)
		tools[i] = (struct provider_tool){ run->tools[i].name, run->docs[i].description,
						   run->docs[i].input_schema };
	return tools;
}

static void
make_request(struct context *c)
{
	const struct agent_run *run = &c->setup.run;
	struct context_limits limits = {
		.window_tokens = run->max_context_tokens > 0 ? run->max_context_tokens
							     : c->setup.terms.context_tokens,
		.aggressive = c->aggressive,
		.note = c->note,
	};
	struct context_view view;

	context_window_finish(&c->window, &limits, &view);
	c->request = (struct provider_request){
		.model = c->setup.provider_model,
		.system = system_prompt(c),
		.messages = view.messages,
		.message_count = view.count,
		.tools = tools_of(c),
		.tool_count = run->tool_count,
		.max_output_tokens = run->max_output_tokens,
		.effort = run->effort,
		.cache_key = c->session,
	};
}

static bool
on_item(void *ctx, const struct store_row *row)
{
	struct context *c = ctx;

	c->last = row->item->item;
	context_window_add(&c->window, &row->item->item, &row->item->ev, &row->item->content);
	return true;
}

static void read_page(struct context *c);

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct context *c = ctx;

	c->reading = false;
	if (c->abandoned) {
		destroy(c);
		return;
	}
	if (rc == 0 && more) {
		read_page(c);
		return;
	}
	if (rc == 0)
		make_request(c);
	c->done(c->ctx, rc, err);
}

static void
read_page(struct context *c)
{
	c->reading = true;
	store_read(c->en->store,
		   &(struct store_query){ .kind = STORE_LIST_ITEMS,
					  .session = c->session,
					  .after_item = c->last,
					  .limit = PAGE_ROWS },
		   on_item, on_page, c);
}

struct context *
context_load(struct engine *en, const struct context_ask *ask, context_fn *done, void *ctx)
{
	struct context *c = xcalloc(1, sizeof *c);

	c->en = en;
	c->setup = *ask->setup;
	c->aggressive = ask->aggressive;
	c->done = done;
	c->ctx = ctx;
	arena_init(&c->arena);
	c->session = arena_str(&c->arena, ask->session);
	c->note = arena_str(&c->arena, ask->note);
	context_window_init(&c->window, &c->arena, ask->shared);
	read_page(c);
	return c;
}
