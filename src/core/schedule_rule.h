/* schedule_rule - when is a schedule due: its next slot, the slots missed while nobody looked, and
 * the wait after failed runs.
 * A slot is the instant a run is due by the rule, never the instant it was noticed; a schedule runs
 * each slot at most once. Pure. Instants are ms since the epoch, UTC. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "core/cron.h"
#include "core/zone.h"

enum schedule_kind { SCHEDULE_CRON, SCHEDULE_AT, SCHEDULE_EVERY };

struct schedule_rule {
	enum schedule_kind kind;
	struct cron cron;    /* SCHEDULE_CRON */
	int64_t at_ms;       /* SCHEDULE_AT: the one slot; SCHEDULE_EVERY: the first */
	int64_t interval_ms; /* SCHEDULE_EVERY: elapsed time, whatever the wall shows */
};

/* Which of the slots that passed unseen still run. */
enum schedule_missed {
	SCHEDULE_MISSED_SKIP,   /* none, unless it is barely late */
	SCHEDULE_MISSED_LATEST, /* the last one */
	SCHEDULE_MISSED_ALL     /* the last n, oldest first */
};
struct schedule_catch_up {
	enum schedule_missed policy;
	size_t limit;     /* n of SCHEDULE_MISSED_ALL, 1..SCHEDULE_CATCH_UP_MAX */
	int64_t grace_ms; /* a slot not older than this was not missed: a timer is never exact */
};

enum { SCHEDULE_CATCH_UP_MAX = 100 };
static const int64_t SCHEDULE_INTERVAL_MIN_MS = 1000;

/* Each fills *out; on error *out is untouched. */
NODISCARD int schedule_rule_cron(struct schedule_rule *out, struct str expression, struct err *e);
NODISCARD int schedule_rule_every(struct schedule_rule *out, int64_t interval_ms, int64_t first_ms,
				  struct err *e);
struct schedule_rule schedule_rule_at(int64_t at_ms);

/* The first slot after after_ms; false when none comes. The zone matters to cron alone. */
bool schedule_rule_next(const struct schedule_rule *r, const struct zone *z, int64_t after_ms,
			int64_t *out_ms);

/* The slots in (last_ms, now_ms] that are to run now, oldest first; returns how many. last_ms is
 * the newest slot already decided on, or the schedule's creation. The caller's next last_ms is
 * now_ms, whatever the policy chose. */
size_t schedule_rule_due(const struct schedule_rule *r, const struct zone *z,
			 const struct schedule_catch_up *how, int64_t last_ms, int64_t now_ms,
			 int64_t slots_ms[SCHEDULE_CATCH_UP_MAX]);

/* The wait after so many failed runs in a row: none, 30 s, 1 min, 5 min, 15 min, then 1 h. */
int64_t schedule_backoff_ms(unsigned failures);
/* When the next run may start: its slot, but not before the wait since the last end is over. */
int64_t schedule_start_ms(int64_t slot_ms, int64_t ended_ms, unsigned failures);
