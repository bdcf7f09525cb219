#include "await.h"
#include "verify_private.h"

/* One kind of rows of one session, as they come and as they should. */
struct comparison {
	struct verify *v;
	struct verify_session *s;
	size_t at;                 /* rows seen */
	int64_t last_seq;          /* to go on behind */
	struct item_row last_item; /* the same for the transcript */
	VEC(const void *) want;    /* rows of the replay, in the store's order */
	bool (*equal)(const struct store_row *got, const void *want);
	const char *what;
};

static bool
row_equal(const struct session_row *a, const struct session_row *b)
{
	return a->head_seq == b->head_seq &&
	       memcmp(&a->head_hash, &b->head_hash, sizeof a->head_hash) == 0 &&
	       a->state.phase == b->state.phase && a->state.lifecycle == b->state.lifecycle &&
	       a->deleted == b->deleted && a->last_stop == b->last_stop &&
	       str_eq(a->turn, b->turn) && a->turn_seq == b->turn_seq && a->attempt == b->attempt &&
	       str_eq(a->title, b->title) && a->title_source == b->title_source &&
	       str_eq(a->fallback_title, b->fallback_title) &&
	       memcmp(&a->counters, &b->counters, sizeof a->counters) == 0 &&
	       strcmp(a->preview, b->preview) == 0;
}

static bool
session_equal(const struct store_row *got, const void *want)
{
	return row_equal(&got->session->row, want);
}

static bool
input_equal(const struct store_row *got, const void *want)
{
	const struct input_row *a = got->input, *b = want;

	return str_eq(a->id, b->id) && a->seq == b->seq && a->kind == b->kind &&
	       a->meta.class == b->meta.class && a->meta.busy == b->meta.busy &&
	       str_eq(a->meta.sender, b->meta.sender) && a->created_at_ms == b->created_at_ms &&
	       a->processed_at_ms == 0 && a->content_seq == b->content_seq;
}

static bool
call_equal(const struct store_row *got, const void *want)
{
	const struct call_row *a = got->call, *b = want;

	return str_eq(a->id, b->id) && a->seq == b->seq && a->kind == b->kind &&
	       a->state == b->state && a->client_side == b->client_side &&
	       str_eq(a->answer_id, b->answer_id) && a->closed_seq == b->closed_seq;
}

static bool
item_equal(const struct store_row *got, const void *want)
{
	const struct item_row *a = &got->item->item, *b = want;

	return a->seq == b->seq && a->content_seq == b->content_seq && a->at_seq == b->at_seq &&
	       a->at_index == b->at_index && a->role == b->role && a->rewound == b->rewound &&
	       a->archived_by_seq == b->archived_by_seq && got->item->ev.seq == a->seq &&
	       got->item->content.seq == a->content_seq;
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct comparison *c = ctx;

	if (c->at >= c->want.len)
		verify_problem(c->v, STR_FMT ": more %s than the replay has (%zu)",
			       STR_ARG(c->s->id), c->what, c->want.len);
	else if (!c->equal(row, c->want.ptr[c->at]))
		verify_problem(c->v, STR_FMT ": %s %zu differs from the replay", STR_ARG(c->s->id),
			       c->what, c->at);
	c->at++;
	if (row->input)
		c->last_seq = row->input->seq;
	if (row->call)
		c->last_seq = row->call->seq;
	if (row->item)
		c->last_item = row->item->item;
	return true;
}

static void
compare(struct comparison *c, struct store *store, enum store_query_kind kind)
{
	bool more = true;
	struct err e;

	while (more) {
		struct store_query q = { .kind = kind,
					 .session = c->s->id,
					 .all = true,
					 .after = c->last_seq,
					 .after_item = c->last_item,
					 .limit = STORE_PAGE_ROWS_MAX };
		if (await_read(store, &q, on_row, c, &more, &e) != 0) {
			verify_problem(c->v, STR_FMT ": %s: %s", STR_ARG(c->s->id), c->what,
				       e.text);
			more = false;
		}
	}
	if (c->at < c->want.len)
		verify_problem(c->v, STR_FMT ": %zu %s, the replay has %zu", STR_ARG(c->s->id),
			       c->at, c->what, c->want.len);
	vec_release(&c->want);
}

static void
compare_row(struct verify *v, struct store *store, struct verify_session *s)
{
	struct comparison c = { .v = v, .s = s, .equal = session_equal, .what = "session row" };

	*vec_push(&c.want) = replay_session(s->replay);
	compare(&c, store, STORE_GET_SESSION);
}

static void
compare_inputs(struct verify *v, struct store *store, struct verify_session *s)
{
	struct comparison c = { .v = v, .s = s, .equal = input_equal, .what = "pending input" };
	size_t count;
	const struct input_row *in = replay_inputs(s->replay, &count);

	for (size_t i = 0; i < count; i++) {
		if (s->log.ptr[in[i].seq - 1]->processed_at_ms != in[i].processed_at_ms)
			verify_problem(v, STR_FMT ": event %lld has another processed instant",
				       STR_ARG(s->id), (long long)in[i].seq);
		if (in[i].processed_at_ms == 0)
			*vec_push(&c.want) = &in[i];
	}
	compare(&c, store, STORE_LIST_PENDING);
}

static void
compare_calls(struct verify *v, struct store *store, struct verify_session *s)
{
	struct comparison c = { .v = v, .s = s, .equal = call_equal, .what = "call" };
	size_t count;
	const struct call_row *calls = replay_calls(s->replay, &count);

	for (size_t i = 0; i < count; i++)
		*vec_push(&c.want) = &calls[i];
	compare(&c, store, STORE_LIST_CALLS);
}

static void
compare_items(struct verify *v, struct store *store, struct verify_session *s)
{
	struct comparison c = { .v = v, .s = s, .equal = item_equal, .what = "transcript entry" };
	size_t count;
	const struct item_row *items = replay_items(s->replay, &count);

	for (size_t i = 0; i < count; i++)
		if (items[i].at_seq != 0)
			*vec_push(&c.want) = &items[i];
	compare(&c, store, STORE_LIST_ITEMS);
}

void
verify_projections(struct verify *v, struct store *store, struct verify_session *s)
{
	compare_row(v, store, s);
	compare_inputs(v, store, s);
	compare_calls(v, store, s);
	compare_items(v, store, s);
}
