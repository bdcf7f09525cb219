/* schedule_private - the state behind engine/schedule, shared by its parts: schedule.c (what is due),
 * schedule_change.c (schedules made and changed), schedule_look.c (one look at one of them),
 * schedule_fire.c (a run begins), schedule_fate.c (how does it go?), schedule_end.c (it has ended). */
#pragma once
#include "core/schedule_plan.h"
#include "engine/commit.h"
#include "engine/schedule.h"

struct schedule {
	struct engine *en;
	struct map looks; /* by schedule: under way */
	struct host_timer *timer;
	int64_t armed_ms; /* when it is to fire; 0: it is not set */
	int64_t seen_ms;  /* what the clock showed when it fired last */
	struct schedule_scan *scan;
	bool scan_again, scan_all; /* once the scan that is under way is over */
};

/* What has become of the run that is open. */
struct schedule_fate {
	bool found;       /* its session is there ... */
	int64_t head_seq; /* ... so long */
	bool ended;       /* its turn has, or was never to be */
	bool cancelled;   /* it was taken back before a turn began */
	bool by_person;   /* an interrupt ended it */
	struct str turn;  /* empty: it waits for one */
	enum stop_kind stop;
	struct str error; /* the last one that its turn told of */
	struct buf said;  /* what the agent said, messages apart by a blank line */
};

/* One look at one schedule: what is read, decided and written. One at a time for each. */
struct schedule_look {
	struct schedule *part;
	struct engine *en;
	struct arena arena;
	struct str id, session;
	bool once_more; /* something happened meanwhile */
	int tries;
	bool found;
	int64_t version;
	struct json body;
	struct schedule_def def;
	const struct zone *zone;
	struct schedule_state state;
	struct schedule_plan plan;
	struct schedule_fate fate;
	struct schedule_report report; /* of a run that ends */
	void *own;                     /* of the part that works on it */
};

/* schedule.c */
void schedule_arm(struct schedule *s, int64_t due_ms); /* 0: never */
void schedule_look_over(struct schedule *s);
/* The zone of a schedule; UTC needs none. ERR_INVALID when there is none of that name. */
NODISCARD int
schedule_zone(struct engine *en, struct str name, const struct zone **out, struct err *e);
struct str schedule_session_id(struct arena *a, struct str schedule);

/* schedule_look.c */
void schedule_look(struct engine *en, struct str id);
/* Puts the schedule with l->state, due when the core says. */
void schedule_look_put(struct schedule_look *l, struct commit *c);
/* Puts the record of a run. */
void
schedule_look_report(struct schedule_look *l, struct commit *c, const struct schedule_report *r);
/* It is over: rc 0, or why it could not be done. ERR_CONFLICT: the schedule or its session moved on,
 * it is looked at again. */
void schedule_look_end(struct schedule_look *l, int rc, const struct err *err);

/* schedule_fire.c: what l->plan says. */
void schedule_fire(struct schedule_look *l);
/* The open run's time is over: its turn is interrupted, its trigger taken back. */
void schedule_stop(struct schedule_look *l);

/* schedule_fate.c: fills l->fate. */
typedef void schedule_fate_fn(struct schedule_look *l, int rc, const struct err *err);
void schedule_fate_read(struct schedule_look *l, schedule_fate_fn *done);

/* schedule_end.c: tells whom it may concern, writes the run's end. */
void schedule_end(struct schedule_look *l);
/* A run that could not begin. */
void schedule_end_unfired(struct schedule_look *l, const struct err *why);
