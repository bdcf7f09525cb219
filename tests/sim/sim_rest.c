#include "sim_rest.h"

#include "base/buf.h"
#include "core/replay.h"
#include "engine/engine.h"

enum { TEXT_MAX = 16 << 20 };

/* Both sides are written down as text, a line a row, and compared. */
struct rows {
	struct world *w;
	struct replay *replay;
	struct buf text;
	struct sha256 head;
	bool done;
};

static void
put_session(struct buf *out, const struct session_row *r)
{
	const struct session_counters *c = &r->counters;
	char hex[2 * SHA256_BYTES + 1];

	sha256_hex(&r->head_hash, SHA256_BYTES, hex);
	buf_printf(out, "session %lld %s %d %d %d %d turn %.*s %lld %lld title %.*s|%.*s|%s",
		   (long long)r->head_seq, hex, (int)r->state.phase, (int)r->state.lifecycle,
		   r->deleted, (int)r->last_stop, STR_ARG(r->turn), (long long)r->turn_seq,
		   (long long)r->attempt, STR_ARG(r->title), STR_ARG(r->fallback_title),
		   r->preview);
	buf_printf(out, " counters %lld %lld %lld %lld %lld %lld %lld\n", (long long)c->messages,
		   (long long)c->completed_turns, (long long)c->usage.input,
		   (long long)c->usage.output, (long long)c->total_tokens,
		   (long long)c->last_activity_ms, (long long)c->unpriced_requests);
}

static void
put_input(struct buf *out, const struct input_row *r)
{
	buf_printf(out, "input %.*s %lld %d %d %d %lld %lld %d bound %.*s\n", STR_ARG(r->id),
		   (long long)r->seq, (int)r->kind, (int)r->meta.class, (int)r->meta.busy,
		   (long long)r->created_at_ms, (long long)r->content_seq, r->cancelled,
		   STR_ARG(r->meta.bound_to));
}

static void
put_call(struct buf *out, const struct call_row *r)
{
	buf_printf(out, "call %.*s %lld %d %d %d %.*s %lld\n", STR_ARG(r->id), (long long)r->seq,
		   (int)r->kind, (int)r->state, r->client_side, STR_ARG(r->answer_id),
		   (long long)r->closed_seq);
}

static void
put_item(struct buf *out, const struct item_row *r)
{
	buf_printf(out, "item %lld %lld %lld %d %d\n", (long long)r->seq, (long long)r->content_seq,
		   (long long)r->at_seq, (int)r->at_index, (int)r->role);
}

/* ---- the store's side ---- */

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct rows *rows = ctx;

	if (row->session) {
		rows->head = row->session->row.head_hash;
		put_session(&rows->text, &row->session->row);
	} else if (row->input) {
		put_input(&rows->text, row->input);
	} else if (row->call) {
		put_call(&rows->text, row->call);
	} else if (row->item) {
		put_item(&rows->text, &row->item->item);
	}
	return true;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct rows *rows = ctx;

	if (rc != 0 || more)
		sim_fail(rows->w, SIM_CLAUSE_LOG, "the store cannot be read: %s", err->text);
	rows->done = true;
}

static void
ask(struct rows *rows, struct store_query q, store_row_fn *row)
{
	rows->done = false;
	q.limit = STORE_PAGE_ROWS_MAX;
	store_read(rows->w->truth, &q, row, on_read, rows);
	while (!rows->done && store_dispatch(rows->w->truth) > 0)
		;
}

static void
put_stored(struct rows *rows, struct str session)
{
	static const enum store_query_kind KINDS[] = { STORE_GET_SESSION, STORE_LIST_PENDING,
						       STORE_LIST_CALLS, STORE_LIST_ITEMS };

	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		ask(rows, (struct store_query){ .kind = KINDS[i], .session = session }, on_row);
}

/* ---- the replay's ---- */

static bool
on_event(void *ctx, const struct store_row *row)
{
	struct rows *rows = ctx;
	struct err e;

	if (replay_apply(rows->replay, &row->event->ev, &e) == 0)
		return true;
	sim_fail(rows->w, SIM_CLAUSE_LOG, "a log cannot be replayed: %s", e.text);
	return false;
}

static void
put_replayed(struct rows *rows)
{
	size_t count;
	const struct input_row *inputs = replay_inputs(rows->replay, &count);
	const struct call_row *calls;
	const struct item_row *items;

	put_session(&rows->text, replay_session(rows->replay));
	for (size_t i = 0; i < count; i++)
		if (inputs[i].processed_at_ms == 0)
			put_input(&rows->text, &inputs[i]);
	calls = replay_calls(rows->replay, &count);
	for (size_t i = 0; i < count; i++)
		put_call(&rows->text, &calls[i]);
	items = replay_items(rows->replay, &count);
	for (size_t i = 0; i < count; i++)
		if (items[i].at_seq != 0)
			put_item(&rows->text, &items[i]);
}

static void
judge_session(struct world *w, struct str session)
{
	struct rows stored = { .w = w }, replayed = { .w = w, .replay = replay_new() };

	buf_init(&stored.text, TEXT_MAX);
	buf_init(&replayed.text, TEXT_MAX);
	put_stored(&stored, session);
	ask(&replayed, (struct store_query){ .kind = STORE_LIST_EVENTS, .session = session },
	    on_event);
	if (!w->failed) {
		put_replayed(&replayed);
		if (!str_eq(buf_str(&stored.text), buf_str(&replayed.text)))
			sim_fail(w, SIM_CLAUSE_LOG,
				 "the rows of " STR_FMT " are not what its log adds up to",
				 STR_ARG(session));
	}
	replay_free(&replayed.replay);
	buf_release(&stored.text);
	buf_release(&replayed.text);
}

void
sim_rest_judge_rows(struct world *w)
{
	for (int i = 0; i < SIM_SESSIONS && !w->failed; i++)
		judge_session(w, sim_session_id(i));
}

static bool
on_wake(void *ctx, const struct store_row *row)
{
	struct rows *rows = ctx;
	const struct sim_clock *clock = &rows->w->clock;

	if (row->record->due_at_ms != 0 &&
	    row->record->due_at_ms <= clock->steady_ms + clock->skew_ms)
		sim_fail(rows->w, SIM_CLAUSE_REST,
			 "a wake of " STR_FMT " is due and nobody runs it",
			 STR_ARG(row->record->owner));
	return true;
}

void
sim_rest_judge_wakes(struct world *w)
{
	struct rows rows = { .w = w };

	ask(&rows, (struct store_query){ .kind = STORE_LIST_RECORDS, .record_kind = RECORD_WAKE },
	    on_wake);
}

struct sha256
sim_rest_hash(struct world *w)
{
	struct buf all;
	struct sha256 hash;

	buf_init(&all, TEXT_MAX);
	for (int i = 0; i < SIM_SESSIONS; i++) {
		struct rows rows = { .w = w };

		buf_init(&rows.text, TEXT_MAX);
		ask(&rows,
		    (struct store_query){ .kind = STORE_GET_SESSION, .session = sim_session_id(i) },
		    on_row);
		buf_put(&all, rows.head.bytes, sizeof rows.head.bytes);
		buf_release(&rows.text);
	}
	buf_printf(&all, "%lld %lld %llu", (long long)w->clock.steady_ms,
		   (long long)w->clock.skew_ms, (unsigned long long)w->happened);
	hash = sha256_of(buf_str(&all));
	buf_release(&all);
	return hash;
}
