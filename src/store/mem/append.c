/* append - one item: what was there already, what must hold, then everything at once. */
#include "core/queue_policy.h"
#include "core/turn_mutant.h"
#include "store/mem/mem_private.h"

/* The first key that is there already answers for the item; 0: none is. */
static int
recall(const struct mem *m, const struct store_item *item, struct store_result *out)
{
	for (size_t i = 0; i < item->key_count; i++) {
		const struct store_key *k = &item->keys[i];
		const struct mem_key *known = mem_key_find(m, k->kind, k->scope, k->name);

		if (!known)
			continue;
		if (memcmp(&known->key.request, &k->request, sizeof k->request) != 0)
			return err_set(&out->err, ERR_MISMATCH,
				       "the key '" STR_FMT "' was used with another request",
				       STR_ARG(k->name));
		out->session = known->session;
		out->answer = known->key.answer;
		out->first_seq = known->first_seq;
		out->head_seq = known->head_seq;
		return STORE_REPLAYED;
	}
	return 0;
}

static bool
waits_for_answer(const struct mem_session *s, struct str call_id)
{
	size_t count;
	const struct call_row *calls = replay_calls(s->replay, &count);

	for (size_t i = 0; i < count; i++)
		if (str_eq(calls[i].id, call_id))
			return calls[i].answer_id.len == 0 &&
			       (calls[i].state == CALL_WAITS_APPROVAL ||
				calls[i].state == CALL_WAITS_RESULT);
	return false;
}

static int
check_named(const struct mem_session *s, const struct store_require *r, struct err *e)
{
	for (size_t i = 0; i < r->pending.len; i++) {
		const struct input_row *in = replay_input_find(s->replay, r->pending.ptr[i]);

		if (!in || in->processed_at_ms != 0)
			return err_set(e, ERR_CONFLICT, "input " STR_FMT " is not pending",
				       STR_ARG(r->pending.ptr[i]));
	}
	for (size_t i = 0; i < r->open_calls.len; i++)
		if (!waits_for_answer(s, r->open_calls.ptr[i]))
			return err_set(e, ERR_CONFLICT,
				       "call " STR_FMT " does not wait for an answer",
				       STR_ARG(r->open_calls.ptr[i]));
	return 0;
}

static struct queue_mark
queue_of(const struct mem_session *s)
{
	size_t count;
	const struct input_row *in = replay_inputs(s->replay, &count);
	struct queue_mark mark = { 0 };

	for (size_t i = 0; i < count; i++)
		if (in[i].meta.class == INPUT_TRIGGER && in[i].processed_at_ms == 0) {
			mark.count++;
			mark.last_seq = in[i].seq;
		}
	return mark;
}

static int
check_queue(const struct mem_session *s, const struct store_require *r, struct err *e)
{
	struct queue_mark is = queue_of(s);

	if (r->has_queue && (is.count != r->queue.count || is.last_seq != r->queue.last_seq))
		return err_set(e, ERR_CONFLICT, "other messages wait than were looked at");
	return 0;
}

static int
check_state(const struct mem *m, const struct mem_session *s, const struct store_require *r,
	    struct err *e)
{
	const struct session_row *row = replay_session(s->replay);

	if (r->lifecycles && !(r->lifecycles & 1u << row->state.lifecycle))
		return err_set(e, ERR_CONFLICT, "the session is %s",
			       lifecycle_name(row->state.lifecycle));
	if (r->idle && (row->state.phase != TURN_NONE || mem_session_waiting(s) > 0))
		return err_set(e, ERR_CONFLICT, "the session is busy");
	if (r->has_head && r->head_seq != row->head_seq)
		return err_set(e, ERR_CONFLICT, "the head is at seq %lld, not %lld",
			       (long long)row->head_seq, (long long)r->head_seq);
	if (r->fence != 0 && !MUTANT(FENCE_IGNORED) &&
	    (r->fence != s->fence || !mem_session_is_held(s, m)))
		return err_set(e, ERR_CONFLICT, "fence %lld does not hold the session",
			       (long long)r->fence);
	if (check_queue(s, r, e) != 0)
		return ERR_CONFLICT;
	return check_named(s, r, e);
}

/* A part of the item on its way: the session it concerns, and what became of it. */
struct part {
	const struct store_item *item;
	struct mem_session *session;
	bool created, extended;
	struct store_joined out;
};

static int
find_session(struct mem *m, struct part *p, struct err *e)
{
	p->session = map_find(&m->sessions, p->item->session);
	if (p->item->require.absent && p->session)
		return err_set(e, ERR_CONFLICT, "the session exists already");
	if (!p->item->require.absent && !p->session)
		return err_set(e, ERR_NOT_FOUND, "there is no such session");
	p->created = p->item->require.absent;
	if (p->created)
		p->session = mem_session_new(p->item->session);
	return 0;
}

static int
check(struct mem *m, struct part *p, struct err *e)
{
	int rc = find_session(m, p, e);

	if (rc == 0)
		rc = check_state(m, p->session, &p->item->require, e);
	if (rc == 0 && p->item->lease == STORE_LEASE_TAKE && mem_session_is_held(p->session, m))
		rc = err_set(e, ERR_CONFLICT, "the session's lease is held");
	return rc;
}

/* The log grows, or all is as before. */
static int
extend(const struct mem *m, struct part *p, struct err *e)
{
	const struct store_item *item = p->item;
	int64_t first = replay_session(p->session->replay)->head_seq + 1;
	int rc = mem_session_extend(m, p->session, item->events, item->event_count, e);
	const struct session_row *row = replay_session(p->session->replay);
	size_t waiting;

	if (rc != 0)
		return rc;
	p->extended = true;
	waiting = queue_depth(mem_session_waiting(p->session), row->state.phase != TURN_NONE);
	if (item->require.has_max_waiting && (int64_t)waiting > item->require.max_waiting)
		return err_set(e, ERR_LIMIT, "%zu messages would wait, at most %lld may", waiting,
			       (long long)item->require.max_waiting);
	p->out.first_seq = item->event_count > 0 ? first : 0;
	p->out.head_seq = row->head_seq;
	p->out.head_hash = row->head_hash;
	p->out.waiting = (int64_t)waiting;
	return 0;
}

static void
take_back(struct part *p)
{
	if (p->created)
		mem_session_free(&p->session);
	else if (p->extended)
		mem_session_cut(p->session, p->item->event_count);
}

static void
change_lease(struct mem *m, struct part *p)
{
	struct mem_session *s = p->session;

	switch (p->item->lease) {
	case STORE_LEASE_KEEP: return;
	case STORE_LEASE_RELEASE: s->holder = (struct str){ 0 }; return;
	case STORE_LEASE_TAKE:
		s->holder = m->incarnation;
		p->out.fence = ++s->fence;
		return;
	case STORE_LEASE_BREAK:
		s->holder = (struct str){ 0 };
		p->out.fence = ++s->fence;
		return;
	}
}

static void
number_changes(struct mem *m, struct part *p)
{
	for (int64_t seq = p->out.first_seq; seq > 0 && seq <= p->out.head_seq; seq++) {
		*vec_push(&m->changes) = (struct mem_change){ p->session, seq };
		p->out.change = p->session->events.ptr[seq - 1].change = (int64_t)m->changes.len;
	}
	m->base.change_head = (int64_t)m->changes.len;
}

/* Nothing can fail any more. */
static void
settle(struct mem *m, struct part *p)
{
	change_lease(m, p);
	number_changes(m, p);
	if (p->created)
		map_put(&m->sessions, p->session->facts.id, p->session);
}

/* The parts of the sessions, and whatever else can fail. */
static int
append_to_sessions(struct mem *m, const struct store_item *item, struct store_result *out)
{
	struct part parts[2] = { { .item = item }, { .item = item->joined } };
	size_t count = item->joined ? 2 : 1;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = check(m, &parts[i], &out->err);
	if (rc == 0 && item->purge)
		rc = mem_purge_check(m, parts[0].session, &out->err);
	if (rc == 0)
		rc = mem_records_check(m, item, &out->err);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = extend(m, &parts[i], &out->err);
	for (size_t i = 0; i < count; i++) {
		if (rc == 0)
			settle(m, &parts[i]);
		else
			take_back(&parts[i]);
	}
	if (rc != 0)
		return rc;
	out->session = parts[0].session->facts.id;
	out->first_seq = parts[0].out.first_seq;
	out->head_seq = parts[0].out.head_seq;
	out->head_hash = parts[0].out.head_hash;
	out->waiting = parts[0].out.waiting;
	out->fence = parts[0].out.fence;
	out->change = parts[0].out.change;
	out->joined = parts[1].out;
	return 0;
}

static void
tell_rest(const struct mem *m, const struct store_item *item, struct store_result *out)
{
	const struct mem_session *s = map_find(&m->sessions, item->session);

	out->rests = s && item->rest_kind.len > 0 &&
		     replay_session(s->replay)->state.phase == TURN_NONE &&
		     mem_session_waiting(s) == 0 &&
		     !mem_record_is_owned(m, item->rest_kind, item->session);
}

int
mem_append(struct mem *m, const struct store_item *item, struct store_result *out)
{
	int rc = recall(m, item, out);

	if (rc != 0)
		return rc;
	rc = item->session.len == 0 ? mem_records_check(m, item, &out->err)
				    : append_to_sessions(m, item, out);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < item->put_count; i++)
		mem_record_put(m, &item->puts[i]);
	tell_rest(m, item, out);
	for (size_t i = 0; i < item->key_count; i++)
		mem_key_put(m, &item->keys[i], item->session, out);
	mem_key_pass_time(m, item);
	if (item->joined)
		mem_key_pass_time(m, item->joined);
	if (item->purge) {
		mem_purge(m, map_find(&m->sessions, item->session));
		out->session = item->session; /* the other one is gone */
	}
	return 0;
}
