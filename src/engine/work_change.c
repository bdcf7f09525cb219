/* work_change - items of work queues made, handed out, acknowledged, extended, stopped.
 * Every change reads the record, asks core/work_policy and is written only if the record is still
 * what was read; what is known in memory follows. Commands of engine.h: engine_work_acknowledge,
 * _heartbeat, _stop, _update. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "core/metadata.h"
#include "core/token.h"
#include "engine/access.h"
#include "engine/work_private.h"

enum { METADATA_BYTES_MAX = 64 * 1024 };

/* One change on its way; what its plan asks core/work_policy with. */
struct ask {
	struct engine *en;
	struct engine_call call;
	struct engine_work item;
	struct str session; /* of a new one */
	int64_t not_before_ms;
	enum work_party by;
	int64_t claim; /* WORK_HOLDER: of the lease that its secret was for */
	struct work_heartbeat beat;
	bool force, calls_wait;
	const struct engine_poll *poll;
};

static void
on_asked(void *ctx, const struct engine_answer *answer)
{
	struct ask *ask = ctx;

	ask->call.done(ask->call.ctx, answer);
	free(ask);
}

static void
start(struct engine *en, const struct record_plan *plan, const struct ask *facts, struct json body)
{
	struct ask *ask = xcalloc(1, sizeof *ask);
	struct engine_call call = { .repeat = facts->call.repeat, .done = on_asked, .ctx = ask };

	*ask = *facts;
	ask->en = en;
	record_change_start(en, plan, &call, facts->item.id, body);
}

static struct ask *
ask_of(const struct record_change *ch)
{
	return ch->call.ctx;
}

/* ---- the record ---- */

static int
prepare(struct record_change *ch, struct err *e)
{
	(void)e;
	record_change_read(ch, RECORD_WORK, ch->id);
	return 0;
}

static int
read_item(struct record_change *ch, struct work_item **out, struct err *e)
{
	struct work_item *item = ARENA_NEW(&ch->arena, struct work_item);
	const struct ask *ask = ask_of(ch);
	int rc = 0;

	if (ch->reads[0].found)
		rc = work_item_read(ch->reads[0].body, &ch->arena, item, e);
	if (rc != 0)
		return rc;
	if (!ch->reads[0].found || !str_eq(item->environment_id, ask->item.environment))
		return err_set(e, ERR_NOT_FOUND, "there is no work item " STR_FMT " in " STR_FMT,
			       STR_ARG(ch->id), STR_ARG(ask->item.environment));
	ch->version = ch->reads[0].version;
	ch->own = item;
	*out = item;
	return 0;
}

/* An open item is found by its due time when the server starts. */
static void
put_item(struct record_change *ch, struct commit *c, const struct work_item *item)
{
	int64_t now = ch->reads[0].version; /* 0: there is none yet */

	ch->version = now + 1;
	record_change_put(ch, c,
			  &(struct store_record){
				  .kind = RECORD_WORK,
				  .id = item->id,
				  .owner = item->environment_id,
				  .due_at_ms = item->state == WORK_STOPPED ? 0 : item->created_ms,
				  .body = work_item_write(item, &ch->arena) },
			  now);
}

static void
written(struct record_change *ch)
{
	work_apply(ch->en->work, ch->own, ch->version);
}

static enum work_party
party(const struct ask *ask, const struct work_item *item)
{
	bool moved_on = ask->by == WORK_HOLDER && ask->claim != item->claim;

	return moved_on ? WORK_FORMER : ask->by;
}

/* ---- what workers say ---- */

static int
settle(struct record_change *ch, struct commit *c, enum work_answer answer, struct err *e)
{
	const struct work_item *item = ch->own;

	switch (answer) {
	case WORK_CHANGED: put_item(ch, c, item); return 0;
	case WORK_SAME: return 0;
	case WORK_LOST:
		return err_set(e, ERR_PRECONDITION,
			       "the lease of " STR_FMT " is not yours: its last heartbeat is "
			       "another one, or the item was queued again",
			       STR_ARG(item->id));
	case WORK_REFUSED: break;
	}
	return err_set(e, ERR_CONFLICT, "the work item " STR_FMT " is %s%s", STR_ARG(item->id),
		       work_state_name(item->state),
		       item->state == WORK_STOPPED ? "" : " and another worker's");
}

static int
decide_acknowledge(struct record_change *ch, struct commit *c, struct err *e)
{
	struct work_item *item;
	int rc = read_item(ch, &item, e);

	if (rc != 0)
		return rc;
	return settle(
		ch, c,
		work_policy_acknowledge(item, party(ask_of(ch), item), host_now_ms(ch->en->host)),
		e);
}

static int
decide_heartbeat(struct record_change *ch, struct commit *c, struct err *e)
{
	struct work_item *item;
	int rc = read_item(ch, &item, e);

	if (rc != 0)
		return rc;
	return settle(ch, c,
		      work_policy_heartbeat(item, &ask_of(ch)->beat, party(ask_of(ch), item),
					    host_now_ms(ch->en->host)),
		      e);
}

static int
decide_stop(struct record_change *ch, struct commit *c, struct err *e)
{
	struct work_item *item;
	int rc = read_item(ch, &item, e);

	if (rc != 0)
		return rc;
	return settle(ch, c,
		      work_policy_stop(item, party(ask_of(ch), item), ask_of(ch)->force,
				       host_now_ms(ch->en->host)),
		      e);
}

static int
merge_metadata(struct record_change *ch, struct work_item *item, struct json patch, struct err *e)
{
	struct json now;
	struct buf out;
	struct jw w;
	int rc;

	if (!json_find(ch->reads[0].body, STR("metadata"), &now))
		now = (struct json){ 0 };
	buf_init(&out, METADATA_BYTES_MAX);
	jw_init(&w, &out);
	rc = metadata_merge(now, patch, &ch->arena, &w, e);
	if (rc == 0)
		item->metadata = arena_str(&ch->arena, buf_str(&out));
	buf_release(&out);
	return rc;
}

static int
decide_update(struct record_change *ch, struct commit *c, struct err *e)
{
	struct json patch = { 0 };
	const struct json_field fields[] = { { "metadata", JSON_WANT_OBJECT, true, &patch } };
	struct work_item *item;
	struct str before;
	int rc = json_fields(ch->body, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = read_item(ch, &item, e);
	if (rc != 0)
		return rc;
	before = item->metadata;
	rc = merge_metadata(ch, item, patch, e);
	if (rc == 0 && !str_eq(before, item->metadata))
		put_item(ch, c, item);
	return rc;
}

/* ---- the commands ---- */

static int64_t
claim_of(struct str token_id)
{
	struct str item, claim;
	int64_t n = 0;

	return str_cut(token_id, '/', &item, &claim) && str_to_int(claim, &n) ? n : 0;
}

/* May the caller speak of it at all? Refuses the call when not. */
static bool
enter(struct engine *en, const struct engine_call *call, struct engine_work item, struct ask *out)
{
	const struct principal *who = &call->caller->who;
	struct err e;
	int rc = access_check_work(call->caller, item.environment, item.id, &e);

	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		return false;
	}
	*out = (struct ask){ .call = *call, .item = item };
	out->by = principal_is_owner(who) ? WORK_OPERATOR
		  : who->work_id.len == 0 ? WORK_EXECUTOR
		  : who->lease_lost       ? WORK_FORMER
					  : WORK_HOLDER;
	out->claim = claim_of(call->caller->token_id);
	return true;
}

void
engine_work_acknowledge(struct engine *en, const struct engine_call *call, struct engine_work item)
{
	static const struct record_plan PLAN = { .verb = ACCESS_ENVIRONMENT_WORK,
						 .prepare = prepare,
						 .decide = decide_acknowledge,
						 .written = written };
	struct ask ask;

	if (enter(en, call, item, &ask))
		start(en, &PLAN, &ask, (struct json){ 0 });
}

void
engine_work_heartbeat(struct engine *en, const struct engine_call *call, struct engine_work item,
		      const struct work_heartbeat *beat)
{
	static const struct record_plan PLAN = { .verb = ACCESS_ENVIRONMENT_WORK,
						 .prepare = prepare,
						 .decide = decide_heartbeat,
						 .written = written };
	struct ask ask;

	if (!enter(en, call, item, &ask))
		return;
	ask.beat = *beat;
	start(en, &PLAN, &ask, (struct json){ 0 });
}

static const struct record_plan STOP = { .verb = ACCESS_ENVIRONMENT_WORK,
					 .prepare = prepare,
					 .decide = decide_stop,
					 .written = written };

void
engine_work_stop(struct engine *en, const struct engine_call *call, struct engine_work item,
		 bool force)
{
	struct ask ask;

	if (!enter(en, call, item, &ask))
		return;
	ask.force = force;
	start(en, &STOP, &ask, (struct json){ 0 });
}

void
engine_work_update(struct engine *en, const struct engine_call *call, struct engine_work item,
		   struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_ENVIRONMENT_WORK,
						 .prepare = prepare,
						 .decide = decide_update,
						 .written = written };
	struct ask ask;

	if (enter(en, call, item, &ask))
		start(en, &PLAN, &ask, body);
}

/* ---- the engine's own ---- */

static int
prepare_create(struct record_change *ch, struct err *e)
{
	(void)e;
	ch->id = engine_make_id(ch->en, &ch->arena, "work");
	return 0;
}

static int
decide_create(struct record_change *ch, struct commit *c, struct err *e)
{
	const struct ask *ask = ask_of(ch);
	struct work_item *item = ARENA_NEW(&ch->arena, struct work_item);

	(void)e;
	*item = (struct work_item){
		.id = ch->id,
		.environment_id = ask->item.environment,
		.session_id = ask->session,
		.metadata = STR("{}"),
		.created_ms = host_now_ms(ch->en->host),
		.not_before_ms = ask->not_before_ms,
	};
	ch->own = item;
	put_item(ch, c, item);
	return 0;
}

void
work_create(struct engine *en, struct str environment, struct str session, int64_t not_before_ms,
	    const struct engine_call *call)
{
	static const struct record_plan PLAN = { .verb = ACCESS_ENVIRONMENT_WORK,
						 .prepare = prepare_create,
						 .decide = decide_create,
						 .written = written };

	start(en, &PLAN,
	      &(struct ask){ .call = *call,
			     .item.environment = environment,
			     .session = session,
			     .not_before_ms = not_before_ms },
	      (struct json){ 0 });
}

static int
decide_expire(struct record_change *ch, struct commit *c, struct err *e)
{
	int64_t now_ms = host_now_ms(ch->en->host);
	struct work_item *item;
	int rc = read_item(ch, &item, e);

	if (rc != 0 || work_policy_lease_end_ms(item) > now_ms)
		return rc; /* it was extended meanwhile */
	work_policy_expire(item, ask_of(ch)->calls_wait, now_ms);
	put_item(ch, c, item);
	return 0;
}

void
work_expire(struct engine *en, struct engine_work item, bool calls_wait,
	    const struct engine_call *call)
{
	static const struct record_plan PLAN = { .verb = ACCESS_ENVIRONMENT_WORK,
						 .prepare = prepare,
						 .decide = decide_expire,
						 .written = written };

	start(en, &PLAN, &(struct ask){ .call = *call, .item = item, .calls_wait = calls_wait },
	      (struct json){ 0 });
}

void
work_end(struct engine *en, struct engine_work item, const struct engine_call *call)
{
	start(en, &STOP, &(struct ask){ .call = *call, .item = item, .force = true },
	      (struct json){ 0 });
}

static int
decide_hand_out(struct record_change *ch, struct commit *c, struct err *e)
{
	const struct engine_poll *poll = ask_of(ch)->poll;
	int64_t now_ms = host_now_ms(ch->en->host);
	unsigned char secret[TOKEN_SECRET_BYTES];
	struct work_item *item;
	struct sha256 digest;
	char *text;
	int rc = read_item(ch, &item, e);

	if (rc == 0 && work_policy_free_ms(item, poll->reclaim_ms) > now_ms)
		rc = err_set(e, ERR_CONFLICT, "the item was taken");
	if (rc != 0)
		return rc;
	if (ch->secret.len == 0)
		ch->secret =
			(struct str){ arena_alloc(&ch->arena, TOKEN_TEXT_LEN + 1), TOKEN_TEXT_LEN };
	text = (char *)(uintptr_t)ch->secret.ptr;
	rand_bytes(&ch->en->rand, secret, sizeof secret);
	token_format(secret, text);
	explicit_bzero(secret, sizeof secret);
	digest = token_digest(ch->secret);
	work_policy_hand_out(item, poll->worker, &digest, now_ms);
	put_item(ch, c, item);
	return 0;
}

void
work_hand_out(struct engine *en, struct engine_work item, const struct engine_poll *poll,
	      const struct engine_call *call)
{
	static const struct record_plan PLAN = { .verb = ACCESS_ENVIRONMENT_WORK,
						 .prepare = prepare,
						 .decide = decide_hand_out,
						 .written = written };

	start(en, &PLAN, &(struct ask){ .call = *call, .item = item, .poll = poll },
	      (struct json){ 0 });
}
