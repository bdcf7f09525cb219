/* lane_open - a lane's session: the first one, or the next in place of one that was put away. */
#include "core/event_make.h"
#include "engine/access.h"
#include "engine/catalog.h"
#include "engine/lane_resolve_private.h"
#include "engine/override.h"
#include "engine/rollover.h"
#include "engine/session_birth.h"

/* ---- the first ---- */

static void
fill_entry(struct resolving *r, int64_t now)
{
	const struct lane_ask *ask = &r->ask;
	struct str previous = r->lane.version > 0 ? r->lane.entry.session_id : (struct str){ 0 };
	struct lane_entry *entry = &r->lane.entry;

	*entry = (struct lane_entry){
		.session_key = r->key,
		.session_id = r->id,
		.created_ms = now,
		.updated_ms = now,
		.has_origin = ask->by_source,
		.origin = ask->source,
		.display_name = ask->source.chat_name,
		.platform = lane_ask_session_source(ask).platform,
		.chat_type = ask->by_source ? ask->source.chat_type
			     : r->shared    ? SOURCE_GROUP
					    : SOURCE_DM,
		.agent_id = ask->agent_id,
		.workspace_id = ask->workspace_id,
		.shared = r->shared,
		.surface = ask->key.surface,
		.surface_id = ask->key.surface_id,
		.user_id = ask->by_source || r->shared ? (struct str){ 0 } : r->user,
		.previous_session_id = previous,
	};
}

static struct str
new_id(struct resolving *r)
{
	bool dated = r->ask.by_source || r->caller.who.kind == TOKEN_CHANNEL;

	return session_birth_id(r->en, &r->arena,
				dated ? lane_ask_session_source(&r->ask).platform : STR(""));
}

static void
append_created(struct resolving *r, struct commit *c)
{
	struct session_source from = lane_ask_session_source(&r->ask);

	from.group = r->shared;
	session_birth_append(c,
			     &(struct make_created){
				     .agent_id = r->ask.agent_id,
				     .agent_version = r->agent_version,
				     .environment_id = r->environment,
				     .group = r->shared,
				     .workspace_id = r->ask.workspace_id,
				     .lane_key = r->key,
				     .previous_session_id = r->lane.entry.previous_session_id,
			     },
			     &from);
}

static void
lane_open_now(struct resolving *r)
{
	struct commit *c;

	r->id = new_id(r);
	fill_entry(r, host_now_ms(r->en->host));
	c = commit_new(r->en, r->id);
	commit_require(c)->absent = true;
	append_created(r, c);
	lane_put(c, &r->lane);
	resolving_put_participant(r, c, r->id);
	commit_repeat(c, r->call.repeat, resolving_remembered(r));
	commit_submit(c, resolving_committed, r);
}

static void
lane_open_on_environment(void *ctx, int rc, const struct err *err, bool unconfined)
{
	struct resolving *r = ctx;
	struct override as = { r->en, &r->caller, r->ask.agent_id };
	struct err e;

	if (rc != 0)
		e = *err;
	else
		rc = override_check_sandbox(&as, r->environment, unconfined, &e);
	if (rc != 0)
		resolving_fail(r, err_prefix(&e, rc, "agent_id: "), &e);
	else
		lane_open_now(r);
}

void
lane_open_first(struct resolving *r)
{
	struct override as = { r->en, &r->caller, r->ask.agent_id };
	struct err e;
	int rc = 0;

	if (r->agent_archived)
		rc = err_set(&e, ERR_CONFLICT, "agent_id: %s",
			     access_reason_text(ACCESS_AGENT_ARCHIVED));
	if (rc == 0)
		rc = override_environment(&as, (struct str){ 0 }, &r->arena, &r->environment, &e);
	if (rc != 0)
		resolving_fail(r, rc, &e);
	else
		catalog_environment_check(r->en->catalog, r->environment, lane_open_on_environment,
					  r);
}

/* ---- the next ---- */

static enum rollover_cause
cause_of(const struct resolve_plan *plan)
{
	switch (plan->rolled_over) {
	case RESET_IDLE: return ROLLOVER_IDLE;
	case RESET_DAILY: return ROLLOVER_DAILY;
	case RESET_SUSPENDED: return ROLLOVER_SUSPENDED;
	case RESET_NONE: break;
	}
	return ROLLOVER_MANUAL;
}

static int
add_lane(void *ctx, const struct rollover_step *step, struct err *e)
{
	struct resolving *r = ctx;

	(void)e;
	r->id = arena_str(&r->arena, step->new_id);
	rollover_move_lane(&r->lane.entry, step, host_now_ms(r->en->host));
	lane_put(step->ending, &r->lane);
	if (!r->takes_part && !principal_is_owner(&r->caller.who))
		resolving_put_participant(r, step->ending, r->id);
	commit_repeat(step->ending, r->call.repeat, resolving_remembered(r));
	return 0;
}

/* An automatic reset that finds work open, or a lane that moved on, is no reset. */
static void
on_over(void *ctx, const struct rollover_over *over)
{
	struct resolving *r = ctx;

	if (over->rc == STORE_REPLAYED) {
		resolving_replay(r, over->new_id);
	} else if (over->rc == ERR_CONFLICT) {
		r->work_open = true;
		resolving_retry(r, over->err);
	} else if (over->rc != 0) {
		resolving_fail(r, over->rc, over->err);
	} else {
		r->id = over->new_id;
		resolving_done(r);
	}
}

/* Programs read answers, not notices. */
static bool
is_quiet(struct str platform)
{
	return str_eq(platform, STR("api")) || str_eq(platform, STR("webhook"));
}

void
lane_open_next(struct resolving *r)
{
	const struct lane_entry *entry = &r->lane.entry;
	struct rollover roll = {
		.old = r->session.id,
		.cause = cause_of(&r->plan),
		.lane_key = r->key,
		.group = r->shared,
		.notify = lane_policy(r->en, entry).notify,
		.quiet_platform = is_quiet(entry->platform),
		.add = add_lane,
	};

	if (!r->ask.by_source)
		roll.new_id = new_id(r);
	rollover_run(r->en, &roll, on_over, r);
}
