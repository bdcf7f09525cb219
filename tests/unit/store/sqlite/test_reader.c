#include "sqlite_fill.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/reader.h"

/* What the adapter would be: a list of answers, pushed by readers, taken by the owner. */
struct inbox {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct list answers;
};

static void
push(void *ctx, struct reader_answer *answer)
{
	struct inbox *in = ctx;

	pthread_mutex_lock(&in->lock);
	list_append(&in->answers, &answer->link);
	pthread_cond_signal(&in->filled);
	pthread_mutex_unlock(&in->lock);
}

static void
inbox_init(struct inbox *in)
{
	pthread_mutex_init(&in->lock, NULL);
	pthread_cond_init(&in->filled, NULL);
	list_init(&in->answers);
}

static bool
deliver_one(struct inbox *in, bool wait)
{
	struct reader_answer *answer = NULL;

	pthread_mutex_lock(&in->lock);
	while (wait && list_is_empty(&in->answers))
		pthread_cond_wait(&in->filled, &in->lock);
	if (!list_is_empty(&in->answers)) {
		answer = LIST_OWNER(in->answers.next, struct reader_answer, link);
		list_remove(&answer->link);
	}
	pthread_mutex_unlock(&in->lock);
	if (answer)
		reader_answer_deliver(answer);
	return answer != NULL;
}

struct job {
	size_t rows;
	bool done, more;
	int rc;
	int64_t last_seq;
	struct err err;
};

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct job *job = ctx;

	job->rows++;
	if (row->session)
		job->last_seq = row->session->row.head_seq;
	return true;
}

static void
on_done(void *ctx, int rc, bool more, const struct err *err)
{
	struct job *job = ctx;

	job->done = true;
	job->rc = rc;
	job->more = more;
	job->err = *err;
}

struct fixture {
	struct fill fill;
	struct inbox inbox;
	struct reader_pool *pool;
};

static void
set_up(struct fixture *x, size_t threads)
{
	struct reader_sink sink = { push, &x->inbox, STR("me") };
	struct err e;

	inbox_init(&x->inbox);
	fill_open(&x->fill);
	fill_session(&x->fill, "s", "msg a; msg b; msg c", 0);
	if (reader_pool_new(&x->pool, x->fill.path, NULL, threads, sink, &e) != 0)
		fail_msg("%s", e.text);
}

static void
tear_down(struct fixture *x)
{
	reader_pool_free(&x->pool);
	while (deliver_one(&x->inbox, false))
		;
	fill_close(&x->fill);
}

static const struct store_query EVENTS = { .kind = STORE_LIST_EVENTS,
					   .session = STR("s"),
					   .limit = 3 };
static const struct store_query SESSION = { .kind = STORE_GET_SESSION, .session = STR("s") };

static void
answers_wait_for_the_owner(void **state)
{
	struct fixture x;
	struct job job = { 0 };

	(void)state;
	set_up(&x, 2);
	reader_pool_submit(x.pool, &EVENTS, on_row, on_done, &job);
	deliver_one(&x.inbox, true);
	assert_true(job.done && job.more);
	assert_int_equal(job.rc, 0);
	assert_int_equal(job.rows, 3);
	tear_down(&x);
}

static void
S1_a_read_sees_what_was_committed_before_it(void **state)
{
	struct fixture x;

	(void)state;
	set_up(&x, 3);
	for (int64_t i = 1; i <= 200; i++) {
		struct job job = { 0 };
		char sql[80];
		snprintf(sql, sizeof sql, "UPDATE session SET head_seq = %lld", (long long)i);
		fill_run(&x.fill, sql);
		reader_pool_submit(x.pool, &SESSION, on_row, on_done, &job);
		deliver_one(&x.inbox, true);
		assert_int_equal(job.last_seq, i);
	}
	tear_down(&x);
}

static void
a_snapshot_does_not_hold_the_log_back(void **state)
{
	struct fixture x;
	struct job job = { 0 };
	int log_frames, moved;

	(void)state;
	set_up(&x, 2);
	reader_pool_submit(x.pool, &SESSION, on_row, on_done, &job);
	deliver_one(&x.inbox, true);
	/* with a snapshot left open behind the job, TRUNCATE would be busy */
	fill_run(&x.fill, "UPDATE session SET head_seq = 9");
	assert_int_equal(sqlite3_wal_checkpoint_v2(x.fill.db.handle, NULL,
						   SQLITE_CHECKPOINT_TRUNCATE, &log_frames, &moved),
			 SQLITE_OK);
	assert_int_equal(log_frames, 0);
	tear_down(&x);
}

static void
closing_finishes_what_was_submitted(void **state)
{
	enum { JOBS = 500 };
	struct fixture x;
	struct job jobs[JOBS] = { 0 };

	(void)state;
	set_up(&x, 4);
	for (size_t i = 0; i < JOBS; i++)
		reader_pool_submit(x.pool, &EVENTS, on_row, on_done, &jobs[i]);
	tear_down(&x);
	for (size_t i = 0; i < JOBS; i++)
		assert_true(jobs[i].done && jobs[i].rc == 0 && jobs[i].rows == 3);
}

/* Holds its reader until the lock is free. */
static bool
block(void *ctx, const struct store_row *row)
{
	pthread_mutex_t *gate = ctx;

	(void)row;
	pthread_mutex_lock(gate);
	pthread_mutex_unlock(gate);
	return false;
}

static void
ignore_done(void *ctx, int rc, bool more, const struct err *err)
{
	(void)ctx, (void)rc, (void)more, (void)err;
}

static void
a_full_queue_refuses(void **state)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	struct job *jobs = calloc(READER_QUEUE_MAX + 2, sizeof *jobs);
	struct fixture x;
	size_t refused = 0;

	(void)state;
	set_up(&x, 1);
	pthread_mutex_lock(&gate);
	reader_pool_submit(x.pool, &EVENTS, block, ignore_done, &gate);
	for (size_t i = 0; i < READER_QUEUE_MAX + 2; i++)
		reader_pool_submit(x.pool, &SESSION, on_row, on_done, &jobs[i]);
	pthread_mutex_unlock(&gate);
	tear_down(&x);
	for (size_t i = 0; i < READER_QUEUE_MAX + 2; i++) {
		assert_true(jobs[i].done);
		refused += jobs[i].rc == ERR_LIMIT;
	}
	assert_in_range(refused, 2, 3); /* the first job may still have waited, too */
	assert_string_equal(jobs[READER_QUEUE_MAX + 1].err.text,
			    "4096 reads wait already; try later");
	free(jobs);
}

static void
a_pool_needs_its_database(void **state)
{
	struct reader_sink sink = { push, NULL, STR("me") };
	struct reader_pool *pool = NULL;
	struct err e;

	(void)state;
	assert_int_equal(reader_pool_new(&pool, "/nonexistent/perdure.db", NULL, 2, sink, &e),
			 ERR_IO);
	assert_null(pool);
	assert_int_equal(reader_pool_new(&pool, "x", NULL, 5, sink, &e), ERR_INVALID);
	assert_string_equal(e.text, "readers: 5 not in 1..4");
}

static void
readers_cannot_write(void **state)
{
	struct fixture x;
	struct db db;
	struct err e;

	(void)state;
	set_up(&x, 1);
	assert_int_equal(db_open(&db, x.fill.path, DB_READER, NULL, &e), 0);
	assert_int_equal(db_run(&db, "DELETE FROM event") & 0xff, SQLITE_READONLY);
	db_close(&db);
	tear_down(&x);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, answers_wait_for_the_owner);
	SUITE_TEST(&s, S1_a_read_sees_what_was_committed_before_it);
	SUITE_TEST(&s, a_snapshot_does_not_hold_the_log_back);
	SUITE_TEST(&s, closing_finishes_what_was_submitted);
	SUITE_TEST(&s, a_full_queue_refuses);
	SUITE_TEST(&s, a_pool_needs_its_database);
	SUITE_TEST(&s, readers_cannot_write);
	return suite_run(&s, "store/sqlite/reader");
}
