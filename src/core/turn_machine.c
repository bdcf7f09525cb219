#include "core/turn_machine.h"

#include "core/turn_machine_private.h"
#include "core/turn_mutant.h"

/* ids without those that a commit of this turn has consumed. */
static struct str_list
not_yet_consumed(const struct turn_machine *m, struct arena *a, struct str_list ids)
{
	struct str *out = ARENA_ARRAY(a, ids.len + 1, struct str);
	size_t count = 0;

	for (size_t i = 0; i < ids.len; i++) {
		bool gone = false;
		for (size_t k = 0; k < m->steered.len && !gone; k++)
			gone = str_eq(m->steered.ptr[k], ids.ptr[i]);
		if (!gone)
			out[count++] = ids.ptr[i];
	}
	return (struct str_list){ out, count };
}

static void
keep_inputs(struct turn_machine *m, const struct turn_inputs *in)
{
	struct arena *a = &m->inputs;
	struct turn_answer *answers;

	arena_reset(a);
	answers = ARENA_ARRAY(a, in->answer_count + 1, struct turn_answer);
	for (size_t i = 0; i < in->answer_count; i++) {
		answers[i] = in->answers[i];
		answers[i].id = arena_str(a, answers[i].id);
		answers[i].call = arena_str(a, answers[i].call);
		answers[i].deny_message = arena_str(a, answers[i].deny_message);
	}
	m->waiting = (struct turn_inputs){
		.interrupts = arena_str_list(a, in->interrupts),
		.steers = not_yet_consumed(m, a, arena_str_list(a, in->steers)),
		.answers = answers,
		.answer_count = in->answer_count,
		.queue = in->queue,
	};
	turn_machine_veto(m, answers, in->answer_count, a);
}

struct turn_machine *
turn_machine_new(struct arena *kept, const struct turn_plan *plan)
{
	struct turn_machine *m = ARENA_NEW(kept, struct turn_machine);

	m->plan = *plan;
	m->kept = kept;
	arena_init(&m->step);
	arena_init(&m->inputs);
	buf_init(&m->text, TURN_TEXT_BYTES_MAX);
	buf_init(&m->thinking, TURN_TEXT_BYTES_MAX);
	m->steps = plan->steps;
	m->guard = plan->guard;
	m->note = plan->note;
	m->reschedules = plan->reschedules;
	m->drop_partial = plan->has_partial;
	for (size_t i = 0; i < plan->rules.count; i++)
		*vec_push(&m->rules) = plan->rules.ptr[i];
	for (size_t i = 0; i < plan->call_count; i++)
		turn_machine_adopt_call(m, &plan->calls[i]);
	keep_inputs(m, &plan->inputs);
	return m;
}

void
turn_machine_release(struct turn_machine *m)
{
	arena_release(&m->step);
	arena_release(&m->inputs);
	buf_release(&m->text);
	buf_release(&m->thinking);
	vec_release(&m->effects);
	vec_release(&m->events);
	vec_release(&m->asked);
	vec_release(&m->calls);
	vec_release(&m->rules);
	vec_release(&m->steered);
}

bool
turn_machine_is_over(const struct turn_machine *m)
{
	return m->stage == STAGE_OVER;
}

/* ---- what stops a turn ---- */

/* The turn goes on after a restart: what runs is closed, what waits is left alone. */
static void
put_off(struct turn_machine *m)
{
	turn_machine_cut_request(m);
	turn_machine_cut_calls(m);
	turn_machine_log_rescheduled(m, recover_reason_name(m->drain_reason),
				     m->plan.continuations + 1, 0);
	m->finish = TURN_FINISH_PUT_OFF;
	turn_machine_submit(m, TURN_LEASE_RELEASE, AFTER_FINISH);
}

/* Something wants the turn to stop: begins that, and says so. A person's wish comes first. */
static bool
stops(struct turn_machine *m)
{
	if (m->waiting.interrupts.len > 0)
		turn_machine_end(m, STOP_INTERRUPTED);
	else if (m->timed_out)
		turn_machine_end(m, STOP_LIMIT_TIME);
	else if (m->draining)
		put_off(m);
	else
		return false;
	return true;
}

/* ---- what comes next ---- */

static void
park(struct turn_machine *m)
{
	turn_machine_log_idle(m, STOP_REQUIRES_ACTION, turn_machine_waits_for(m),
			      (struct str_list){ 0 });
	m->finish = TURN_FINISH_PARKED;
	turn_machine_submit(m, TURN_LEASE_RELEASE, AFTER_FINISH);
}

static void
log_consumed(struct turn_machine *m, struct str_list ids)
{
	struct buf b = turn_machine_payload();

	event_make_input_consumed(&b, m->plan.turn, ids);
	turn_machine_log(m, EVENT_INPUT_CONSUMED, (struct str){ 0 }, &b);
}

enum {
	REFUSALS_MAX = 8, /* of commits that steer, one after the other */
	QUEUE_TRIES = 5,  /* after so many, a queue that always grows is not waited for */
};

/* Every steer that waits enters: one more since the look, and there is another look. */
static void
take_steers(struct turn_machine *m)
{
	m->steering = arena_str_list(m->kept, m->waiting.steers);
	log_consumed(m, m->steering);
	m->pending = m->steering;
	m->has_queue = m->refusals < QUEUE_TRIES;
	m->queue = m->waiting.queue;
}

/* All results are there: the border between two steps. Steering inputs enter in a commit of their
 * own, because only they can be gone by the time it is made. */
static void
next_step(struct turn_machine *m)
{
	enum loop_verdict verdict;

	if (m->waiting.steers.len > 0 && m->events.len > 0) {
		turn_machine_submit(m, TURN_LEASE_KEEP, AFTER_STEP);
		return;
	}
	verdict = loop_guard_step(&m->guard);
	if (verdict == LOOP_WARN)
		m->note = loop_guard_warning();
	if (m->plan.problem.len > 0) {
		turn_machine_give_up(m, "model_request_failed_error", m->plan.problem, "terminal");
		return;
	}
	if (verdict == LOOP_END || m->steps >= m->plan.max_steps) {
		turn_machine_end(m, verdict == LOOP_END ? STOP_LIMIT_LOOP : STOP_LIMIT_STEPS);
		return;
	}
	if (m->waiting.steers.len > 0)
		take_steers(m);
	turn_machine_log_request_start(m);
	turn_machine_submit(m, TURN_LEASE_KEEP, AFTER_REQUEST);
}

/* No request is open and no commit on its way: outcomes and answers into the log, then tools, then
 * the people the turn waits for, then the next request. */
void
turn_machine_go_on(struct turn_machine *m)
{
	struct str_list answers;

	if (stops(m))
		return;
	answers = turn_machine_consume_answers(m);
	if (answers.len > 0)
		log_consumed(m, answers);
	turn_machine_check_calls(m);
	turn_machine_log_outcomes(m);
	if (MUTANT(INTENT_LATE))
		turn_machine_launch(m);
	if (m->events.len > 0 && (turn_machine_may_launch(m) || turn_machine_is_working(m))) {
		turn_machine_submit(m, TURN_LEASE_KEEP, AFTER_STEP);
		return;
	}
	turn_machine_launch(m);
	if (turn_machine_is_working(m))
		m->stage = STAGE_TOOLS;
	else if (turn_machine_must_wait(m))
		park(m);
	else
		next_step(m);
}

bool
turn_machine_has_work(struct arena *a, const struct turn_plan *plan)
{
	struct turn_machine *m = turn_machine_new(a, plan);
	bool over;

	turn_machine_begin(m);
	over = turn_machine_is_over(m);
	turn_machine_release(m);
	return !over;
}

/* ---- inputs ---- */

static void
load_context(struct turn_machine *m)
{
	struct turn_effect *e = turn_machine_do(m, TURN_DO_CONTEXT);

	m->stage = STAGE_CONTEXT;
	e->request = m->request;
	e->aggressive = m->aggressive;
	e->note = m->note;
}

static void
on_committed(struct turn_machine *m)
{
	bool first;

	if (m->stage != STAGE_COMMITTING)
		return;
	turn_machine_end_previews(m);
	m->stage = STAGE_TOOLS; /* nothing is on its way */
	m->refusals = 0;
	for (size_t i = 0; i < m->steering.len; i++)
		*vec_push(&m->steered) = m->steering.ptr[i];
	m->steering = (struct str_list){ 0 };
	m->waiting.steers = not_yet_consumed(m, &m->inputs, m->waiting.steers);
	first = !m->leased && m->after != AFTER_RECOVERED && m->after != AFTER_FINISH;
	if (first) {
		m->leased = true;
		turn_machine_timer(m, TURN_TIMER_LIMIT,
				   m->plan.timeout_ms > m->plan.leased_ms
					   ? m->plan.timeout_ms - m->plan.leased_ms
					   : 0);
	}
	switch (m->after) {
	case AFTER_FINISH: turn_machine_finish(m, m->finish); return;
	case AFTER_RECOVERED:
		if (m->draining)
			turn_machine_finish(m, TURN_FINISH_PUT_OFF);
		else
			turn_machine_continue(m);
		return;
	case AFTER_STEP: turn_machine_go_on(m); return;
	case AFTER_REQUEST:
		if (!stops(m))
			load_context(m);
		return;
	case AFTER_PROBLEM:
		if (!stops(m))
			turn_machine_give_up(m, "model_request_failed_error", m->plan.problem,
					     "terminal");
		return;
	case AFTER_BACKOFF:
		if (stops(m))
			return;
		m->stage = STAGE_BACKOFF;
		turn_machine_timer(m, TURN_TIMER_RETRY, m->backoff_ms);
		return;
	}
}

static void
cancel_work(struct turn_machine *m)
{
	if (m->stage == STAGE_MODEL)
		turn_machine_do(m, TURN_DO_MODEL_CANCEL)->request = m->request;
	vec_clear(&m->events);
	turn_machine_close_calls(m, OUTCOME_CANCELLED,
				 true); /* for the cancels; nothing is logged */
	vec_clear(&m->events);
}

static void
on_refused(struct turn_machine *m, bool lost)
{
	if (!lost && m->stage != STAGE_COMMITTING)
		return;
	if (lost || !m->leased) {
		cancel_work(m);
		turn_machine_finish(m, TURN_FINISH_LOST);
		return;
	}
	if (m->steering.len > 0 && ++m->refusals < REFUSALS_MAX) {
		m->stage = STAGE_TOOLS;
		m->steering = (struct str_list){ 0 };
		m->request_id = (struct str){ 0 };
		turn_machine_go_on(m);
		return;
	}
	cancel_work(m);
	turn_machine_finish(m, TURN_FINISH_BROKEN);
}

/* Something changed that may stop the turn, or let it go on: acted on unless a commit is on its way,
 * whose answer comes back here. */
static void
react(struct turn_machine *m)
{
	switch (m->stage) {
	case STAGE_NEW:
	case STAGE_COMMITTING:
	case STAGE_OVER: return;
	case STAGE_CONTEXT:
	case STAGE_MODEL: IGNORE(stops(m)); return; /* else it goes on as it is */
	case STAGE_BACKOFF:
		if (stops(m))
			turn_machine_timer(m, TURN_TIMER_RETRY, -1);
		return;
	case STAGE_TOOLS: turn_machine_go_on(m); return;
	}
}

static void
save(struct turn_machine *m)
{
	struct turn_effect *e;

	m->save_armed = false;
	if (m->stage != STAGE_MODEL || m->text.len == m->saved_bytes)
		return;
	m->saved = true;
	m->saved_bytes = m->text.len;
	e = turn_machine_do(m, TURN_DO_SAVE);
	e->event_id = m->text_id;
	e->text = buf_str(&m->text);
}

static void
on_timer(struct turn_machine *m, enum turn_timer timer)
{
	switch (timer) {
	case TURN_TIMER_LIMIT:
		m->timed_out = true;
		react(m);
		return;
	case TURN_TIMER_SAVE: save(m); return;
	case TURN_TIMER_RETRY:
		if (m->stage != STAGE_BACKOFF)
			return;
		turn_machine_log_running(m, (struct str_list){ 0 });
		turn_machine_log_request_start(m);
		turn_machine_submit(m, TURN_LEASE_KEEP, AFTER_REQUEST);
		return;
	}
}

static void
on_context(struct turn_machine *m, const struct turn_input *in)
{
	if (m->stage != STAGE_CONTEXT || in->request != m->request)
		return;
	if (in->kind == TURN_IN_NO_CONTEXT) {
		turn_machine_give_up(m, "unknown_error", in->text, "terminal");
		return;
	}
	if (in->kind == TURN_IN_NO_PRICE) {
		turn_machine_give_up(m, "model_request_failed_error", in->text, "terminal");
		return;
	}
	if (in->kind == TURN_IN_NO_MONEY) {
		turn_machine_cut_request(m);
		turn_machine_log_error(m, "billing_error", in->text, "terminal");
		turn_machine_end(m, STOP_BUDGET_REACHED);
		return;
	}
	m->stage = STAGE_MODEL;
	turn_machine_do(m, TURN_DO_MODEL)->request = m->request;
}

static void
take(struct turn_machine *m, const struct turn_input *in)
{
	switch (in->kind) {
	case TURN_IN_START: turn_machine_begin(m); return;
	case TURN_IN_COMMITTED: on_committed(m); return;
	case TURN_IN_REFUSED: on_refused(m, in->lost); return;
	case TURN_IN_CONTEXT:
	case TURN_IN_NO_CONTEXT:
	case TURN_IN_NO_PRICE:
	case TURN_IN_NO_MONEY: on_context(m, in); return;
	case TURN_IN_TEXT:
	case TURN_IN_THINKING:
	case TURN_IN_THINKING_DATA:
	case TURN_IN_CALL:
	case TURN_IN_LOST_CALL:
	case TURN_IN_DONE:
	case TURN_IN_FAILED: turn_machine_model_input(m, in); return;
	case TURN_IN_TOOL:
		m->reschedules = in->reschedules;
		turn_machine_take_outcome(m, in);
		react(m);
		return;
	case TURN_IN_INPUTS:
		keep_inputs(m, &in->inputs);
		react(m);
		return;
	case TURN_IN_TIMER: on_timer(m, in->timer); return;
	case TURN_IN_DRAIN:
		m->draining = true;
		m->drain_reason = in->reason;
		react(m);
		return;
	}
}

const struct turn_effect *
turn_machine_step(struct turn_machine *m, const struct turn_input *in, size_t *count)
{
	vec_clear(&m->effects);
	arena_reset(&m->step);
	m->now_ms = in->now_ms;
	m->cost = in->cost_picodollars;
	if (m->stage != STAGE_OVER)
		take(m, in);
	*count = m->effects.len;
	return m->effects.ptr;
}
