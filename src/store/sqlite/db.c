#include "store/sqlite/db.h"

static const char WRITER_SETUP[] = "PRAGMA journal_mode=WAL;"
				   "PRAGMA synchronous=FULL;"
				   "PRAGMA wal_autocheckpoint=0;"
				   "PRAGMA foreign_keys=OFF;"
				   "PRAGMA secure_delete=ON;"
				   "PRAGMA temp_store=MEMORY;"
				   "PRAGMA cache_size=-16384;"
				   /* 64 MiB: what the log may keep of a large transaction */
				   "PRAGMA journal_size_limit=67108864;";
static const char READER_SETUP[] = "PRAGMA query_only=ON;"
				   "PRAGMA wal_autocheckpoint=0;"
				   "PRAGMA temp_store=MEMORY;"
				   "PRAGMA cache_size=-4096;";

int
db_open(struct db *db, const char *path, enum db_mode mode, const char *vfs, struct err *e)
{
	int flags = SQLITE_OPEN_NOMUTEX |
		    (mode == DB_WRITER ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
				       : SQLITE_OPEN_READONLY);
	int rc;

	*db = (struct db){ 0 };
	rc = sqlite3_open_v2(path, &db->handle, flags, vfs);
	if (rc == SQLITE_OK)
		rc = sqlite3_extended_result_codes(db->handle, 1);
	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
				       mode == DB_READER, NULL);
	if (rc == SQLITE_OK)
		rc = db_run(db, mode == DB_WRITER ? WRITER_SETUP : READER_SETUP);
	if (rc == SQLITE_OK)
		return 0;
	rc = db_fail(db, rc, path, e);
	db_close(db);
	return rc;
}

void
db_close(struct db *db)
{
	for (size_t i = 0; i < db->statements.len; i++)
		sqlite3_finalize(db->statements.ptr[i].st);
	vec_release(&db->statements);
	sqlite3_close_v2(db->handle);
	*db = (struct db){ 0 };
}

void
db_shrink(struct db *db)
{
	int used = 0, high;

	sqlite3_db_status(db->handle, SQLITE_DBSTATUS_CACHE_USED, &used, &high, 0);
	if (used > DB_SHRUNK_BYTES)
		sqlite3_db_release_memory(db->handle);
}

sqlite3_stmt *
db_prepare(struct db *db, const char *sql, int *rc)
{
	struct db_statement *s;

	for (size_t i = 0; i < db->statements.len; i++) {
		s = &db->statements.ptr[i];
		if (s->sql == sql) {
			sqlite3_reset(s->st);
			sqlite3_clear_bindings(s->st);
			return s->st;
		}
	}
	s = vec_push(&db->statements);
	s->sql = sql;
	*rc = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->st, NULL);
	if (*rc == SQLITE_OK)
		return s->st;
	db->statements.len--;
	return NULL;
}

int
db_run(struct db *db, const char *sql)
{
	return sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
}

int
db_command(struct db *db, const char *sql)
{
	int code = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(db, sql, &code);

	if (!st)
		return code;
	code = sqlite3_step(st);
	sqlite3_reset(st);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
code_of(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_FULL: return ERR_NO_SPACE;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB: return ERR_CORRUPT;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return ERR_UNAVAILABLE;
	case SQLITE_CONSTRAINT: return ERR_CONFLICT;
	case SQLITE_TOOBIG: return ERR_TOO_LARGE;
	default: return ERR_IO;
	}
}

int
db_fail(const struct db *db, int rc, const char *what, struct err *e)
{
	/* The connection's own sentence knows more, but only of the failure it met last. */
	bool its_own = db->handle && sqlite3_extended_errcode(db->handle) == rc;
	const char *said = its_own ? sqlite3_errmsg(db->handle) : sqlite3_errstr(rc);

	return err_set(e, code_of(rc), "%s: %s (sqlite %d)", what, said, rc);
}

void
db_bind_text(sqlite3_stmt *st, int at, struct str text)
{
	sqlite3_bind_text64(st, at, text.ptr ? text.ptr : "", text.len, SQLITE_STATIC, SQLITE_UTF8);
}

void
db_bind_opt(sqlite3_stmt *st, int at, struct str text)
{
	if (text.len > 0)
		db_bind_text(st, at, text);
	else
		sqlite3_bind_null(st, at);
}

void
db_bind_blob(sqlite3_stmt *st, int at, const void *ptr, size_t len)
{
	sqlite3_bind_blob64(st, at, ptr, len, SQLITE_STATIC);
}

struct str
db_text(sqlite3_stmt *st, int column)
{
	const unsigned char *text = sqlite3_column_text(st, column);

	return (struct str){ (const char *)text, (size_t)sqlite3_column_bytes(st, column) };
}
