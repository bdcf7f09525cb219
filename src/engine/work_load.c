/* work_load - the open items at the start, and then, a few at a time, the sessions that wait for
 * results: one may have been left without an item, or an item without its session. */
#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "core/session.h"
#include "engine/work_private.h"

enum { PAGE_ROWS = 200 };

struct loaded {
	struct work_item item;
	int64_t version;
};

/* Looks at sessions one after the other. */
struct work_scan {
	struct work *work;
	struct arena arena;
	VEC(struct str) sessions; /* to be looked at */
	size_t next;
	bool more;
	int64_t cursor_ms;
	struct str cursor_id;
};

struct loading {
	struct engine *en;
	struct arena arena;
	VEC(struct loaded) items;
	int64_t last_due_ms;
	struct str last_id;
	int rc; /* of a row that cannot be read */
	struct err err;
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

/* ---- sessions ---- */

static void
scan_free(struct work_scan *s)
{
	s->work->scan = NULL;
	vec_release(&s->sessions);
	arena_release(&s->arena);
	free(s);
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct work_scan *s = ctx;

	s->cursor_ms = row->session->row.counters.last_activity_ms;
	s->cursor_id = arena_str(&s->arena, row->session->id);
	*vec_push(&s->sessions) = s->cursor_id;
	return true;
}

static void
on_sessions(void *ctx, int rc, bool more, const struct err *err)
{
	struct work_scan *s = ctx;
	struct engine *en = s->work->en;

	(void)err; /* a store that cannot read says so elsewhere */
	s->more = rc == 0 && more;
	s->work->scan = s;
	work_scan_next(s->work);
	en->open_turns--;
	engine_turn_closed(en);
}

static void
scan_page(struct work_scan *s)
{
	s->work->scan = NULL; /* nobody goes on while it is read */
	s->work->en->open_turns++;
	store_read(s->work->en->store,
		   &(struct store_query){ .kind = STORE_LIST_SESSIONS,
					  .filter.open_work = true,
					  .filter.phases = 1u << TURN_PARKED,
					  .cursor_ms = s->cursor_ms,
					  .cursor_id = s->cursor_id,
					  .limit = PAGE_ROWS },
		   on_session_row, on_sessions, s);
}

void
work_scan_next(struct work *w)
{
	struct work_scan *s = w->scan;

	if (!s)
		return;
	if (w->en->draining || (s->next == s->sessions.len && !s->more))
		scan_free(s);
	else if (s->next < s->sessions.len)
		work_look(w->en, s->sessions.ptr[s->next++], false);
	else
		scan_page(s);
}

/* Those that have an item first: it may be for nothing. */
static void
scan_begin(struct loading *l)
{
	struct work_scan *s = xcalloc(1, sizeof *s);

	s->work = l->en->work;
	arena_init(&s->arena);
	for (size_t i = 0; i < l->items.len; i++)
		*vec_push(&s->sessions) = arena_str(&s->arena, l->items.ptr[i].item.session_id);
	s->more = true;
	s->work->scan = s;
	work_scan_next(s->work);
}

/* ---- items ---- */

static void
load_end(struct loading *l, int rc, const struct err *err)
{
	if (rc == 0) {
		for (size_t i = 0; i < l->items.len; i++)
			work_apply(l->en->work, &l->items.ptr[i].item, l->items.ptr[i].version);
		scan_begin(l);
		work_purge(l->en->work);
	}
	l->done(l->ctx, rc, err);
	vec_release(&l->items);
	arena_release(&l->arena);
	free(l);
}

static bool
on_item_row(void *ctx, const struct store_row *row)
{
	struct loading *l = ctx;
	const struct store_record *r = row->record;
	struct loaded *out = vec_push(&l->items);
	struct json_doc *doc = ARENA_NEW(&l->arena, struct json_doc);

	l->last_due_ms = r->due_at_ms;
	l->last_id = arena_str(&l->arena, r->id);
	out->version = r->version;
	l->rc = json_parse(&l->arena, arena_str(&l->arena, r->body), &JSON_LIMITS_DEFAULT, doc,
			   &l->err);
	if (l->rc == 0)
		l->rc = work_item_read(json_root(doc), &l->arena, &out->item, &l->err);
	return l->rc == 0;
}

static void read_items(struct loading *l);

static void
on_items(void *ctx, int rc, bool more, const struct err *err)
{
	struct loading *l = ctx;

	if (rc != 0)
		load_end(l, rc, err);
	else if (l->rc != 0)
		load_end(l, l->rc, &l->err);
	else if (more)
		read_items(l);
	else
		load_end(l, 0, NULL);
}

static void
read_items(struct loading *l)
{
	store_read(l->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_WORK,
					  .due_until_ms = INT64_MAX,
					  .after = l->last_due_ms,
					  .record_id = l->last_id,
					  .limit = PAGE_ROWS },
		   on_item_row, on_items, l);
}

void
work_load(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	struct loading *l = xcalloc(1, sizeof *l);

	l->en = en;
	l->done = done;
	l->ctx = ctx;
	arena_init(&l->arena);
	read_items(l);
}
