/* turn_machine_model - a request to the model: its pieces, its end, and what becomes of a failure. */
#include "base/json.h"
#include "base/json_write.h"
#include "core/turn_machine_private.h"

enum { CUTS_MAX = 2 };

static void
show(struct turn_machine *m, enum turn_effect_kind kind, enum event_kind event, struct str piece)
{
	struct turn_effect *e = turn_machine_do(m, kind);

	e->event_kind = event;
	e->event_id = event == EVENT_AGENT_MESSAGE ? m->text_id : m->thinking_id;
	e->text = piece;
}

void
turn_machine_end_previews(struct turn_machine *m)
{
	if (m->thinking_shown)
		show(m, TURN_DO_PREVIEW_END, EVENT_AGENT_THINKING, (struct str){ 0 });
	if (m->text_shown)
		show(m, TURN_DO_PREVIEW_END, EVENT_AGENT_MESSAGE, (struct str){ 0 });
	m->thinking_shown = m->text_shown = false;
	m->thinking_id = m->text_id = (struct str){ 0 };
}

/* The request is over: nothing of it must reach the next one. */
static void
forget_request(struct turn_machine *m)
{
	buf_clear(&m->text);
	buf_clear(&m->thinking);
	m->thinking_data = (struct str){ 0 };
	vec_clear(&m->asked);
	m->request_id = (struct str){ 0 };
	m->cost = 0;
	m->saved_bytes = 0;
	m->request++; /* later pieces of it are nobody's */
	if (m->save_armed)
		turn_machine_timer(m, TURN_TIMER_SAVE, -1);
	m->save_armed = false;
	m->drop_partial = m->saved;
	m->saved = false;
}

static void
log_thinking(struct turn_machine *m)
{
	struct buf b = turn_machine_payload();

	if (m->thinking.len == 0 && m->thinking_data.len == 0)
		return;
	event_make_thinking(&b, buf_str(&m->thinking), m->thinking_data);
	turn_machine_log(m, EVENT_AGENT_THINKING, m->thinking_id, &b);
}

static void
log_message(struct turn_machine *m, bool interrupted)
{
	struct buf b = turn_machine_payload();

	if (m->text.len == 0)
		return;
	event_make_agent_message(&b, buf_str(&m->text), m->plan.model, interrupted);
	turn_machine_log(m, EVENT_AGENT_MESSAGE, m->text_id, &b);
}

static void
log_request_end(struct turn_machine *m, bool is_error, const struct usage *usage, int64_t cost)
{
	struct buf b = turn_machine_payload();

	event_make_request_end(&b, m->request_id, is_error, usage, cost);
	turn_machine_log(m, EVENT_MODEL_REQUEST_END, (struct str){ 0 }, &b);
}

static void
stop_model(struct turn_machine *m)
{
	if (m->stage == STAGE_MODEL)
		turn_machine_do(m, TURN_DO_MODEL_CANCEL)->request = m->request;
}

void
turn_machine_drop_request(struct turn_machine *m)
{
	if (m->request_id.len == 0)
		return;
	stop_model(m);
	log_request_end(m, true, &(struct usage){ 0 }, m->cost > 0 ? m->cost : -1);
	forget_request(m);
}

void
turn_machine_cut_request(struct turn_machine *m)
{
	if (m->request_id.len == 0)
		return;
	log_thinking(m);
	log_message(m, true);
	turn_machine_drop_request(m);
}

void
turn_machine_give_up(struct turn_machine *m, const char *type, struct str message,
		     const char *retry)
{
	turn_machine_cut_request(m);
	turn_machine_log_error(m, type, message, retry);
	turn_machine_end(m, STOP_RETRIES_EXHAUSTED);
}

static const char *
retry_word(enum retry_status status)
{
	switch (status) {
	case RETRY_STATUS_RETRYING: return "retrying";
	case RETRY_STATUS_EXHAUSTED: return "exhausted";
	case RETRY_STATUS_TERMINAL: return "terminal";
	}
	return "?";
}

/* A prompt that is too long goes down the whole ladder before it is sent once more. */
static struct retry_decision
decide(struct turn_machine *m, struct retry_facts *f)
{
	struct retry_decision d = retry_policy_decide(&m->plan.retry, f);

	while (d.action == RETRY_PRUNE || d.action == RETRY_COMPACT) {
		m->aggressive = true;
		f->rung = ++m->rung;
		d = retry_policy_decide(&m->plan.retry, f);
	}
	if (f->failure == FAILURE_CONTEXT_LENGTH)
		m->rung++;
	return d;
}

static void
ask_again(struct turn_machine *m, const struct retry_decision *d)
{
	turn_machine_drop_request(m);
	if (d->wait_ms <= 0) {
		turn_machine_log_request_start(m);
		turn_machine_submit(m, TURN_LEASE_KEEP, AFTER_REQUEST);
		return;
	}
	m->backoff_ms = d->wait_ms;
	turn_machine_log_rescheduled(m, str_of(d->error_type), m->failures, m->now_ms + d->wait_ms);
	turn_machine_submit(m, TURN_LEASE_KEEP, AFTER_BACKOFF);
}

static void
on_failed(struct turn_machine *m, enum model_failure failure, int64_t retry_after_ms,
	  struct str sentence)
{
	struct retry_facts f = {
		.failure = failure,
		.attempt = ++m->failures,
		.rung = m->rung,
		.retry_after_ms = retry_after_ms,
		.jitter_permille = turn_machine_jitter(m),
	};
	struct retry_decision d = decide(m, &f);

	switch (d.action) {
	case RETRY_WAIT: ask_again(m, &d); return;
	case RETRY_REFUSED: turn_machine_end(m, STOP_REFUSAL); return;
	case RETRY_FALL_BACK:
	case RETRY_PRUNE:
	case RETRY_COMPACT:
	case RETRY_GIVE_UP: break;
	}
	turn_machine_give_up(m, d.error_type, sentence, retry_word(d.status));
}

/* The model does what no answer may do: it is stopped, and its answer counts as malformed. */
static void
on_excess(struct turn_machine *m, struct str sentence)
{
	stop_model(m);
	m->stage = STAGE_CONTEXT; /* it is stopped already */
	on_failed(m, FAILURE_MALFORMED, -1, sentence);
}

static void
on_piece(struct turn_machine *m, enum event_kind kind, struct str piece)
{
	bool message = kind == EVENT_AGENT_MESSAGE;
	struct buf *into = message ? &m->text : &m->thinking;
	bool *shown = message ? &m->text_shown : &m->thinking_shown;

	if (piece.len == 0)
		return;
	if (into->len + piece.len > TURN_TEXT_BYTES_MAX) {
		on_excess(m, STR("the model's answer is larger than a message may be"));
		return;
	}
	if (!*shown) {
		*(message ? &m->text_id : &m->thinking_id) = turn_machine_id(m);
		*shown = true;
		show(m, TURN_DO_PREVIEW_START, kind, (struct str){ 0 });
	}
	buf_put_str(into, piece);
	show(m, TURN_DO_PREVIEW_DELTA, kind, piece);
	if (message && !m->save_armed) {
		m->save_armed = true;
		turn_machine_timer(m, TURN_TIMER_SAVE, TURN_SAVE_MS);
	}
}

/* Signatures come as an object; anything else is wrapped into one, so that nothing is lost. */
static void
on_thinking_data(struct turn_machine *m, struct str data)
{
	struct buf b = turn_machine_payload();
	struct json_doc doc;
	struct jw w;

	if (m->thinking_id.len == 0)
		m->thinking_id = turn_machine_id(m);
	if (json_parse(&m->step, data, &EVENT_PART_LIMITS, &doc, NULL) == 0 &&
	    json_type(json_root(&doc)) == JSON_OBJECT) {
		m->thinking_data = arena_str(m->kept, data);
		return;
	}
	jw_init(&w, &b);
	jw_object(&w);
	jw_field_str(&w, "data", data);
	jw_end_object(&w);
	m->thinking_data = arena_str(m->kept, buf_str(&b));
	buf_release(&b);
}

static void
on_call(struct turn_machine *m, const struct tool_call *call, bool lost)
{
	if (m->asked.len == TURN_CALLS_MAX) {
		on_excess(m, STR("the model asked for more tool calls than one step may have"));
		return;
	}
	*vec_push(&m->asked) = (struct asked_call){
		.call.id = arena_str(m->kept, call->id),
		.call.name = arena_str(m->kept, call->name),
		.call.arguments = arena_str(m->kept, call->arguments),
		.lost = lost,
	};
}

static size_t
count_lost(const struct turn_machine *m)
{
	size_t count = 0;

	for (size_t i = 0; i < m->asked.len; i++)
		count += m->asked.ptr[i].lost;
	return count;
}

static const struct str CUT_NOTE =
	STR("Your last answer was cut off at the limit of output tokens. A tool call that was not "
	    "whole was "
	    "not run. Say less at a time, for example write a long file in several pieces.");

/* What is lost is not passed over in silence: the model is told, by the call's result or else once by a
 * note, and asked again. */
static void
on_cut(struct turn_machine *m, bool told)
{
	if (m->cuts < CUTS_MAX) {
		if (!told)
			m->note = CUT_NOTE;
		turn_machine_go_on(m);
		return;
	}
	turn_machine_log_error(m, "model_request_failed_error",
			       STR("the model's answers were cut off twice before they said "
				   "anything whole: raise the agent's max_output_tokens, ask for "
				   "less at a time, or begin a new session"),
			       "terminal");
	turn_machine_end(m, STOP_RETRIES_EXHAUSTED);
}

static void
on_done(struct turn_machine *m, const struct turn_input *in)
{
	bool calls = m->asked.len > 0 && in->stop != TURN_STOP_REFUSAL;
	size_t lost = count_lost(m);

	m->stage = STAGE_TOOLS; /* the model is done: there is nothing to stop any more */
	m->steps++;
	m->failures = 0;
	m->note = (struct str){ 0 };
	m->cuts = in->stop == TURN_STOP_CUT && lost == m->asked.len ? m->cuts + 1 : 0;
	log_thinking(m);
	log_message(m, false);
	if (calls)
		turn_machine_log_calls(m);
	log_request_end(m, false, &in->usage, in->cost_picodollars);
	forget_request(m);
	if (in->stop == TURN_STOP_REFUSAL)
		turn_machine_end(m, STOP_REFUSAL);
	else if (in->stop == TURN_STOP_CUT)
		on_cut(m, lost > 0);
	else if (!calls)
		turn_machine_end(m, STOP_END_TURN);
	else
		turn_machine_go_on(m);
}

void
turn_machine_model_input(struct turn_machine *m, const struct turn_input *in)
{
	if (m->stage != STAGE_MODEL || in->request != m->request)
		return;
	switch (in->kind) {
	case TURN_IN_TEXT: on_piece(m, EVENT_AGENT_MESSAGE, in->text); return;
	case TURN_IN_THINKING: on_piece(m, EVENT_AGENT_THINKING, in->text); return;
	case TURN_IN_THINKING_DATA: on_thinking_data(m, in->text); return;
	case TURN_IN_CALL:
	case TURN_IN_LOST_CALL: on_call(m, in->call, in->kind == TURN_IN_LOST_CALL); return;
	case TURN_IN_DONE: on_done(m, in); return;
	case TURN_IN_FAILED:
		m->stage = STAGE_CONTEXT; /* it is gone: there is nothing to stop */
		on_failed(m, in->failure, in->retry_after_ms, in->text);
		return;
	case TURN_IN_START:
	case TURN_IN_COMMITTED:
	case TURN_IN_REFUSED:
	case TURN_IN_CONTEXT:
	case TURN_IN_NO_CONTEXT:
	case TURN_IN_NO_PRICE:
	case TURN_IN_NO_MONEY:
	case TURN_IN_TOOL:
	case TURN_IN_INPUTS:
	case TURN_IN_TIMER:
	case TURN_IN_DRAIN: return;
	}
}
