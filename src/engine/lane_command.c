#include "engine/lane_command.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/repeat.h"

enum { TRIES_MAX = 16, NAME_MAX_BYTES = 256 };

static void
order_free(struct lane_order *o)
{
	arena_release(&o->arena);
	free(o);
}

void
lane_order_fail(struct lane_order *o, int rc, const struct err *err)
{
	o->call.done(o->call.ctx, &(struct engine_answer){ .rc = rc, .err = err });
	order_free(o);
}

void
lane_order_done(struct lane_order *o, bool replayed)
{
	o->call.done(o->call.ctx, &(struct engine_answer){ .id = o->result,
							   .lane = o->lane.id,
							   .replayed = replayed,
							   .queue_position = -1 });
	order_free(o);
}

struct str
lane_order_remembered(struct lane_order *o)
{
	return o->result.len > 0 ? o->result : o->lane.entry.session_id;
}

/* ---- reading, and who asks ---- */

static void
no_such_lane(struct lane_order *o)
{
	struct err e;

	lane_order_fail(
		o, err_set(&e, ERR_NOT_FOUND, "there is no lane " STR_FMT, STR_ARG(o->lane.id)),
		&e);
}

static void
on_session(void *ctx, int rc, const struct err *err, const struct store_session *session,
	   bool takes_part)
{
	struct lane_order *o = ctx;

	if (rc == ERR_NOT_FOUND) { /* in the words of one that is not there */
		no_such_lane(o);
		return;
	}
	if (rc != 0) {
		lane_order_fail(o, rc, err);
		return;
	}
	access_copy_session(&o->arena, session, &o->session);
	o->takes_part = takes_part;
	o->plan->run(o);
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct lane_order *o = ctx;

	if (rc != 0) {
		lane_order_fail(o, rc, err);
		return;
	}
	if (lane->version == 0) {
		no_such_lane(o);
		return;
	}
	o->lane = lane_copy(&o->arena, lane);
	access_check(o->en, &o->caller, o->plan->verb, o->lane.entry.session_id, on_session, o);
}

static void
look_up(struct lane_order *o)
{
	lane_find(o->en, o->lane.id, on_lane, o);
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct lane_order *o = ctx;

	if (rc != 0) {
		lane_order_fail(o, rc, err);
	} else if (first) {
		o->result = arena_str(&o->arena, *first);
		lane_order_done(o, true);
	} else {
		look_up(o);
	}
}

void
lane_order_start(struct engine *en, const struct lane_plan *plan, const struct engine_call *call,
		 struct str lane, struct json body)
{
	struct lane_order *o;
	struct err e;
	int rc = 0;

	if (engine_is_closed(en, call))
		return;
	o = xcalloc(1, sizeof *o);
	o->en = en;
	o->plan = plan;
	o->call = *call;
	o->caller = *call->caller;
	o->body = body;
	arena_init(&o->arena);
	o->lane.id = arena_str(&o->arena, lane);
	if (plan->read)
		rc = plan->read(o, &e);
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		order_free(o);
	} else if (repeat_is_keyed(call->repeat)) {
		repeat_find(en, call->repeat, on_repeat, o);
	} else {
		look_up(o);
	}
}

/* ---- writing ---- */

void
lane_order_retry(struct lane_order *o, const struct err *err)
{
	if (++o->tries < TRIES_MAX)
		look_up(o);
	else
		lane_order_fail(o, ERR_CONFLICT, err);
}

void
lane_order_committed(void *ctx, const struct commit_result *result)
{
	const struct store_result *r = result->store;
	struct lane_order *o = ctx;

	if (r->rc == ERR_CONFLICT)
		lane_order_retry(o, &r->err);
	else if (r->rc < 0)
		lane_order_fail(o, r->rc, &r->err);
	else
		lane_order_done(o, r->rc == STORE_REPLAYED);
}

void
lane_order_commit(struct lane_order *o, struct commit *c)
{
	lane_put(c, &o->lane);
	commit_repeat(c, o->call.repeat, lane_order_remembered(o));
	commit_submit(c, lane_order_committed, o);
}

/* The entry was changed, or nothing is to be done. */
static void
write_entry(struct lane_order *o, bool changed)
{
	if (changed)
		lane_order_commit(o, commit_new(o->en, STR("")));
	else if (repeat_is_keyed(o->call.repeat))
		repeat_remember(o->en, o->call.repeat, lane_order_remembered(o),
				lane_order_committed, o);
	else
		lane_order_done(o, false);
}

/* ---- update ---- */

/* enum busy_mode; then none of its own, and nothing said. */
static const char *const BUSY[] = { "queue", "steer", "interrupt", "collect", "reject", "default" };
enum { BUSY_DEFAULT = ARRAY_LEN(BUSY) - 1, BUSY_UNSAID };

static int
read_update(struct lane_order *o, struct err *e)
{
	struct json tokens = { 0 }, name = { 0 }, busy = { 0 };
	const struct json_field fields[] = {
		{ "last_prompt_tokens", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &tokens },
		{ "display_name", JSON_WANT_STRING | JSON_WANT_NULL, false, &name },
		{ "busy", JSON_WANT_STRING | JSON_WANT_NULL, false, &busy },
	};
	int rc = json_is_set(o->body) ? json_fields(o->body, fields, ARRAY_LEN(fields), e) : 0;

	o->number = -1;
	o->word = BUSY_UNSAID;
	if (rc == 0)
		rc = json_take_word(busy, BUSY, ARRAY_LEN(BUSY), &o->word, e);
	if (rc == 0)
		rc = json_take_int(tokens, 0, INT64_MAX, &o->number, e);
	if (rc == 0)
		rc = json_take_str(name, &o->arena, &o->text, e);
	if (rc == 0 && o->text.len > NAME_MAX_BYTES)
		rc = json_fail(name, e, "must have at most %d bytes", NAME_MAX_BYTES);
	return rc;
}

static void
run_update(struct lane_order *o)
{
	struct lane_entry *entry = &o->lane.entry;

	if (o->word == BUSY_UNSAID || o->number >= 0 || o->text.len > 0)
		entry->updated_ms = host_now_ms(o->en->host); /* a setting is no activity */
	if (o->word != BUSY_UNSAID) {
		entry->has_busy = o->word != BUSY_DEFAULT;
		entry->busy = entry->has_busy ? (enum busy_mode)o->word : BUSY_QUEUE;
	}
	if (o->number >= 0)
		entry->last_prompt_tokens = o->number;
	if (o->text.len > 0)
		entry->display_name = o->text;
	write_entry(o, true);
}

void
engine_lane_update(struct engine *en, const struct engine_call *call, struct str lane,
		   struct json body)
{
	static const struct lane_plan PLAN = { ACCESS_SESSION_MANAGE, read_update, run_update };

	lane_order_start(en, &PLAN, call, lane, body);
}

/* ---- flags ---- */

static void
run_suspend(struct lane_order *o)
{
	bool changed = !o->lane.entry.recover.suspended;

	o->lane.entry.recover.suspended = true;
	write_entry(o, changed);
}

void
engine_lane_suspend(struct engine *en, const struct engine_call *call, struct str lane)
{
	static const struct lane_plan PLAN = { ACCESS_SESSION_CONTROL, NULL, run_suspend };

	lane_order_start(en, &PLAN, call, lane, (struct json){ 0 });
}

static int
read_reason(struct lane_order *o, struct err *e)
{
	static const char *const REASONS[] = { "restart_timeout", "shutdown_timeout",
					       "restart_interrupted" };
	struct json reason = { 0 };
	const struct json_field fields[] = {
		{ "reason", JSON_WANT_STRING | JSON_WANT_NULL, false, &reason },
	};
	size_t word = RECOVER_RESTART_TIMEOUT;
	int rc = json_is_set(o->body) ? json_fields(o->body, fields, ARRAY_LEN(fields), e) : 0;

	if (rc == 0)
		rc = json_take_word(reason, REASONS, ARRAY_LEN(REASONS), &word, e);
	o->number = (int64_t)word;
	return rc;
}

/* A suspended lane stays as it is: its next session is a new one. */
static void
run_mark(struct lane_order *o)
{
	write_entry(o, recover_mark_set(&o->lane.entry.recover, (enum recover_reason)o->number,
					host_now_ms(o->en->host)));
}

void
engine_lane_mark_resume(struct engine *en, const struct engine_call *call, struct str lane,
			struct json body)
{
	static const struct lane_plan PLAN = { ACCESS_SESSION_CONTROL, read_reason, run_mark };

	lane_order_start(en, &PLAN, call, lane, body);
}

static void
run_clear(struct lane_order *o)
{
	bool changed = o->lane.entry.recover.resume_pending;

	recover_mark_turn_ended(&o->lane.entry.recover, true);
	write_entry(o, changed);
}

void
engine_lane_clear_resume(struct engine *en, const struct engine_call *call, struct str lane)
{
	static const struct lane_plan PLAN = { ACCESS_SESSION_CONTROL, NULL, run_clear };

	lane_order_start(en, &PLAN, call, lane, (struct json){ 0 });
}

/* ---- one lane, as it is ---- */

struct showing {
	struct engine *en;
	struct engine_caller caller;
	struct arena arena;
	struct lane lane;
	engine_lane_fn *done;
	void *ctx;
};

static void
showing_end(struct showing *s, int rc, const struct err *err)
{
	s->done(s->ctx, rc, err, s->lane.id, &s->lane.entry);
	arena_release(&s->arena);
	free(s);
}

static void
on_shown_session(void *ctx, int rc, const struct err *err, const struct store_session *session,
		 bool takes_part)
{
	struct showing *s = ctx;
	struct err e;

	(void)takes_part;
	if (rc == ERR_NOT_FOUND) {
		rc = err_set(&e, ERR_NOT_FOUND, "there is no lane " STR_FMT, STR_ARG(s->lane.id));
		err = &e;
	}
	if (rc == 0)
		lane_entry_count(&s->lane.entry, &session->row.counters);
	showing_end(s, rc, err);
}

static void
on_shown_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct showing *s = ctx;
	struct err e;

	if (rc != 0) {
		showing_end(s, rc, err);
		return;
	}
	if (lane->version == 0) {
		rc = err_set(&e, ERR_NOT_FOUND, "there is no lane " STR_FMT, STR_ARG(s->lane.id));
		showing_end(s, rc, &e);
		return;
	}
	s->lane = lane_copy(&s->arena, lane);
	access_check(s->en, &s->caller, ACCESS_SESSION_READ, s->lane.entry.session_id,
		     on_shown_session, s);
}

void
engine_lane_get(struct engine *en, const struct engine_caller *caller, struct str lane,
		engine_lane_fn *done, void *ctx)
{
	struct showing *s = xcalloc(1, sizeof *s);

	*s = (struct showing){ .en = en, .caller = *caller, .done = done, .ctx = ctx };
	arena_init(&s->arena);
	s->lane.id = arena_str(&s->arena, lane);
	lane_find(en, s->lane.id, on_shown_lane, s);
}
