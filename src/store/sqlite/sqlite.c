#include "store/sqlite/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/search_index.h"
#include "store/sqlite/writer.h"
#include "store/store_private.h"

enum { PATH_BYTES = 4096, READERS = 2, SPARE_JOBS_MAX = 1024, FREE_WAIT_MS = 1000 };

struct sqlite {
	struct store base; /* first: the port's handle */
	struct lock lock;
	struct completion_queue answers;
	struct writer *writer;
	struct reader_pool *readers;
	char *incarnation;
	/* Items submitted inside store_dispatch go to the writer together when it returns: callbacks
	 * that answer a batch make the next one. */
	struct batch_list gathered;
	bool dispatching, closing;
	size_t outstanding; /* jobs whose callbacks have not run */
	struct batch_job *spare;
	size_t spare_count;
};

static struct sqlite *
sqlite_of(struct store *s)
{
	return (struct sqlite *)s;
}

static struct batch_job *
job_take(struct sqlite *s)
{
	struct batch_job *job = s->spare;

	if (!job)
		return xcalloc(1, sizeof *job);
	s->spare = job->next;
	s->spare_count--;
	return job;
}

static void
job_give_back(struct sqlite *s, struct batch_job *job)
{
	free(job->kept);
	job->kept = NULL;
	if (job->result.joined.head_seq != 0) /* an item without a joined part leaves it as it is */
		job->result.joined = (struct store_joined){ 0 };
	if (s->spare_count >= SPARE_JOBS_MAX) {
		free(job);
		return;
	}
	job->next = s->spare;
	s->spare = job;
	s->spare_count++;
}

static void
tell_joined(struct sqlite *s, const struct batch_job *job)
{
	const struct store_owner *owner = &s->base.owner;
	const struct store_joined *r = &job->result.joined;

	if (r->change > s->base.change_head)
		s->base.change_head = r->change;
	if (r->first_seq > 0 && owner->watch)
		owner->watch(owner->ctx, job->item->joined->session, r->head_seq);
}

static void
deliver_append(struct completion *c)
{
	struct batch_job *job = (struct batch_job *)c;
	struct sqlite *s = job->owner;
	const struct store_owner *owner = &s->base.owner;
	const struct store_result *r = &job->result;

	if (r->rc == 0 && r->change > s->base.change_head)
		s->base.change_head = r->change;
	if (r->rc == 0 && r->first_seq > 0 && owner->watch)
		owner->watch(owner->ctx, job->item->session, r->head_seq);
	if (r->rc == 0 && job->item->joined)
		tell_joined(s, job);
	s->outstanding--;
	job->fn(job->ctx, r);
	job_give_back(s, job);
}

/* ---- appends ---- */

static void
submit(struct sqlite *s, struct batch_job *job)
{
	const struct batch_list one = { job, job };

	if (!s->dispatching && !s->base.owner.later) {
		writer_submit(s->writer, one);
		return;
	}
	if (!s->dispatching && !s->gathered.first)
		s->base.owner.later(s->base.owner.ctx);
	batch_list_join(&s->gathered, one);
}

static void
on_flush(struct store *base)
{
	struct sqlite *s = sqlite_of(base);

	if (s->gathered.first)
		writer_submit(s->writer, s->gathered);
	s->gathered = (struct batch_list){ 0 };
}

static void
refuse(struct sqlite *s, struct batch_job *job)
{
	struct completion_list one = { 0 };

	job->result = (struct store_result){ .rc = ERR_UNAVAILABLE };
	err_set(&job->result.err, ERR_UNAVAILABLE, "the store is closing");
	completion_list_add(&one, &job->completion);
	completion_push(&s->answers, &one);
}

static void
on_append(struct store *base, const struct store_item *item, store_append_fn *done, void *ctx)
{
	struct sqlite *s = sqlite_of(base);
	struct batch_job *job = job_take(s);

	job->completion.deliver = deliver_append;
	job->next = NULL;
	job->item = item;
	job->fn = done;
	job->ctx = ctx;
	job->owner = s;
	s->outstanding++;
	if (s->closing)
		refuse(s, job);
	else
		submit(s, job);
}

/* ---- reads ---- */

struct read_done {
	struct completion completion;
	struct sqlite *owner;
	struct reader_answer *answer;
};

static void
deliver_read(struct completion *c)
{
	struct read_done *d = (struct read_done *)c;

	d->owner->outstanding--;
	reader_answer_deliver(d->answer);
	free(d);
}

/* On a reader's thread. */
static void
on_answer(void *ctx, struct reader_answer *answer)
{
	struct sqlite *s = ctx;
	struct completion_list one = { 0 };
	struct read_done *d = xmalloc(sizeof *d);

	*d = (struct read_done){ { NULL, deliver_read }, s, answer };
	completion_list_add(&one, &d->completion);
	completion_push(&s->answers, &one);
}

static void
refuse_read(struct sqlite *s, store_read_fn *done, void *ctx)
{
	struct reader_answer *answer = xcalloc(1, sizeof *answer);

	answer->done = done;
	answer->ctx = ctx;
	answer->rc = err_set(&answer->err, ERR_UNAVAILABLE, "the store is closing");
	on_answer(s, answer);
}

static void
on_read(struct store *base, const struct store_query *q, store_row_fn *row, store_read_fn *done,
	void *ctx)
{
	struct sqlite *s = sqlite_of(base);

	s->outstanding++;
	if (s->closing)
		refuse_read(s, done, ctx);
	else
		reader_pool_submit(s->readers, q, row, done, ctx);
}

/* ---- life ---- */

static size_t
on_dispatch(struct store *base)
{
	struct sqlite *s = sqlite_of(base);
	bool outermost = !s->dispatching;
	size_t count;

	s->dispatching = true;
	count = completion_deliver(&s->answers);
	if (!outermost)
		return count;
	s->dispatching = false;
	on_flush(base);
	return count;
}

static bool
on_wait(struct store *base, int timeout_ms)
{
	struct sqlite *s = sqlite_of(base);

	return completion_wait(&s->answers, s->outstanding == 0 ? 0 : timeout_ms);
}

static int
on_health(struct store *base, struct err *e)
{
	return writer_health(sqlite_of(base)->writer, e);
}

/* Whatever of it there is. */
static void
dispose(struct sqlite *s)
{
	struct batch_job *job;

	reader_pool_free(&s->readers);
	writer_free(&s->writer);
	lock_release(&s->lock);
	completion_queue_release(&s->answers);
	while ((job = s->spare)) {
		s->spare = job->next;
		free(job);
	}
	free(s->incarnation);
	free(s);
}

static void
on_free(struct store *base)
{
	struct sqlite *s = sqlite_of(base);

	s->closing = true;
	on_flush(base);
	while (s->outstanding > 0) {
		on_wait(base, FREE_WAIT_MS);
		on_dispatch(base);
	}
	dispose(s);
}

static const struct store_ops OPS = {
	.append = on_append,
	.read = on_read,
	.flush = on_flush,
	.dispatch = on_dispatch,
	.wait = on_wait,
	.health = on_health,
	.free = on_free,
};

/* ---- opening ---- */

/* The names of new files reach the disk with their directory. */
static int
sync_directory(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 ? -1 : fsync(fd);
	int why = errno;

	if (fd >= 0)
		close(fd);
	return rc == 0 ? 0 : err_set(e, ERR_IO, "%s: %s", path, strerror(why));
}

static int
start(struct sqlite *s, const struct store_sqlite_config *cfg, struct err *e)
{
	char path[PATH_BYTES];
	struct writer_config writer = {
		.path = path,
		.vfs = cfg->vfs,
		.incarnation = str_of(s->incarnation),
		.checkpoint_idle_pages = cfg->checkpoint_idle_pages,
		.checkpoint_forced_pages = cfg->checkpoint_forced_pages,
		.synchronous = cfg->synchronous,
		.index = search_index_step,
	};
	const struct reader_sink sink = { on_answer, s, str_of(s->incarnation) };
	int rc = lock_take(&s->lock, cfg->directory, e);

	if (rc != 0)
		return rc;
	if ((size_t)snprintf(path, sizeof path, "%s/perdure.db", cfg->directory) >= sizeof path)
		return err_set(e, ERR_INVALID, "the data directory's path is too long");
	rc = writer_new(&s->writer, &writer, &s->answers, e);
	if (rc == 0)
		s->base.change_head = writer_opened_at_change(s->writer);
	if (rc == 0)
		rc = sync_directory(cfg->directory, e);
	if (rc == 0)
		rc = reader_pool_new(&s->readers, path, cfg->vfs,
				     cfg->readers ? cfg->readers : READERS, sink, e);
	return rc;
}

int
store_sqlite_open(struct store **out, const struct store_sqlite_config *cfg,
		  struct store_owner owner, struct err *e)
{
	struct sqlite *s = xcalloc(1, sizeof *s);
	int rc;

	/* Counting its memory takes a lock that writer and readers share. Refused once the library
	 * runs, for the second store of a process: then it is set already. */
	IGNORE(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0));
	s->base.ops = &OPS;
	s->base.owner = owner;
	s->lock.fd = -1;
	s->incarnation = xmalloc(cfg->incarnation.len + 1);
	memcpy(s->incarnation, cfg->incarnation.ptr, cfg->incarnation.len);
	s->incarnation[cfg->incarnation.len] = '\0';
	completion_queue_init(&s->answers, owner);
	rc = start(s, cfg, e);
	if (rc == 0)
		*out = &s->base;
	else
		dispose(s);
	return rc;
}
