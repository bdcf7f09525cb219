/* turn_world_script - the steps of a script: what each does to the world. */
#include "replay_log.h"
#include "turn_world.h"

static void
answer_commit(struct world *w, struct str word)
{
	struct err e = { 0 };
	int rc = str_eq(word, STR("ok")) ? world_commit(w, &e) : ERR_CONFLICT;

	assert_true(w->committing || str_eq(word, STR("lose")));
	w->committing = false;
	if (rc == 0) {
		world_input(w, (struct turn_input){ .kind = TURN_IN_COMMITTED });
		return;
	}
	if (str_eq(word, STR("ok")))
		buf_printf(&w->trace, "refused(%s) ", e.text);
	if (str_eq(word, STR("lose")))
		w->held = false;
	world_input(w, (struct turn_input){ .kind = TURN_IN_INPUTS, .inputs = world_pending(w) });
	if (w->machine)
		world_input(w, (struct turn_input){ .kind = TURN_IN_REFUSED,
						    .lost = str_eq(word, STR("lose")) });
}

static enum model_failure
failure_named(struct str word)
{
	static const struct {
		const char *name;
		enum model_failure failure;
	} NAMES[] = {
		{ "overloaded", FAILURE_OVERLOADED },   { "request", FAILURE_REQUEST },
		{ "network", FAILURE_NETWORK },         { "context", FAILURE_CONTEXT_LENGTH },
		{ "rate_limit", FAILURE_RATE_LIMITED }, { "refusal", FAILURE_REFUSAL },
	};

	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++)
		if (str_eq(word, str_of(NAMES[i].name)))
			return NAMES[i].failure;
	return FAILURE_UNKNOWN;
}

static void
model_says(struct world *w, struct str verb, struct str rest)
{
	struct turn_input in = { .request = w->request, .text = rest, .cost_picodollars = -1 };
	struct tool_call call = { .id = STR("c1") };
	struct str kind, after;
	int64_t ms = -1;

	if (str_eq(verb, STR("text"))) {
		in.kind = TURN_IN_TEXT;
	} else if (str_eq(verb, STR("think"))) {
		in.kind = TURN_IN_THINKING;
	} else if (str_eq(verb, STR("sign"))) {
		in.kind = TURN_IN_THINKING_DATA;
	} else if (str_eq(verb, STR("call")) || str_eq(verb, STR("lost"))) {
		str_cut(rest, ' ', &call.name, &call.arguments);
		in.kind = str_eq(verb, STR("call")) ? TURN_IN_CALL : TURN_IN_LOST_CALL;
		in.call = &call;
	} else if (str_eq(verb, STR("done"))) {
		in.kind = TURN_IN_DONE;
		in.stop = str_eq(rest, STR("refusal"))  ? TURN_STOP_REFUSAL
			  : str_eq(rest, STR("length")) ? TURN_STOP_LENGTH
			  : str_eq(rest, STR("cut"))    ? TURN_STOP_CUT
							: TURN_STOP_END;
		in.usage = (struct usage){ .input = 10, .output = 5 };
	} else {
		str_cut(rest, ' ', &kind, &after);
		str_to_int(after, &ms);
		in.kind = TURN_IN_FAILED;
		in.failure = failure_named(kind);
		in.retry_after_ms = ms;
		in.text = STR("it failed");
	}
	if (in.kind == TURN_IN_DONE || in.kind == TURN_IN_FAILED)
		w->asking = false;
	world_input(w, in);
}

static void
tool_ends(struct world *w, struct str rest)
{
	struct str name, outcome;
	struct turn_input in = { .kind = TURN_IN_TOOL, .text = STR("output") };

	str_cut(rest, ' ', &name, &outcome);
	for (size_t i = 0; i < w->running.len; i++) {
		if (!str_eq(w->running.ptr[i].name, name))
			continue;
		in.call_event = w->running.ptr[i].id;
		in.outcome = str_eq(outcome, STR("error")) ? OUTCOME_ERROR : OUTCOME_OK;
		w->running.ptr[i] = w->running.ptr[--w->running.len];
		world_input(w, in);
		return;
	}
	fail_msg("no such tool runs: " STR_FMT, STR_ARG(rest));
}

static void
move_clock(struct world *w, struct str rest)
{
	int64_t ms = 0;

	str_to_int(rest, &ms);
	w->now_ms += ms;
	for (int t = 0; t < TURN_TIMERS; t++) {
		if (w->due_ms[t] == 0 || w->due_ms[t] > w->now_ms || !w->machine)
			continue;
		w->due_ms[t] = 0;
		world_input(w, (struct turn_input){ .kind = TURN_IN_TIMER,
						    .timer = (enum turn_timer)t });
	}
}

/* $NAME becomes the id of the last call of that tool. */
static struct str
with_ids(struct world *w, struct str step)
{
	struct str before, name, tail;

	if (!str_cut(step, '$', &before, &name))
		return step;
	str_cut(name, ' ', &name, &tail);
	for (size_t i = w->called.len; i-- > 0;)
		if (str_eq(w->called.ptr[i].name, name))
			return arena_printf(&w->arena, STR_FMT STR_FMT " " STR_FMT, STR_ARG(before),
					    STR_ARG(w->called.ptr[i].id), STR_ARG(tail));
	fail_msg("no such call: " STR_FMT, STR_ARG(step));
	return step;
}

static void
log_input(struct world *w, struct str step)
{
	struct replay_log_event *made = ARENA_NEW(&w->arena, struct replay_log_event);
	struct err e;

	replay_log_make(made, with_ids(w, step), replay_session(w->replay)->head_seq + 1,
			(struct str){ 0 });
	made->ev.payload = arena_str(&w->arena, made->ev.payload);
	made->ev.meta = arena_str(&w->arena, made->ev.meta);
	made->ev.id = arena_str(&w->arena, made->ev.id);
	made->ev.created_at_ms = w->now_ms;
	if (world_append(w, &made->ev, &e) != 0)
		fail_msg(STR_FMT ": %s", STR_ARG(step), e.text);
	replay_log_release(made);
}

static void
run_step(struct world *w, struct str step)
{
	static const char *const MODEL[] = {
		"text", "think", "sign", "call", "lost", "done", "fail"
	};
	struct str verb, rest;

	str_cut(step, ' ', &verb, &rest);
	for (size_t i = 0; i < ARRAY_LEN(MODEL); i++) {
		if (!str_eq(verb, str_of(MODEL[i])))
			continue;
		model_says(w, verb, rest);
		return;
	}
	if (str_eq(verb, STR("open"))) {
		world_open(w, rest);
	} else if (str_eq(verb, STR("go"))) {
		world_go_on(w);
	} else if (str_eq(verb, STR("crash"))) {
		world_drop_machine(w);
		w->dead = w->held;
		w->held = false;
	} else if (str_eq(verb, STR("ok")) || str_eq(verb, STR("refuse")) ||
		   str_eq(verb, STR("lose"))) {
		answer_commit(w, verb);
	} else if (str_eq(verb, STR("ctx")) || str_eq(verb, STR("noctx"))) {
		w->reading = false;
		world_input(w, (struct turn_input){ .kind = str_eq(verb, STR("ctx"))
								    ? TURN_IN_CONTEXT
								    : TURN_IN_NO_CONTEXT,
						    .request = w->request,
						    .text = STR("unreadable") });
	} else if (str_eq(verb, STR("tool"))) {
		tool_ends(w, rest);
	} else if (str_eq(verb, STR("at"))) {
		move_clock(w, rest);
	} else if (str_eq(verb, STR("look"))) {
		world_input(w, (struct turn_input){ .kind = TURN_IN_INPUTS,
						    .inputs = world_pending(w) });
	} else if (str_eq(verb, STR("forbid"))) {
		static const struct approval_rule NOTHING = { .tool = STR("*"),
							      .action = APPROVAL_DENY,
							      .layer = APPROVAL_OPERATOR };

		w->plan.rules = (struct approval_rules){ &NOTHING, 1 };
	} else if (str_eq(verb, STR("drain"))) {
		world_input(w, (struct turn_input){ .kind = TURN_IN_DRAIN,
						    .reason = str_eq(rest, STR("restart"))
								      ? RECOVER_RESTART_TIMEOUT
								      : RECOVER_SHUTDOWN_TIMEOUT });
	} else {
		log_input(w, step);
	}
}

void
world_run(struct world *w, const char *script)
{
	struct str rest = str_of(script), step;

	while (rest.len > 0) {
		str_cut(rest, ';', &step, &rest);
		if (str_trim(step).len > 0)
			run_step(w, str_trim(step));
	}
}
