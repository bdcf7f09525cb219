/* expiry_finalize - a lane has expired: the hook is asked, what its session holds is closed, and the lane
 * is marked in the transaction that also takes back the choice of a model. */
#include <stdlib.h>

#include "base/json_write.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "core/event_make.h"
#include "core/model_override.h"
#include "engine/actor.h"
#include "engine/agent_cache.h"
#include "engine/catalog.h"
#include "engine/expiry_private.h"
#include "engine/session_tools.h"

enum {
	ATTEMPTS_MAX = 3, /* then it is final without the hook's consent */
	TRIES_MAX = 3,
};

static struct str
session_of(const struct expiry *x)
{
	return x->lane.entry.session_id;
}

/* ---- may it be closed? ---- */

static bool
has_processes(struct toolset *tools, struct str session)
{
	return tools && tools->ops->busy(tools, session) > 0;
}

bool
expiry_runs_now(struct expiry *x, struct str session)
{
	const struct actor *actor = actor_find(x->en, session);

	return (actor && actor->turn) || has_processes(x->en->config.tools, session);
}

/* Of the session that was looked at: one that came after it has its own time. */
bool
expiry_finalize_entry(const struct expiry *x, struct lane_entry *entry)
{
	if (entry->expiry_finalized || !str_eq(entry->session_id, session_of(x)))
		return false;
	entry->expiry_finalized = true;
	entry->finalize_attempts = 0;
	return true;
}

/* ---- it is written ---- */

static void write_again(struct expiry *x);

static void
on_written(void *ctx, const struct commit_result *result)
{
	const struct store_result *r = result->store;
	struct expiry *x = ctx;

	if (r->rc == ERR_CONFLICT && ++x->tries < TRIES_MAX) {
		write_again(x);
		return;
	}
	if (r->rc == 0)
		log_write(LOG_INFO, "expiry.finalized", LOG_STR("session", session_of(x)));
	else if (r->rc != ERR_CONFLICT) /* else it is used: it will expire another time */
		log_write(LOG_WARN, "expiry.not_written", LOG_STR("lane", x->lane.id),
			  LOG_STR("error", str_of(r->err.text)));
	expiry_lane_over(x);
}

/* One that has ended, or is put away, is not changed any more. */
static bool
takes_changes(const struct expiry *x)
{
	enum lifecycle now = x->look->session.row.state.lifecycle;

	return now == LIFECYCLE_ACTIVE || now == LIFECYCLE_INACTIVE;
}

static void
clear_override(struct expiry *x, struct commit *c)
{
	struct json_doc doc;
	struct json chosen; /* already as it was opened */
	struct str body, agent;
	struct buf payload;
	struct jw w;

	if (!takes_changes(x) || x->extra.len == 0 ||
	    json_parse(&x->lane_arena, x->extra, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0 ||
	    !model_override_clear(json_root(&doc), &x->lane_arena, &body, &agent))
		return;
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_SESSION_EXTRA,
						       .id = session_of(x),
						       .owner = session_of(x),
						       .body = body },
					   .if_version = x->extra_version });
	buf_init(&payload, STORE_PAYLOAD_MAX);
	jw_init(&w, &payload);
	jw_object(&w);
	jw_field_str(&w, "type", STR("session.updated"));
	jw_key(&w, STR("agent"));
	catalog_show(x->en->catalog,
		     &(struct catalog_own_agent){
			     .workspace = x->look->session.workspace_id,
			     .text = agent,
			     .chosen = json_find(json_root(&doc), MODEL_OVERRIDE_CHOSEN, &chosen) },
		     &x->lane_arena, &w);
	jw_end_object(&w);
	commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &payload);
	commit_require(c)->lifecycles = 1u << x->look->session.row.state.lifecycle;
}

static void
write_final(struct expiry *x)
{
	struct lane lane = x->lane;
	struct commit *c;

	if (!expiry_finalize_entry(x, &lane.entry)) {
		expiry_lane_over(x);
		return;
	}
	c = commit_new(x->en, session_of(x));
	commit_require(c)->idle = true; /* whoever wrote to it meanwhile goes on with it */
	lane_put(c, &lane);
	clear_override(x, c);
	commit_submit(c, on_written, x);
}

static bool
on_extra_row(void *ctx, const struct store_row *row)
{
	struct expiry *x = ctx;

	x->extra = arena_str(&x->lane_arena, row->record->body);
	x->extra_version = row->record->version;
	return false;
}

static void
on_extra(void *ctx, int rc, bool more, const struct err *err)
{
	struct expiry *x = ctx;

	(void)more;
	if (rc == 0) {
		write_final(x);
		return;
	}
	log_write(LOG_WARN, "expiry.not_read", LOG_STR("session", session_of(x)),
		  LOG_STR("error", str_of(err->text)));
	expiry_lane_over(x);
}

static void
read_extra(struct expiry *x)
{
	x->extra = (struct str){ 0 };
	store_read(x->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_SESSION_EXTRA,
					  .record_id = session_of(x),
					  .limit = 1 },
		   on_extra_row, on_extra, x);
}

static void
on_lane_now(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct expiry *x = ctx;

	(void)err;
	if (rc != 0 || lane->version == 0 || !str_eq(lane->entry.session_id, session_of(x)) ||
	    expiry_runs_now(x, session_of(x))) {
		expiry_lane_over(x);
		return;
	}
	x->lane = lane_copy(&x->lane_arena, lane);
	read_extra(x);
}

static void
write_again(struct expiry *x)
{
	lane_find(x->en, x->lane.id, on_lane_now, x);
}

/* ---- it is closed ---- */

static void
put_away(struct expiry *x)
{
	if (expiry_runs_now(x, session_of(x))) {
		expiry_lane_over(x); /* somebody came back meanwhile */
		return;
	}
	session_tools_end(x->en, session_of(x));
	agent_cache_evict(x->en->agents, session_of(x));
	x->tries = 0;
	read_extra(x);
}

/* ---- the hook ---- */

static bool
count_attempt(void *ctx, struct lane_entry *entry)
{
	struct expiry *x = ctx;

	if (entry->expiry_finalized || !str_eq(entry->session_id, session_of(x)))
		return false;
	entry->finalize_attempts = x->lane.entry.finalize_attempts + 1;
	return true;
}

static void
on_hook(void *ctx, int rc, const struct err *err)
{
	struct finalizing *f = ctx;
	struct expiry *x = f->x;

	free(f);
	if (!x)
		return;
	x->hook = NULL;
	if (rc != 0)
		log_write(LOG_WARN, "expiry.hook_failed", LOG_STR("session", session_of(x)),
			  LOG_INT("attempt", x->lane.entry.finalize_attempts + 1),
			  LOG_STR("error", str_of(err->text)));
	if (rc == 0 || x->lane.entry.finalize_attempts + 1 >= ATTEMPTS_MAX)
		put_away(x);
	else
		expiry_write_lane(x, count_attempt);
}

void
expiry_finalize(struct expiry *x)
{
	const struct engine_hooks *hooks = &x->en->config.hooks;

	if (!hooks->finalize) {
		put_away(x);
		return;
	}
	x->hook = xcalloc(1, sizeof *x->hook);
	x->hook->x = x;
	hooks->finalize(hooks->ctx,
			&(struct engine_finalize){ .session = session_of(x),
						   .lane = x->lane.id,
						   .agent = x->lane.entry.agent_id },
			on_hook, x->hook);
}
