#include "bare_sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/clock.h"
#include "core/event.h"

enum { SESSIONS = 2000, PAYLOAD_BYTES = 500, SAMPLE_MS = 500, CHECKPOINT_PAGES = 16000 };

static const char SETUP[] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
			    "PRAGMA wal_autocheckpoint=0; PRAGMA temp_store=MEMORY;"
			    "PRAGMA cache_size=-16384;";
static const char EVENT[] =
	"INSERT INTO event (sid, seq, id, kind, author, created_at, meta, payload, hash) "
	"VALUES (?1, ?2, ?3, ?4, 0, ?5, '{\"class\":\"trigger\"}', ?6, ?7)";
static const char KEY[] = "INSERT INTO key (digest, request, sid, first_seq, head_seq, expires_at) "
			  "VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
static const char SESSION[] = "UPDATE session SET head_seq=?2, head_hash=?3, waiting=?2, "
			      "queued=?2, messages=?2, preview=?4, last_activity=?5 WHERE sid=?1";
static const char SESSIONS_SQL[] =
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
	"INSERT INTO session SELECT i, printf('sesn_%032d', i), 'main', 1, 'local-default', "
	"'main', "
	"NULL, NULL, NULL, '{\"kind\":\"api\"}', NULL, 0, 1, 0, zeroblob(32), 0, 0, 0, 0, NULL, 0, "
	"0, 0, NULL, 0, 0, 0, NULL, 0, printf('%60d', i), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
	"0, 1 "
	"FROM "
	"n";

static void
check(struct bare_sqlite *b, int rc)
{
	if (rc == SQLITE_OK || rc == SQLITE_DONE)
		return;
	fprintf(stderr, "bare_sqlite: %s\n", sqlite3_errmsg(b->db));
	abort();
}

static sqlite3_stmt *
prepare(struct bare_sqlite *b, const char *sql)
{
	sqlite3_stmt *st;

	check(b, sqlite3_prepare_v3(b->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL));
	return st;
}

void
bare_sqlite_init(struct bare_sqlite *b, const char *directory, const struct migration *steps)
{
	char path[4096];

	*b = (struct bare_sqlite){ 0 };
	snprintf(path, sizeof path, "%s/bare.db", directory);
	check(b, sqlite3_open(path, &b->db));
	check(b, sqlite3_exec(b->db, SETUP, NULL, NULL, NULL));
	for (; steps->version > 0; steps++)
		check(b, sqlite3_exec(b->db, steps->sql, NULL, NULL, NULL));
	check(b, sqlite3_exec(b->db, SESSIONS_SQL, NULL, NULL, NULL));
	b->begin = prepare(b, "BEGIN IMMEDIATE");
	b->commit = prepare(b, "COMMIT");
	b->event = prepare(b, EVENT);
	b->key = prepare(b, KEY);
	b->session = prepare(b, SESSION);
}

void
bare_sqlite_release(struct bare_sqlite *b)
{
	sqlite3_stmt *all[] = { b->begin, b->commit, b->event, b->key, b->session };

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		sqlite3_finalize(all[i]);
	sqlite3_close(b->db);
}

static void
run(struct bare_sqlite *b, sqlite3_stmt *st)
{
	check(b, sqlite3_step(st));
	check(b, sqlite3_reset(st));
}

static void
write_message(struct bare_sqlite *b, const char *payload)
{
	int64_t n = b->made++, sid = n * 7919 % SESSIONS + 1, seq = ++b->heads[sid - 1];
	uint64_t digest[4] = { (uint64_t)n * 0x9e3779b97f4a7c15u, (uint64_t)n, 3, 4 };
	char id[64];

	snprintf(id, sizeof id, "evt_%032lld", (long long)n);
	sqlite3_bind_int64(b->event, 1, sid);
	sqlite3_bind_int64(b->event, 2, seq);
	sqlite3_bind_text(b->event, 3, id, -1, SQLITE_STATIC);
	sqlite3_bind_int64(b->event, 4, EVENT_USER_MESSAGE);
	sqlite3_bind_int64(b->event, 5, n);
	sqlite3_bind_text(b->event, 6, payload, PAYLOAD_BYTES, SQLITE_STATIC);
	sqlite3_bind_blob(b->event, 7, digest, sizeof digest, SQLITE_STATIC);
	run(b, b->event);
	sqlite3_bind_blob(b->key, 1, digest, 16, SQLITE_STATIC);
	sqlite3_bind_blob(b->key, 2, digest, 16, SQLITE_STATIC);
	sqlite3_bind_int64(b->key, 3, sid);
	sqlite3_bind_int64(b->key, 4, seq);
	sqlite3_bind_int64(b->key, 5, n);
	run(b, b->key);
	sqlite3_bind_int64(b->session, 1, sid);
	sqlite3_bind_int64(b->session, 2, seq);
	sqlite3_bind_blob(b->session, 3, digest, sizeof digest, SQLITE_STATIC);
	sqlite3_bind_text(b->session, 4, payload, 80, SQLITE_STATIC);
	sqlite3_bind_int64(b->session, 5, n);
	run(b, b->session);
}

static void
checkpoint(struct bare_sqlite *b, int mode)
{
	check(b, sqlite3_wal_checkpoint_v2(b->db, NULL, mode, NULL, NULL));
}

static int
on_commit(void *ctx, sqlite3 *db, const char *name, int pages)
{
	(void)db;
	(void)name;
	*(int *)ctx = pages;
	return SQLITE_OK;
}

double
bare_sqlite_per_second(struct bare_sqlite *b, int group)
{
	int64_t start_ns = clock_monotonic_ns(), spent_ns = 0, from = b->made;
	char payload[PAYLOAD_BYTES];
	int pages = 0;

	memset(payload, 'x', sizeof payload);
	sqlite3_wal_hook(b->db, on_commit, &pages);
	while (spent_ns < (int64_t)SAMPLE_MS * 1000000) {
		run(b, b->begin);
		for (int i = 0; i < group; i++)
			write_message(b, payload);
		run(b, b->commit);
		if (pages > CHECKPOINT_PAGES)
			checkpoint(b, SQLITE_CHECKPOINT_RESTART);
		spent_ns = clock_monotonic_ns() - start_ns;
	}
	checkpoint(b, SQLITE_CHECKPOINT_PASSIVE); /* idle now: as the store would */
	return (double)(b->made - from) * 1e9 / (double)spent_ns;
}
