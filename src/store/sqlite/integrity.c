#include "store/sqlite/integrity.h"

#include <stdio.h>

#include "base/sha256.h"
#include "store/sqlite/column.h"
#include "store/sqlite/db.h"
#include "store/sqlite/schema.h"

enum { WHAT_BYTES = 512 };

struct integrity {
	struct db db;
	integrity_found_fn *found;
	void *ctx;
	struct sha256_ctx hash;
};

/* One row of a query that names its problem itself: session, seq, text. */
static void
found_row(struct integrity *g, sqlite3_stmt *st)
{
	struct column c = { .st = st };
	struct str session = column_text(&c);
	int64_t seq = column_int(&c);
	struct str text = column_text(&c);
	char what[WHAT_BYTES];

	snprintf(what, sizeof what, STR_FMT, STR_ARG(text));
	g->found(g->ctx, session, seq, what);
}

/* Every row of the query is a problem. */
static const char *const QUERIES[] = {
	/* SQLite's own opinion of its file, without the row that says ok */
	"SELECT NULL, 0, 'the file: ' || integrity_check FROM pragma_integrity_check(100)"
	" WHERE integrity_check <> 'ok'",
	"SELECT s.id, 0, 'waiting: stored ' || s.waiting || ', but ' || count(e.n) ||"
	" ' triggers are pending' FROM session s LEFT JOIN event e ON e.sid = s.sid"
	" AND (e.processed IS NULL) = 1 AND json_valid(e.meta)"
	" AND json_extract(e.meta, '$.class') = 'trigger' GROUP BY s.sid"
	" HAVING s.waiting <> count(e.n)",
	"SELECT s.id, 0, 'queued: stored ' || s.queued || ' from seq ' || s.queue_from ||"
	" ' on, but ' || count(e.n) || ' inputs are pending from ' || ifnull(min(e.seq), 0) ||"
	" ' on' FROM session s LEFT JOIN event e ON e.sid = s.sid"
	" AND (e.processed IS NULL) = 1 GROUP BY s.sid"
	" HAVING s.queued <> count(e.n) OR min(e.seq) < s.queue_from",
};

/* Rows without a session, in the schemas before the one that purges, and since: what waits for its purge is
 * no problem. */
#define ORPHANS(purged, purged_blob)                                                               \
	{                                                                                          \
		"SELECT NULL, seq, 'an event of no session (sid ' || sid || ')' FROM event"        \
		" WHERE sid NOT IN (SELECT sid FROM session)" purged,                              \
			"SELECT NULL, seq, 'a transcript entry of no session (sid ' || sid || ')'" \
			" FROM item WHERE sid NOT IN (SELECT sid FROM session)" purged,            \
			"SELECT NULL, seq, 'a call of no session (sid ' || sid || ')' FROM call"   \
			" WHERE sid NOT IN (SELECT sid FROM session)" purged,                      \
			"SELECT NULL, seq, 'an edit of no session (sid ' || sid || ')' FROM edit"  \
			" WHERE sid NOT IN (SELECT sid FROM session)" purged,                      \
			"SELECT NULL, 0, count(*) || ' blobs that no event refers to, the first "  \
			"is ' ||"                                                                  \
			" lower(hex(substr(min(digest), 1, 8))) || '...' FROM blob WHERE chunk = " \
			"0"                                                                        \
			" AND digest NOT IN (SELECT blob FROM event WHERE blob IS NOT "            \
			"NULL)" purged_blob " HAVING count(*) > 0",                                \
	}
static const char *const ORPHANS_UNPURGED[] = ORPHANS("", "");
static const char *const ORPHANS_PURGED[] =
	ORPHANS(" AND sid NOT IN (SELECT sid FROM purge)",
		" AND digest NOT IN (SELECT digest FROM purge_blob)");

static int
run_query(struct integrity *g, const char *sql, struct err *e)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(&g->db, sql, &rc);

	if (st) {
		while ((rc = sqlite3_step(st)) == SQLITE_ROW)
			found_row(g, st);
		sqlite3_reset(st);
	}
	return rc == SQLITE_DONE ? 0 : db_fail(&g->db, rc, "check the database", e);
}

/* One blob while its chunks come by. */
struct blob {
	struct sha256 digest;
	int64_t chunks;
	bool gap;
};

static void
end_blob(struct integrity *g, const struct blob *b)
{
	struct sha256 sum = sha256_end(&g->hash);
	char hex[SHA256_HEX + 1], what[WHAT_BYTES];

	if (!b->gap && memcmp(&sum, &b->digest, sizeof sum) == 0)
		return;
	sha256_hex(&b->digest, 8, hex);
	snprintf(what, sizeof what, "blob %s...: %s", hex,
		 b->gap ? "a chunk is missing" : "its bytes do not match its digest");
	g->found(g->ctx, (struct str){ 0 }, 0, what);
}

static const char CHUNKS[] = "SELECT digest, chunk, bytes FROM blob ORDER BY digest, chunk";
static const char KEPT_CHUNKS[] =
	"SELECT digest, chunk, bytes FROM blob WHERE digest NOT IN (SELECT digest FROM purge_blob)"
	" ORDER BY digest, chunk";

static void
next_chunk(struct integrity *g, struct blob *b, sqlite3_stmt *st)
{
	struct column c = { .st = st };
	struct sha256 digest = { 0 };
	struct str bytes;
	int64_t chunk;

	column_hash(&c, &digest);
	chunk = column_int(&c);
	bytes = column_bytes(&c);
	if (b->chunks > 0 && memcmp(&digest, &b->digest, sizeof digest) != 0) {
		end_blob(g, b);
		*b = (struct blob){ 0 };
	}
	if (b->chunks == 0)
		sha256_begin(&g->hash);
	b->digest = digest;
	b->gap |= c.bad || chunk != b->chunks;
	b->chunks++;
	sha256_update(&g->hash, bytes.ptr, bytes.len);
}

static int
check_blobs(struct integrity *g, const char *chunks, struct err *e)
{
	struct blob b = { 0 };
	int rc = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(&g->db, chunks, &rc);

	if (st) {
		while ((rc = sqlite3_step(st)) == SQLITE_ROW)
			next_chunk(g, &b, st);
		sqlite3_reset(st);
	}
	if (b.chunks > 0)
		end_blob(g, &b);
	return rc == SQLITE_DONE ? 0 : db_fail(&g->db, rc, "check the blobs", e);
}

int
integrity_check(const char *path, integrity_found_fn *found, void *ctx, struct err *e)
{
	struct integrity g = { .found = found, .ctx = ctx };
	int64_t schema = 0;
	int rc = db_open(&g.db, path, DB_READER, NULL, e);
	bool purges;

	if (rc != 0)
		return rc;
	rc = schema_version(&g.db, &schema, e);
	purges = schema >= SCHEMA_PURGES;
	sha256_init(&g.hash);
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(QUERIES); i++)
		rc = run_query(&g, QUERIES[i], e);
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(ORPHANS_PURGED); i++)
		rc = run_query(&g, purges ? ORPHANS_PURGED[i] : ORPHANS_UNPURGED[i], e);
	if (rc == 0)
		rc = check_blobs(&g, purges ? KEPT_CHUNKS : CHUNKS, e);
	sha256_release(&g.hash);
	db_close(&g.db);
	return rc;
}
