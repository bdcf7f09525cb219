/* project_input - the queue: what arrived, what waits, who consumed it.
 * The queue is the set of inputs whose event has no processed instant. It is read from the session's
 * queue_from on, which moves when the queue is empty and when a turn ends. What is pending shows its
 * class by its kind: a passive message is processed on arrival. */
#include "core/input.h"
#include "store/sqlite/project_private.h"

struct pending {
	int64_t n, seq; /* n 0: no pending input has that id */
	enum event_kind kind;
	struct str id, meta;
};

static enum input_class
class_of(enum event_kind kind)
{
	struct classify_facts f = { .kind = kind, .routed = true, .with_trigger = true };
	enum input_class class = INPUT_PASSIVE;

	input_classify(&f, &class);
	return class;
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

/* Interrupts and confirmations are no part of the transcript. */
static bool
has_item(enum event_kind kind)
{
	return kind != EVENT_USER_INTERRUPT && kind != EVENT_USER_TOOL_CONFIRMATION;
}

static void
queue_grows(struct project_step *s)
{
	struct head_row *r = &s->head->row;

	if (r->queued++ == 0)
		r->queue_from = s->ev->seq;
}

static void
queue_shrinks(struct project_step *s, int by)
{
	struct head_row *r = &s->head->row;

	r->queued -= by;
	if (r->queued == 0)
		r->queue_from = s->ev->seq;
}

static int
read_meta(struct project_step *s, struct str text, struct input_meta *out, struct err *e)
{
	struct json_doc *doc = ARENA_NEW(&s->t->scratch, struct json_doc);
	struct err inner;

	if (text.len == 0)
		return project_refuse(s, e, "an input without meta");
	if (json_parse(&s->t->scratch, text, &JSON_LIMITS_DEFAULT, doc, &inner) != 0 ||
	    input_meta_read(json_root(doc), &s->t->scratch, out, &inner) != 0)
		return project_refuse(s, e, "meta: %s", inner.text);
	return 0;
}

static void
take_pending(struct project_step *s, sqlite3_stmt *st, struct pending *out)
{
	*out = (struct pending){
		.n = sqlite3_column_int64(st, 0),
		.seq = sqlite3_column_int64(st, 1),
		.kind = (enum event_kind)sqlite3_column_int(st, 2),
		.id = arena_str(&s->t->scratch, db_text(st, 3)),
		.meta = arena_str(&s->t->scratch, db_text(st, 4)),
	};
}

static int
pending_find(struct project_step *s, struct str id, struct pending *out, struct err *e)
{
	sqlite3_stmt *st =
		tx_prepare(s->t, "SELECT n, seq, kind, id, meta FROM event INDEXED BY event_by_seq"
				 " WHERE sid=?1 AND seq>=?2 AND (processed IS NULL)=1 AND id=?3");
	bool found;
	int rc;

	*out = (struct pending){ 0 };
	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, s->head->row.queue_from);
	db_bind_text(st, 3, id);
	rc = tx_row(s->t, st, &found, e);
	if (rc != 0 || !found)
		return rc;
	take_pending(s, st, out);
	sqlite3_reset(st);
	return 0;
}

static int
place(struct project_step *s, const struct pending *in, int64_t content_seq, int64_t index,
      struct err *e)
{
	const struct item_row item = {
		.seq = in->seq,
		.content_seq = content_seq,
		.at_seq = s->ev->seq,
		.at_index = (int32_t)index,
		.role = role_of(in->kind),
	};

	return has_item(in->kind) ? project_item_add(s, &item, e) : 0;
}

static int
check_bound(struct project_step *s, const struct input_meta *meta, struct err *e)
{
	struct pending trigger;
	int rc = pending_find(s, meta->bound_to, &trigger, e);

	if (rc == 0 && (trigger.n == 0 || class_of(trigger.kind) != INPUT_TRIGGER))
		return project_refuse(s, e, "bound to no pending trigger");
	return rc;
}

static int
arrive_by_class(struct project_step *s, const struct input_meta *meta, struct err *e)
{
	bool turn_open = s->head->row.state.phase != TURN_NONE;
	const struct pending self = { .seq = s->ev->seq, .kind = s->ev->kind };

	switch (meta->class) {
	case INPUT_TRIGGER: s->head->row.waiting++; return 0;
	case INPUT_BOUND: return check_bound(s, meta, e);
	case INPUT_PASSIVE: /* its place waits for the end of an open turn */
		s->processed_at_ms = s->ev->created_at_ms;
		return turn_open ? 0 : place(s, &self, self.seq, 0, e);
	case INPUT_ANSWER: return project_call_answer_arrives(s, e);
	case INPUT_CONTROL: /* without an open turn there is nothing to hit */
		if (!turn_open)
			s->processed_at_ms = s->ev->created_at_ms;
		return 0;
	}
	return 0;
}

int
project_input_arrive(struct project_step *s, struct err *e)
{
	struct input_meta meta;
	int rc = read_meta(s, s->ev->meta, &meta, e);

	if (rc != 0)
		return rc;
	if (s->head->row.state.lifecycle != LIFECYCLE_ACTIVE)
		return project_refuse(s, e, "an input to a session that is %s",
				      lifecycle_name(s->head->row.state.lifecycle));
	if (!input_class_fits(s->ev->kind, meta.class))
		return project_refuse(s, e, "%s can not be of class %s", event_type(s->ev->kind),
				      input_class_name(meta.class));
	s->processed_at_ms = 0;
	rc = arrive_by_class(s, &meta, e);
	if (rc == 0 && s->processed_at_ms == 0)
		queue_grows(s);
	return rc;
}

/* It no longer waits. */
static int
mark_processed(struct project_step *s, const struct pending *in, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, "UPDATE event SET processed=?2 WHERE n=?1");

	if (class_of(in->kind) == INPUT_TRIGGER)
		s->head->row.waiting--;
	queue_shrinks(s, 1);
	sqlite3_bind_int64(st, 1, in->n);
	sqlite3_bind_int64(st, 2, s->ev->created_at_ms);
	return tx_run(s->t, st, e);
}

/* The event that holds its content: its last edit, which is forgotten here, or itself. */
static int
take_content_seq(struct project_step *s, const struct pending *in, int64_t *out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, "SELECT content_seq FROM edit WHERE sid=?1 AND seq=?2");
	bool found;
	int rc;

	*out = in->seq;
	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, in->seq);
	rc = tx_row(s->t, st, &found, e);
	if (rc != 0 || !found)
		return rc;
	*out = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	st = tx_prepare(s->t, "DELETE FROM edit WHERE sid=?1 AND seq=?2");
	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, in->seq);
	return tx_run(s->t, st, e);
}

static int
check_consume(struct project_step *s, const struct pending *in, struct str id, unsigned classes,
	      struct err *e)
{
	enum input_class class = class_of(in->kind);
	struct input_meta meta;
	int rc;

	if (in->n == 0)
		return project_refuse(s, e, "consumes " STR_FMT ", which is no pending input",
				      STR_ARG(id));
	if (!(classes & 1u << class))
		return project_refuse(s, e, "must not consume an input of class %s",
				      input_class_name(class));
	if (s->ev->kind != EVENT_INPUT_CONSUMED || class != INPUT_TRIGGER)
		return 0;
	rc = read_meta(s, in->meta, &meta, e);
	if (rc == 0 && meta.busy != BUSY_STEER)
		return project_refuse(s, e, "steers with an input that was not sent to steer");
	return rc;
}

static int
consume_one(struct project_step *s, struct str id, int64_t index, unsigned classes, struct err *e)
{
	struct pending in;
	int64_t content_seq = 0;
	int rc = pending_find(s, id, &in, e);

	if (rc == 0)
		rc = check_consume(s, &in, id, classes, e);
	if (rc == 0)
		rc = mark_processed(s, &in, e);
	if (rc == 0)
		rc = take_content_seq(s, &in, &content_seq, e);
	if (rc == 0)
		rc = place(s, &in, content_seq, index, e);
	if (rc == 0 && class_of(in.kind) == INPUT_ANSWER)
		rc = project_call_answer_consumed(s, in.id, e);
	return rc;
}

int
project_input_consume(struct project_step *s, unsigned classes, struct err *e)
{
	struct json consumes;
	int rc = 0;

	if (!json_find(s->payload, STR("consumes"), &consumes))
		return 0;
	for (struct json_iter it = json_iter(consumes); rc == 0 && json_next(&it);)
		rc = consume_one(s, json_str(it.value, &s->t->scratch), (int64_t)it.index, classes,
				 e);
	return rc;
}

int
project_input_edit(struct project_step *s, struct err *e)
{
	struct pending in;
	sqlite3_stmt *st;
	int rc = pending_find(s, project_text(s, "input_id"), &in, e);

	if (rc != 0)
		return rc;
	if (in.n == 0 || in.kind != EVENT_USER_MESSAGE)
		return project_refuse(s, e, "edits what is no pending message");
	st = tx_prepare(s->t, "INSERT INTO edit (sid, seq, content_seq) VALUES (?1, ?2, ?3)"
			      " ON CONFLICT (sid, seq) DO UPDATE SET content_seq=?3");
	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, in.seq);
	sqlite3_bind_int64(st, 3, s->ev->seq);
	return tx_run(s->t, st, e);
}

/* The session's pending triggers and what is bound to them, in seq order, in the scratch arena. */
static int
load_queue(struct project_step *s, struct pending **out, size_t *count, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(
		s->t, "SELECT n, seq, kind, id, meta FROM event INDEXED BY event_by_seq"
		      " WHERE sid=?1 AND seq>=?2 AND (processed IS NULL)=1 ORDER BY seq");
	size_t cap = 16, len = 0;
	struct pending *list = ARENA_ARRAY(&s->t->scratch, cap, struct pending);
	bool found;
	int rc;

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, s->head->row.queue_from);
	while ((rc = tx_row(s->t, st, &found, e)) == 0 && found) {
		if (len == cap) {
			list = arena_resize(&s->t->scratch, list, cap * sizeof *list,
					    2 * cap * sizeof *list);
			cap *= 2;
		}
		take_pending(s, st, &list[len++]);
	}
	*out = list;
	*count = len;
	return rc;
}

static bool
is_bound_to(struct project_step *s, const struct pending *in, struct str trigger)
{
	struct input_meta meta;
	struct err ignored;

	return class_of(in->kind) == INPUT_BOUND && read_meta(s, in->meta, &meta, &ignored) == 0 &&
	       str_eq(meta.bound_to, trigger);
}

static int
cancel_input(struct project_step *s, struct pending *in, struct err *e)
{
	int64_t content_seq;
	int rc = mark_processed(s, in, e);

	if (rc == 0)
		rc = take_content_seq(s, in, &content_seq, e);
	in->n = 0;
	return rc;
}

/* A trigger takes the inputs bound to it along. */
static int
cancel_trigger(struct project_step *s, struct pending *queue, size_t count, size_t at,
	       struct err *e)
{
	int rc = cancel_input(s, &queue[at], e);

	for (size_t i = 0; rc == 0 && i < count; i++)
		if (queue[i].n != 0 && is_bound_to(s, &queue[i], queue[at].id))
			rc = cancel_input(s, &queue[i], e);
	return rc;
}

static bool
is_trigger(const struct pending *in)
{
	return in->n != 0 && class_of(in->kind) == INPUT_TRIGGER;
}

static int
cancel_named(struct project_step *s, struct pending *queue, size_t count, struct str id,
	     struct err *e)
{
	for (size_t i = 0; i < count; i++)
		if (is_trigger(&queue[i]) && str_eq(queue[i].id, id))
			return cancel_trigger(s, queue, count, i, e);
	return project_refuse(s, e, "cancels what is no pending trigger");
}

int
project_input_cancel(struct project_step *s, struct err *e)
{
	struct pending *queue;
	size_t count;
	struct json ids;
	int rc = load_queue(s, &queue, &count, e);

	if (json_find(s->payload, STR("ids"), &ids)) {
		for (struct json_iter it = json_iter(ids); rc == 0 && json_next(&it);)
			rc = cancel_named(s, queue, count, json_str(it.value, &s->t->scratch), e);
		return rc;
	}
	for (size_t i = 0; rc == 0 && i < count; i++)
		if (is_trigger(&queue[i]))
			rc = cancel_trigger(s, queue, count, i, e);
	return rc;
}

/* Passive inputs that arrived in the turn stand right behind its end, in seq order. */
static int
place_passives(struct project_step *s, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, "SELECT n, seq, kind, id, meta FROM event"
					    " WHERE sid=?1 AND seq>?2 AND kind IN (?3, ?4)"
					    " ORDER BY seq");
	struct json consumes;
	int64_t index = json_find(s->payload, STR("consumes"), &consumes)
				? (int64_t)json_count(consumes)
				: 0;
	struct input_meta meta;
	struct pending in;
	bool found;
	int rc;

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, s->head->row.turn_seq);
	sqlite3_bind_int(st, 3, EVENT_USER_MESSAGE);
	sqlite3_bind_int(st, 4, EVENT_SYSTEM_MESSAGE);
	while ((rc = tx_row(s->t, st, &found, e)) == 0 && found) {
		take_pending(s, st, &in);
		rc = read_meta(s, in.meta, &meta, e);
		if (rc == 0 && meta.class == INPUT_PASSIVE)
			rc = place(s, &in, in.seq, index++, e);
		if (rc != 0)
			break;
	}
	sqlite3_reset(st);
	return rc;
}

/* Answers and controls that nobody consumed die with their turn. */
static int
close_turn_inputs(struct project_step *s, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, "UPDATE event INDEXED BY event_by_seq SET processed=?3"
					    " WHERE sid=?1 AND seq>=?2 AND (processed IS NULL)=1"
					    " AND kind IN (?4, ?5, ?6, ?7)");
	int rc;

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, s->head->row.queue_from);
	sqlite3_bind_int64(st, 3, s->ev->created_at_ms);
	sqlite3_bind_int(st, 4, EVENT_USER_INTERRUPT);
	sqlite3_bind_int(st, 5, EVENT_USER_TOOL_CONFIRMATION);
	sqlite3_bind_int(st, 6, EVENT_USER_TOOL_RESULT);
	sqlite3_bind_int(st, 7, EVENT_USER_CUSTOM_TOOL_RESULT);
	rc = tx_run(s->t, st, e);
	if (rc == 0)
		queue_shrinks(s, tx_changed(s->t));
	return rc;
}

/* So that what a busy session has behind it is not walked again and again. */
static int
move_queue_from(struct project_step *s, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, "SELECT seq FROM event INDEXED BY event_by_seq"
					    " WHERE sid=?1 AND seq>=?2 AND (processed IS NULL)=1"
					    " ORDER BY seq LIMIT 1");
	bool found;
	int rc;

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, s->head->row.queue_from);
	rc = tx_row(s->t, st, &found, e);
	if (rc != 0 || !found)
		return rc;
	s->head->row.queue_from = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return 0;
}

int
project_input_turn_ended(struct project_step *s, struct err *e)
{
	int rc = s->head->row.turn_seq != 0 ? place_passives(s, e) : 0;

	if (rc == 0 && s->head->row.queued > 0)
		rc = close_turn_inputs(s, e);
	if (rc == 0 && s->head->row.queued > 0)
		rc = move_queue_from(s, e);
	return rc;
}
