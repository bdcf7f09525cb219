/* wake_due - one timer for the wake that is due next, whatever its session. What is due is told once; a
 * session that is busy then finds its wakes when it comes to rest. */
#include <stdlib.h>

#include "base/log.h"
#include "engine/wake_private.h"
#include "engine/wake_queue.h"

enum {
	PAGE_ROWS = 500,
	RETRY_MS = 1000,
	LONGEST_MS = 60000, /* clocks are set and machines sleep: never rely on one long wait */
};

static void
arm(struct wake *w, int64_t due_ms)
{
	int64_t now_ms = host_now_ms(w->en->host);
	int64_t delay_ms = due_ms > now_ms ? due_ms - now_ms : 0;

	if (w->en->draining || (w->armed_ms != 0 && w->armed_ms <= due_ms))
		return;
	w->armed_ms = due_ms;
	w->en->host->ops->timer_set(w->due_timer, delay_ms < LONGEST_MS ? delay_ms : LONGEST_MS);
}

/* ---- what is due ---- */

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct wake *w = ctx;
	struct due_wake *due;

	if (row->record->due_at_ms > w->due_now_ms) {
		w->next_due_ms = row->record->due_at_ms;
		return false;
	}
	due = vec_push(&w->due);
	due->priority = wake_queue_priority(row->record, &w->due_arena);
	due->due_ms = row->record->due_at_ms;
	due->id = arena_str(&w->due_arena, row->record->id);
	due->session = arena_str(&w->due_arena, row->record->owner);
	return true;
}

static int
compare(const void *a, const void *b)
{
	const struct due_wake *x = a, *y = b;

	return wake_policy_compare(
		&(struct wake_candidate){ x->priority, false, x->due_ms, x->id },
		&(struct wake_candidate){ y->priority, false, y->due_ms, y->id });
}

static void
tell(struct wake *w)
{
	if (w->due.len == 0)
		return;
	w->told_ms = w->due.ptr[w->due.len - 1].due_ms;
	buf_clear(&w->told_id);
	buf_put_str(&w->told_id, w->due.ptr[w->due.len - 1].id);
	qsort(w->due.ptr, w->due.len, sizeof *w->due.ptr, compare);
	for (size_t i = 0; i < w->due.len; i++)
		wake_recover_add(w, w->due.ptr[i].session);
	vec_clear(&w->due);
	arena_reset(&w->due_arena);
}

static void read_page(struct wake *w);
static void look_for_due(struct wake *w);

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct wake *w = ctx;
	struct engine *en = w->en;

	if (rc != 0) {
		log_write(LOG_WARN, "wake.due_failed", LOG_STR("error", str_of(err->text)));
		vec_clear(&w->due);
		w->next_due_ms = host_now_ms(en->host) + RETRY_MS;
	}
	tell(w);
	if (rc == 0 && more && w->next_due_ms == 0 && !en->draining) {
		read_page(w);
		return;
	}
	w->reading_due = false;
	if (w->next_due_ms != 0)
		arm(w, w->next_due_ms);
	if (w->due_meanwhile && !en->draining)
		look_for_due(w);
	en->open_turns--;
	engine_turn_closed(en);
}

static void
read_page(struct wake *w)
{
	store_read(w->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_WAKE,
					  .due_until_ms = INT64_MAX,
					  .after = w->told_ms,
					  .record_id = buf_str(&w->told_id),
					  .limit = PAGE_ROWS },
		   on_row, on_page, w);
}

/* One at a time: what was written since the first began is only seen by the next. */
static void
look_for_due(struct wake *w)
{
	w->due_meanwhile = w->reading_due;
	if (w->reading_due)
		return;
	w->reading_due = true;
	w->due_now_ms = host_now_ms(w->en->host);
	w->next_due_ms = 0;
	w->en->open_turns++; /* a drain waits for it */
	read_page(w);
}

static void
on_due(void *ctx)
{
	struct wake *w = ctx;

	w->armed_ms = 0;
	if (!w->en->draining)
		look_for_due(w);
}

/* ---- life ---- */

void
wake_due_start(struct wake *w)
{
	w->due_timer = w->en->host->ops->timer_new(w->en->host, on_due, w);
	arena_init(&w->due_arena);
	buf_init(&w->told_id, STORE_RECORD_ID_MAX);
	look_for_due(w);
}

void
wake_due_free(struct wake *w)
{
	if (!w->due_timer)
		return;
	w->en->host->ops->timer_free(TAKE(w->due_timer));
	vec_release(&w->due);
	arena_release(&w->due_arena);
	buf_release(&w->told_id);
}

void
wake_due_again(struct wake *w, struct str session, const struct wake_list *wakes)
{
	int64_t now_ms = host_now_ms(w->en->host);

	for (size_t i = 0; i < wakes->len; i++) {
		const struct wake_item *item = &wakes->ptr[i].item;

		if (item->parked || item->due_ms <= now_ms)
			continue;
		if (item->due_ms <= w->told_ms)
			wake_nap(w, session, item->due_ms - now_ms, 0);
		else
			arm(w, item->due_ms);
	}
}

void
wake_queued(struct engine *en, const struct store_put *puts, size_t count)
{
	struct wake *w = en->wake;

	for (size_t i = 0; i < count; i++) {
		const struct store_record *r = &puts[i].record;

		if (puts[i].remove || r->due_at_ms == 0 || !str_eq(r->kind, RECORD_WAKE))
			continue;
		if (r->due_at_ms <= w->told_ms || r->due_at_ms <= host_now_ms(en->host))
			wake_session(en, r->owner); /* the timer may be past it */
		else if (w->due_timer)
			arm(w, r->due_at_ms);
	}
}
