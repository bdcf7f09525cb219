#include "engine/model_request.h"

static void on_room(struct spending_wait *w);

void
model_request_init(struct model_request *r)
{
	list_init(&r->wait.node);
	r->wait.again = on_room;
}

void
model_request_release(struct model_request *r)
{
	model_request_cancel(r);
	spending_leave(r->en->spending, &r->wait);
	context_free(&r->context);
}

static void
tell(struct model_request *r, struct turn_input in)
{
	in.request = r->number;
	r->tell(r->ctx, in);
}

/* ---- before it is sent ---- */

/* Is there money for it? */
static enum budget_verdict
check_budget(struct model_request *r, struct err *why)
{
	struct spending *s = r->en->spending;

	r->prompt_tokens = 0;
	if (!spending_is_limited(s, r->purse))
		return BUDGET_ALLOW;
	r->prompt_tokens = context_tokens(r->context);
	return spending_check(s, r->purse, r->prompt_tokens, r->setup->run.max_output_tokens, why);
}

/* The context is there: it may be sent, or waits until there is room for it. */
static void
judge(struct model_request *r)
{
	struct err why = { 0 };
	struct turn_input in = { .kind = TURN_IN_CONTEXT };

	switch (check_budget(r, &why)) {
	case BUDGET_ALLOW: break;
	case BUDGET_BUSY:
		spending_wait(r->en->spending, &r->wait, r->purse, r->prompt_tokens,
			      r->setup->run.max_output_tokens);
		return;
	case BUDGET_REACHED: in.kind = TURN_IN_NO_MONEY; break;
	case BUDGET_UNPRICED: in.kind = TURN_IN_NO_PRICE; break;
	}
	in.text = str_of(why.text);
	tell(r, in);
}

static void
on_room(struct spending_wait *w)
{
	judge(LIST_OWNER(w, struct model_request, wait));
}

static void
on_context(void *ctx, int rc, const struct err *err)
{
	struct model_request *r = ctx;

	if (rc == 0)
		judge(r);
	else
		tell(r,
		     (struct turn_input){ .kind = TURN_IN_NO_CONTEXT, .text = str_of(err->text) });
}

void
model_request_prepare(struct model_request *r, unsigned number, const struct context_ask *ask)
{
	spending_leave(r->en->spending, &r->wait);
	context_free(&r->context);
	r->number = number;
	r->context = context_load(r->en, ask, on_context, r);
}

/* ---- what it has cost ---- */

static int64_t
price_of(const struct model_request *r, const struct usage *usage)
{
	const struct engine_models *models = &r->en->config.models;

	return models->cost ? models->cost(models->ctx, r->setup->model, usage) : -1;
}

static bool
tells_nothing(const struct usage *u)
{
	return usage_prompt_tokens(u) == 0 && u->output == 0;
}

/* Where a budget holds, what the provider did not tell: the prompt as it was measured and what was heard
 * of the answer. Never more than was reserved. */
static int64_t
estimate(const struct model_request *r, struct usage told)
{
	int64_t heard = token_tally_tokens(&r->heard), cost;

	if (r->prompt_tokens == 0)
		return 0;
	if (usage_prompt_tokens(&told) == 0)
		told.input = r->prompt_tokens;
	if (told.output < heard)
		told.output = heard;
	cost = price_of(r, &told);
	return cost < r->purse->reserved ? cost : r->purse->reserved;
}

/* It came to its end. */
static int64_t
cost_of_whole(const struct model_request *r, const struct usage *told)
{
	return tells_nothing(told) && r->prompt_tokens > 0 ? estimate(r, *told) : price_of(r, told);
}

/* It did not: before its first sign of life it was not worked on. */
static int64_t
cost_of_cut(const struct model_request *r, const struct usage *told)
{
	return r->begun || !tells_nothing(told) ? estimate(r, *told) : 0;
}

int64_t
model_request_cost(const struct model_request *r)
{
	return r->answer ? cost_of_cut(r, &r->told) : 0;
}

static void
hear(struct model_request *r, enum token_text_kind kind, struct str piece)
{
	r->begun = true;
	token_tally_add(&r->heard, kind, piece);
}

/* ---- the answer ---- */

static void
on_text(void *ctx, struct str piece)
{
	struct model_request *r = ctx;

	hear(r, TOKEN_TEXT, piece);
	tell(r, (struct turn_input){ .kind = TURN_IN_TEXT, .text = piece });
}

static void
on_thinking(void *ctx, struct str piece)
{
	struct model_request *r = ctx;

	hear(r, TOKEN_TEXT, piece);
	tell(r, (struct turn_input){ .kind = TURN_IN_THINKING, .text = piece });
}

static void
on_thinking_data(void *ctx, struct str data)
{
	tell(ctx, (struct turn_input){ .kind = TURN_IN_THINKING_DATA, .text = data });
}

static void
on_call(void *ctx, const struct tool_call *call)
{
	struct model_request *r = ctx;

	hear(r, TOKEN_TEXT, call->name);
	if (!r->in_pieces)
		hear(r, TOKEN_JSON, call->arguments);
	tell(r, (struct turn_input){ .kind = TURN_IN_CALL, .call = call });
}

static void
on_lost_call(void *ctx, const struct tool_call *call)
{
	tell(ctx, (struct turn_input){ .kind = TURN_IN_LOST_CALL, .call = call });
}

static void
on_heard(void *ctx, struct str piece, const struct usage *told)
{
	struct model_request *r = ctx;

	hear(r, TOKEN_JSON, piece);
	r->in_pieces |= piece.len > 0;
	r->told = *told;
}

static enum turn_stop
stop_of(enum provider_stop stop)
{
	switch (stop) {
	case PROVIDER_STOP_END: return TURN_STOP_END;
	case PROVIDER_STOP_TOOLS: return TURN_STOP_TOOLS;
	case PROVIDER_STOP_LENGTH: return TURN_STOP_LENGTH;
	case PROVIDER_STOP_CUT: return TURN_STOP_CUT;
	case PROVIDER_STOP_REFUSAL: return TURN_STOP_REFUSAL;
	}
	return TURN_STOP_END;
}

static void
on_done(void *ctx, enum provider_stop stop, const struct usage *usage)
{
	struct model_request *r = ctx;
	int64_t cost = cost_of_whole(r, usage);

	r->answer = NULL;
	spending_end(r->en->spending, r->purse, cost);
	tell(r, (struct turn_input){ .kind = TURN_IN_DONE,
				     .stop = stop_of(stop),
				     .usage = *usage,
				     .cost_picodollars = cost });
}

static void
on_failed(void *ctx, const struct provider_failure *failure)
{
	struct model_request *r = ctx;
	int64_t cost = cost_of_cut(r, &failure->usage);

	r->answer = NULL;
	spending_end(r->en->spending, r->purse, cost);
	tell(r, (struct turn_input){ .kind = TURN_IN_FAILED,
				     .failure = failure->kind,
				     .retry_after_ms = failure->retry_after_ms,
				     .cost_picodollars = cost,
				     .text = str_of(failure->err->text) });
}

void
model_request_send(struct model_request *r)
{
	static const struct provider_events EVENTS = {
		on_text,      on_thinking, on_thinking_data, on_call,
		on_lost_call, on_heard,    on_done,          on_failed,
	};
	struct provider *p = r->setup->provider;

	r->begun = r->in_pieces = false;
	r->heard = (struct token_tally){ 0 };
	r->told = (struct usage){ 0 };
	if (r->prompt_tokens > 0)
		spending_begin(r->en->spending, r->purse, r->prompt_tokens,
			       r->setup->run.max_output_tokens);
	r->answer = p->ops->start(p, context_request(r->context), &EVENTS, r);
}

void
model_request_cancel(struct model_request *r)
{
	int64_t cost = model_request_cost(r);

	if (!r->answer)
		return;
	r->setup->provider->ops->cancel(TAKE(r->answer));
	spending_end(r->en->spending, r->purse, cost);
}
