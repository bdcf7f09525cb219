/* import - a log that was written elsewhere becomes a session here, event by event the same. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/fanout.h"
#include "engine/wake.h"
#include "engine/workspace.h"

enum {
	ITEM_EVENTS = 256,
	ITEM_BYTES = 4 * 1024 * 1024, /* an item ends behind the event that passes it */
};

/* A log of many items is not one transaction: what a kill leaves is a beginning of it, and importing
 * it again goes on from there. */
struct import {
	struct engine *en;
	struct engine_call call;
	const struct engine_log *log;
	size_t at;    /* events that are there */
	size_t count; /* of the item under way */
	struct event *events;
	struct store_item item;
	struct store_put *puts; /* of the item: what is beyond the log, its wakes */
	bool found, deleted, same, created;
	int64_t head_seq;
};

static void
import_end(struct import *im, int rc, const struct err *err)
{
	struct engine_answer answer = {
		.rc = rc,
		.err = err,
		.id = im->log->session,
		.created = im->created,
		.queue_position = -1,
	};

	im->call.done(im->call.ctx, &answer);
	free(im->events);
	free(im->puts);
	free(im);
}

static void append_next(struct import *im);

static void
on_appended(void *ctx, const struct store_result *r)
{
	struct import *im = ctx;
	struct err e;
	int rc;

	if (r->rc != 0) {
		import_end(im, r->rc, &r->err);
		return;
	}
	for (size_t i = 0; i < im->count; i++)
		im->events[i].seq = r->first_seq + (int64_t)i;
	im->en->events_appended += im->count;
	fanout_events(im->en, im->log->session, im->events, im->count, r->change, r->waiting);
	wake_queued(im->en, im->puts, im->item.put_count);
	im->at += im->count;
	im->created = true;
	if (memcmp(&r->head_hash, &im->log->hashes[im->at - 1], sizeof r->head_hash) != 0) {
		rc = err_set(&e, ERR_CORRUPT, "the log has another hash here than in the bundle");
		import_end(im, rc, &e);
		return;
	}
	append_next(im);
}

static void
fill_item(struct import *im)
{
	size_t bytes = 0;

	for (im->count = 0;
	     im->at + im->count < im->log->count && im->count < ITEM_EVENTS && bytes < ITEM_BYTES;
	     im->count++) {
		struct event *ev = &im->events[im->count];

		*ev = im->log->events[im->at + im->count];
		ev->seq = 0; /* the store's to say */
		bytes += ev->payload.len;
	}
}

/* The wakes come with the last event: none of them finds half a log. */
static void
fill_puts(struct import *im)
{
	const struct engine_log *log = im->log;
	size_t count = 0;

	if (im->at == 0 && log->extra.len > 0)
		im->puts[count++] = (struct store_put){ .record = { .kind = RECORD_SESSION_EXTRA,
								    .id = log->session,
								    .body = log->extra },
							.if_version = STORE_VERSION_ANY };
	for (size_t i = 0; im->at + im->count == log->count && i < log->wake_count; i++)
		im->puts[count++] =
			(struct store_put){ .record = { .kind = RECORD_WAKE,
							.id = log->wakes[i].id,
							.owner = log->session,
							.due_at_ms = log->wakes[i].due_at_ms,
							.body = log->wakes[i].body },
					    .if_version = STORE_VERSION_ANY };
	im->item.puts = im->puts;
	im->item.put_count = count;
}

static void
append_next(struct import *im)
{
	struct store_item *item = &im->item;

	fill_item(im);
	if (im->count == 0) {
		import_end(im, 0, NULL);
		return;
	}
	*item = (struct store_item){ .session = im->log->session,
				     .events = im->events,
				     .event_count = im->count };
	if (im->at == 0) {
		item->require.absent = true;
	} else {
		item->require.has_head = true;
		item->require.head_seq = (int64_t)im->at;
	}
	fill_puts(im);
	store_append(im->en->store, item, on_appended, im);
}

/* ---- what is there already? ---- */

static bool
on_event(void *ctx, const struct store_row *row)
{
	struct import *im = ctx;

	im->same = memcmp(&row->event->hash, &im->log->hashes[row->event->ev.seq - 1],
			  sizeof row->event->hash) == 0;
	return false;
}

static void
on_compared(void *ctx, int rc, bool more, const struct err *err)
{
	struct import *im = ctx;
	struct err e;

	(void)more;
	if (rc != 0) {
		import_end(im, rc, err);
	} else if (!im->same) {
		rc = err_set(&e, ERR_CONFLICT, "there is a session of this id with another log");
		import_end(im, rc, &e);
	} else {
		append_next(im);
	}
}

/* Equal hashes are equal logs up to there. */
static void
compare(struct import *im)
{
	im->at = (size_t)im->head_seq < im->log->count ? (size_t)im->head_seq : im->log->count;
	store_read(im->en->store,
		   &(struct store_query){ .kind = STORE_LIST_EVENTS,
					  .session = im->log->session,
					  .after = (int64_t)im->at - 1,
					  .limit = 1 },
		   on_event, on_compared, im);
}

static bool
on_session(void *ctx, const struct store_row *row)
{
	struct import *im = ctx;

	im->found = true;
	im->deleted = row->session->row.deleted;
	im->head_seq = row->session->row.head_seq;
	return true;
}

static void
on_looked(void *ctx, int rc, bool more, const struct err *err)
{
	struct import *im = ctx;
	struct err e;

	(void)more;
	if (rc != 0)
		import_end(im, rc, err);
	else if (im->deleted)
		import_end(im,
			   err_set(&e, ERR_CONFLICT,
				   "a session of this id was deleted here, and stays so"),
			   &e);
	else if (im->found)
		compare(im);
	else
		append_next(im);
}

/* Logs are restored as they were, but not into a workspace that is not here. */
static int
check_workspace(struct engine *en, const struct event *created, struct err *e)
{
	struct json workspace;
	struct json_doc doc;
	struct arena a;
	int rc = 0;

	arena_init(&a);
	if (json_parse(&a, created->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0 &&
	    json_find(json_root(&doc), STR("workspace_id"), &workspace) &&
	    json_type(workspace) == JSON_STRING && json_str(workspace, &a).len > 0)
		rc = workspaces_check(en->workspaces, json_str(workspace, &a), e);
	arena_release(&a);
	return rc;
}

void
engine_import(struct engine *en, const struct engine_call *call, const struct engine_log *log)
{
	struct import *im;
	struct err e;
	int rc = access_check_now(call->caller, ACCESS_SERVER, &e);

	if (engine_is_closed(en, call))
		return;
	if (rc == 0 && log->count == 0)
		rc = err_set(&e, ERR_INVALID, "a log has at least one event");
	if (rc == 0)
		rc = check_workspace(en, &log->events[0], &e);
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		return;
	}
	im = xcalloc(1, sizeof *im);
	*im = (struct import){ .en = en, .call = *call, .log = log };
	im->events = xcalloc(ITEM_EVENTS, sizeof *im->events);
	im->puts = xcalloc(log->wake_count + 1, sizeof *im->puts);
	store_read(en->store,
		   &(struct store_query){
			   .kind = STORE_GET_SESSION, .session = log->session, .limit = 1 },
		   on_session, on_looked, im);
}
