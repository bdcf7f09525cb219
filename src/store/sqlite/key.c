#include "store/sqlite/key.h"

#include "store/sqlite/key_digest.h"

static struct key_digest
digest_of(struct tx *t, const struct store_key *key)
{
	return key_digest_of(&t->hash, key->kind, key->scope, key->name);
}

int
key_claim(struct tx *t, const struct store_key *key, const struct key_effect *effect, bool *taken,
	  struct err *e)
{
	struct key_digest digest = digest_of(t, key);
	sqlite3_stmt *st = tx_prepare(
		t, "INSERT INTO key (digest, request, sid, first_seq, head_seq, answer, expires_at)"
		   " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (digest) DO NOTHING");
	int rc;

	db_bind_blob(st, 1, digest.bytes, sizeof digest.bytes);
	db_bind_blob(st, 2, key->request.bytes, KEY_DIGEST_BYTES);
	if (effect->sid != 0)
		sqlite3_bind_int64(st, 3, effect->sid);
	sqlite3_bind_int64(st, 4, effect->first_seq);
	sqlite3_bind_int64(st, 5, effect->head_seq);
	db_bind_opt(st, 6, key->answer);
	sqlite3_bind_int64(st, 7, key->expires_at_ms);
	rc = tx_run(t, st, e);
	*taken = rc == 0 && tx_changed(t) == 0;
	if (key->expires_at_ms < t->first_expiry_ms)
		t->first_expiry_ms = key->expires_at_ms;
	return rc;
}

int
key_unclaim(struct tx *t, const struct store_key *key, struct err *e)
{
	struct key_digest digest = digest_of(t, key);
	sqlite3_stmt *st = tx_prepare(t, "DELETE FROM key WHERE digest=?1");

	db_bind_blob(st, 1, digest.bytes, sizeof digest.bytes);
	return tx_run(t, st, e);
}

/* The hash and the change cursor as they were behind the first item's last event. */
static int
recall_head(struct tx *t, int64_t sid, struct store_result *out)
{
	sqlite3_stmt *st = tx_prepare(t, "SELECT n, hash FROM event WHERE sid=?1 AND seq=?2");
	bool found;
	int rc;

	sqlite3_bind_int64(st, 1, sid);
	sqlite3_bind_int64(st, 2, out->head_seq);
	rc = tx_row(t, st, &found, &out->err);
	if (rc != 0 || !found)
		return rc;
	if (out->first_seq > 0)
		out->change = sqlite3_column_int64(st, 0);
	if (sqlite3_column_bytes(st, 1) == SHA256_BYTES)
		memcpy(out->head_hash.bytes, sqlite3_column_blob(st, 1), SHA256_BYTES);
	sqlite3_reset(st);
	return 0;
}

static const char RECALL[] = "SELECT k.request, k.first_seq, k.head_seq, k.answer, k.sid, s.id"
			     " FROM key k LEFT JOIN session s ON s.sid=k.sid WHERE k.digest=?1";

int
key_recall(struct tx *t, const struct store_key *key, struct store_result *out)
{
	struct key_digest digest = digest_of(t, key);
	sqlite3_stmt *st = tx_prepare(t, RECALL);
	const void *request;
	int64_t sid;
	bool found, same;
	int rc;

	db_bind_blob(st, 1, digest.bytes, sizeof digest.bytes);
	rc = tx_row(t, st, &found, &out->err);
	if (rc != 0 || !found)
		return rc;
	request = sqlite3_column_blob(st, 0);
	same = request && sqlite3_column_bytes(st, 0) == KEY_DIGEST_BYTES &&
	       memcmp(request, key->request.bytes, KEY_DIGEST_BYTES) == 0;
	out->first_seq = sqlite3_column_int64(st, 1);
	out->head_seq = sqlite3_column_int64(st, 2);
	out->answer = arena_str(&t->scratch, db_text(st, 3));
	sid = sqlite3_column_int64(st, 4);
	out->session = arena_str(&t->scratch, db_text(st, 5));
	sqlite3_reset(st);
	if (!same)
		return err_set(&out->err, ERR_MISMATCH,
			       "the key '" STR_FMT "' was used with another request",
			       STR_ARG(key->name));
	rc = sid != 0 ? recall_head(t, sid, out) : 0;
	return rc == 0 ? STORE_REPLAYED : rc;
}
