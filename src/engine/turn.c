#include "engine/turn.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "engine/commit.h"
#include "engine/fanout.h"
#include "engine/model_request.h"
#include "engine/pause.h"
#include "engine/runtime.h"
#include "engine/tool_work.h"
#include "engine/wake.h"

struct timer_slot {
	struct turn *turn;
	enum turn_timer which;
	struct host_timer *timer; /* made when it is first set */
};

struct turn {
	struct actor *actor; /* NULL: it is over */
	struct engine *en;
	struct arena arena;
	struct context_setup setup;
	struct wake_list wakes;
	struct directive_order order;
	struct purse purse;
	struct buf said;          /* payload of its last message, for the runtime files */
	enum stop_kind ended;     /* by the commit on its way; STOP_NONE: it does not end it */
	bool ordered;             /* with its order carried out */
	bool opens;               /* its first commit is yet to come */
	bool announces, inactive; /* what woke it is to be said first */
	struct turn_machine *machine;
	struct str id;
	int64_t head_seq;
	int64_t fence;      /* of our lease; 0: none was taken */
	int64_t last_fence; /* of the session, as far as we know */
	int64_t orphan;
	enum turn_lease committing; /* what the last commit does to the lease */
	bool shared, in_lane;
	bool succeeded;     /* once the commit on its way is stored */
	bool rests;         /* the session, by the last commit */
	bool failed;        /* the last commit, and not because somebody was faster */
	unsigned looks_due; /* so many looks until one is younger than the refusal */
	unsigned answers;   /* of the store, on their way: the turn outlives them */

	struct model_request request;
	struct list tools; /* calls on their way (engine/tool_work) */
	struct timer_slot timers[TURN_TIMERS];

	struct turn_over result;
	turn_over_fn *over;
	struct host_task over_task;
};

static void step(struct turn *t, struct turn_input in);

struct str
turn_id(const struct turn *t)
{
	return t->id;
}

struct str
turn_model(const struct turn *t)
{
	return t->setup.model;
}

void
turn_direct(struct turn *t, const struct directive_order *order)
{
	t->order = *order;
}

struct wake_list
turn_wakes(const struct turn *t)
{
	return t->wakes;
}

struct arena *
turn_arena(struct turn *t)
{
	return &t->arena;
}

/* ---- its end ---- */

static void
turn_free(struct turn *t)
{
	turn_machine_release(t->machine);
	context_setup_release(&t->setup);
	arena_release(&t->arena);
	buf_release(&t->said);
	free(t);
}

/* The store has answered: true while the turn goes on. */
static bool
goes_on(struct turn *t)
{
	t->answers--;
	if (t->actor)
		return true;
	if (t->answers == 0)
		turn_free(t);
	return false;
}

static void
report_over(struct host_task *task)
{
	struct turn *t = LIST_OWNER(task, struct turn, over_task);
	struct actor *actor = t->actor;

	actor->turn = NULL;
	t->actor = NULL;
	t->over(actor, &t->result);
	if (t->answers == 0)
		turn_free(t);
}

static void
finish(struct turn *t, enum turn_finish how)
{
	model_request_release(&t->request);
	tool_work_cancel_all(&t->tools);
	for (int i = 0; i < TURN_TIMERS; i++)
		if (t->timers[i].timer)
			t->en->host->ops->timer_free(TAKE(t->timers[i].timer));
	t->result = (struct turn_over){
		.finish = how,
		.fence = t->fence,
		.orphan = t->orphan,
		.failed = t->failed,
		.succeeded = how == TURN_FINISH_ENDED && t->succeeded,
		.rests = how == TURN_FINISH_ENDED && t->rests,
		.in_lane = t->in_lane,
	};
	host_defer(t->en->host, &t->over_task);
}

/* ---- commits ---- */

static void
say_failed(const struct turn *t, const struct store_result *result)
{
	bool overtaken = result->rc == ERR_CONFLICT && t->fence == 0; /* nothing has begun */

	log_write(overtaken ? LOG_DEBUG : LOG_WARN, "turn.commit_failed",
		  LOG_STR("session", t->actor->id), LOG_STR("turn", t->id),
		  LOG_STR("error", str_of(result->err.text)));
}

/* A refusal may only mean that a steering message was taken back: what holds now decides. */
static void
on_refused(struct turn *t, const struct store_result *result)
{
	say_failed(t, result);
	t->failed = result->rc != ERR_CONFLICT;
	if (result->rc == ERR_UNAVAILABLE && t->committing == TURN_LEASE_TAKE)
		t->orphan = t->last_fence + 1; /* it may be stored, and then that is our lease */
	if (t->failed || t->fence == 0) {
		step(t, (struct turn_input){ .kind = TURN_IN_REFUSED });
		return;
	}
	t->looks_due = t->actor->looking ? 2 : 1;
	wake_session(t->en, t->actor->id);
}

/* What is broken is nobody's: a lease is ours once it was taken, and only then can it be lost. */
static void
take_note(struct turn *t, int64_t fence)
{
	if (fence == 0)
		return;
	t->last_fence = fence;
	t->orphan = 0;
	if (t->committing == TURN_LEASE_TAKE)
		t->fence = fence;
}

/* The runtime files show what the turn said last, and are written when it is over. */
static void
tell_files(struct turn *t, const struct commit_result *result)
{
	for (size_t i = 0; i < result->event_count; i++) {
		if (result->events[i].kind != EVENT_AGENT_MESSAGE)
			continue;
		buf_clear(&t->said);
		buf_put_str(&t->said, result->events[i].payload);
	}
	if (t->ended == STOP_NONE)
		return;
	runtime_write(t->en, &(struct runtime_turn){
				     .session = t->actor->id,
				     .agent = t->setup.run.id,
				     .turn = t->id,
				     .model = t->setup.model,
				     .head_seq = result->store->head_seq,
				     .stop = t->ended,
				     .rests = t->rests,
				     .wakes = t->wakes,
				     .order = t->ordered ? &t->order : NULL,
				     .said = buf_str(&t->said),
			     });
}

static void
on_committed(void *ctx, const struct commit_result *result)
{
	struct turn *t = ctx;

	if (!goes_on(t))
		return;
	if (result->store->rc != 0) {
		on_refused(t, result->store);
		return;
	}
	take_note(t, result->store->fence);
	t->rests = result->store->rests;
	if (t->en->config.files.put)
		tell_files(t, result);
	step(t, (struct turn_input){ .kind = TURN_IN_COMMITTED });
}

static void
put_partial(struct turn *t, struct commit *c, struct str body)
{
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_PARTIAL,
						       .id = t->actor->id,
						       .owner = t->id,
						       .body = body },
					   .if_version = STORE_VERSION_ANY,
					   .remove = body.len == 0 });
}

static void
require_lease(struct turn *t, struct commit *c, enum turn_lease lease)
{
	struct store_require *need = commit_require(c);

	switch (lease) {
	case TURN_LEASE_TAKE: commit_lease(c, STORE_LEASE_TAKE); return;
	case TURN_LEASE_KEEP: need->fence = t->fence; return;
	case TURN_LEASE_RELEASE:
		need->fence = t->fence;
		commit_lease(c, STORE_LEASE_RELEASE);
		return;
	case TURN_LEASE_BREAK:
		need->has_head = true;
		need->head_seq = t->head_seq;
		commit_lease(c, STORE_LEASE_BREAK);
		return;
	}
}

/* What the turn was chosen for must be what waits; wakes are no inputs, and an interrupt that cancels
 * them moves the log. */
static void
require_inputs(struct turn *t, const struct turn_effect *e, struct commit *c)
{
	struct store_require *need = commit_require(c);

	need->pending = arena_str_list(commit_arena(c), e->pending);
	need->has_queue = e->has_queue;
	need->queue = e->queue;
	if (!t->opens || t->wakes.len == 0)
		return;
	need->has_head = true;
	need->head_seq = t->head_seq;
}

/* What the turn leaves to be done: its wakes, and what it asked for, unless somebody stopped it or its
 * wakes will run again and ask again. */
static void
settle(struct turn *t, const struct turn_effect *e, struct commit *c)
{
	struct directive_scene at = { t->en, t->actor->id, t->setup.run.id, t->id };

	enum wake_turn went = wake_policy_turn(e->stop, e->by_person);

	wake_queue_settle(t->en, c, t->actor->id, t->wakes, went);
	t->succeeded = went == WAKE_TURN_SUCCEEDED;
	if (e->stop == STOP_BUDGET_REACHED)
		pause_put(t->en, &t->purse, t->actor->id, c);
	t->ordered = t->order.given && (went == WAKE_TURN_SUCCEEDED ||
					(went == WAKE_TURN_FAILED && t->wakes.len == 0));
	if (t->ordered)
		directive_order_commit(&t->order, &at, c);
}

static void
do_commit(struct turn *t, const struct turn_effect *e)
{
	struct commit *c = commit_new(t->en, t->actor->id);

	require_inputs(t, e, c);
	if (t->announces)
		wake_queue_announce(t->en, c, t->wakes, t->inactive);
	if (t->opens)
		spending_put_user(t->en->spending, &t->purse, t->actor->id, c);
	t->announces = t->opens = false;
	for (size_t i = 0; i < e->event_count; i++)
		IGNORE(commit_append(
			c, &(struct commit_event){ /* the machine knows its ids */
						   .kind = e->events[i].kind,
						   .author = event_usual_author(e->events[i].kind),
						   .id = e->events[i].id,
						   .turn = t->id,
						   .payload = e->events[i].payload }));
	require_lease(t, c, e->lease);
	if (e->drop_partial)
		put_partial(t, c, (struct str){ 0 });
	t->committing = e->lease;
	spending_put(t->en->spending, &t->purse, c);
	t->ended = e->ends ? e->stop : STOP_NONE;
	if (e->ends) {
		settle(t, e, c);
		commit_ask_rest(c);
	}
	t->answers++;
	commit_submit(c, on_committed, t);
}

/* ---- what was said so far ---- */

static void
on_saved(void *ctx, const struct commit_result *result)
{
	struct turn *t = ctx;

	/* The next commit would find out too, but a long answer should not go on for nobody. */
	if (goes_on(t) && result->store->rc == ERR_CONFLICT)
		wake_session(t->en, t->actor->id);
}

static void
save_partial(struct turn *t, const struct turn_effect *e)
{
	struct commit *c = commit_new(t->en, t->actor->id);
	struct buf body;
	struct jw w;

	buf_init(&body, STORE_PAYLOAD_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "event_id", e->event_id);
	jw_field_str(&w, "model", t->setup.model);
	jw_field_str(&w, "text", e->text);
	jw_end_object(&w);
	put_partial(t, c, buf_str(&body));
	buf_release(&body);
	commit_require(c)->fence = t->fence;
	t->answers++;
	commit_submit(c, on_saved, t);
}

/* ---- the model ---- */

static void
on_model(void *ctx, struct turn_input in)
{
	step(ctx, in);
}

static void
load_context(struct turn *t, const struct turn_effect *e)
{
	model_request_prepare(&t->request, e->request,
			      &(struct context_ask){ .session = t->actor->id,
						     .setup = &t->setup,
						     .shared = t->shared,
						     .aggressive = e->aggressive,
						     .note = e->note });
}

/* ---- tools ---- */

static void
on_tool(void *ctx, struct str call_event, const struct tool_result *result)
{
	step(ctx, (struct turn_input){ .kind = TURN_IN_TOOL,
				       .call_event = call_event,
				       .outcome = result->outcome,
				       .reschedules =
					       directive_order_wakes(&((struct turn *)ctx)->order),
				       .text = result->output });
}

static void
start_tool(struct turn *t, const struct turn_call *call)
{
	tool_work_start(&t->tools,
			&(struct tool_work_ask){ .en = t->en,
						 .session = t->actor->id,
						 .turn = t->id,
						 .fence = t->fence,
						 .setup = &t->setup,
						 .call = call },
			on_tool, t);
}

/* ---- timers ---- */

static void
on_timer(void *ctx)
{
	struct timer_slot *slot = ctx;

	step(slot->turn, (struct turn_input){ .kind = TURN_IN_TIMER, .timer = slot->which });
}

static void
set_timer(struct turn *t, enum turn_timer which, int64_t delay_ms)
{
	struct timer_slot *slot = &t->timers[which];
	struct host *host = t->en->host;

	if (!slot->timer && delay_ms < 0)
		return;
	if (!slot->timer) {
		*slot = (struct timer_slot){ t, which, NULL };
		slot->timer = host->ops->timer_new(host, on_timer, slot);
	}
	host->ops->timer_set(slot->timer, delay_ms);
}

/* ---- steps ---- */

static void
carry_out(struct turn *t, const struct turn_effect *e)
{
	switch (e->kind) {
	case TURN_DO_COMMIT: do_commit(t, e); return;
	case TURN_DO_CONTEXT: load_context(t, e); return;
	case TURN_DO_MODEL: model_request_send(&t->request); return;
	case TURN_DO_MODEL_CANCEL: model_request_cancel(&t->request); return;
	case TURN_DO_TOOL: start_tool(t, e->call); return;
	case TURN_DO_TOOL_CANCEL: tool_work_cancel(&t->tools, e->call->id); return;
	case TURN_DO_TIMER: set_timer(t, e->timer, e->delay_ms); return;
	case TURN_DO_PREVIEW_START:
		fanout_preview_start(t->actor, e->event_id, e->event_kind);
		return;
	case TURN_DO_PREVIEW_DELTA: fanout_preview_delta(t->actor, e->event_id, e->text); return;
	case TURN_DO_PREVIEW_END: fanout_preview_end(t->actor, e->event_id); return;
	case TURN_DO_SAVE: save_partial(t, e); return;
	case TURN_DO_FINISH: finish(t, e->finish); return;
	}
}

/* Nothing that an effect starts answers from inside, so steps never nest. */
static void
step(struct turn *t, struct turn_input in)
{
	const struct turn_effect *effects;
	size_t count;

	in.now_ms = host_now_ms(t->en->host);
	if (t->request.answer) /* this step may cut it */
		in.cost_picodollars = model_request_cost(&t->request);
	effects = turn_machine_step(t->machine, &in, &count);
	for (size_t i = 0; i < count; i++)
		carry_out(t, &effects[i]);
}

void
turn_start(struct actor *actor, const struct turn_begin *begin)
{
	struct turn *t = xcalloc(1, sizeof *t);

	*t = (struct turn){
		.actor = actor,
		.en = actor->en,
		.arena = begin->arena,
		.setup = begin->setup,
		.wakes = begin->wakes,
		.order = begin->order,
		.purse = { .user = begin->user,
			   .model = begin->setup.model,
			   .session_limit = begin->setup.session_budget,
			   .session_spent = begin->spent },
		.opens = begin->plan.how == TURN_OPENS,
		.announces = begin->plan.how == TURN_OPENS && begin->wakes.len > 0,
		.id = begin->plan.turn,
		.head_seq = begin->head_seq,
		.last_fence = begin->fence,
		.shared = begin->shared,
		.in_lane = begin->in_lane,
		.inactive = begin->inactive,
		.orphan = begin->orphan,
		.over = begin->over,
		.over_task.fn = report_over,
	};
	list_init(&t->over_task.node);
	list_init(&t->tools);
	buf_init(&t->said, STORE_PAYLOAD_MAX);
	t->request = (struct model_request){ t->en, &t->setup, &t->purse, on_model, t };
	model_request_init(&t->request);
	t->machine = turn_machine_new(&t->arena, &begin->plan);
	actor->turn = t;
	step(t, (struct turn_input){ .kind = TURN_IN_START });
}

void
turn_see(struct turn *t, const struct turn_sight *sight)
{
	/* Fences only grow. A smaller one was read before ours was taken. */
	bool lost = sight && t->fence != 0 && sight->fence > t->fence;

	if (!list_is_empty(&t->over_task.node)) { /* it has ended, and cannot use what was seen */
		t->result.rests = false;
		return;
	}
	if (sight && !lost)
		step(t, (struct turn_input){ .kind = TURN_IN_INPUTS, .inputs = sight->inputs });
	if (lost || (t->looks_due > 0 && --t->looks_due == 0))
		step(t, (struct turn_input){ .kind = TURN_IN_REFUSED, .lost = lost });
}

void
turn_drain(struct turn *t, enum recover_reason why)
{
	step(t, (struct turn_input){ .kind = TURN_IN_DRAIN, .reason = why });
}
