#include "app/mirror.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "app/mirror_sync.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/rand.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	GATHER_MS = 20,       /* what grows within it is written together */
	AGAIN_MS = 10 * 1000, /* after a file could not be written */
	LAST_MS = 3000,       /* for what is missing when the server ends */
	SERVE_MS = 20,
	PAGE_ROWS = 200,
};

struct dirty {
	struct list node;
	int64_t not_before_ms; /* monotonic; 0: at once */
	struct str session;    /* behind the struct */
};

/* One page that the thread waits for. */
struct request {
	const struct store_query *query;
	store_row_fn *row;
	void *ctx;
	int rc;
	bool more;
	struct err err;
	enum { REQUEST_NONE, REQUEST_ASKED, REQUEST_READING, REQUEST_DONE } state;
};

struct mirror {
	struct mirror_config config;
	struct engine_watch watch;
	struct loop_wake *asked;
	pthread_t thread;
	int64_t said_ms; /* the thread's: when it last complained */

	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	struct list dirty; /* in the order they are looked at */
	size_t dirty_count;
	struct map by_session;
	struct request request;
	bool finishing; /* what is dirty, and nothing else */
	bool ending;    /* at once */
	bool ended;
};

/* ---- the loop's side ---- */

static bool
on_row(void *ctx, const struct store_row *row) /* a thread of the store's, while ours waits */
{
	struct mirror *m = ctx;

	return m->request.row(m->request.ctx, row);
}

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct mirror *m = ctx;

	pthread_mutex_lock(&m->lock);
	m->request.rc = rc;
	m->request.more = more;
	if (rc != 0)
		m->request.err = *err;
	m->request.state = REQUEST_DONE;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

static void
on_asked(void *ctx)
{
	struct mirror *m = ctx;
	bool asked;

	pthread_mutex_lock(&m->lock);
	asked = m->request.state == REQUEST_ASKED;
	if (asked)
		m->request.state = REQUEST_READING;
	pthread_mutex_unlock(&m->lock);
	if (asked)
		store_read(m->config.store, m->request.query, on_row, on_page, m);
}

/* With the lock, like mark. */
static void
append(struct mirror *m, struct dirty *d)
{
	list_append(&m->dirty, &d->node);
	m->dirty_count++;
	map_put(&m->by_session, d->session, d);
}

static void
mark(struct mirror *m, struct str session)
{
	struct dirty *d;

	if (map_find(&m->by_session, session))
		return;
	d = xcalloc(1, sizeof *d + session.len);
	memcpy(d + 1, session.ptr, session.len);
	d->session = (struct str){ (const char *)(d + 1), session.len };
	append(m, d);
	pthread_cond_broadcast(&m->changed);
}

static void
on_event(void *ctx, const struct store_event *ev)
{
	struct mirror *m = ctx;

	pthread_mutex_lock(&m->lock);
	mark(m, ev->session);
	pthread_mutex_unlock(&m->lock);
}

/* ---- the thread ---- */

/* With the lock; gives it up while it waits. */
static void
wait_ms(struct mirror *m, int64_t ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&m->changed, &m->lock, &until);
}

static int
read_page(void *ctx, const struct store_query *q, store_row_fn *row, void *row_ctx, bool *more,
	  struct err *e)
{
	struct mirror *m = ctx;
	struct request *r = &m->request;
	int rc = 0;

	pthread_mutex_lock(&m->lock);
	if (m->ending) {
		pthread_mutex_unlock(&m->lock);
		return err_set(e, ERR_UNAVAILABLE, "the server ends");
	}
	*r = (struct request){ .query = q, .row = row, .ctx = row_ctx, .state = REQUEST_ASKED };
	pthread_cond_broadcast(&m->changed);
	loop_wake_send(m->asked);
	while (r->state == REQUEST_READING || (r->state == REQUEST_ASKED && !m->ending))
		pthread_cond_wait(&m->changed, &m->lock);
	if (r->state == REQUEST_DONE) {
		*more = r->more;
		rc = r->rc;
		if (rc != 0)
			*e = r->err;
	} else {
		rc = err_set(e, ERR_UNAVAILABLE, "the server ends");
	}
	r->state = REQUEST_NONE;
	pthread_mutex_unlock(&m->lock);
	return rc;
}

static int64_t
now_ms(void *ctx)
{
	(void)ctx;
	return clock_now_ms();
}

static int64_t
monotonic_ms(void)
{
	return clock_monotonic_ns() / 1000000;
}

static int
sync_one(struct mirror *m, struct str session, struct err *e)
{
	return mirror_sync(&(struct mirror_source){ read_page, now_ms, m }, m->config.data, session,
			   e);
}

/* With the lock: how long nothing is to be done; a day when there is nothing at all. */
static int64_t
idle_ms(const struct mirror *m)
{
	int64_t now = monotonic_ms(), least = INT64_C(86400000);

	list_for_each (at, &m->dirty) {
		const struct dirty *d = LIST_OWNER(at, struct dirty, node);
		int64_t left = d->not_before_ms > now ? d->not_before_ms - now : 0;

		if (left < least)
			least = left;
		if (least == 0)
			break;
	}
	return least;
}

/* With the lock: the next session whose time has come; NULL: none. */
static struct dirty *
take_dirty(struct mirror *m)
{
	int64_t now = monotonic_ms();

	list_for_each (at, &m->dirty) {
		struct dirty *d = LIST_OWNER(at, struct dirty, node);

		if (d->not_before_ms > now)
			continue;
		list_remove(&d->node);
		m->dirty_count--;
		map_remove(&m->by_session, d->session);
		return d;
	}
	return NULL;
}

/* Comes again later, also when it has grown meanwhile: a disk that is full is asked now and then. */
static void
put_off(struct mirror *m, struct dirty *d, const struct err *e)
{
	int64_t now = monotonic_ms();
	struct dirty *again;

	if (m->said_ms == 0 || now - m->said_ms >= AGAIN_MS) {
		m->said_ms = now;
		log_write(LOG_WARN, "mirror.not_written", LOG_STR("session", d->session),
			  LOG_STR("error", str_of(e->text)));
	}
	d->not_before_ms = now + AGAIN_MS;
	pthread_mutex_lock(&m->lock);
	again = map_find(&m->by_session, d->session);
	if (again)
		again->not_before_ms = d->not_before_ms;
	else
		append(m, d);
	pthread_mutex_unlock(&m->lock);
	if (again)
		free(d);
}

/* One session, if one is to be done. */
static bool
sync_next(struct mirror *m)
{
	struct dirty *d;
	struct err e;

	pthread_mutex_lock(&m->lock);
	d = m->ending ? NULL : take_dirty(m);
	pthread_mutex_unlock(&m->lock);
	if (!d)
		return false;
	if (sync_one(m, d->session, &e) == 0)
		free(d);
	else
		put_off(m, d, &e);
	return true;
}

/* Each session that is known now, once: one that grows all the time must not hold up the others. */
static void
sync_all(struct mirror *m)
{
	size_t count;

	pthread_mutex_lock(&m->lock);
	count = m->dirty_count;
	pthread_mutex_unlock(&m->lock);
	while (count-- > 0 && sync_next(m))
		;
}

/* ---- what a kill left behind ---- */

struct walk {
	struct mirror *m;
	struct arena arena; /* of the page */
	VEC(struct str) page;
	int64_t cursor_ms;
	struct arena kept;
	struct str cursor_id;
};

static bool
on_session(void *ctx, const struct store_row *row)
{
	struct walk *w = ctx;

	*vec_push(&w->page) = arena_str(&w->arena, row->session->id);
	w->cursor_ms = row->session->row.counters.last_activity_ms;
	return true;
}

static bool
is_wanted(struct mirror *m)
{
	bool wanted;

	pthread_mutex_lock(&m->lock);
	wanted = !m->ending && !m->finishing;
	pthread_mutex_unlock(&m->lock);
	return wanted;
}

static void
mark_page(struct walk *w)
{
	struct mirror *m = w->m;

	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < w->page.len; i++)
		mark(m, w->page.ptr[i]);
	pthread_mutex_unlock(&m->lock);
	arena_reset(&w->kept);
	w->cursor_id = arena_str(&w->kept, w->page.ptr[w->page.len - 1]);
	vec_clear(&w->page);
	arena_reset(&w->arena);
}

/* All sessions, a page at a time; what is live comes in between. */
static void
walk_all(struct mirror *m)
{
	struct walk w = { .m = m };
	bool more = true;
	struct err e;

	arena_init(&w.arena);
	arena_init(&w.kept);
	while (more && is_wanted(m)) {
		struct store_query q = { .kind = STORE_LIST_SESSIONS,
					 .oldest_first = true,
					 .cursor_ms = w.cursor_ms,
					 .cursor_id = w.cursor_id,
					 .limit = PAGE_ROWS };

		if (read_page(m, &q, on_session, &w, &more, &e) != 0) {
			log_write(LOG_WARN, "mirror.not_compared",
				  LOG_STR("error", str_of(e.text)));
			break;
		}
		if (w.page.len == 0)
			break;
		mark_page(&w);
		sync_all(m);
	}
	vec_release(&w.page);
	arena_release(&w.arena);
	arena_release(&w.kept);
}

/* Until there is something to do; false: it is over. */
static bool
await_work(struct mirror *m)
{
	int64_t idle;
	bool over;

	pthread_mutex_lock(&m->lock);
	while (!m->ending && !m->finishing && (idle = idle_ms(m)) > 0)
		wait_ms(m, idle);
	over = m->ending || (m->finishing && idle_ms(m) > 0);
	pthread_mutex_unlock(&m->lock);
	return !over;
}

static void *
work(void *ctx)
{
	struct mirror *m = ctx;

	walk_all(m);
	while (await_work(m)) {
		if (is_wanted(m))
			nanosleep(&(struct timespec){ .tv_nsec = GATHER_MS * 1000000 }, NULL);
		sync_all(m);
	}
	pthread_mutex_lock(&m->lock);
	m->ended = true;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

/* ---- life ---- */

int
mirror_new(struct mirror **out, const struct mirror_config *config, struct err *e)
{
	struct mirror *m = xcalloc(1, sizeof *m);
	pthread_condattr_t attr;
	struct rand rand;
	int status;

	rand_init_os(&rand);
	m->config = *config;
	list_init(&m->dirty);
	map_init(&m->by_session, rand_u64(&rand));
	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&m->changed, &attr);
	pthread_condattr_destroy(&attr);
	m->asked = loop_wake_new(config->loop, on_asked, m);
	status = pthread_create(&m->thread, NULL, work, m);
	if (status != 0) {
		loop_wake_free(&m->asked);
		map_release(&m->by_session);
		free(m);
		return err_set(e, ERR_UNAVAILABLE, "cannot start a thread for the mirror: %s",
			       strerror(status));
	}
	m->watch = (struct engine_watch){ .on_event = on_event, .ctx = m };
	engine_watch_all(config->engine, &m->watch);
	*out = m;
	return 0;
}

/* The thread may wait for a page: serves it without the loop. */
static void
await_end(struct mirror *m)
{
	int64_t until = monotonic_ms() + LAST_MS;
	bool over = false;

	while (!over) {
		on_asked(m);
		store_wait(m->config.store, SERVE_MS);
		store_dispatch(m->config.store);
		pthread_mutex_lock(&m->lock);
		if (monotonic_ms() > until && !m->ending) {
			m->ending = true;
			pthread_cond_broadcast(&m->changed);
		}
		over = m->ended;
		if (!over && (m->request.state == REQUEST_NONE || m->request.state == REQUEST_DONE))
			wait_ms(m, 1);
		pthread_mutex_unlock(&m->lock);
	}
}

void
mirror_free(struct mirror **mirror)
{
	struct mirror *m = TAKE(*mirror);

	if (!m)
		return;
	engine_unwatch(&m->watch);
	pthread_mutex_lock(&m->lock);
	m->finishing = true;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	await_end(m);
	pthread_join(m->thread, NULL);
	list_for_each (at, &m->dirty)
		free(LIST_OWNER(at, struct dirty, node));
	loop_wake_free(&m->asked);
	map_release(&m->by_session);
	pthread_mutex_destroy(&m->lock);
	pthread_cond_destroy(&m->changed);
	free(m);
}
