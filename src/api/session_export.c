/* session_export - a session's log as a bundle, at the client's pace: a page is read when the page
 * before it has left. The log may grow meanwhile; the bundle ends where it stood when it began. */
#include <stdlib.h>

#include "api/bundle.h"
#include "api/handlers.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	PAGE_ROWS = 256,
	PAGE_BYTES = 64 * 1024, /* well below what may wait for a client */
	PAGE_MAX = STORE_PAYLOAD_MAX * 2 + PAGE_BYTES,
};

struct session_export {
	struct engine *en;
	struct engine_caller caller;
	struct http_request *request; /* NULL: gone; freed when no page is being read */
	struct exchange *x;           /* NULL: the answer has begun */
	struct arena arena;
	struct bundle_header header;
	VEC(struct engine_log_wake) wakes;
	bool found, reading, cut;
	int64_t cursor;
	struct buf page;
};

static void
export_free(struct session_export *ex)
{
	buf_release(&ex->page);
	vec_release(&ex->wakes);
	arena_release(&ex->arena);
	free(ex);
}

static void
on_gone(void *context, enum http_gone why)
{
	struct session_export *ex = context;

	(void)why;
	http_request_release(TAKE(ex->request));
	if (!ex->reading)
		export_free(ex);
}

/* ---- pages ---- */

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct session_export *ex = ctx;

	bundle_write_event(&ex->page, &row->event->ev, &row->event->hash);
	ex->cursor = row->event->ev.seq;
	return ex->page.len < PAGE_BYTES;
}

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct session_export *ex = ctx;
	struct net_bytes *bytes;

	(void)more;
	(void)err;
	ex->reading = false;
	if (!ex->request) {
		export_free(ex);
		return;
	}
	if (rc != 0 || ex->page.len == 0) { /* cut short, so that nobody takes it for whole */
		http_request_release(TAKE(ex->request));
		export_free(ex);
		return;
	}
	bytes = net_bytes_copy(buf_str(&ex->page));
	buf_clear(&ex->page);
	IGNORE(http_request_push(ex->request, bytes)); /* if it is over, on_gone says so */
	net_bytes_unref(bytes);
}

static void
on_drained(void *context)
{
	struct session_export *ex = context;
	struct store_query q = {
		.kind = STORE_LIST_EVENTS,
		.session = ex->header.id,
		.after = ex->cursor,
		.before = ex->header.head_seq + 1,
		.limit = PAGE_ROWS,
	};

	if (ex->reading)
		return;
	if (ex->cursor == ex->header.head_seq) {
		http_request_end(ex->request);
		http_request_release(TAKE(ex->request));
		export_free(ex);
		return;
	}
	ex->reading = true;
	engine_read(ex->en, &ex->caller, &q, on_row, on_page, ex);
}

/* ---- the header ---- */

static void
begin(struct session_export *ex)
{
	struct http_header headers[EXCHANGE_HEADERS];
	struct exchange *x = TAKE(ex->x);
	struct http_reply reply = {
		.status = 200,
		.headers = headers,
		.header_count = exchange_headers(x, headers),
		.content_type = STR("application/x-ndjson"),
	};
	struct net_bytes *bytes;

	ex->request = x->request;
	http_request_own(ex->request, &(struct http_owner){ on_gone, on_drained, ex });
	http_request_open(ex->request, &reply);
	exchange_leave(x, 200);
	if (http_request_is_over(ex->request)) { /* HEAD, or the client has left */
		http_request_release(TAKE(ex->request));
		export_free(ex);
		return;
	}
	bundle_write_header(&ex->page, &ex->header);
	bytes = net_bytes_copy(buf_str(&ex->page));
	buf_clear(&ex->page);
	IGNORE(http_request_push(ex->request, bytes));
	net_bytes_unref(bytes);
}

static void
fail(struct session_export *ex, int rc, const struct err *err)
{
	exchange_fail(ex->x, rc, err);
	export_free(ex);
}

/* Records are read behind the log's head: a wake may be newer than the bundle's end, or gone. */
static bool
on_wake_row(void *ctx, const struct store_row *row)
{
	struct session_export *ex = ctx;

	*vec_push(&ex->wakes) =
		(struct engine_log_wake){ .id = arena_str(&ex->arena, row->record->id),
					  .due_at_ms = row->record->due_at_ms,
					  .body = arena_str(&ex->arena, row->record->body) };
	return true;
}

static void
on_wakes(void *ctx, int rc, bool more, const struct err *err)
{
	struct session_export *ex = ctx;

	(void)more;
	if (rc != 0) {
		fail(ex, rc, err);
		return;
	}
	ex->header.wakes = ex->wakes.ptr;
	ex->header.wake_count = ex->wakes.len;
	begin(ex);
}

static bool
on_extra_row(void *ctx, const struct store_row *row)
{
	struct session_export *ex = ctx;

	ex->header.extra = arena_str(&ex->arena, row->record->body);
	return true;
}

static void
on_extra(void *ctx, int rc, bool more, const struct err *err)
{
	struct session_export *ex = ctx;
	struct store_query q = {
		.kind = STORE_LIST_RECORDS,
		.session = ex->header.id,
		.record_kind = RECORD_WAKE,
		.record_owner = ex->header.id,
		.limit = BUNDLE_WAKES_MAX,
	};

	(void)more;
	if (rc != 0)
		fail(ex, rc, err);
	else
		engine_read(ex->en, &ex->caller, &q, on_wake_row, on_wakes, ex);
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct session_export *ex = ctx;

	ex->found = !row->session->row.deleted;
	ex->header.head_seq = row->session->row.head_seq;
	ex->header.head_hash = row->session->row.head_hash;
	return true;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct session_export *ex = ctx;
	struct store_query q = {
		.kind = STORE_GET_RECORD,
		.session = ex->header.id,
		.record_kind = RECORD_SESSION_EXTRA,
		.record_id = ex->header.id,
		.limit = 1,
	};
	struct err e;

	(void)more;
	if (rc != 0)
		fail(ex, rc, err);
	else if (!ex->found)
		fail(ex, err_set(&e, ERR_NOT_FOUND, "there is no such session"), &e);
	else
		engine_read(ex->en, &ex->caller, &q, on_extra_row, on_extra, ex);
}

void
session_export_route(struct exchange *x)
{
	struct session_export *ex = xcalloc(1, sizeof *ex);
	struct store_query q = { .kind = STORE_GET_SESSION, .limit = 1 };

	ex->en = x->engine;
	ex->caller = x->caller;
	ex->x = x;
	arena_init(&ex->arena);
	buf_init(&ex->page, PAGE_MAX);
	ex->header.id = arena_str(&ex->arena, x->captures[0]);
	q.session = ex->header.id;
	engine_read(ex->en, &ex->caller, &q, on_session_row, on_session, ex);
}
