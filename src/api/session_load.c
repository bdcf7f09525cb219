#include "api/session_load.h"

enum { PART_MAX = 4 * 1024 * 1024 };

/* What is read beside the row. */
enum part_kind {
	PART_AGENT,
	PART_EXTRA,
	PART_RESOURCES,
	PART_WAKES,
	PART_PEOPLE,
	PART_CALLS,
	PART_ARCHIVED,
};

struct load {
	struct exchange *x;
	struct session_view *views;
	size_t count;
	session_load_fn *done;
	void *ctx;
	size_t open; /* reads under way, and one while they are being started */
	int rc;
	struct err err;
};

/* One read; its text is its own, because several are read at once. */
struct part {
	struct load *load;
	struct session_view *view;
	enum part_kind kind;
	struct str prefix; /* of the records that count */
	struct buf text;
	bool waits_for_approval, wake_pending;
	int64_t at_ms;
};

struct store_session
session_load_copy(struct arena *a, const struct store_session *from)
{
	struct store_session s = *from;
	struct str *const texts[] = { &s.id,           &s.agent_id,  &s.environment_id,
				      &s.workspace_id, &s.lane_key,  &s.parent_id,
				      &s.previous_id,  &s.source,    &s.metadata,
				      &s.row.turn,     &s.row.title, &s.row.fallback_title };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i]->len > 0)
			*texts[i] = arena_str(a, *texts[i]);
	return s;
}

/* ---- parts ---- */

static void
put_value(struct buf *out, struct str json)
{
	if (out->len > 0)
		buf_putc(out, ',');
	buf_put_str(out, json);
}

static void
put_text(struct buf *out, struct str text)
{
	if (out->len > 0)
		buf_putc(out, ',');
	buf_putc(out, '"');
	json_escape(out, text);
	buf_putc(out, '"');
}

static void
take_call(struct part *p, const struct call_row *call)
{
	if (call->state == CALL_WAITS_APPROVAL)
		p->waits_for_approval = true;
	if (call->state == CALL_WAITS_APPROVAL || call->state == CALL_WAITS_RESULT)
		put_text(&p->text, call->id);
}

/* The newest change that made the session archived. */
static bool
take_change(struct part *p, const struct event *ev)
{
	struct arena scratch;
	struct json_doc doc;
	struct json v;

	arena_init(&scratch);
	if (json_parse(&scratch, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0 &&
	    json_find(json_root(&doc), STR("lifecycle"), &v) && json_str_eq(v, STR("archived")))
		p->at_ms = ev->created_at_ms;
	arena_release(&scratch);
	return p->at_ms == 0;
}

/* As it is shown: with the model that answers. */
static void
put_agent(struct part *p, struct str body)
{
	struct arena scratch;
	struct json_doc doc;
	struct jw w;

	arena_init(&scratch);
	jw_init(&w, &p->text);
	if (json_parse(&scratch, body, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0)
		model_choice_write(&w, json_root(&doc), &p->view->models, &scratch);
	arena_release(&scratch);
}

static bool
on_part_row(void *ctx, const struct store_row *row)
{
	struct part *p = ctx;

	switch (p->kind) {
	case PART_AGENT: put_agent(p, row->record->body); return true;
	case PART_EXTRA:
	case PART_RESOURCES: put_value(&p->text, row->record->body); return true;
	case PART_WAKES:
		put_value(&p->text, row->record->body);
		p->wake_pending |= row->record->due_at_ms > 0; /* parked ones have none */
		return true;
	case PART_PEOPLE:
		if (!str_starts(row->record->id, p->prefix))
			return false; /* the next session's begin */
		put_text(&p->text, row->record->owner);
		return true;
	case PART_CALLS: take_call(p, row->call); return true;
	case PART_ARCHIVED: return take_change(p, &row->event->ev);
	}
	return false;
}

/* The same version of the same agent is read once, in each workspace. */
static const struct session_view *
view_of_agent(const struct load *l, const struct session_view *v)
{
	for (const struct session_view *at = l->views; at < v; at++)
		if (at->session->agent_version == v->session->agent_version &&
		    str_eq(at->session->agent_id, v->session->agent_id) &&
		    str_eq(at->session->workspace_id, v->session->workspace_id))
			return at;
	return NULL;
}

/* Snapshots that were read for an earlier view. */
static void
share_agents(struct load *l)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct session_view *same = view_of_agent(l, &l->views[i]);

		if (same)
			l->views[i].agent = same->agent;
	}
}

static void
load_settle(struct load *l)
{
	if (--l->open > 0)
		return;
	if (l->rc != 0) {
		exchange_fail(l->x, l->rc, &l->err);
		return;
	}
	share_agents(l);
	l->done(l->x, l->views, l->count, l->ctx);
}

static void
give_part(struct part *p)
{
	struct session_view *v = p->view;
	struct str text = { 0 };

	if (p->text.len > 0)
		text = arena_str(p->load->x->arena, buf_str(&p->text));
	switch (p->kind) {
	case PART_AGENT: v->agent = text; break;
	case PART_EXTRA: v->extra = text; break;
	case PART_RESOURCES: v->resources = text; break;
	case PART_WAKES:
		v->wakes = text;
		v->wake_pending = p->wake_pending;
		break;
	case PART_PEOPLE: v->participants = text; break;
	case PART_CALLS:
		v->waits_for = text;
		v->waits_for_approval = p->waits_for_approval;
		break;
	case PART_ARCHIVED: v->archived_at_ms = p->at_ms; break;
	}
}

static void
on_part_done(void *ctx, int rc, bool more, const struct err *err)
{
	struct part *p = ctx;
	struct load *l = p->load;

	(void)more;
	/* Who may see a session need not be allowed to look at its agent. */
	if (rc != 0 && p->kind != PART_AGENT && l->rc == 0) {
		l->rc = rc;
		l->err = *err;
	}
	if (rc == 0)
		give_part(p);
	buf_release(&p->text);
	load_settle(l);
}

static void
read_part(struct load *l, struct session_view *v, enum part_kind kind, struct store_query *q)
{
	struct part *p = ARENA_NEW(l->x->arena, struct part);

	p->load = l;
	p->view = v;
	p->kind = kind;
	p->prefix = q->record_id;
	buf_init(&p->text, PART_MAX);
	q->session = v->session->id;
	q->limit = q->limit > 0 ? q->limit : STORE_PAGE_ROWS_MAX;
	l->open++;
	engine_read(l->x->engine, &l->x->caller, q, on_part_row, on_part_done, p);
}

/* What is read on another thread must not move with the next reload. */
static struct model_facts
models_of(struct load *l, const struct session_view *v)
{
	struct model_facts f = engine_model_facts(l->x->engine, v->session->workspace_id);

	f.workspace = arena_str(l->x->arena, f.workspace);
	f.server = arena_str(l->x->arena, f.server);
	return f;
}

static void
read_agent(struct load *l, struct session_view *v)
{
	struct store_query q = {
		.kind = STORE_GET_RECORD,
		.record_kind = RECORD_AGENT_VERSION,
		.record_id =
			arena_printf(l->x->arena, STR_FMT "/%010lld", STR_ARG(v->session->agent_id),
				     (long long)v->session->agent_version),
	};

	read_part(l, v, PART_AGENT, &q);
}

static void
read_records(struct load *l, struct session_view *v)
{
	struct str id = v->session->id;
	struct store_query extra = { .kind = STORE_GET_RECORD,
				     .record_kind = RECORD_SESSION_EXTRA,
				     .record_id = id };
	struct store_query resources = { .kind = STORE_LIST_RECORDS,
					 .record_kind = RECORD_RESOURCE,
					 .record_owner = id };
	struct store_query wakes = { .kind = STORE_LIST_RECORDS,
				     .record_kind = RECORD_WAKE,
				     .record_owner = id };
	struct store_query people = { .kind = STORE_LIST_RECORDS,
				      .record_kind = RECORD_PARTICIPANT,
				      .record_id =
					      arena_printf(l->x->arena, STR_FMT "/", STR_ARG(id)) };

	read_part(l, v, PART_EXTRA, &extra);
	read_part(l, v, PART_RESOURCES, &resources);
	read_part(l, v, PART_WAKES, &wakes);
	read_part(l, v, PART_PEOPLE, &people);
}

static void
read_state(struct load *l, struct session_view *v)
{
	const struct session_state *state = &v->session->row.state;
	struct store_query calls = { .kind = STORE_LIST_CALLS };
	struct store_query changes = {
		.kind = STORE_LIST_EVENTS,
		.kinds = UINT64_C(1) << EVENT_SESSION_UPDATED | UINT64_C(1) << EVENT_SESSION_RESET,
		.descending = true,
	};

	if (state->phase == TURN_PARKED)
		read_part(l, v, PART_CALLS, &calls);
	if (state->lifecycle == LIFECYCLE_ARCHIVED)
		read_part(l, v, PART_ARCHIVED, &changes);
}

/* ---- all of them ---- */

void
session_load_rows(struct exchange *x, const struct store_session *rows, size_t count,
		  session_load_fn *done, void *ctx)
{
	struct load *l = ARENA_NEW(x->arena, struct load);

	l->x = x;
	l->views = ARENA_ARRAY(x->arena, count > 0 ? count : 1, struct session_view);
	l->count = count;
	l->done = done;
	l->ctx = ctx;
	l->open = 1;
	for (size_t i = 0; i < count; i++) {
		struct session_view *v = &l->views[i];

		v->session = &rows[i];
		v->models = models_of(l, v);
		v->tools = engine_tool_load(x->engine, rows[i].id);
		if (!view_of_agent(l, v))
			read_agent(l, v);
		read_records(l, v);
		read_state(l, v);
	}
	load_settle(l);
}

/* ---- one ---- */

struct one {
	struct exchange *x;
	session_load_fn *done;
	void *ctx;
	struct store_session row;
	bool found;
};

static bool
on_session(void *ctx, const struct store_row *row)
{
	struct one *one = ctx;

	one->found = !row->session->row.deleted;
	one->row = session_load_copy(one->x->arena, row->session);
	return true;
}

static void
on_session_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct one *one = ctx;
	struct err e;

	(void)more;
	if (rc == 0 && !one->found) {
		rc = err_set(&e, ERR_NOT_FOUND, "there is no such session");
		err = &e;
	}
	if (rc != 0)
		exchange_fail(one->x, rc, err);
	else
		session_load_rows(one->x, &one->row, 1, one->done, one->ctx);
}

void
session_load_one(struct exchange *x, struct str id, session_load_fn *done, void *ctx)
{
	struct one *one = ARENA_NEW(x->arena, struct one);
	struct store_query q = { .kind = STORE_GET_SESSION, .session = id, .limit = 1 };

	one->x = x;
	one->done = done;
	one->ctx = ctx;
	engine_read(x->engine, &x->caller, &q, on_session, on_session_read, one);
}
