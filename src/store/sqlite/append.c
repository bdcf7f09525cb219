#include "store/sqlite/append.h"

#include "base/failpoint.h"
#include "core/queue_policy.h"
#include "store/sqlite/blob.h"
#include "store/sqlite/key.h"
#include "store/sqlite/mutant.h"
#include "store/sqlite/project.h"
#include "store/sqlite/record.h"
#include "store/sqlite/session_purge.h"

/* Larger scratch memory is given back after the item that needed it. */
enum { SCRATCH_KEPT_BYTES = 1024 * 1024 };
/* An id of the server's own making ends like this: '_' and 32 hex digits (base/id). */
enum { SERVER_ID_TAIL_BYTES = 33 };

/* A session that an item changes, and how it was. */
struct undo_head {
	struct head *head;
	struct head_row row;
	bool created;
};

/* What an item may have to give back. */
struct undo {
	struct undo_head own;
	struct undo_head *joined; /* in the scratch arena; NULL: nothing is joined */
	int64_t last_change, last_sid;
	bool savepoint;
	size_t keys_claimed;
};

bool
append_is_item_fault(int code)
{
	int primary = code & 0xff;

	return primary == SQLITE_CONSTRAINT || primary == SQLITE_TOOBIG ||
	       primary == SQLITE_MISMATCH;
}

/* ---- what must hold ---- */

static int
input_is_pending(struct tx *t, const struct head *h, struct str id, bool *out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(t, "SELECT 1 FROM event INDEXED BY event_by_seq WHERE sid=?1"
					 " AND seq>=?2 AND (processed IS NULL)=1 AND id=?3");

	sqlite3_bind_int64(st, 1, h->sid);
	sqlite3_bind_int64(st, 2, h->row.queue_from);
	db_bind_text(st, 3, id);
	return tx_exists(t, st, out, e);
}

static int
call_waits(struct tx *t, const struct head *h, struct str id, bool *out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(t, "SELECT 1 FROM call WHERE sid=?1 AND id=?2"
					 " AND answer_id IS NULL AND state IN (?3, ?4)");

	sqlite3_bind_int64(st, 1, h->sid);
	db_bind_text(st, 2, id);
	sqlite3_bind_int(st, 3, CALL_WAITS_APPROVAL);
	sqlite3_bind_int(st, 4, CALL_WAITS_RESULT);
	return tx_exists(t, st, out, e);
}

static int
has_newer_trigger(struct tx *t, const struct head *h, int64_t seq, bool *out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(t, "SELECT 1 FROM event INDEXED BY event_by_seq WHERE sid=?1"
					 " AND seq>?2 AND (processed IS NULL)=1"
					 " AND kind IN (?3, ?4, ?5)");

	sqlite3_bind_int64(st, 1, h->sid);
	sqlite3_bind_int64(st, 2, seq);
	sqlite3_bind_int(st, 3, EVENT_USER_MESSAGE);
	sqlite3_bind_int(st, 4, EVENT_USER_DEFINE_OUTCOME);
	sqlite3_bind_int(st, 5, EVENT_SCHEDULE_FIRED);
	return tx_exists(t, st, out, e);
}

static int
check_queue(struct tx *t, const struct head *h, const struct store_require *r, struct err *e)
{
	bool moved = h->row.waiting != r->queue.count;
	int rc = 0;

	if (!r->has_queue)
		return 0;
	if (!moved && h->row.waiting > 0)
		rc = has_newer_trigger(t, h, r->queue.last_seq, &moved, e);
	if (rc == 0 && moved)
		return err_set(e, ERR_CONFLICT, "other messages wait than were looked at");
	return rc;
}

static int
check_named(struct tx *t, const struct head *h, const struct store_require *r, struct err *e)
{
	bool holds = true;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->pending.len; i++) {
		rc = input_is_pending(t, h, r->pending.ptr[i], &holds, e);
		if (rc == 0 && !holds)
			return err_set(e, ERR_CONFLICT, "input " STR_FMT " is not pending",
				       STR_ARG(r->pending.ptr[i]));
	}
	for (size_t i = 0; rc == 0 && i < r->open_calls.len; i++) {
		rc = call_waits(t, h, r->open_calls.ptr[i], &holds, e);
		if (rc == 0 && !holds)
			return err_set(e, ERR_CONFLICT,
				       "call " STR_FMT " does not wait for an answer",
				       STR_ARG(r->open_calls.ptr[i]));
	}
	return rc;
}

static int
check_state(const struct head_row *row, const struct store_item *item, struct err *e)
{
	const struct store_require *r = &item->require;

	if (r->lifecycles && !(r->lifecycles & 1u << row->state.lifecycle))
		return err_set(e, ERR_CONFLICT, "the session is %s",
			       lifecycle_name(row->state.lifecycle));
	if (r->idle && (row->state.phase != TURN_NONE || row->waiting > 0))
		return err_set(e, ERR_CONFLICT, "the session is busy");
	if (r->has_head && r->head_seq != row->head_seq)
		return err_set(e, ERR_CONFLICT, "the head is at seq %lld, not %lld",
			       (long long)row->head_seq, (long long)r->head_seq);
	if (r->fence != 0 && !MUTANT(FENCE_UNCHECKED) && (r->fence != row->fence || !row->held))
		return err_set(e, ERR_CONFLICT, "fence %lld does not hold the session",
			       (long long)r->fence);
	if (item->lease == STORE_LEASE_TAKE && row->held)
		return err_set(e, ERR_CONFLICT, "the session's lease is held");
	return 0;
}

/* head is NULL when the item has no session, or a session that is not there. */
static int
check_require(struct tx *t, const struct store_item *item, const struct head *head, struct err *e)
{
	int rc;

	if (item->session.len == 0)
		return 0;
	if (item->require.absent)
		return head ? err_set(e, ERR_CONFLICT, "the session exists already") : 0;
	if (!head)
		return err_set(e, ERR_NOT_FOUND, "there is no such session");
	rc = check_state(&head->row, item, e);
	if (rc == 0)
		rc = check_queue(t, head, &item->require, e);
	return rc == 0 ? check_named(t, head, &item->require, e) : rc;
}

/* Only items that add to a full queue can fail here, and those run under a savepoint. */
static int
check_waiting(int64_t waiting, const struct store_require *r, struct err *e)
{
	if (r->has_max_waiting && waiting > r->max_waiting)
		return err_set(e, ERR_LIMIT, "%lld messages would wait, at most %lld may",
			       (long long)waiting, (long long)r->max_waiting);
	return 0;
}

/* ---- keys ---- */

/* 0 when no key is known; else the first that is answers for the item. */
static int
recall(struct tx *t, const struct store_item *item, struct store_result *out)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < item->key_count; i++)
		rc = key_recall(t, &item->keys[i], out);
	return rc;
}

/* Claims them all before anything else is written; the common case costs one insert and no lookup. */
static int
claim(struct tx *t, const struct store_item *item, struct undo *u, struct store_result *out)
{
	const struct head *head = u->own.head;
	struct key_effect effect = { 0 };
	bool taken = false;
	int rc = 0;

	if (head) {
		effect.sid = head->sid;
		effect.first_seq = item->event_count > 0 ? head->row.head_seq + 1 : 0;
		effect.head_seq = head->row.head_seq + (int64_t)item->event_count;
	}
	for (size_t i = 0; rc == 0 && i < item->key_count; i++) {
		rc = key_claim(t, &item->keys[i], &effect, &taken, &out->err);
		if (rc == 0 && taken)
			return key_recall(t, &item->keys[i], out);
		u->keys_claimed = i + 1;
	}
	return rc;
}

/* ---- events ---- */

static int
parse_payload(struct tx *t, const struct event *ev, struct json *out, struct err *e)
{
	struct json_doc *doc = ARENA_NEW(&t->scratch, struct json_doc);
	enum event_kind kind = ev->kind;
	struct err inner;

	if (json_parse(&t->scratch, ev->payload, &EVENT_PAYLOAD_LIMITS, doc, &inner) != 0 ||
	    event_check(json_root(doc), &kind, &inner) != 0)
		return err_set(e, ERR_CONFLICT, "seq %lld (%s): payload: %s", (long long)ev->seq,
			       event_type(ev->kind), inner.text);
	if (kind != ev->kind)
		return err_set(e, ERR_CONFLICT, "seq %lld (%s): its payload is of type %s",
			       (long long)ev->seq, event_type(ev->kind), event_type(kind));
	*out = json_root(doc);
	return 0;
}

/* Ids of the server's own making are unique by their randomness; the index leaves them out. */
static int
check_id(struct tx *t, const struct head *head, const struct event *ev, struct err *e)
{
	sqlite3_stmt *st;
	bool taken = false;
	int rc;

	if (ev->id.len > SERVER_ID_TAIL_BYTES &&
	    ev->id.ptr[ev->id.len - SERVER_ID_TAIL_BYTES] == '_')
		return 0;
	st = tx_prepare(t, "SELECT 1 FROM event INDEXED BY event_by_own_id"
			   " WHERE sid=?1 AND id=?2 AND substr(id, -33, 1) <> '_'");
	sqlite3_bind_int64(st, 1, head->sid);
	db_bind_text(st, 2, ev->id);
	rc = tx_row(t, st, &taken, e);
	if (rc != 0 || !taken)
		return rc;
	sqlite3_reset(st);
	return err_set(e, ERR_CONFLICT, "seq %lld (%s): its id is taken", (long long)ev->seq,
		       event_type(ev->kind));
}

static const char INSERT_EVENT[] =
	"INSERT INTO event (n, sid, seq, id, kind, author, created_at, turn, meta, payload, blob,"
	" hash, processed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

static int
insert_event(const struct project_step *s, const struct sha256 *hash, struct err *e)
{
	const struct event *ev = s->ev;
	bool large = ev->payload.len > STORE_INLINE_MAX;
	struct sha256 blob;
	int rc = large ? blob_put(s->t, ev->payload, &blob, e) : 0;
	sqlite3_stmt *st;

	if (rc != 0)
		return rc;
	st = tx_prepare(s->t, INSERT_EVENT);
	sqlite3_bind_int64(st, 1, s->t->last_change + 1);
	sqlite3_bind_int64(st, 2, s->head->sid);
	sqlite3_bind_int64(st, 3, ev->seq);
	db_bind_text(st, 4, ev->id);
	sqlite3_bind_int(st, 5, (int)ev->kind);
	sqlite3_bind_int(st, 6, (int)ev->author);
	sqlite3_bind_int64(st, 7, ev->created_at_ms);
	db_bind_opt(st, 8, ev->turn);
	db_bind_opt(st, 9, ev->meta);
	if (large)
		db_bind_blob(st, 11, blob.bytes, sizeof blob.bytes);
	else
		db_bind_text(st, 10, ev->payload);
	db_bind_blob(st, 12, hash->bytes, sizeof hash->bytes);
	if (s->processed_at_ms != 0)
		sqlite3_bind_int64(st, 13, s->processed_at_ms);
	return tx_run(s->t, st, e);
}

static int
append_event(struct tx *t, struct head *head, const struct event *given, struct err *e)
{
	struct event ev = *given;
	struct project_step s = { .t = t, .head = head, .ev = &ev };
	struct sha256 hash;
	int rc;

	ev.seq = head->row.head_seq + 1;
	rc = parse_payload(t, &ev, &s.payload, e);
	if (rc == 0)
		rc = check_id(t, head, &ev, e);
	if (rc == 0)
		rc = project_event(&s, e);
	if (rc != 0)
		return rc;
	hash = event_hash(&t->hash, &head->row.head_hash, &ev);
	rc = insert_event(&s, &hash, e);
	if (rc == 0 && FAILPOINT("append.after_event")) {
		t->failed = SQLITE_CONSTRAINT;
		rc = err_set(e, ERR_CONFLICT, "failpoint append.after_event");
	}
	head->row.head_seq = ev.seq;
	head->row.head_hash = hash;
	t->last_change++;
	if (rc == 0 && ev.created_at_ms > t->newest_ms)
		t->newest_ms = ev.created_at_ms;
	return rc;
}

static void
change_lease(struct head_row *row, enum store_lease lease, struct store_result *out)
{
	switch (lease) {
	case STORE_LEASE_KEEP: return;
	case STORE_LEASE_RELEASE: row->held = false; return;
	case STORE_LEASE_TAKE:
	case STORE_LEASE_BREAK:
		row->held = lease == STORE_LEASE_TAKE;
		out->fence = ++row->fence;
		return;
	}
}

/* The session's part: events, queue bound, lease, and what the result says of them. */
static int
extend(struct tx *t, struct head *head, const struct store_item *item, struct store_result *out)
{
	int64_t first = head->row.head_seq + 1;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < item->event_count; i++)
		rc = append_event(t, head, &item->events[i], &out->err);
	if (rc == 0) {
		out->waiting = (int64_t)queue_depth((size_t)head->row.waiting,
						    head->row.state.phase != TURN_NONE);
		rc = check_waiting(out->waiting, &item->require, &out->err);
	}
	if (rc != 0)
		return rc;
	change_lease(&head->row, item->lease, out);
	if (item->event_count > 0 || item->lease != STORE_LEASE_KEEP)
		head_touch(t->heads, head);
	out->session = item->session;
	out->first_seq = item->event_count > 0 ? first : 0;
	out->head_seq = head->row.head_seq;
	out->head_hash = head->row.head_hash;
	out->change = item->event_count > 0 ? t->last_change : 0;
	return 0;
}

/* ---- the item ---- */

/* At most one thing is checked while it is written, and nothing before it: no savepoint needed. */
static bool
is_plain(const struct store_item *item, const struct head *head)
{
	const struct store_require *r = &item->require;

	if (item->event_count + item->put_count > 1 || item->key_count > 1 || item->joined ||
	    item->purge)
		return false;
	if (item->event_count == 1 && !project_is_plain(item->events[0].kind))
		return false;
	return !r->has_max_waiting || (head && head->row.waiting < r->max_waiting);
}

static int
recall_refused(struct tx *t, const struct store_item *item, int refused, struct store_result *out)
{
	struct err why = out->err;
	int rc;

	if (t->failed != SQLITE_OK)
		return refused;
	rc = recall(t, item, out);
	if (rc != 0)
		return rc;
	out->err = why;
	return refused;
}

static void
create_if_absent(struct tx *t, const struct store_item *item, struct undo_head *u)
{
	if (!item->require.absent)
		return;
	u->head = head_new(t, item->session, ++t->last_sid);
	u->created = true;
}

static int
extend_joined(struct tx *t, struct head *head, const struct store_item *joined,
	      struct store_result *out)
{
	struct store_result r = { 0 };
	int rc = extend(t, head, joined, &r);

	if (rc != 0) {
		out->err = r.err;
		return rc;
	}
	out->joined = (struct store_joined){
		.first_seq = r.first_seq,
		.head_seq = r.head_seq,
		.head_hash = r.head_hash,
		.waiting = r.waiting,
		.fence = r.fence,
		.change = r.change,
	};
	return 0;
}

static int
tell_rest(struct tx *t, const struct head_row *row, const struct store_item *item,
	  struct store_result *out)
{
	bool owned = true;
	int rc = 0;

	if (item->rest_kind.len > 0 && row->state.phase == TURN_NONE && row->waiting == 0)
		rc = record_is_owned(t, item->rest_kind, item->session, &owned, &out->err);
	out->rests = !owned;
	return rc;
}

static int
write_item(struct tx *t, const struct store_item *item, struct undo *u, struct store_result *out)
{
	int rc = check_require(t, item, u->own.head, &out->err);

	if (rc == 0 && u->joined)
		rc = check_require(t, item->joined, u->joined->head, &out->err);
	if (rc != 0) /* a repeat is recognised although its preconditions no longer hold */
		return recall_refused(t, item, rc, out);
	create_if_absent(t, item, &u->own);
	if (u->joined)
		create_if_absent(t, item->joined, u->joined);
	rc = MUTANT(DEDUPE_OUTSIDE) ? recall(t, item, out) : claim(t, item, u, out);
	for (size_t i = 0; rc == 0 && i < item->put_count; i++)
		rc = record_put(t, &item->puts[i], &out->err);
	if (rc == 0 && item->purge)
		return session_purge_begin(t, u->own.head, &out->err);
	if (rc == 0 && u->own.head)
		rc = extend(t, u->own.head, item, out);
	if (rc == 0 && u->own.head)
		rc = tell_rest(t, &u->own.head->row, item, out);
	if (rc == 0 && u->joined)
		rc = extend_joined(t, u->joined->head, item->joined, out);
	return rc;
}

static int
savepoint(struct tx *t, const char *sql, struct err *e)
{
	return tx_run(t, tx_prepare(t, sql), e);
}

static void
restore_head(struct tx *t, struct undo_head *u)
{
	if (u->created)
		head_drop(t->heads, u->head);
	else if (u->head)
		u->head->row = u->row;
}

/* Takes back what a refused item had done in memory and, if it ran unguarded, in the tables: at most
 * its claimed key. */
static int
take_back(struct tx *t, const struct store_item *item, struct undo *u, struct err *e)
{
	int rc = 0;

	t->last_change = u->last_change;
	t->last_sid = u->last_sid;
	restore_head(t, &u->own);
	if (u->joined)
		restore_head(t, u->joined);
	if (t->failed != SQLITE_OK)
		return 0;
	if (u->savepoint)
		return savepoint(t, "ROLLBACK TO item", e);
	for (size_t i = 0; rc == 0 && i < u->keys_claimed; i++)
		rc = key_unclaim(t, &item->keys[i], e);
	return rc;
}

static int
find_head(struct tx *t, const struct store_item *item, struct undo_head *u, struct err *e)
{
	int rc = head_find(t, item->session, &u->head, e);

	if (rc == 0 && u->head)
		u->row = u->head->row;
	return rc;
}

static int
run_item(struct tx *t, const struct store_item *item, bool guarded, struct undo *u,
	 struct store_result *out)
{
	struct err failure;
	int rc = 0, undone = 0;

	if (item->session.len > 0)
		rc = find_head(t, item, &u->own, &out->err);
	if (rc == 0 && item->joined) {
		u->joined = ARENA_NEW(&t->scratch, struct undo_head);
		rc = find_head(t, item->joined, u->joined, &out->err);
	}
	if (rc != 0)
		return rc;
	u->savepoint = guarded || !is_plain(item, u->own.head);
	if (u->savepoint)
		rc = savepoint(t, "SAVEPOINT item", &out->err);
	if (rc == 0)
		rc = write_item(t, item, u, out);
	if (u->savepoint && append_is_item_fault(t->failed))
		t->failed = SQLITE_OK; /* the savepoint contains it */
	if (rc != 0)
		undone = take_back(t, item, u, &failure);
	if (undone == 0 && u->savepoint && t->failed == SQLITE_OK)
		undone = savepoint(t, "RELEASE item", &failure);
	if (rc == 0 && item->purge)
		head_drop(t->heads, u->own.head); /* should the batch fail, the row is read again */
	if (undone == 0)
		return rc;
	out->err = failure;
	return undone;
}

void
append_item(struct tx *t, const struct store_item *item, bool guarded, struct store_result *out)
{
	struct undo u = { .last_change = t->last_change, .last_sid = t->last_sid };

	if (t->scratch.used_bytes > SCRATCH_KEPT_BYTES)
		arena_release(&t->scratch);
	else
		arena_reset(&t->scratch);
	out->rc = run_item(t, item, guarded, &u, out);
}
