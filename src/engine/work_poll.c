/* work_poll - who waits for an item: first come, first served, woken by the item that comes or by the
 * time at which one is free again. Commands of engine.h: engine_work_poll, engine_work_stats. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/work_private.h"

enum { SEEN_MS = 30 * 1000, SEEN_MAX = 1024 };

/* A worker that polled, by its name. */
struct seen {
	struct list node;
	int64_t at_ms;
	struct str worker; /* behind the struct */
};

struct wait {
	struct list node; /* in queue->waits or ->served */
	struct work_queue *queue;
	struct engine_call call;
	struct engine_poll poll;
	int64_t until_ms;
	struct host_timer *timer;
	struct work_entry *entry; /* that it is about to have */
	struct host_task over;
	bool waits; /* in queue->waits */
	int rc;     /* with which it is over */
};

/* ---- who polled lately ---- */

static void
see(struct work_queue *q, struct str worker)
{
	int64_t now_ms = host_now_ms(q->work->en->host);
	struct seen *s = NULL;
	size_t count = 0;

	if (worker.len == 0)
		return;
	list_for_each (at, &q->polls) {
		count++;
		if (str_eq(LIST_OWNER(at, struct seen, node)->worker, worker))
			s = LIST_OWNER(at, struct seen, node);
	}
	if (!s && count == SEEN_MAX)
		return;
	if (!s) {
		s = xcalloc(1, sizeof *s + worker.len);
		memcpy(s + 1, worker.ptr, worker.len);
		s->worker = (struct str){ (const char *)(s + 1), worker.len };
		list_append(&q->polls, &s->node);
		work_due(q->work, now_ms + SEEN_MS);
	}
	s->at_ms = now_ms;
}

int64_t
work_forget_polls(struct work_queue *q, int64_t now_ms)
{
	int64_t next_ms = INT64_MAX;

	list_for_each (at, &q->polls) {
		struct seen *s = LIST_OWNER(at, struct seen, node);

		if (s->at_ms + SEEN_MS > now_ms) {
			if (s->at_ms + SEEN_MS < next_ms)
				next_ms = s->at_ms + SEEN_MS;
			continue;
		}
		list_remove(at);
		free(s);
	}
	return next_ms;
}

/* ---- the end of a wait ---- */

static void
wait_free(struct wait *w)
{
	struct work_queue *q = w->queue;

	list_remove(&w->node);
	list_remove(&w->over.node);
	q->work->en->host->ops->timer_free(w->timer);
	free(w);
	work_queue_settle(q);
}

static void
answer_none(struct host_task *task)
{
	struct wait *w = LIST_OWNER(task, struct wait, over);
	struct err e;

	if (w->rc != 0)
		err_set(&e, w->rc, "the server is shutting down: try again soon");
	w->call.done(w->call.ctx,
		     &(struct engine_answer){ .rc = w->rc, .err = &e, .queue_position = -1 });
	wait_free(w);
}

static void
leave(struct wait *w)
{
	list_remove(&w->node);
	list_append(&w->queue->served, &w->node);
	w->waits = false;
}

static void
enter(struct wait *w)
{
	list_remove(&w->node);
	list_append(&w->queue->waits, &w->node);
	w->waits = true;
}

/* Nothing came, and never from inside the call that asked. */
static void
wait_over(struct wait *w, int rc)
{
	leave(w);
	w->rc = rc;
	host_defer(w->queue->work->en->host, &w->over);
}

void
work_end_waits(struct work_queue *q)
{
	while (!list_is_empty(&q->waits))
		wait_over(LIST_OWNER(q->waits.next, struct wait, node), ERR_UNAVAILABLE);
}

/* ---- an item for it ---- */

static void
on_handed_out(void *ctx, const struct engine_answer *answer)
{
	struct wait *w = ctx;

	w->entry->claiming = false;
	w->entry = NULL;
	if (answer->rc == ERR_CONFLICT) { /* somebody was quicker */
		enter(w);
		work_serve(w->queue);
		return;
	}
	w->call.done(w->call.ctx, answer);
	work_serve(w->queue); /* the others: it is free again unless it is acknowledged */
	wait_free(w);
}

static void
hand_out(struct wait *w, struct work_entry *entry)
{
	leave(w);
	w->entry = entry;
	entry->claiming = true;
	work_hand_out(w->queue->work->en,
		      (struct engine_work){ w->queue->environment, entry->item.id }, &w->poll,
		      &(struct engine_call){ .done = on_handed_out, .ctx = w });
}

/* The first item that is free; else *when one will be. */
static struct work_entry *
find_free(const struct wait *w, int64_t now_ms, int64_t *when)
{
	*when = INT64_MAX;
	list_for_each (at, &w->queue->entries) {
		struct work_entry *entry = LIST_OWNER(at, struct work_entry, node);
		int64_t free_ms = work_policy_free_ms(&entry->item, w->poll.reclaim_ms);

		if (entry->claiming)
			continue;
		if (free_ms <= now_ms)
			return entry;
		if (free_ms < *when)
			*when = free_ms;
	}
	return NULL;
}

static void
serve(struct wait *w)
{
	struct host *host = w->queue->work->en->host;
	int64_t now_ms = host_now_ms(host), when;
	struct work_entry *entry = find_free(w, now_ms, &when);

	if (entry && w->poll.is_there && !w->poll.is_there(w->call.ctx)) {
		wait_over(w, 0);
	} else if (entry) {
		hand_out(w, entry);
	} else if (now_ms >= w->until_ms) {
		wait_over(w, 0);
	} else {
		when = when < w->until_ms ? when : w->until_ms;
		host->ops->timer_set(w->timer, when - now_ms);
	}
}

void
work_serve(struct work_queue *q)
{
	list_for_each (at, &q->waits)
		serve(LIST_OWNER(at, struct wait, node));
}

static void
on_time(void *ctx)
{
	struct wait *w = ctx;

	if (w->waits)
		serve(w);
}

/* ---- the commands ---- */

void
engine_work_poll(struct engine *en, const struct engine_call *call, const struct engine_poll *poll)
{
	struct work_queue *q;
	struct wait *w;
	struct err e;
	int rc = access_check_work(call->caller, poll->environment, STR(""), &e);

	if (rc != 0)
		engine_refuse(en, call, rc, &e);
	if (rc != 0 || engine_is_closed(en, call))
		return;
	q = work_queue_get(en->work, poll->environment);
	w = xcalloc(1, sizeof *w);
	*w = (struct wait){ .queue = q,
			    .call = *call,
			    .poll = *poll,
			    .until_ms = host_now_ms(en->host) + poll->block_ms,
			    .over.fn = answer_none };
	list_init(&w->node);
	list_init(&w->over.node);
	w->timer = en->host->ops->timer_new(en->host, on_time, w);
	enter(w);
	see(q, poll->worker);
	serve(w);
}

static void
count_entry(const struct work_item *item, struct engine_work_stats *out)
{
	if (item->state != WORK_QUEUED)
		return;
	if (item->handed_ms == 0)
		out->depth++;
	else
		out->pending++;
	if (out->oldest_ms == 0 || item->created_ms < out->oldest_ms)
		out->oldest_ms = item->created_ms;
}

int
engine_work_stats(struct engine *en, const struct engine_caller *caller, struct str environment,
		  struct engine_work_stats *out, struct err *e)
{
	struct work_queue *q;
	int rc = access_check_work(caller, environment, STR(""), e);

	if (rc != 0)
		return rc;
	*out = (struct engine_work_stats){ 0 };
	q = work_queue_find(en->work, environment);
	if (!q)
		return 0;
	work_forget_polls(q, host_now_ms(en->host));
	list_for_each (at, &q->entries)
		count_entry(&LIST_OWNER(at, struct work_entry, node)->item, out);
	list_for_each (at, &q->polls)
		out->workers++;
	return 0;
}
