#include "store/sqlite/batch.h"

#include "base/failpoint.h"
#include "base/xalloc.h"
#include "store/sqlite/append.h"
#include "store/sqlite/key.h"
#include "store/sqlite/key_purge.h"
#include "store/sqlite/mutant.h"
#include "store/sqlite/session_purge.h"

void
batch_list_join(struct batch_list *l, struct batch_list more)
{
	if (!more.first)
		return;
	if (l->last)
		l->last->next = more.first;
	else
		l->first = more.first;
	l->last = more.last;
}

struct batch_job *
batch_list_take(struct batch_list *l)
{
	struct batch_job *job = l->first;

	if (!job)
		return NULL;
	l->first = job->next;
	if (!l->first)
		l->last = NULL;
	job->next = NULL;
	return job;
}

static int
read_number(struct tx *t, const char *sql, int64_t *out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(t, sql);
	bool found;
	int rc = tx_row(t, st, &found, e);

	if (rc == 0 && found) {
		*out = sqlite3_column_int64(st, 0);
		sqlite3_reset(st);
	}
	return rc;
}

int
batch_init(struct batch *b, struct db *db, struct str incarnation, struct err *e)
{
	int rc;

	*b = (struct batch){ .tx = { .db = db, .incarnation = incarnation } };
	b->tx.heads = &b->heads;
	head_cache_init(&b->heads);
	sha256_init(&b->tx.hash);
	arena_init(&b->tx.scratch);
	/* Numbers of purged events must not come back: whoever purges leaves the last one behind. */
	rc = read_number(&b->tx,
			 "SELECT max(ifnull((SELECT max(n) FROM event), 0),"
			 " ifnull((SELECT value FROM state WHERE name='purged_to'), 0))",
			 &b->tx.last_change, e);
	if (rc == 0) /* nor do those of sessions that are being purged, until they are */
		rc = read_number(&b->tx,
				 "SELECT max(ifnull((SELECT max(sid) FROM session), 0),"
				 " ifnull((SELECT max(sid) FROM purge), 0))",
				 &b->tx.last_sid, e);
	if (rc == 0)
		rc = session_purge_find(db, &b->tx.purges, e);
	if (rc == 0)
		rc = read_number(&b->tx, "SELECT created_at FROM event ORDER BY n DESC LIMIT 1",
				 &b->tx.newest_ms, e);
	return rc == 0 ? key_purge_first(db, &b->tx.first_expiry_ms, e) : rc;
}

void
batch_release(struct batch *b)
{
	head_cache_release(&b->heads);
	sha256_release(&b->tx.hash);
	arena_release(&b->tx.scratch);
}

static int
open_transaction(struct batch *b)
{
	int code;

	b->tx.failed = SQLITE_OK;
	if (FAILPOINT("writer.before_begin"))
		return SQLITE_FULL;
	code = tx_command(&b->tx, "BEGIN IMMEDIATE");
	return code == SQLITE_OK && FAILPOINT("writer.after_begin") ? SQLITE_FULL : code;
}

void
batch_begin(struct batch *b)
{
	b->jobs = (struct batch_list){ 0 };
	b->items = 0;
	b->bytes = 0;
	b->doubtful = false;
	b->code = open_transaction(b);
}

bool
batch_is_full(const struct batch *b)
{
	return b->code != SQLITE_OK || b->items >= BATCH_ITEMS_MAX || b->bytes >= BATCH_BYTES_MAX;
}

/* A replay's texts lie in memory that the next item reuses. */
static void
keep_texts(struct batch_job *job)
{
	struct store_result *r = &job->result;

	job->kept = xmalloc(r->session.len + r->answer.len + 1);
	memcpy(job->kept, r->session.ptr, r->session.len);
	memcpy(job->kept + r->session.len, r->answer.ptr, r->answer.len);
	r->session.ptr = job->kept;
	r->answer.ptr = job->kept + r->session.len;
}

static void
clear_result(struct batch_job *job)
{
	struct store_result *r = &job->result;

	free(job->kept);
	job->kept = NULL;
	r->first_seq = r->head_seq = r->fence = r->change = 0;
	r->head_hash = (struct sha256){ 0 };
	r->session = r->answer = (struct str){ 0 };
	if (job->item->joined) /* the others never set it */
		r->joined = (struct store_joined){ 0 };
}

static int
write_job(struct batch *b, struct batch_job *job, bool guarded)
{
	struct store_result *r = &job->result;

	clear_result(job);
	r->err.code = 0;
	r->err.text[0] = '\0';
	append_item(&b->tx, job->item, guarded, r);
	if (b->tx.failed != SQLITE_OK)
		return b->tx.failed;
	if (r->rc < 0)
		clear_result(job); /* nothing but the sentence: the item left no trace */
	if (r->rc == STORE_REPLAYED)
		keep_texts(job);
	return SQLITE_OK;
}

void
batch_add(struct batch *b, struct batch_job *job)
{
	const struct store_item *item = job->item;

	batch_list_join(&b->jobs, (struct batch_list){ job, job });
	b->items++;
	for (size_t i = 0; i < item->event_count; i++)
		b->bytes += item->events[i].payload.len;
	for (size_t i = 0; item->joined && i < item->joined->event_count; i++)
		b->bytes += item->joined->events[i].payload.len;
	for (size_t i = 0; i < item->put_count; i++)
		b->bytes += item->puts[i].record.body.len;
	if (b->code == SQLITE_OK)
		b->code = write_job(b, job, false);
}

/* ---- the end of a batch ---- */

static void
roll_back(struct batch *b)
{
	if (!sqlite3_get_autocommit(b->tx.db->handle))
		IGNORE(tx_command(&b->tx, "ROLLBACK")); /* begin would tell */
	head_cache_forget(&b->heads);
}

/* Only in builds with that fault: what belongs into the transaction happens behind it. */
static void
write_outside(struct batch *b)
{
	struct err e;

	if (MUTANT(PROJECTION_OUTSIDE) && tx_command(&b->tx, "BEGIN IMMEDIATE") == SQLITE_OK) {
		IGNORE(head_cache_write(&b->tx, &e));
		IGNORE(tx_command(&b->tx, "COMMIT"));
	}
	for (struct batch_job *j = b->jobs.first; MUTANT(DEDUPE_OUTSIDE) && j; j = j->next) {
		struct key_effect effect = { 0, j->result.first_seq, j->result.head_seq };
		struct head *head = map_find(&b->heads.by_id, j->item->session);
		bool taken;
		effect.sid = head ? head->sid : 0;
		for (size_t i = 0; j->result.rc == 0 && i < j->item->key_count; i++)
			IGNORE(key_claim(&b->tx, &j->item->keys[i], &effect, &taken, &e));
	}
}

/* What a failure means for the items of the batch. A failed COMMIT that may have reached the disk
 * leaves their outcome unknown, unless the disk was full: then the log's last frame is incomplete. */
static void
judge(struct batch *b, int code, bool committing)
{
	int primary = code & 0xff;
	bool unknown = committing && primary != SQLITE_FULL && primary != SQLITE_BUSY;
	/* Without room for SQLite's index of the log the frames are written and synced all the same:
	 * nothing acknowledged is in doubt, only this commit is. */
	bool no_index = code == SQLITE_IOERR_SHMSIZE || code == SQLITE_IOERR_SHMMAP;

	db_fail(b->tx.db, code, "this was not written", &b->error);
	if (unknown)
		err_set(&b->error, ERR_UNAVAILABLE,
			"it is unknown whether this was written: repeat it with the same key "
			"(sqlite %d: %s)",
			code, sqlite3_errstr(code));
	b->doubtful =
		primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || (unknown && !no_index);
}

static void
fail_all(struct batch *b)
{
	for (struct batch_job *j = b->jobs.first; j; j = j->next) {
		clear_result(j);
		j->result.rc = b->error.code;
		j->result.err = b->error;
	}
}

/* The sessions' rows, then the commit. *committing: how far it came. */
static int
commit(struct batch *b, bool *committing)
{
	struct err e;
	int code;

	if (!MUTANT(PROJECTION_OUTSIDE) && head_cache_write(&b->tx, &e) != 0)
		return b->tx.failed;
	if (FAILPOINT("writer.before_commit"))
		return SQLITE_FULL;
	*committing = true;
	code = tx_command(&b->tx, "COMMIT");
	if (code == SQLITE_OK && FAILPOINT("writer.after_commit"))
		code = SQLITE_IOERR_FSYNC;
	if (MUTANT(SYNC_ERROR_IGNORED) && (code & 0xff) == SQLITE_IOERR)
		code = SQLITE_OK;
	return code;
}

/* One item broke a constraint and took the batch with it: each on its own, that one fails alone. */
static void
write_again(struct batch *b)
{
	roll_back(b);
	b->code = open_transaction(b);
	for (struct batch_job *j = b->jobs.first; b->code == SQLITE_OK && j; j = j->next)
		b->code = write_job(b, j, true);
}

void
batch_finish(struct batch *b)
{
	bool committing = false;

	if (append_is_item_fault(b->code))
		write_again(b);
	if (b->code == SQLITE_OK)
		b->code = commit(b, &committing);
	if (b->code != SQLITE_OK) {
		judge(b, b->code, committing);
		fail_all(b);
		roll_back(b);
		return;
	}
	if (MUTANT(PROJECTION_OUTSIDE) || MUTANT(DEDUPE_OUTSIDE))
		write_outside(b);
	head_cache_settle(&b->heads);
}
