#include "store/sqlite/head.h"

#include "base/rand.h"
#include "base/xalloc.h"
#include "store/sqlite/column.h"
#include "store/sqlite/tx.h"

void
head_cache_init(struct head_cache *c)
{
	*c = (struct head_cache){ 0 };
	map_init(&c->by_id,
		 (uint64_t)(uintptr_t)c); /* ids come from peers: the address is chance */
	list_init(&c->recent);
}

void
head_cache_release(struct head_cache *c)
{
	struct head *h;

	list_for_each (at, &c->recent)
		free(LIST_OWNER(at, struct head, recent));
	while ((h = c->spare)) {
		c->spare = h->next_dirty;
		free(h);
	}
	map_release(&c->by_id);
	list_init(&c->recent);
}

static struct head *
head_alloc(struct head_cache *c, struct str id, int64_t sid)
{
	struct head *h = c->spare;

	if (h)
		c->spare = h->next_dirty;
	else
		h = xmalloc(sizeof *h);
	h->sid = sid;
	h->row = (struct head_row){ 0 };
	h->dirty = false;
	h->next_dirty = NULL;
	h->id_len = id.len;
	memcpy(h->id, id.ptr, id.len);
	list_init(&h->recent);
	list_append(&c->recent, &h->recent);
	map_put(&c->by_id, (struct str){ h->id, h->id_len }, h);
	c->count++;
	return h;
}

struct head *
head_new(struct tx *t, struct str id, int64_t sid)
{
	return head_alloc(t->heads, id, sid);
}

void
head_drop(struct head_cache *c, struct head *h)
{
	for (struct head **at = &c->dirty; h->dirty && *at; at = &(*at)->next_dirty) {
		if (*at == h) {
			*at = h->next_dirty;
			break;
		}
	}
	map_remove(&c->by_id, (struct str){ h->id, h->id_len });
	list_remove(&h->recent);
	c->count--;
	h->next_dirty = c->spare;
	c->spare = h;
}

static size_t
take_text(struct column *c, char *out, size_t max)
{
	struct str text = column_text(c);

	if (text.len > max)
		c->bad = true;
	else if (text.len > 0)
		memcpy(out, text.ptr, text.len);
	return text.len;
}

static void
take_counters(struct column *c, struct session_counters *out)
{
	out->messages = column_int(c);
	out->completed_turns = column_int(c);
	out->usage.input = column_int(c);
	out->usage.output = column_int(c);
	out->usage.reasoning = column_int(c);
	out->usage.cache_read = column_int(c);
	out->usage.cache_write = column_int(c);
	out->total_tokens = column_int(c);
	out->last_prompt_tokens = column_int(c);
	out->cost_picodollars = column_int(c);
	out->priced_requests = column_int(c);
	out->unpriced_requests = column_int(c);
	out->last_activity_ms = column_int(c);
}

static const char SELECT_HEAD[] =
	"SELECT sid, head_seq, head_hash, lifecycle, phase, deleted, last_stop, turn, turn_seq,"
	" attempt, fence, holder, waiting, queued, queue_from, preview, fallback_title IS NOT NULL,"
	" messages, completed_turns, input_tokens, output_tokens, reasoning_tokens, cache_read,"
	" cache_write, total_tokens, last_prompt, cost, priced, unpriced, last_activity"
	" FROM session WHERE id=?1";

/* False when the row is damaged. */
static bool
take_row(sqlite3_stmt *st, struct str incarnation, struct head_row *r)
{
	struct column c = { .st = st, .at = 1 };

	r->head_seq = column_int(&c);
	column_hash(&c, &r->head_hash);
	r->state.lifecycle = column_enum(&c, LIFECYCLE_TERMINATED + 1);
	r->state.phase = column_enum(&c, TURN_RESCHEDULED + 1);
	r->deleted = column_bool(&c);
	r->last_stop = column_enum(&c, STOP_LIMIT_LOOP + 1);
	r->turn_len = take_text(&c, r->turn, sizeof r->turn);
	r->turn_seq = column_int(&c);
	r->attempt = column_int(&c);
	r->fence = column_int(&c);
	r->held = str_eq(column_text(&c), incarnation);
	r->waiting = column_int(&c);
	r->queued = column_int(&c);
	r->queue_from = column_int(&c);
	r->preview_len = take_text(&c, r->preview, sizeof r->preview);
	r->has_fallback = column_bool(&c);
	take_counters(&c, &r->counters);
	return !c.bad;
}

static int
head_load(struct tx *t, struct str id, struct head **out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(t, SELECT_HEAD);
	struct head_row row = { 0 };
	int64_t sid;
	bool found, sound;
	int rc;

	db_bind_text(st, 1, id);
	rc = tx_row(t, st, &found, e);
	if (rc != 0 || !found)
		return rc;
	sid = sqlite3_column_int64(st, 0);
	sound = take_row(st, t->incarnation, &row);
	sqlite3_reset(st);
	if (!sound) {
		t->failed = SQLITE_CORRUPT;
		return err_set(e, ERR_CORRUPT, "session " STR_FMT ": its row is damaged",
			       STR_ARG(id));
	}
	*out = head_alloc(t->heads, id, sid);
	(*out)->row = row;
	return 0;
}

int
head_find(struct tx *t, struct str id, struct head **out, struct err *e)
{
	struct head *h = map_find(&t->heads->by_id, id);

	*out = h;
	if (!h)
		return head_load(t, id, out, e);
	list_remove(&h->recent);
	list_append(&t->heads->recent, &h->recent);
	return 0;
}

void
head_touch(struct head_cache *c, struct head *h)
{
	if (h->dirty)
		return;
	h->dirty = true;
	h->next_dirty = c->dirty;
	c->dirty = h;
}

static void
bind_counters(sqlite3_stmt *st, int at, const struct session_counters *c)
{
	sqlite3_bind_int64(st, at, c->messages);
	sqlite3_bind_int64(st, at + 1, c->completed_turns);
	sqlite3_bind_int64(st, at + 2, c->usage.input);
	sqlite3_bind_int64(st, at + 3, c->usage.output);
	sqlite3_bind_int64(st, at + 4, c->usage.reasoning);
	sqlite3_bind_int64(st, at + 5, c->usage.cache_read);
	sqlite3_bind_int64(st, at + 6, c->usage.cache_write);
	sqlite3_bind_int64(st, at + 7, c->total_tokens);
	sqlite3_bind_int64(st, at + 8, c->last_prompt_tokens);
	sqlite3_bind_int64(st, at + 9, c->cost_picodollars);
	sqlite3_bind_int64(st, at + 10, c->priced_requests);
	sqlite3_bind_int64(st, at + 11, c->unpriced_requests);
	sqlite3_bind_int64(st, at + 12, c->last_activity_ms);
}

static const char UPDATE_HEAD[] =
	"UPDATE session SET head_seq=?2, head_hash=?3, lifecycle=?4, phase=?5, deleted=?6,"
	" last_stop=?7, turn=?8, turn_seq=?9, attempt=?10, fence=?11, holder=?12, waiting=?13,"
	" queued=?14, queue_from=?15, preview=?16, messages=?17, completed_turns=?18,"
	" input_tokens=?19, output_tokens=?20, reasoning_tokens=?21, cache_read=?22,"
	" cache_write=?23, total_tokens=?24, last_prompt=?25, cost=?26, priced=?27, unpriced=?28,"
	" last_activity=?29 WHERE sid=?1";

static int
write_row(struct tx *t, const struct head *h, struct err *e)
{
	const struct head_row *r = &h->row;
	sqlite3_stmt *st = tx_prepare(t, UPDATE_HEAD);

	sqlite3_bind_int64(st, 1, h->sid);
	sqlite3_bind_int64(st, 2, r->head_seq);
	db_bind_blob(st, 3, r->head_hash.bytes, SHA256_BYTES);
	sqlite3_bind_int(st, 4, (int)r->state.lifecycle);
	sqlite3_bind_int(st, 5, (int)r->state.phase);
	sqlite3_bind_int(st, 6, r->deleted);
	sqlite3_bind_int(st, 7, (int)r->last_stop);
	db_bind_opt(st, 8, head_turn(r));
	sqlite3_bind_int64(st, 9, r->turn_seq);
	sqlite3_bind_int64(st, 10, r->attempt);
	sqlite3_bind_int64(st, 11, r->fence);
	db_bind_opt(st, 12, r->held ? t->incarnation : (struct str){ 0 });
	sqlite3_bind_int64(st, 13, r->waiting);
	sqlite3_bind_int64(st, 14, r->queued);
	sqlite3_bind_int64(st, 15, r->queue_from);
	db_bind_opt(st, 16, (struct str){ r->preview, r->preview_len });
	bind_counters(st, 17, &r->counters);
	return tx_run(t, st, e);
}

int
head_cache_write(struct tx *t, struct err *e)
{
	int rc = 0;

	for (struct head *h = t->heads->dirty; rc == 0 && h; h = h->next_dirty)
		rc = write_row(t, h, e);
	return rc;
}

void
head_cache_settle(struct head_cache *c)
{
	for (struct head *h = c->dirty, *next; h; h = next) {
		next = h->next_dirty;
		h->dirty = false;
		h->next_dirty = NULL;
	}
	c->dirty = NULL;
	while (c->count > HEADS_MAX)
		head_drop(c, LIST_OWNER(c->recent.next, struct head, recent));
}

void
head_cache_forget(struct head_cache *c)
{
	while (c->dirty)
		head_drop(c, c->dirty);
}
