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
	return check_named(s, r, e);
}

/* The log grows, or all is as before. */
static int
extend(struct mem_session *s, const struct store_item *item, struct store_result *out)
{
	const struct session_row *row = replay_session(s->replay);
	int64_t first = row->head_seq + 1;
	size_t waiting;
	int rc = mem_session_extend(s, item->events, item->event_count, &out->err);

	if (rc != 0)
		return rc;
	row = replay_session(s->replay);
	waiting = queue_depth(mem_session_waiting(s), row->state.phase != TURN_NONE);
	if (item->require.has_max_waiting && (int64_t)waiting > item->require.max_waiting) {
		mem_session_cut(s, item->event_count);
		return err_set(&out->err, ERR_LIMIT, "%zu messages would wait, at most %lld may",
			       waiting, (long long)item->require.max_waiting);
	}
	out->first_seq = item->event_count > 0 ? first : 0;
	out->head_seq = row->head_seq;
	out->head_hash = row->head_hash;
	out->waiting = (int64_t)waiting;
	return 0;
}

static void
change_lease(struct mem *m, struct mem_session *s, enum store_lease lease, struct store_result *out)
{
	switch (lease) {
	case STORE_LEASE_KEEP: return;
	case STORE_LEASE_RELEASE: s->holder = (struct str){ 0 }; return;
	case STORE_LEASE_TAKE:
		s->holder = m->incarnation;
		out->fence = ++s->fence;
		return;
	case STORE_LEASE_BREAK:
		s->holder = (struct str){ 0 };
		out->fence = ++s->fence;
		return;
	}
}

static void
number_changes(struct mem *m, struct mem_session *s, struct store_result *out)
{
	for (int64_t seq = out->first_seq; seq > 0 && seq <= out->head_seq; seq++) {
		*vec_push(&m->changes) = (struct mem_change){ s, seq };
		out->change = s->events.ptr[seq - 1].change = (int64_t)m->changes.len;
	}
	m->base.change_head = (int64_t)m->changes.len;
}

/* The part of the session, and the last that can fail. */
static int
append_to(struct mem *m, struct mem_session *s, const struct store_item *item,
	  struct store_result *out)
{
	int rc = check_state(m, s, &item->require, &out->err);

	if (rc == 0 && item->lease == STORE_LEASE_TAKE && mem_session_is_held(s, m))
		rc = err_set(&out->err, ERR_CONFLICT, "the session's lease is held");
	if (rc == 0)
		rc = mem_records_check(m, item, &out->err);
	if (rc == 0)
		rc = extend(s, item, out);
	if (rc != 0)
		return rc;
	change_lease(m, s, item->lease, out);
	number_changes(m, s, out);
	out->session = s->facts.id;
	return 0;
}

static int
create(struct mem *m, const struct store_item *item, struct store_result *out)
{
	struct mem_session *s = mem_session_new(item->session);
	int rc = append_to(m, s, item, out);

	if (rc == 0)
		map_put(&m->sessions, s->facts.id, s);
	else
		mem_session_free(&s);
	return rc;
}

int
mem_append(struct mem *m, const struct store_item *item, struct store_result *out)
{
	struct mem_session *s = map_find(&m->sessions, item->session);
	int rc = recall(m, item, out);

	if (rc != 0)
		return rc;
	if (item->session.len == 0)
		rc = mem_records_check(m, item, &out->err);
	else if (item->require.absent && s)
		rc = err_set(&out->err, ERR_CONFLICT, "the session exists already");
	else if (item->require.absent)
		rc = create(m, item, out);
	else if (!s)
		rc = err_set(&out->err, ERR_NOT_FOUND, "there is no such session");
	else
		rc = append_to(m, s, item, out);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < item->put_count; i++)
		mem_record_put(m, &item->puts[i]);
	for (size_t i = 0; i < item->key_count; i++)
		mem_key_put(m, &item->keys[i], item->session, out);
	mem_key_pass_time(m, item);
	return 0;
}
