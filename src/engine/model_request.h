/* model_request - a turn's request to its model, one at a time: the context it is made of, whether there
 * is money for it, the answer as inputs of core/turn_machine, and what it has cost. */
#pragma once
#include "core/token_estimate.h"
#include "core/turn_machine.h"
#include "engine/context.h"
#include "engine/spending.h"

typedef void model_request_fn(void *ctx, struct turn_input in);

struct model_request {
	struct engine *en;
	const struct context_setup *setup;
	struct purse *purse;
	model_request_fn *tell; /* never from inside of what is asked here */
	void *ctx;
	/* its own; all 0 at the start */
	unsigned number; /* the machine's, of the last one */
	struct context *context;
	struct spending_wait wait;    /* for room in a budget */
	struct provider_call *answer; /* on its way; NULL: none */
	int64_t prompt_tokens;        /* 0: no budget holds, nothing need be estimated */
	/* of the answer so far */
	bool begun, in_pieces; /* a sign of life came; with arguments, before their call is told */
	struct token_tally heard;
	struct usage told;
};

/* The first five members are set, the rest is 0. */
void model_request_init(struct model_request *r);
/* Nothing is told any more. */
void model_request_release(struct model_request *r);
/* Reads the transcript and waits for room in the budgets; tells CONTEXT, NO_CONTEXT, NO_MONEY or
 * NO_PRICE. */
void model_request_prepare(struct model_request *r, unsigned number, const struct context_ask *ask);
/* After CONTEXT: tells the answer's pieces, then DONE or FAILED. */
void model_request_send(struct model_request *r);
void model_request_cancel(struct model_request *r);
/* What the one on its way has cost if it is cut now, as spending counts it. */
int64_t model_request_cost(const struct model_request *r);
