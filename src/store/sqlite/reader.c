#include "store/sqlite/reader.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "store/sqlite/db.h"
#include "store/sqlite/read.h"

static const int64_t NS_PER_S = 1000000000;

struct job {
	struct list link;
	struct store_query q;
	store_row_fn *row;
	struct reader_answer *answer; /* made with the job: finishing it cannot fail */
};

struct reader {
	struct reader_pool *pool;
	pthread_t thread;
	struct db db;
	struct read read;
	bool warm; /* has read since it last rested */
};

struct reader_pool {
	struct reader_sink sink;
	struct reader readers[READER_THREADS_MAX];
	size_t opened, started; /* readers that have a connection, and a thread */

	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t more;
	struct list waiting;
	size_t waiting_count;
	bool closing;
};

static void
answer_job(struct reader_pool *p, struct job *job)
{
	p->sink.push(p->sink.ctx, job->answer);
	free(job);
}

/* One snapshot: begun by the job's first SELECT, ended whatever came of it. */
static void
run_job(struct reader *r, struct job *job)
{
	struct reader_answer *a = job->answer;
	int rc = db_command(&r->db, "BEGIN");

	if (rc == SQLITE_OK)
		a->rc = read_run(&r->read, &job->q, job->row, a->ctx, &a->more, &a->err);
	else
		a->rc = db_fail(&r->db, rc, "begin a read", &a->err);
	IGNORE(db_command(&r->db, "ROLLBACK")); /* fails only when nothing is open */
	answer_job(r->pool, job);
}

static struct timespec
rest_at(void)
{
	int64_t at_ns = clock_monotonic_ns() + READER_REST_MS * INT64_C(1000000);

	return (struct timespec){ .tv_sec = at_ns / NS_PER_S, .tv_nsec = at_ns % NS_PER_S };
}

/* Waits for a job: false when the pool closes and none is left. *out NULL: a warm reader had none for
 * long. */
static bool
next_job(struct reader *r, struct job **out)
{
	struct reader_pool *p = r->pool;
	struct timespec until = rest_at();
	bool goes_on;
	int rc = 0;

	*out = NULL;
	pthread_mutex_lock(&p->lock);
	while (list_is_empty(&p->waiting) && !p->closing && rc == 0)
		rc = r->warm ? pthread_cond_timedwait(&p->more, &p->lock, &until)
			     : pthread_cond_wait(&p->more, &p->lock);
	if (!list_is_empty(&p->waiting)) {
		*out = LIST_OWNER(p->waiting.next, struct job, link);
		list_remove(&(*out)->link);
		p->waiting_count--;
	}
	goes_on = *out || !p->closing;
	pthread_mutex_unlock(&p->lock);
	return goes_on;
}

static void *
run(void *arg)
{
	struct reader *r = arg;
	struct job *job;

	while (next_job(r, &job)) {
		if (job)
			run_job(r, job);
		else
			db_shrink(&r->db);
		r->warm = job != NULL;
	}
	return NULL;
}

static int
open_reader(struct reader_pool *p, const char *path, const char *vfs, struct err *e)
{
	struct reader *r = &p->readers[p->opened];
	int rc = db_open(&r->db, path, DB_READER, vfs, e);

	if (rc != 0)
		return rc;
	sqlite3_busy_timeout(r->db.handle, READER_BUSY_WAIT_MS);
	r->pool = p;
	read_init(&r->read, &r->db, p->sink.holder);
	p->opened++;
	return 0;
}

int
reader_pool_new(struct reader_pool **out, const char *path, const char *vfs, size_t count,
		struct reader_sink sink, struct err *e)
{
	struct reader_pool *p = xcalloc(1, sizeof *p);
	pthread_condattr_t attr;
	int rc = 0;

	p->sink = sink;
	list_init(&p->waiting);
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->more, &attr);
	pthread_condattr_destroy(&attr);
	if (count < 1 || count > READER_THREADS_MAX)
		rc = err_set(e, ERR_INVALID, "readers: %zu not in 1..%d", count,
			     READER_THREADS_MAX);
	while (rc == 0 && p->opened < count)
		rc = open_reader(p, path, vfs, e);
	while (rc == 0 && p->started < count) {
		struct reader *r = &p->readers[p->started];
		if (pthread_create(&r->thread, NULL, run, r) != 0)
			rc = err_set(e, ERR_UNAVAILABLE, "no thread for a reader");
		else
			p->started++;
	}
	if (rc == 0)
		*out = p;
	else
		reader_pool_free(&p);
	return rc;
}

void
reader_pool_free(struct reader_pool **out)
{
	struct reader_pool *p = *out;

	if (!p)
		return;
	*out = NULL;
	pthread_mutex_lock(&p->lock);
	p->closing = true;
	pthread_cond_broadcast(&p->more);
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < p->started; i++)
		pthread_join(p->readers[i].thread, NULL);
	for (size_t i = 0; i < p->opened; i++) {
		read_release(&p->readers[i].read);
		db_close(&p->readers[i].db);
	}
	pthread_cond_destroy(&p->more);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static struct job *
job_new(const struct store_query *q, store_row_fn *row, store_read_fn *done, void *ctx)
{
	struct job *job = xcalloc(1, sizeof *job);

	job->q = *q;
	job->row = row;
	job->answer = xcalloc(1, sizeof *job->answer);
	job->answer->done = done;
	job->answer->ctx = ctx;
	list_init(&job->answer->link);
	return job;
}

void
reader_pool_submit(struct reader_pool *p, const struct store_query *q, store_row_fn *row,
		   store_read_fn *done, void *ctx)
{
	struct job *job = job_new(q, row, done, ctx);
	bool full;

	pthread_mutex_lock(&p->lock);
	full = p->waiting_count >= READER_QUEUE_MAX;
	if (!full) {
		list_append(&p->waiting, &job->link);
		p->waiting_count++;
		pthread_cond_signal(&p->more);
	}
	pthread_mutex_unlock(&p->lock);
	if (!full)
		return;
	job->answer->rc = err_set(&job->answer->err, ERR_LIMIT, "%d reads wait already; try later",
				  READER_QUEUE_MAX);
	answer_job(p, job);
}

void
reader_answer_deliver(struct reader_answer *a)
{
	a->done(a->ctx, a->rc, a->more, &a->err);
	free(a);
}
