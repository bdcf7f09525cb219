#include "engine_rig.h"

#include "store/mem/mem.h"

static int
find_model(void *ctx, struct str model, struct provider **provider, struct str *name, struct err *e)
{
	(void)ctx, (void)provider, (void)name;
	return err_set(e, ERR_INVALID, "there is no model " STR_FMT " here", STR_ARG(model));
}

void
engine_rig_await(struct engine_rig *r, const bool *done)
{
	virtual_host_settle(&r->host);
	for (int tries = 0; !*done && tries < 100; tries++) {
		store_wait(r->store, 100);
		virtual_host_settle(&r->host);
	}
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
		.models = { .find = find_model },
		.settings.default_model = STR("demo"),
		.owner_token = STR(RIG_OWNER_TOKEN),
		.settings.queue_depth = 20,
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
	if (on_sqlite) {
		sqlite_dir_init(&r->dir);
		r->store = sqlite_dir_open(&r->dir, NULL);
	} else {
		r->store = store_mem_new((struct store_owner){ 0 }, "one");
	}
	start(r);
}

void
engine_rig_release(struct engine_rig *r)
{
	engine_free(&r->en);
	store_free(&r->store);
	if (r->on_sqlite)
		sqlite_dir_release(&r->dir);
	arena_release(&r->arena);
}

void
engine_rig_restart(struct engine_rig *r)
{
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
