#include "store/store.h"

#include "base/utf8.h"
#include "base/xalloc.h"
#include "core/session.h"
#include "store/store_private.h"

enum { LIFECYCLES_MASK = (1 << (LIFECYCLE_TERMINATED + 1)) - 1 };

/* An answer that store.c owes itself: the call was ill-formed, no adapter ever saw it. */
struct store_refused {
	struct store_refused *next;
	store_append_fn *appended; /* one of the two is set */
	store_read_fn *read;
	void *ctx;
	struct err err;
};

static int
text_id_check(const char *what, struct str id, size_t max, struct err *e)
{
	if (id.len == 0)
		return err_set(e, ERR_INVALID, "%s must not be empty", what);
	if (id.len > max)
		return err_set(e, ERR_INVALID, "%s has at most %zu bytes, this one %zu", what, max,
			       id.len);
	if (utf8_is_printable_ascii(id)) /* as nearly all are */
		return 0;
	for (size_t i = 0; i < id.len; i++)
		if ((unsigned char)id.ptr[i] < 0x20 || id.ptr[i] == 0x7f)
			return err_set(e, ERR_INVALID, "%s must not contain control bytes", what);
	if (!utf8_valid(id))
		return err_set(e, ERR_INVALID, "%s must be valid UTF-8", what);
	return 0;
}

static int
id_check(const char *what, struct str id, struct err *e)
{
	return text_id_check(what, id, STORE_ID_MAX, e);
}

static int
record_id_check(struct str id, struct err *e)
{
	return text_id_check("a record's id", id, STORE_RECORD_ID_MAX, e);
}

static int
optional_id_check(const char *what, struct str id, struct err *e)
{
	return id.len == 0 ? 0 : id_check(what, id, e);
}

static int
size_check(const char *what, size_t bytes, size_t max, struct err *e)
{
	if (bytes > max)
		return err_set(e, ERR_TOO_LARGE, "%s has at most %zu bytes, this one %zu", what,
			       max, bytes);
	return 0;
}

static int
count_check(const char *what, size_t count, const void *ptr, struct err *e)
{
	if (count > STORE_ITEM_EVENTS_MAX)
		return err_set(e, ERR_INVALID, "an item has at most %d %s, this one %zu",
			       STORE_ITEM_EVENTS_MAX, what, count);
	if (count > 0 && !ptr)
		return err_set(e, ERR_INVALID, "%zu %s are announced, but none are there", count,
			       what);
	return 0;
}

static int
ids_check(const char *what, struct str_list ids, struct err *e)
{
	int rc = count_check(what, ids.len, ids.ptr, e);

	for (size_t i = 0; rc == 0 && i < ids.len; i++)
		rc = id_check("a required id", ids.ptr[i], e);
	return rc;
}

static bool
requires_anything(const struct store_require *r)
{
	return r->lifecycles || r->idle || r->has_head || r->fence != 0 || r->pending.len > 0 ||
	       r->open_calls.len > 0 || r->has_queue;
}

static int
require_check(const struct store_require *r, struct err *e)
{
	int rc;

	if (r->absent && requires_anything(r))
		return err_set(e, ERR_INVALID,
			       "a session that must be absent has no state to require");
	if (r->lifecycles & ~(unsigned)LIFECYCLES_MASK)
		return err_set(e, ERR_INVALID, "required lifecycles: 0x%x names an unknown one",
			       r->lifecycles);
	if (r->fence < 0 || (r->has_head && r->head_seq < 0) ||
	    (r->has_max_waiting && r->max_waiting < 0) ||
	    (r->has_queue && (r->queue.count < 0 || r->queue.last_seq < 0)))
		return err_set(e, ERR_INVALID,
			       "a required fence, head or queue must not be negative");
	rc = ids_check("required inputs", r->pending, e);
	return rc == 0 ? ids_check("required calls", r->open_calls, e) : rc;
}

static int
event_envelope_check(const struct event *ev, struct err *e)
{
	int rc = id_check("an event id", ev->id, e);

	if (rc == 0)
		rc = optional_id_check("a turn id", ev->turn, e);
	if (rc == 0)
		rc = size_check("an event's meta", ev->meta.len, STORE_INLINE_MAX, e);
	if (rc == 0)
		rc = size_check("an event's payload", ev->payload.len, STORE_PAYLOAD_MAX, e);
	if (rc != 0)
		return rc;
	if (ev->seq != 0)
		return err_set(e, ERR_INVALID,
			       "seqs are assigned by the store, this event has %lld",
			       (long long)ev->seq);
	if ((unsigned)ev->kind >= EVENT_KINDS || (unsigned)ev->author > AUTHOR_SYSTEM)
		return err_set(e, ERR_INVALID, "an event of unknown kind or author");
	if (ev->created_at_ms <= 0)
		return err_set(e, ERR_INVALID, "an event without its instant");
	if (ev->payload.len == 0)
		return err_set(e, ERR_INVALID, "an event without payload");
	return 0;
}

static int
events_check(const struct store_item *item, struct err *e)
{
	int rc = count_check("events", item->event_count, item->events, e);
	bool creates;

	for (size_t i = 0; rc == 0 && i < item->event_count; i++) {
		rc = event_envelope_check(&item->events[i], e);
		if (rc == 0 && i > 0 && item->events[i].kind == EVENT_SESSION_CREATED)
			rc = err_set(e, ERR_INVALID, "session.created stands first or nowhere");
		if (rc != 0)
			return err_prefix(e, rc, "event %zu: ", i);
	}
	if (rc != 0)
		return rc;
	creates = item->event_count > 0 && item->events[0].kind == EVENT_SESSION_CREATED;
	if (creates != item->require.absent)
		return err_set(e, ERR_INVALID,
			       creates ? "session.created requires that the session is absent"
				       : "an absent session begins with session.created");
	return 0;
}

static int
lease_check(const struct store_item *item, struct err *e)
{
	switch (item->lease) {
	case STORE_LEASE_KEEP:
	case STORE_LEASE_TAKE:
	case STORE_LEASE_BREAK: return 0;
	case STORE_LEASE_RELEASE:
		if (item->require.fence == 0)
			return err_set(e, ERR_INVALID,
				       "only a holder releases a lease: the fence is missing");
		return 0;
	}
	return err_set(e, ERR_INVALID, "no such change of a lease: %d", (int)item->lease);
}

static int
put_check(const struct store_put *put, struct err *e)
{
	const struct store_record *r = &put->record;
	int rc = id_check("a record's kind", r->kind, e);

	if (rc == 0)
		rc = record_id_check(r->id, e);
	if (rc == 0)
		rc = optional_id_check("a record's owner", r->owner, e);
	if (rc == 0)
		rc = size_check("a record's body", r->body.len, STORE_PAYLOAD_MAX, e);
	if (rc != 0)
		return rc;
	if (put->if_version < STORE_VERSION_ANY)
		return err_set(e, ERR_INVALID, "no such version: %lld", (long long)put->if_version);
	if (r->due_at_ms < 0)
		return err_set(e, ERR_INVALID, "a record is due before the epoch");
	if (!put->remove && r->body.len == 0)
		return err_set(e, ERR_INVALID, "a record without body");
	return 0;
}

static int
key_name_check(enum store_key_kind kind, struct str scope, struct str name, struct err *e)
{
	if (kind != STORE_KEY_IDEMPOTENCY && kind != STORE_KEY_DEDUPE)
		return err_set(e, ERR_INVALID, "no such kind of key: %d", (int)kind);
	if (scope.len == 0 || scope.len > STORE_KEY_MAX || name.len == 0 ||
	    name.len > STORE_KEY_MAX)
		return err_set(e, ERR_INVALID, "a key's scope and name have 1 to %d bytes each",
			       STORE_KEY_MAX);
	return 0;
}

static int
key_check(const struct store_key *key, struct err *e)
{
	int rc = key_name_check(key->kind, key->scope, key->name, e);

	if (rc == 0)
		rc = size_check("a key's answer", key->answer.len, STORE_KEY_MAX, e);
	if (rc == 0 && key->expires_at_ms <= 0)
		rc = err_set(e, ERR_INVALID, "a key that never expires");
	return rc;
}

/* A key named twice would be found by its own item. */
static int
keys_check(const struct store_item *item, struct err *e)
{
	int rc = count_check("keys", item->key_count, item->keys, e);

	for (size_t i = 0; rc == 0 && i < item->key_count; i++) {
		const struct store_key *k = &item->keys[i];

		rc = key_check(k, e);
		for (size_t j = 0; rc == 0 && j < i; j++)
			if (k->kind == item->keys[j].kind && str_eq(k->name, item->keys[j].name) &&
			    str_eq(k->scope, item->keys[j].scope))
				rc = err_set(e, ERR_INVALID, "an item names a key twice");
	}
	return rc;
}

/* Records alone: nothing may speak of a session. */
static int
sessionless_check(const struct store_item *item, struct err *e)
{
	const struct store_require *r = &item->require;

	if (item->event_count > 0)
		return err_set(e, ERR_INVALID, "events without a session");
	if (r->absent || r->has_max_waiting || requires_anything(r))
		return err_set(e, ERR_INVALID, "preconditions without a session");
	if (item->lease != STORE_LEASE_KEEP)
		return err_set(e, ERR_INVALID, "a lease without a session");
	if (item->rest_kind.len > 0)
		return err_set(e, ERR_INVALID, "asks for the rest of no session");
	return 0;
}

static int
purge_check(const struct store_item *item, struct err *e)
{
	if (item->purge && (item->session.len == 0 || item->event_count > 0 || item->joined ||
			    item->lease != STORE_LEASE_KEEP || item->require.absent))
		return err_set(e, ERR_INVALID, "a session is purged by an item of its own");
	return 0;
}

static int
session_part_check(const struct store_item *item, struct err *e)
{
	int rc = session_id_check(item->session, e);

	if (rc == 0)
		rc = require_check(&item->require, e);
	if (rc == 0)
		rc = events_check(item, e);
	return rc == 0 ? lease_check(item, e) : rc;
}

static int
joined_check(const struct store_item *item, const struct store_item *joined, struct err *e)
{
	int rc;

	if (item->session.len == 0 || joined->session.len == 0)
		return err_set(e, ERR_INVALID, "both parts of a joined item need a session");
	if (str_eq(item->session, joined->session))
		return err_set(e, ERR_INVALID, "a session is joined to itself");
	if (joined->put_count + joined->key_count > 0 || joined->joined ||
	    joined->rest_kind.len > 0 || joined->purge)
		return err_set(
			e, ERR_INVALID,
			"a joined part has no records, no keys, no part of its own, and asks "
			"nothing");
	if (joined->event_count == 0 && joined->lease == STORE_LEASE_KEEP)
		return err_set(e, ERR_INVALID, "a joined part that changes nothing");
	rc = session_part_check(joined, e);
	return rc == 0 ? 0 : err_prefix(e, rc, "joined: ");
}

int
store_item_check(const struct store_item *item, struct err *e)
{
	int rc = item->session.len == 0 ? sessionless_check(item, e) : session_part_check(item, e);

	if (rc == 0)
		rc = count_check("records", item->put_count, item->puts, e);
	for (size_t i = 0; rc == 0 && i < item->put_count; i++)
		rc = put_check(&item->puts[i], e);
	if (rc == 0)
		rc = keys_check(item, e);
	if (rc == 0)
		rc = purge_check(item, e);
	if (rc == 0 && item->event_count + item->put_count + item->key_count == 0 &&
	    item->lease == STORE_LEASE_KEEP && !item->purge)
		rc = err_set(e, ERR_INVALID, "an item that changes nothing");
	if (rc == 0 && item->joined)
		rc = joined_check(item, item->joined, e);
	return rc;
}

bool
store_key_is_of(const struct store_key *found, const struct sha256 *request)
{
	return memcmp(&found->request, request, SHA256_BYTES / 2) == 0;
}

/* What only queries of this kind need. */
static int
query_subject_check(const struct store_query *q, struct err *e)
{
	int rc;

	switch (q->kind) {
	case STORE_GET_SESSION:
	case STORE_LIST_EVENTS:
	case STORE_LIST_PENDING:
	case STORE_LIST_QUEUE:
	case STORE_LIST_CALLS:
	case STORE_LIST_ITEMS: return session_id_check(q->session, e);
	case STORE_LIST_SESSIONS: return optional_id_check("a cursor's id", q->cursor_id, e);
	case STORE_LIST_CHANGES: return 0;
	case STORE_GET_RECORD:
		rc = id_check("a record's kind", q->record_kind, e);
		return rc == 0 ? record_id_check(q->record_id, e) : rc;
	case STORE_LIST_RECORDS: return id_check("a record's kind", q->record_kind, e);
	case STORE_FIND_KEY: return key_name_check(q->key_kind, q->key_scope, q->key_name, e);
	case STORE_SEARCH:
		if (str_trim(q->text).len == 0)
			return err_set(e, ERR_INVALID, "a search for nothing");
		return size_check("a search text", q->text.len, STORE_KEY_MAX, e);
	}
	return err_set(e, ERR_INVALID, "no such query: %d", (int)q->kind);
}

static bool
gives_one_row(enum store_query_kind kind)
{
	return kind == STORE_GET_SESSION || kind == STORE_GET_RECORD || kind == STORE_FIND_KEY;
}

int
store_query_check(const struct store_query *q, struct err *e)
{
	int rc = query_subject_check(q, e);

	if (rc == 0)
		rc = size_check("an id prefix", q->filter.id_prefix.len, STORE_ID_MAX, e);
	if (rc != 0)
		return rc;
	if (!gives_one_row(q->kind) && (q->limit < 1 || q->limit > STORE_PAGE_ROWS_MAX))
		return err_set(e, ERR_INVALID, "a page has 1 to %d rows, not %zu",
			       STORE_PAGE_ROWS_MAX, q->limit);
	if (q->after < 0 || q->before < 0)
		return err_set(e, ERR_INVALID, "a cursor must not be negative");
	if (q->kinds >> EVENT_KINDS)
		return err_set(e, ERR_INVALID, "an unknown kind of event is asked for");
	if (q->filter.lifecycles & ~(unsigned)LIFECYCLES_MASK)
		return err_set(e, ERR_INVALID, "an unknown lifecycle is asked for");
	return 0;
}

/* Takes its place among the answers that wait for store_dispatch. */
static void
refuse(struct store *s, struct store_refused r)
{
	struct store_refused *kept = xmalloc(sizeof *kept);

	*kept = r;
	if (s->refused_last)
		s->refused_last->next = kept;
	else
		s->refused = kept;
	s->refused_last = kept;
	if (s->owner.wakeup)
		s->owner.wakeup(s->owner.ctx);
}

/* Those that are known now: a callback may cause the next. */
static size_t
deliver_refused(struct store *s)
{
	struct store_refused *at = TAKE(s->refused), *next;
	size_t count = 0;

	s->refused_last = NULL;
	for (; at; at = next, count++) {
		next = at->next;
		if (at->appended)
			at->appended(at->ctx,
				     &(struct store_result){ .rc = at->err.code, .err = at->err });
		else
			at->read(at->ctx, at->err.code, false, &at->err);
		free(at);
	}
	return count;
}

void
store_drop_refused(struct store *s)
{
	for (struct store_refused *at = TAKE(s->refused), *next; at; at = next) {
		next = at->next;
		free(at);
	}
	s->refused_last = NULL;
}

void
store_append(struct store *s, const struct store_item *item, store_append_fn *done, void *ctx)
{
	struct err e UNSET;

	if (store_item_check(item, &e) != 0)
		refuse(s, (struct store_refused){ .appended = done, .ctx = ctx, .err = e });
	else
		s->ops->append(s, item, done, ctx);
}

void
store_read(struct store *s, const struct store_query *q, store_row_fn *row, store_read_fn *done,
	   void *ctx)
{
	struct err e UNSET;

	if (store_query_check(q, &e) != 0)
		refuse(s, (struct store_refused){ .read = done, .ctx = ctx, .err = e });
	else
		s->ops->read(s, q, row, done, ctx);
}

int64_t
store_change_head(const struct store *s)
{
	return s->change_head;
}

void
store_flush(struct store *s)
{
	if (s->ops->flush)
		s->ops->flush(s);
}

size_t
store_dispatch(struct store *s)
{
	size_t refused = deliver_refused(s);

	return refused + s->ops->dispatch(s);
}

bool
store_wait(struct store *s, int timeout_ms)
{
	return s->refused || s->ops->wait(s, timeout_ms);
}

int
store_health(struct store *s, struct err *e)
{
	return s->ops->health(s, e);
}

void
store_free(struct store **p)
{
	struct store *s = *p;

	if (!s)
		return;
	*p = NULL;
	deliver_refused(s);
	s->ops->free(s);
}
