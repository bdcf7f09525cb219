/* work_item - an item of an environment's work queue: as the wire shows one, and as a record keeps it.
 *
 * Shown: {id, type, state, environment_id, data:{type,id}, metadata, secret, created_at,
 * acknowledged_at, started_at, latest_heartbeat_at, stop_requested_at, stopped_at}. A record has
 * `lease` in place of `secret`: who holds the item, which nobody is shown. */
#pragma once
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/sha256.h"

enum work_state {
	WORK_QUEUED,   /* nobody has acknowledged it */
	WORK_STARTING, /* a worker has, and prepares */
	WORK_ACTIVE,   /* a worker executes, and says so in time */
	WORK_STOPPING, /* the worker is asked to end */
	WORK_STOPPED,  /* over; another item follows when there is more to do */
};

enum { WORK_WORKER_MAX = 256 }; /* bytes of what a worker calls itself */

struct work_item {
	struct str id, environment_id, session_id;
	struct str metadata; /* JSON object */
	enum work_state state;
	/* 0: not yet */
	int64_t created_ms, acknowledged_ms, started_ms, heartbeat_ms, stop_requested_ms,
		stopped_ms;
	/* the lease */
	int64_t not_before_ms; /* no poll takes it earlier */
	int64_t handed_ms;     /* when a poll took it; 0: nobody has it */
	int64_t claim;         /* so many polls took it: the last one's is the lease */
	int64_t ttl_ms;
	struct str worker;            /* the last one's name; may be empty */
	struct sha256 token, earlier; /* digests: of the lease's secret, and of the one before */
};

/* "queued", … */
const char *work_state_name(enum work_state s);

/* A record's body; texts stay in the document or in a. ERR_CORRUPT when it is none. */
NODISCARD int work_item_read(struct json v, struct arena *a, struct work_item *out, struct err *e);
struct str work_item_write(const struct work_item *item, struct arena *a);

/* The wire's object; secret empty: null. */
void work_item_show(const struct work_item *item, struct str secret, struct jw *w);
/* The answer to a heartbeat: a lease is extended as long as the item is active. */
void work_item_show_heartbeat(const struct work_item *item, struct jw *w);
/* What a worker is told that has lost it: {last_heartbeat, lease_extended, state, ttl_seconds}. */
void work_item_show_lease(const struct work_item *item, struct jw *w);
