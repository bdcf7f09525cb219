#include "store/sqlite/chore.h"

#include "store/sqlite/key_purge.h"

static const int64_t NS_PER_MS = 1000000;

void
chore_init(struct chore *c, struct db *db, struct tx *tx, chore_index_fn *index)
{
	/* The last process may have left before the index was done: -1 is behind any log. */
	*c = (struct chore){ .db = db, .tx = tx, .index = index, .indexed_to = -1 };
	c->index_rests = c->purge_rests = c->sessions_rest = -1;
	c->sessions.db = db;
}

/* A full disk, or a reader in the way, is tried again later. After a failed sync nobody knows what
 * arrived, and asking again would be told a lie. */
static bool
is_fatal(int rc)
{
	return rc == ERR_IO || rc == ERR_CORRUPT;
}

static int
checkpoint_outcome(struct chore *c, int code, struct err *e)
{
	int rc;

	if (code == SQLITE_OK)
		return 0;
	rc = db_fail(c->db, code, "moving the log into the database failed", e);
	return is_fatal(rc) ? rc : 0;
}

int
chore_checkpoint(struct chore *c, int mode, struct err *e)
{
	return checkpoint_outcome(c, checkpoint_run(&c->checkpoint, c->db, mode), e);
}

/* ---- the search index ---- */

static bool
index_is_behind(const struct chore *c)
{
	return c->index && c->indexed_to < c->tx->last_change &&
	       c->index_rests < c->tx->last_change;
}

static int
index_step(struct chore *c, struct err *e)
{
	int64_t before = c->indexed_to;
	int rc = c->index(c->db, CHORE_INDEX_EVENTS, &c->indexed_to, e);

	/* Batches that were taken back leave gaps: its end may be before the last number. */
	if (rc != 0 || c->indexed_to == before)
		c->index_rests = c->tx->last_change;
	return is_fatal(rc) ? rc : 0;
}

static int
index_round(struct chore *c, int64_t now_ns, struct err *e)
{
	int rc = 0;

	if (!c->index_round && now_ns - c->round_ended_ns < CHORE_INDEX_EVERY_MS * NS_PER_MS)
		return 0;
	if (!c->index_round)
		c->index_goal = c->tx->last_change;
	c->index_round = index_is_behind(c);
	if (c->index_round)
		rc = index_step(c, e);
	if (c->indexed_to >= c->index_goal || c->index_rests >= c->index_goal)
		c->index_round = false;
	if (!c->index_round)
		c->round_ended_ns = now_ns;
	return rc;
}

/* ---- keys ---- */

static bool
keys_are_due(const struct chore *c)
{
	return c->tx->first_expiry_ms <= c->tx->newest_ms && c->purge_rests < c->tx->last_change;
}

static int
purge(struct chore *c, int64_t now_ns, struct err *e)
{
	int rc = key_purge_step(c->db, c->tx->newest_ms, CHORE_PURGE_KEYS, &c->tx->first_expiry_ms,
				e);

	c->purged_ns = now_ns;
	if (rc != 0)
		c->purge_rests = c->tx->last_change;
	return is_fatal(rc) ? rc : 0;
}

/* ---- sessions ---- */

static bool
sessions_are_due(const struct chore *c)
{
	return c->tx->purges && c->sessions_rest < c->tx->last_change;
}

static int
purge_sessions(struct chore *c, int64_t now_ns, struct err *e)
{
	bool blocked = false;
	int rc;

	if (now_ns < c->sessions_after_ns)
		return 0;
	rc = session_purge_step(&c->sessions, &c->tx->purges, &blocked, e);
	c->sessions_ns = now_ns;
	if (blocked)
		c->sessions_after_ns = now_ns + CHORE_BLOCKED_MS * NS_PER_MS;
	if (rc != 0)
		c->sessions_rest = c->tx->last_change;
	return is_fatal(rc) ? rc : 0;
}

/* ---- which of them ---- */

bool
chore_is_due(const struct chore *c)
{
	return checkpoint_need(&c->checkpoint) != CHECKPOINT_NONE || index_is_behind(c) ||
	       keys_are_due(c) || sessions_are_due(c);
}

int
chore_when_quiet(struct chore *c, int64_t now_ns, struct err *e)
{
	if (checkpoint_need(&c->checkpoint) != CHECKPOINT_NONE)
		return chore_checkpoint(c, SQLITE_CHECKPOINT_PASSIVE, e);
	if (index_is_behind(c))
		return index_step(c, e);
	if (keys_are_due(c))
		return purge(c, now_ns, e);
	return sessions_are_due(c) ? purge_sessions(c, now_ns, e) : 0;
}

int
chore_when_busy(struct chore *c, int64_t now_ns, struct err *e)
{
	int rc = 0;

	if (checkpoint_need(&c->checkpoint) == CHECKPOINT_NOW)
		rc = chore_checkpoint(c, SQLITE_CHECKPOINT_RESTART, e);
	if (rc == 0 && index_is_behind(c))
		rc = index_round(c, now_ns, e);
	if (rc == 0 && keys_are_due(c) && now_ns - c->purged_ns > CHORE_PURGE_EVERY_MS * NS_PER_MS)
		rc = purge(c, now_ns, e);
	if (rc == 0 && sessions_are_due(c) &&
	    now_ns - c->sessions_ns > CHORE_PURGE_EVERY_MS * NS_PER_MS)
		rc = purge_sessions(c, now_ns, e);
	return rc;
}

bool
chore_may_rest(const struct chore *c)
{
	return c->rested_change != c->tx->last_change || checkpoint_wants_cut(&c->checkpoint);
}

int
chore_rest(struct chore *c, struct err *e)
{
	c->rested_change = c->tx->last_change;
	db_shrink(c->db);
	if (!checkpoint_wants_cut(&c->checkpoint))
		return 0;
	return checkpoint_outcome(c, checkpoint_cut(&c->checkpoint, c->db), e);
}
