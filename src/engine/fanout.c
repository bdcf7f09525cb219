#include "engine/fanout.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/hook.h"
#include "engine/schedule.h"
#include "engine/session_tools.h"
#include "engine/work.h"

/* Callbacks may take any watch off the list, so the place in it is kept by a node of our own; one is
 * enough, because nothing is told while something is told. */
static void
place_first(struct engine *en, struct list *watches)
{
	struct list *place = &en->told_up_to;

	place->prev = watches;
	place->next = watches->next;
	watches->next->prev = place;
	watches->next = place;
}

/* The next watch to tell; NULL: all of them were. */
static struct engine_watch *
next_watch(struct engine *en, struct list *watches)
{
	struct list *place = &en->told_up_to, *at = place->next;

	list_remove(place);
	if (at == watches)
		return NULL;
	place->next = at->next;
	place->prev = at;
	at->next->prev = place;
	at->next = place;
	return LIST_OWNER(at, struct engine_watch, node);
}

static void
tell(struct engine *en, struct list *watches, const struct store_event *ev)
{
	struct engine_watch *w;

	place_first(en, watches);
	while ((w = next_watch(en, watches)))
		w->on_event(w->ctx, ev);
}

/* The log's last event: nobody can watch any longer. */
static void
end_all(struct list *watches, enum engine_over why)
{
	while (!list_is_empty(watches)) {
		struct engine_watch *w = LIST_OWNER(watches->next, struct engine_watch, node);

		list_remove(&w->node);
		w->actor = NULL;
		w->en = NULL;
		if (w->on_over)
			w->on_over(w->ctx, why);
	}
}

void
fanout_end(struct engine *en)
{
	struct str key;
	void *value;

	for (size_t at = 0; map_next(&en->actors, &at, &key, &value);)
		end_all(&((struct actor *)value)->watches, ENGINE_OVER_SHUTDOWN);
	end_all(&en->watches, ENGINE_OVER_SHUTDOWN);
}

/* The class of an input; false: it is none, or nobody can tell. */
static bool
read_class(const struct event *ev, struct arena *scratch, enum input_class *out)
{
	struct json_doc doc;
	struct input_meta meta;

	if (ev->meta.len == 0 ||
	    json_parse(scratch, ev->meta, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0 ||
	    input_meta_read(json_root(&doc), scratch, &meta, NULL) != 0)
		return false;
	*out = meta.class;
	return true;
}

/* An input waits until an event consumes it, unless it was passive; everything else is done. waiting:
 * where the commit's last trigger stands, and the ones before it a place further ahead each. */
static struct store_event *
make_told(const struct event *events, size_t count, struct arena *scratch, int64_t waiting)
{
	struct store_event *told = ARENA_ARRAY(scratch, count, struct store_event);

	for (size_t i = count; i-- > 0;) {
		enum input_class class = INPUT_ANSWER;
		bool known = read_class(&events[i], scratch, &class);

		told[i].ev = events[i];
		if (events[i].meta.len == 0 || (known && class == INPUT_PASSIVE))
			told[i].processed_at_ms = events[i].created_at_ms;
		if (known && class == INPUT_TRIGGER && waiting > 0)
			told[i].position = waiting--;
	}
	return told;
}

void
fanout_events(struct engine *en, struct str session, const struct event *events, size_t count,
	      int64_t last_change, int64_t waiting)
{
	struct actor *actor = actor_find(en, session);
	struct store_event *told;
	struct arena scratch;

	en->change_head = last_change;
	if (actor)
		actor->head_seq = events[count - 1].seq;
	work_on_events(en, session, events, count);
	schedule_on_events(en, session, events, count);
	session_tools_on_events(en, session, events, count);
	hook_on_events(en, session, events, count);
	if (list_is_empty(&en->watches) && (!actor || list_is_empty(&actor->watches)))
		return;
	arena_init(&scratch);
	told = make_told(events, count, &scratch, waiting);
	for (size_t i = 0; i < count; i++) {
		told[i].session = session;
		told[i].change = last_change - (int64_t)(count - 1 - i);
		/* a callback may have ended what kept the actor alive */
		if (actor && (actor = actor_find(en, session)))
			tell(en, &actor->watches, &told[i]);
		tell(en, &en->watches, &told[i]);
		if (events[i].kind == EVENT_SESSION_DELETED &&
		    (actor = actor_find(en, session)) != NULL)
			end_all(&actor->watches, ENGINE_OVER_DELETED);
	}
	if ((actor = actor_find(en, session)))
		actor_settle(actor);
	arena_release(&scratch);
}

/* ---- previews ---- */

static struct preview *
preview_find(struct actor *actor, struct str event_id)
{
	list_for_each (at, &actor->previews) {
		struct preview *p = LIST_OWNER(at, struct preview, node);

		if (str_eq(p->event_id, event_id))
			return p;
	}
	return NULL;
}

static void
tell_preview(struct actor *actor, const struct engine_preview *p)
{
	struct list *const lists[] = { &actor->watches, &actor->en->watches };

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct engine_watch *w;

		place_first(actor->en, lists[i]);
		while ((w = next_watch(actor->en, lists[i])))
			if (w->on_preview)
				w->on_preview(w->ctx, p);
	}
}

void
fanout_preview_start(struct actor *actor, struct str event_id, enum event_kind kind)
{
	struct preview *p = xcalloc(1, sizeof *p + event_id.len);
	char *id = (char *)(p + 1);

	memcpy(id, event_id.ptr, event_id.len);
	p->event_id = (struct str){ id, event_id.len };
	p->kind = kind;
	buf_init(&p->text, STORE_PAYLOAD_MAX);
	list_append(&actor->previews, &p->node);
	tell_preview(actor, &(struct engine_preview){ .kind = PREVIEW_START,
						      .session = actor->id,
						      .event_id = p->event_id,
						      .event_kind = kind });
}

void
fanout_preview_delta(struct actor *actor, struct str event_id, struct str piece)
{
	struct preview *p = preview_find(actor, event_id);

	if (!p)
		return;
	buf_put_str(&p->text, piece);
	tell_preview(actor, &(struct engine_preview){ .kind = PREVIEW_DELTA,
						      .session = actor->id,
						      .event_id = p->event_id,
						      .event_kind = p->kind,
						      .text = piece });
}

void
fanout_preview_end(struct actor *actor, struct str event_id)
{
	struct preview *p = preview_find(actor, event_id);

	if (!p)
		return;
	list_remove(&p->node);
	tell_preview(actor, &(struct engine_preview){ .kind = PREVIEW_END,
						      .session = actor->id,
						      .event_id = p->event_id,
						      .event_kind = p->kind });
	buf_release(&p->text);
	free(p);
}

/* ---- rights ---- */

static void
ask_again(struct list *watches)
{
	list_for_each (at, watches) {
		struct engine_watch *w = LIST_OWNER(at, struct engine_watch, node);

		if (w->on_rights)
			w->on_rights(w->ctx);
	}
}

static void
tell_rights(struct host_task *task)
{
	struct engine *en = LIST_OWNER(task, struct engine, rights_task);
	struct str key;
	void *value;

	ask_again(&en->watches);
	for (size_t at = 0; map_next(&en->actors, &at, &key, &value);)
		ask_again(&((struct actor *)value)->watches);
}

void
fanout_rights_changed(struct engine *en)
{
	if (!en->rights_task.fn) {
		list_init(&en->rights_task.node);
		en->rights_task.fn = tell_rights;
	}
	host_defer(en->host, &en->rights_task); /* once, however much has changed */
}

/* ---- watching ---- */

void
engine_watch_session(struct engine *en, struct str session, struct engine_watch *w)
{
	struct actor *actor = actor_get(en, session);

	w->en = en;
	w->actor = actor;
	list_append(&actor->watches, &w->node);
}

void
engine_watch_all(struct engine *en, struct engine_watch *w)
{
	w->en = en;
	w->actor = NULL;
	list_append(&en->watches, &w->node);
}

void
engine_unwatch(struct engine_watch *w)
{
	struct actor *actor = w->actor;

	if (!w->en)
		return;
	list_remove(&w->node);
	w->en = NULL;
	w->actor = NULL;
	if (actor)
		actor_settle(actor);
}

int64_t
engine_head(struct engine *en, struct str session)
{
	struct actor *actor = actor_find(en, session);

	return actor ? actor->head_seq : 0;
}

int64_t
engine_change_head(struct engine *en)
{
	return en->change_head;
}

void
engine_preview_so_far(struct engine_watch *w)
{
	if (!w->actor || !w->on_preview)
		return;
	list_for_each (at, &w->actor->previews) {
		struct preview *p = LIST_OWNER(at, struct preview, node);
		struct engine_preview said = { .kind = PREVIEW_START,
					       .session = w->actor->id,
					       .event_id = p->event_id,
					       .event_kind = p->kind,
					       .text = buf_str(&p->text) };

		w->on_preview(w->ctx, &said);
		if (!w->en)
			return;
	}
}
