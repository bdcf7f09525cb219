#include "store/sqlite/view.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/list.h"
#include "base/xalloc.h"
#include "store/sqlite/db.h"
#include "store/sqlite/read.h"
#include "store/sqlite/schema.h"
#include "store/store_private.h"

struct view {
	struct store store;
	struct db db;
	struct read read;
	struct list waiting;
};

struct job {
	struct list link;
	store_append_fn *appended; /* an append, to be refused; else a read */
	struct store_query q;
	store_row_fn *row;
	store_read_fn *done;
	void *ctx;
};

static void
submit(struct store *s, struct job job)
{
	struct view *v = (struct view *)s;
	struct job *kept = xmalloc(sizeof *kept);

	*kept = job;
	list_append(&v->waiting, &kept->link);
	if (s->owner.wakeup)
		s->owner.wakeup(s->owner.ctx);
}

static void
view_append(struct store *s, const struct store_item *item, store_append_fn *done, void *ctx)
{
	(void)item;
	submit(s, (struct job){ .appended = done, .ctx = ctx });
}

static void
view_read(struct store *s, const struct store_query *q, store_row_fn *row, store_read_fn *done,
	  void *ctx)
{
	submit(s, (struct job){ .q = *q, .row = row, .done = done, .ctx = ctx });
}

static void
run_append(struct job *job)
{
	struct store_result result = { 0 };

	result.rc = err_set(&result.err, ERR_DENIED, "this store is opened for reading only");
	job->appended(job->ctx, &result);
}

static void
run_read(struct view *v, struct job *job)
{
	struct err e = { 0 };
	bool more = false;
	int rc = read_run(&v->read, &job->q, job->row, job->ctx, &more, &e);

	job->done(job->ctx, rc, more, &e);
}

static size_t
view_dispatch(struct store *s)
{
	struct view *v = (struct view *)s;
	size_t count = 0;

	for (; !list_is_empty(&v->waiting); count++) {
		struct job *job = LIST_OWNER(v->waiting.next, struct job, link);
		list_remove(&job->link);
		if (job->appended)
			run_append(job);
		else
			run_read(v, job);
		free(job);
	}
	return count;
}

static bool
view_wait(struct store *s, int timeout_ms)
{
	(void)timeout_ms;
	return !list_is_empty(&((struct view *)s)->waiting);
}

static int
view_health(struct store *s, struct err *e)
{
	(void)s, (void)e;
	return 0;
}

static void
view_free(struct store *s)
{
	struct view *v = (struct view *)s;

	view_dispatch(s);
	read_release(&v->read);
	db_close(&v->db);
	free(v);
}

static const struct store_ops OPS = {
	.append = view_append,
	.read = view_read,
	.dispatch = view_dispatch,
	.wait = view_wait,
	.health = view_health,
	.free = view_free,
};

int
store_sqlite_view(struct store **out, const char *path, struct store_owner owner, struct err *e)
{
	struct view *v;
	int rc;

	if (access(path, F_OK) != 0)
		return err_set(e, ERR_NOT_FOUND, "there is no database at %s", path);
	v = xcalloc(1, sizeof *v);
	rc = db_open(&v->db, path, DB_READER, NULL, e);
	if (rc == 0)
		rc = schema_check(&v->db, e);
	if (rc != 0) {
		db_close(&v->db);
		free(v);
		return rc;
	}
	v->store = (struct store){ .ops = &OPS, .owner = owner };
	list_init(&v->waiting);
	read_init(&v->read, &v->db, (struct str){ 0 }); /* nobody lives: no lease is live */
	*out = &v->store;
	return 0;
}
