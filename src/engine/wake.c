#include "engine/wake.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "core/queue_policy.h"
#include "core/turn_mutant.h"
#include "engine/actor.h"
#include "engine/approval.h"
#include "engine/commit.h"
#include "engine/expiry.h"
#include "engine/hook.h"
#include "engine/look.h"
#include "engine/recover.h"
#include "engine/rollover.h"
#include "engine/turn.h"
#include "engine/turn_recover.h"
#include "engine/turn_refusal.h"
#include "engine/wake_private.h"

enum {
	RETRY_MS = 1000,  /* the store could not answer */
	CONFLICT_MS = 10, /* the log has moved on since the look */
	ORPHAN_MS = 1000, /* a lease is held by nobody: break it */
};

/* One look at a session, and the turn that may come of it. */
struct sighting {
	struct actor *actor;
	struct look *look;
	struct turn_begin begin;
	int64_t orphan; /* fence of a lease that this process holds without a turn; 0: none */
	struct permit {
		struct arena arena;
		struct str turn; /* that the hook let begin; empty: none was asked about */
		struct str_list inputs, wakes;
	} permit;
};

static void begin_look(struct actor *actor);
static void on_looked(void *ctx, int rc, const struct err *err);

static void
end_look(struct sighting *s)
{
	struct actor *actor = s->actor;
	struct engine *en = actor->en;

	context_setup_release(&s->begin.setup);
	look_free(&s->look);
	arena_release(&s->permit.arena);
	free(s);
	actor->looking = false;
	if (actor->look_again && (actor->turn || !en->draining)) {
		actor->look_again = false;
		begin_look(actor);
	} else if (!actor->turn) {
		wake_recover_settled(en->wake, actor->id);
		actor_settle(actor);
	}
	en->open_turns--;
	engine_turn_closed(en);
}

static void
try_later(struct sighting *s, const struct err *err)
{
	log_write(LOG_WARN, "wake.look_failed", LOG_STR("session", s->actor->id),
		  LOG_STR("error", str_of(err->text)));
	if (!s->actor->en->draining)
		wake_nap(s->actor->en->wake, s->actor->id, RETRY_MS, s->orphan);
}

/* ---- a turn begins, and is over ---- */

static int64_t
lost_ms(const struct turn_over *over)
{
	if (over->orphan != 0)
		return ORPHAN_MS;
	return over->failed ? RETRY_MS : CONFLICT_MS;
}

/* Whoever releases a lease looks again, unless it left nothing to do: what came meanwhile has woken
 * nobody, what comes later does. */
static void
on_over(struct actor *actor, const struct turn_over *over)
{
	struct engine *en = actor->en;
	struct str session = actor->id;

	wake_recover_settled(en->wake, session);
	recover_turn_over(en, session, over);
	en->put_off += en->draining && over->finish != TURN_FINISH_ENDED &&
		       over->finish != TURN_FINISH_PARKED;
	if (!en->draining && over->finish == TURN_FINISH_BROKEN)
		wake_nap(en->wake, session, ORPHAN_MS, over->fence);
	else if (!en->draining && over->finish == TURN_FINISH_LOST)
		wake_nap(en->wake, session, lost_ms(over), over->orphan);
	else if (!en->draining && !over->rests && !MUTANT(WAKE_LOST))
		wake_session(en, session);
	actor_settle(actor);
	en->open_turns--;
	engine_turn_closed(en);
}

static void
launch_now(struct sighting *s)
{
	rollover_take_marks(s->actor->en, &s->look->session);
	s->begin.arena = look_take_arena(s->look);
	s->actor->en->open_turns++;
	turn_start(s->actor, &s->begin);
	s->begin.setup.agent = NULL; /* it is the turn's */
	end_look(s);
}

static bool
are_same(struct str_list a, struct str_list b)
{
	bool same = a.len == b.len;

	for (size_t i = 0; same && i < a.len; i++)
		same = str_eq(a.ptr[i], b.ptr[i]);
	return same;
}

/* Hooks take their time: what came meanwhile may go first. If nothing does, it is the turn that was
 * asked about, and nobody is asked again. */
static void
look_once_more(struct sighting *s)
{
	struct permit *p = &s->permit;
	struct actor *actor = s->actor;

	arena_reset(&p->arena);
	p->turn = arena_str(&p->arena, s->begin.plan.turn);
	p->inputs = arena_str_list(&p->arena, s->begin.plan.consumes);
	p->wakes = arena_str_list(&p->arena, s->begin.plan.wakes);
	context_setup_release(&s->begin.setup);
	s->begin = (struct turn_begin){ 0 };
	look_free(&s->look);
	actor->look_again = false;
	s->look = look_start(actor->en, actor->id, false, on_looked, s);
}

static bool
is_permitted(struct sighting *s)
{
	struct turn_plan *plan = &s->begin.plan;

	if (s->permit.turn.len == 0 || !are_same(s->permit.inputs, plan->consumes) ||
	    !are_same(s->permit.wakes, plan->wakes))
		return false;
	plan->turn = arena_str(&s->look->arena, s->permit.turn);
	return true;
}

static void
on_refused(void *ctx, const struct commit_result *result)
{
	struct sighting *s = ctx;
	int rc = result->store->rc;

	if (rc == 0 || rc == ERR_CONFLICT) /* there may be more, or it was taken back meanwhile */
		s->actor->look_again = true;
	else
		try_later(s, &result->store->err);
	end_look(s);
}

static void
on_hook(void *ctx, int rc, const struct err *err)
{
	struct sighting *s = ctx;

	if (rc == ERR_DENIED)
		commit_submit(
			turn_refusal_write(s->actor->en,
					   &(struct turn_refused){ .session = s->actor->id,
								   .inputs = s->begin.plan.consumes,
								   .wakes = s->begin.wakes,
								   .reason = str_of(err->text) }),
			on_refused, s);
	else if (rc != 0)
		try_later(s, err);
	if (rc != ERR_DENIED && (rc != 0 || s->actor->en->draining))
		end_look(s);
	else if (rc == 0 && s->actor->look_again)
		look_once_more(s);
	else if (rc == 0)
		launch_now(s);
}

/* Only a turn that begins is asked about: one that goes on was. */
static void
launch(struct sighting *s)
{
	struct engine *en = s->actor->en;

	if (s->begin.plan.how == TURN_OPENS && hook_is_wanted(en, HOOK_BEFORE_TURN) &&
	    !is_permitted(s))
		hook_ask_turn(en, s->actor->id, s->begin.plan.turn, s->begin.plan.consumes, on_hook,
			      s);
	else
		launch_now(s);
}

/* No message starts it: whoever spoke last pays. */
static bool
is_nobodys(const struct sighting *s)
{
	return s->begin.plan.how != TURN_OPENS || s->begin.wakes.len > 0;
}

static bool
on_spender_row(void *ctx, const struct store_row *row)
{
	struct sighting *s = ctx;

	s->begin.user = arena_str(&s->look->arena, row->record->owner);
	return false;
}

static void
on_spender(void *ctx, int rc, bool more, const struct err *err)
{
	struct sighting *s = ctx;

	(void)more;
	if (rc != 0)
		try_later(s, err);
	if (rc != 0 || s->actor->en->draining)
		end_look(s);
	else
		launch(s);
}

static void
read_spender(struct sighting *s)
{
	store_read(s->actor->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_SPENDER,
					  .record_id = s->look->session_id,
					  .limit = 1 },
		   on_spender_row, on_spender, s);
}

/* The agent's limit or the operator's, whichever is shorter. */
static int64_t
wake_turn_timeout_ms(const struct engine *en, const struct context_setup *setup)
{
	int64_t most_ms = en->config.settings.turn_timeout_ms;

	return most_ms > 0 && most_ms < setup->run.timeout_ms ? most_ms : setup->run.timeout_ms;
}

static void
on_setup(void *ctx, int rc, const struct err *err, const struct context_setup *setup)
{
	struct sighting *s = ctx;
	struct turn_plan *plan = &s->begin.plan;
	struct engine *en = s->actor->en;

	if (rc != 0)
		try_later(s, err);
	if (rc != 0 || en->draining) {
		end_look(s);
		return;
	}
	plan->model = setup->model;
	plan->problem = setup->problem;
	plan->tools = setup->offer.tools;
	plan->tool_count = setup->offer.count;
	plan->rules = setup->rules;
	plan->troubles = setup->troubles;
	plan->trouble_count = setup->trouble_count;
	plan->max_steps = setup->run.max_steps;
	plan->timeout_ms = wake_turn_timeout_ms(en, setup);
	plan->retry = setup->provider ? setup->terms.retry : retry_policy_default();
	rand_bytes(&en->rand, plan->seed.bytes, sizeof plan->seed.bytes);
	context_setup_keep(setup);
	s->begin.setup = *setup;
	s->begin.head_seq = s->look->session.row.head_seq;
	s->begin.fence = s->look->session.fence;
	s->begin.shared = s->look->session.group;
	s->begin.in_lane = s->look->session.lane_key.len > 0;
	s->begin.spent = s->look->session.row.counters.cost_picodollars;
	s->begin.inactive = s->look->session.row.state.lifecycle == LIFECYCLE_INACTIVE;
	s->begin.over = on_over;
	s->begin.orphan = s->orphan;
	if (s->begin.user.len == 0 && is_nobodys(s) && spending_costs(en->spending, setup->model))
		read_spender(s);
	else
		launch(s);
}

static void
start_turn(struct sighting *s)
{
	context_setup_load(s->actor->en, &s->look->session, s->begin.plan.prompt_model,
			   &s->look->arena, on_setup, s);
}

/* ---- no turn is open: the queue ---- */

static void
pick_from_queue(struct sighting *s)
{
	struct look *l = s->look;
	struct engine *en = l->en;
	struct queue_facts f = {
		.phase = TURN_NONE,
		.now_ms = host_now_ms(en->host),
		.quiet_ms = en->config.settings.quiet_ms,
	};
	struct wake_list due = wake_queue_due(l->wakes, &l->arena, f.now_ms);
	size_t count;
	struct queue_input *queue = look_queue(l, &l->arena, &count);
	struct queue_plan plan;

	f.paused = l->pauses.everybody;
	f.wake_due = due.len > 0 && !l->pauses.wakes;
	if (l->pauses.until_ms > f.now_ms && (count > 0 || due.len > 0))
		wake_nap(en->wake, s->actor->id, l->pauses.until_ms - f.now_ms, 0);
	queue_let_go(queue, count, (size_t)en->config.settings.queue_depth);
	plan = queue_pick(queue, count, &f);
	if (plan.pick != PICK_TRIGGERS && plan.pick != PICK_WAKES) {
		if (plan.look_again_ms != 0)
			wake_nap(en->wake, s->actor->id, plan.look_again_ms - f.now_ms, 0);
		wake_due_again(en->wake, s->actor->id, &l->wakes);
		end_look(s);
		return;
	}
	s->begin.plan.how = TURN_OPENS;
	s->begin.plan.turn = engine_make_id(en, &l->arena, "turn");
	s->begin.plan.queue = look_mark(l);
	if (plan.pick == PICK_WAKES) {
		s->begin.wakes = due;
		s->begin.plan.wakes = wake_queue_ids(due, &l->arena);
	} else {
		s->begin.plan.consumes = look_consumes(l, &l->arena, plan.first, plan.count);
		s->begin.user = look_user(l, s->begin.plan.consumes);
		s->begin.plan.prompt_model = look_model(l, s->begin.plan.consumes);
	}
	loop_guard_init(&s->begin.plan.guard);
	start_turn(s);
}

/* ---- a turn is open and nobody runs it ---- */

/* What the turn has asked for before it was cut short stands in its log. */
static void
restore_order(struct sighting *s)
{
	struct look *l = s->look;
	struct directive_order *order = &s->begin.order;

	if (l->history.directive.len == 0 ||
	    directive_order_read(l->history.directive, directive_continues(s->begin.wakes),
				 &l->arena, order, NULL) != 0)
		return;
	order->known = wake_queue_less(l->wakes, s->begin.wakes, &l->arena);
	s->begin.plan.reschedules = directive_order_wakes(order);
}

static void
plan_open_turn(struct sighting *s)
{
	const struct look *l = s->look;
	const struct turn_history *h = &l->history;
	bool parked = l->session.row.state.phase == TURN_PARKED;

	s->begin.plan = (struct turn_plan){
		.how = TURN_CONTINUES,
		.turn = l->session.row.turn,
		.prompt_model = h->model,
		.inputs = look_inputs(l, &s->look->arena, host_now_ms(l->en->host)),
		.steps = h->steps,
		.leased_ms = turn_history_leased_ms(h),
		.guard = h->guard,
		.continuations = h->continuations,
		.parked_on = parked ? h->parked_on : 0,
		.reason = h->marked ? h->reason : RECOVER_RESTART_INTERRUPTED,
		.open_request = h->open_request,
		.has_partial = l->has_partial,
		.partial_id = l->partial_id,
		.partial_text = l->partial_text,
		.partial_model = l->partial_model,
	};
	s->begin.plan.calls = look_calls(l, &s->look->arena, &s->begin.plan.call_count);
	s->begin.wakes = wake_queue_named(l->wakes, &s->look->arena,
					  (struct str_list){ h->wakes.ptr, h->wakes.len });
	restore_order(s);
}

/* Its own confirmations are answers like any other: look again. Whoever was faster wakes too. */
static void
on_confirmed(void *ctx, const struct commit_result *result)
{
	struct sighting *s = ctx;
	int rc = result->store->rc;

	if (rc == 0)
		s->actor->look_again = true;
	else if (rc != ERR_CONFLICT)
		try_later(s, &result->store->err);
	end_look(s);
}

/* Questions that nobody has to answer; true: the look is over when they are settled. */
static bool
settles_questions(struct sighting *s)
{
	struct look *l = s->look;
	int64_t due_ms;
	struct commit *c;

	if (l->session.row.state.phase != TURN_PARKED)
		return false;
	c = approval_settle(l, &due_ms);
	if (due_ms != 0)
		wake_nap(l->en->wake, s->actor->id, due_ms - host_now_ms(l->en->host), 0);
	if (c)
		commit_submit(c, on_confirmed, s);
	return c != NULL;
}

static void
run_open_turn(struct sighting *s)
{
	if (s->begin.plan.how == TURN_CONTINUES && s->begin.plan.inputs.interrupts.len > 0)
		s->begin.plan.how = TURN_STOPS;
	if (turn_machine_has_work(&s->look->arena, &s->begin.plan))
		start_turn(s);
	else
		end_look(s);
}

static void
on_judged(void *ctx, int rc, const struct err *err, const struct recover_turn_plan *plan)
{
	struct sighting *s = ctx;

	if (rc != 0)
		try_later(s, err);
	if (rc != 0 || s->actor->en->draining) {
		end_look(s);
		return;
	}
	s->begin.plan.recover = *plan;
	s->begin.plan.note = recover_model_note(s->begin.plan.reason);
	if (turn_recover_was_cut_short(s->look) || plan->turn == RECOVER_TURN_INTERRUPT)
		s->begin.plan.how = TURN_RECOVERS;
	if (plan->turn == RECOVER_TURN_HOLD && s->begin.plan.how == TURN_CONTINUES &&
	    s->begin.plan.inputs.interrupts.len == 0)
		end_look(s); /* the log says already that it waits */
	else
		run_open_turn(s);
}

static void
go_on_with_turn(struct sighting *s)
{
	struct look *l = s->look;
	int64_t broken = wake_nap_take_fence(l->en->wake, s->actor->id);

	s->orphan = l->session.lease_own && broken == l->session.fence ? broken : 0;
	if ((l->session.lease_live && s->orphan == 0) || !l->has_history) {
		end_look(s); /* somebody runs it and hears of everything */
		return;
	}
	if (settles_questions(s))
		return;
	plan_open_turn(s);
	if (l->session.row.state.phase == TURN_PARKED)
		run_open_turn(s);
	else
		turn_recover_judge(l, on_judged, s);
}

/* ---- looking ---- */

static bool
may_run(const struct look *l)
{
	enum lifecycle life = l->session.row.state.lifecycle;

	return l->found && !l->en->draining &&
	       (life == LIFECYCLE_ACTIVE || life == LIFECYCLE_INACTIVE);
}

static void
show_turn(struct sighting *s)
{
	struct look *l = s->look;

	turn_see(
		s->actor->turn,
		&(struct turn_sight){ .inputs = look_inputs(l, &l->arena, host_now_ms(l->en->host)),
				      .fence = l->session.fence });
}

static void
on_looked(void *ctx, int rc, const struct err *err)
{
	struct sighting *s = ctx;
	struct actor *actor = s->actor;

	if (rc != 0) {
		if (actor->turn)
			turn_see(actor->turn, NULL);
		else
			try_later(s, err);
		end_look(s);
	} else if (actor->turn) {
		show_turn(s);
		end_look(s);
	} else if (s->look->running_here) {
		actor->look_again = true; /* it ended meanwhile: this look knows too little */
		end_look(s);
	} else if (!may_run(s->look)) {
		end_look(s);
	} else if (s->look->session.row.state.phase == TURN_NONE) {
		pick_from_queue(s);
	} else {
		go_on_with_turn(s);
	}
}

static void
begin_look(struct actor *actor)
{
	struct sighting *s = xcalloc(1, sizeof *s);

	actor->looking = true;
	actor->en->open_turns++; /* a drain waits for looks too */
	s->actor = actor;
	arena_init(&s->permit.arena);
	s->look = look_start(actor->en, actor->id, actor->turn != NULL, on_looked, s);
}

void
wake_session(struct engine *en, struct str session)
{
	struct actor *actor = en->draining ? actor_find(en, session) : actor_get(en, session);

	if (!actor || (en->draining && !actor->turn))
		return;
	if (actor->looking)
		actor->look_again = true;
	else
		begin_look(actor);
}

/* ---- life ---- */

struct wake *
wake_new(struct engine *en)
{
	struct wake *w = xcalloc(1, sizeof *w);

	w->en = en;
	map_init(&w->naps, rand_u64(&en->rand));
	map_init(&w->recovering, rand_u64(&en->rand));
	map_init(&w->held, rand_u64(&en->rand));
	arena_init(&w->held_ids);
	return w;
}

void
wake_free(struct wake **p)
{
	struct wake *w = *p;

	if (!w)
		return;
	wake_nap_free_all(w);
	wake_due_free(w);
	wake_recover_free(w);
	map_release(&w->naps);
	map_release(&w->held);
	arena_release(&w->held_ids);
	if (w->drain_timer)
		w->en->host->ops->timer_free(w->drain_timer);
	free(w);
	*p = NULL;
}

static void
on_drain_over(void *ctx)
{
	struct wake *w = ctx;
	size_t at = 0;
	struct str key;
	void *value;

	while (map_next(&w->en->actors, &at, &key, &value)) {
		struct actor *actor = value;

		if (actor->turn)
			turn_drain(actor->turn, w->en->drain_why);
	}
	context_setup_abandon_all(w->en);
	expiry_give_up(w->en->expiry);
	hook_give_up(w->en); /* the expiry's attempt does not count: it is no longer waiting */
}

void
wake_drain(struct engine *en, int64_t timeout_ms)
{
	struct wake *w = en->wake;

	wake_nap_free_all(w);
	if (!w->drain_timer)
		w->drain_timer = en->host->ops->timer_new(en->host, on_drain_over, w);
	en->host->ops->timer_set(w->drain_timer, timeout_ms > 0 ? timeout_ms : 0);
}
