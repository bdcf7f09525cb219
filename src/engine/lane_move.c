/* lane_move - a lane gets another session: a new one, or one that was there before. Commands of engine.h:
 * engine_lane_reset, engine_lane_switch. */
#include "engine/access.h"
#include "engine/lane_command.h"
#include "engine/repeat.h"
#include "engine/rollover.h"

enum { NAME_MAX_BYTES = 256 };

static void
on_over(void *ctx, const struct rollover_over *over)
{
	struct lane_order *o = ctx;

	if (over->rc == ERR_CONFLICT) {
		lane_order_retry(o, over->err);
	} else if (over->rc < 0) {
		lane_order_fail(o, over->rc, over->err);
	} else {
		o->result = over->new_id;
		lane_order_done(o, over->rc == STORE_REPLAYED);
	}
}

/* ---- reset ---- */

static int
read_reset(struct lane_order *o, struct err *e)
{
	struct json name = { 0 };
	const struct json_field fields[] = {
		{ "display_name", JSON_WANT_STRING | JSON_WANT_NULL, false, &name },
	};
	int rc = json_is_set(o->body) ? json_fields(o->body, fields, ARRAY_LEN(fields), e) : 0;

	if (rc == 0)
		rc = json_take_str(name, &o->arena, &o->text, e);
	if (rc == 0 && o->text.len > NAME_MAX_BYTES)
		rc = json_fail(name, e, "must have at most %d bytes", NAME_MAX_BYTES);
	return rc;
}

static int
add_reset(void *ctx, const struct rollover_step *step, struct err *e)
{
	struct lane_order *o = ctx;

	(void)e;
	rollover_move_lane(&o->lane.entry, step, host_now_ms(o->en->host));
	if (o->text.len > 0)
		o->lane.entry.display_name = o->text;
	lane_put(step->ending, &o->lane);
	commit_repeat(step->ending, o->call.repeat, step->new_id);
	return 0;
}

static void
run_reset(struct lane_order *o)
{
	struct rollover roll = { .old = o->session.id,
				 .cause = ROLLOVER_MANUAL,
				 .lane_key = o->lane.entry.session_key,
				 .group = o->lane.entry.shared,
				 .add = add_reset };

	if (session_id_namespace(o->session.id).len == 0)
		roll.new_id = engine_make_id(o->en, &o->arena, "sesn");
	rollover_run(o->en, &roll, on_over, o);
}

void
engine_lane_reset(struct engine *en, const struct engine_call *call, struct str lane,
		  struct json body)
{
	static const struct lane_plan PLAN = { ACCESS_SESSION_CONTROL, read_reset, run_reset };

	lane_order_start(en, &PLAN, call, lane, body);
}

/* ---- switch ---- */

static int
read_switch(struct lane_order *o, struct err *e)
{
	struct json session = { 0 };
	const struct json_field fields[] = {
		{ "session_id", JSON_WANT_STRING, true, &session },
	};
	int rc = json_fields(o->body, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_str(session, &o->arena, &o->text, e);
	return rc == 0 ? session_id_check(o->text, e) : rc;
}

static int
add_switch(void *ctx, const struct rollover_step *step, struct err *e)
{
	struct lane_order *o = ctx;

	(void)e;
	rollover_move_lane(&o->lane.entry, step, host_now_ms(o->en->host));
	o->lane.entry.is_fresh_reset = false; /* nothing of it is new */
	lane_put(step->ending, &o->lane);
	commit_repeat(step->ending, o->call.repeat, step->new_id);
	return 0;
}

static void
switch_now(struct lane_order *o)
{
	rollover_run(o->en,
		     &(struct rollover){ .old = o->session.id,
					 .cause = ROLLOVER_MANUAL,
					 .new_id = o->text,
					 .reopens = true,
					 .add = add_switch },
		     on_over, o);
}

/* One session is in one lane: two would answer each other's people. */
static void
on_other_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct lane_order *o = ctx;
	struct err e;

	if (rc == 0 && lane->version > 0 && !str_eq(lane->id, o->lane.id)) {
		rc = err_set(&e, ERR_CONFLICT,
			     "session_id: another conversation is in that session now");
		err = &e;
	}
	if (rc != 0)
		lane_order_fail(o, rc, err);
	else
		switch_now(o);
}

/* What was said to one person is not read out in a room. */
static bool
is_foreign(const struct lane_order *o, const struct store_session *target)
{
	return !principal_is_owner(&o->caller.who) && o->lane.entry.shared && !target->group;
}

static void
on_target(void *ctx, int rc, const struct err *err, const struct store_session *session,
	  bool takes_part)
{
	struct lane_order *o = ctx;
	struct err e;

	(void)takes_part;
	if (rc == 0 && is_foreign(o, session)) {
		rc = err_set(&e, ERR_NOT_FOUND, "there is no session " STR_FMT, STR_ARG(o->text));
		err = &e;
	}
	if (rc != 0)
		lane_order_fail(o, rc, err);
	else
		lane_find_by_session(o->en, o->text, on_other_lane, o);
}

static void
run_switch(struct lane_order *o)
{
	if (!str_eq(o->text, o->session.id))
		access_check(o->en, &o->caller, ACCESS_SESSION_RESUME, o->text, on_target, o);
	else if (repeat_is_keyed(o->call.repeat))
		repeat_remember(o->en, o->call.repeat, o->text, lane_order_committed, o);
	else
		lane_order_done(o, false); /* it is there already */
}

void
engine_lane_switch(struct engine *en, const struct engine_call *call, struct str lane,
		   struct json body)
{
	static const struct lane_plan PLAN = { ACCESS_SESSION_RESUME, read_switch, run_switch };

	lane_order_start(en, &PLAN, call, lane, body);
}
