/* head - the sessions the writer knows by heart: all of a session's row that a later event can
 * change, so that an append reads nothing and its row is written once per batch.
 *
 * The cache is bounded and only the writer thread touches it. What stands in it is what the open
 * transaction sees; when a batch fails, the heads it changed are forgotten and read again. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/list.h"
#include "base/map.h"
#include "core/projection.h"
#include "store/store.h"

enum { HEADS_MAX = 4096 };

/* Plain data: copied to undo an item. Titles are written through, they are only ever replaced. */
struct head_row {
	int64_t head_seq;
	struct sha256 head_hash;
	struct session_state state;
	enum stop_kind last_stop;
	bool deleted;
	bool has_fallback; /* a fallback title stands in the row */
	bool held;         /* by this incarnation; any other's lease is dead */
	int64_t fence;
	int64_t waiting;            /* pending triggers */
	int64_t queued, queue_from; /* pending inputs; none stands before that seq */
	int64_t turn_seq, attempt;
	struct session_counters counters;
	size_t turn_len, preview_len;
	char turn[STORE_ID_MAX];
	char preview[PREVIEW_BYTES];
};

struct head {
	int64_t sid;
	struct head_row row;
	bool dirty;         /* row differs from the table's; on the dirty list */
	struct list recent; /* on the cache's list, the most recently used last */
	struct head *next_dirty;
	size_t id_len;
	char id[STORE_ID_MAX];
};

struct head_cache {
	struct map by_id;
	struct list recent;
	struct head *dirty, *spare;
	size_t count;
};

struct tx;

void head_cache_init(struct head_cache *c);
void head_cache_release(struct head_cache *c);

/* From the cache or from the table; *out is NULL when there is no such session. Good until the next
 * head_cache_settle, head_cache_forget or head_drop. */
NODISCARD int head_find(struct tx *t, struct str id, struct head **out, struct err *e);
/* A head for a session that has no row yet. */
struct head *head_new(struct tx *t, struct str id, int64_t sid);
void head_drop(struct head_cache *c, struct head *h);

/* Its row is to be written with this batch. */
void head_touch(struct head_cache *c, struct head *h);
/* Writes the rows of all touched heads; they stay on the list until settle or forget. */
NODISCARD int head_cache_write(struct tx *t, struct err *e);
/* The batch is committed: touched heads are as their rows; the oldest beyond the bound go. */
void head_cache_settle(struct head_cache *c);
/* The batch has failed: touched heads are forgotten. */
void head_cache_forget(struct head_cache *c);

static inline struct str
head_turn(const struct head_row *r)
{
	return (struct str){ r->turn, r->turn_len };
}
