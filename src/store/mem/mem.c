#include "store/mem/mem.h"

#include "base/xalloc.h"
#include "store/mem/mem_private.h"

/* A call that waits for store_dispatch. */
struct job {
	struct list link;
	const struct store_item *item; /* NULL: a read */
	store_append_fn *appended;
	struct store_query query;
	store_row_fn *row;
	store_read_fn *read;
	void *ctx;
};

static struct mem *
mem_of(struct store *s)
{
	return (struct mem *)s;
}

static void
submit(struct mem *m, struct job job)
{
	struct job *kept = xmalloc(sizeof *kept);

	*kept = job;
	list_append(&m->jobs, &kept->link);
	if (m->base.owner.wakeup)
		m->base.owner.wakeup(m->base.owner.ctx);
}

static void
on_append(struct store *s, const struct store_item *item, store_append_fn *done, void *ctx)
{
	submit(mem_of(s), (struct job){ .item = item, .appended = done, .ctx = ctx });
}

static void
on_read(struct store *s, const struct store_query *q, store_row_fn *row, store_read_fn *done,
	void *ctx)
{
	submit(mem_of(s), (struct job){ .query = *q, .row = row, .read = done, .ctx = ctx });
}

static void
run_append(struct mem *m, const struct job *job)
{
	struct store_result result = { 0 };
	const struct store_owner *owner = &m->base.owner;

	result.rc = mem_append(m, job->item, &result);
	if (result.rc < 0) /* nothing but the sentence: the item left no trace */
		result = (struct store_result){ .rc = result.rc, .err = result.err };
	if (result.rc == 0 && result.first_seq > 0 && owner->watch)
		owner->watch(owner->ctx, result.session, result.head_seq);
	if (result.rc == 0 && result.joined.first_seq > 0 && owner->watch)
		owner->watch(owner->ctx, job->item->joined->session, result.joined.head_seq);
	job->appended(job->ctx, &result);
}

static void
run_read(struct mem *m, const struct job *job)
{
	bool more = false;

	mem_read(m, &job->query, job->row, job->ctx, &more);
	job->read(job->ctx, 0, more, &(struct err){ 0 });
}

static void
run(struct mem *m, struct job *job)
{
	list_remove(&job->link);
	if (job->item)
		run_append(m, job);
	else
		run_read(m, job);
	free(job);
}

/* What is there now: a callback's own calls wait for the next time. */
static size_t
on_dispatch(struct store *s)
{
	struct mem *m = mem_of(s);
	struct list *last = m->jobs.prev, *at;
	size_t count = 0;
	bool was_last = list_is_empty(&m->jobs);

	for (; !was_last; count++) {
		at = m->jobs.next;
		was_last = at == last;
		run(m, LIST_OWNER(at, struct job, link));
	}
	return count;
}

static bool
on_wait(struct store *s, int timeout_ms)
{
	(void)timeout_ms; /* nobody else can bring anything */
	return !list_is_empty(&mem_of(s)->jobs);
}

static int
on_health(struct store *s, struct err *e)
{
	(void)s, (void)e;
	return 0;
}

static void
free_values(struct map *m)
{
	struct str key;
	void *value;

	for (size_t at = 0; map_next(m, &at, &key, &value);)
		free(value);
	map_release(m);
}

static void
free_sessions(struct map *m)
{
	struct str key;
	void *value;

	for (size_t at = 0; map_next(m, &at, &key, &value);)
		mem_session_free(&(struct mem_session *){ value });
	map_release(m);
}

static void
on_free(struct store *s)
{
	struct mem *m = mem_of(s);

	while (on_dispatch(s) > 0)
		;
	free_sessions(&m->sessions);
	mem_records_release(m);
	free_values(&m->keys);
	vec_release(&m->changes);
	arena_release(&m->names);
	free(m);
}

struct store *
store_mem_new(struct store_owner owner, const char *incarnation)
{
	static const struct store_ops OPS = {
		.append = on_append,
		.read = on_read,
		.dispatch = on_dispatch,
		.wait = on_wait,
		.health = on_health,
		.free = on_free,
	};
	struct mem *m = xcalloc(1, sizeof *m);

	m->base.ops = &OPS;
	m->base.owner = owner;
	arena_init(&m->names);
	m->incarnation = arena_str(&m->names, str_of(incarnation));
	map_init(&m->sessions, 0);
	map_init(&m->kinds, 0);
	map_init(&m->keys, 0);
	m->first_expiry_ms = INT64_MAX;
	list_init(&m->jobs);
	return &m->base;
}

void
store_mem_restart(struct store *s, struct store_owner owner, const char *incarnation)
{
	struct mem *m = mem_of(s);

	list_for_each (at, &m->jobs) {
		list_remove(at);
		free(LIST_OWNER(at, struct job, link));
	}
	store_drop_refused(s);
	m->base.owner = owner;
	m->incarnation = arena_str(&m->names, str_of(incarnation));
}
