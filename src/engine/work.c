#include "engine/work.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/token.h"
#include "engine/work_private.h"

enum { SECRET_KEY_BYTES = 8, FORGET_MS = 10 * 60 * 1000, RETRY_MS = 1000 };

/* ---- queues ---- */

struct work_queue *
work_queue_find(struct work *w, struct str environment)
{
	return map_find(&w->queues, environment);
}

struct work_queue *
work_queue_get(struct work *w, struct str environment)
{
	struct work_queue *q = work_queue_find(w, environment);

	if (q)
		return q;
	q = xcalloc(1, sizeof *q + environment.len);
	memcpy(q + 1, environment.ptr, environment.len);
	q->work = w;
	q->environment = (struct str){ (const char *)(q + 1), environment.len };
	list_init(&q->entries);
	list_init(&q->waits);
	list_init(&q->served);
	list_init(&q->polls);
	map_put(&w->queues, q->environment, q);
	return q;
}

void
work_queue_settle(struct work_queue *q)
{
	if (!list_is_empty(&q->entries) || !list_is_empty(&q->waits) ||
	    !list_is_empty(&q->served) || !list_is_empty(&q->polls))
		return;
	map_remove(&q->work->queues, q->environment);
	free(q);
}

/* ---- entries ---- */

static struct str
secret_key(const struct sha256 *digest)
{
	return (struct str){ (const char *)digest->bytes, SECRET_KEY_BYTES };
}

/* The map's keys are bytes of the item: they leave before the item changes. */
static void
drop_secrets(struct work *w, struct work_entry *en)
{
	if (en->item.claim > 0)
		map_remove(&w->secrets, secret_key(&en->item.token));
	if (en->item.claim > 1)
		map_remove(&w->secrets, secret_key(&en->item.earlier));
}

static void
put_secrets(struct work *w, struct work_entry *en)
{
	if (en->item.claim > 0)
		map_put(&w->secrets, secret_key(&en->item.token), en);
	if (en->item.claim > 1)
		map_put(&w->secrets, secret_key(&en->item.earlier), en);
}

static void
entry_free(struct work *w, struct work_entry *en)
{
	drop_secrets(w, en);
	map_remove(&w->entries, en->item.id);
	list_remove(&en->node);
	arena_release(&en->arena);
	free(en);
}

static struct work_entry *
entry_get(struct work *w, const struct work_item *item)
{
	struct work_entry *en = map_find(&w->entries, item->id);

	if (en)
		return en;
	en = xcalloc(1, sizeof *en);
	list_init(&en->node);
	arena_init(&en->arena);
	en->item.id = arena_str(&en->arena, item->id);
	en->item.environment_id = arena_str(&en->arena, item->environment_id);
	en->item.session_id = arena_str(&en->arena, item->session_id);
	map_put(&w->entries, en->item.id, en);
	en->queue = work_queue_get(w, en->item.environment_id);
	list_append(&en->queue->entries, &en->node);
	map_remove(&w->sessions, en->item.session_id); /* its key would be another entry's text */
	map_put(&w->sessions, en->item.session_id, en);
	return en;
}

static struct str
token_id(struct work_entry *en, int64_t claim)
{
	return arena_printf(&en->arena, STR_FMT "/%lld", STR_ARG(en->item.id), (long long)claim);
}

/* Nothing of the metadata or the worker's name is needed here, so heartbeats cost no memory. */
static void
take_item(struct work *w, struct work_entry *en, const struct work_item *item)
{
	bool handed_out = item->claim != en->item.claim;
	struct work_item now = *item;

	now.id = en->item.id;
	now.environment_id = en->item.environment_id;
	now.session_id = en->item.session_id;
	now.metadata = now.worker = (struct str){ 0 };
	drop_secrets(w, en);
	en->item = now;
	put_secrets(w, en);
	if (!handed_out)
		return;
	en->earlier_id = item->claim > 1 && en->token_id.len == 0 ? token_id(en, item->claim - 1)
								  : en->token_id;
	en->token_id = token_id(en, item->claim);
}

static void
entry_stopped(struct work *w, struct work_entry *en)
{
	struct work_queue *q = TAKE(en->queue);

	list_remove(&en->node);
	if (map_find(&w->sessions, en->item.session_id) == en)
		map_remove(&w->sessions, en->item.session_id);
	en->forget_ms = host_now_ms(w->en->host) + FORGET_MS;
	work_due(w, en->forget_ms);
	work_queue_settle(q);
	work_look(w->en, en->item.session_id, true);
}

void
work_apply(struct work *w, const struct work_item *item, int64_t version)
{
	struct work_entry *en = map_find(&w->entries, item->id);

	if (!en && item->state == WORK_STOPPED)
		return; /* its name was changed, long after */
	en = entry_get(w, item);
	if (version <= en->version)
		return;
	en->version = version;
	take_item(w, en, item);
	if (!en->queue)
		return;
	work_due(w, work_policy_lease_end_ms(&en->item));
	if (item->state == WORK_STOPPED)
		entry_stopped(w, en);
	else if (item->state == WORK_QUEUED)
		work_serve(en->queue);
}

/* ---- what is due ---- */

void
work_due(struct work *w, int64_t at_ms)
{
	int64_t delay_ms = at_ms - host_now_ms(w->en->host);

	if (at_ms >= w->due_ms || w->en->draining)
		return;
	w->due_ms = at_ms;
	w->en->host->ops->timer_set(w->timer, delay_ms > 0 ? delay_ms : 0);
}

/* Leases that are over: the look finds them so. Stopped items that nobody asks for any more. */
static void
look_at_entries(struct work *w, int64_t now_ms)
{
	struct str key;
	void *value;

	for (size_t at = 0; map_next(&w->entries, &at, &key, &value);) {
		struct work_entry *en = value;
		int64_t end_ms = en->queue ? work_policy_lease_end_ms(&en->item) : en->forget_ms;

		if (end_ms > now_ms) {
			work_due(w, end_ms);
		} else if (en->queue) {
			work_due(w, now_ms + RETRY_MS); /* should it fail */
			work_look(w->en, en->item.session_id, false);
		} else {
			entry_free(w, en);
			work_purge(w);
		}
	}
}

static void
on_due(void *ctx)
{
	struct work *w = ctx;
	struct str key;
	void *value;

	w->due_ms = INT64_MAX;
	look_at_entries(w, host_now_ms(w->en->host));
	for (size_t at = 0; map_next(&w->queues, &at, &key, &value);) {
		work_due(w, work_forget_polls(value, host_now_ms(w->en->host)));
		work_queue_settle(value);
	}
}

/* ---- secrets ---- */

static struct engine_caller
caller_of(const struct work_entry *en, bool former)
{
	const struct work_item *item = &en->item;
	bool held = item->state != WORK_STOPPED && item->handed_ms != 0;

	return (struct engine_caller){
		.who = { .kind = TOKEN_ENVIRONMENT,
			 .environment_id = item->environment_id,
			 .work_id = item->id,
			 .session_id = item->session_id,
			 .lease_lost = former || !held },
		.token_id = former ? en->earlier_id : en->token_id,
	};
}

bool
work_find_token(struct engine *en, const struct sha256 *digest, struct engine_caller *out)
{
	const struct work_entry *entry = map_find(&en->work->secrets, secret_key(digest));

	if (!entry)
		return false;
	if (entry->item.claim > 0 && token_digest_eq(&entry->item.token, digest))
		*out = caller_of(entry, false);
	else if (entry->item.claim > 1 && token_digest_eq(&entry->item.earlier, digest))
		*out = caller_of(entry, true);
	else
		return false;
	return true;
}

bool
work_renew_caller(struct engine *en, struct engine_caller *caller)
{
	const struct work_entry *entry;
	struct str item, claim;

	if (!str_cut(caller->token_id, '/', &item, &claim))
		return false;
	entry = map_find(&en->work->entries, item);
	if (!entry || entry->item.claim == 0)
		return false;
	if (str_eq(caller->token_id, entry->token_id))
		*caller = caller_of(entry, false);
	else if (str_eq(caller->token_id, entry->earlier_id))
		*caller = caller_of(entry, true);
	else
		return false;
	return true;
}

bool
work_token_is_live(struct engine *en, struct str token_id)
{
	struct engine_caller caller = { .token_id = token_id };

	return work_renew_caller(en, &caller) && !caller.who.lease_lost;
}

/* ---- life ---- */

struct work *
work_new(struct engine *en)
{
	struct work *w = xcalloc(1, sizeof *w);

	w->en = en;
	w->due_ms = INT64_MAX;
	map_init(&w->queues, rand_u64(&en->rand));
	map_init(&w->entries, rand_u64(&en->rand));
	map_init(&w->sessions, rand_u64(&en->rand));
	map_init(&w->secrets, rand_u64(&en->rand));
	map_init(&w->looks, rand_u64(&en->rand));
	w->timer = en->host->ops->timer_new(en->host, on_due, w);
	return w;
}

void
work_drain(struct engine *en)
{
	struct str key;
	void *value;

	en->host->ops->timer_set(en->work->timer, -1);
	for (size_t at = 0; map_next(&en->work->queues, &at, &key, &value);)
		work_end_waits(value);
}

void
work_free(struct work **out)
{
	struct work *w = *out;
	struct str key;
	void *value;

	if (!w)
		return;
	for (size_t at = 0; map_next(&w->entries, &at, &key, &value);)
		entry_free(w, value);
	for (size_t at = 0; map_next(&w->queues, &at, &key, &value);) {
		work_forget_polls(value, INT64_MAX);
		free(value);
	}
	w->en->host->ops->timer_free(w->timer);
	map_release(&w->queues);
	map_release(&w->entries);
	map_release(&w->sessions);
	map_release(&w->secrets);
	map_release(&w->looks);
	free(w);
	*out = NULL;
}
