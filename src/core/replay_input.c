/* replay_input - the queue part of a replay: what arrived, what waits, who consumed it. */
#include "core/replay_private.h"
#include "core/turn_mutant.h"

static bool
is_pending(const struct input_row *in)
{
	return in->processed_at_ms == 0;
}

static struct input_row *
input_find(const struct replay *r, struct str id)
{
	size_t at = (size_t)(uintptr_t)map_find(&r->input_by_id, id);

	return at ? &r->inputs.ptr[at - 1] : NULL;
}

const struct input_row *
replay_input_find(const struct replay *r, struct str id)
{
	return input_find(r, id);
}

bool
replay_input_has_pending_trigger(const struct replay *r)
{
	for (size_t i = 0; i < r->inputs.len; i++)
		if (r->inputs.ptr[i].meta.class == INPUT_TRIGGER && is_pending(&r->inputs.ptr[i]))
			return true;
	return false;
}

/* Views into the event's meta must not outlive it. */
static void
keep_meta(struct replay *r, struct input_meta *m)
{
	m->sender = arena_str(&r->kept, m->sender);
	m->route = arena_str(&r->kept, m->route);
	m->bound_to = arena_str(&r->kept, m->bound_to);
	m->group = arena_str(&r->kept, m->group);
	m->model = arena_str(&r->kept, m->model);
}

static int
read_meta(struct replay *r, const struct replay_step *s, struct input_meta *out, struct err *e)
{
	struct json_doc doc;
	struct err inner;

	if (s->ev->meta.len == 0)
		return replay_corrupt(s, e, "an input without meta");
	if (json_parse(&r->scratch, s->ev->meta, &JSON_LIMITS_DEFAULT, &doc, &inner) != 0 ||
	    input_meta_read(json_root(&doc), &r->scratch, out, &inner) != 0)
		return replay_corrupt(s, e, "meta: %s", inner.text);
	keep_meta(r, out);
	return 0;
}

static enum item_role
role_of(enum event_kind kind)
{
	if (kind == EVENT_SYSTEM_MESSAGE)
		return ITEM_SYSTEM;
	if (kind == EVENT_USER_TOOL_RESULT || kind == EVENT_USER_CUSTOM_TOOL_RESULT)
		return ITEM_TOOL;
	return ITEM_USER;
}

static bool
has_item(enum event_kind kind)
{
	return kind != EVENT_USER_INTERRUPT && kind != EVENT_USER_TOOL_CONFIRMATION;
}

static int
arrive_by_class(struct replay *r, const struct replay_step *s, struct input_row *in, struct err *e)
{
	bool turn_open = r->session.state.phase != TURN_NONE;
	const struct input_row *trigger;

	switch (in->meta.class) {
	case INPUT_TRIGGER: return 0;
	case INPUT_BOUND:
		trigger = input_find(r, in->meta.bound_to);
		if (!trigger || trigger->meta.class != INPUT_TRIGGER || !is_pending(trigger))
			return replay_corrupt(s, e, "bound to no pending trigger");
		return 0;
	case INPUT_PASSIVE: /* its place waits for the end of an open turn (7) */
		in->processed_at_ms = s->ev->created_at_ms;
		if (!turn_open)
			replay_item_place(r, s->id, s->ev->seq, 0);
		return 0;
	case INPUT_ANSWER: return replay_call_answer_arrives(r, s, e);
	case INPUT_CONTROL: /* without an open turn there is nothing to hit (5) */
		if (!turn_open && !MUTANT(INTERRUPT_LINGERS))
			in->processed_at_ms = s->ev->created_at_ms;
		return 0;
	}
	return 0;
}

int
replay_input_arrive(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct input_row in = {
		.id = s->id,
		.seq = s->ev->seq,
		.kind = s->ev->kind,
		.created_at_ms = s->ev->created_at_ms,
		.content_seq = s->ev->seq,
	};
	int rc = read_meta(r, s, &in.meta, e);

	if (rc != 0)
		return rc;
	if (r->session.state.lifecycle != LIFECYCLE_ACTIVE)
		return replay_corrupt(s, e, "an input to a session that is %s",
				      lifecycle_name(r->session.state.lifecycle));
	if (!input_class_fits(in.kind, in.meta.class))
		return replay_corrupt(s, e, "%s can not be of class %s", event_type(in.kind),
				      input_class_name(in.meta.class));
	if (has_item(in.kind))
		replay_item_add(r, s, role_of(in.kind));
	rc = arrive_by_class(r, s, &in, e);
	if (rc != 0)
		return rc;
	*vec_push(&r->inputs) = in;
	map_put(&r->input_by_id, in.id, (void *)(uintptr_t)r->inputs.len);
	return 0;
}

static int
consume_one(struct replay *r, const struct replay_step *s, struct str id, int32_t index,
	    unsigned classes, struct err *e)
{
	struct input_row *in = input_find(r, id);

	if (!in)
		return replay_corrupt(s, e, "consumes " STR_FMT ", which is no input", STR_ARG(id));
	if (!is_pending(in))
		return replay_corrupt(s, e, "consumes the input of seq %lld again",
				      (long long)in->seq);
	if (!(classes & 1u << in->meta.class))
		return replay_corrupt(s, e, "must not consume an input of class %s",
				      input_class_name(in->meta.class));
	if (s->ev->kind == EVENT_INPUT_CONSUMED && in->meta.class == INPUT_TRIGGER &&
	    in->meta.busy != BUSY_STEER)
		return replay_corrupt(s, e, "steers with an input that was not sent to steer");
	in->processed_at_ms = s->ev->created_at_ms;
	replay_item_place(r, in->id, s->ev->seq, index);
	if (in->meta.class == INPUT_ANSWER)
		return replay_call_answer_consumed(r, s, in->id, e);
	return 0;
}

int
replay_input_consume(struct replay *r, const struct replay_step *s, unsigned classes, struct err *e)
{
	struct json consumes;
	int rc = 0;

	if (!json_find(s->payload, STR("consumes"), &consumes))
		return 0;
	for (struct json_iter it = json_iter(consumes); rc == 0 && json_next(&it);)
		rc = consume_one(r, s, json_str(it.value, &r->scratch), (int32_t)it.index, classes,
				 e);
	return rc;
}

int
replay_input_edit(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct json id;
	struct input_row *in = NULL;

	if (json_find(s->payload, STR("input_id"), &id))
		in = input_find(r, json_str(id, &r->scratch));
	if (!in || in->meta.class != INPUT_TRIGGER || !is_pending(in) ||
	    in->kind != EVENT_USER_MESSAGE)
		return replay_corrupt(s, e, "edits what is no pending message");
	in->content_seq = s->ev->seq;
	replay_item_edited(r, in->id, s->ev->seq);
	return 0;
}

/* A trigger takes the inputs bound to it along. */
static void
cancel_one(struct replay *r, const struct replay_step *s, struct input_row *trigger)
{
	for (size_t i = 0; i < r->inputs.len; i++) {
		struct input_row *in = &r->inputs.ptr[i];
		bool along = in == trigger || (in->meta.class == INPUT_BOUND &&
					       str_eq(in->meta.bound_to, trigger->id));
		if (along && is_pending(in)) {
			in->processed_at_ms = s->ev->created_at_ms;
			in->cancelled = true;
		}
	}
}

int
replay_input_cancel(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct json ids;

	if (json_find(s->payload, STR("ids"), &ids)) {
		for (struct json_iter it = json_iter(ids); json_next(&it);) {
			struct input_row *in = input_find(r, json_str(it.value, &r->scratch));
			if (!in || in->meta.class != INPUT_TRIGGER || !is_pending(in))
				return replay_corrupt(s, e, "cancels what is no pending trigger");
			cancel_one(r, s, in);
		}
		return 0;
	}
	for (size_t i = 0; i < r->inputs.len; i++) {
		struct input_row *in = &r->inputs.ptr[i];
		if (in->meta.class == INPUT_TRIGGER && is_pending(in))
			cancel_one(r, s, in);
	}
	return 0;
}

void
replay_input_turn_ended(struct replay *r, const struct replay_step *s)
{
	struct json consumes;
	int32_t index = json_find(s->payload, STR("consumes"), &consumes)
				? (int32_t)json_count(consumes)
				: 0;
	bool turn_open = r->session.turn_seq != 0; /* a session at rest can be terminated too */

	for (size_t i = 0; i < r->inputs.len; i++) {
		struct input_row *in = &r->inputs.ptr[i];
		if (in->meta.class == INPUT_PASSIVE && turn_open && in->seq > r->session.turn_seq)
			replay_item_place(r, in->id, s->ev->seq, index++);
		if ((in->meta.class == INPUT_ANSWER || in->meta.class == INPUT_CONTROL) &&
		    is_pending(in))
			in->processed_at_ms = s->ev->created_at_ms;
	}
}
