#include "engine/wake_queue.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/log.h"
#include "base/timestamp.h"
#include "base/xalloc.h"
#include "core/event_make.h"
#include "core/input.h"
#include "engine/ingress.h"

enum { PAGE_ROWS = 200, TEXT_BYTES_MAX = 64 * 1024 };

static const char *const PRIORITIES[] = {
	[WAKE_HIGH] = "high",
	[WAKE_NORMAL] = "normal",
	[WAKE_LOW] = "low",
};

/* ---- the record ---- */

static void
field_instant(struct jw *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	jw_field_str(w, name, timestamp_format(ms, text));
}

static void
put(struct commit *c, struct str session, const struct queued_wake *q)
{
	const struct wake_item *item = &q->item;
	struct buf body;
	struct jw w;

	buf_init(&body, TEXT_BYTES_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "id", item->id);
	jw_field_str(&w, "type", STR("wake"));
	jw_field_str(&w, "session_id", session);
	field_instant(&w, "created_at", q->created_at_ms);
	field_instant(&w, "due_at", item->due_ms);
	jw_field_str(&w, "reason", item->reason);
	jw_field_str(&w, "note", item->note);
	jw_field_str(&w, "dedupe_key", item->dedupe_key);
	jw_field_str(&w, "priority", str_of(PRIORITIES[item->priority]));
	jw_field_int(&w, "attempt", item->attempt);
	jw_field_bool(&w, "parked", item->parked);
	jw_field_int(&w, "continues", q->continues);
	jw_end_object(&w);
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_WAKE,
						       .id = item->id,
						       .owner = session,
						       .due_at_ms = item->parked ? 0 : item->due_ms,
						       .body = buf_str(&body) },
					   .if_version = q->version });
	buf_release(&body);
}

static struct str
text_at(struct json body, const char *name, struct arena *a)
{
	struct json v;

	return json_find(body, str_of(name), &v) ? arena_str(a, json_str(v, a)) : (struct str){ 0 };
}

static int
count_at(struct json body, const char *name)
{
	struct json v;
	int64_t n = 0;

	return json_find(body, str_of(name), &v) && json_int(v, &n) && n > 0 && n < INT32_MAX
		       ? (int)n
		       : 0;
}

static enum wake_priority
priority_of(struct str name)
{
	for (int i = WAKE_HIGH; i < WAKE_LOW; i++)
		if (str_eq(name, str_of(PRIORITIES[i])))
			return (enum wake_priority)i;
	return WAKE_LOW;
}

/* What cannot be read is still a wake: it runs once and is gone. */
static struct queued_wake
read_record(const struct store_record *r, struct arena *a)
{
	struct queued_wake q = { .item.id = arena_str(a, r->id), .version = r->version };
	struct json_doc doc;
	struct json body = { 0 }, parked;

	q.item.due_ms = r->due_at_ms;
	if (json_parse(a, arena_str(a, r->body), &JSON_LIMITS_DEFAULT, &doc, NULL) == 0)
		body = json_root(&doc);
	if (!json_is_set(body) || json_type(body) != JSON_OBJECT)
		return q;
	IGNORE(timestamp_parse(text_at(body, "created_at", a), &q.created_at_ms)); /* or 0 */
	if (r->due_at_ms == 0)
		IGNORE(timestamp_parse(text_at(body, "due_at", a), &q.item.due_ms)); /* or 0 */
	q.item.reason = text_at(body, "reason", a);
	q.item.note = text_at(body, "note", a);
	q.item.dedupe_key = text_at(body, "dedupe_key", a);
	q.item.priority = priority_of(text_at(body, "priority", a));
	q.item.attempt = count_at(body, "attempt");
	q.item.parked = json_find(body, STR("parked"), &parked) && json_type(parked) == JSON_TRUE;
	q.continues = count_at(body, "continues");
	return q;
}

enum wake_priority
wake_queue_priority(const struct store_record *r, struct arena *a)
{
	return read_record(r, a).item.priority;
}

/* ---- reading ---- */

struct reading {
	struct engine *en;
	struct arena *arena;
	struct str session;
	VEC(struct queued_wake) wakes;
	wake_queue_fn *done;
	void *ctx;
};

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct reading *r = ctx;

	*vec_push(&r->wakes) = read_record(row->record, r->arena);
	return true;
}

static void read_page(struct reading *r);

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct reading *r = ctx;
	struct queued_wake *kept;

	if (rc == 0 && more) {
		read_page(r);
		return;
	}
	kept = ARENA_ARRAY(r->arena, r->wakes.len + 1, struct queued_wake);
	if (r->wakes.len > 0)
		memcpy(kept, r->wakes.ptr, r->wakes.len * sizeof *kept);
	r->done(r->ctx, rc, err, &(struct wake_list){ kept, rc == 0 ? r->wakes.len : 0 });
	vec_release(&r->wakes);
	free(r);
}

static void
read_page(struct reading *r)
{
	size_t count = r->wakes.len;

	store_read(r->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_WAKE,
					  .record_owner = r->session,
					  .record_id = count > 0 ? r->wakes.ptr[count - 1].item.id
								 : (struct str){ 0 },
					  .limit = PAGE_ROWS },
		   on_row, on_page, r);
}

void
wake_queue_read(struct engine *en, struct str session, struct arena *a, wake_queue_fn *done,
		void *ctx)
{
	struct reading *r = xcalloc(1, sizeof *r);

	*r = (struct reading){
		.en = en, .arena = a, .session = arena_str(a, session), .done = done, .ctx = ctx
	};
	read_page(r);
}

static bool
is_among(struct wake_list wakes, struct str id)
{
	for (size_t i = 0; i < wakes.len; i++)
		if (str_eq(wakes.ptr[i].item.id, id))
			return true;
	return false;
}

struct wake_list
wake_queue_less(struct wake_list wakes, struct wake_list others, struct arena *a)
{
	struct queued_wake *copy = ARENA_ARRAY(a, wakes.len + 1, struct queued_wake);
	size_t count = 0;

	for (size_t i = 0; i < wakes.len; i++) {
		struct wake_item *item = &copy[count].item;

		if (is_among(others, wakes.ptr[i].item.id))
			continue;
		copy[count++] = wakes.ptr[i];
		item->id = arena_str(a, item->id);
		item->reason = arena_str(a, item->reason);
		item->note = arena_str(a, item->note);
		item->dedupe_key = arena_str(a, item->dedupe_key);
	}
	return (struct wake_list){ copy, count };
}

static int
compare(const void *a, const void *b)
{
	const struct wake_item *x = &((const struct queued_wake *)a)->item;
	const struct wake_item *y = &((const struct queued_wake *)b)->item;

	return wake_policy_compare(
		&(struct wake_candidate){ x->priority, false, x->due_ms, x->id },
		&(struct wake_candidate){ y->priority, false, y->due_ms, y->id });
}

struct wake_list
wake_queue_due(struct wake_list wakes, struct arena *a, int64_t now_ms)
{
	struct queued_wake *due = ARENA_ARRAY(a, wakes.len + 1, struct queued_wake);
	size_t count = 0;

	for (size_t i = 0; i < wakes.len; i++)
		if (wake_policy_is_due(&wakes.ptr[i].item, now_ms))
			due[count++] = wakes.ptr[i];
	qsort(due, count, sizeof *due, compare);
	return (struct wake_list){ due, count };
}

struct wake_list
wake_queue_named(struct wake_list wakes, struct arena *a, struct str_list ids)
{
	struct queued_wake *named = ARENA_ARRAY(a, ids.len + 1, struct queued_wake);
	size_t count = 0;

	for (size_t i = 0; i < ids.len; i++)
		for (size_t k = 0; k < wakes.len; k++)
			if (str_eq(wakes.ptr[k].item.id, ids.ptr[i]))
				named[count++] = wakes.ptr[k];
	return (struct wake_list){ named, count };
}

struct str_list
wake_queue_ids(struct wake_list wakes, struct arena *a)
{
	struct str *ids = ARENA_ARRAY(a, wakes.len + 1, struct str);

	for (size_t i = 0; i < wakes.len; i++)
		ids[i] = wakes.ptr[i].item.id;
	return (struct str_list){ ids, wakes.len };
}

/* ---- writing ---- */

static bool
is_known(struct wake_list known, struct str key)
{
	for (size_t i = 0; i < known.len; i++)
		if (wake_policy_duplicate(&known.ptr[i].item, 1, key))
			return true;
	return false;
}

void
wake_queue_add(struct engine *en, struct commit *c, struct str session,
	       const struct queued_wake *wake, struct wake_list known)
{
	struct queued_wake q = *wake;

	if (is_known(known, q.item.dedupe_key))
		return;
	q.item.id = engine_make_id(en, commit_arena(c), "wake");
	q.created_at_ms = host_now_ms(en->host);
	q.version = STORE_VERSION_ABSENT;
	put(c, session, &q);
}

static struct str
announcement(struct arena *a, struct wake_list wakes)
{
	struct buf b;
	struct str text;

	buf_init(&b, wakes.len * TEXT_BYTES_MAX + 1024);
	buf_puts(&b, "Nobody wrote: the session was woken as it was asked to.");
	for (size_t i = 0; i < wakes.len; i++) {
		const struct wake_item *w = &wakes.ptr[i].item;

		buf_printf(&b, "\n- " STR_FMT, STR_ARG(w->reason));
		if (w->note.len > 0)
			buf_printf(&b, ": " STR_FMT, STR_ARG(w->note));
		if (w->attempt > 0)
			buf_printf(&b, " (attempt %d)", w->attempt + 1);
	}
	text = arena_str(a, buf_str(&b));
	buf_release(&b);
	return text;
}

void
wake_queue_announce(struct engine *en, struct commit *c, struct wake_list wakes, bool inactive)
{
	struct buf b;

	if (inactive) {
		buf_init(&b, STORE_PAYLOAD_MAX);
		event_make_lifecycle(&b, LIFECYCLE_ACTIVE, STR("woken"));
		commit_append_made(c, EVENT_SESSION_UPDATED, (struct str){ 0 }, &b);
	}
	ingress_append_note(en, c, announcement(commit_arena(c), wakes));
}

static void
remove_wake(struct commit *c, struct str id)
{
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_WAKE, .id = id },
					   .if_version = STORE_VERSION_ANY,
					   .remove = true });
}

static void
park(struct commit *c, struct str session, struct queued_wake *q)
{
	struct buf b;

	q->item.parked = true;
	put(c, session, q);
	buf_init(&b, TEXT_BYTES_MAX + 1024);
	event_make_error(&b, STR("unknown_error"),
			 arena_printf(commit_arena(c),
				      "the wake " STR_FMT " (" STR_FMT
				      ") was given up after %d failed turns: it is not tried again "
				      "by itself",
				      STR_ARG(q->item.id), STR_ARG(q->item.reason),
				      q->item.attempt),
			 STR("exhausted"));
	commit_append_made(c, EVENT_SESSION_ERROR, (struct str){ 0 }, &b);
	log_write(LOG_WARN, "wake.parked", LOG_STR("session", session),
		  LOG_STR("wake", q->item.id));
}

void
wake_queue_settle(struct engine *en, struct commit *c, struct str session, struct wake_list wakes,
		  enum wake_turn turn)
{
	for (size_t i = 0; i < wakes.len; i++) {
		struct queued_wake q = wakes.ptr[i];
		struct wake_outcome o = wake_policy_settle(&q.item, turn, WAKE_ATTEMPTS_DEFAULT,
							   host_now_ms(en->host));

		q.item.attempt = o.attempt;
		switch (o.fate) {
		case WAKE_CONSUMED:
		case WAKE_CANCELLED: remove_wake(c, q.item.id); break;
		case WAKE_PARKED: park(c, session, &q); break;
		case WAKE_KEPT: break;
		case WAKE_AGAIN:
			q.item.due_ms = o.due_ms;
			put(c, session, &q);
			break;
		}
	}
}

void
wake_queue_cancel(struct commit *c, struct wake_list wakes)
{
	for (size_t i = 0; i < wakes.len; i++)
		remove_wake(c, wakes.ptr[i].item.id);
}
