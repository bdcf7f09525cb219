/* lane_export - all lanes as a file that other gateways know: sessions.json, an object of entries by their
 * session key. Two lanes of one key text (of two workspaces, say) keep apart by their id behind it. */
#include "api/handlers.h"
#include "api/lane_json.h"
#include "base/map.h"

enum { PAGE_ROWS = 100, FILE_MAX = 256 * 1024 * 1024 };

struct row {
	struct str id, body;
};
struct exporting {
	struct exchange *x;
	struct arena names; /* keys that are taken */
	struct map taken;
	struct row rows[PAGE_ROWS];
	size_t count, at;
	bool more;
	struct str last;
	struct buf out;
	struct jw w;
	struct session_counters counters;
};

static void
finish(struct exporting *ex, int rc, const struct err *err)
{
	struct exchange *x = ex->x;
	struct buf out;
	struct err e;

	map_release(&ex->taken);
	arena_release(&ex->names);
	if (rc == 0) {
		jw_end_object(&ex->w);
		rc = buf_check(&ex->out, "the export", &e);
		err = &e;
	}
	out = ex->out; /* ex dies with the exchange */
	if (rc != 0)
		exchange_fail(x, rc, err);
	else
		exchange_json(x, 200, buf_str(&out), false);
	buf_release(&out);
}

static struct str
key_of(struct exporting *ex, const struct lane_entry *entry, struct str id)
{
	struct str key = arena_str(&ex->names, entry->session_key);

	if (map_find(&ex->taken, key))
		key = arena_printf(&ex->names, STR_FMT "#" STR_FMT, STR_ARG(entry->session_key),
				   STR_ARG(id));
	map_put(&ex->taken, key, ex);
	return key;
}

/* ---- one lane after the other ---- */

static void next(struct exporting *ex);

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct exporting *ex = ctx;

	ex->counters = row->session->row.counters;
	return false;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct exporting *ex = ctx;
	struct lane_entry entry;

	(void)more;
	if (rc != 0 &&
	    rc != ERR_NOT_FOUND) { /* its session may be deleted: the lane is still one */
		finish(ex, rc, err);
		return;
	}
	if (lane_json_read(ex->rows[ex->at].body, ex->x->arena, &entry)) {
		lane_entry_count(&entry, &ex->counters);
		jw_key(&ex->w, key_of(ex, &entry, ex->rows[ex->at].id));
		lane_entry_write(&entry, &ex->w);
	}
	ex->at++;
	next(ex);
}

static bool
on_lane_row(void *ctx, const struct store_row *row)
{
	struct exporting *ex = ctx;

	ex->rows[ex->count++] = (struct row){ arena_str(ex->x->arena, row->record->id),
					      arena_str(ex->x->arena, row->record->body) };
	return true;
}

static void
on_lanes(void *ctx, int rc, bool more, const struct err *err)
{
	struct exporting *ex = ctx;

	ex->more = more;
	if (rc != 0)
		finish(ex, rc, err);
	else
		next(ex);
}

static void
read_page(struct exporting *ex)
{
	struct store_query q = { .kind = STORE_LIST_RECORDS,
				 .record_kind = RECORD_LANE,
				 .record_id = ex->last,
				 .limit = PAGE_ROWS };

	ex->count = ex->at = 0;
	engine_read(ex->x->engine, &ex->x->caller, &q, on_lane_row, on_lanes, ex);
}

static void
next(struct exporting *ex)
{
	struct store_query q = { .kind = STORE_GET_SESSION, .limit = 1 };
	struct lane_entry entry;

	if (ex->at == ex->count && !ex->more) {
		finish(ex, 0, NULL);
		return;
	}
	if (ex->at == ex->count) {
		ex->last = ex->rows[ex->count - 1].id;
		read_page(ex);
		return;
	}
	ex->counters = (struct session_counters){ 0 };
	if (lane_json_read(ex->rows[ex->at].body, ex->x->arena, &entry))
		q.session = entry.session_id;
	engine_read(ex->x->engine, &ex->x->caller, &q, on_session_row, on_session, ex);
}

void
lane_export_route(struct exchange *x)
{
	struct exporting *ex = ARENA_NEW(x->arena, struct exporting);

	ex->x = x;
	arena_init(&ex->names);
	map_init(&ex->taken, 0);
	buf_init(&ex->out, FILE_MAX);
	jw_init(&ex->w, &ex->out);
	jw_object(&ex->w);
	read_page(ex);
}
