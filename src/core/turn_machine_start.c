/* turn_machine_start - how a turn begins here: opened, resumed, recovered, or only to be ended. */
#include "core/turn_machine_private.h"

static void
log_troubles(struct turn_machine *m)
{
	for (size_t i = 0; i < m->plan.trouble_count; i++) {
		const struct turn_trouble *t = &m->plan.troubles[i];
		struct buf b = turn_machine_payload();

		event_make_server_error(&b, t->type, t->message, t->mcp_server_name);
		turn_machine_log(m, EVENT_SESSION_ERROR, (struct str){ 0 }, &b);
	}
}

static void
open_turn(struct turn_machine *m)
{
	turn_machine_log_running(m, m->plan.consumes);
	log_troubles(m);
	m->pending = m->plan.consumes;
	m->has_queue = true;
	m->queue = m->plan.queue;
	if (m->plan.problem.len == 0)
		turn_machine_log_request_start(m);
	turn_machine_submit(m, TURN_LEASE_TAKE,
			    m->plan.problem.len == 0 ? AFTER_REQUEST : AFTER_PROBLEM);
}

void
turn_machine_continue(struct turn_machine *m)
{
	struct str_list answers;

	answers = turn_machine_consume_answers(m);
	turn_machine_log_running(m, answers);
	m->pending = answers;
	turn_machine_check_calls(m);
	turn_machine_log_outcomes(m);
	turn_machine_submit(m, TURN_LEASE_TAKE, AFTER_STEP);
}

/* Some answers came, but not all: the turn waits on, and says for what. */
static void
wait_on(struct turn_machine *m)
{
	struct str_list consumes = turn_machine_consume_parked(m);
	struct str_list rest = turn_machine_waits_for(m);

	m->finish = TURN_FINISH_PARKED;
	if (consumes.len == 0 && rest.len == m->plan.parked_on) {
		turn_machine_finish(m, TURN_FINISH_PARKED);
		return;
	}
	turn_machine_log_idle(m, STOP_REQUIRES_ACTION, rest, consumes);
	turn_machine_submit(m, TURN_LEASE_BREAK, AFTER_FINISH);
}

static void
resume(struct turn_machine *m)
{
	if (m->plan.parked_on == 0 || !turn_machine_must_wait(m))
		turn_machine_continue(m);
	else
		wait_on(m);
}

static struct str
given_up_because(const struct turn_machine *m)
{
	switch (m->plan.recover.why) {
	case RECOVER_WHY_ATTEMPTS:
		return STR("the server stopped too often while this turn ran: it is not tried "
			   "again by itself");
	case RECOVER_WHY_STALE:
		return STR("the server was away for too long: the turn it was running is not "
			   "continued by itself");
	case RECOVER_WHY_UNAUTHORISED: return STR("whoever started this turn may no longer do so");
	case RECOVER_WHY_SUSPENDED:
	case RECOVER_WHY_NONE:
	case RECOVER_WHY_BREAKER: break;
	}
	return STR("the session is suspended: its turn is not continued");
}

/* The partial message of a dead process, and its open request. */
static void
log_left_behind(struct turn_machine *m)
{
	struct buf b;

	if (m->plan.partial_text.len > 0 && m->plan.partial_id.len > 0) {
		b = turn_machine_payload();
		event_make_agent_message(&b, m->plan.partial_text, m->plan.partial_model, true);
		turn_machine_log(m, EVENT_AGENT_MESSAGE, m->plan.partial_id, &b);
	}
	m->request_id = m->plan.open_request;
	turn_machine_drop_request(m);
	m->drop_partial = m->plan.has_partial;
}

static void
recover(struct turn_machine *m)
{
	bool stopped = m->waiting.interrupts.len > 0;

	log_left_behind(m);
	if (stopped || m->plan.recover.turn == RECOVER_TURN_INTERRUPT) {
		turn_machine_close_calls(m, OUTCOME_INTERRUPTED, false);
		if (!stopped)
			turn_machine_log_error(m, "unknown_error", given_up_because(m), "terminal");
		turn_machine_end(m, STOP_INTERRUPTED);
		return;
	}
	turn_machine_cut_calls(m);
	turn_machine_log_rescheduled(m, recover_reason_name(m->plan.reason),
				     m->plan.recover.attempt, 0);
	m->finish = TURN_FINISH_PUT_OFF;
	turn_machine_submit(m, TURN_LEASE_BREAK,
			    m->plan.recover.turn == RECOVER_TURN_HOLD ? AFTER_FINISH
								      : AFTER_RECOVERED);
}

void
turn_machine_begin(struct turn_machine *m)
{
	if (m->stage != STAGE_NEW)
		return;
	switch (m->plan.how) {
	case TURN_OPENS: open_turn(m); return;
	case TURN_CONTINUES: resume(m); return;
	case TURN_RECOVERS: recover(m); return;
	case TURN_STOPS:
		log_left_behind(m);
		turn_machine_end(m, STOP_INTERRUPTED);
		return;
	}
}
