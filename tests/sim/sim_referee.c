/* sim_referee.c - who may write, and what stands in a log after what. sim_referee_model.c has what the
 * model is shown. */
#include "sim_referee.h"

#include "base/json.h"
#include "base/xalloc.h"
#include "core/call_state.h"
#include "sim_client.h"
#include "sim_node.h"

/* One event under judgement. */
struct scene {
	struct world *w;
	struct sim_node *node;
	struct ref_session *s;
	const struct store_item *item;
	const struct event *ev;
	struct json payload;
	int session;
	bool ends_turn;   /* the item has a terminal */
	bool tells_error; /* and a session.error */
};

#define BLAME(sc, clause, fmt, ...)                                                   \
	sim_fail((sc)->w, (clause), "session %d, seq %lld (%s): " fmt, (sc)->session, \
		 (long long)(sc)->ev->seq, event_type((sc)->ev->kind), ##__VA_ARGS__)

static struct str
text_of(const struct scene *sc, struct json v, const char *name)
{
	struct json value;

	return json_find(v, str_of(name), &value) ? json_str(value, &sc->w->referee->scratch)
						  : (struct str){ 0 };
}

static struct json
part_of(struct json v, const char *name)
{
	struct json value = { 0 };

	IGNORE(json_find(v, str_of(name), &value)); /* absent stays absent */
	return value;
}

static struct ref_turn *
open_turn(struct ref_session *s)
{
	return s->open ? &s->turns.ptr[s->turns.len - 1] : NULL;
}

static struct ref_input *
input_find(struct ref_session *s, struct str id)
{
	for (size_t i = s->inputs.len; i > 0; i--)
		if (str_eq(s->inputs.ptr[i - 1].id, id))
			return &s->inputs.ptr[i - 1];
	return NULL;
}

static struct ref_call *
call_find(struct ref_session *s, struct str id)
{
	for (size_t i = s->calls.len; i > 0; i--)
		if (str_eq(s->calls.ptr[i - 1].id, id))
			return &s->calls.ptr[i - 1];
	return NULL;
}

static bool
is_open_call(const struct ref_session *s, const struct ref_call *c)
{
	return s->open && c->turn == s->turns.len - 1 && c->state != REF_CLOSED;
}

/* ---- inputs ---- */

static int64_t
marker_of(const struct scene *sc)
{
	struct json content = part_of(sc->payload, "content");
	struct json_iter it;
	struct str text;
	int64_t number;

	if (!json_is_set(content) || json_type(content) != JSON_ARRAY)
		return -1;
	it = json_iter(content);
	if (!json_next(&it))
		return -1;
	text = text_of(sc, it.value, "text");
	return str_starts(text, STR("m")) && str_to_int(str_slice(text, 1, text.len), &number)
		       ? number
		       : -1;
}

static void
on_answer(struct scene *sc, struct ref_input *in)
{
	struct ref_call *call;

	in->call = arena_str(&sc->w->referee->kept,
			     text_of(sc, sc->payload, call_state_field(sc->ev->kind)));
	in->allow = !str_eq(text_of(sc, sc->payload, "result"), STR("deny"));
	call = call_find(sc->s, in->call);
	if (!call || !is_open_call(sc->s, call) || call->answered ||
	    call->state != (sc->ev->kind == EVENT_USER_TOOL_CONFIRMATION ? REF_ASKS : REF_WAITS))
		BLAME(sc, SIM_CLAUSE_CALL, "an answer to a call that does not wait for it");
	else
		call->answered = true;
}

static void
on_input(struct scene *sc)
{
	struct ref_input *in = vec_push(&sc->s->inputs);
	struct json_doc meta_doc;
	struct input_meta meta = { .class = INPUT_PASSIVE };
	struct err e;

	if (json_parse(&sc->w->referee->scratch, sc->ev->meta, &JSON_LIMITS_DEFAULT, &meta_doc,
		       &e) != 0 ||
	    input_meta_read(json_root(&meta_doc), &sc->w->referee->scratch, &meta, &e) != 0)
		BLAME(sc, SIM_CLAUSE_LOG, "its meta cannot be read: %s", e.text);
	*in = (struct ref_input){
		.id = arena_str(&sc->w->referee->kept, sc->ev->id),
		.seq = sc->ev->seq,
		.kind = sc->ev->kind,
		.class = meta.class,
		.busy = meta.busy,
		.marker = marker_of(sc),
		.turn_then = sc->s->open ? sc->s->turns.len - 1 : SIZE_MAX,
		.turn_used = SIZE_MAX,
		.gone = meta.class == INPUT_PASSIVE,
	};
	if (in->marker >= 0)
		sim_clients_stored(sc->w, sc->session, in->marker);
	if (in->class == INPUT_ANSWER)
		on_answer(sc, in);
	if (sc->ev->kind == EVENT_USER_TOOL_CONFIRMATION && sc->ev->author == AUTHOR_SYSTEM)
		sim_saw(sc->w, SIM_SCENE_SETTLED);
	if (sc->ev->kind == EVENT_USER_TOOL_RESULT)
		sim_saw(sc->w, SIM_SCENE_BY_WORKER);
	if (in->class == INPUT_CONTROL && !sc->s->open)
		in->gone = true; /* nothing to hit */
}

/* An answer that a turn has taken in. */
static void
apply_answer(struct scene *sc, const struct ref_input *in)
{
	struct ref_call *call = call_find(sc->s, in->call);

	if (!call || !call->answered)
		return; /* told when it arrived */
	call->answered = false;
	if (in->kind != EVENT_USER_TOOL_CONFIRMATION)
		call->state = REF_CLOSED;
	else if (!in->allow)
		call->state = REF_DENIED;
	else
		call->state = call->client_side ? REF_WAITS : REF_RUNS;
}

/* May this event consume such an input? */
static bool
may_consume(const struct scene *sc, const struct ref_input *in, bool opens)
{
	if (sc->ev->kind == EVENT_STATUS_RUNNING)
		return opens ? in->class == INPUT_TRIGGER || in->class == INPUT_BOUND
			     : in->class == INPUT_ANSWER;
	if (sc->ev->kind == EVENT_INPUT_CONSUMED)
		return in->class == INPUT_ANSWER || in->class == INPUT_BOUND ||
		       (in->class == INPUT_TRIGGER && in->busy == BUSY_STEER);
	return in->class == INPUT_ANSWER || in->class == INPUT_CONTROL;
}

static size_t
consume(struct scene *sc, bool opens)
{
	struct json list = part_of(sc->payload, "consumes");
	size_t count = 0;

	if (!json_is_set(list))
		return 0;
	for (struct json_iter it = json_iter(list); json_next(&it); count++) {
		struct str id = json_str(it.value, &sc->w->referee->scratch);
		struct ref_input *in = input_find(sc->s, id);

		if (in && in->class == INPUT_CONTROL && in->turn_then != sc->s->turns.len - 1)
			BLAME(sc, SIM_CLAUSE_INTERRUPT,
			      "the interrupt of seq %lld was not meant for this turn",
			      (long long)in->seq);
		if (!in || in->gone) {
			BLAME(sc, SIM_CLAUSE_TRIGGER, "consumes %.*s, which is not pending",
			      STR_ARG(id));
			return count;
		}
		if (!may_consume(sc, in, opens))
			BLAME(sc, SIM_CLAUSE_TRIGGER, "must not consume seq %lld",
			      (long long)in->seq);
		if (sc->ev->kind == EVENT_INPUT_CONSUMED && in->class == INPUT_TRIGGER)
			sim_saw(sc->w, SIM_SCENE_STEERED);
		in->gone = true;
		in->turn_used = sc->s->turns.len - 1;
		if (in->class == INPUT_ANSWER)
			apply_answer(sc, in);
	}
	return count;
}

static void
on_cancelled(struct scene *sc)
{
	for (size_t i = 0; i < sc->s->inputs.len; i++) {
		struct ref_input *in = &sc->s->inputs.ptr[i];

		if (in->class == INPUT_TRIGGER || in->class == INPUT_BOUND)
			in->gone = true; /* the world only ever cancels all */
	}
}

/* ---- turns ---- */

/* Names the open turn? */
static bool
names_open_turn(struct scene *sc)
{
	const struct ref_turn *turn = open_turn(sc->s);

	if (turn && str_eq(text_of(sc, sc->payload, "turn_id"), turn->id))
		return true;
	BLAME(sc, SIM_CLAUSE_TERMINAL, "is not about the open turn");
	return false;
}

static size_t
count_calls(const struct ref_session *s, unsigned states)
{
	size_t count = 0;

	for (size_t i = 0; i < s->calls.len; i++)
		count += is_open_call(s, &s->calls.ptr[i]) && states & 1u << s->calls.ptr[i].state;
	return count;
}

/* The pending message whose turn it is; NULL: none waits. The commit found the queue as it is now. */
static const struct ref_input *
next_trigger(const struct ref_session *s)
{
	const struct ref_input *oldest = NULL;

	for (size_t i = 0; i < s->inputs.len; i++) {
		const struct ref_input *in = &s->inputs.ptr[i];

		if (in->class != INPUT_TRIGGER || in->gone)
			continue;
		if (in->busy == BUSY_INTERRUPT)
			return in;
		if (!oldest)
			oldest = in;
	}
	return oldest;
}

/* Does the turn begin with the message whose turn it is? Wakes start one only when none waits. */
static void
judge_order(struct scene *sc)
{
	const struct ref_input *next = next_trigger(sc->s), *first = NULL;
	struct json_iter it = json_iter(part_of(sc->payload, "consumes"));

	while (!first && json_next(&it)) {
		first = input_find(sc->s, json_str(it.value, &sc->w->referee->scratch));
		if (first && first->class != INPUT_TRIGGER)
			first = NULL;
	}
	if (next && first != next)
		BLAME(sc, SIM_CLAUSE_ORDER, "begins with seq %lld although seq %lld is next",
		      first ? (long long)first->seq : 0, (long long)next->seq);
	for (size_t i = 0; first && first == next && &sc->s->inputs.ptr[i] < first; i++)
		if (sc->s->inputs.ptr[i].class == INPUT_TRIGGER && !sc->s->inputs.ptr[i].gone)
			sim_saw(sc->w, SIM_SCENE_WENT_AHEAD);
}

static void
open_new_turn(struct scene *sc)
{
	struct str id = text_of(sc, sc->payload, "turn_id");

	for (size_t i = 0; i < sc->s->turns.len; i++)
		if (str_eq(sc->s->turns.ptr[i].id, id))
			BLAME(sc, SIM_CLAUSE_TERMINAL, "a turn that has ended begins again");
	*vec_push(&sc->s->turns) = (struct ref_turn){ .id = arena_str(&sc->w->referee->kept, id),
						      .first_seq = sc->ev->seq };
	sc->s->open = true;
	judge_order(sc);
	if (json_count(part_of(sc->payload, "wakes")) > 0)
		sim_saw(sc->w, SIM_SCENE_WOKEN);
	if (consume(sc, true) + json_count(part_of(sc->payload, "wakes")) == 0)
		BLAME(sc, SIM_CLAUSE_TRIGGER, "a turn that nothing started");
}

static void
on_running(struct scene *sc)
{
	bool was_parked = sc->s->parked;
	size_t consumed;

	if (!sc->s->open) {
		open_new_turn(sc);
	} else if (names_open_turn(sc)) {
		if (!was_parked && !sc->s->rescheduled)
			BLAME(sc, SIM_CLAUSE_TERMINAL, "a turn that runs begins to run");
		if (json_count(part_of(sc->payload, "wakes")) > 0)
			BLAME(sc, SIM_CLAUSE_TRIGGER, "wakes start a turn that is open");
		consumed = consume(sc, false);
		if (was_parked &&
		    (consumed == 0 || count_calls(sc->s, 1u << REF_ASKS | 1u << REF_WAITS) > 0))
			BLAME(sc, SIM_CLAUSE_PARK,
			      "goes on although %zu answers came and calls still wait", consumed);
	}
	if (was_parked)
		sim_saw(sc->w, SIM_SCENE_RESUMED);
	sc->s->parked = sc->s->rescheduled = false;
}

static void
on_park(struct scene *sc, struct json reason)
{
	bool was_parked = sc->s->parked;
	size_t consumed = consume(sc, false);
	size_t waiting = count_calls(sc->s, 1u << REF_ASKS | 1u << REF_WAITS);
	struct json ids = part_of(reason, "event_ids");

	if (waiting == 0 || count_calls(sc->s, 1u << REF_RUNS | 1u << REF_DENIED) > 0)
		BLAME(sc, SIM_CLAUSE_PARK, "parks with nothing to wait for, or with work left");
	if (was_parked && consumed == 0 && json_is_set(ids) && json_count(ids) >= waiting)
		BLAME(sc, SIM_CLAUSE_PARK, "parks again for nothing");
	if (json_is_set(ids))
		for (struct json_iter it = json_iter(ids); json_next(&it);) {
			const struct ref_call *c =
				call_find(sc->s, json_str(it.value, &sc->w->referee->scratch));

			if (!c || !is_open_call(sc->s, c))
				BLAME(sc, SIM_CLAUSE_PARK, "waits for what is closed");
		}
	sim_saw(sc->w, was_parked && consumed > 0 ? SIM_SCENE_PARTIAL : SIM_SCENE_PARKED);
	sc->s->parked = true;
}

static void
see_end(const struct scene *sc, struct str stop, size_t interrupts)
{
	static const struct {
		struct str stop;
		enum sim_scene scene;
	} ENDS[] = {
		{ STR("end_turn"), SIM_SCENE_ENDED },
		{ STR("retries_exhausted"), SIM_SCENE_EXHAUSTED },
		{ STR("refusal"), SIM_SCENE_REFUSED },
		{ STR("limit_reached"), SIM_SCENE_LIMITED },
	};

	for (size_t i = 0; i < ARRAY_LEN(ENDS); i++)
		if (str_eq(stop, ENDS[i].stop))
			sim_saw(sc->w, ENDS[i].scene);
	if (str_eq(stop, STR("interrupted")))
		sim_saw(sc->w, interrupts == 0 ? SIM_SCENE_GIVEN_UP
			       : sc->s->parked ? SIM_SCENE_STOPPED_PARKED
					       : SIM_SCENE_INTERRUPTED);
	for (size_t i = 0; i < sc->s->inputs.len; i++)
		if (sc->s->inputs.ptr[i].class == INPUT_CONTROL && !sc->s->inputs.ptr[i].gone)
			sim_saw(sc->w, SIM_SCENE_RACED);
}

static void
end_turn(struct scene *sc, struct str stop)
{
	size_t interrupts = consume(sc, false);

	if (str_eq(stop, STR("interrupted")) && interrupts == 0 && !sc->tells_error)
		BLAME(sc, SIM_CLAUSE_INTERRUPT, "interrupted by nobody");
	if (count_calls(sc->s, ~0u) > 0)
		BLAME(sc, SIM_CLAUSE_CALL, "the turn ends and leaves %zu calls open",
		      count_calls(sc->s, ~0u));
	see_end(sc, stop, interrupts);
	open_turn(sc->s)->ended = true;
	for (size_t i = 0; i < sc->s->inputs.len; i++) {
		struct ref_input *in = &sc->s->inputs.ptr[i];

		if (in->class == INPUT_ANSWER || in->class == INPUT_CONTROL)
			in->gone = true;
	}
	sc->s->open = sc->s->parked = sc->s->rescheduled = false;
}

static void
on_idle(struct scene *sc)
{
	struct json reason = part_of(sc->payload, "stop_reason");
	struct str stop = text_of(sc, reason, "type");

	if (!names_open_turn(sc))
		return;
	if (str_eq(stop, STR("requires_action")))
		on_park(sc, reason);
	else
		end_turn(sc, stop);
}

/* ---- calls ---- */

static void
on_call(struct scene *sc)
{
	bool client_side = call_state_is_client_side(sc->ev->kind, sc->payload);
	bool asks = str_eq(text_of(sc, sc->payload, "evaluated_permission"), STR("ask"));
	bool denied = str_eq(text_of(sc, sc->payload, "evaluated_permission"), STR("deny"));

	*vec_push(&sc->s->calls) = (struct ref_call){
		.id = arena_str(&sc->w->referee->kept, sc->ev->id),
		.turn = sc->s->turns.len - 1,
		.client_side = client_side,
		.is_custom = sc->ev->kind == EVENT_AGENT_CUSTOM_TOOL_USE,
		.of_engine = str_eq(text_of(sc, sc->payload, "name"), STR("session_directive")),
		.state = asks          ? REF_ASKS
			 : denied      ? REF_DENIED
			 : client_side ? REF_WAITS
				       : REF_RUNS,
	};
}

static void
see_outcome(const struct scene *sc, struct str outcome)
{
	if (str_eq(outcome, STR("timeout")))
		sim_saw(sc->w, SIM_SCENE_TIMED_OUT);
	if (str_eq(outcome, STR("denied")))
		sim_saw(sc->w, SIM_SCENE_DENIED);
	if (str_eq(outcome, STR("interrupted")))
		sim_saw(sc->w, SIM_SCENE_LOST_CALL);
}

static void
on_result(struct scene *sc)
{
	struct ref_call *call =
		call_find(sc->s, text_of(sc, sc->payload, call_state_field(sc->ev->kind)));
	struct str outcome = text_of(sc, sc->payload, "outcome");

	if (!call || !is_open_call(sc->s, call)) {
		BLAME(sc, SIM_CLAUSE_CALL, "a result for a call that is not open");
		return;
	}
	if ((call->state == REF_ASKS || call->state == REF_WAITS) && !sc->ends_turn)
		BLAME(sc, SIM_CLAUSE_PARK, "closes a call that waits for people (%.*s)",
		      STR_ARG(outcome));
	see_outcome(sc, outcome);
	if (call->state == REF_DENIED && !str_eq(outcome, STR("denied")) && !sc->ends_turn)
		BLAME(sc, SIM_CLAUSE_CALL, "a denied call has the outcome %.*s", STR_ARG(outcome));
	if (str_eq(outcome, STR("ok")) && !call->of_engine &&
	    (call->starts == 0 ||
	     !str_contains(sc->ev->payload,
			   arena_printf(&sc->w->referee->scratch, "\"out " STR_FMT "\"",
					STR_ARG(call->id)))))
		BLAME(sc, SIM_CLAUSE_CALL, "the result is not what the call gave");
	call->state = REF_CLOSED;
}

/* ---- a commit ---- */

static bool
is_of_turn(enum event_kind kind)
{
	return kind == EVENT_AGENT_MESSAGE || kind == EVENT_AGENT_THINKING ||
	       kind == EVENT_AGENT_TOOL_USE || kind == EVENT_AGENT_TOOL_RESULT ||
	       kind == EVENT_AGENT_CUSTOM_TOOL_USE || kind == EVENT_AGENT_MCP_TOOL_USE ||
	       kind == EVENT_AGENT_MCP_TOOL_RESULT || kind == EVENT_MODEL_REQUEST_START ||
	       kind == EVENT_MODEL_REQUEST_END || kind == EVENT_SESSION_ERROR;
}

static void
on_rescheduled(struct scene *sc)
{
	struct str reason = text_of(sc, sc->payload, "reason");

	if (!names_open_turn(sc))
		return;
	sc->s->rescheduled = true;
	if (str_eq(reason, STR("restart_interrupted"))) {
		sim_saw(sc->w, SIM_SCENE_CONTINUED);
		sc->s->continuations++;
	} else if (str_eq(reason, STR("shutdown_timeout")) ||
		   str_eq(reason, STR("restart_timeout"))) {
		sim_saw(sc->w, SIM_SCENE_PUT_OFF);
		sc->s->continuations++;
	} else {
		sim_saw(sc->w, SIM_SCENE_BACKED_OFF);
	}
}

static void
on_message(struct scene *sc)
{
	if (sc->item->lease == STORE_LEASE_BREAK)
		sim_saw(sc->w, SIM_SCENE_CUT_SHORT);
}

static void
on_consumed(struct scene *sc)
{
	if (names_open_turn(sc))
		consume(sc, false);
}

static void
judge_event(struct scene *sc)
{
	static void (*const BY_KIND[EVENT_KINDS])(struct scene *) = {
		[EVENT_USER_MESSAGE] = on_input,
		[EVENT_USER_INTERRUPT] = on_input,
		[EVENT_USER_TOOL_CONFIRMATION] = on_input,
		[EVENT_USER_TOOL_RESULT] = on_input,
		[EVENT_USER_CUSTOM_TOOL_RESULT] = on_input,
		[EVENT_USER_DEFINE_OUTCOME] = on_input,
		[EVENT_SYSTEM_MESSAGE] = on_input,
		[EVENT_SCHEDULE_FIRED] = on_input,
		[EVENT_STATUS_RUNNING] = on_running,
		[EVENT_STATUS_IDLE] = on_idle,
		[EVENT_STATUS_RESCHEDULED] = on_rescheduled,
		[EVENT_INPUT_CONSUMED] = on_consumed,
		[EVENT_INPUT_CANCELLED] = on_cancelled,
		[EVENT_AGENT_MESSAGE] = on_message,
		[EVENT_AGENT_TOOL_USE] = on_call,
		[EVENT_AGENT_CUSTOM_TOOL_USE] = on_call,
		[EVENT_AGENT_MCP_TOOL_USE] = on_call,
		[EVENT_AGENT_TOOL_RESULT] = on_result,
		[EVENT_AGENT_MCP_TOOL_RESULT] = on_result,
	};
	const struct ref_turn *turn = open_turn(sc->s);

	if (is_of_turn(sc->ev->kind) && (!turn || !str_eq(sc->ev->turn, turn->id)))
		BLAME(sc, SIM_CLAUSE_TERMINAL, "belongs to a turn that is not open");
	else if (is_of_turn(sc->ev->kind) && sc->s->parked && !sc->ends_turn)
		BLAME(sc, SIM_CLAUSE_PARK, "something happens in a parked turn");
	if (BY_KIND[sc->ev->kind])
		BY_KIND[sc->ev->kind](sc);
}

/* Who writes for a turn holds its lease, or nobody does and the log is as it was. */
static void
judge_lease(struct scene *sc, const struct store_result *result)
{
	const struct store_require *need = &sc->item->require;
	struct ref_session *s = sc->s;

	switch (sc->item->lease) {
	case STORE_LEASE_TAKE:
		if (s->holder)
			BLAME(sc, SIM_CLAUSE_FENCE, "takes a lease that is held");
		if (result->fence <= s->fence)
			BLAME(sc, SIM_CLAUSE_FENCE, "gets a fence that was there before");
		s->fence = result->fence;
		s->holder = sc->node;
		s->doubt = false;
		return;
	case STORE_LEASE_BREAK:
		if (!need->has_head)
			BLAME(sc, SIM_CLAUSE_FENCE, "breaks a lease without knowing the log");
		if (s->holder && (s->holder != sc->node || !s->doubt))
			BLAME(sc, SIM_CLAUSE_FENCE, "%s breaks a good lease of %s", sc->node->name,
			      s->holder->name);
		s->fence = result->fence;
		s->holder = NULL;
		return;
	case STORE_LEASE_KEEP:
	case STORE_LEASE_RELEASE:
		if (sc->ev->turn.len > 0 && (need->fence != s->fence || s->holder != sc->node))
			BLAME(sc, SIM_CLAUSE_FENCE,
			      "%s writes with fence %lld, the lease has %lld and is %s",
			      sc->node->name, (long long)need->fence, (long long)s->fence,
			      s->holder ? s->holder->name : "nobody's");
		if (sc->item->lease == STORE_LEASE_RELEASE)
			s->holder = NULL;
		return;
	}
}

static void
look_ahead(struct scene *sc)
{
	for (size_t i = 0; i < sc->item->event_count; i++) {
		const struct event *ev = &sc->item->events[i];

		sc->tells_error |= ev->kind == EVENT_SESSION_ERROR;
		sc->ends_turn |= ev->kind == EVENT_STATUS_IDLE &&
				 !str_contains(ev->payload, STR("\"requires_action\""));
	}
}

void
sim_referee_commit(struct world *w, struct sim_node *node, const struct store_item *item,
		   const struct store_result *result)
{
	struct scene sc = {
		.w = w, .node = node, .item = item, .session = sim_session_index(item->session)
	};
	struct event ev;

	if (sc.session == SIM_NONE || item->event_count == 0)
		return;
	sc.s = &w->referee->sessions[sc.session];
	sc.ev = &ev;
	look_ahead(&sc);
	for (size_t i = 0; i < item->event_count; i++) {
		struct json_doc doc;
		struct err e;

		arena_reset(&w->referee->scratch);
		ev = item->events[i];
		ev.seq = result->first_seq + (int64_t)i;
		if (ev.seq != sc.s->head + 1)
			BLAME(&sc, SIM_CLAUSE_LOG, "follows seq %lld", (long long)sc.s->head);
		sc.s->head = ev.seq;
		if (json_parse(&w->referee->scratch, ev.payload, &EVENT_PAYLOAD_LIMITS, &doc, &e) !=
		    0) {
			BLAME(&sc, SIM_CLAUSE_LOG, "its payload cannot be read: %s", e.text);
			return;
		}
		sc.payload = json_root(&doc);
		if (i == 0)
			judge_lease(&sc, result);
		judge_event(&sc);
		w->referee->events++;
		sim_trace(w, "  session %d seq %lld %s " STR_FMT, sc.session, (long long)ev.seq,
			  event_type(ev.kind), STR_ARG(ev.payload));
	}
	if (w->zombie == node && w->clock.steady_ms + 1000 < w->watch_ms[sc.session])
		w->watch_ms[sc.session] = w->clock.steady_ms + (int64_t)sim_below(w, 1000);
}

/* ---- life, and what is asked of it ---- */

void
sim_referee_init(struct world *w)
{
	w->referee = xcalloc(1, sizeof *w->referee);
	arena_init(&w->referee->kept);
	arena_init(&w->referee->scratch);
	for (int i = 0; i < SIM_SESSIONS; i++)
		w->referee->sessions[i].id = sim_session_id(i);
}

void
sim_referee_release(struct world *w)
{
	for (int i = 0; i < SIM_SESSIONS; i++) {
		vec_release(&w->referee->sessions[i].turns);
		vec_release(&w->referee->sessions[i].inputs);
		vec_release(&w->referee->sessions[i].calls);
	}
	arena_release(&w->referee->kept);
	arena_release(&w->referee->scratch);
	free(w->referee);
}

void
sim_referee_leases_void(struct world *w)
{
	for (int i = 0; w->referee && i < SIM_SESSIONS; i++)
		w->referee->sessions[i].holder = NULL;
}

void
sim_referee_doubt(struct world *w, int session)
{
	w->referee->sessions[session].doubt = true;
}

const struct ref_session *
sim_referee_session(const struct world *w, int session)
{
	return &w->referee->sessions[session];
}

size_t
sim_referee_waiting(const struct world *w, int session)
{
	const struct ref_session *s = &w->referee->sessions[session];
	size_t count = 0;

	for (size_t i = 0; i < s->inputs.len; i++)
		count += s->inputs.ptr[i].class == INPUT_TRIGGER && !s->inputs.ptr[i].gone;
	return count;
}

const struct ref_call *
sim_referee_waiting_call(const struct world *w, int session)
{
	const struct ref_session *s = &w->referee->sessions[session];

	for (size_t i = 0; i < s->calls.len; i++) {
		const struct ref_call *c = &s->calls.ptr[i];

		if (is_open_call(s, c) && !c->answered &&
		    (c->state == REF_ASKS || c->state == REF_WAITS))
			return c;
	}
	return NULL;
}
