/* schedule_fire - a run begins, or its time is over: what is written into the log of its session. The
 * trigger, the slot that is decided by it and the record of the run are one transaction; a dedupe key
 * keeps a slot from running again when the clock was set back. */
#include "core/event_make.h"
#include "core/session_source.h"
#include "engine/catalog.h"
#include "engine/ingress.h"
#include "engine/schedule_private.h"
#include "engine/session_birth.h"
#include "engine/wake.h"

struct firing {
	struct schedule_look *look;
	bool exists;
	enum lifecycle lifecycle;
	bool deleted;
	int64_t head_seq;
	int64_t agent_version;
};

/* ---- the transaction ---- */

static void
on_decided(void *ctx, const struct commit_result *result)
{
	struct schedule_look *l = ctx;

	l->once_more |= result->store->rc == 0;
	schedule_look_end(l, result->store->rc, &result->store->err);
}

/* The slot has run before: the clock was set back since. */
static void
pass_over(struct schedule_look *l)
{
	struct commit *c = commit_new(l->en, STR(""));

	l->state = schedule_state_read(l->body, &l->arena);
	l->state.decided_ms = l->plan.decided_ms;
	schedule_look_put(l, c);
	commit_submit(c, on_decided, l);
}

static void
on_fired(void *ctx, const struct commit_result *result)
{
	struct schedule_look *l = ctx;
	const struct store_result *r = result->store;

	if (r->rc == STORE_REPLAYED) {
		pass_over(l);
		return;
	}
	if (r->rc == 0 || r->rc == ERR_UNAVAILABLE) /* it may be stored */
		wake_session(l->en, l->session);
	if (r->rc == 0)
		schedule_arm(l->part, l->state.next_ms);
	schedule_look_end(l, r->rc, &r->err);
}

static void
append_created(struct firing *f, struct commit *c)
{
	const struct schedule_def *def = &f->look->def;

	session_birth_append(
		c,
		&(struct make_created){
			.agent_id = def->agent_id,
			.agent_version = f->agent_version,
			.environment_id = def->environment_id,
			.workspace_id = CATALOG_WORKSPACE,
			.title = def->name,
		},
		&(struct session_source){ .kind = STR("schedule"), .trigger_id = def->id });
}

static void
append_trigger(struct schedule_look *l, struct commit *c)
{
	struct input_meta meta = { .class = INPUT_TRIGGER, .busy = BUSY_QUEUE };
	struct buf content, payload;
	struct jw w;

	buf_init(&content, STORE_PAYLOAD_MAX);
	jw_init(&w, &content);
	jw_array(&w);
	jw_object(&w);
	jw_field_str(&w, "type", STR("text"));
	jw_field_str(&w, "text", l->def.prompt);
	jw_end_object(&w);
	jw_end_array(&w);
	buf_init(&payload, STORE_PAYLOAD_MAX);
	event_make_schedule_fired(&payload, l->id, l->plan.slot_ms, buf_str(&content));
	commit_append(c,
		      &(struct commit_event){ .kind = EVENT_SCHEDULE_FIRED,
					      .author = AUTHOR_SYSTEM,
					      .id = l->state.run.event_id,
					      .meta = ingress_meta(l->en, commit_arena(c), &meta),
					      .payload = buf_str(&payload) });
	buf_release(&content);
	buf_release(&payload);
}

static void
add_key(struct schedule_look *l, struct commit *c)
{
	const struct schedule_run *run = &l->state.run;
	struct str name = run->manual ? arena_printf(&l->arena, STR_FMT "/run/" STR_FMT,
						     STR_ARG(l->id), STR_ARG(run->id))
				      : arena_printf(&l->arena, STR_FMT "/%lld", STR_ARG(l->id),
						     (long long)run->slot_ms);

	commit_key(c, &(struct store_key){ .kind = STORE_KEY_DEDUPE,
					   .scope = STR("schedule"),
					   .name = name,
					   .request = sha256_of(name),
					   .answer = run->id });
}

static void
fire(struct firing *f)
{
	struct schedule_look *l = f->look;
	struct commit *c = commit_new(l->en, l->session);
	struct schedule_run run = {
		.id = l->plan.manual ? l->state.run.id : engine_make_id(l->en, &l->arena, "srun"),
		.slot_ms = l->plan.slot_ms,
		.manual = l->plan.manual,
		.fired_ms = host_now_ms(l->en->host),
		.event_id = engine_make_id(l->en, &l->arena, "sevt"),
		.since_seq = f->head_seq,
	};

	l->state.run = run;
	l->state.decided_ms = l->plan.decided_ms;
	if (!f->exists) {
		commit_require(c)->absent = true;
		append_created(f, c);
	} else {
		commit_require(c)->lifecycles = 1u << f->lifecycle;
		if (f->lifecycle == LIFECYCLE_INACTIVE) {
			struct buf payload;

			buf_init(&payload, STORE_INLINE_MAX);
			event_make_lifecycle(&payload, LIFECYCLE_ACTIVE, STR("schedule"));
			commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &payload);
		}
	}
	append_trigger(l, c);
	schedule_look_put(l, c);
	schedule_look_report(
		l, c,
		&(struct schedule_report){ .run = &l->state.run, .outcome = SCHEDULE_RUN_RUNNING });
	add_key(l, c);
	commit_submit(c, on_fired, l);
}

/* ---- its session ---- */

static void
on_environment(void *ctx, int rc, const struct err *err, bool unconfined)
{
	struct firing *f = ctx;

	(void)unconfined; /* schedules are an owner's */
	if (rc == ERR_NOT_FOUND || rc == ERR_CONFLICT)
		schedule_end_unfired(f->look, err);
	else if (rc != 0)
		schedule_look_end(f->look, rc, err);
	else
		fire(f);
}

static void
on_agent(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct firing *f = ctx;
	struct err e;

	if (rc == 0 && agent->archived) {
		rc = err_set(&e, ERR_NOT_FOUND, "the agent " STR_FMT " is archived",
			     STR_ARG(agent->id));
		err = &e;
	}
	if (rc == ERR_NOT_FOUND) {
		schedule_end_unfired(f->look, err);
	} else if (rc != 0) {
		schedule_look_end(f->look, rc, err);
	} else {
		f->agent_version = agent->version;
		catalog_environment_check(f->look->en->catalog, f->look->def.environment_id,
					  on_environment, f);
	}
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct firing *f = ctx;

	f->exists = true;
	f->deleted = row->session->row.deleted;
	f->lifecycle = row->session->row.state.lifecycle;
	f->head_seq = row->session->row.head_seq;
	return false;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct firing *f = ctx;
	struct schedule_look *l = f->look;
	bool open = f->lifecycle == LIFECYCLE_ACTIVE || f->lifecycle == LIFECYCLE_INACTIVE;
	struct err e;

	(void)more;
	if (rc != 0) {
		schedule_look_end(l, rc, err);
	} else if (!f->exists) {
		catalog_agent(l->en->catalog, l->def.agent_id, 0, on_agent, f);
	} else if (open && !f->deleted) {
		fire(f);
	} else {
		IGNORE(err_set(&e, ERR_CONFLICT, /* the run says it */
			       "the session " STR_FMT " is %s: make another schedule",
			       STR_ARG(l->session),
			       f->deleted ? "deleted" : lifecycle_name(f->lifecycle)));
		schedule_end_unfired(l, &e);
	}
}

void
schedule_fire(struct schedule_look *l)
{
	struct firing *f = ARENA_NEW(&l->arena, struct firing);

	f->look = l;
	store_read(l->en->store,
		   &(struct store_query){
			   .kind = STORE_GET_SESSION, .session = l->session, .limit = 1 },
		   on_session_row, on_session, f);
}

/* ---- its time is over ---- */

static void
on_stopped(void *ctx, const struct commit_result *result)
{
	struct schedule_look *l = ctx;
	const struct store_result *r = result->store;

	if (r->rc == 0 || r->rc == ERR_UNAVAILABLE)
		wake_session(l->en, l->session);
	schedule_look_end(l, r->rc, &r->err);
}

/* The head is the one that was read: an interrupt hits whatever turn is open where it is written. */
void
schedule_stop(struct schedule_look *l)
{
	struct commit *c = commit_new(l->en, l->session);
	struct input_meta meta = { .class = INPUT_CONTROL };
	struct str_list trigger = { &l->state.run.event_id, 1 };
	struct buf payload;

	commit_require(c)->has_head = true;
	commit_require(c)->head_seq = l->fate.head_seq;
	if (l->fate.turn.len == 0) {
		buf_init(&payload, STORE_INLINE_MAX);
		event_make_input_cancelled(&payload, trigger);
		commit_append_made(c, EVENT_INPUT_CANCELLED, STR(""), &payload);
	} else {
		commit_append(c, &(struct commit_event){
					 .kind = EVENT_USER_INTERRUPT,
					 .author = AUTHOR_SYSTEM,
					 .meta = ingress_meta(l->en, commit_arena(c), &meta),
					 .payload = STR("{\"type\":\"user.interrupt\"}") });
	}
	l->state.run.stopping = true;
	schedule_look_put(l, c);
	commit_submit(c, on_stopped, l);
}
