#include "engine_rig.h"

#include "base/buf.h"
#include "engine/access.h"
#include "provider/demo.h"
#include "store/mem/mem.h"

static int
find_model(void *ctx, struct str model, struct provider **provider, struct str *name, struct err *e)
{
	struct engine_rig *r = ctx;

	if (!str_eq(model, STR("demo")))
		return err_set(e, ERR_INVALID, "there is no model " STR_FMT " here",
			       STR_ARG(model));
	*provider = r->demo;
	*name = model;
	return 0;
}

void
engine_rig_await(struct engine_rig *r, const bool *done)
{
	virtual_host_settle(&r->host);
	assert_true(*done);
}

static void
on_started(void *ctx, int rc, const struct err *err)
{
	if (rc != 0)
		fail_msg("the engine does not start: %s", err->text);
	*(bool *)ctx = true;
}

static void
start(struct engine_rig *r)
{
	bool started = false;

	r->host.store = r->store;
	r->en = engine_new(&(struct engine_config){
		.store = r->store,
		.host = &r->host.host,
		.models = { find_model, r },
		.settings.default_model = STR("demo"),
		.owner_token = STR(RIG_OWNER_TOKEN),
		.settings.queue_depth = 20,
		.settings.fresh_ms = r->fresh_ms,
		.clean = !r->unclean,
	});
	engine_start(r->en, on_started, &started);
	engine_rig_await(r, &started);
	r->owner = engine_rig_caller(r, STR(RIG_OWNER_TOKEN));
}

void
engine_rig_init(struct engine_rig *r, bool on_sqlite)
{
	*r = (struct engine_rig){ .on_sqlite = on_sqlite };
	virtual_host_init(&r->host, RIG_NOW_MS);
	arena_init(&r->arena);
	r->demo = provider_demo_new(&r->host.host);
	if (on_sqlite) {
		sqlite_dir_init(&r->dir);
		r->store = sqlite_dir_open(&r->dir, NULL);
	} else {
		r->store = store_mem_new((struct store_owner){ 0 }, "one");
	}
	start(r);
}

static void
on_drained(void *ctx)
{
	*(bool *)ctx = true;
}

void
engine_rig_drain(struct engine_rig *r, struct engine *en)
{
	bool drained = false;

	engine_drain(en, 0, RECOVER_SHUTDOWN_TIMEOUT, on_drained, &drained);
	virtual_host_advance(&r->host, 0);
	engine_rig_await(r, &drained);
}

void
engine_rig_release(struct engine_rig *r)
{
	if (!r->en->draining)
		engine_rig_drain(r, r->en);
	engine_free(&r->en);
	store_free(&r->store);
	r->demo->ops->free(r->demo);
	if (r->on_sqlite)
		sqlite_dir_release(&r->dir);
	arena_release(&r->arena);
}

void
engine_rig_restart(struct engine_rig *r)
{
	if (!r->en->draining)
		engine_rig_drain(r, r->en);
	engine_free(&r->en);
	if (r->on_sqlite) {
		store_free(&r->store);
		r->store = sqlite_dir_open(
			&r->dir, &(struct store_sqlite_config){ .incarnation = STR("another") });
	} else {
		store_mem_restart(r->store, (struct store_owner){ 0 }, "another");
	}
	start(r);
}

struct engine_caller
engine_rig_caller(struct engine_rig *r, struct str token)
{
	struct engine_caller caller;
	struct err e;

	if (engine_authenticate(r->en, token, &caller, &e) != 0)
		fail_msg("%s", e.text);
	return caller;
}

struct json
engine_rig_json(struct engine_rig *r, const char *text)
{
	struct json_doc *doc = ARENA_NEW(&r->arena, struct json_doc);
	struct str copy = arena_str(&r->arena, str_of(text));
	struct err e;

	for (size_t i = 0; i < copy.len; i++)
		if (copy.ptr[i] == '\'')
			((char *)copy.ptr)[i] = '"';
	if (json_parse(&r->arena, copy, &JSON_LIMITS_DEFAULT, doc, &e) != 0)
		fail_msg("%s", e.text);
	return json_root(doc);
}

/* ---- reading ---- */

struct rows {
	struct engine_rig *rig;
	struct str last;
	size_t count;
	bool done;
};

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct rows *rows = ctx;

	rows->last = arena_str(&rows->rig->arena, row->record->body);
	rows->count++;
	return true;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	(void)more, (void)err;
	assert_int_equal(rc, 0);
	((struct rows *)ctx)->done = true;
}

static struct rows
read_records(struct engine_rig *r, enum store_query_kind query, struct str kind, struct str id)
{
	struct rows rows = { .rig = r };

	store_read(r->store,
		   &(struct store_query){ .kind = query,
					  .record_kind = kind,
					  .record_id = id,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_row, on_read, &rows);
	engine_rig_await(r, &rows.done);
	return rows;
}

struct str
engine_rig_record(struct engine_rig *r, struct str kind, struct str id)
{
	return read_records(r, STORE_GET_RECORD, kind, id).last;
}

size_t
engine_rig_count(struct engine_rig *r, struct str kind)
{
	return read_records(r, STORE_LIST_RECORDS, kind, STR("")).count;
}

struct str
engine_rig_last(struct engine_rig *r, struct str kind)
{
	return read_records(r, STORE_LIST_RECORDS, kind, STR("")).last;
}

struct log_reading {
	struct engine_rig *rig;
	const struct store_session *row;
	struct str payload;
	struct buf text;
	bool done;
};

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct log_reading *w = ctx;
	struct store_session *kept = ARENA_NEW(&w->rig->arena, struct store_session);

	access_copy_session(&w->rig->arena, row->session, kept);
	w->row = kept;
	return false;
}

static bool
on_event_row(void *ctx, const struct store_row *row)
{
	struct log_reading *w = ctx;
	struct str name = str_of(event_type(row->event->ev.kind));
	size_t dot = 0;

	while (dot < name.len && name.ptr[dot] != '.')
		dot++;
	buf_printf(&w->text, "%s" STR_FMT, w->text.len > 0 ? " " : "",
		   STR_ARG(str_slice(name, dot + 1, name.len)));
	w->payload = arena_str(&w->rig->arena, row->event->ev.payload);
	return true;
}

static void
on_log(void *ctx, int rc, bool more, const struct err *err)
{
	(void)more, (void)err;
	assert_int_equal(rc, 0);
	((struct log_reading *)ctx)->done = true;
}

const struct store_session *
engine_rig_session(struct engine_rig *r, const char *session)
{
	struct log_reading w = { .rig = r };

	store_read(r->store,
		   &(struct store_query){
			   .kind = STORE_GET_SESSION, .session = str_of(session), .limit = 1 },
		   on_session_row, on_log, &w);
	engine_rig_await(r, &w.done);
	return w.row;
}

static void
read_log(struct engine_rig *r, const char *session, int64_t from, size_t limit,
	 struct log_reading *w)
{
	w->rig = r;
	buf_init(&w->text, 1 << 20);
	store_read(r->store,
		   &(struct store_query){ .kind = STORE_LIST_EVENTS,
					  .session = str_of(session),
					  .after = from - 1,
					  .limit = limit },
		   on_event_row, on_log, w);
	engine_rig_await(r, &w->done);
}

struct str
engine_rig_log(struct engine_rig *r, const char *session, int64_t from)
{
	struct log_reading w = { 0 };
	struct str text;

	read_log(r, session, from, STORE_PAGE_ROWS_MAX, &w);
	text = arena_str(&r->arena, buf_str(&w.text));
	buf_release(&w.text);
	return text;
}

struct str
engine_rig_payload(struct engine_rig *r, const char *session, int64_t seq)
{
	struct log_reading w = { 0 };

	read_log(r, session, seq, 1, &w);
	buf_release(&w.text);
	return w.payload;
}

static void
on_appended(void *ctx, const struct store_result *result)
{
	if (result->rc != 0)
		fail_msg("%s", result->err.text);
	*(bool *)ctx = true;
}

void
engine_rig_append(struct engine_rig *r, const char *session, enum event_kind kind,
		  const char *payload)
{
	struct event ev = { .id = arena_printf(&r->arena, "own-%zu", r->arena.used_bytes),
			    .kind = kind,
			    .author = event_usual_author(kind),
			    .created_at_ms = r->host.now_ms,
			    .payload = json_raw(engine_rig_json(r, payload)) };
	bool done = false;

	store_append(
		r->store,
		&(struct store_item){ .session = str_of(session), .events = &ev, .event_count = 1 },
		on_appended, &done);
	engine_rig_await(r, &done);
}

/* ---- commands ---- */

void
rig_answered(void *ctx, const struct engine_answer *answer)
{
	struct rig_answer *a = ctx;

	assert_false(a->done);
	a->done = true;
	a->rc = answer->rc;
	if (answer->rc != 0)
		memcpy(a->text, answer->err->text, sizeof a->text);
	a->replayed = answer->replayed;
	a->id = arena_str(&a->rig->arena, answer->id);
	a->secret = arena_str(&a->rig->arena, answer->secret);
	a->version = answer->version;
	a->current = arena_str(&a->rig->arena, answer->current);
	a->first_seq = answer->first_seq;
	a->position = answer->queue_position;
	a->event_count = answer->event_count;
	a->triggered = answer->triggered;
	a->created = answer->created;
	a->count = answer->count;
	a->lane = arena_str(&a->rig->arena, answer->lane);
	a->reset_reason = arena_str(&a->rig->arena, answer->reset_reason);
	a->command = arena_str(&a->rig->arena, answer->command);
	a->said = arena_str(&a->rig->arena, answer->text);
	a->data = arena_str(&a->rig->arena, answer->data);
	if (answer->events && answer->event_count > 0)
		a->event_id = arena_str(&a->rig->arena, answer->events[answer->event_count - 1].id);
}

void
rig_expect(struct rig_answer *a, int rc, const char *part)
{
	engine_rig_await(a->rig, &a->done);
	if (a->rc != rc)
		fail_msg("%s, not %s: %s", err_name(a->rc), err_name(rc), a->text);
	if (part && !strstr(a->text, part))
		fail_msg("'%s' does not say '%s'", a->text, part);
}

/* Everything a call needs, until its answer has come. */
static struct engine_call
call_of(struct engine_rig *r, const struct rig_call *c, struct rig_answer *a)
{
	struct engine_repeat *repeat = ARENA_NEW(&r->arena, struct engine_repeat);

	a->rig = r;
	if (c->key)
		*repeat = (struct engine_repeat){ .scope = STR("owner POST /v1/things"),
						  .key = str_of(c->key),
						  .request = sha256_of(str_of(c->body)) };
	return (struct engine_call){ .caller = c->caller ? c->caller : &r->owner,
				     .repeat = c->key ? repeat : NULL,
				     .done = rig_answered,
				     .ctx = a };
}

static struct rig_answer *
settled(struct engine_rig *r, struct rig_answer *a)
{
	assert_false(a->done); /* never inside the call */
	engine_rig_await(r, &a->done);
	return a;
}

struct rig_answer *
rig_make(struct engine_rig *r, rig_make_fn *fn, struct rig_call c)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_call call = call_of(r, &c, a);

	fn(r->en, &call, engine_rig_json(r, c.body));
	return settled(r, a);
}

struct rig_answer *
rig_change(struct engine_rig *r, rig_change_fn *fn, struct rig_call c)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_call call = call_of(r, &c, a);

	fn(r->en, &call, c.id, engine_rig_json(r, c.body));
	return settled(r, a);
}

struct rig_answer *
rig_end(struct engine_rig *r, rig_end_fn *fn, struct rig_call c)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_call call = call_of(r, &c, a);

	fn(r->en, &call, c.id);
	return settled(r, a);
}

struct rig_answer *
rig_say(struct engine_rig *r, const struct engine_message *message, struct rig_call c)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_message *m = ARENA_NEW(&r->arena, struct engine_message);
	struct engine_call call;

	*m = *message;
	if (!c.body)
		c.body = message->text.ptr;
	call = call_of(r, &c, a);
	engine_post(r->en, &call, c.id, m);
	return settled(r, a);
}

struct rig_answer *
rig_events(struct engine_rig *r, struct rig_call c)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_call call = call_of(r, &c, a);

	engine_send(r->en, &call, c.id, engine_rig_json(r, c.body));
	return settled(r, a);
}

struct rig_answer *
rig_command(struct engine_rig *r, const char *line, struct rig_call c)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_call call;

	c.body = line;
	call = call_of(r, &c, a);
	engine_command(r->en, &call, c.id, str_of(line));
	return settled(r, a);
}

struct str
rig_open(struct engine_rig *r, const struct engine_caller *caller, const char *session)
{
	struct str body = arena_printf(
		&r->arena, "{'id':'%s','agent':'main','environment_id':'local-default'}", session);

	rig_expect(rig_make(r, engine_session_open,
			    (struct rig_call){ .caller = caller, .body = body.ptr }),
		   0, NULL);
	return str_of(session);
}

static const struct engine_caller *
caller_with(struct engine_rig *r, struct str body)
{
	struct engine_caller *caller = ARENA_NEW(&r->arena, struct engine_caller);
	struct rig_answer *a =
		rig_make(r, engine_token_create, (struct rig_call){ .body = body.ptr });

	rig_expect(a, 0, NULL);
	*caller = engine_rig_caller(r, a->secret);
	return caller;
}

const struct engine_caller *
rig_person(struct engine_rig *r, const char *name)
{
	struct str body = arena_printf(&r->arena, "{'name':'%s'}", name);
	struct rig_answer *a =
		rig_make(r, engine_user_create, (struct rig_call){ .body = body.ptr });

	rig_expect(a, 0, NULL);
	return caller_with(r, arena_printf(&r->arena, "{'kind':'user','user_id':'" STR_FMT "'}",
					   STR_ARG(a->id)));
}

const struct engine_caller *
rig_channel(struct engine_rig *r, const char *namespace)
{
	return caller_with(
		r, arena_printf(&r->arena, "{'kind':'channel','namespace':'%s'}", namespace));
}
