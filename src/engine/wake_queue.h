/* wake_queue - the wakes of a session, as records: read, added, settled when their turn ends, cancelled.
 * A wake is written only together with what asked for it; engine/commit tells engine/wake, which looks
 * at the session when it is due (wake_due). */
#pragma once
#include "base/vec.h"
#include "core/wake_policy.h"
#include "engine/commit.h"

struct queued_wake {
	struct wake_item item;
	int64_t created_at_ms;
	int continues; /* of the directive that asked for it (core/directive_policy) */
	int64_t version;
};

struct wake_list {
	const struct queued_wake *ptr;
	size_t len;
};

typedef void wake_queue_fn(void *ctx, int rc, const struct err *err, const struct wake_list *wakes);
/* All wakes of a session, by id; texts and the list in a, which belongs to the job until done. */
void wake_queue_read(struct engine *en, struct str session, struct arena *a, wake_queue_fn *done,
		     void *ctx);
/* Those that are not among others, with their texts in another arena. */
struct wake_list wake_queue_less(struct wake_list wakes, struct wake_list others, struct arena *a);
/* Those that are due, in the order they run. */
struct wake_list wake_queue_due(struct wake_list wakes, struct arena *a, int64_t now_ms);
/* Those among ids. */
struct wake_list wake_queue_named(struct wake_list wakes, struct arena *a, struct str_list ids);
struct str_list wake_queue_ids(struct wake_list wakes, struct arena *a);

/* Adds a wake to the commit, unless one of known has its dedupe key. Its id is made here. */
void wake_queue_add(struct engine *en, struct commit *c, struct str session,
		    const struct queued_wake *wake, struct wake_list known);
/* Of a record, without the rest; texts in a. */
enum wake_priority wake_queue_priority(const struct store_record *r, struct arena *a);
/* What stands before the turn that they start: why it runs, for the model and for people. A session that
 * is inactive becomes active by it. */
void
wake_queue_announce(struct engine *en, struct commit *c, struct wake_list wakes, bool inactive);
/* With the terminal of the turn that they started. */
void wake_queue_settle(struct engine *en, struct commit *c, struct str session,
		       struct wake_list wakes, enum wake_turn turn);
/* A person wants nothing more of them. */
void wake_queue_cancel(struct commit *c, struct wake_list wakes);
