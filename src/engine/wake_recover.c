/* wake_recover - what a start finds open, and wakes that are due: every such session is looked at, a few
 * at a time, in the order found. The look itself recovers what a dead process left. */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/actor.h"
#include "engine/wake_private.h"

enum { PAGE_ROWS = 500, AT_ONCE = 16 };

/* One that runs anyway may do so for long, and nothing begins because of us. */
static bool
is_busy(struct wake *w, struct str session)
{
	const struct actor *actor = actor_find(w->en, session);

	return actor && actor->turn;
}

static void
pump(struct wake *w)
{
	while (w->active < AT_ONCE && w->next < w->found.len && !w->en->draining) {
		char *id = w->found.ptr[w->next++];
		struct str session = str_of(id);
		bool begins = !map_find(&w->recovering, session) && !is_busy(w, session);

		if (begins) {
			w->active++;
			map_put(&w->recovering, session, id);
		}
		wake_session(w->en, session);
		if (!begins)
			free(id);
	}
	if (w->next == w->found.len) {
		vec_clear(&w->found);
		w->next = 0;
	}
}

static void
add(struct wake *w, struct str session)
{
	char *id = xcalloc(1, session.len + 1);

	memcpy(id, session.ptr, session.len);
	*vec_push(&w->found) = id;
}

void
wake_recover_add(struct wake *w, struct str session)
{
	add(w, session);
	pump(w);
}

void
wake_recover_settled(struct wake *w, struct str session)
{
	char *id = map_remove(&w->recovering, session);

	if (!id)
		return;
	free(id);
	w->active--;
	pump(w);
}

void
wake_recover_free(struct wake *w)
{
	struct str session;
	void *id;

	for (; w->next < w->found.len; w->next++)
		free(w->found.ptr[w->next]);
	for (size_t at = 0; map_next(&w->recovering, &at, &session, &id);)
		free(id);
	map_release(&w->recovering);
	vec_release(&w->found);
}

static bool
on_session(void *ctx, const struct store_row *row)
{
	enum turn_phase phase = row->session->row.state.phase;
	struct wake *w = ctx;

	w->cursor_ms = row->session->row.counters.last_activity_ms;
	add(w, row->session->id);
	if (phase != TURN_RUNNING && phase != TURN_RESCHEDULED)
		return true;
	w->en->carried_over++;
	if (w->holds)
		map_put(&w->held, arena_str(&w->held_ids, row->session->id), w);
	return true;
}

void
wake_hold_back(struct engine *en)
{
	en->wake->holds = true;
}

bool
wake_is_held(const struct engine *en, struct str session)
{
	return map_find(&en->wake->held, session) != NULL;
}

void
wake_asked(struct engine *en, struct str session)
{
	map_remove(&en->wake->held, session);
	wake_session(en, session);
}

static void read_page(struct wake *w);

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct wake *w = ctx;

	if (rc == 0 && more) {
		read_page(w);
		return;
	}
	w->known(w->known_ctx, rc, err);
	if (rc != 0)
		return;
	pump(w);
	wake_due_start(w);
}

/* Behind the last one that was found: nothing is taken from there before all pages are. */
static void
read_page(struct wake *w)
{
	size_t count = w->found.len;

	store_read(w->en->store,
		   &(struct store_query){ .kind = STORE_LIST_SESSIONS,
					  .filter.open_work = true,
					  .cursor_ms = w->cursor_ms,
					  .cursor_id = count > 0 ? str_of(w->found.ptr[count - 1])
								 : (struct str){ 0 },
					  .limit = PAGE_ROWS },
		   on_session, on_page, w);
}

void
wake_recover(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	struct wake *w = en->wake;

	w->known = done;
	w->known_ctx = ctx;
	read_page(w);
}
