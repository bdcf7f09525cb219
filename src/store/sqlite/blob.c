#include "store/sqlite/blob.h"

static int
is_there(struct tx *t, const struct sha256 *digest, bool *out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(t, "SELECT 1 FROM blob WHERE digest=?1 AND chunk=0"
					 " AND NOT EXISTS (SELECT 1 FROM purge_blob"
					 " WHERE digest=?1)");
	int rc;

	db_bind_blob(st, 1, digest->bytes, sizeof digest->bytes);
	rc = tx_row(t, st, out, e);
	if (rc == 0 && *out)
		sqlite3_reset(st);
	return rc;
}

/* One that is being purged may have lost chunks: it stays now, and all of them are written. */
static int
keep(struct tx *t, const struct sha256 *digest, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(t, "DELETE FROM purge_blob WHERE digest=?1");

	db_bind_blob(st, 1, digest->bytes, sizeof digest->bytes);
	return tx_run(t, st, e);
}

int
blob_put(struct tx *t, struct str bytes, struct sha256 *digest, struct err *e)
{
	sqlite3_stmt *st;
	bool there;
	int rc;

	*digest = sha256_of(bytes);
	rc = is_there(t, digest, &there, e);
	if (rc != 0 || there)
		return rc;
	rc = keep(t, digest, e);
	for (size_t at = 0, chunk = 0; rc == 0 && at < bytes.len; at += BLOB_CHUNK_BYTES, chunk++) {
		struct str part = str_slice(bytes, at, at + BLOB_CHUNK_BYTES);
		st = tx_prepare(t, "INSERT OR REPLACE INTO blob (digest, chunk, bytes)"
				   " VALUES (?1, ?2, ?3)");
		db_bind_blob(st, 1, digest->bytes, sizeof digest->bytes);
		sqlite3_bind_int64(st, 2, (int64_t)chunk);
		db_bind_blob(st, 3, part.ptr, part.len);
		rc = tx_run(t, st, e);
	}
	return rc;
}
