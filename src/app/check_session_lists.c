/* check_session_lists - do queue, calls and transcript hold what the replay left in them?
 * The store's rows and the replay's come in the same order, so each list is one merge. */
#include "app/check_session_private.h"

/* ---- queue ---- */

static const struct input_row *
next_pending(struct check_session *c)
{
	size_t count;
	const struct input_row *in = replay_inputs(c->replay, &count);

	while (c->at < count && in[c->at].processed_at_ms != 0)
		c->at++;
	return c->at < count ? &in[c->at] : NULL;
}

static void
compare_input(struct check_session *c, const struct input_row *s, const struct input_row *r)
{
	check_same_str(c, s->seq, "pending input: id", s->id, r->id);
	check_same_str(c, s->seq, "pending input: kind", str_of(event_type(s->kind)),
		       str_of(event_type(r->kind)));
	check_same_str(c, s->seq, "pending input: class", str_of(input_class_name(s->meta.class)),
		       str_of(input_class_name(r->meta.class)));
	check_same_int(c, s->seq, "pending input: created_at", s->created_at_ms, r->created_at_ms);
	check_same_int(c, s->seq, "pending input: content_seq", s->content_seq, r->content_seq);
}

/* Those of the replay before seq that the store does not have. */
static void
missing_inputs(struct check_session *c, int64_t seq)
{
	const struct input_row *r;

	for (; (r = next_pending(c)) && r->seq < seq; c->at++)
		check_found(c, r->seq, "pending input: missing in the queue");
}

static bool
on_input(void *ctx, const struct store_row *row)
{
	struct check_session *c = ctx;
	const struct input_row *s = row->input, *r;

	c->after = s->seq;
	missing_inputs(c, s->seq);
	r = next_pending(c);
	if (!r || r->seq != s->seq) {
		check_found(c, s->seq, "pending input: by the log it is not pending");
		return true;
	}
	compare_input(c, s, r);
	c->at++;
	return true;
}

/* ---- calls ---- */

static const struct call_row *
next_call(struct check_session *c)
{
	size_t count;
	const struct call_row *calls = replay_calls(c->replay, &count);

	return c->at < count ? &calls[c->at] : NULL;
}

static void
compare_call(struct check_session *c, const struct call_row *s, const struct call_row *r)
{
	check_same_str(c, s->seq, "call: id", s->id, r->id);
	check_same_str(c, s->seq, "call: kind", str_of(event_type(s->kind)),
		       str_of(event_type(r->kind)));
	check_same_int(c, s->seq, "call: state", s->state, r->state);
	check_same_int(c, s->seq, "call: client_side", s->client_side, r->client_side);
	check_same_str(c, s->seq, "call: answer_id", s->answer_id, r->answer_id);
	check_same_int(c, s->seq, "call: closed_seq", s->closed_seq, r->closed_seq);
}

static void
missing_calls(struct check_session *c, int64_t seq)
{
	const struct call_row *r;

	for (; (r = next_call(c)) && r->seq < seq; c->at++)
		check_found(c, r->seq, "call: missing");
}

static bool
on_call(void *ctx, const struct store_row *row)
{
	struct check_session *c = ctx;
	const struct call_row *s = row->call, *r;

	c->after = s->seq;
	missing_calls(c, s->seq);
	r = next_call(c);
	if (!r || r->seq != s->seq) {
		check_found(c, s->seq, "call: the open turn has no such call");
		return true;
	}
	compare_call(c, s, r);
	c->at++;
	return true;
}

/* ---- transcript ---- */

/* Those without a place come last and are in no store. */
static const struct item_row *
next_item(struct check_session *c)
{
	return c->at < c->item_count && c->items[c->at].at_seq != 0 ? &c->items[c->at] : NULL;
}

/* Model order; NULL is behind everything. */
static int
compare_places(const struct item_row *a, const struct item_row *b)
{
	if (!a || !b)
		return (a == NULL) - (b == NULL);
	if ((a->at_seq == ITEM_TOP_SEQ) != (b->at_seq == ITEM_TOP_SEQ))
		return a->at_seq == ITEM_TOP_SEQ ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth > b->depth ? -1 : 1;
	if (a->at_seq != b->at_seq)
		return a->at_seq < b->at_seq ? -1 : 1;
	if (a->at_index != b->at_index)
		return a->at_index < b->at_index ? -1 : 1;
	if ((a->role == ITEM_SUMMARY) != (b->role == ITEM_SUMMARY))
		return a->role == ITEM_SUMMARY ? -1 : 1;
	return (a->seq > b->seq) - (a->seq < b->seq);
}

static void
compare_item(struct check_session *c, const struct item_row *s, const struct item_row *r)
{
	check_same_int(c, s->seq, "transcript: content_seq", s->content_seq, r->content_seq);
	check_same_int(c, s->seq, "transcript: role", s->role, r->role);
	check_same_int(c, s->seq, "transcript: rewound", s->rewound, r->rewound);
	check_same_int(c, s->seq, "transcript: archived_by", s->archived_by_seq,
		       r->archived_by_seq);
}

static void
missing_items(struct check_session *c, const struct item_row *before)
{
	const struct item_row *r;

	for (; (r = next_item(c)) && compare_places(r, before) < 0; c->at++)
		check_found(c, r->seq, "transcript: missing at %lld.%d", (long long)r->at_seq,
			    (int)r->at_index);
}

static bool
on_item(void *ctx, const struct store_row *row)
{
	struct check_session *c = ctx;
	const struct item_row *s = &row->item->item;

	c->after_item = *s;
	missing_items(c, s);
	if (compare_places(s, next_item(c)) != 0) {
		check_found(c, s->seq, "transcript: by the log it does not stand at %lld.%d",
			    (long long)s->at_seq, (int)s->at_index);
		return true;
	}
	compare_item(c, s, next_item(c));
	c->at++;
	return true;
}

/* ---- all of them ---- */

static int
read_list(struct check_session *c, enum store_query_kind kind, store_row_fn *row, struct err *e)
{
	struct store_query q = {
		.kind = kind, .session = c->id, .all = true, .limit = STORE_PAGE_ROWS_MAX
	};
	bool more = true;
	int rc = 0;

	c->at = 0;
	c->after = 0;
	c->after_item = (struct item_row){ 0 };
	while (rc == 0 && more) {
		q.after = c->after;
		q.after_item = c->after_item;
		rc = check_read(c->store, &q, row, c, &more, e);
	}
	return rc;
}

int
check_session_lists(struct check_session *c, struct err *e)
{
	int rc = read_list(c, STORE_LIST_PENDING, on_input, e);

	if (rc != 0)
		return rc;
	missing_inputs(c, INT64_MAX);
	rc = read_list(c, STORE_LIST_CALLS, on_call, e);
	if (rc != 0)
		return rc;
	missing_calls(c, INT64_MAX);
	c->items = replay_items(c->replay, &c->item_count);
	rc = read_list(c, STORE_LIST_ITEMS, on_item, e);
	if (rc == 0)
		missing_items(c, NULL);
	return rc;
}
