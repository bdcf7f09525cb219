#include "engine/turn_recover.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/identity.h"
#include "engine/lane.h"
#include "engine/wake.h"

enum { PAGE_ROWS = 50 };

struct judging {
	struct look *look;
	struct recover_mark mark;
	bool unauthorised;
	int64_t before; /* seq: where the message that started it is looked for */
	bool found;
	struct str sender;
	struct arena arena;
	turn_recover_fn *done;
	void *ctx;
};

bool
turn_recover_was_cut_short(const struct look *l)
{
	enum turn_phase phase = l->session.row.state.phase;

	return phase == TURN_RUNNING || (phase == TURN_RESCHEDULED && !l->history.marked);
}

static void
judging_end(struct judging *j, int rc, const struct err *err, const struct recover_turn_plan *plan)
{
	j->done(j->ctx, rc, err, plan);
	arena_release(&j->arena);
	free(j);
}

static void
decide(struct judging *j)
{
	const struct look *l = j->look;
	const struct turn_history *h = &l->history;
	struct recover_settings settings = RECOVER_SETTINGS_DEFAULT;
	struct recover_turn_facts f = {
		.now_ms = host_now_ms(l->en->host),
		.updated_at_ms = h->last_at_ms,
		.turn_open = true,
		.attempts = h->marked ? h->continuations - 1 : h->continuations,
		.authorised = !j->unauthorised,
		.breaker_open = wake_is_held(l->en, l->session_id),
	};
	struct recover_turn_plan plan;

	if (l->en->config.settings.fresh_ms > 0)
		settings.fresh_ms = l->en->config.settings.fresh_ms;
	plan = recover_turn_decide(&settings, &j->mark, &f);
	judging_end(j, 0, NULL, &plan);
}

/* ---- may whoever started it still do so? ---- */

static void
on_access(void *ctx, int rc, const struct err *err, const struct store_session *session,
	  bool takes_part)
{
	struct judging *j = ctx;

	(void)session, (void)takes_part;
	j->unauthorised = rc == ERR_NOT_FOUND || rc == ERR_DENIED;
	if (rc == 0 || j->unauthorised)
		decide(j);
	else
		judging_end(j, rc, err, NULL);
}

/* The operator needs no leave, and somebody whom a channel speaks for is no user of ours. */
static void
ask_for(struct judging *j)
{
	struct engine *en = j->look->en;
	struct engine_caller caller = { .who = { .kind = TOKEN_USER, .user_id = j->sender } };

	if (j->sender.len == 0 || j->sender.ptr[0] == '{') {
		decide(j);
		return;
	}
	caller.who.role = identity_role(en->identity, j->sender);
	access_check(en, &caller, ACCESS_SESSION_POST, j->look->session_id, on_access, j);
}

static bool
on_event(void *ctx, const struct store_row *row)
{
	const struct event *ev = &row->event->ev;
	struct judging *j = ctx;
	struct input_meta meta;
	struct json_doc doc;

	j->before = ev->seq;
	if (!str_eq(ev->id, j->look->history.trigger))
		return true;
	j->found = true;
	if (json_parse(&j->arena, arena_str(&j->arena, ev->meta), &EVENT_PAYLOAD_LIMITS, &doc,
		       NULL) == 0 &&
	    input_meta_read(json_root(&doc), &j->arena, &meta, NULL) == 0)
		j->sender = arena_str(&j->arena, meta.sender);
	return false;
}

static void read_sender(struct judging *j);

static void
on_events(void *ctx, int rc, bool more, const struct err *err)
{
	struct judging *j = ctx;

	if (rc != 0)
		judging_end(j, rc, err, NULL);
	else if (more && !j->found)
		read_sender(j);
	else
		ask_for(j);
}

/* It stands shortly before the turn, nearly always right there. */
static void
read_sender(struct judging *j)
{
	store_read(j->look->en->store,
		   &(struct store_query){ .kind = STORE_LIST_EVENTS,
					  .session = j->look->session_id,
					  .before = j->before,
					  .descending = true,
					  .limit = PAGE_ROWS },
		   on_event, on_events, j);
}

static void
seek_sender(struct judging *j)
{
	if (j->look->history.trigger.len > 0)
		read_sender(j);
	else
		decide(j); /* by the clock, or a wake of its own */
}

/* ---- the lane ---- */

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct judging *j = ctx;

	if (rc != 0 && rc != ERR_CORRUPT) { /* a damaged one says nothing of the turn */
		judging_end(j, rc, err, NULL);
		return;
	}
	if (rc == 0)
		j->mark = lane->entry.recover;
	seek_sender(j);
}

void
turn_recover_judge(struct look *l, turn_recover_fn *done, void *ctx)
{
	struct judging *j = xcalloc(1, sizeof *j);

	*j = (struct judging){
		.look = l, .before = l->session.row.turn_seq, .done = done, .ctx = ctx
	};
	arena_init(&j->arena);
	lane_find_by_session(l->en, l->session_id, on_lane, j);
}
