#include "store/sqlite/session_purge.h"

#include "base/failpoint.h"
#include "store/sqlite/search_index.h"

enum { WIPE_NOTHING, WIPE_INDEX, WIPE_LOG }; /* state 'wipe' */

/* ---- the item ---- */

static int
session_purge_check(struct tx *t, const struct head *head, struct err *e)
{
	sqlite3_stmt *st;
	bool inherited;
	int rc;

	if (!head->row.deleted)
		return err_set(e, ERR_CONFLICT, "only a deleted session is purged");
	st = tx_prepare(t, "SELECT 1 FROM inherited INDEXED BY inherited_by_origin"
			   " WHERE from_sid=?1 LIMIT 1");
	sqlite3_bind_int64(st, 1, head->sid);
	rc = tx_exists(t, st, &inherited, e);
	if (rc == 0 && inherited)
		return err_set(e, ERR_CONFLICT, "a branch of the session is still there");
	return rc;
}

int
session_purge_begin(struct tx *t, const struct head *head, struct err *e)
{
	static const char *const STEPS[] = {
		"DELETE FROM inherited WHERE sid=?1",
		"DELETE FROM session WHERE sid=?1",
		"INSERT INTO purge (sid) VALUES (?1)",
		"UPDATE state SET value=1 WHERE name='wipe' AND ?1 > 0",
	};
	int rc = session_purge_check(t, head, e);

	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(STEPS); i++) {
		sqlite3_stmt *st = tx_prepare(t, STEPS[i]);

		sqlite3_bind_int64(st, 1, head->sid);
		rc = tx_run(t, st, e);
	}
	t->purges = true; /* if the batch fails there is nothing to be found */
	return rc;
}

/* ---- one slice ---- */

/* One statement with up to three numbers; *changed: how many rows. */
static int
session_purge_run(struct db *db, const char *sql, const int64_t numbers[3], int *changed)
{
	int code = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(db, sql, &code);

	if (!st)
		return code;
	for (int i = 0; i < sqlite3_bind_parameter_count(st); i++)
		sqlite3_bind_int64(st, i + 1, numbers[i]);
	code = sqlite3_step(st);
	sqlite3_reset(st);
	if (changed)
		*changed = sqlite3_changes(db->handle);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* The first number of the first row; -1 when there is none. */
static int
session_purge_number(struct db *db, const char *sql, int64_t bound, int64_t *out)
{
	int code = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(db, sql, &code);

	*out = -1;
	if (!st)
		return code;
	if (sqlite3_bind_parameter_count(st) > 0)
		sqlite3_bind_int64(st, 1, bound);
	code = sqlite3_step(st);
	if (code == SQLITE_ROW && sqlite3_column_type(st, 0) != SQLITE_NULL)
		*out = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static const char NEXT_EVENTS[] = "SELECT seq, n, length(payload) FROM event WHERE sid=?1"
				  " ORDER BY seq LIMIT ?2";

/* How far the slice goes: the last seq in it, 0 when no event is left, and the largest n. */
static int
session_purge_bound(struct session_purge *p, int64_t sid, int64_t *to_seq, int64_t *last_change)
{
	int code = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(p->db, NEXT_EVENTS, &code);
	int64_t bytes = 0;

	*to_seq = *last_change = 0;
	if (!st)
		return code;
	sqlite3_bind_int64(st, 1, sid);
	sqlite3_bind_int64(st, 2, SESSION_PURGE_EVENTS);
	while (bytes < SESSION_PURGE_BYTES && (code = sqlite3_step(st)) == SQLITE_ROW) {
		*to_seq = sqlite3_column_int64(st, 0);
		if (sqlite3_column_int64(st, 1) > *last_change)
			*last_change = sqlite3_column_int64(st, 1);
		bytes += sqlite3_column_int64(st, 2);
	}
	sqlite3_reset(st);
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Numbers of purged events must not come back: batch_init goes on behind the last one. */
static int
session_purge_events(struct session_purge *p, int64_t sid, bool *some)
{
	static const char *const STEPS[] = {
		"INSERT OR IGNORE INTO purge_blob SELECT blob FROM event"
		" WHERE sid=?1 AND seq<=?2 AND blob IS NOT NULL",
		"DELETE FROM event WHERE sid=?1 AND seq<=?2",
		"DELETE FROM purge_blob WHERE EXISTS (SELECT 1 FROM event"
		" INDEXED BY event_by_blob WHERE blob=purge_blob.digest AND blob IS NOT NULL)",
		"INSERT INTO state VALUES ('purged_to', ?3) ON CONFLICT (name) DO UPDATE"
		" SET value=max(value, excluded.value)",
	};
	int64_t numbers[3] = { sid };
	int code = session_purge_bound(p, sid, &numbers[1], &numbers[2]);

	*some = numbers[1] > 0;
	if (code != SQLITE_OK || !*some)
		return code;
	code = search_index_forget(p->db, sid, numbers[1]);
	for (size_t i = 0; code == SQLITE_OK && i < ARRAY_LEN(STEPS); i++)
		code = session_purge_run(p->db, STEPS[i], numbers, NULL);
	return code;
}

static int
session_purge_projections(struct session_purge *p, int64_t sid, bool *some)
{
	static const char *const TABLES[] = {
		"DELETE FROM item WHERE sid=?1 AND at_seq <= (SELECT max(at_seq) FROM"
		" (SELECT at_seq FROM item WHERE sid=?1 ORDER BY at_seq LIMIT ?2))",
		"DELETE FROM call WHERE sid=?1 AND seq <= (SELECT max(seq) FROM"
		" (SELECT seq FROM call WHERE sid=?1 ORDER BY seq LIMIT ?2))",
		"DELETE FROM edit WHERE sid=?1 AND seq <= (SELECT max(seq) FROM"
		" (SELECT seq FROM edit WHERE sid=?1 ORDER BY seq LIMIT ?2))",
	};
	const int64_t numbers[3] = { sid, SESSION_PURGE_ROWS };
	int code = SQLITE_OK, changed = 0;

	for (size_t i = 0; code == SQLITE_OK && changed == 0 && i < ARRAY_LEN(TABLES); i++)
		code = session_purge_run(p->db, TABLES[i], numbers, &changed);
	*some = changed > 0;
	return code;
}

/* Keys know their session but are not listed by it: a lookup with every message would cost more than to
 * look at all of them once. */
static int
session_purge_keys(struct session_purge *p, int64_t sid, bool *some)
{
	static const char LAST[] = "SELECT max(rowid) FROM (SELECT rowid FROM key WHERE rowid > ?1"
				   " ORDER BY rowid LIMIT 5000)";
	int64_t to;
	int code;

	_Static_assert(SESSION_PURGE_KEYS == 5000, "as in the statement");
	if (p->key_sid != sid)
		p->key_row = 0;
	p->key_sid = sid;
	code = session_purge_number(p->db, LAST, p->key_row, &to);
	*some = to >= 0;
	if (code != SQLITE_OK || !*some)
		return code;
	code = session_purge_run(p->db,
				 "DELETE FROM key WHERE rowid > ?1 AND rowid <= ?2 AND sid=?3",
				 (int64_t[3]){ p->key_row, to, sid }, NULL);
	if (code == SQLITE_OK)
		p->key_row = to;
	return code;
}

static int
session_purge_session(struct session_purge *p, int64_t sid)
{
	bool some;
	int code = session_purge_events(p, sid, &some);

	if (code == SQLITE_OK && !some)
		code = session_purge_projections(p, sid, &some);
	if (code == SQLITE_OK && !some)
		code = session_purge_keys(p, sid, &some);
	if (code != SQLITE_OK || some)
		return code;
	p->key_sid = 0;
	return session_purge_run(p->db, "DELETE FROM purge WHERE sid=?1", (int64_t[3]){ sid },
				 NULL);
}

/* The last chunks first: whoever stores the same bytes again meanwhile writes all of them anew. */
static int
session_purge_blob(struct session_purge *p, bool *some)
{
	static const char CHUNKS[] =
		"DELETE FROM blob WHERE digest=(SELECT digest FROM purge_blob LIMIT 1) AND chunk >"
		" (SELECT max(chunk) FROM blob WHERE digest=(SELECT digest FROM purge_blob LIMIT "
		"1))"
		" - ?1";
	static const char DONE[] =
		"DELETE FROM purge_blob WHERE digest=(SELECT digest FROM purge_blob LIMIT 1)";
	const int64_t numbers[3] = { SESSION_PURGE_CHUNKS };
	int changed = 0;
	int code = session_purge_run(p->db, CHUNKS, numbers, &changed);

	*some = changed > 0;
	if (code != SQLITE_OK || *some)
		return code;
	code = session_purge_run(p->db, DONE, numbers, &changed);
	*some = changed > 0;
	return code;
}

/* ---- what deleting leaves ---- */

/* Entries taken out of the index stay in its older segments until these are merged. */
static int
session_purge_merge(struct session_purge *p)
{
	static const char MERGE[] = "INSERT INTO search (search, rank) VALUES ('merge', ?1)";
	int before = sqlite3_total_changes(p->db->handle);
	int code =
		session_purge_run(p->db, MERGE, (int64_t[3]){ -SESSION_PURGE_MERGE_PAGES }, NULL);

	/* FTS5: fewer than two changes, and there was nothing left to merge */
	if (code == SQLITE_OK && sqlite3_total_changes(p->db->handle) - before < 2)
		code = session_purge_run(p->db, "UPDATE state SET value=2 WHERE name='wipe'", NULL,
					 NULL);
	return code;
}

/* The log's file ends empty, not only begun anew: what it held was the rows. */
static int
session_purge_empty_log(struct session_purge *p, bool *blocked)
{
	int code = sqlite3_wal_checkpoint_v2(p->db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
					     NULL);

	*blocked = code == SQLITE_BUSY;
	if (code != SQLITE_OK)
		return *blocked ? SQLITE_OK : code;
	/* Cached pages are as they were before page_scrub: the next change would log them so. */
	sqlite3_db_release_memory(p->db->handle);
	return session_purge_run(p->db, "UPDATE state SET value=0 WHERE name='wipe' AND value=2",
				 NULL, NULL);
}

/* ---- which of them ---- */

static int
session_purge_slice(struct session_purge *p, int64_t sid, bool *some)
{
	int code = db_command(p->db, "BEGIN IMMEDIATE");

	*some = true;
	if (code == SQLITE_OK)
		code = sid > 0 ? session_purge_session(p, sid) : session_purge_blob(p, some);
	if (code == SQLITE_OK && FAILPOINT("session_purge.before_commit"))
		code = SQLITE_FULL;
	if (code == SQLITE_OK)
		code = db_command(p->db, "COMMIT");
	if (code != SQLITE_OK && !sqlite3_get_autocommit(p->db->handle))
		db_command(p->db, "ROLLBACK"); /* the next BEGIN would tell */
	return code;
}

static const char WIPE[] = "SELECT value FROM state WHERE name='wipe'";

static int
session_purge_wipe(struct session_purge *p, bool *due, bool *blocked)
{
	int64_t wipe;
	int code = session_purge_number(p->db, WIPE, 0, &wipe);

	*due = wipe > WIPE_NOTHING;
	if (code == SQLITE_OK && wipe == WIPE_INDEX)
		code = session_purge_merge(p);
	else if (code == SQLITE_OK && wipe == WIPE_LOG)
		code = session_purge_empty_log(p, blocked);
	return code;
}

static const char NEXT_SESSION[] = "SELECT sid FROM purge ORDER BY sid LIMIT 1";

int
session_purge_step(struct session_purge *p, bool *due, bool *blocked, struct err *e)
{
	bool some = false;
	int64_t sid;
	int code = session_purge_number(p->db, NEXT_SESSION, 0, &sid);

	*due = true;
	*blocked = false;
	if (code == SQLITE_OK)
		code = session_purge_slice(p, sid, &some);
	if (code == SQLITE_OK && !some)
		code = session_purge_wipe(p, due, blocked);
	return code == SQLITE_OK ? 0 : db_fail(p->db, code, "purge a deleted session", e);
}

int
session_purge_find(struct db *writer, bool *due, struct err *e)
{
	static const char ANY[] = "SELECT (SELECT value FROM state WHERE name='wipe') > 0"
				  " OR EXISTS (SELECT 1 FROM purge)"
				  " OR EXISTS (SELECT 1 FROM purge_blob)";
	int64_t any;
	int code = session_purge_number(writer, ANY, 0, &any);

	if (code != SQLITE_OK)
		return db_fail(writer, code, "look for purged sessions", e);
	*due = any > 0;
	return 0;
}
