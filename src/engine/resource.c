#include "engine/resource.h"

#include <stdlib.h>

#include "base/timestamp.h"
#include "base/xalloc.h"
#include "core/session_open.h"
#include "engine/access.h"
#include "engine/repeat.h"

/* One command on its way: standing, then one put. */
struct change {
	struct engine *en;
	struct engine_call call;
	struct engine_caller caller;
	struct str session, id;
	struct json body;
	struct arena arena;
	bool found, remove;
	access_fn *allowed; /* what follows once the caller's standing is known */
	struct str stored;
	int64_t version;
};

/* The wire's object: id, what was given, instants. Secrets are write-only. */
static struct str
render(struct engine *en, struct arena *a, struct str id, struct json given, struct str created_at)
{
	struct json_iter it = json_iter(given);
	char now[TIMESTAMP_TEXT_MAX];
	struct buf out;
	struct jw w;
	struct str text;

	timestamp_format(host_now_ms(en->host), now);
	buf_init(&out, STORE_INLINE_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	jw_field_str(&w, "id", id);
	while (json_next(&it)) {
		struct str key = json_str(it.key, a);

		if (str_eq(key, STR("id")) || str_eq(key, STR("authorization_token")) ||
		    str_eq(key, STR("created_at")) || str_eq(key, STR("updated_at")))
			continue;
		jw_key(&w, key);
		jw_raw(&w, json_raw(it.value));
	}
	jw_field_str(&w, "created_at", created_at.len > 0 ? created_at : str_of(now));
	jw_field_str(&w, "updated_at", str_of(now));
	jw_end_object(&w);
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}

struct str
resource_put(struct engine *en, struct commit *c, struct str session, struct json resource)
{
	struct arena *a = commit_arena(c);
	struct str id = engine_make_id(en, a, "sesrsc");

	commit_put(c,
		   &(struct store_put){ .record = { .kind = RECORD_RESOURCE,
						    .id = id,
						    .owner = session,
						    .body = render(en, a, id, resource, STR("")) },
					.if_version = STORE_VERSION_ABSENT });
	return id;
}

static void
change_end(struct change *ch, const struct engine_answer *answer)
{
	ch->call.done(ch->call.ctx, answer);
	arena_release(&ch->arena);
	free(ch);
}

static void
change_fail(struct change *ch, int rc, const struct err *err)
{
	change_end(ch, &(struct engine_answer){ .rc = rc, .err = err });
}

static void
on_changed(void *ctx, const struct commit_result *result)
{
	struct change *ch = ctx;
	const struct store_result *r = result->store;

	if (r->rc < 0) {
		change_fail(ch, r->rc, &r->err);
		return;
	}
	if (r->rc == STORE_REPLAYED)
		ch->id = arena_str(&ch->arena, r->answer);
	change_end(ch, &(struct engine_answer){ .id = ch->id,
						.replayed = r->rc == STORE_REPLAYED,
						.queue_position = -1 });
}

static void
ask_standing(struct change *ch)
{
	access_check(ch->en, &ch->caller, ACCESS_SESSION_MANAGE, ch->session, ch->allowed, ch);
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct change *ch = ctx;

	if (rc != 0)
		change_fail(ch, rc, err);
	else if (first)
		change_end(ch, &(struct engine_answer){
				       .id = *first, .replayed = true, .queue_position = -1 });
	else
		ask_standing(ch);
}

static void
change_start(struct change *ch)
{
	if (repeat_is_keyed(ch->call.repeat))
		repeat_find(ch->en, ch->call.repeat, on_repeat, ch);
	else
		ask_standing(ch);
}

/* ---- add ---- */

static void
on_may_add(void *ctx, int rc, const struct err *err, const struct store_session *session,
	   bool takes_part)
{
	struct change *ch = ctx;
	struct commit *c;

	(void)session, (void)takes_part;
	if (rc != 0) {
		change_fail(ch, rc, err);
		return;
	}
	c = commit_new(ch->en, STR(""));
	ch->id = arena_str(&ch->arena, resource_put(ch->en, c, ch->session, ch->body));
	commit_repeat(c, ch->call.repeat, ch->id);
	commit_submit(c, on_changed, ch);
}

static struct change *
change_new(struct engine *en, const struct engine_call *call, struct str session)
{
	struct change *ch = xcalloc(1, sizeof *ch);

	*ch = (struct change){
		.en = en, .call = *call, .caller = *call->caller, .session = session
	};
	arena_init(&ch->arena);
	return ch;
}

void
engine_resource_add(struct engine *en, const struct engine_call *call, struct str session,
		    struct json body)
{
	struct change *ch;
	struct json type;
	struct err e;
	int rc;

	if (engine_is_closed(en, call))
		return;
	rc = session_resource_check(body, &e);
	if (rc == 0 && json_find(body, STR("type"), &type) &&
	    json_str_eq(type, STR("memory_store")))
		rc = json_fail(type, &e,
			       "a memory store is given to a session when it is opened, not later");
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		return;
	}
	ch = change_new(en, call, session);
	ch->body = body;
	ch->allowed = on_may_add;
	change_start(ch);
}

/* ---- update, delete ---- */

static bool
on_resource_row(void *ctx, const struct store_row *row)
{
	struct change *ch = ctx;

	ch->found = str_eq(row->record->owner, ch->session);
	ch->version = row->record->version;
	ch->stored = arena_str(&ch->arena, row->record->body);
	return false;
}

static void
on_resource(void *ctx, int rc, bool more, const struct err *err)
{
	struct change *ch = ctx;
	struct store_put put = { .remove = ch->remove, .if_version = ch->version };
	struct json_doc doc;
	struct json created = { 0 };
	struct commit *c;
	struct err e;

	(void)more;
	if (rc != 0 || !ch->found) {
		if (rc == 0) {
			rc = err_set(&e, ERR_NOT_FOUND, "there is no resource " STR_FMT,
				     STR_ARG(ch->id));
			err = &e;
		}
		change_fail(ch, rc, err);
		return;
	}
	put.record = (struct store_record){ .kind = RECORD_RESOURCE,
					    .id = ch->id,
					    .owner = ch->session };
	if (!ch->remove &&
	    json_parse(&ch->arena, ch->stored, &JSON_LIMITS_DEFAULT, &doc, &e) == 0) {
		IGNORE(json_find(json_root(&doc), STR("created_at"), &created)); /* ours has one */
		put.record.body = render(ch->en, &ch->arena, ch->id, json_root(&doc),
					 json_str(created, &ch->arena));
	}
	c = commit_new(ch->en, STR(""));
	commit_put(c, &put);
	commit_repeat(c, ch->call.repeat, ch->id);
	commit_submit(c, on_changed, ch);
}

static void
on_may_change(void *ctx, int rc, const struct err *err, const struct store_session *session,
	      bool takes_part)
{
	struct change *ch = ctx;

	(void)session, (void)takes_part;
	if (rc != 0)
		change_fail(ch, rc, err);
	else
		store_read(ch->en->store,
			   &(struct store_query){ .kind = STORE_GET_RECORD,
						  .record_kind = RECORD_RESOURCE,
						  .record_id = ch->id,
						  .limit = 1 },
			   on_resource_row, on_resource, ch);
}

void
engine_resource_update(struct engine *en, const struct engine_call *call, struct str session,
		       struct str id, struct json body)
{
	struct json token = { 0 };
	const struct json_field fields[] = { { "authorization_token", JSON_WANT_STRING, true,
					       &token } };
	struct change *ch;
	struct err e;
	int rc;

	if (engine_is_closed(en, call))
		return;
	rc = json_fields(body, fields, ARRAY_LEN(fields), &e);
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		return;
	}
	ch = change_new(en, call, session);
	ch->id = id;
	ch->body = body;
	ch->allowed = on_may_change;
	change_start(ch);
}

void
engine_resource_delete(struct engine *en, const struct engine_call *call, struct str session,
		       struct str id)
{
	struct change *ch;

	if (engine_is_closed(en, call))
		return;
	ch = change_new(en, call, session);
	ch->id = id;
	ch->remove = true;
	ch->allowed = on_may_change;
	change_start(ch);
}
