#include "rig.h"

#include "base/xalloc.h"
#include "compare.h"
#include "replay_log.h"

enum { ANSWER_MS = 20 * 1000, EVENTS_MAX = STORE_ITEM_EVENTS_MAX + 1 };

static const struct contract_adapter *adapter; /* one per program */

void
rig_use(const struct contract_adapter *a)
{
	adapter = a;
}

/* ---- life ---- */

static void
on_wakeup(void *ctx)
{
	struct rig *r = ctx;

	__atomic_add_fetch(&r->wakeups, 1, __ATOMIC_RELAXED);
}

static void
on_watch(void *ctx, struct str session, int64_t head_seq)
{
	struct rig *r = ctx;

	*vec_push(&r->watched) = (struct watched){
		.session = arena_str(&r->arena, session),
		.head_seq = head_seq,
		.order = r->answers,
	};
}

static struct store_owner
owner_of(struct rig *r)
{
	return (struct store_owner){ .wakeup = on_wakeup, .watch = on_watch, .ctx = r };
}

struct rig *
rig_new(void)
{
	struct rig *r = xcalloc(1, sizeof *r);

	arena_init(&r->arena);
	map_init(&r->models, 0);
	r->store = adapter->open(&r->place, owner_of(r));
	return r;
}

void
rig_free(struct rig **p)
{
	struct rig *r = *p;
	struct str id;
	void *value;

	store_free(&r->store);
	adapter->clear(r->place);
	for (size_t at = 0; map_next(&r->models, &at, &id, &value);) {
		struct model *m = value;
		replay_free(&m->replay);
		vec_release(&m->events);
	}
	map_release(&r->models);
	vec_release(&r->watched);
	arena_release(&r->arena);
	free(r);
	*p = NULL;
}

void
rig_restart(struct rig *r)
{
	r->store = adapter->restart(r->place, r->store, owner_of(r));
}

/* ---- the model ---- */

struct model *
rig_model(struct rig *r, const char *session)
{
	struct model *m = map_find(&r->models, str_of(session));

	if (m)
		return m;
	m = ARENA_NEW(&r->arena, struct model);
	m->session = arena_str(&r->arena, str_of(session));
	m->replay = replay_new();
	map_put(&r->models, m->session, m);
	return m;
}

void
rig_forget(struct rig *r, const char *session)
{
	struct model *m = map_remove(&r->models, str_of(session));

	if (!m)
		return;
	replay_free(&m->replay);
	vec_release(&m->events);
}

/* Forks begin with what the model of their parent showed at that seq. */
static int
apply(struct rig *r, struct replay *to, const struct event *ev, struct err *e)
{
	struct replay *parent = NULL;
	struct json_doc doc;
	struct json id, at;
	int64_t at_seq = 0;
	int rc;

	if (ev->kind == EVENT_SESSION_FORKED &&
	    json_parse(&r->arena, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0 &&
	    json_find(json_root(&doc), STR("parent_session_id"), &id) &&
	    json_find(json_root(&doc), STR("at_seq"), &at) && json_int(at, &at_seq))
		parent = rig_fold(r, arena_str(&r->arena, json_str(id, &r->arena)).ptr, at_seq);
	if (parent)
		replay_inherit(to, parent);
	rc = replay_apply(to, ev, e);
	replay_free(&parent);
	return rc;
}

struct replay *
rig_fold(struct rig *r, const char *session, int64_t up_to)
{
	const struct model *m = rig_model(r, session);
	struct replay *to = replay_new();

	for (size_t i = 0; i < m->events.len && (int64_t)i < up_to; i++)
		IGNORE(apply(r, to, &m->events.ptr[i], NULL)); /* it did once */
	return to;
}

/* What was acknowledged is what the rules of the log allow, with the seqs and hash they give. */
static void
model_extend(struct rig *r, const struct store_item *item, const struct store_joined *result)
{
	struct model *m = map_find(&r->models, item->session);
	const struct session_row *row;
	struct err e;

	if (!m)
		return;
	for (size_t i = 0; i < item->event_count; i++) {
		struct event ev = rows_keep_event(&r->arena, &item->events[i]);

		ev.seq = (int64_t)m->events.len + 1;
		if (i == 0 && result->first_seq != ev.seq)
			fail_msg("M9: first_seq %lld, the log goes on at %lld",
				 (long long)result->first_seq, (long long)ev.seq);
		if (apply(r, m->replay, &ev, &e) != 0)
			fail_msg("acknowledged although: %s", e.text);
		*vec_push(&m->events) = ev;
	}
	row = replay_session(m->replay);
	if (result->head_seq != row->head_seq ||
	    memcmp(&result->head_hash, &row->head_hash, sizeof row->head_hash) != 0)
		fail_msg("M9: head %lld is not the model's %lld, or its hash differs",
			 (long long)result->head_seq, (long long)row->head_seq);
}

/* ---- items ---- */

struct making {
	struct rig *r;
	struct replay *trial; /* knows the open turn on the way */
	int64_t seq;
	struct event events[EVENTS_MAX];
	size_t count;
};

static void
make_step(struct making *k, struct str step)
{
	struct replay_log_event made;

	if (k->count == EVENTS_MAX)
		fail_msg("a script of too many steps");
	replay_log_make(&made, step, ++k->seq, replay_session(k->trial)->turn);
	IGNORE(apply(k->r, k->trial, &made.ev, NULL)); /* an item may be meant to be refused */
	k->events[k->count] = rows_keep_event(&k->r->arena, &made.ev);
	k->events[k->count++].seq = 0;
	replay_log_release(&made);
}

static struct store_item *
item_of(struct rig *r, const char *session, const struct event *events, size_t count)
{
	struct store_item *item = ARENA_NEW(&r->arena, struct store_item);
	struct event *kept = ARENA_ARRAY(&r->arena, count + 1, struct event);

	for (size_t i = 0; i < count; i++)
		kept[i] = rows_keep_event(&r->arena, &events[i]);
	item->session = arena_str(&r->arena, str_of(session));
	item->events = kept;
	item->event_count = count;
	item->require.absent = count > 0 && events[0].kind == EVENT_SESSION_CREATED;
	return item;
}

struct store_item *
rig_item(struct rig *r, const char *session, const char *script)
{
	struct model *m = rig_model(r, session);
	struct making *k = xcalloc(1, sizeof *k);
	struct str rest = str_of(script), step;
	struct store_item *item;

	*k = (struct making){ .r = r,
			      .trial = rig_fold(r, session, INT64_MAX),
			      .seq = (int64_t)m->events.len };
	if (m->events.len == 0)
		make_step(k, STR("create"));
	while (rest.len > 0) {
		str_cut(rest, ';', &step, &rest);
		if (str_trim(step).len > 0)
			make_step(k, step);
	}
	item = item_of(r, session, k->events, k->count);
	replay_free(&k->trial);
	free(k);
	return item;
}

struct store_item *
rig_item_of(struct rig *r, const char *session, const struct event *ev)
{
	rig_model(r, session);
	return item_of(r, session, ev, 1);
}

struct store_item *
rig_item_created(struct rig *r, const char *session, struct make_created m)
{
	struct event ev = {
		.id = STR("e1"),
		.kind = EVENT_SESSION_CREATED,
		.author = AUTHOR_SYSTEM,
		.created_at_ms = 1000,
	};
	struct store_item *item;
	struct buf payload;

	buf_init(&payload, 8192);
	event_make_created(&payload, &m);
	ev.payload = buf_str(&payload);
	item = rig_item_of(r, session, &ev);
	buf_release(&payload);
	return item;
}

/* ---- appending ---- */

static void
on_appended(void *ctx, const struct store_result *result)
{
	struct answer *a = ctx;
	struct rig *r = a->rig;

	if (a->done)
		fail_msg("an item was answered twice");
	a->result = *result;
	a->result.session = arena_str(&r->arena, result->session);
	a->result.answer = arena_str(&r->arena, result->answer);
	a->inside_call = r->in_call;
	a->order = ++r->answers;
	a->done = true;
	if (result->rc != 0 || a->item->purge)
		return;
	model_extend(r, a->item,
		     &(struct store_joined){ .first_seq = result->first_seq,
					     .head_seq = result->head_seq,
					     .head_hash = result->head_hash });
	if (a->item->joined)
		model_extend(r, a->item->joined, &result->joined);
}

struct answer *
rig_submit(struct rig *r, const struct store_item *item)
{
	struct answer *a = ARENA_NEW(&r->arena, struct answer);

	*a = (struct answer){ .item = item, .rig = r };
	r->in_call = true;
	store_append(r->store, item, on_appended, a);
	r->in_call = false;
	return a;
}

static void
dispatch_until(struct rig *r, const bool *done)
{
	for (int waited_ms = 0; !*done; waited_ms += 10) {
		if (waited_ms > ANSWER_MS)
			fail_msg("the store never answered");
		store_wait(r->store, 10);
		store_dispatch(r->store);
	}
}

void
rig_await(struct rig *r, struct answer *a)
{
	dispatch_until(r, &a->done);
}

const struct store_result *
rig_append(struct rig *r, const struct store_item *item)
{
	struct answer *a = rig_submit(r, item);

	rig_await(r, a);
	return &a->result;
}

void
rig_do(struct rig *r, const char *session, const char *script)
{
	struct str rest = str_of(script), step;

	if (rig_model(r, session)->events.len == 0)
		rig_expect(r, "create", rig_item(r, session, ""), 0);
	while (rest.len > 0) {
		str_cut(rest, ';', &step, &rest);
		if (str_trim(step).len > 0)
			rig_expect(r, script, rig_item(r, session, arena_str(&r->arena, step).ptr),
				   0);
	}
}

void
rig_expect(struct rig *r, const char *what, const struct store_item *item, int want)
{
	const struct store_result *got = rig_append(r, item);

	if (got->rc != want)
		fail_msg("%s: %s '%s', not %s", what, err_name(got->rc), got->err.text,
			 err_name(want));
	if (want < 0) {
		assert_string_not_equal(got->err.text, "");
		assert_int_equal(got->err.code, want);
	}
	if (want < 0 && item->session.len > 0)
		compare_session(r, item->session, what);
	if (want < 0 && item->joined)
		compare_session(r, item->joined->session, what);
}

/* ---- reading ---- */

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct rows *out = ctx;

	out->rc = rc;
	out->more = more;
	if (rc != 0)
		out->err = *err;
	out->inside_call = out->rig->in_call;
	out->rig->answers++;
	out->done = true;
}

void
rig_read(struct rig *r, const struct store_query *q, struct rows *out)
{
	size_t stop_after = out->stop_after;

	*out = (struct rows){ .rig = r, .stop_after = stop_after };
	arena_init(&out->arena);
	r->in_call = true;
	store_read(r->store, q, rows_take, on_read, out);
	r->in_call = false;
	dispatch_until(r, &out->done);
	assert_false(out->inside_call);
}

void
rig_list(struct rig *r, enum store_query_kind kind, const char *session, struct rows *out)
{
	struct store_query q = {
		.kind = kind,
		.session = str_of(session),
		.all = true,
		.limit = STORE_PAGE_ROWS_MAX,
	};

	out->stop_after = 0;
	rig_read(r, &q, out);
	if (out->rc != 0)
		fail_msg("%s: %s", session, out->err.text);
}
