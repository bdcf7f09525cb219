/* work_policy - who may have an item of the work queue, and until when?
 *
 * A poll hands an item out; who acknowledges it within a few seconds prepares, and who sends
 * heartbeats holds it. Each heartbeat names the one before, so of two workers that both believe they
 * hold an item one is told that it does not. A lease that nobody extended ends by itself, and the
 * item is queued again if there is still something to execute. Pure and total. */
#pragma once
#include <stdbool.h>
#include "core/projection.h"
#include "core/work_item.h"

enum {
	WORK_TTL_S_DEFAULT = 60,
	WORK_TTL_S_MAX = 3600,
	WORK_RECLAIM_MS_DEFAULT = 5000,
	WORK_AGAIN_MS = 5000, /* after a worker gave up what is still to be done */
};

/* As who does somebody speak of an item? */
enum work_party {
	WORK_OPERATOR,
	WORK_EXECUTOR, /* the environment's own token: any of its workers */
	WORK_HOLDER,   /* the secret of the item's lease */
	WORK_FORMER,   /* the secret of a lease that is over */
};

/* ---- is there work? ---- */

struct work_facts {
	bool remote;     /* the environment's tools run elsewhere */
	bool over;       /* the session is deleted, archived or terminated */
	bool calls_wait; /* for a result that a client has to send */
};
enum work_need {
	WORK_NEED_NONE, /* leave what there is: a worker may stay for what comes next */
	WORK_NEED_ITEM, /* there must be one that is not stopped */
	WORK_NEED_STOP, /* whoever has it is to end */
};
/* queued: an item is open and no worker has acknowledged it. */
enum work_need work_policy_need(const struct work_facts *f, bool queued);

/* ---- polling ---- */

/* When may a poll have it? INT64_MAX: not before something happens. */
int64_t work_policy_free_ms(const struct work_item *item, int64_t reclaim_ms);
void work_policy_hand_out(struct work_item *item, struct str worker, const struct sha256 *token,
			  int64_t now_ms);

/* ---- what a worker says ---- */

enum work_answer {
	WORK_CHANGED, /* the item is another one now */
	WORK_SAME,    /* it was so already: nothing to write */
	WORK_LOST,    /* 412: somebody else's lease, or nobody's */
	WORK_REFUSED, /* 409: the state forbids it */
};
enum work_answer
work_policy_acknowledge(struct work_item *item, enum work_party by, int64_t now_ms);

struct work_heartbeat {
	bool has_expected;
	int64_t expected_ms; /* 0: the first one */
	int64_t ttl_ms;      /* 0: as before */
};
/* Of an item that is stopping or stopped nothing is compared: the worker reads there that it is to
 * end (WORK_SAME). */
enum work_answer work_policy_heartbeat(struct work_item *item, const struct work_heartbeat *beat,
				       enum work_party by, int64_t now_ms);
/* The operator asks a worker to end; a worker that says so has ended. force: at once. */
enum work_answer
work_policy_stop(struct work_item *item, enum work_party by, bool force, int64_t now_ms);

/* ---- what happens by itself ---- */

/* When the lease ends if nobody says anything; INT64_MAX: there is none. */
int64_t work_policy_lease_end_ms(const struct work_item *item);
/* The lease is over: queued again, or stopped when nothing is left to do. */
void work_policy_expire(struct work_item *item, bool calls_wait, int64_t now_ms);
