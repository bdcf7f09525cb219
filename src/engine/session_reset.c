/* session_reset - a person wants a new conversation, or the old one back. Commands of engine.h:
 * engine_session_reset, engine_session_undo_reset. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/lane.h"
#include "engine/repeat.h"
#include "engine/rollover.h"
#include "engine/successor.h"

enum { TRIES_MAX = 8 };

struct resetting {
	struct engine *en;
	struct engine_call call;
	struct engine_caller caller;
	struct arena arena;
	struct str session;
	bool undo;
	struct str back_to; /* of an undo */
	struct str before;  /* what that one replaced */
	struct lane lane;   /* whose current session it is; version 0: none's */
	int tries;
	struct err why; /* a conflict, while the session that is current is looked for */
};

static void
resetting_end(struct resetting *x, const struct engine_answer *answer)
{
	x->call.done(x->call.ctx, answer);
	arena_release(&x->arena);
	free(x);
}

static void
resetting_fail(struct resetting *x, int rc, const struct err *err)
{
	resetting_end(x, &(struct engine_answer){ .rc = rc, .err = err });
}

static void
on_current(void *ctx, int rc, const struct err *err, struct str current)
{
	struct resetting *x = ctx;

	(void)rc, (void)err; /* then nobody knows it, and the conflict stands */
	resetting_end(x, &(struct engine_answer){
				 .rc = ERR_CONFLICT, .err = &x->why, .current = current });
}

static void look(struct resetting *x);

static void
on_over(void *ctx, const struct rollover_over *over)
{
	struct resetting *x = ctx;

	if (over->rc == ERR_CONFLICT && x->lane.version > 0 && ++x->tries < TRIES_MAX) {
		look(x); /* somebody may have been quicker with the lane */
	} else if (over->rc == ERR_CONFLICT) {
		x->why = *over->err;
		successor_find(x->en, x->session, on_current, x);
	} else if (over->rc < 0) {
		resetting_fail(x, over->rc, over->err);
	} else {
		resetting_end(x, &(struct engine_answer){
					 .id = over->new_id,
					 .replayed = over->rc == STORE_REPLAYED,
					 .created = over->rc == 0 && !x->undo,
					 .queue_position = -1,
				 });
	}
}

static int
add(void *ctx, const struct rollover_step *step, struct err *e)
{
	struct resetting *x = ctx;

	(void)e;
	if (x->lane.version > 0) {
		rollover_move_lane(&x->lane.entry, step, host_now_ms(x->en->host));
		if (x->undo) {
			x->lane.entry.previous_session_id = x->before;
			x->lane.entry.is_fresh_reset = false;
		}
		lane_put(step->ending, &x->lane);
	}
	commit_repeat(step->ending, x->call.repeat, step->new_id);
	return 0;
}

static void
roll(struct resetting *x)
{
	rollover_run(x->en,
		     &(struct rollover){ .old = x->session,
					 .cause = ROLLOVER_MANUAL,
					 .to_inactive = !x->undo && x->lane.version == 0,
					 .new_id = x->back_to,
					 .reopens = x->undo,
					 .add = add },
		     on_over, x);
}

/* One session is in one lane: what another has taken up meanwhile stays there. */
static void
on_other_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct resetting *x = ctx;
	struct err e;

	if (rc == 0 && lane->version > 0) {
		rc = err_set(&e, ERR_CONFLICT,
			     "session " STR_FMT " goes on in another conversation by now",
			     STR_ARG(x->back_to));
		err = &e;
	}
	if (rc != 0)
		resetting_fail(x, rc, err);
	else
		roll(x);
}

static void
on_back_to(void *ctx, int rc, const struct err *err, const struct store_session *session,
	   bool takes_part)
{
	struct resetting *x = ctx;

	(void)takes_part;
	if (rc != 0) {
		resetting_fail(x, rc, err);
		return;
	}
	x->before = arena_str(&x->arena, session->previous_id);
	lane_find_by_session(x->en, x->back_to, on_other_lane, x);
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct resetting *x = ctx;

	if (rc != 0) {
		resetting_fail(x, rc, err);
		return;
	}
	x->lane = lane_copy(&x->arena, lane);
	if (x->undo)
		access_check(x->en, &x->caller, ACCESS_SESSION_RESUME, x->back_to, on_back_to, x);
	else
		roll(x);
}

static void
on_standing(void *ctx, int rc, const struct err *err, const struct store_session *session,
	    bool takes_part)
{
	struct resetting *x = ctx;
	struct err e;

	(void)takes_part;
	if (rc == 0 && x->undo && session->previous_id.len == 0) {
		rc = err_set(&e, ERR_CONFLICT, "the session has replaced none: nothing to undo");
		err = &e;
	}
	if (rc != 0) {
		resetting_fail(x, rc, err);
		return;
	}
	if (x->undo)
		x->back_to = arena_str(&x->arena, session->previous_id);
	lane_find_by_session(x->en, x->session, on_lane, x);
}

static void
look(struct resetting *x)
{
	access_check(x->en, &x->caller, ACCESS_SESSION_CONTROL, x->session, on_standing, x);
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct resetting *x = ctx;

	if (rc != 0)
		resetting_fail(x, rc, err);
	else if (first)
		resetting_end(x, &(struct engine_answer){
					 .replayed = true, .id = *first, .queue_position = -1 });
	else
		look(x);
}

static void
start(struct engine *en, const struct engine_call *call, struct str session, bool undo)
{
	struct resetting *x;

	if (engine_is_closed(en, call))
		return;
	x = xcalloc(1, sizeof *x);
	*x = (struct resetting){ .en = en, .call = *call, .caller = *call->caller, .undo = undo };
	arena_init(&x->arena);
	x->session = arena_str(&x->arena, session);
	if (repeat_is_keyed(call->repeat))
		repeat_find(en, call->repeat, on_repeat, x);
	else
		look(x);
}

void
engine_session_reset(struct engine *en, const struct engine_call *call, struct str session)
{
	start(en, call, session, false);
}

void
engine_session_undo_reset(struct engine *en, const struct engine_call *call, struct str session)
{
	start(en, call, session, true);
}
