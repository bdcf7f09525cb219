/* store - the durable truth: append-only logs with their projections, records, keys and blobs.
 *
 * Asynchronous port. Calls return at once; answers arrive in store_dispatch, on the thread that owns
 * the store, in the order in which they became known. A callback never runs inside the call that
 * asked for it. Adapters: mem (tests, simulator), sqlite, later postgres; tests/contract holds for
 * all of them.
 *
 * What every adapter promises:
 * 1. An item is acknowledged (0) only when it is durable: committed and synced. An item that fails
 *    has left no trace. An outcome that cannot be known is ERR_UNAVAILABLE and is settled by
 *    repeating the item with the same key.
 * 2. Inside an item everything happens or nothing, in both sessions if it has a joined part. Items of
 *    one session take effect in the order submitted; items of a batch fail one by one.
 * 3. seq is dense from 1 and assigned in the transaction, like the chain hash and the change cursor.
 * 4. Projections (session row, transcript, queue, open calls) change in the same transaction and
 *    always equal core/replay of the log.
 * 5. Reads see every item acknowledged before they were asked for.
 * 6. After an error that leaves durability in doubt (a failed sync, corruption) the store writes
 *    nothing more: every later item fails with that error, reads go on where it is safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/sha256.h"
#include "base/str.h"
#include "core/event.h"
#include "core/projection.h"
#include "core/queue_policy.h"

enum {
	STORE_INLINE_MAX = 32 * 1024,         /* a larger payload moves to a blob, whole */
	STORE_PAYLOAD_MAX = 64 * 1024 * 1024, /* of one event */
	STORE_ITEM_EVENTS_MAX = 1024,
	STORE_ID_MAX = 200,
	STORE_RECORD_ID_MAX = 2 * STORE_ID_MAX + 1, /* two ids and what stands between */
	STORE_KEY_MAX = 1024, /* bytes of a key's scope, name and answer, each; of a search text */
	STORE_PAGE_ROWS_MAX = 1000,
};

struct store;

/* ---- appending ---- */

/* All of them are checked in the transaction; zero values check nothing. */
struct store_require {
	bool absent; /* the session must not exist yet (its first event is session.created) */
	unsigned lifecycles; /* bit set of 1 << enum lifecycle; else ERR_CONFLICT */
	bool idle;           /* no open turn and no pending trigger; else ERR_CONFLICT */
	bool has_head;       /* then head_seq must be the session's; else ERR_CONFLICT */
	int64_t head_seq;
	int64_t fence; /* appends of a turn: the live lease must be this one's; else ERR_CONFLICT */
	bool has_max_waiting; /* then at most so many triggers wait after it; else ERR_LIMIT */
	int64_t max_waiting;
	bool has_queue; /* then these must be the pending triggers; else ERR_CONFLICT */
	struct queue_mark queue;
	struct str_list
		pending; /* inputs (event ids) that must still be pending; else ERR_CONFLICT */
	struct str_list
		open_calls; /* calls (event ids) that must wait for an answer; else ERR_CONFLICT */
};

enum store_lease {
	STORE_LEASE_KEEP,
	STORE_LEASE_TAKE, /* with status_running: a new fence; ERR_CONFLICT while somebody alive holds it */
	STORE_LEASE_RELEASE, /* with the park or the terminal; needs require.fence */
	STORE_LEASE_BREAK,   /* an end from outside: a new fence, held by nobody */
};

/* A record of its own, not projected from a log: agents, tokens, lanes, wakes, outbox rows, ... */
struct store_record {
	struct str kind, id;
	struct str owner;  /* to list by; empty: none */
	int64_t due_at_ms; /* to list by; 0: none */
	struct str body;   /* JSON */
	int64_t version;   /* counts up from 1 with every change */
};
enum { STORE_VERSION_ANY = -1, STORE_VERSION_ABSENT = 0 };
struct store_put {
	struct store_record record; /* its version is ignored */
	int64_t if_version; /* the version it must have now, or one of the above; else ERR_CONFLICT */
	bool remove;
};

enum store_key_kind {
	STORE_KEY_IDEMPOTENCY, /* scope: principal, method and path */
	STORE_KEY_DEDUPE, /* scope: where the sender's own ids are unique (session, channel, schedule) */
};
/* Makes a repeat recognisable. A key that is there already stops the item: with the same request
 * hash the result is STORE_REPLAYED and hands back what was stored; with another ERR_MISMATCH. */
struct store_key {
	enum store_key_kind kind;
	struct str scope, name;
	struct sha256 request;
	struct str answer;     /* what a replay needs besides the seqs; at most 1 KiB */
	int64_t expires_at_ms; /* once an event of that instant or later is in, it is soon forgotten */
};

/* Does the request that a found key came with have this hash? An adapter may keep half of it. */
bool store_key_is_of(const struct store_key *found, const struct sha256 *request);

/* One all-or-nothing change. Everything it points to must stay until its callback. */
struct store_item {
	struct str session; /* empty: records only */
	struct store_require require;
	const struct event
		*events; /* seq 0; id, kind, author, created_at, turn, meta, payload set */
	size_t event_count;
	enum store_lease lease;
	const struct store_put *puts;
	size_t put_count;
	const struct store_key *keys;
	size_t key_count;
	/* The part of another session in the same change: its preconditions, events and lease; no
	 * records, no keys, nothing joined of its own. Its events come behind this part's. NULL: none. */
	const struct store_item *joined;
	/* The deleted session, all that belongs to its log and its keys go: it is not found any more
	 * once this is acknowledged, and its bytes are gone soon after. ERR_CONFLICT when it is not
	 * deleted, or while a fork of it is there. No events, no lease, nothing joined. */
	bool purge;
	/* A kind of records: does the session come to rest by this change (store_result.rests)? Empty:
	 * nobody asks. Not in a joined part. */
	struct str rest_kind;
};

enum {
	STORE_REPLAYED = 1
}; /* a key matched: nothing was written, the first answer is handed back */

/* What became of the joined part; all zero on replay, where the key's answer must tell. */
struct store_joined {
	int64_t first_seq, head_seq;
	struct sha256 head_hash;
	int64_t waiting, fence, change; /* as in struct store_result */
};

struct store_result {
	int rc; /* 0, STORE_REPLAYED or an ERR_* with its sentence in err */
	struct err err;
	int64_t first_seq; /* of the item's events (on replay: of the first item's) */
	int64_t head_seq;
	struct sha256 head_hash;
	int64_t waiting; /* triggers that wait behind the one that runs or runs next; not on replay */
	int64_t fence;   /* after STORE_LEASE_TAKE or BREAK */
	bool rests; /* no open turn, no pending trigger, and it owns no record of the rest_kind */
	int64_t change;             /* the change cursor behind its last event */
	struct str session, answer; /* on replay: of the first item; good during the callback */
	struct store_joined joined;
};
typedef void store_append_fn(void *ctx, const struct store_result *result);

/* Keys decide before preconditions: a repeat is a repeat although the state has moved on. Events that
 * break a rule of the log (what core/replay would refuse) are ERR_CONFLICT, a session that is not
 * there ERR_NOT_FOUND, an ill-formed item ERR_INVALID or ERR_TOO_LARGE. */
void store_append(struct store *s, const struct store_item *item, store_append_fn *done, void *ctx);

/* ---- reading ---- */

struct store_session {
	struct str id, agent_id, environment_id, workspace_id, lane_key; /* empty: none */
	struct str parent_id, previous_id;
	struct str source;
	struct str metadata; /* JSON as last written, like source: created with, or updated to */
	int64_t agent_version;
	bool group;
	int64_t created_at_ms;
	int64_t fence;
	bool lease_live; /* somebody alive holds it ... */
	bool lease_own;  /* ... and that is this process */
	struct session_row row;
};
struct store_event {
	struct str session;
	struct str agent; /* of the session; only of STORE_LIST_CHANGES */
	struct event ev;
	struct sha256 hash;
	int64_t processed_at_ms; /* 0: pending; created_at for what is no input */
	int64_t position; /* in the queue, of a pending trigger of STORE_LIST_EVENTS; 0: it is next */
	int64_t change;
};
/* A transcript entry with the event it points to and the one that holds its content. */
struct store_item_row {
	struct item_row item;
	struct event ev, content;
	struct str at_turn; /* of a user's entry: the turn that took it in; empty: none did */
};

/* A page goes on behind the last row of the page before; each kind says what names that row. */
enum store_query_kind {
	STORE_GET_SESSION, /* session */
	/* newest activity first, equal ones from the last id on, or the other way round if oldest_first;
	 * filter; behind (cursor_ms, cursor_id) */
	STORE_LIST_SESSIONS,
	STORE_LIST_EVENTS,  /* session; after/before seq, descending, kinds, limit */
	STORE_LIST_PENDING, /* session: its pending inputs in seq order; after */
	STORE_LIST_QUEUE, /* session: first its row, then what LIST_PENDING gives, of one instant */
	STORE_LIST_CALLS, /* session: the open turn's calls in seq order; after */
	/* session: the transcript in view, in model order or from its end if descending; all = marked
	 * ones too, but never what has no place yet; behind after_item */
	STORE_LIST_ITEMS,
	STORE_LIST_CHANGES, /* events of all sessions behind the change cursor after; kinds */
	STORE_GET_RECORD,   /* record kind and id */
	/* record kind, and owner if set: by id, from the last one on if descending, behind record_id;
	 * with due_until_ms those due up to then, by (due time, id), behind (after, record_id) */
	STORE_LIST_RECORDS,
	STORE_FIND_KEY, /* key: gives the stored answer */
	/* all words of text, in what people and agents said; newest first, before the change cursor;
	 * session, kinds and filter narrow it; may lag behind the log by a second */
	STORE_SEARCH,
};

/* Empty and zero members filter nothing. */
struct store_session_filter {
	struct str workspace_id, agent_id, id_prefix;
	struct str_list without_agents; /* none of theirs */
	int64_t agent_version;
	struct str participant; /* a user: there is a record participant "<session>/<user>" */
	struct str source_kind, platform;        /* of the session's source */
	struct str metadata_key, metadata_value; /* the metadata has this text under this key */
	struct str text;     /* in the title or the last message, letters of either case */
	unsigned lifecycles; /* bit set of 1 << enum lifecycle */
	unsigned phases;     /* bit set of 1 << enum turn_phase */
	bool deleted;        /* only those, found by an index */
	bool open_work; /* a turn is open or a trigger is pending: found by an index, for start-up */
	unsigned interactive, group; /* 1: only those, 2: only the others */
	int64_t active_since_ms, created_from_ms, created_until_ms; /* inclusive */
};
struct store_query {
	enum store_query_kind kind;
	struct str session;
	int64_t after, before; /* seqs, or a change cursor in after; 0: open end */
	bool descending, all;
	struct item_row after_item; /* the row as it was handed out; zero: from the top */
	uint64_t kinds;             /* bit set of 1 << enum event_kind; 0: any */
	struct store_session_filter filter;
	/* Keyset cursor of a session list: rows behind (last_activity_ms, id). id empty: from the top. */
	int64_t cursor_ms;
	struct str cursor_id;
	bool oldest_first;
	struct str record_kind, record_id, record_owner;
	int64_t due_until_ms;
	struct str key_scope, key_name;
	enum store_key_kind key_kind;
	struct str text;
	size_t limit; /* 1..STORE_PAGE_ROWS_MAX */
};
/* One row; the member that the query's kind names is set. Views are good during the call. */
struct store_row {
	const struct store_session *session;
	const struct store_event *event; /* events, changes, search */
	const struct input_row *input;
	const struct call_row *call;
	const struct store_item_row *item;
	const struct store_record *record;
	const struct store_key *key;
};
/* Called for each row, on a thread of the store's own: ctx belongs to the job until done is called.
 * Returning false ends the page early. */
typedef bool store_row_fn(void *ctx, const struct store_row *row);
/* On the owner's thread. rc 0 also when nothing was found; more: the limit cut the page. */
typedef void store_read_fn(void *ctx, int rc, bool more, const struct err *err);

/* The query is copied; its texts must stay until done. */
void store_read(struct store *s, const struct store_query *q, store_row_fn *row,
		store_read_fn *done, void *ctx);

/* ---- life ---- */

/* Called from any thread when store_dispatch has something to do; must only wake the owner. */
typedef void store_wakeup_fn(void *ctx);
/* Called in store_dispatch after a commit, before the item's own callback: sessions whose log grew,
 * also by other nodes (postgres). head 0: look for yourself. */
typedef void store_watch_fn(void *ctx, struct str session, int64_t head_seq);

/* Called in store_append, once until the next store_flush: the owner has more to do in this turn of its
 * loop and calls store_flush at the end of it, so that what it asked for leaves together: one lock,
 * one wake-up, one batch. */
typedef void store_later_fn(void *ctx);

struct store_owner {
	store_wakeup_fn *wakeup;
	store_watch_fn *watch;
	void *ctx;
	store_later_fn *later; /* NULL: items leave at once */
};

/* Hands over what store_append kept back; harmless when that is nothing. Dispatching does it too. */
void store_flush(struct store *s);
/* Delivers the answers that are known; returns how many. */
size_t store_dispatch(struct store *s);
/* Waits up to timeout_ms for something to dispatch, or not at all when everything that was asked for is
 * answered. For owners without a loop (tests, check). */
bool store_wait(struct store *s, int timeout_ms);
/* The change cursor behind the last event that this thread was told of, or that was there when the store
 * was opened; 0: there is none. */
int64_t store_change_head(const struct store *s);
/* 0, or the error after which the store stopped writing. */
int store_health(struct store *s, struct err *e);
/* Finishes what was submitted (its callbacks run, but may submit no more), syncs, closes. */
void store_free(struct store **s);
