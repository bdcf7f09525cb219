#include "store/sqlite/search_index.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "core/event.h"
#include "store/store.h"

static const char CURSOR[] = "SELECT value FROM state WHERE name = 'indexed_to'";
static const char MOVE_CURSOR[] = "UPDATE state SET value = ?1 WHERE name = 'indexed_to'";
static const char LAST[] = "SELECT ifnull(max(n), 0) FROM event";
static const char NEXT[] = "SELECT n, kind, payload, blob FROM event"
			   " WHERE n > ?1 AND ?2 >> kind & 1 ORDER BY n LIMIT ?3";
static const char OF_SESSION[] = "SELECT n, kind, payload, blob FROM event"
				 " WHERE sid = ?1 AND seq <= ?2 AND n <= ?3 AND ?4 >> kind & 1";
static const char CHUNKS[] = "SELECT bytes FROM blob WHERE digest = ?1 ORDER BY chunk";
static const char INSERT[] = "INSERT INTO search (rowid, text) VALUES (?1, ?2)";
/* The index keeps no texts: whoever takes one out says what it was. */
static const char REMOVE[] = "INSERT INTO search (search, rowid, text) VALUES ('delete', ?1, ?2)";

static const uint64_t INDEXED_KINDS =
	UINT64_C(1) << EVENT_USER_MESSAGE | UINT64_C(1) << EVENT_AGENT_MESSAGE |
	UINT64_C(1) << EVENT_INPUT_EDITED | UINT64_C(1) << EVENT_AGENT_CONTEXT_COMPACTED;

struct step {
	struct db *db;
	struct arena scratch;
	struct buf payload, text;
	int64_t indexed_to;
	size_t count;
};

static int
one_number(struct db *db, const char *sql, int64_t *out)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(db, sql, &rc);

	if (!st)
		return rc;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*out = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return rc == SQLITE_ROW ? SQLITE_OK : rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
}

static int
run_bound(sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* The payload of the row st stands on, from its blob if it lives there. */
static int
fetch_payload(struct step *s, sqlite3_stmt *st, struct str *out)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *chunks;

	*out = (struct str){ sqlite3_column_blob(st, 2), (size_t)sqlite3_column_bytes(st, 2) };
	if (sqlite3_column_type(st, 3) == SQLITE_NULL)
		return SQLITE_OK;
	chunks = db_prepare(s->db, CHUNKS, &rc);
	if (!chunks)
		return rc;
	buf_clear(&s->payload);
	db_bind_blob(chunks, 1, sqlite3_column_blob(st, 3), (size_t)sqlite3_column_bytes(st, 3));
	while ((rc = sqlite3_step(chunks)) == SQLITE_ROW)
		buf_put(&s->payload, sqlite3_column_blob(chunks, 0),
			(size_t)sqlite3_column_bytes(chunks, 0));
	sqlite3_reset(chunks);
	*out = buf_str(&s->payload);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static void
add_text(struct step *s, struct json v)
{
	struct str text = json_str(v, &s->scratch);

	if (text.len == 0)
		return;
	if (s->text.len > 0)
		buf_putc(&s->text, '\n');
	buf_put_str(&s->text, text);
}

/* What people see of it; empty when that is nothing, or when the payload is damaged (`check` tells
 * that; the search goes on). */
static struct str
visible_text(struct step *s, struct str payload)
{
	static const struct json_limits LIMITS = { STORE_PAYLOAD_MAX, 64, 1000000 };
	struct json_doc doc;
	struct json v, text;
	struct err e;

	arena_reset(&s->scratch);
	buf_clear(&s->text);
	if (json_parse(&s->scratch, payload, &LIMITS, &doc, &e) != 0)
		return (struct str){ 0 };
	if (json_find(json_root(&doc), STR("summary"), &v))
		add_text(s, v);
	if (json_find(json_root(&doc), STR("content"), &v))
		for (struct json_iter it = json_iter(v); json_next(&it);)
			if (json_find(it.value, STR("text"), &text))
				add_text(s, text);
	return buf_str(&s->text);
}

static int
index_one(struct step *s, const char *sql, int64_t n, struct str text)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(s->db, sql, &rc);

	if (!st)
		return rc;
	sqlite3_bind_int64(st, 1, n);
	db_bind_text(st, 2, text);
	return run_bound(st);
}

static int
index_next(struct step *s, size_t max)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(s->db, NEXT, &rc);
	struct str payload, text;

	if (!st)
		return rc;
	sqlite3_bind_int64(st, 1, s->indexed_to);
	sqlite3_bind_int64(st, 2, (int64_t)INDEXED_KINDS);
	sqlite3_bind_int64(st, 3, (int64_t)max);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		s->indexed_to = sqlite3_column_int64(st, 0);
		s->count++;
		rc = fetch_payload(s, st, &payload);
		text = rc == SQLITE_OK ? visible_text(s, payload) : (struct str){ 0 };
		if (text.len > 0)
			rc = index_one(s, INSERT, s->indexed_to, text);
		if (rc != SQLITE_OK)
			break;
	}
	sqlite3_reset(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int
move_cursor(struct step *s)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(s->db, MOVE_CURSOR, &rc);

	if (!st)
		return rc;
	sqlite3_bind_int64(st, 1, s->indexed_to);
	return run_bound(st);
}

/* Inside the transaction. A short page has seen everything: the cursor goes to the log's end. */
static int
run_step(struct step *s, size_t max)
{
	int64_t from = 0;
	int rc = one_number(s->db, CURSOR, &from);

	s->indexed_to = from;
	if (rc == SQLITE_OK)
		rc = index_next(s, max);
	if (rc == SQLITE_OK && s->count < max)
		rc = one_number(s->db, LAST, &s->indexed_to);
	if (rc == SQLITE_OK && s->indexed_to > from)
		rc = move_cursor(s);
	if (rc == SQLITE_OK && FAILPOINT("search.before_commit"))
		rc = SQLITE_IOERR;
	return rc;
}

static void
step_init(struct step *s, struct db *writer)
{
	*s = (struct step){ .db = writer };
	arena_init(&s->scratch);
	buf_init(&s->payload, STORE_PAYLOAD_MAX);
	buf_init(&s->text, STORE_PAYLOAD_MAX);
}

static void
step_release(struct step *s)
{
	buf_release(&s->payload);
	buf_release(&s->text);
	arena_release(&s->scratch);
}

int
search_index_step(struct db *writer, size_t max, int64_t *indexed_to, struct err *e)
{
	struct step s;
	int rc = db_command(writer, "BEGIN IMMEDIATE");

	if (rc != SQLITE_OK)
		return db_fail(writer, rc, "begin to index", e);
	step_init(&s, writer);
	rc = run_step(&s, max < SEARCH_INDEX_STEP_MAX ? max : SEARCH_INDEX_STEP_MAX);
	if (rc == SQLITE_OK)
		rc = db_command(writer, "COMMIT");
	if (rc == SQLITE_OK)
		*indexed_to = s.indexed_to;
	else
		rc = db_fail(writer, rc, "index messages", e);
	if (rc != 0)
		db_command(writer, "ROLLBACK"); /* a failed COMMIT may have left it open */
	step_release(&s);
	return rc;
}

static int
remove_rows(struct step *s, sqlite3_stmt *st)
{
	struct str payload, text;
	int rc = SQLITE_OK;

	while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t n = sqlite3_column_int64(st, 0);

		rc = fetch_payload(s, st, &payload);
		text = rc == SQLITE_OK ? visible_text(s, payload) : (struct str){ 0 };
		if (text.len > 0)
			rc = index_one(s, REMOVE, n, text);
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int
search_index_forget(struct db *writer, int64_t sid, int64_t to_seq)
{
	int64_t indexed_to = 0;
	int rc = one_number(writer, CURSOR, &indexed_to);
	sqlite3_stmt *st = rc == SQLITE_OK ? db_prepare(writer, OF_SESSION, &rc) : NULL;
	struct step s;

	if (!st)
		return rc;
	sqlite3_bind_int64(st, 1, sid);
	sqlite3_bind_int64(st, 2, to_seq);
	sqlite3_bind_int64(st, 3, indexed_to);
	sqlite3_bind_int64(st, 4, (int64_t)INDEXED_KINDS);
	step_init(&s, writer);
	rc = remove_rows(&s, st);
	step_release(&s);
	sqlite3_reset(st);
	return rc;
}
