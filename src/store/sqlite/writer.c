#include "store/sqlite/writer.h"

#include "base/clock.h"
#include "base/xalloc.h"
#include "store/sqlite/chore.h"
#include "store/sqlite/mutant.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/wal_gather.h"

static const int64_t NS_PER_MS = 1000000, NS_PER_S = 1000000000;

struct writer {
	pthread_mutex_t lock; /* guards the four below */
	pthread_cond_t filled;
	struct batch_list queue;
	bool closing, waiting; /* waiting: the thread sleeps until filled */
	struct err stopped;    /* code 0: it writes */

	/* the thread's own from here on */
	pthread_t thread;
	struct completion_queue *answers;
	int64_t opened_at_change;  /* never changes */
	struct wal_gather *gather; /* NULL when commits are not synced */
	struct db db;
	struct batch batch;
	struct chore chore;
	struct batch_list taken; /* off the queue, not in a batch yet */
	bool sound;              /* it has not stopped; the thread's own copy */
};

/* ---- the queue ---- */

void
writer_submit(struct writer *w, struct batch_list jobs)
{
	bool wake;

	pthread_mutex_lock(&w->lock);
	batch_list_join(&w->queue, jobs);
	wake = w->waiting;
	w->waiting = false;
	pthread_mutex_unlock(&w->lock);
	if (wake)
		pthread_cond_signal(&w->filled);
}

/* Takes all that is queued, without waiting. */
static void
take_queue(struct writer *w)
{
	struct batch_list more;

	pthread_mutex_lock(&w->lock);
	more = w->queue;
	w->queue = (struct batch_list){ 0 };
	pthread_mutex_unlock(&w->lock);
	batch_list_join(&w->taken, more);
}

static struct timespec
time_in(int ms)
{
	int64_t at = clock_monotonic_ns() + ms * NS_PER_MS;

	return (struct timespec){ .tv_sec = at / NS_PER_S, .tv_nsec = at % NS_PER_S };
}

enum wait_outcome { WAIT_ITEMS, WAIT_QUIET, WAIT_CLOSED };

/* Until there are items, or for so long; 0: for ever. */
static enum wait_outcome
wait_for_items(struct writer *w, int quiet_ms)
{
	struct timespec until = time_in(quiet_ms);
	enum wait_outcome outcome = WAIT_ITEMS;
	int rc = 0;

	pthread_mutex_lock(&w->lock);
	while (!w->queue.first && !w->closing && rc == 0) {
		w->waiting = true;
		rc = quiet_ms > 0 ? pthread_cond_timedwait(&w->filled, &w->lock, &until)
				  : pthread_cond_wait(&w->filled, &w->lock);
	}
	w->waiting = false;
	if (!w->queue.first)
		outcome = w->closing ? WAIT_CLOSED : WAIT_QUIET;
	pthread_mutex_unlock(&w->lock);
	return outcome;
}

/* ---- stopping for good ---- */

static void
stop_for_good(struct writer *w, const struct err *why)
{
	int code = why->code == ERR_CORRUPT ? ERR_CORRUPT : ERR_IO;

	w->sound = false;
	/* Closing must not move a log into the database that may not be what we think it is. */
	sqlite3_db_config(w->db.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	pthread_mutex_lock(&w->lock);
	err_set(&w->stopped, code,
		"the store has stopped writing for good; what it acknowledged is kept. Check the "
		"disk and restart (%s)",
		why->text);
	pthread_mutex_unlock(&w->lock);
}

int64_t
writer_opened_at_change(const struct writer *w)
{
	return w->opened_at_change;
}

int
writer_health(struct writer *w, struct err *e)
{
	struct err now;

	pthread_mutex_lock(&w->lock);
	now = w->stopped;
	pthread_mutex_unlock(&w->lock);
	if (now.code != 0 && e)
		*e = now;
	return now.code;
}

static void
refuse_all(struct writer *w)
{
	struct completion_list done = { 0 };
	struct batch_job *job;

	while ((job = batch_list_take(&w->taken))) {
		job->result = (struct store_result){ .rc = w->stopped.code, .err = w->stopped };
		completion_list_add(&done, &job->completion);
	}
	completion_push(w->answers, &done);
}

/* ---- writing ---- */

static void
hand_over(struct writer *w)
{
	struct completion_list done = { 0 };
	struct batch_job *job;

	while ((job = batch_list_take(&w->batch.jobs)))
		completion_list_add(&done, &job->completion);
	completion_push(w->answers, &done);
}

/* One transaction of all that is there. What arrives while it is being written joins it. */
static void
write_batch(struct writer *w)
{
	struct batch *b = &w->batch;

	batch_begin(b);
	do {
		batch_add(b, batch_list_take(&w->taken));
		if (!w->taken.first)
			take_queue(w);
	} while (w->taken.first && !batch_is_full(b));
	if (MUTANT(ACK_BEFORE_COMMIT))
		hand_over(w);
	batch_finish(b);
	if (b->doubtful)
		stop_for_good(w, &b->error);
	hand_over(w);
}

/* ---- the thread ---- */

static void
write_and_do_chores(struct writer *w)
{
	struct err why;

	if (w->taken.first)
		write_batch(w);
	if (w->sound && chore_when_busy(&w->chore, clock_monotonic_ns(), &why) != 0)
		stop_for_good(w, &why);
}

/* How long it must be quiet for what is to be done then; 0: nothing is. */
static int
patience_ms(const struct writer *w)
{
	if (!w->sound)
		return 0;
	if (chore_is_due(&w->chore))
		return WRITER_QUIET_MS;
	return chore_may_rest(&w->chore) ? WRITER_REST_MS : 0;
}

static int
use_quiet(struct writer *w, struct err *e)
{
	return chore_is_due(&w->chore) ? chore_when_quiet(&w->chore, clock_monotonic_ns(), e)
				       : chore_rest(&w->chore, e);
}

static void *
run(void *arg)
{
	struct writer *w = arg;
	enum wait_outcome outcome = WAIT_QUIET;
	struct err why;

	while (outcome != WAIT_CLOSED) {
		outcome = w->taken.first ? WAIT_ITEMS : wait_for_items(w, patience_ms(w));
		if (outcome == WAIT_QUIET) {
			if (use_quiet(w, &why) != 0)
				stop_for_good(w, &why);
			continue;
		}
		take_queue(w);
		if (w->sound)
			write_and_do_chores(w);
		else
			refuse_all(w);
	}
	if (w->sound && chore_checkpoint(&w->chore, SQLITE_CHECKPOINT_TRUNCATE, &why) != 0)
		stop_for_good(w, &why);
	return NULL;
}

/* Without shared memory SQLite stays silently in its old mode. */
static int
check_wal(struct writer *w, struct err *e)
{
	int code = SQLITE_ERROR;
	sqlite3_stmt *st = db_prepare(&w->db, "PRAGMA journal_mode", &code);
	bool wal;

	if (!st || sqlite3_step(st) != SQLITE_ROW)
		return db_fail(&w->db, code, "asking for the journal mode", e);
	wal = str_eq(db_text(st, 0), STR("wal"));
	sqlite3_reset(st);
	return wal ? 0
		   : err_set(e, ERR_UNAVAILABLE,
			     "this file system cannot hold the database: it has no shared memory "
			     "for a write-ahead log");
}

static int
open_connection(struct writer *w, const struct writer_config *cfg, struct err *e)
{
	const char *synchronous = MUTANT(SYNC_NORMAL) ? "NORMAL" : cfg->synchronous;
	const char *vfs = cfg->vfs;
	char pragma[64];
	int code, rc = synchronous ? 0 : wal_gather_new(&w->gather, cfg->vfs, e);

	if (rc == 0 && w->gather)
		vfs = wal_gather_name(w->gather);
	if (rc == 0)
		rc = db_open(&w->db, cfg->path, DB_WRITER, vfs, e);
	if (rc != 0 || !synchronous) /* FULL is how it opens */
		return rc;
	snprintf(pragma, sizeof pragma, "PRAGMA synchronous=%s", synchronous);
	code = db_run(&w->db, pragma);
	return code == SQLITE_OK ? 0 : db_fail(&w->db, code, pragma, e);
}

static int
open_database(struct writer *w, const struct writer_config *cfg, struct err *e)
{
	int rc = open_connection(w, cfg, e);

	if (rc == 0)
		rc = check_wal(w, e);
	if (rc == 0)
		rc = schema_prepare(&w->db, e);
	if (rc == 0)
		rc = batch_init(&w->batch, &w->db, cfg->incarnation, e);
	if (rc != 0)
		return rc;
	chore_init(&w->chore, &w->db, &w->batch.tx, cfg->index);
	checkpoint_init(&w->chore.checkpoint, &w->db, cfg->checkpoint_idle_pages,
			cfg->checkpoint_forced_pages);
	return 0;
}

static struct writer *
writer_alloc(struct completion_queue *answers)
{
	struct writer *w = xcalloc(1, sizeof *w);
	pthread_condattr_t attr;

	w->answers = answers;
	w->sound = true;
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->filled, &attr);
	pthread_condattr_destroy(&attr);
	return w;
}

static void
writer_dispose(struct writer *w)
{
	if (w->batch.tx.db)
		batch_release(&w->batch);
	db_close(&w->db);
	wal_gather_free(&w->gather);
	pthread_cond_destroy(&w->filled);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

int
writer_new(struct writer **out, const struct writer_config *cfg, struct completion_queue *answers,
	   struct err *e)
{
	struct writer *w = writer_alloc(answers);
	int rc = open_database(w, cfg, e);

	w->opened_at_change = rc == 0 ? w->batch.tx.last_change : 0;
	if (rc == 0 && pthread_create(&w->thread, NULL, run, w) != 0)
		rc = err_set(e, ERR_UNAVAILABLE, "no thread for the writer");
	if (rc == 0)
		*out = w;
	else
		writer_dispose(w);
	return rc;
}

void
writer_free(struct writer **p)
{
	struct writer *w = *p;

	if (!w)
		return;
	*p = NULL;
	pthread_mutex_lock(&w->lock);
	w->closing = true;
	pthread_mutex_unlock(&w->lock);
	pthread_cond_signal(&w->filled);
	pthread_join(w->thread, NULL);
	writer_dispose(w);
}
