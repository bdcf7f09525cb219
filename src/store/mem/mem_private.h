/* mem_private - the state behind store/mem, shared by its parts: mem.c (life and dispatch),
 * append.c (one item), session.c (one log), purge.c, record.c, key.c, read.c, search.c. */
#pragma once
#include "base/list.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/replay.h"
#include "store/store_private.h"

struct mem_event {
	struct event ev;
	struct sha256 hash;
	int64_t change;
};

struct mem_session {
	struct store_session facts; /* as created; what later changes is filled in when asked */
	struct arena kept;          /* texts of facts and events */
	struct replay *replay;
	VEC(struct mem_event) events; /* seq n at n - 1 */
	struct map ids;               /* of the events, each the session itself */
	int64_t fence;
	struct str holder;                /* incarnation that took the lease; empty: nobody */
	const struct mem_session *parent; /* that it was forked from; NULL: none */
};

struct mem_record {
	struct store_record row;
	char bytes[];
};

/* The records of a kind, which are listed together. */
struct mem_kind {
	struct map records; /* id → mem_record */
	struct str name;
	char bytes[];
};

struct mem_key {
	struct store_key key;
	struct str name; /* its key in the map */
	struct str session;
	int64_t first_seq, head_seq; /* of the item that brought it */
	char bytes[];
};

/* Where the change with number n stands, at n - 1. */
struct mem_change {
	struct mem_session *session; /* NULL: it was purged */
	int64_t seq;
};

struct mem {
	struct store base;
	struct arena names; /* of incarnations */
	struct str incarnation;
	struct map sessions; /* id → mem_session */
	struct map kinds;    /* of records: name → mem_kind */
	struct map keys;
	int64_t newest_ms;       /* the time: of the newest event */
	int64_t first_expiry_ms; /* no key expires before this */
	VEC(struct mem_change) changes;
	struct list jobs; /* submitted, in order */
};

/* append.c: carries the item out or leaves no trace; returns what out->rc shall be. */
int mem_append(struct mem *m, const struct store_item *item, struct store_result *out);

/* read.c: one page. */
void mem_read(struct mem *m, const struct store_query *q, store_row_fn *row, void *ctx, bool *more);

/* A page being handed out. */
struct mem_page {
	const struct store_query *q;
	store_row_fn *row;
	void *ctx;
	size_t given;
	bool more;
};
/* False when the page ends here: it is full (and there is more), or the reader has enough. */
bool mem_page_give(struct mem_page *p, const struct store_row *row);
bool mem_page_give_event(struct mem_page *p, const struct mem_session *s, int64_t seq);

/* filter.c */
bool mem_filter_matches(const struct mem *m, const struct store_session_filter *f,
			const struct mem_session *s);

/* search.c */
void mem_search(struct mem *m, struct mem_page *p);

/* purge.c: may the session go? ERR_CONFLICT: not yet. */
NODISCARD int mem_purge_check(const struct mem *m, const struct mem_session *s, struct err *e);
void mem_purge(struct mem *m, struct mem_session *s);

/* session.c */
struct mem_session *mem_session_new(struct str id);
void mem_session_free(struct mem_session **s);
/* Adds copies of the events behind the log; on a refusal the session is as before. */
NODISCARD int mem_session_extend(const struct mem *m, struct mem_session *s,
				 const struct event *events, size_t count, struct err *e);
/* Takes the last events away again. */
void mem_session_cut(struct mem_session *s, size_t count);
/* The log that an entry of the transcript points into. */
const struct mem_session *mem_session_origin(const struct mem_session *s, int32_t depth);
/* Pending triggers. */
size_t mem_session_waiting(const struct mem_session *s);
bool mem_session_is_held(const struct mem_session *s, const struct mem *m);

/* record.c */
struct mem_record *mem_record_find(const struct mem *m, struct str kind, struct str id);
void mem_records_release(struct mem *m);
/* Would all of them go through, one after the other? */
NODISCARD int mem_records_check(const struct mem *m, const struct store_item *item, struct err *e);
bool mem_record_is_owned(const struct mem *m, struct str kind, struct str owner);
void mem_record_put(struct mem *m, const struct store_put *put);

/* key.c */
struct mem_key *
mem_key_find(const struct mem *m, enum store_key_kind kind, struct str scope, struct str name);
void mem_key_forget_session(struct mem *m, struct str session);
/* The item is in: time has passed with its events, and forgets keys. */
void mem_key_pass_time(struct mem *m, const struct store_item *item);
void mem_key_put(struct mem *m, const struct store_key *key, struct str session,
		 const struct store_result *result);
