/* session_list - sessions in pages, newest activity first, in both directions, with every filter. */
#include "api/handlers.h"
#include "api/page_query.h"
#include "api/session_load.h"

enum { LIMIT_DEFAULT = 50, LIMIT_MAX = 200, STATUSES_MAX = 16, ANSWER_MAX = 64 * 1024 * 1024 };
static const int64_t MINUTE_MS = 60 * 1000, MINUTES_MAX = 525600 * 100;

struct listing {
	struct exchange *x;
	struct store_query q;
	struct cursor cursor;
	bool has_cursor, descending, with_total, nothing;
	struct str statuses[STATUSES_MAX];
	size_t status_count;
	int64_t limit;
	struct store_session *rows;
	size_t count;
	int64_t last_ms; /* of the last row that was looked at */
	struct str last_id;
	bool cut, counting;
	int64_t total;
};

/* ---- which sessions ---- */

/* A word of any surface: the wire's statuses, lifecycles, requires_action, awaiting_approval. */
static bool
status_matches(struct str word, const struct store_session *s)
{
	struct session_view v = { .session = s, .waits_for_approval = true };
	struct session_facts facts = session_json_facts(&v);
	enum lifecycle lifecycle;

	if (lifecycle_parse(word, &lifecycle) && lifecycle != LIFECYCLE_TERMINATED)
		return s->row.state.lifecycle == lifecycle;
	return str_eq(word, str_of(session_wire_status(&facts))) ||
	       (str_eq(word, STR("requires_action")) &&
		session_activity(&facts) == ACTIVITY_REQUIRES_ACTION) ||
	       (str_eq(word, STR("awaiting_approval")) &&
		str_eq(word, str_of(session_display_status(&facts))));
}

static bool
metadata_matches(const struct listing *l, const struct store_session *s)
{
	struct arena scratch;
	struct json_doc doc;
	struct json value;
	bool ok = true;

	if (l->q.filter.metadata_key.len == 0)
		return true;
	arena_init(&scratch);
	if (json_parse(&scratch, s->metadata, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0)
		ok = false;
	for (size_t i = 0; ok && i < l->x->query.count; i++) {
		const struct query_pair *pair = &l->x->query.pairs[i];

		if (str_starts(pair->name, STR("metadata.")))
			ok = json_find(json_root(&doc), str_slice(pair->name, 9, pair->name.len),
				       &value) &&
			     json_str_eq(value, pair->value);
	}
	arena_release(&scratch);
	return ok;
}

static bool
is_wanted(const struct listing *l, const struct store_session *s)
{
	bool ok = l->status_count == 0;

	for (size_t i = 0; i < l->status_count && !ok; i++)
		ok = status_matches(l->statuses[i], s);
	return ok && !s->row.deleted && metadata_matches(l, s);
}

/* ---- reading ---- */

static void
put_cursor(struct listing *l, struct buf *out, const struct store_session *at, bool backwards)
{
	struct cursor c = l->cursor;

	if (!at) {
		buf_put_str(out, STR("null"));
		return;
	}
	c.backwards = backwards;
	c.a = at->row.counters.last_activity_ms;
	c.id = at->id;
	buf_putc(out, '"');
	buf_put_str(out, cursor_format(l->x->arena, &c));
	buf_putc(out, '"');
}

/* Where the list goes on at either end. A page that was cut without a row goes on behind the last
 * one that was looked at. */
static void
put_ends(struct listing *l, struct buf *out, bool more)
{
	bool backwards = l->has_cursor && l->cursor.backwards;
	struct store_session looked_at = { .id = l->last_id };
	const struct store_session *first = &looked_at, *last = &looked_at;

	looked_at.row.counters.last_activity_ms = l->last_ms;
	if (l->count > 0) {
		first = &l->rows[0];
		last = &l->rows[l->count - 1];
	}
	if (more && !backwards)
		last = &looked_at;
	if (more && backwards)
		first = &looked_at;
	buf_put_str(out, STR("],\"next_page\":"));
	put_cursor(l, out, more || (backwards && l->count > 0) ? last : NULL, false);
	buf_put_str(out, STR(",\"prev_page\":"));
	put_cursor(l, out,
		   backwards                       ? (more ? first : NULL)
		   : l->has_cursor && l->count > 0 ? first
						   : NULL,
		   true);
	if (l->with_total)
		buf_printf(out, ",\"total\":%lld", (long long)l->total);
	buf_putc(out, '}');
}

static void
on_loaded(struct exchange *x, const struct session_view *views, size_t count, void *ctx)
{
	struct listing *l = ctx;
	struct buf out;
	bool first = true;

	buf_init(&out, ANSWER_MAX);
	buf_put_str(&out, STR("{\"data\":["));
	for (size_t i = 0; i < count; i++) {
		struct jw w;

		if (!first)
			buf_putc(&out, ',');
		jw_init(&w, &out);
		session_json_write(&w, &views[i], x->arena);
		first = false;
	}
	put_ends(l, &out, l->cut);
	exchange_json(x, 200, buf_str(&out), false);
	buf_release(&out);
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct listing *l = ctx;

	if (l->count == (size_t)l->limit) {
		l->cut = true;
		return false;
	}
	l->last_ms = row->session->row.counters.last_activity_ms;
	l->last_id = arena_str(l->x->arena, row->session->id);
	if (is_wanted(l, row->session))
		l->rows[l->count++] = session_load_copy(l->x->arena, row->session);
	return true;
}

static void
reverse(struct store_session *rows, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct store_session other = rows[i];

		rows[i] = rows[count - 1 - i];
		rows[count - 1 - i] = other;
	}
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct listing *l = ctx;

	if (rc != 0) {
		exchange_fail(l->x, rc, err);
		return;
	}
	l->cut |= more;
	if (l->has_cursor && l->cursor.backwards)
		reverse(l->rows, l->count);
	session_load_rows(l->x, l->rows, l->count, on_loaded, l);
}

static void
read_rows(struct listing *l)
{
	bool backwards = l->has_cursor && l->cursor.backwards;

	l->q.oldest_first = l->descending == backwards;
	l->q.cursor_ms = l->has_cursor ? l->cursor.a : 0;
	l->q.cursor_id = l->has_cursor ? l->cursor.id : (struct str){ 0 };
	l->q.limit = l->nothing ? 1 : STORE_PAGE_ROWS_MAX;
	l->rows = ARENA_ARRAY(l->x->arena, (size_t)l->limit, struct store_session);
	if (l->nothing)
		session_load_rows(l->x, l->rows, 0, on_loaded, l);
	else
		engine_read(l->x->engine, &l->x->caller, &l->q, on_row, on_read, l);
}

/* ---- counting ---- */

static void count_rows(struct listing *l);

static bool
on_count_row(void *ctx, const struct store_row *row)
{
	struct listing *l = ctx;

	l->last_ms = row->session->row.counters.last_activity_ms;
	l->last_id = arena_str(l->x->arena, row->session->id);
	if (is_wanted(l, row->session))
		l->total++;
	return true;
}

static void
on_counted(void *ctx, int rc, bool more, const struct err *err)
{
	struct listing *l = ctx;

	if (rc != 0)
		exchange_fail(l->x, rc, err);
	else if (more)
		count_rows(l);
	else
		read_rows(l);
}

static void
count_rows(struct listing *l)
{
	l->q.cursor_ms = l->last_ms;
	l->q.cursor_id = l->last_id;
	l->q.limit = STORE_PAGE_ROWS_MAX;
	engine_read(l->x->engine, &l->x->caller, &l->q, on_count_row, on_counted, l);
}

/* ---- the query ---- */

static int
read_statuses(struct listing *l, unsigned *lifecycles, struct err *e)
{
	static const struct str WORDS[] = { STR("idle"), STR("running"), STR("rescheduling"),
					    STR("requires_action"), STR("awaiting_approval") };
	enum lifecycle lifecycle;
	struct str word;

	for (size_t at = 0; query_next(&l->x->query, STR("statuses"), &at, &word);) {
		bool known = lifecycle_parse(word, &lifecycle);

		if (known)
			*lifecycles |= 1u << lifecycle;
		for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
			known |= str_eq(word, WORDS[i]);
		if (!known || l->status_count == STATUSES_MAX)
			return err_set(e, ERR_INVALID,
				       "statuses: " STR_FMT " is no status of a session",
				       STR_ARG(str_slice(word, 0, 64)));
		l->statuses[l->status_count++] = word;
	}
	return 0;
}

/* What is put away is hidden unless it is asked for. */
static int
read_lifecycles(struct listing *l, struct err *e)
{
	unsigned lifecycles = 1u << LIFECYCLE_ACTIVE | 1u << LIFECYCLE_TERMINATED;
	bool archived = false, inactive = false;
	int rc = read_statuses(l, &lifecycles, e);

	if (rc == 0)
		rc = exchange_query_bool(l->x, "include_archived", &archived, e);
	if (rc == 0)
		rc = exchange_query_bool(l->x, "include_inactive", &inactive, e);
	if (archived)
		lifecycles |= 1u << LIFECYCLE_ARCHIVED;
	if (inactive)
		lifecycles |= 1u << LIFECYCLE_INACTIVE;
	l->q.filter.lifecycles = lifecycles;
	return rc;
}

static int
read_texts(struct listing *l, struct err *e)
{
	struct store_session_filter *f = &l->q.filter;
	struct str unknown[2] = { { 0 } };
	const struct {
		const char *name;
		struct str *out;
	} fields[] = {
		{ "agent_id", &f->agent_id },
		{ "workspace_id", &f->workspace_id },
		{ "participant", &f->participant },
		{ "kind", &f->source_kind },
		{ "platform", &f->platform },
		{ "channel", &f->id_prefix },
		{ "text", &f->text },
		{ "deployment_id", &unknown[0] },
		{ "memory_store_id", &unknown[1] },
	};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(fields) && rc == 0; i++)
		rc = exchange_query_str(l->x, fields[i].name, fields[i].out, e);
	/* sessions here come from no deployment and mount no memory store */
	l->nothing = unknown[0].len > 0 || unknown[1].len > 0;
	for (size_t i = 0; i < l->x->query.count && rc == 0; i++) {
		const struct query_pair *pair = &l->x->query.pairs[i];

		if (!str_starts(pair->name, STR("metadata.")) || f->metadata_key.len > 0)
			continue;
		f->metadata_key = str_slice(pair->name, 9, pair->name.len);
		f->metadata_value = pair->value;
	}
	return rc;
}

static int
read_numbers(struct listing *l, struct err *e)
{
	struct store_session_filter *f = &l->q.filter;
	int64_t minutes = 0, from = 0, until = INT64_MAX;
	struct str interactive = { 0 };
	bool yes = false;
	int rc = exchange_query_int(l->x, "agent_version", 1, INT64_MAX, &f->agent_version, e);

	if (rc == 0)
		rc = exchange_query_int(l->x, "active_minutes", 1, MINUTES_MAX, &minutes, e);
	if (rc == 0)
		rc = page_query_range(l->x, "created_at", &from, &until, e);
	if (rc == 0)
		rc = exchange_query_bool(l->x, "interactive", &yes, e);
	if (rc == 0)
		rc = exchange_query_str(l->x, "interactive", &interactive, e);
	if (rc != 0)
		return rc;
	if (minutes > 0)
		f->active_since_ms = host_now_ms(engine_host(l->x->engine)) - minutes * MINUTE_MS;
	f->created_from_ms = from;
	f->created_until_ms = until == INT64_MAX ? 0 : until;
	if (interactive.ptr)
		f->interactive = yes ? 1 : 2;
	return 0;
}

void
session_list_route(struct exchange *x)
{
	struct listing *l = ARENA_NEW(x->arena, struct listing);
	struct err e;
	int rc;

	*l = (struct listing){ .x = x,
			       .q = { .kind = STORE_LIST_SESSIONS },
			       .limit = LIMIT_DEFAULT,
			       .descending = true };
	rc = exchange_query_int(x, "limit", 1, LIMIT_MAX, &l->limit, &e);
	if (rc == 0)
		rc = page_query_order(x, &l->descending, &e);
	if (rc == 0)
		rc = read_lifecycles(l, &e);
	if (rc == 0)
		rc = read_texts(l, &e);
	if (rc == 0)
		rc = read_numbers(l, &e);
	if (rc == 0)
		rc = exchange_query_bool(x, "include_total", &l->with_total, &e);
	if (rc == 0)
		rc = page_query_cursor(x, 's', &l->cursor, &l->has_cursor, &e);
	if (rc != 0)
		exchange_fail(x, rc, &e);
	else if (l->with_total && !l->nothing)
		count_rows(l);
	else
		read_rows(l);
}
