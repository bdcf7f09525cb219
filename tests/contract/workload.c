#include "workload.h"

#include <stdio.h>

#include "harness.h"

enum { PICKS_MAX = 8 };

void
workload_init(struct workload *w, uint64_t seed)
{
	*w = (struct workload){ 0 };
	rand_init_seed(&w->rand, seed);
}

static bool
chance(struct workload *w, unsigned percent)
{
	return rand_below(&w->rand, 100) < percent;
}

static const char *
one_of(struct workload *w, const char *const *words, size_t count)
{
	return words[rand_below(&w->rand, count)];
}

/* ---- what the log has ---- */

typedef bool input_wanted(const struct input_row *in);

static bool
is_trigger(const struct input_row *in)
{
	return in->meta.class == INPUT_TRIGGER;
}

static bool
is_steer(const struct input_row *in)
{
	return is_trigger(in) && in->meta.busy == BUSY_STEER;
}

static bool
is_answer(const struct input_row *in)
{
	return in->meta.class == INPUT_ANSWER;
}

static bool
is_control(const struct input_row *in)
{
	return in->meta.class == INPUT_CONTROL;
}

/* Up to max pending inputs of that sort, each with a space before it. */
static void
put_pending(struct workload *w, const struct replay *r, input_wanted *wanted, size_t max,
	    struct buf *out)
{
	size_t count, put = 0;
	const struct input_row *in = replay_inputs(r, &count);

	for (size_t i = 0; i < count && put < max; i++)
		if (in[i].processed_at_ms == 0 && wanted(&in[i]) && (put == 0 || chance(w, 60))) {
			buf_printf(out, " " STR_FMT, STR_ARG(in[i].id));
			put++;
		}
}

/* The inputs bound to what the step consumes come along. */
static void
put_bound(const struct replay *r, struct buf *out)
{
	size_t count, from = out->len;
	const struct input_row *in = replay_inputs(r, &count);

	for (size_t i = 0; i < count; i++)
		if (in[i].processed_at_ms == 0 && in[i].meta.class == INPUT_BOUND &&
		    str_contains((struct str){ out->ptr, from }, in[i].meta.bound_to))
			buf_printf(out, " " STR_FMT, STR_ARG(in[i].id));
}

static struct str
any_pending(struct workload *w, const struct replay *r, input_wanted *wanted)
{
	struct str found = STR("nobody");
	size_t count;
	const struct input_row *in = replay_inputs(r, &count);

	for (size_t i = 0; i < count; i++)
		if (in[i].processed_at_ms == 0 && wanted(&in[i]) &&
		    (found.ptr[0] == 'n' || chance(w, 40)))
			found = in[i].id;
	return found;
}

/* Any input of the log, consumed or not: for rewinds, cuts and mistakes. */
static struct str
any_input(struct workload *w, const struct replay *r)
{
	size_t count;
	const struct input_row *in = replay_inputs(r, &count);

	return count ? in[rand_below(&w->rand, count)].id : STR("nobody");
}

static const struct call_row *
any_call(struct workload *w, const struct replay *r, unsigned states)
{
	const struct call_row *found = NULL;
	size_t count;
	const struct call_row *calls = replay_calls(r, &count);

	for (size_t i = 0; i < count; i++)
		if (states >> calls[i].state & 1 && (!found || chance(w, 40)))
			found = &calls[i];
	return found;
}

static void
put_waiting_calls(const struct replay *r, struct buf *out)
{
	size_t count;
	const struct call_row *calls = replay_calls(r, &count);

	for (size_t i = 0; i < count; i++)
		if (calls[i].state != CALL_CLOSED)
			buf_printf(out, " " STR_FMT, STR_ARG(calls[i].id));
}

/* ---- steps ---- */

static void
input_step(struct workload *w, const struct replay *r, struct buf *out)
{
	static const char *const KINDS[] = { "msg", "msg", "msg", "msg", "outcome", "fired" };
	static const char *const BUSY[] = { "queue", "steer", "interrupt", "collect" };
	static const char *const SENDERS[] = { "ann", "bob" };
	int id = ++w->names;

	if (chance(w, 10)) {
		buf_printf(out, "interrupt m%d", id);
	} else if (chance(w, 10)) {
		buf_printf(out, "sys m%d class=bound bound=" STR_FMT, id,
			   STR_ARG(any_pending(w, r, is_trigger)));
	} else if (chance(w, 15)) {
		buf_printf(out, "%s m%d class=passive", chance(w, 50) ? "sys" : "msg", id);
	} else {
		buf_printf(out, "%s m%d busy=%s", one_of(w, KINDS, ARRAY_LEN(KINDS)), id,
			   one_of(w, BUSY, ARRAY_LEN(BUSY)));
		if (chance(w, 30))
			buf_printf(out, " sender=%s", one_of(w, SENDERS, ARRAY_LEN(SENDERS)));
		if (chance(w, 10))
			buf_puts(out, " group=g media=1 due=5000000");
	}
}

static void
answer_step(struct workload *w, const struct replay *r, struct buf *out)
{
	const struct call_row *call =
		any_call(w, r, 1u << CALL_WAITS_APPROVAL | 1u << CALL_WAITS_RESULT);
	const char *word = "allow";

	if (!call) {
		input_step(w, r, out);
		return;
	}
	if (call->state == CALL_WAITS_RESULT)
		word = call->kind == EVENT_AGENT_CUSTOM_TOOL_USE ? "custom" : "toolres";
	else if (chance(w, 30))
		word = "deny";
	buf_printf(out, "%s m%d " STR_FMT, word, ++w->names, STR_ARG(call->id));
}

static void
agent_step(struct workload *w, const struct replay *r, struct buf *out)
{
	static const char *const TOOLS[] = { "tool", "tool", "ctool", "mcp" };
	static const char *const HOW[] = { "", "", " ask", " deny", " client", " ask client" };
	const struct call_row *call = any_call(w, r, 1u << CALL_STARTED | 1u << CALL_DENIED);

	if (call && chance(w, 60))
		buf_printf(out, "%s " STR_FMT,
			   call->kind == EVENT_AGENT_MCP_TOOL_USE ? "mcpres" : "result",
			   STR_ARG(call->id));
	else if (chance(w, 40))
		buf_printf(out, "%s m%d%s", one_of(w, TOOLS, ARRAY_LEN(TOOLS)), ++w->names,
			   one_of(w, HOW, ARRAY_LEN(HOW)));
	else if (chance(w, 50))
		buf_printf(out, "say m%d", ++w->names);
	else if (chance(w, 50))
		buf_printf(out, "usage %d %d %d %d", (int)rand_below(&w->rand, 9000),
			   (int)rand_below(&w->rand, 900), chance(w, 50) ? 77 : -1,
			   (int)rand_below(&w->rand, 500));
	else
		buf_printf(out, "think m%d", ++w->names);
}

static void
start_step(struct workload *w, const struct replay *r, struct buf *out)
{
	buf_printf(out, "run t%d", ++w->turns);
	if (chance(w, 10)) {
		buf_puts(out, " +wake1");
		return;
	}
	put_pending(w, r, is_trigger, PICKS_MAX / 2, out);
	put_bound(r, out);
}

static void
end_step(struct workload *w, const struct replay *r, struct buf *out)
{
	static const char *const STOPS[] = { "end_turn", "interrupted", "refusal", "steps",
					     "budget_reached" };
	struct str turn = replay_session(r)->turn;

	if (chance(w, 5)) {
		buf_printf(out, "terminate " STR_FMT, STR_ARG(turn));
		return;
	}
	buf_printf(out, "end " STR_FMT " %s", STR_ARG(turn), one_of(w, STOPS, ARRAY_LEN(STOPS)));
	if (chance(w, 50))
		put_pending(w, r, is_control, 2, out);
}

static void
park_step(struct workload *w, const struct replay *r, struct buf *out)
{
	buf_printf(out, "park " STR_FMT, STR_ARG(replay_session(r)->turn));
	put_waiting_calls(r, out);
	buf_puts(out, " -");
	if (chance(w, 50))
		put_pending(w, r, is_answer, 2, out);
}

static void
running_step(struct workload *w, const struct replay *r, struct buf *out)
{
	struct str turn = replay_session(r)->turn;

	if (chance(w, 55)) {
		agent_step(w, r, out);
	} else if (chance(w, 25)) {
		end_step(w, r, out);
	} else if (chance(w, 25)) {
		park_step(w, r, out);
	} else if (chance(w, 35)) {
		buf_printf(out, "consume " STR_FMT, STR_ARG(turn));
		put_pending(w, r, chance(w, 50) ? is_steer : is_answer, 3, out);
	} else if (chance(w, 15)) {
		buf_printf(out, "resched " STR_FMT " %d", STR_ARG(turn),
			   1 + (int)rand_below(&w->rand, 3));
	} else if (chance(w, 50)) {
		answer_step(w, r, out);
	} else {
		input_step(w, r, out);
	}
}

static void
waiting_step(struct workload *w, const struct replay *r, struct buf *out)
{
	if (chance(w, 45)) {
		answer_step(w, r, out);
	} else if (chance(w, 40)) {
		buf_printf(out, "run " STR_FMT, STR_ARG(replay_session(r)->turn));
		put_pending(w, r, is_answer, PICKS_MAX, out);
	} else if (chance(w, 40)) {
		park_step(w, r, out);
	} else if (chance(w, 30)) {
		end_step(w, r, out);
	} else {
		input_step(w, r, out);
	}
}

/* What changes the transcript or the queue. */
static void
rewrite_step(struct workload *w, const struct replay *r, struct buf *out)
{
	struct str pending = any_pending(w, r, is_trigger), input = any_input(w, r);

	if (chance(w, 25))
		buf_printf(out, "edit " STR_FMT, STR_ARG(pending));
	else if (chance(w, 10))
		buf_puts(out, "cancel all");
	else if (chance(w, 20))
		buf_printf(out, "cancel " STR_FMT, STR_ARG(pending));
	else if (chance(w, 20))
		buf_printf(out, "compact m%d", ++w->names);
	else if (chance(w, 30))
		buf_printf(out, "compact m%d " STR_FMT, ++w->names, STR_ARG(input));
	else if (chance(w, 40) && w->names > 0)
		buf_printf(out, "uncompact m%d", 1 + (int)rand_below(&w->rand, (uint64_t)w->names));
	else
		buf_printf(out, "rewind " STR_FMT, STR_ARG(input));
}

/* Bookkeeping; some of it is only legal at rest. */
static void
session_step(struct workload *w, const struct replay *r, struct buf *out)
{
	static const char *const LIVES[] = { "active", "inactive", "archived" };
	static const char *const TOLD[] = { "check", "error", "sent", "thread", "spent" };
	bool active = replay_session(r)->state.lifecycle == LIFECYCLE_ACTIVE;

	if (!active && chance(w, 70))
		buf_puts(out, "life active");
	else if (chance(w, 60))
		rewrite_step(w, r, out);
	else if (chance(w, 30))
		buf_printf(out, "%s %s", chance(w, 80) ? "life" : "reset",
			   one_of(w, LIVES, ARRAY_LEN(LIVES)));
	else if (chance(w, 3))
		buf_puts(out, "delete");
	else if (chance(w, 30))
		buf_printf(out, "title title%d%s", w->names, chance(w, 50) ? " ai" : "");
	else if (chance(w, 30))
		buf_printf(out, "meta {\"k\":%d}", w->names);
	else
		buf_puts(out, one_of(w, TOLD, ARRAY_LEN(TOLD)));
}

void
workload_step(struct workload *w, struct replay *r, char out[WORKLOAD_STEP_MAX])
{
	enum turn_phase phase = replay_session(r)->state.phase;
	struct buf step;

	buf_init(&step, WORKLOAD_STEP_MAX - 1);
	if (chance(w, phase == TURN_NONE ? 35 : 12))
		session_step(w, r, &step);
	else if (chance(w, 15))
		input_step(w, r, &step);
	else if (phase == TURN_RUNNING)
		running_step(w, r, &step);
	else if (phase != TURN_NONE)
		waiting_step(w, r, &step);
	else if (chance(w, 60))
		start_step(w, r, &step);
	else
		input_step(w, r, &step);
	snprintf(out, WORKLOAD_STEP_MAX, STR_FMT, STR_ARG(buf_str(&step)));
	buf_release(&step);
}
