#include "engine/rollover.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/session.h"
#include "engine/access.h"
#include "engine/catalog.h"
#include "engine/hook.h"
#include "engine/lane.h"
#include "engine/rollover_private.h"
#include "engine/session_birth.h"
#include "engine/session_tools.h"
#include "engine/wake.h"

enum {
	TRIES_MAX = 16, /* a turn that writes quickly may be quicker so often */
	PAGE_ROWS = 500,
	PREFIX_MAX = 64, /* of a dated id */
};

struct str
rollover_cause_name(enum rollover_cause cause)
{
	switch (cause) {
	case ROLLOVER_IDLE: return STR("idle");
	case ROLLOVER_DAILY: return STR("daily");
	case ROLLOVER_SUSPENDED: return STR("suspended");
	case ROLLOVER_MANUAL: return STR("manual");
	}
	return STR("");
}

bool
rollover_is_forced(enum rollover_cause cause)
{
	return cause == ROLLOVER_SUSPENDED || cause == ROLLOVER_MANUAL;
}

static enum reset_reason
reason_of(enum rollover_cause cause)
{
	switch (cause) {
	case ROLLOVER_IDLE: return RESET_IDLE;
	case ROLLOVER_DAILY: return RESET_DAILY;
	case ROLLOVER_SUSPENDED: return RESET_SUSPENDED;
	case ROLLOVER_MANUAL: break;
	}
	return RESET_NONE;
}

/* ---- tries ---- */

static void begin_try(struct rolling *g);

static void
end_try(struct rolling *g)
{
	look_free(&g->look);
	vec_release(&g->users);
	arena_release(&g->arena);
}

static void
rolling_end(struct rolling *g, const struct rollover_over *over)
{
	g->done(g->ctx, over);
	end_try(g);
	free(g);
}

static void
rolling_fail(struct rolling *g, int rc, const struct err *err)
{
	rolling_end(g, &(struct rollover_over){ .rc = rc, .err = err });
}

/* What the session had running ends with it; whoever runs a turn of it here is to find out. */
static void
stop_old(struct rolling *g)
{
	if (rollover_is_forced(g->r.cause))
		session_tools_end(g->en, g->r.old);
	wake_session(g->en, g->r.old);
}

static void
on_written(void *ctx, const struct commit_result *result)
{
	const struct store_result *r = result->store;
	struct rolling *g = ctx;

	if (r->rc == ERR_CONFLICT && ++g->tries < TRIES_MAX) {
		g->head_seq = g->look->session.row.head_seq;
		g->why = r->err;
		end_try(g);
		begin_try(g);
		return;
	}
	if (r->rc == 0 || r->rc == ERR_UNAVAILABLE) { /* it may be stored */
		stop_old(g);
		wake_session(g->en, g->new_id);
	}
	if (r->rc < 0)
		rolling_fail(g, r->rc, &r->err);
	else
		rolling_end(g, &(struct rollover_over){
				       .rc = r->rc,
				       .new_id = r->rc == 0 ? g->new_id : r->answer,
				       .marks = g->marks,
				       .result = result,
			       });
}

static struct str
platform_of(struct rolling *g)
{
	struct json_doc doc;
	struct json v;

	if (json_parse(&g->arena, g->look->session.source, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
	    (json_find(json_root(&doc), STR("platform"), &v) ||
	     json_find(json_root(&doc), STR("kind"), &v)))
		return json_str(v, &g->arena);
	return (struct str){ 0 };
}

static struct str
make_new_id(struct rolling *g)
{
	struct str prefix = session_id_namespace(g->r.old);

	if (prefix.len == 0)
		prefix = platform_of(g);
	if (prefix.len == 0 || prefix.len > PREFIX_MAX)
		prefix = STR("session");
	return session_birth_id(g->en, &g->arena, prefix);
}

static void
submit(struct rolling *g)
{
	const struct reset_past past = {
		.total_tokens = g->look->session.row.counters.total_tokens,
		.quiet_platform = g->r.quiet_platform,
	};
	struct rollover_step step;
	struct commit *c;
	struct err e;
	int rc = 0;

	g->new_id = g->r.new_id.len > 0 ? g->r.new_id : make_new_id(g);
	if (g->r.cause != ROLLOVER_MANUAL)
		g->marks = reset_policy_roll_over(reason_of(g->r.cause), &past);
	step = (struct rollover_step){ .old = &g->look->session,
				       .new_id = g->new_id,
				       .marks = g->marks };
	c = step.ending = rollover_write(g, &step.beginning);
	if (g->r.add)
		rc = g->r.add(g->ctx, &step, &e);
	if (rc != 0) {
		commit_abandon(&c);
		rolling_fail(g, rc, &e);
		return;
	}
	commit_submit(c, on_written, g);
}

/* ---- its lane ---- */

void
rollover_move_lane(struct lane_entry *entry, const struct rollover_step *step, int64_t now_ms)
{
	entry->session_id = step->new_id;
	entry->previous_session_id = step->old->id;
	entry->created_ms = entry->updated_ms = now_ms;
	entry->reset = step->marks;
	entry->is_fresh_reset = !step->marks.was_auto_reset;
	entry->expiry_finalized = false;
	entry->finalize_attempts = 0;
	entry->recover = (struct recover_mark){ 0 };
	entry->input_tokens = entry->output_tokens = entry->total_tokens = 0;
	entry->cache_read_tokens = entry->cache_write_tokens = entry->last_prompt_tokens = 0;
	entry->estimated_cost_usd = 0;
	entry->cost_status = STR("unknown");
}

static bool
take_marks(void *ctx, struct lane_entry *entry)
{
	bool had = entry->reset.was_auto_reset || entry->is_fresh_reset;

	(void)ctx;
	IGNORE(reset_marks_take(&entry->reset)); /* what they say stands in the log */
	entry->is_fresh_reset = false;
	return had;
}

void
rollover_take_marks(struct engine *en, const struct store_session *session)
{
	if (session->lane_key.len > 0 && session->row.last_stop == STOP_NONE)
		lane_change(en,
			    &(struct lane_change){ .session = session->id, .decide = take_marks });
}

/* ---- what the new one begins with ---- */

static void
on_agent(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct rolling *g = ctx;
	struct err e;

	if (rc == 0 && agent->archived) {
		rc = err_set(&e, ERR_CONFLICT,
			     "agent " STR_FMT " is archived: no new session begins on it",
			     STR_ARG(agent->id));
		err = &e;
	}
	if (rc != 0) {
		rolling_fail(g, rc, err);
		return;
	}
	g->agent_version = agent->version;
	submit(g);
}

static bool
on_extra_row(void *ctx, const struct store_row *row)
{
	struct rolling *g = ctx;

	g->extra = arena_str(&g->arena, row->record->body);
	return false;
}

static void
on_extra(void *ctx, int rc, bool more, const struct err *err)
{
	struct rolling *g = ctx;

	(void)more;
	if (rc != 0)
		rolling_fail(g, rc, err);
	else
		catalog_agent(g->en->catalog, g->look->session.agent_id, 0, on_agent, g);
}

static void
read_extra(struct rolling *g)
{
	store_read(g->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_SESSION_EXTRA,
					  .record_id = g->r.old,
					  .limit = 1 },
		   on_extra_row, on_extra, g);
}

static bool
on_user_row(void *ctx, const struct store_row *row)
{
	struct rolling *g = ctx;
	struct str first = access_participant_id(&g->arena, g->r.old, STR(""));

	g->users_known = !str_starts(row->record->id, first);
	if (g->users_known)
		return false;
	*vec_push(&g->users) = (struct rolling_user){ arena_str(&g->arena, row->record->owner),
						      arena_str(&g->arena, row->record->body) };
	return true;
}

static void read_users(struct rolling *g);

static void
on_users(void *ctx, int rc, bool more, const struct err *err)
{
	struct rolling *g = ctx;

	if (rc != 0)
		rolling_fail(g, rc, err);
	else if (more && !g->users_known)
		read_users(g);
	else
		read_extra(g);
}

/* Participants have ids that begin with their session's, so those of one stand together. */
static void
read_users(struct rolling *g)
{
	struct str last = g->users.len > 0 ? g->users.ptr[g->users.len - 1].id : STR("");

	store_read(g->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_PARTICIPANT,
					  .record_id =
						  access_participant_id(&g->arena, g->r.old, last),
					  .limit = PAGE_ROWS },
		   on_user_row, on_users, g);
}

/* ---- the one that goes on instead ---- */

static bool
on_target_row(void *ctx, const struct store_row *row)
{
	struct rolling *g = ctx;

	g->has_target = !row->session->row.deleted;
	access_copy_session(&g->arena, row->session, &g->target);
	return false;
}

static void
on_target(void *ctx, int rc, bool more, const struct err *err)
{
	struct rolling *g = ctx;
	struct err e;

	(void)more;
	if (rc == 0 && !g->has_target) {
		rc = err_set(&e, ERR_CONFLICT, "session " STR_FMT " is gone: nothing goes back",
			     STR_ARG(g->r.new_id));
		err = &e;
	} else if (rc == 0 && g->target.row.state.lifecycle == LIFECYCLE_TERMINATED) {
		rc = err_set(&e, ERR_CONFLICT, "session " STR_FMT " has ended for good",
			     STR_ARG(g->r.new_id));
		err = &e;
	}
	if (rc != 0)
		rolling_fail(g, rc, err);
	else
		submit(g);
}

static void
read_target(struct rolling *g)
{
	store_read(g->en->store,
		   &(struct store_query){
			   .kind = STORE_GET_SESSION, .session = g->r.new_id, .limit = 1 },
		   on_target_row, on_target, g);
}

/* ---- may it end? ---- */

/* Background processes and wakes are not the store's to check; a wake comes with an event, so the head
 * that is required says whether one was added. */
static int
check_idle(const struct rolling *g, struct err *e)
{
	struct toolset *tools = g->en->config.tools;
	const struct session_row *row = &g->look->session.row;

	if (rollover_is_forced(g->r.cause))
		return 0;
	if (row->state.phase != TURN_NONE)
		return err_set(e, ERR_CONFLICT, "a turn is open: the session goes on");
	if (g->wakes.len > 0)
		return err_set(e, ERR_CONFLICT, "a wake is queued: the session goes on");
	if (tools && tools->ops->busy(tools, g->r.old) > 0)
		return err_set(e, ERR_CONFLICT,
			       "a background process is running: the session goes on");
	return 0;
}

static void
on_wakes(void *ctx, int rc, const struct err *err, const struct wake_list *wakes)
{
	struct rolling *g = ctx;
	struct err e;

	if (rc == 0) {
		g->wakes = *wakes;
		rc = check_idle(g, &e);
		err = &e;
	}
	if (rc != 0)
		rolling_fail(g, rc, err);
	else if (g->r.reopens)
		read_target(g);
	else
		read_users(g);
}

static int
check_old(const struct rolling *g, struct err *e)
{
	const struct session_row *row = &g->look->session.row;

	if (!g->look->found)
		return err_set(e, ERR_NOT_FOUND, "there is no session " STR_FMT, STR_ARG(g->r.old));
	if (g->tries > 0 &&
	    row->head_seq == g->head_seq) { /* the log was not what stood in the way */
		*e = g->why;
		return ERR_CONFLICT;
	}
	if (row->state.lifecycle == LIFECYCLE_ARCHIVED)
		return err_set(e, ERR_CONFLICT, "the session is archived already");
	if (row->state.lifecycle == LIFECYCLE_TERMINATED)
		return err_set(e, ERR_CONFLICT, "the session has ended for good");
	return 0;
}

static void
on_looked(void *ctx, int rc, const struct err *err)
{
	struct rolling *g = ctx;
	struct err e;

	if (rc == 0) {
		rc = check_old(g, &e);
		err = &e;
	}
	if (rc != 0)
		rolling_fail(g, rc, err);
	else
		wake_queue_read(g->en, g->r.old, &g->arena, on_wakes, g);
}

static void
begin_try(struct rolling *g)
{
	arena_init(&g->arena);
	g->users_known = g->has_target = false;
	g->extra = (struct str){ 0 };
	g->look = look_start(g->en, g->r.old, false, on_looked, g);
}

/* An automatic one that is refused is one for which the time has not come. */
static void
on_hook(void *ctx, int rc, const struct err *err)
{
	struct rolling *g = ctx;
	struct rollover_over over = { .rc = rc, .err = err };

	if (rc == 0) {
		begin_try(g);
		return;
	}
	if (rc == ERR_DENIED && !rollover_is_forced(g->r.cause))
		over.rc = ERR_CONFLICT;
	g->done(g->ctx, &over);
	free(g);
}

void
rollover_run(struct engine *en, const struct rollover *r, rollover_fn *done, void *ctx)
{
	struct rolling *g = xcalloc(1, sizeof *g);

	g->en = en;
	g->r = *r;
	g->done = done;
	g->ctx = ctx;
	if (hook_is_wanted(en, HOOK_BEFORE_RESET))
		hook_ask_reset(en, r->old, rollover_cause_name(r->cause), on_hook, g);
	else
		begin_try(g);
}
