#include "engine/look.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/queue_policy.h"
#include "core/turn_mutant.h"
#include "engine/access.h"
#include "engine/approval.h"
#include "engine/turn.h"

enum { PAGE_ROWS = 500 };

static void
answer(struct look *l, int rc, const struct err *err)
{
	l->done(l->ctx, rc, err);
}

/* ---- what a dead process left of a message ---- */

static bool
on_partial_row(void *ctx, const struct store_row *row)
{
	struct look *l = ctx;
	struct json_doc doc;
	struct json v;

	l->has_partial = true;
	if (json_parse(&l->arena, arena_str(&l->arena, row->record->body), &EVENT_PAYLOAD_LIMITS,
		       &doc, NULL) != 0 ||
	    !str_eq(row->record->owner, l->session.row.turn))
		return false; /* of no use, but to be removed */
	if (json_find(json_root(&doc), STR("event_id"), &v))
		l->partial_id = arena_str(&l->arena, json_str(v, &l->arena));
	if (json_find(json_root(&doc), STR("text"), &v))
		l->partial_text = arena_str(&l->arena, json_str(v, &l->arena));
	if (json_find(json_root(&doc), STR("model"), &v))
		l->partial_model = arena_str(&l->arena, json_str(v, &l->arena));
	return false;
}

static void
on_partial(void *ctx, int rc, bool more, const struct err *err)
{
	(void)more;
	answer(ctx, rc, err);
}

static void
read_partial(struct look *l)
{
	store_read(l->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_PARTIAL,
					  .record_id = l->session_id,
					  .limit = 1 },
		   on_partial_row, on_partial, l);
}

/* ---- wakes ---- */

static void
on_wakes(void *ctx, int rc, const struct err *err, const struct wake_list *wakes)
{
	struct look *l = ctx;

	l->wakes = *wakes;
	if (rc == 0 && l->has_history)
		read_partial(l);
	else
		answer(l, rc, err);
}

static void
read_wakes(struct look *l)
{
	wake_queue_read(l->en, l->session_id, &l->arena, on_wakes, l);
}

/* ---- the open turn ---- */

bool
look_is_question(const struct call_row *call)
{
	return call->state == CALL_WAITS_APPROVAL && call->answer_id.len == 0;
}

static bool
has_questions(const struct look *l)
{
	for (size_t i = 0; i < l->calls.len; i++)
		if (look_is_question(&l->calls.ptr[i]))
			return true;
	return false;
}

static void
on_rules(void *ctx, int rc, const struct err *err, struct approval_rules rules)
{
	struct look *l = ctx;

	l->rules = rules;
	if (rc == 0)
		read_partial(l);
	else
		answer(l, rc, err);
}

static bool
on_history_row(void *ctx, const struct store_row *row)
{
	struct look *l = ctx;

	l->last_seq = row->event->ev.seq;
	turn_history_add(&l->history, &row->event->ev);
	return true;
}

static void read_history(struct look *l);

static void
on_history(void *ctx, int rc, bool more, const struct err *err)
{
	struct look *l = ctx;

	if (rc == 0 && more)
		read_history(l);
	else if (rc == 0 && !l->running_here && l->session.row.state.phase == TURN_PARKED &&
		 has_questions(l))
		approval_rules_load(l->en, &l->session, NULL, &l->arena, on_rules, l);
	else if (rc == 0 && !l->running_here)
		read_wakes(l);
	else
		answer(l, rc, err);
}

static void
read_history(struct look *l)
{
	store_read(l->en->store,
		   &(struct store_query){ .kind = STORE_LIST_EVENTS,
					  .session = l->session_id,
					  .after = l->last_seq,
					  .kinds = turn_history_kinds(),
					  .limit = PAGE_ROWS },
		   on_history_row, on_history, l);
}

static bool
on_call_row(void *ctx, const struct store_row *row)
{
	struct look *l = ctx;
	struct call_row *call = vec_push(&l->calls);

	*call = *row->call;
	call->id = arena_str(&l->arena, call->id);
	call->answer_id = arena_str(&l->arena, call->answer_id);
	return true;
}

static void read_calls(struct look *l);

static void
on_calls(void *ctx, int rc, bool more, const struct err *err)
{
	struct look *l = ctx;

	if (rc != 0) {
		answer(l, rc, err);
		return;
	}
	if (more) {
		read_calls(l);
		return;
	}
	l->last_seq = l->session.row.turn_seq - 1;
	read_history(l);
}

static void
read_calls(struct look *l)
{
	store_read(l->en->store,
		   &(struct store_query){
			   .kind = STORE_LIST_CALLS,
			   .session = l->session_id,
			   .after = l->calls.len > 0 ? l->calls.ptr[l->calls.len - 1].seq : 0,
			   .limit = PAGE_ROWS },
		   on_call_row, on_calls, l);
}

/* ---- the session and what is pending ---- */

static bool
has_answers(const struct look *l)
{
	for (size_t i = 0; i < l->pending.len; i++)
		if (l->pending.ptr[i].meta.class == INPUT_ANSWER)
			return true;
	return false;
}

/* Nobody runs it, or whoever does must learn what was answered. */
static bool
needs_history(const struct look *l)
{
	if (l->session.row.state.phase == TURN_NONE)
		return false;
	return !l->running_here || has_answers(l);
}

static struct pause_queue
to_hold_back(const struct look *l)
{
	struct pause_queue waiting = { 0 };

	for (size_t i = 0; i < l->pending.len; i++) {
		if (l->pending.ptr[i].meta.class != INPUT_TRIGGER)
			continue;
		waiting.triggers = true;
		waiting.steers |= l->pending.ptr[i].meta.busy == BUSY_STEER;
	}
	return waiting;
}

/* Nothing is open and no trigger goes first: only then do wakes matter. */
static bool
needs_wakes(const struct look *l)
{
	if (l->session.row.state.phase != TURN_NONE || l->running_here)
		return false;
	return !to_hold_back(l).triggers || l->pauses.users.len > 0;
}

static void
read_the_rest(struct look *l)
{
	if (needs_history(l)) {
		l->has_history = true;
		read_calls(l);
	} else if (needs_wakes(l)) {
		read_wakes(l);
	} else {
		answer(l, 0, NULL);
	}
}

static void
on_pauses(void *ctx, int rc, const struct err *err, const struct pauses *pauses)
{
	struct look *l = ctx;

	l->pauses = *pauses;
	if (rc == 0)
		read_the_rest(l);
	else
		answer(l, rc, err);
}

static void read_queue(struct look *l);

static bool
on_session_row(struct look *l, const struct store_session *row)
{
	l->found = !row->row.deleted;
	access_copy_session(&l->arena, row, &l->session);
	return l->found;
}

static bool
on_queue_row(void *ctx, const struct store_row *row)
{
	struct look *l = ctx;
	struct input_row *in;

	if (row->session)
		return on_session_row(l, row->session);
	in = vec_push(&l->pending);
	*in = *row->input;
	in->id = arena_str(&l->arena, in->id);
	in->meta.sender = arena_str(&l->arena, in->meta.sender);
	in->meta.bound_to = arena_str(&l->arena, in->meta.bound_to);
	in->meta.group = arena_str(&l->arena, in->meta.group);
	in->meta.model = arena_str(&l->arena, in->meta.model);
	in->meta.route = (struct str){ 0 };
	return true;
}

static void
on_queue(void *ctx, int rc, bool more, const struct err *err)
{
	struct look *l = ctx;

	if (rc != 0 || !l->found) {
		answer(l, rc, err);
	} else if (more) {
		read_queue(l);
	} else if (pause_is_possible(l->en, &l->session, to_hold_back(l))) {
		pause_read(l->en, &l->session, &l->arena, on_pauses, l);
	} else {
		read_the_rest(l);
	}
}

static void
read_queue(struct look *l)
{
	size_t read = l->pending.len;

	store_read(l->en->store,
		   &(struct store_query){ .kind = read > 0 ? STORE_LIST_PENDING : STORE_LIST_QUEUE,
					  .session = l->session_id,
					  .after = read > 0 ? l->pending.ptr[read - 1].seq : 0,
					  .limit = PAGE_ROWS },
		   on_queue_row, on_queue, l);
}

struct look *
look_start(struct engine *en, struct str session, bool running_here,
	   void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	struct look *l = xcalloc(1, sizeof *l);

	*l = (struct look){ .en = en, .running_here = running_here, .done = done, .ctx = ctx };
	arena_init(&l->arena);
	turn_history_init(&l->history, &l->arena);
	l->session_id = arena_str(&l->arena, session);
	read_queue(l);
	return l;
}

void
look_free(struct look **p)
{
	struct look *l = *p;

	if (!l)
		return;
	turn_history_release(&l->history);
	vec_release(&l->pending);
	vec_release(&l->calls);
	arena_release(&l->arena);
	free(l);
	*p = NULL;
}

struct arena
look_take_arena(struct look *l)
{
	struct arena taken = l->arena;

	arena_init(&l->arena);
	return taken;
}

/* ---- what it says ---- */

struct turn_call *
look_calls(const struct look *l, struct arena *a, size_t *count)
{
	struct turn_call *calls = ARENA_ARRAY(a, l->calls.len + 1, struct turn_call);

	*count = 0;
	for (size_t i = 0; i < l->calls.len; i++)
		if (l->calls.ptr[i].state != CALL_CLOSED &&
		    turn_history_call(&l->history, &l->calls.ptr[i], &calls[*count]))
			(*count)++;
	return calls;
}

struct queue_input *
look_queue(const struct look *l, struct arena *a, size_t *count)
{
	struct queue_input *queue = ARENA_ARRAY(a, l->pending.len + 1, struct queue_input);

	*count = 0;
	for (size_t i = 0; i < l->pending.len; i++) {
		const struct input_row *in = &l->pending.ptr[i];

		if (MUTANT(STEER_LOST) && in->meta.busy == BUSY_STEER &&
		    l->session.row.state.phase == TURN_NONE)
			continue;
		if (in->meta.class == INPUT_TRIGGER)
			queue[(*count)++] = (struct queue_input){
				.seq = in->seq,
				.created_at_ms = in->created_at_ms,
				.due_at_ms = in->meta.due_at_ms,
				.busy = in->meta.busy,
				.sender = in->meta.sender,
				.group = in->meta.group,
				.media = in->meta.media,
				.held = pause_holds(&l->pauses, in->meta.sender),
			};
	}
	return queue;
}

struct queue_mark
look_mark(const struct look *l)
{
	struct queue_mark mark = { 0 };

	for (size_t i = 0; i < l->pending.len; i++)
		if (l->pending.ptr[i].meta.class == INPUT_TRIGGER) {
			mark.count++;
			mark.last_seq = l->pending.ptr[i].seq;
		}
	return mark;
}

/* The id of a pending trigger. */
static struct str
id_at(const struct look *l, int64_t seq)
{
	for (size_t i = 0; i < l->pending.len; i++)
		if (l->pending.ptr[i].seq == seq)
			return l->pending.ptr[i].id;
	return (struct str){ 0 };
}

static bool
is_among(struct str id, const struct str *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(ids[i], id))
			return true;
	return false;
}

/* Triggers and what is bound to them, in seq order. */
static struct str_list
with_bound(const struct look *l, struct arena *a, const struct str *triggers, size_t count)
{
	struct str *out = ARENA_ARRAY(a, l->pending.len + 1, struct str);
	size_t found = 0;

	for (size_t i = 0; i < l->pending.len; i++) {
		const struct input_row *in = &l->pending.ptr[i];

		if (is_among(in->id, triggers, count) ||
		    (in->meta.class == INPUT_BOUND && is_among(in->meta.bound_to, triggers, count)))
			out[found++] = in->id;
	}
	return (struct str_list){ out, found };
}

struct str_list
look_consumes(const struct look *l, struct arena *a, size_t first, size_t count)
{
	size_t all;
	const struct queue_input *queue = look_queue(l, a, &all);
	struct str *ids = ARENA_ARRAY(a, count + 1, struct str);

	for (size_t i = 0; i < count && first + i < all; i++)
		ids[i] = id_at(l, queue[first + i].seq);
	return with_bound(l, a, ids, count);
}

/* Somebody that a channel speaks for is told by an object, and is no user yet. */
struct str
look_user(const struct look *l, struct str_list inputs)
{
	for (size_t i = 0; i < l->pending.len && inputs.len > 0; i++) {
		const struct input_row *in = &l->pending.ptr[i];

		if (str_eq(in->id, inputs.ptr[0]) && in->meta.sender.len > 0 &&
		    in->meta.sender.ptr[0] != '{')
			return in->meta.sender;
	}
	return (struct str){ 0 };
}

/* Of several that share a turn the last that names one. */
struct str
look_model(const struct look *l, struct str_list inputs)
{
	struct str model = { 0 };

	for (size_t i = 0; i < l->pending.len; i++)
		for (size_t k = 0; k < inputs.len; k++)
			if (l->pending.ptr[i].meta.model.len > 0 &&
			    str_eq(l->pending.ptr[i].id, inputs.ptr[k]))
				model = l->pending.ptr[i].meta.model;
	return model;
}

static struct str_list
steers(const struct look *l, struct arena *a, int64_t now_ms)
{
	size_t all, found;
	const struct queue_input *queue = look_queue(l, a, &all);
	size_t *at = ARENA_ARRAY(a, all + 1, size_t);
	struct str *ids = ARENA_ARRAY(a, all + 1, struct str);

	found = queue_steers(queue, all, now_ms, at);
	for (size_t i = 0; i < found; i++)
		ids[i] = id_at(l, queue[at[i]].seq);
	return with_bound(l, a, ids, found);
}

struct turn_inputs
look_inputs(const struct look *l, struct arena *a, int64_t now_ms)
{
	struct str *interrupts = ARENA_ARRAY(a, l->pending.len + 1, struct str);
	struct turn_answer *answers = ARENA_ARRAY(a, l->pending.len + 1, struct turn_answer);
	struct turn_inputs out = { .interrupts.ptr = interrupts, .answers = answers };

	for (size_t i = 0; i < l->pending.len; i++) {
		const struct input_row *in = &l->pending.ptr[i];
		const struct turn_answer *known;

		if (in->meta.class == INPUT_CONTROL)
			interrupts[out.interrupts.len++] = in->id;
		if (in->meta.class != INPUT_ANSWER)
			continue;
		known = turn_history_answer(&l->history, in->id);
		if (known)
			answers[out.answer_count++] = *known;
	}
	out.steers = steers(l, a, now_ms);
	out.queue = look_mark(l);
	return out;
}
