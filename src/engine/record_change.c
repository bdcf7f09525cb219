#include "engine/record_change.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/repeat.h"

/* Somebody else may be quicker, but not for ever. */
enum { TRIES_MAX = 8, ANSWER_MAX = STORE_KEY_MAX };

static void
change_free(struct record_change *ch)
{
	if (ch->secret.len > 0)
		explicit_bzero((char *)ch->secret.ptr, ch->secret.len);
	arena_release(&ch->arena);
	free(ch);
}

static void
change_end(struct record_change *ch, const struct engine_answer *answer)
{
	ch->call.done(ch->call.ctx, answer);
	change_free(ch);
}

/* Later: some refusals are known inside the call. */
static void
change_fail(struct record_change *ch, int rc, const struct err *err)
{
	engine_refuse(ch->en, &ch->call, rc, err);
	change_free(ch);
}

static void
change_done(struct record_change *ch)
{
	change_end(ch, &(struct engine_answer){ .id = ch->id,
						.version = ch->version,
						.secret = ch->secret,
						.queue_position = -1 });
}

/* ---- what a replay needs, and back ---- */

static struct str
remembered(struct record_change *ch)
{
	struct buf out;
	struct str text;
	struct jw w;

	buf_init(&out, ANSWER_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	jw_field_str(&w, "id", ch->id);
	jw_field_int(&w, "version", ch->version);
	jw_end_object(&w);
	text = arena_str(&ch->arena, buf_str(&out));
	buf_release(&out);
	return text;
}

static int
recall(struct record_change *ch, struct str answer, struct err *e)
{
	struct json id = { 0 }, version = { 0 };
	const struct json_field fields[] = {
		{ "id", JSON_WANT_STRING, true, &id },
		{ "version", JSON_WANT_NUMBER, true, &version },
	};
	struct json_doc doc;
	int rc = json_parse(&ch->arena, answer, &JSON_LIMITS_DEFAULT, &doc, e);

	if (rc == 0)
		rc = json_fields(json_root(&doc), fields, ARRAY_LEN(fields), e);
	if (rc != 0)
		return err_set(e, ERR_CORRUPT, "a remembered answer cannot be read");
	ch->id = json_str(id, &ch->arena);
	return json_take_int(version, 0, INT64_MAX, &ch->version, e);
}

static void
answer_replay(struct record_change *ch, struct str answer)
{
	struct err e;
	int rc = recall(ch, answer, &e);

	if (rc != 0)
		change_fail(ch, rc, &e);
	else
		change_end(ch, &(struct engine_answer){ .replayed = true,
							.id = ch->id,
							.version = ch->version,
							.queue_position = -1 });
}

/* ---- the commit ---- */

static void read_next(struct record_change *ch);

static void
on_committed(void *ctx, const struct commit_result *result)
{
	struct record_change *ch = ctx;
	const struct store_result *r = result->store;

	if (r->rc == STORE_REPLAYED) {
		answer_replay(ch, r->answer);
	} else if (r->rc == ERR_CONFLICT && ch->read_count > 0 && ++ch->tries < TRIES_MAX) {
		ch->read_at = 0; /* the record moved on: decide about what it is now */
		read_next(ch);
	} else if (r->rc != 0) {
		change_fail(ch, r->rc, &r->err);
	} else {
		if (ch->fills && ch->plan->written)
			ch->plan->written(ch);
		change_done(ch);
	}
}

void
record_change_put(struct record_change *ch, struct commit *c, const struct store_record *r,
		  int64_t if_version)
{
	commit_put(c, &(struct store_put){ .record = *r, .if_version = if_version });
	ch->fills = true;
}

static void
decide(struct record_change *ch)
{
	struct commit *c = commit_new(ch->en, STR(""));
	struct err e;
	int rc;

	ch->fills = false;
	rc = ch->plan->decide(ch, c, &e);
	if (rc != 0) {
		commit_abandon(&c);
		change_fail(ch, rc, &e);
	} else if (!ch->fills && !repeat_is_keyed(ch->call.repeat)) {
		commit_abandon(&c);
		change_done(ch);
	} else {
		commit_repeat(c, ch->call.repeat, remembered(ch));
		commit_submit(c, on_committed, ch);
	}
}

/* ---- what the decision needs ---- */

static bool
on_record_row(void *ctx, const struct store_row *row)
{
	struct record_change *ch = ctx;
	struct record_read *r = &ch->reads[ch->read_at];
	struct json_doc *doc = ARENA_NEW(&ch->arena, struct json_doc);

	r->found = json_parse(&ch->arena, arena_str(&ch->arena, row->record->body),
			      &JSON_LIMITS_DEFAULT, doc, NULL) == 0;
	r->version = row->record->version;
	r->body = json_root(doc);
	return false;
}

static void
on_record(void *ctx, int rc, bool more, const struct err *err)
{
	struct record_change *ch = ctx;
	struct record_read *r = &ch->reads[ch->read_at];
	struct err e;

	(void)more;
	if (rc != 0) {
		change_fail(ch, rc, err);
	} else if (!r->found && r->version > 0) {
		change_fail(ch,
			    err_set(&e, ERR_CORRUPT,
				    "the record " STR_FMT " " STR_FMT " is damaged",
				    STR_ARG(r->kind), STR_ARG(r->id)),
			    &e);
	} else {
		ch->read_at++;
		read_next(ch);
	}
}

void
record_change_go_on(struct record_change *ch, int rc, const struct err *err)
{
	if (rc != 0)
		change_fail(ch, rc, err);
	else
		decide(ch);
}

static void
read_next(struct record_change *ch)
{
	struct record_read *r = &ch->reads[ch->read_at];

	if (ch->read_at == ch->read_count) {
		if (ch->plan->look)
			ch->plan->look(ch);
		else
			decide(ch);
		return;
	}
	r->found = false;
	r->version = 0;
	store_read(ch->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = r->kind,
					  .record_id = r->id,
					  .limit = 1 },
		   on_record_row, on_record, ch);
}

void
record_change_read(struct record_change *ch, struct str kind, struct str id)
{
	ch->reads[ch->read_count++] = (struct record_read){ .kind = kind, .id = id };
}

/* ---- the beginning ---- */

static void
go(struct record_change *ch)
{
	struct err e;
	int rc = ch->plan->prepare(ch, &e);

	if (rc != 0)
		change_fail(ch, rc, &e);
	else
		read_next(ch);
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct record_change *ch = ctx;

	if (rc != 0)
		change_fail(ch, rc, err);
	else if (first)
		answer_replay(ch, *first);
	else
		go(ch);
}

void
record_change_start(struct engine *en, const struct record_plan *plan,
		    const struct engine_call *call, struct str id, struct json body)
{
	struct record_change *ch;
	struct err e;
	int rc = 0;

	if (call->caller)
		rc = plan->verb == ACCESS_ENVIRONMENT_MANAGE
			     ? access_check_environment(call->caller, plan->verb, id, &e)
			     : access_check_now(call->caller, plan->verb, &e);
	if (rc != 0)
		engine_refuse(en, call, rc, &e);
	if (rc != 0 || engine_is_closed(en, call))
		return;
	ch = xcalloc(1, sizeof *ch);
	*ch = (struct record_change){
		.en = en, .plan = plan, .call = *call, .body = body, .id = id
	};
	arena_init(&ch->arena);
	if (repeat_is_keyed(call->repeat))
		repeat_find(en, call->repeat, on_repeat, ch);
	else
		go(ch);
}
