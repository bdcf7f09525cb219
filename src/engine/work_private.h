/* work_private - the state behind engine/work, shared by its parts: work.c (what is open, and until
 * when), work_change.c (items made and changed), work_poll.c (who waits), work_look.c (does a session
 * need one?), work_load.c (the start), work_purge.c (what is old goes). */
#pragma once
#include "engine/record_change.h"
#include "engine/work.h"

/* The queue of one environment. Lives while it has items or waits, or was polled lately. */
struct work_queue {
	struct work *work;
	struct str environment; /* behind the struct */
	struct list entries;    /* open, oldest first */
	struct list waits;      /* first come, first served */
	struct list served;     /* about to have an item, or to be told that there is none */
	struct list polls;      /* who polled lately */
};

/* An item that is open, or was until lately: its secret is told so for a while. */
struct work_entry {
	struct work_queue *queue; /* NULL: stopped */
	struct list node;         /* in queue->entries */
	struct arena arena;       /* the texts */
	struct work_item item;    /* as committed */
	int64_t version;
	struct str token_id, earlier_id; /* of its secrets: "<item>/<claim>" */
	bool claiming;                   /* a poll is about to have it */
	int64_t forget_ms;               /* stopped: gone from then on */
};

struct work {
	struct engine *en;
	struct map queues;   /* by environment */
	struct map entries;  /* by item */
	struct map sessions; /* their open entries */
	struct map secrets;  /* the entries, by the first bytes of digests */
	struct map looks;    /* by session: under way */
	struct host_timer *timer;
	int64_t due_ms; /* when it fires; INT64_MAX: never */
	struct work_scan *scan;
	bool purging;
	int64_t purge_after_ms; /* not earlier */
};

/* work.c */
struct work_queue *work_queue_find(struct work *w, struct str environment); /* NULL: none */
struct work_queue *work_queue_get(struct work *w, struct str environment);
void work_queue_settle(struct work_queue *q);
/* The item is this from now on; older news of it are not. */
void work_apply(struct work *w, const struct work_item *item, int64_t version);
/* Something has to be looked at then. */
void work_due(struct work *w, int64_t at_ms);

/* work_change.c: the engine's own changes; done never comes from inside. */
void work_create(struct engine *en, struct str environment, struct str session,
		 int64_t not_before_ms, const struct engine_call *call);
void work_expire(struct engine *en, struct engine_work item, bool calls_wait,
		 const struct engine_call *call);
/* Whatever its state. */
void work_end(struct engine *en, struct engine_work item, const struct engine_call *call);
/* The answer holds the secret; ERR_CONFLICT: somebody was quicker. */
void work_hand_out(struct engine *en, struct engine_work item, const struct engine_poll *poll,
		   const struct engine_call *call);

/* work_poll.c */
void work_serve(struct work_queue *q);
void work_end_waits(struct work_queue *q);
/* Forgets who polled too long ago; INT64_MAX: nobody is left, else when to ask again. */
int64_t work_forget_polls(struct work_queue *q, int64_t now_ms);

/* work_look.c: does the session need an item, or none any more? again: one was stopped just now. */
void work_look(struct engine *en, struct str session, bool again);
/* work_load.c: a session that the start found has been looked at. */
void work_scan_next(struct work *w);
