#include "engine/retention.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/approval.h"
#include "engine/command_title.h"
#include "engine/commit.h"
#include "engine/pause.h"
#include "engine/record_purge.h"
#include "engine/spending.h"
#include "engine/turn.h"
#include "engine/work.h"

enum {
	EVERY_MS = 600 * 1000,
	SOON_MS = 100, /* after a deletion: others may follow */
	PAGE_ROWS = 50,
	RECORDS = 200, /* removed in one transaction */
};

struct doomed {
	struct str id, agent;
	int64_t last_activity_ms;
};
struct doomed_record {
	struct str id;
	int64_t version;
};

struct retention {
	struct engine *en;
	struct host_timer *timer;
	struct record_purge *records_purge;
	bool under_way, hurried; /* hurried: once more after this round */
	size_t purged;           /* in this round */
	int64_t until_ms;        /* what was deleted by then goes */
	struct arena arena;      /* of the page */
	VEC(struct doomed) page;
	size_t at;
	bool more;
	int64_t cursor_ms;
	struct buf cursor_id;

	/* the session in hand */
	struct arena session_arena;
	int64_t deleted_ms;
	size_t kind; /* of records that are being removed */
	VEC(struct doomed_record) records;
	bool more_records;
};

static void retention_next(struct retention *r);

/* While nothing but a round's next step is open a drain waits for it; not for folders, which may be large. */
static void
retention_hold(struct retention *r)
{
	r->en->open_turns++;
}

static void
retention_let_go(struct retention *r)
{
	r->en->open_turns--;
	engine_turn_closed(r->en);
}

static void
retention_skip(struct retention *r)
{
	r->at++;
	retention_next(r);
}

static void
retention_failed(struct retention *r, const char *what, const struct err *err)
{
	log_write(LOG_WARN, what, LOG_STR("session", r->page.ptr[r->at].id),
		  LOG_STR("error", str_of(err->text)));
	retention_skip(r);
}

/* ---- its log ---- */

static void
retention_on_purged(void *ctx, const struct commit_result *result)
{
	const struct store_result *s = result->store;
	struct retention *r = ctx;

	if (s->rc == 0)
		r->purged++;
	if (s->rc == 0 || s->rc == ERR_CONFLICT || s->rc == ERR_NOT_FOUND) /* a branch reads it */
		retention_skip(r);
	else
		retention_failed(r, "retention.not_purged", &s->err);
}

static void
retention_purge(struct retention *r)
{
	const struct str kinds[] = { RECORD_SESSION_EXTRA, RECORD_PARTIAL, RECORD_PAUSE,
				     RECORD_SPENDER };
	struct str session = r->page.ptr[r->at].id;
	struct commit *c = commit_new(r->en, session);

	for (size_t i = 0; i < ARRAY_LEN(kinds);
	     i++) /* there is one at most, of the session's id */
		commit_put(c, &(struct store_put){ .record = { .kind = kinds[i], .id = session },
						   .if_version = STORE_VERSION_ANY,
						   .remove = true });
	commit_purge(c);
	commit_submit(c, retention_on_purged, r);
}

/* ---- its records ---- */

static void retention_read_records(struct retention *r);

/* Those that it owns, and who took part in it: of them the user is the owner, and the session the beginning
 * of the id. */
static struct str
retention_kind(const struct retention *r)
{
	const struct str kinds[] = { RECORD_RESOURCE, RECORD_WAKE,  RECORD_APPROVAL,   RECORD_PAUSE,
				     RECORD_LANE,     RECORD_TITLE, RECORD_PARTICIPANT };

	return r->kind < ARRAY_LEN(kinds) ? kinds[r->kind] : (struct str){ 0 };
}

static bool
retention_is_participant(const struct retention *r)
{
	return str_eq(retention_kind(r), RECORD_PARTICIPANT);
}

static void
retention_on_removed(void *ctx, const struct commit_result *result)
{
	struct retention *r = ctx;

	if (result->store->rc != 0 && result->store->rc != ERR_CONFLICT) {
		retention_failed(r, "retention.not_purged", &result->store->err);
		return;
	}
	if (result->store->rc == 0 && !r->more_records)
		r->kind++;
	retention_read_records(r); /* again, when one of them was changed meanwhile */
}

static bool
retention_on_record(void *ctx, const struct store_row *row)
{
	const struct store_record *record = row->record;
	struct retention *r = ctx;
	struct str session = r->page.ptr[r->at].id;
	struct str id = arena_str(&r->session_arena, record->id);

	if (retention_is_participant(r) &&
	    (!str_starts(id, session) || id.len <= session.len || id.ptr[session.len] != '/'))
		return false; /* the next session's begin */
	*vec_push(&r->records) = (struct doomed_record){ id, record->version };
	return true;
}

static void
retention_on_records(void *ctx, int rc, bool more, const struct err *err)
{
	struct retention *r = ctx;
	struct commit *c;

	if (rc != 0) {
		retention_failed(r, "retention.not_purged", err);
		return;
	}
	r->more_records = more && r->records.len > 0;
	if (r->records.len == 0) {
		r->kind++;
		retention_read_records(r);
		return;
	}
	c = commit_new(r->en, STR(""));
	for (size_t i = 0; i < r->records.len; i++)
		commit_put(c, &(struct store_put){ .record = { .kind = retention_kind(r),
							       .id = r->records.ptr[i].id },
						   .if_version = r->records.ptr[i].version,
						   .remove = true });
	commit_submit(c, retention_on_removed, r);
}

static void
retention_read_records(struct retention *r)
{
	struct str session = r->page.ptr[r->at].id;
	struct store_query q = { .kind = STORE_LIST_RECORDS,
				 .record_kind = retention_kind(r),
				 .limit = RECORDS };

	vec_clear(&r->records);
	arena_reset(&r->session_arena);
	if (q.record_kind.len == 0) {
		retention_purge(r);
		return;
	}
	if (retention_is_participant(r))
		q.record_id = arena_printf(&r->session_arena, STR_FMT "/", STR_ARG(session));
	else
		q.record_owner = session;
	store_read(r->en->store, &q, retention_on_record, retention_on_records, r);
}

/* ---- its folder ---- */

static void
retention_on_folder(void *ctx, int rc, const struct err *err)
{
	struct retention *r = ctx;

	retention_hold(r);
	if (rc != 0 && !r->en->draining) {
		retention_failed(r, "retention.folder_not_removed", err);
	} else if (r->en->draining) {
		retention_next(r);
	} else {
		r->kind = 0;
		retention_read_records(r);
	}
}

static void
retention_remove_folder(struct retention *r)
{
	const struct engine_folders *folders = &r->en->config.folders;
	const struct doomed *d = &r->page.ptr[r->at];

	if (!folders->session_remove) {
		r->kind = 0;
		retention_read_records(r);
		return;
	}
	folders->session_remove(folders->ctx, d->agent, d->id, retention_on_folder, r);
	retention_let_go(r);
}

/* ---- is it time? ---- */

static bool
retention_on_last_event(void *ctx, const struct store_row *row)
{
	struct retention *r = ctx;

	r->deleted_ms = row->event->ev.created_at_ms;
	return false;
}

static void
retention_on_looked(void *ctx, int rc, bool more, const struct err *err)
{
	struct retention *r = ctx;

	(void)more;
	if (rc != 0)
		retention_failed(r, "retention.not_read", err);
	else if (r->deleted_ms > r->until_ms)
		retention_skip(r);
	else
		retention_remove_folder(r);
}

static void
retention_look(struct retention *r)
{
	r->deleted_ms = INT64_MAX;
	store_read(r->en->store,
		   &(struct store_query){ .kind = STORE_LIST_EVENTS,
					  .session = r->page.ptr[r->at].id,
					  .descending = true,
					  .limit = 1 },
		   retention_on_last_event, retention_on_looked, r);
}

/* ---- a round ---- */

static bool
retention_on_session(void *ctx, const struct store_row *row)
{
	const struct store_session *s = row->session;
	struct retention *r = ctx;

	if (s->row.counters.last_activity_ms > r->until_ms)
		return false; /* deleted later still, like those behind it */
	*vec_push(&r->page) = (struct doomed){
		.id = arena_str(&r->arena, s->id),
		.agent = arena_str(&r->arena, s->agent_id),
		.last_activity_ms = s->row.counters.last_activity_ms,
	};
	return true;
}

static void
retention_on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct retention *r = ctx;

	if (rc != 0)
		log_write(LOG_WARN, "retention.not_read", LOG_STR("error", str_of(err->text)));
	r->more = rc == 0 && more && r->page.len == PAGE_ROWS;
	if (r->page.len > 0) {
		const struct doomed *last = &r->page.ptr[r->page.len - 1];

		r->cursor_ms = last->last_activity_ms;
		buf_clear(&r->cursor_id);
		buf_put_str(&r->cursor_id, last->id);
	}
	retention_next(r);
}

static void
retention_read_page(struct retention *r)
{
	r->at = 0;
	vec_clear(&r->page);
	arena_reset(&r->arena);
	store_read(r->en->store,
		   &(struct store_query){ .kind = STORE_LIST_SESSIONS,
					  .filter.deleted = true,
					  .oldest_first = true,
					  .cursor_ms = r->cursor_ms,
					  .cursor_id = buf_str(&r->cursor_id),
					  .limit = PAGE_ROWS },
		   retention_on_session, retention_on_page, r);
}

/* A session that is gone may have been the last branch of another. */
static void
retention_round_over(void *ctx)
{
	struct retention *r = ctx;

	if (r->purged > 0)
		log_write(LOG_INFO, "retention.purged", LOG_INT("sessions", (int64_t)r->purged));
	if (!r->en->draining)
		r->en->host->ops->timer_set(r->timer,
					    r->purged > 0 || r->hurried ? SOON_MS : EVERY_MS);
	r->under_way = false;
	retention_let_go(r);
}

static void
retention_sessions_over(struct retention *r)
{
	work_purge(r->en->work);
	record_purge_run(r->records_purge, retention_round_over, r);
}

static void
retention_next(struct retention *r)
{
	if (r->en->draining)
		retention_round_over(r);
	else if (r->at < r->page.len)
		retention_look(r);
	else if (r->more)
		retention_read_page(r);
	else
		retention_sessions_over(r);
}

static void
retention_on_timer(void *ctx)
{
	struct retention *r = ctx;

	if (r->en->draining || r->under_way)
		return;
	r->under_way = true;
	r->hurried = false;
	r->purged = 0;
	r->until_ms = host_now_ms(r->en->host) - r->en->config.settings.deleted_ms;
	r->cursor_ms = 0;
	buf_clear(&r->cursor_id);
	retention_hold(r);
	retention_read_page(r);
}

/* ---- life ---- */

struct retention *
retention_new(struct engine *en)
{
	struct retention *r = xcalloc(1, sizeof *r);

	r->en = en;
	r->records_purge = record_purge_new(en);
	arena_init(&r->arena);
	arena_init(&r->session_arena);
	buf_init(&r->cursor_id, STORE_ID_MAX);
	return r;
}

void
retention_start(struct retention *r)
{
	r->timer = r->en->host->ops->timer_new(r->en->host, retention_on_timer, r);
	retention_hurry(r);
}

void
retention_hurry(struct retention *r)
{
	r->hurried = true;
	if (r->timer && !r->under_way)
		r->en->host->ops->timer_set(r->timer, SOON_MS);
}

void
retention_on_deleted(struct retention *r)
{
	if (r->en->config.settings.deleted_ms == 0)
		retention_hurry(r);
}

void
retention_free(struct retention **p)
{
	struct retention *r = *p;

	if (!r)
		return;
	if (r->timer)
		r->en->host->ops->timer_free(r->timer);
	record_purge_free(&r->records_purge);
	vec_release(&r->page);
	vec_release(&r->records);
	arena_release(&r->arena);
	arena_release(&r->session_arena);
	buf_release(&r->cursor_id);
	free(r);
	*p = NULL;
}
