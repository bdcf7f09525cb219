#include "api/record_page.h"

#include <stdlib.h>

#include "api/cursor.h"
#include "base/timestamp.h"
#include "base/xalloc.h"

enum { LIMIT_DEFAULT = 20, LIMIT_MAX = 100, PAGE_BYTES_MAX = 64 * 1024 * 1024 };

/* One read on its way. Between engine_read and its answer it belongs to the store's thread. */
struct job {
	struct exchange *x;
	const struct record_view *view;
	const void *prepared;
	bool single, replayed, first_page;
	int64_t limit, created_from_ms, created_until_ms;
	bool include_archived;
	uint32_t filters;
	struct arena arena; /* of one row */
	struct buf out;
	struct jw w;
	int64_t rows;
	bool more;
	char last_id[STORE_ID_MAX]; /* of the last row looked at */
	size_t last_id_len;
};

static struct job *
job_new(struct exchange *x, const struct record_view *view)
{
	struct job *job = xcalloc(1, sizeof *job);

	job->x = x;
	job->view = view;
	job->prepared = view->prepare ? view->prepare(x) : NULL;
	arena_init(&job->arena);
	buf_init(&job->out, PAGE_BYTES_MAX);
	jw_init(&job->w, &job->out);
	return job;
}

static void
job_free(struct job *job)
{
	arena_release(&job->arena);
	buf_release(&job->out);
	free(job);
}

/* --- rows, on the store's thread --- */

/* Bodies were written by this program; one that does not parse is left out here and found by the
 * check of the data directory. */
static bool
parse(struct job *job, const struct store_record *record, struct json *out)
{
	struct json_doc *doc;

	arena_reset(&job->arena);
	doc = ARENA_NEW(&job->arena, struct json_doc);
	if (json_parse(&job->arena, record->body, &JSON_LIMITS_DEFAULT, doc, NULL) != 0)
		return false;
	*out = json_root(doc);
	return true;
}

static void
write_record(struct job *job, const struct store_record *record, struct json body)
{
	struct record_row row = { body, job->prepared, &job->arena };

	if (job->view->write)
		job->view->write(&job->w, &row);
	else
		jw_raw(&job->w, record->body);
	job->rows++;
}

static bool
is_wanted(struct job *job, struct json body)
{
	struct json field;
	int64_t created_ms;

	if (!job->include_archived && json_find(body, STR("archived_at"), &field) &&
	    json_type(field) != JSON_NULL)
		return false;
	if (!json_find(body, STR("created_at"), &field) ||
	    !timestamp_parse(json_str(field, &job->arena), &created_ms))
		return true;
	return created_ms >= job->created_from_ms && created_ms <= job->created_until_ms;
}

static bool
on_list_row(void *ctx, const struct store_row *row)
{
	struct job *job = ctx;
	struct str id = row->record->id;
	struct json body;

	if (job->rows == job->limit) {
		job->more = true;
		return false;
	}
	memcpy(job->last_id, id.ptr, id.len);
	job->last_id_len = id.len;
	if (parse(job, row->record, &body) && is_wanted(job, body))
		write_record(job, row->record, body);
	return true;
}

static bool
on_get_row(void *ctx, const struct store_row *row)
{
	struct job *job = ctx;
	struct json body;

	if (parse(job, row->record, &body))
		write_record(job, row->record, body);
	return false;
}

/* --- answers --- */

static int
check(const struct job *job, int rc, const struct err *err, struct err *e)
{
	bool must_be = job->single || (job->view->never_empty && job->first_page);

	if (rc != 0) {
		*e = *err;
		return rc;
	}
	if (job->rows == 0 && must_be)
		return err_set(e, ERR_NOT_FOUND, "there is no such %s", job->view->noun);
	return buf_check(&job->out, "the answer", e);
}

static void
on_got(void *ctx, int rc, bool more, const struct err *err)
{
	struct job *job = ctx;
	struct err e;

	(void)more;
	rc = check(job, rc, err, &e);
	if (rc != 0)
		exchange_fail(job->x, rc, &e);
	else
		exchange_json(job->x, 200, buf_str(&job->out), job->replayed);
	job_free(job);
}

static void
write_next(struct job *job)
{
	struct cursor next = {
		.list = job->view->list,
		.id = { job->last_id, job->last_id_len },
		.filters = job->filters,
	};

	if (job->more)
		jw_field_str(&job->w, "next_page", cursor_format(&job->arena, &next));
	else
		jw_field_null(&job->w, "next_page");
}

static void
on_listed(void *ctx, int rc, bool more, const struct err *err)
{
	struct job *job = ctx;
	struct err e;

	job->more |= more;
	jw_end_array(&job->w);
	write_next(job);
	jw_end_object(&job->w);
	rc = check(job, rc, err, &e);
	if (rc != 0)
		exchange_fail(job->x, rc, &e);
	else
		exchange_json(job->x, 200, buf_str(&job->out), false);
	job_free(job);
}

/* --- questions --- */

void
record_page_get(struct exchange *x, const struct record_view *view, struct str id, bool replayed)
{
	struct job *job = job_new(x, view);
	struct store_query q = {
		.kind = STORE_GET_RECORD,
		.record_kind = view->kind,
		.record_id = id,
		.limit = 1,
	};

	job->single = true;
	job->replayed = replayed;
	engine_read(x->engine, &x->caller, &q, on_get_row, on_got, job);
}

static int
read_query(struct job *job, struct cursor *from, struct err *e)
{
	struct exchange *x = job->x;
	struct str page = { 0 };
	int rc;

	job->limit = LIMIT_DEFAULT;
	job->created_from_ms = INT64_MIN;
	job->created_until_ms = INT64_MAX;
	job->filters = cursor_filters(&x->query);
	if ((rc = exchange_query_int(x, "limit", 1, LIMIT_MAX, &job->limit, e)) != 0 ||
	    (rc = exchange_query_instant(x, "created_at[gte]", &job->created_from_ms, e)) != 0 ||
	    (rc = exchange_query_instant(x, "created_at[lte]", &job->created_until_ms, e)) != 0 ||
	    (rc = exchange_query_bool(x, "include_archived", &job->include_archived, e)) != 0 ||
	    (rc = exchange_query_str(x, "page", &page, e)) != 0)
		return rc;
	job->first_page = !page.ptr;
	return page.ptr ? cursor_parse(x->arena, page, job->view->list, job->filters, from, e) : 0;
}

void
record_page_list(struct exchange *x, const struct record_view *view, struct str owner,
		 struct str session)
{
	struct job *job = job_new(x, view);
	struct cursor from = { 0 };
	struct err e;
	int rc = read_query(job, &from, &e);
	struct store_query q = {
		.kind = STORE_LIST_RECORDS,
		.session = session,
		.record_kind = view->kind,
		.record_owner = owner,
		.record_id = from.id,
		.descending = true,
		.limit = STORE_PAGE_ROWS_MAX, /* looked at; the row function stops it earlier */
	};

	if (rc != 0) {
		job_free(job);
		exchange_fail(x, rc, &e);
		return;
	}
	jw_object(&job->w);
	jw_field_array(&job->w, "data");
	engine_read(x->engine, &x->caller, &q, on_list_row, on_listed, job);
}

/* --- commands --- */

struct change {
	struct exchange *x;
	const struct record_view *view;
	const char *type; /* of an answer about something that is gone */
};

static void
on_changed(void *ctx, const struct engine_answer *answer)
{
	struct change *change = ctx;
	struct exchange *x = change->x;

	if (answer->rc != 0)
		exchange_fail(x, answer->rc, answer->err);
	else
		record_page_get(x, change->view, arena_str(x->arena, answer->id), answer->replayed);
}

static void
on_removed(void *ctx, const struct engine_answer *answer)
{
	struct change *change = ctx;
	struct exchange *x = change->x;
	struct buf *out = exchange_buf(x);
	struct jw w;

	if (answer->rc != 0) {
		exchange_fail(x, answer->rc, answer->err);
		return;
	}
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "id", answer->id);
	jw_field_str(&w, "type", str_of(change->type));
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), answer->replayed);
}

static const struct engine_call *
call_of(const struct change *facts, engine_done_fn *done)
{
	struct exchange *x = facts->x;
	struct change *change = ARENA_NEW(x->arena, struct change);

	*change = *facts;
	x->call.done = done;
	x->call.ctx = change;
	return &x->call;
}

const struct engine_call *
record_page_after(struct exchange *x, const struct record_view *view)
{
	return call_of(&(struct change){ .x = x, .view = view }, on_changed);
}

const struct engine_call *
record_page_gone(struct exchange *x, const char *type)
{
	return call_of(&(struct change){ .x = x, .type = type }, on_removed);
}
