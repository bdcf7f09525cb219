/* lane_export - all lanes as a file that other gateways know: sessions.json, an object of entries by their
 * session key. Two lanes of one key text (of two workspaces, say) keep apart by their id behind it.
 *
 * At the client's pace: a page of lanes is read, with the counters of their sessions, when the page before it
 * has left. */
#include <stdlib.h>

#include "api/handlers.h"
#include "api/lane_json.h"
#include "base/map.h"
#include "base/xalloc.h"

enum {
	PAGE_ROWS = 50,
	PAGE_BYTES = 64 * 1024, /* a page ends with the lane that passes it */
	PAGE_MAX = 256 * 1024 * 1024,
};

struct lane_export;
struct row {
	struct lane_export *ex;
	struct str id, body;
	struct lane_entry entry;
	struct session_counters counters;
};

struct lane_export {
	struct engine *en;
	struct engine_caller caller;
	struct http_request *request; /* NULL: gone; freed when nothing is being read */
	struct exchange *x;           /* NULL: the answer has begun */
	struct arena names;           /* keys that are taken */
	struct map taken;
	struct arena arena; /* of the page */
	struct row rows[PAGE_ROWS];
	size_t count, reads; /* reads: of sessions, under way */
	size_t bytes;
	bool reading, more, cut, begun;
	struct buf last; /* id of the last row */
	struct buf page;
};

static void
lane_export_free(struct lane_export *ex)
{
	buf_release(&ex->page);
	buf_release(&ex->last);
	map_release(&ex->taken);
	arena_release(&ex->names);
	arena_release(&ex->arena);
	free(ex);
}

static void
lane_export_leave(struct lane_export *ex)
{
	http_request_release(TAKE(ex->request));
	lane_export_free(ex);
}

static void
lane_export_on_gone(void *context, enum http_gone why)
{
	struct lane_export *ex = context;

	(void)why;
	http_request_release(TAKE(ex->request));
	if (!ex->reading)
		lane_export_free(ex);
}

/* ---- a page is written ---- */

static struct str
lane_export_key(struct lane_export *ex, const struct row *row)
{
	struct str key = arena_str(&ex->names, row->entry.session_key);

	if (map_find(&ex->taken, key))
		key = arena_printf(&ex->names, STR_FMT "#" STR_FMT, STR_ARG(row->entry.session_key),
				   STR_ARG(row->id));
	map_put(&ex->taken, key, ex);
	return key;
}

static void
lane_export_write(struct lane_export *ex, struct row *row)
{
	struct jw w;

	if (row->entry.session_key.len == 0) /* a record that cannot be read */
		return;
	lane_entry_count(&row->entry, &row->counters);
	buf_puts(&ex->page, ex->begun ? ",\"" : "\"");
	json_escape(&ex->page, lane_export_key(ex, row));
	buf_puts(&ex->page, "\":");
	jw_init(&w, &ex->page);
	lane_entry_write(&row->entry, &w);
	ex->begun = true;
}

static void
lane_export_push(struct lane_export *ex)
{
	struct net_bytes *bytes = net_bytes_copy(buf_str(&ex->page));

	buf_clear(&ex->page);
	IGNORE(http_request_push(ex->request, bytes)); /* if it is over, on_gone says so */
	net_bytes_unref(bytes);
}

/* What failed is cut short, so that nobody takes it for whole. */
static void
lane_export_page_over(struct lane_export *ex)
{
	ex->reading = false;
	if (!ex->request) {
		lane_export_free(ex);
		return;
	}
	for (size_t i = 0; !ex->cut && i < ex->count; i++)
		lane_export_write(ex, &ex->rows[i]);
	if (!ex->cut && !ex->more)
		buf_puts(&ex->page, "}\n");
	if (ex->cut || ex->page.overflow) {
		lane_export_leave(ex);
		return;
	}
	if (ex->page.len > 0)
		lane_export_push(ex);
	if (!ex->more && ex->request) {
		http_request_end(ex->request);
		lane_export_leave(ex);
	}
}

/* ---- a page is read ---- */

static bool
lane_export_on_session_row(void *ctx, const struct store_row *row)
{
	struct row *lane = ctx;

	lane->counters = row->session->row.counters;
	return false;
}

/* Its session may be deleted: the lane is still one. */
static void
lane_export_on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct lane_export *ex = ((struct row *)ctx)->ex;

	(void)more, (void)err;
	ex->cut |= rc != 0 && rc != ERR_NOT_FOUND;
	if (--ex->reads == 0)
		lane_export_page_over(ex);
}

static void
lane_export_read_sessions(struct lane_export *ex)
{
	ex->reads = 1; /* while they are being started */
	for (size_t i = 0; i < ex->count; i++) {
		struct row *row = &ex->rows[i];

		if (!lane_json_read(row->body, &ex->arena, &row->entry))
			continue;
		ex->reads++;
		engine_read(ex->en, &ex->caller,
			    &(struct store_query){ .kind = STORE_GET_SESSION,
						   .session = row->entry.session_id,
						   .limit = 1 },
			    lane_export_on_session_row, lane_export_on_session, row);
	}
	if (--ex->reads == 0)
		lane_export_page_over(ex);
}

static bool
lane_export_on_row(void *ctx, const struct store_row *row)
{
	struct lane_export *ex = ctx;

	ex->rows[ex->count++] = (struct row){ .ex = ex,
					      .id = arena_str(&ex->arena, row->record->id),
					      .body = arena_str(&ex->arena, row->record->body) };
	ex->bytes += row->record->body.len;
	return ex->bytes < PAGE_BYTES;
}

static void
lane_export_on_rows(void *ctx, int rc, bool more, const struct err *err)
{
	struct lane_export *ex = ctx;

	(void)err;
	ex->cut |= rc != 0;
	if (ex->count > 0) { /* not before: the query has the old one */
		buf_clear(&ex->last);
		buf_put_str(&ex->last, ex->rows[ex->count - 1].id);
	}
	ex->more = more || ex->bytes >= PAGE_BYTES;
	if (!ex->request || ex->cut)
		lane_export_page_over(ex);
	else
		lane_export_read_sessions(ex);
}

static void
lane_export_on_drained(void *context)
{
	struct lane_export *ex = context;

	if (ex->reading)
		return;
	ex->reading = true;
	ex->count = ex->bytes = 0;
	arena_reset(&ex->arena);
	engine_read(ex->en, &ex->caller,
		    &(struct store_query){ .kind = STORE_LIST_RECORDS,
					   .record_kind = RECORD_LANE,
					   .record_id = buf_str(&ex->last),
					   .limit = PAGE_ROWS },
		    lane_export_on_row, lane_export_on_rows, ex);
}

/* ---- the first byte ---- */

static void
lane_export_begin(struct lane_export *ex)
{
	struct http_header headers[EXCHANGE_HEADERS];
	struct exchange *x = TAKE(ex->x);
	struct http_reply reply = {
		.status = 200,
		.headers = headers,
		.header_count = exchange_headers(x, headers),
		.content_type = STR("application/json"),
	};

	ex->request = x->request;
	http_request_own(ex->request,
			 &(struct http_owner){ lane_export_on_gone, lane_export_on_drained, ex });
	http_request_open(ex->request, &reply);
	exchange_leave(x, 200);
	if (http_request_is_over(ex->request)) { /* HEAD, or the client has left */
		lane_export_leave(ex);
		return;
	}
	buf_putc(&ex->page, '{');
	lane_export_push(ex);
}

static void
lane_export_on_allowed(void *ctx, int rc, bool more, const struct err *err)
{
	struct lane_export *ex = ctx;

	(void)more;
	if (rc == 0) {
		lane_export_begin(ex);
		return;
	}
	exchange_fail(ex->x, rc, err);
	lane_export_free(ex);
}

static bool
lane_export_on_any(void *ctx, const struct store_row *row)
{
	(void)ctx, (void)row;
	return false;
}

/* Whoever may not read them is told so before the answer begins. */
void
lane_export_route(struct exchange *x)
{
	struct lane_export *ex = xcalloc(1, sizeof *ex);

	ex->en = x->engine;
	ex->caller = x->caller;
	ex->x = x;
	arena_init(&ex->names);
	arena_init(&ex->arena);
	map_init(&ex->taken, 0);
	buf_init(&ex->last, STORE_RECORD_ID_MAX);
	buf_init(&ex->page, PAGE_MAX);
	engine_read(ex->en, &ex->caller,
		    &(struct store_query){
			    .kind = STORE_LIST_RECORDS, .record_kind = RECORD_LANE, .limit = 1 },
		    lane_export_on_any, lane_export_on_allowed, ex);
}
