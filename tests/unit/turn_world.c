#include "turn_world.h"

#include "replay_log.h"

static const struct turn_tool TOOLS[] = {
	{ .name = STR("run"), .kind = EVENT_AGENT_TOOL_USE },
	{ .name = STR("fetch"),
	  .mcp_server_name = STR("web"),
	  .own_name = STR("fetch"),
	  .kind = EVENT_AGENT_MCP_TOOL_USE },
	{ .name = STR("peek"), .kind = EVENT_AGENT_TOOL_USE, .repeatable = true },
	{ .name = STR("ask"), .kind = EVENT_AGENT_TOOL_USE },
	{ .name = STR("no"), .kind = EVENT_AGENT_TOOL_USE },
	{ .name = STR("bash"), .kind = EVENT_AGENT_TOOL_USE, .policy = APPROVAL_AUTO },
	{ .name = STR("client"), .kind = EVENT_AGENT_CUSTOM_TOOL_USE, .client_side = true },
	{ .name = STR("worker"),
	  .kind = EVENT_AGENT_TOOL_USE,
	  .client_side = true,
	  .changes_files = true },
	{ .name = STR("edit"), .kind = EVENT_AGENT_TOOL_USE, .changes_files = true },
	{ .name = STR("write"),
	  .kind = EVENT_AGENT_TOOL_USE,
	  .repeatable = true,
	  .changes_files = true },
	{ .name = STR("sign"), .kind = EVENT_AGENT_TOOL_USE, .changes_files = true },
};

static const struct approval_rule RULES[] = {
	{ .tool = STR("run"), .action = APPROVAL_ALLOW },
	{ .tool = STR("web__fetch"), .action = APPROVAL_ALLOW },
	{ .tool = STR("client"), .action = APPROVAL_ALLOW },
	{ .tool = STR("peek"), .action = APPROVAL_ALLOW },
	{ .tool = STR("no"), .action = APPROVAL_DENY },
	{ .tool = STR("ask"), .action = APPROVAL_ASK },
	{ .tool = STR("worker"), .action = APPROVAL_ASK },
	{ .tool = STR("edit"), .action = APPROVAL_ALLOW },
	{ .tool = STR("write"), .action = APPROVAL_ALLOW },
	{ .tool = STR("sign"), .action = APPROVAL_ASK },
	{ .tool = STR("bash"), .pattern = STR("ls *"), .action = APPROVAL_ALLOW },
};

void
world_init(struct world *w, uint64_t seed)
{
	struct err e;

	*w = (struct world){ .now_ms = 5000000, .seed = seed };
	arena_init(&w->arena);
	buf_init(&w->trace, 1 << 20);
	w->replay = replay_new();
	w->plan = (struct turn_plan){
		.model = STR("demo"),
		.tools = TOOLS,
		.tool_count = ARRAY_LEN(TOOLS),
		.rules = { RULES, ARRAY_LEN(RULES) },
		.max_steps = TURN_STEPS_DEFAULT,
		.timeout_ms = TURN_TIMEOUT_MS_DEFAULT,
		.retry = retry_policy_default(),
	};
	if (replay_log_run(w->replay, "", &e) != 0)
		fail_msg("%s", e.text);
}

void
world_drop_machine(struct world *w)
{
	if (w->machine)
		turn_machine_release(w->machine);
	w->machine = NULL;
	w->committing = w->asking = w->reading = false;
	memset(w->due_ms, 0, sizeof w->due_ms);
	vec_clear(&w->running);
}

void
world_release(struct world *w)
{
	world_drop_machine(w);
	replay_free(&w->replay);
	vec_release(&w->log);
	vec_release(&w->running);
	vec_release(&w->called);
	vec_release(&w->started);
	buf_release(&w->trace);
	arena_release(&w->arena);
}

/* ---- the log ---- */

static struct str
text_in(struct world *w, struct str payload, const char *name)
{
	struct json_doc doc;
	struct json v;

	if (json_parse(&w->arena, payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0 ||
	    !json_find(json_root(&doc), str_of(name), &v))
		return (struct str){ 0 };
	return json_type(v) == JSON_STRING ? json_str(v, &w->arena) : json_raw(v);
}

int
world_append(struct world *w, const struct event *ev, struct err *e)
{
	int rc = replay_apply(w->replay, ev, e);

	if (rc != 0)
		return rc;
	*vec_push(&w->log) = *ev;
	if (ev->kind == EVENT_AGENT_TOOL_USE || ev->kind == EVENT_AGENT_CUSTOM_TOOL_USE ||
	    ev->kind == EVENT_AGENT_MCP_TOOL_USE)
		*vec_push(&w->called) =
			(struct world_tool){ ev->id, text_in(w, ev->payload, "name") };
	return 0;
}

static int
check_pending(struct world *w, struct str_list ids, struct err *e)
{
	for (size_t i = 0; i < ids.len; i++) {
		const struct input_row *in = replay_input_find(w->replay, ids.ptr[i]);
		if (!in || in->processed_at_ms != 0)
			return err_set(e, ERR_CONFLICT, STR_FMT " is not pending",
				       STR_ARG(ids.ptr[i]));
	}
	return 0;
}

static int
check_lease(struct world *w, enum turn_lease lease, struct err *e)
{
	bool needs = lease == TURN_LEASE_KEEP || lease == TURN_LEASE_RELEASE;
	bool moved = replay_session(w->replay)->head_seq != w->plan_head;

	if (lease == TURN_LEASE_BREAK)
		return moved ? err_set(e, ERR_CONFLICT, "the head has moved") : 0;
	if (w->held != needs)
		return err_set(e, ERR_CONFLICT, "the lease is%s held", w->held ? "" : " not");
	return 0;
}

struct queue_mark
world_queue(const struct world *w)
{
	size_t count;
	const struct input_row *in = replay_inputs(w->replay, &count);
	struct queue_mark mark = { 0 };

	for (size_t i = 0; i < count; i++)
		if (in[i].meta.class == INPUT_TRIGGER && in[i].processed_at_ms == 0) {
			mark.count++;
			mark.last_seq = in[i].seq;
		}
	return mark;
}

static int
check_queue(const struct world *w, const struct turn_effect *c, struct err *e)
{
	struct queue_mark is = world_queue(w);

	if (c->has_queue && (is.count != c->queue.count || is.last_seq != c->queue.last_seq))
		return err_set(e, ERR_CONFLICT, "others wait");
	return 0;
}

int
world_commit(struct world *w, struct err *e)
{
	const struct turn_effect *c = &w->commit;
	int rc = check_lease(w, c->lease, e);

	if (rc == 0)
		rc = check_pending(w, c->pending, e);
	if (rc == 0)
		rc = check_queue(w, c, e);
	for (size_t i = 0; rc == 0 && i < c->event_count; i++) {
		int64_t seq = replay_session(w->replay)->head_seq + 1;
		struct event ev = {
			.seq = seq,
			.id = c->events[i].id.len > 0
				      ? c->events[i].id
				      : arena_printf(&w->arena, "e%lld", (long long)seq),
			.kind = c->events[i].kind,
			.author = event_usual_author(c->events[i].kind),
			.created_at_ms = w->now_ms,
			.turn = w->plan.turn,
			.payload = c->events[i].payload,
		};
		if (world_append(w, &ev, e) != 0)
			fail_msg("seed %llu: the log refuses what the machine wrote: %s\n" STR_FMT,
				 (unsigned long long)w->seed, e->text, STR_ARG(buf_str(&w->trace)));
	}
	if (rc != 0)
		return rc;
	if (c->lease == TURN_LEASE_TAKE)
		w->held = true;
	if (c->lease == TURN_LEASE_RELEASE || c->lease == TURN_LEASE_BREAK)
		w->held = w->dead = false;
	if (c->drop_partial)
		w->has_partial = false;
	return 0;
}

size_t
world_terminals(const struct world *w)
{
	size_t found = 0;

	for (size_t i = 0; i < w->log.len; i++)
		found += w->log.ptr[i].kind == EVENT_STATUS_IDLE &&
			 !str_contains(w->log.ptr[i].payload, STR("requires_action"));
	return found;
}

/* ---- effects ---- */

static void
show_event(struct world *w, const struct turn_event *ev)
{
	struct str type = str_of(event_type(ev->kind)), tail, reason;

	str_cut(type, '.', &reason, &tail);
	buf_printf(&w->trace, " " STR_FMT, STR_ARG(tail));
	if (ev->kind == EVENT_AGENT_MESSAGE) {
		struct str text = text_in(w, ev->payload, "content");
		bool cut = text_in(w, ev->payload, "interrupted").len > 0;
		text = str_slice(text, sizeof "[{\"type\":\"text\",\"text\":\"" - 1, text.len - 3);
		buf_printf(&w->trace, "%s\"" STR_FMT "\"", cut ? "!" : "", STR_ARG(text));
	} else if (ev->kind == EVENT_STATUS_IDLE) {
		str_cut(text_in(w, ev->payload, "stop_reason"), ':', &reason, &tail);
		str_cut(str_slice(tail, 1, tail.len), '"', &reason, &tail);
		buf_printf(&w->trace, ":" STR_FMT, STR_ARG(reason));
		if (str_find(tail, STR("limit\":\""), 0, &(size_t){ 0 }))
			buf_printf(&w->trace, "/" STR_FMT,
				   STR_ARG(str_slice(tail, 10, tail.len - 2)));
	} else if (ev->kind == EVENT_AGENT_TOOL_RESULT || ev->kind == EVENT_AGENT_MCP_TOOL_RESULT) {
		buf_printf(&w->trace, ":" STR_FMT, STR_ARG(text_in(w, ev->payload, "outcome")));
	} else if (ev->kind == EVENT_STATUS_RESCHEDULED) {
		buf_printf(&w->trace, ":" STR_FMT "#" STR_FMT,
			   STR_ARG(text_in(w, ev->payload, "reason")),
			   STR_ARG(text_in(w, ev->payload, "attempt")));
	}
}

static void
show_commit(struct world *w, const struct turn_effect *e)
{
	static const char *const LEASES[] = { "take", "keep", "release", "break" };

	buf_printf(&w->trace, "{%s", LEASES[e->lease]);
	for (size_t i = 0; i < e->event_count; i++)
		show_event(w, &e->events[i]);
	buf_puts(&w->trace, e->drop_partial ? " -partial} " : "} ");
}

static void
keep_commit(struct world *w, const struct turn_effect *e)
{
	struct turn_event *events = ARENA_ARRAY(&w->arena, e->event_count, struct turn_event);
	struct str *pending = ARENA_ARRAY(&w->arena, e->pending.len + 1, struct str);

	assert_false(w->committing); /* at most one commit on its way */
	w->commit = *e;
	for (size_t i = 0; i < e->event_count; i++)
		events[i] = (struct turn_event){
			e->events[i].kind,
			arena_str(&w->arena, e->events[i].id),
			arena_str(&w->arena, e->events[i].payload),
		};
	for (size_t i = 0; i < e->pending.len; i++)
		pending[i] = arena_str(&w->arena, e->pending.ptr[i]);
	w->commit.events = events;
	w->commit.pending.ptr = pending;
	w->committing = true;
}

static void
tool_stops(struct world *w, struct str id)
{
	for (size_t i = 0; i < w->running.len; i++) {
		if (!str_eq(w->running.ptr[i].id, id))
			continue;
		w->running.ptr[i] = w->running.ptr[--w->running.len];
		return;
	}
	fail_msg("seed %llu: " STR_FMT " is cancelled and does not run\n" STR_FMT,
		 (unsigned long long)w->seed, STR_ARG(id), STR_ARG(buf_str(&w->trace)));
}

static void
set_timer(struct world *w, const struct turn_effect *e)
{
	static const char *const NAMES[] = { "limit", "retry", "save" };

	w->due_ms[e->timer] = e->delay_ms < 0 ? 0 : w->now_ms + e->delay_ms;
	if (e->timer == TURN_TIMER_RETRY && e->delay_ms >= 0)
		buf_puts(&w->trace, "wait ");
	else if (e->delay_ms < 0 && e->timer != TURN_TIMER_SAVE)
		buf_printf(&w->trace, "no-%s ", NAMES[e->timer]);
}

static void
show_preview(struct world *w, const struct turn_effect *e, char sign)
{
	buf_printf(&w->trace, "%c%s", sign, e->event_kind == EVENT_AGENT_MESSAGE ? "m" : "t");
	if (e->text.len > 0)
		buf_printf(&w->trace, "\"" STR_FMT "\"", STR_ARG(e->text));
	buf_puts(&w->trace, " ");
}

static void
finish(struct world *w, const struct turn_effect *e)
{
	static const char *const NAMES[] = { "ended", "parked", "put-off", "lost", "broken" };

	w->finishes++;
	w->over = true;
	w->finish = e->finish;
	buf_printf(&w->trace, "%s ", NAMES[e->finish]);
}

static bool
may_repeat(const struct world *w, struct str name)
{
	for (size_t i = 0; i < w->plan.tool_count; i++)
		if (str_eq(w->plan.tools[i].name, name))
			return w->plan.tools[i].repeatable;
	return false;
}

static bool
changes_files(const struct world *w, struct str name)
{
	for (size_t i = 0; i < w->plan.tool_count; i++)
		if (str_eq(w->plan.tools[i].name, name))
			return w->plan.tools[i].changes_files;
	return false;
}

static void
check_alone(const struct world *w, const struct turn_call *call)
{
	for (size_t i = 0; changes_files(w, call->name) && i < w->running.len; i++)
		if (changes_files(w, w->running.ptr[i].name))
			fail_msg("seed %llu: " STR_FMT " changes files while " STR_FMT
				 " does\n" STR_FMT,
				 (unsigned long long)w->seed, STR_ARG(call->name),
				 STR_ARG(w->running.ptr[i].name), STR_ARG(buf_str(&w->trace)));
}

static void
note_start(struct world *w, const struct turn_call *call)
{
	check_alone(w, call);
	for (size_t i = 0; i < w->started.len; i++)
		if (str_eq(w->started.ptr[i].id, call->id) &&
		    (w->started.ptr[i].machine == w->machines || !may_repeat(w, call->name)))
			fail_msg("seed %llu: " STR_FMT " is started twice\n" STR_FMT,
				 (unsigned long long)w->seed, STR_ARG(call->name),
				 STR_ARG(buf_str(&w->trace)));
	*vec_push(&w->started) =
		(struct world_tool){ arena_str(&w->arena, call->id),
				     arena_str(&w->arena, call->name), w->machines };
}

static void
carry_out(struct world *w, const struct turn_effect *e)
{
	assert_false(w->over); /* nothing follows the finish */
	switch (e->kind) {
	case TURN_DO_COMMIT:
		show_commit(w, e);
		keep_commit(w, e);
		return;
	case TURN_DO_CONTEXT:
		assert_false(w->committing);
		w->reading = true;
		w->request = e->request;
		buf_printf(&w->trace, "context%s%s ", e->aggressive ? "/pruned" : "",
			   e->note.len > 0 ? "/note" : "");
		return;
	case TURN_DO_MODEL:
		w->asking = true;
		buf_puts(&w->trace, "model ");
		return;
	case TURN_DO_MODEL_CANCEL:
		assert_true(w->asking);
		w->asking = false;
		buf_puts(&w->trace, "stop-model ");
		return;
	case TURN_DO_TOOL:
		assert_false(w->committing); /* its intent is on disk */
		note_start(w, e->call);
		*vec_push(&w->running) = (struct world_tool){ arena_str(&w->arena, e->call->id),
							      arena_str(&w->arena, e->call->name) };
		buf_printf(&w->trace, "tool:" STR_FMT " ", STR_ARG(e->call->name));
		return;
	case TURN_DO_TOOL_CANCEL:
		tool_stops(w, e->call->id);
		buf_printf(&w->trace, "stop:" STR_FMT " ", STR_ARG(e->call->name));
		return;
	case TURN_DO_TIMER: set_timer(w, e); return;
	case TURN_DO_PREVIEW_START: show_preview(w, e, '+'); return;
	case TURN_DO_PREVIEW_DELTA: show_preview(w, e, '~'); return;
	case TURN_DO_PREVIEW_END: show_preview(w, e, '-'); return;
	case TURN_DO_SAVE:
		w->has_partial = true;
		w->partial_id = arena_str(&w->arena, e->event_id);
		w->partial_text = arena_str(&w->arena, e->text);
		buf_puts(&w->trace, "save ");
		return;
	case TURN_DO_FINISH: finish(w, e); return;
	}
}

void
world_input(struct world *w, struct turn_input in)
{
	const struct turn_effect *effects;
	size_t count;

	in.now_ms = w->now_ms;
	effects = turn_machine_step(w->machine, &in, &count);
	for (size_t i = 0; i < count; i++)
		carry_out(w, &effects[i]);
	if (turn_machine_is_over(w->machine))
		world_drop_machine(w);
}

/* ---- machines ---- */

static void
start(struct world *w)
{
	struct sha256 seed =
		sha256_of(arena_printf(&w->arena, "%llu/%zu/%lld", (unsigned long long)w->seed,
				       w->log.len, (long long)w->now_ms));

	w->plan.seed = seed;
	w->plan_head = replay_session(w->replay)->head_seq;
	w->over = false;
	w->finishes = 0;
	w->machines++;
	w->machine = turn_machine_new(&w->arena, &w->plan);
	world_input(w, (struct turn_input){ .kind = TURN_IN_START });
}

void
world_open(struct world *w, struct str words)
{
	struct str *ids = ARENA_ARRAY(&w->arena, 16, struct str);
	size_t count = 0;

	while (words.len > 0) {
		str_cut(words, ' ', &ids[count], &words);
		count += ids[count].len > 0;
	}
	w->plan.how = TURN_OPENS;
	w->plan.turn = arena_printf(&w->arena, "t%u", ++w->turns);
	w->plan.consumes = (struct str_list){ ids, count };
	w->plan.queue = world_queue(w);
	w->plan.inputs = (struct turn_inputs){ 0 };
	w->plan.calls = NULL;
	w->plan.call_count = 0;
	w->plan.steps = w->plan.leased_ms = 0;
	w->plan.parked_on = 0;
	loop_guard_init(&w->plan.guard);
	w->plan.continuations = 0;
	w->plan.note = w->plan.open_request = (struct str){ 0 };
	w->plan.has_partial = false;
	w->plan.partial_text = (struct str){ 0 };
	start(w);
}

static void
fold_history(struct world *w, struct turn_history *h)
{
	int64_t first = replay_session(w->replay)->turn_seq;

	turn_history_init(h, &w->arena);
	for (size_t i = 0; i < w->log.len; i++)
		if (first > 0 && w->log.ptr[i].seq >= first)
			turn_history_add(h, &w->log.ptr[i]);
}

struct turn_inputs
world_pending(struct world *w)
{
	size_t count, interrupts = 0, steers = 0, answers = 0;
	const struct input_row *in = replay_inputs(w->replay, &count);
	struct str *a = ARENA_ARRAY(&w->arena, count + 1, struct str);
	struct str *b = ARENA_ARRAY(&w->arena, count + 1, struct str);
	struct turn_answer *c = ARENA_ARRAY(&w->arena, count + 1, struct turn_answer);
	struct turn_history h;

	fold_history(w, &h);
	for (size_t i = 0; i < count; i++) {
		if (in[i].processed_at_ms != 0)
			continue;
		if (in[i].meta.class == INPUT_CONTROL)
			a[interrupts++] = in[i].id;
		if (in[i].meta.class == INPUT_TRIGGER && in[i].meta.busy == BUSY_STEER)
			b[steers++] = in[i].id;
		if (in[i].meta.class == INPUT_ANSWER)
			c[answers++] = *turn_history_answer(&h, in[i].id);
	}
	turn_history_release(&h);
	return (struct turn_inputs){ { a, interrupts }, { b, steers }, c, answers, world_queue(w) };
}

static void
plan_calls(struct world *w, const struct turn_history *h)
{
	size_t count, kept = 0;
	const struct call_row *rows = replay_calls(w->replay, &count);
	struct turn_call *calls = ARENA_ARRAY(&w->arena, count + 1, struct turn_call);

	for (size_t i = 0; i < count; i++)
		if (rows[i].state != CALL_CLOSED)
			kept += turn_history_call(h, &rows[i], &calls[kept]);
	w->plan.calls = calls;
	w->plan.call_count = kept;
}

/* As engine/wake does with an open turn that nobody runs. */
void
world_go_on(struct world *w)
{
	const struct session_row *row = replay_session(w->replay);
	struct recover_turn_facts f = { .now_ms = w->now_ms,
					.turn_open = true,
					.authorised = true };
	struct turn_history h;
	bool died;

	fold_history(w, &h);
	died = row->state.phase == TURN_RUNNING ||
	       (row->state.phase == TURN_RESCHEDULED && !h.marked);
	w->plan.inputs = world_pending(w);
	plan_calls(w, &h);
	w->plan.steps = h.steps;
	w->plan.leased_ms = turn_history_leased_ms(&h);
	w->plan.guard = h.guard;
	w->plan.continuations = h.continuations;
	w->plan.parked_on = row->state.phase == TURN_PARKED ? h.parked_on : 0;
	w->plan.open_request = h.open_request;
	w->plan.has_partial = w->has_partial;
	w->plan.partial_id = w->has_partial ? w->partial_id : (struct str){ 0 };
	w->plan.partial_text = w->has_partial ? w->partial_text : (struct str){ 0 };
	w->plan.note = row->state.phase == TURN_PARKED ? (struct str){ 0 } : STR("note");
	f.attempts = h.marked ? h.continuations - 1 : h.continuations;
	f.updated_at_ms = h.last_at_ms;
	w->plan.recover =
		recover_turn_decide(&RECOVER_SETTINGS_DEFAULT, &(struct recover_mark){ 0 }, &f);
	w->plan.reason = h.marked ? h.reason : RECOVER_RESTART_INTERRUPTED;
	w->plan.how = died || (h.marked && w->plan.recover.turn == RECOVER_TURN_INTERRUPT)
			      ? TURN_RECOVERS
		      : w->plan.inputs.interrupts.len > 0 ? TURN_STOPS
							  : TURN_CONTINUES;
	turn_history_release(&h);
	start(w);
}
