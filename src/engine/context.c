#include "engine/context.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/context_text.h"
#include "core/context_window.h"
#include "core/token_estimate.h"

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
	int64_t message_tokens;
	int64_t tokens; /* of the whole; 0: not measured */
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

static int64_t
measure(const struct context *c, struct arena *scratch)
{
	const struct provider_request *q = &c->request;
	int64_t tokens = c->message_tokens + token_estimate_text(q->system, scratch).tokens;

	for (size_t i = 0; i < q->message_count; i++)
		tokens += token_estimate_frame(&q->messages[i]);
	for (size_t i = 0; i < q->tool_count; i++)
		tokens += token_estimate_text(q->tools[i].name, scratch).tokens +
			  token_estimate_text(q->tools[i].description, scratch).tokens +
			  token_estimate_text(q->tools[i].input_schema, scratch).tokens;
	return tokens;
}

int64_t
context_tokens(struct context *c)
{
	struct arena scratch;

	if (c->tokens > 0)
		return c->tokens;
	arena_init(&scratch);
	c->tokens = measure(c, &scratch);
	arena_release(&scratch);
	return c->tokens;
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
	if (c->setup.lane.text.len > 0)
		buf_put_str(&b, c->setup.lane.text);
	else
		buf_printf(&b, "## Current Session Context\n");
	buf_printf(&b, "- Agent: " STR_FMT " (version %lld)\n", STR_ARG(run->id),
		   (long long)run->version);
	if (c->setup.lane.text.len == 0) /* a lane's text has named it */
		buf_printf(&b, "- Session: " STR_FMT "\n", STR_ARG(c->session));
	buf_printf(&b, "- Model: " STR_FMT "\n", STR_ARG(c->setup.model));
	if (c->window.shared)
		buf_printf(&b, "\n" STR_FMT, STR_ARG(context_group_prompt()));
	text = arena_str(&c->arena, buf_str(&b));
	buf_release(&b);
	return text;
}

static const struct provider_tool *
tools_of(struct context *c)
{
	const struct tool_offer *offer = &c->setup.offer;
	struct provider_tool *tools =
		ARENA_ARRAY(&c->arena, offer->count + 1, struct provider_tool);

	for (size_t i = 0; i < offer->count; i++)
		tools[i] = (struct provider_tool){ offer->tools[i].name, offer->docs[i].description,
						   offer->docs[i].input_schema };
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
	c->message_tokens = view.tokens;
	c->request = (struct provider_request){
		.model = c->setup.provider_model,
		.system = system_prompt(c),
		.messages = view.messages,
		.message_count = view.count,
		.tools = tools_of(c),
		.tool_count = c->setup.offer.count,
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
	context_window_add(&c->window, &row->item->item, &row->item->ev, &row->item->content,
			   row->item->at_turn);
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
	c->window.redact = ask->setup->lane.redact;
	read_page(c);
	return c;
}
