#include "verify.h"

#include <stdarg.h>
#include <stdio.h>

#include "await.h"
#include "base/xalloc.h"
#include "verify_private.h"

enum { PROBLEMS_MAX = 64 * 1024 };

void
verify_init(struct verify *v)
{
	*v = (struct verify){ 0 };
	arena_init(&v->arena);
	map_init(&v->sessions, 1);
	map_init(&v->events, 2);
	buf_init(&v->problems, PROBLEMS_MAX);
}

void
verify_release(struct verify *v)
{
	for (size_t i = 0; i < v->all.len; i++) {
		replay_free(&v->all.ptr[i]->replay);
		vec_release(&v->all.ptr[i]->log);
	}
	vec_release(&v->all);
	map_release(&v->sessions);
	map_release(&v->events);
	buf_release(&v->problems);
	arena_release(&v->arena);
}

void
verify_problem(struct verify *v, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	buf_printf(&v->problems, "  %s\n", line);
	v->problem_count++;
}

const struct verify_event *
verify_at(const struct verify *v, struct str session, int64_t seq)
{
	const struct verify_session *s = map_find(&v->sessions, session);

	return s && seq >= 1 && (size_t)seq <= s->log.len ? s->log.ptr[seq - 1] : NULL;
}

const struct verify_event *
verify_find(const struct verify *v, struct str event_id)
{
	return map_find(&v->events, event_id);
}

struct session_page {
	struct verify *v;
	int64_t last_ms;
	struct str last_id;
};

static bool
on_session(void *ctx, const struct store_row *row)
{
	struct session_page *page = ctx;
	struct verify *v = page->v;
	struct verify_session *s = ARENA_NEW(&v->arena, struct verify_session);

	s->id = arena_str(&v->arena, row->session->id);
	if (map_put(&v->sessions, s->id, s))
		verify_problem(v, "session " STR_FMT " is listed twice", STR_ARG(s->id));
	*vec_push(&v->all) = s;
	page->last_ms = row->session->row.counters.last_activity_ms;
	page->last_id = s->id;
	return true;
}

static void
list_sessions(struct verify *v, struct store *store)
{
	struct session_page page = { .v = v };
	bool more = true;
	struct err e;

	while (more) {
		struct store_query q = { .kind = STORE_LIST_SESSIONS,
					 .cursor_ms = page.last_ms,
					 .cursor_id = page.last_id,
					 .limit = STORE_PAGE_ROWS_MAX };
		if (await_read(store, &q, on_session, &page, &more, &e) != 0) {
			verify_problem(v, "sessions cannot be listed: %s", e.text);
			return;
		}
	}
}

struct event_page {
	struct verify *v;
	struct verify_session *s;
};

static struct event
keep_event(struct arena *a, const struct event *ev)
{
	struct event kept = *ev;

	kept.id = arena_str(a, ev->id);
	kept.turn = arena_str(a, ev->turn);
	kept.meta = arena_str(a, ev->meta);
	kept.payload = arena_str(a, ev->payload);
	return kept;
}

static bool
on_event(void *ctx, const struct store_row *row)
{
	struct event_page *page = ctx;
	struct verify *v = page->v;
	struct verify_event *e = ARENA_NEW(&v->arena, struct verify_event);

	e->session = page->s->id;
	e->ev = keep_event(&v->arena, &row->event->ev);
	e->hash = row->event->hash;
	e->processed_at_ms = row->event->processed_at_ms;
	*vec_push(&page->s->log) = e;
	if (map_put(&v->events, e->ev.id, e))
		verify_problem(v, "event " STR_FMT " is there twice", STR_ARG(e->ev.id));
	return true;
}

static void
list_events(struct verify *v, struct store *store, struct verify_session *s)
{
	struct event_page page = { v, s };
	bool more = true;
	struct err e;

	while (more) {
		struct store_query q = { .kind = STORE_LIST_EVENTS,
					 .session = s->id,
					 .after = (int64_t)s->log.len,
					 .limit = STORE_PAGE_ROWS_MAX };
		if (await_read(store, &q, on_event, &page, &more, &e) != 0) {
			verify_problem(v, STR_FMT ": events cannot be listed: %s", STR_ARG(s->id),
				       e.text);
			return;
		}
	}
}

/* False when the log is not whole; then there is nothing to compare with. */
static bool
fold(struct verify *v, struct verify_session *s)
{
	struct err e;

	s->replay = replay_new();
	for (size_t i = 0; i < s->log.len; i++) {
		const struct verify_event *ev = s->log.ptr[i];
		if (replay_apply(s->replay, &ev->ev, &e) != 0) {
			verify_problem(v, STR_FMT ": %s", STR_ARG(s->id), e.text);
			return false;
		}
		if (memcmp(&replay_session(s->replay)->head_hash, &ev->hash, sizeof ev->hash)) {
			verify_problem(v, STR_FMT ": the chain breaks at %zu", STR_ARG(s->id),
				       i + 1);
			return false;
		}
	}
	return true;
}

void
verify_store(struct verify *v, struct store *store)
{
	list_sessions(v, store);
	for (size_t i = 0; i < v->all.len; i++) {
		list_events(v, store, v->all.ptr[i]);
		if (fold(v, v->all.ptr[i]))
			verify_projections(v, store, v->all.ptr[i]);
	}
}
