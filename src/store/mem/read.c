/* read - the pages of a store in memory, one function per kind of query. */
#include "base/xalloc.h"
#include "store/mem/mem_private.h"

bool
mem_page_give(struct mem_page *p, const struct store_row *row)
{
	if (p->q->limit > 0 && p->given == p->q->limit) {
		p->more = true;
		return false;
	}
	p->given++;
	return p->row(p->ctx, row);
}

static int64_t
before_of(const struct store_query *q)
{
	return q->before > 0 ? q->before : INT64_MAX;
}

static bool
wants_kind(const struct store_query *q, enum event_kind kind)
{
	return q->kinds == 0 || (q->kinds >> kind & 1);
}

/* ---- sessions ---- */

static bool
give_session(const struct mem *m, struct mem_page *p, const struct mem_session *s)
{
	struct store_session row = s->facts;

	row.metadata = replay_metadata(s->replay);
	row.fence = s->fence;
	row.lease_live = row.lease_own = mem_session_is_held(s, m);
	row.row = *replay_session(s->replay);
	return mem_page_give(p, &(struct store_row){ .session = &row });
}

/* Newest activity first, then by id from the end: <0 when a comes first. */
static int
compare_activity(int64_t a_ms, struct str a_id, int64_t b_ms, struct str b_id)
{
	if (a_ms != b_ms)
		return a_ms > b_ms ? -1 : 1;
	return str_cmp(b_id, a_id);
}

static int64_t
activity_of(const struct mem_session *s)
{
	return replay_session(s->replay)->counters.last_activity_ms;
}

static int
compare_sessions(const void *a, const void *b)
{
	const struct mem_session *x = *(struct mem_session *const *)a;
	const struct mem_session *y = *(struct mem_session *const *)b;

	return compare_activity(activity_of(x), x->facts.id, activity_of(y), y->facts.id);
}

static int
compare_sessions_up(const void *a, const void *b)
{
	return compare_sessions(b, a);
}

static bool
is_listed(const struct mem *m, const struct store_query *q, const struct mem_session *s)
{
	int place = compare_activity(q->cursor_ms, q->cursor_id, activity_of(s), s->facts.id);

	return mem_filter_matches(m, &q->filter, s) &&
	       (q->cursor_id.len == 0 || (q->oldest_first ? place > 0 : place < 0));
}

static void
list_sessions(const struct mem *m, struct mem_page *p)
{
	VEC(struct mem_session *) found = { 0 };
	struct str id;
	void *s;

	for (size_t at = 0; map_next(&m->sessions, &at, &id, &s);)
		if (is_listed(m, p->q, s))
			*vec_push(&found) = s;
	if (found.len > 0)
		qsort(found.ptr, found.len, sizeof *found.ptr,
		      p->q->oldest_first ? compare_sessions_up : compare_sessions);
	for (size_t i = 0; i < found.len; i++)
		if (!give_session(m, p, found.ptr[i]))
			break;
	vec_release(&found);
}

/* ---- one session ---- */

static int64_t
processed_at(const struct mem_session *s, const struct event *ev)
{
	const struct input_row *in = replay_input_find(s->replay, ev->id);

	return in ? in->processed_at_ms : ev->created_at_ms;
}

/* Everything that runs before it: the open turn, and the triggers that came before. */
static int64_t
position_of(const struct mem_session *s, const struct event *ev)
{
	const struct input_row *own = replay_input_find(s->replay, ev->id);
	size_t count;
	const struct input_row *in = replay_inputs(s->replay, &count);
	int64_t ahead = replay_session(s->replay)->state.phase != TURN_NONE;

	if (!own || own->processed_at_ms != 0 || own->meta.class != INPUT_TRIGGER)
		return 0;
	for (size_t i = 0; i < count; i++)
		ahead += in[i].meta.class == INPUT_TRIGGER && in[i].processed_at_ms == 0 &&
			 in[i].seq < own->seq;
	return ahead;
}

bool
mem_page_give_event(struct mem_page *p, const struct mem_session *s, int64_t seq)
{
	const struct mem_event *at = &s->events.ptr[seq - 1];
	struct store_event row = {
		.session = s->facts.id,
		.ev = at->ev,
		.hash = at->hash,
		.processed_at_ms = processed_at(s, &at->ev),
		.change = at->change,
	};

	if (p->q->kind == STORE_LIST_CHANGES)
		row.agent = s->facts.agent_id;
	if (p->q->kind == STORE_LIST_EVENTS && row.processed_at_ms == 0)
		row.position = position_of(s, &at->ev);
	return mem_page_give(p, &(struct store_row){ .event = &row });
}

static void
list_events(const struct mem_session *s, struct mem_page *p)
{
	int64_t head = (int64_t)s->events.len, before = before_of(p->q), first = p->q->after + 1;
	int64_t last = before <= head ? before - 1 : head;

	for (int64_t i = 0; i <= last - first; i++) {
		int64_t seq = p->q->descending ? last - i : first + i;

		if (wants_kind(p->q, s->events.ptr[seq - 1].ev.kind) &&
		    !mem_page_give_event(p, s, seq))
			return;
	}
}

static void
list_pending(const struct mem_session *s, struct mem_page *p)
{
	size_t count;
	const struct input_row *in = replay_inputs(s->replay, &count);

	for (size_t i = 0; i < count; i++)
		if (in[i].processed_at_ms == 0 && in[i].seq > p->q->after &&
		    !mem_page_give(p, &(struct store_row){ .input = &in[i] }))
			return;
}

static void
list_calls(const struct mem_session *s, struct mem_page *p)
{
	size_t count;
	const struct call_row *calls = replay_calls(s->replay, &count);

	for (size_t i = 0; i < count; i++)
		if (calls[i].seq > p->q->after &&
		    !mem_page_give(p, &(struct store_row){ .call = &calls[i] }))
			return;
}

static bool
give_item(const struct mem_session *s, struct mem_page *p, const struct item_row *item)
{
	const struct mem_session *from = mem_session_origin(s, item->depth);
	struct store_item_row row = {
		.item = *item,
		.ev = from->events.ptr[item->seq - 1].ev,
		.content = from->events.ptr[item->content_seq - 1].ev,
	};

	if (item->role == ITEM_USER)
		row.at_turn = from->events.ptr[item->at_seq - 1].ev.turn;

	return mem_page_give(p, &(struct store_row){ .item = &row });
}

/* The replay has them in order, so the row last handed out is looked for by its seq. */
static void
list_items(const struct mem_session *s, struct mem_page *p)
{
	size_t count;
	const struct item_row *items = replay_items(s->replay, &count);
	int64_t behind_seq = p->q->after_item.seq;

	while (count > 0 && items[count - 1].at_seq == 0)
		count--; /* those without a place come last */
	for (size_t n = 0; n < count; n++) {
		const struct item_row *item = &items[p->q->descending ? count - 1 - n : n];
		bool marked = item->rewound || item->archived_by_seq != 0;

		if (behind_seq != 0) {
			if (item->seq == behind_seq && item->depth == p->q->after_item.depth)
				behind_seq = 0;
		} else if ((!marked || p->q->all) && !give_item(s, p, item)) {
			return;
		}
	}
}

/* ---- all sessions ---- */

static void
list_changes(const struct mem *m, struct mem_page *p)
{
	for (size_t n = (size_t)p->q->after; n < m->changes.len; n++) {
		const struct mem_change *c = &m->changes.ptr[n];

		if (c->session && wants_kind(p->q, c->session->events.ptr[c->seq - 1].ev.kind) &&
		    !mem_page_give_event(p, c->session, c->seq))
			return;
	}
}

/* ---- records and keys ---- */

static int
compare_ids(const void *a, const void *b)
{
	return str_cmp((*(struct mem_record *const *)a)->row.id,
		       (*(struct mem_record *const *)b)->row.id);
}

static int
compare_due(const void *a, const void *b)
{
	int64_t x = (*(struct mem_record *const *)a)->row.due_at_ms;
	int64_t y = (*(struct mem_record *const *)b)->row.due_at_ms;

	return x != y ? (x > y) - (x < y) : compare_ids(a, b);
}

static int
compare_ids_down(const void *a, const void *b)
{
	return compare_ids(b, a);
}

static bool
is_behind(const struct store_query *q, const struct store_record *r)
{
	if (q->descending && q->due_until_ms == 0)
		return q->record_id.len == 0 || str_cmp(r->id, q->record_id) < 0;
	if (q->due_until_ms > 0 && r->due_at_ms != q->after)
		return r->due_at_ms > q->after;
	return str_cmp(r->id, q->record_id) > 0;
}

static bool
is_wanted(const struct store_query *q, const struct store_record *r)
{
	bool due = r->due_at_ms > 0 && r->due_at_ms <= q->due_until_ms;

	return (q->record_owner.len == 0 || str_eq(r->owner, q->record_owner)) &&
	       (q->due_until_ms == 0 || due) && is_behind(q, r);
}

static void
list_records(const struct mem *m, struct mem_page *p)
{
	const struct mem_kind *kind = map_find(&m->kinds, p->q->record_kind);
	VEC(struct mem_record *) found = { 0 };
	struct str id;
	void *value;

	for (size_t at = 0; kind && map_next(&kind->records, &at, &id, &value);)
		if (is_wanted(p->q, &((struct mem_record *)value)->row))
			*vec_push(&found) = value;
	if (found.len > 0)
		qsort(found.ptr, found.len, sizeof *found.ptr,
		      p->q->due_until_ms > 0 ? compare_due
		      : p->q->descending     ? compare_ids_down
					     : compare_ids);
	for (size_t i = 0; i < found.len; i++)
		if (!mem_page_give(p, &(struct store_row){ .record = &found.ptr[i]->row }))
			break;
	vec_release(&found);
}

static void
get_record(const struct mem *m, struct mem_page *p)
{
	const struct mem_record *r = mem_record_find(m, p->q->record_kind, p->q->record_id);

	if (r)
		mem_page_give(p, &(struct store_row){ .record = &r->row });
}

static void
find_key(const struct mem *m, struct mem_page *p)
{
	const struct mem_key *k = mem_key_find(m, p->q->key_kind, p->q->key_scope, p->q->key_name);

	if (k)
		mem_page_give(p, &(struct store_row){ .key = &k->key });
}

void
mem_read(struct mem *m, const struct store_query *q, store_row_fn *row, void *ctx, bool *more)
{
	struct mem_page p = { .q = q, .row = row, .ctx = ctx };
	struct mem_session *s = map_find(&m->sessions, q->session);

	switch (q->kind) {
	case STORE_GET_SESSION:
		if (s)
			give_session(m, &p, s);
		break;
	case STORE_LIST_EVENTS:
		if (s)
			list_events(s, &p);
		break;
	case STORE_LIST_PENDING:
		if (s)
			list_pending(s, &p);
		break;
	case STORE_LIST_QUEUE:
		if (s && give_session(m, &p, s))
			list_pending(s, &p);
		break;
	case STORE_LIST_CALLS:
		if (s)
			list_calls(s, &p);
		break;
	case STORE_LIST_ITEMS:
		if (s)
			list_items(s, &p);
		break;
	case STORE_LIST_SESSIONS: list_sessions(m, &p); break;
	case STORE_LIST_CHANGES: list_changes(m, &p); break;
	case STORE_GET_RECORD: get_record(m, &p); break;
	case STORE_LIST_RECORDS: list_records(m, &p); break;
	case STORE_FIND_KEY: find_key(m, &p); break;
	case STORE_SEARCH: mem_search(m, &p); break;
	}
	*more = p.more;
}
