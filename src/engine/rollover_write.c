/* rollover_write - what a rollover writes: the end of the old session, the beginning of the new one. */
#include "base/json_write.h"
#include "core/event_make.h"
#include "core/model_override.h"
#include "core/session.h"
#include "engine/access.h"
#include "engine/ingress.h"
#include "engine/rollover_private.h"
#include "engine/session_birth.h"
#include "engine/turn.h"

/* ---- the end ---- */

/* What is being written right now is younger than the side record of it. */
static void
plan_partial(const struct rolling *g, struct turn_plan *plan)
{
	const struct look *l = g->look;
	struct actor *actor = actor_find(g->en, g->r.old);

	plan->has_partial = l->has_partial;
	plan->partial_id = l->partial_id;
	plan->partial_text = l->partial_text;
	plan->partial_model = l->partial_model;
	if (!actor || !actor->turn || !str_eq(turn_id(actor->turn), l->session.row.turn))
		return;
	list_for_each (at, &actor->previews) {
		const struct preview *p = LIST_OWNER(at, struct preview, node);

		if (p->kind != EVENT_AGENT_MESSAGE)
			continue;
		plan->partial_id = p->event_id;
		plan->partial_text = buf_str(&p->text);
		plan->partial_model = turn_model(actor->turn);
		plan->has_partial = true; /* a save may be on its way */
	}
}

static void
cancel_queue(const struct rolling *g, struct commit *c)
{
	size_t count;
	struct buf b;

	look_queue(g->look, &g->look->arena, &count);
	if (count == 0)
		return;
	buf_init(&b, STORE_INLINE_MAX);
	event_make_input_cancelled(&b, (struct str_list){ 0 });
	commit_append_made(c, EVENT_INPUT_CANCELLED, STR(""), &b);
}

/* The machine that would stop the turn says how it ends; the queue is cancelled before the terminal. */
static void
end_turn(struct rolling *g, struct commit *c)
{
	struct look *l = g->look;
	struct turn_plan plan = {
		.how = TURN_STOPS,
		.turn = l->session.row.turn,
		.inputs = look_inputs(l, &l->arena, host_now_ms(g->en->host)),
		.open_request = l->history.open_request,
	};
	struct turn_machine *m;
	const struct turn_effect *effects;
	size_t count;

	rand_bytes(&g->en->rand, plan.seed.bytes, sizeof plan.seed.bytes);
	plan.calls = look_calls(l, &l->arena, &plan.call_count);
	plan_partial(g, &plan);
	m = turn_machine_new(&l->arena, &plan);
	effects = turn_machine_step(
		m,
		&(struct turn_input){ .kind = TURN_IN_START, .now_ms = host_now_ms(g->en->host) },
		&count);
	for (size_t i = 0; i < count; i++) {
		const struct turn_effect *e = &effects[i];

		for (size_t k = 0; e->kind == TURN_DO_COMMIT && k < e->event_count; k++) {
			if (k + 1 == e->event_count)
				cancel_queue(g, c);
			commit_append(c, &(struct commit_event){
						 .kind = e->events[k].kind,
						 .author = event_usual_author(e->events[k].kind),
						 .id = e->events[k].id,
						 .turn = l->session.row.turn,
						 .payload = e->events[k].payload });
		}
	}
	turn_machine_release(m);
	if (plan.has_partial)
		commit_put(c, &(struct store_put){
				      .record = { .kind = RECORD_PARTIAL, .id = g->r.old },
				      .if_version = STORE_VERSION_ANY,
				      .remove = true });
}

static void
append_lifecycle(struct commit *c, enum lifecycle to, struct str reason)
{
	struct buf b;

	buf_init(&b, STORE_INLINE_MAX);
	event_make_lifecycle(&b, to, reason);
	commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &b);
}

static struct commit *
write_end(struct rolling *g)
{
	const struct session_row *row = &g->look->session.row;
	struct commit *c = commit_new(g->en, g->r.old);
	struct store_require *need = commit_require(c);
	struct buf b;

	need->has_head = true;
	need->head_seq = row->head_seq;
	if (rollover_is_forced(g->r.cause)) {
		commit_lease(c, STORE_LEASE_BREAK);
		wake_queue_cancel(c, g->wakes);
		if (row->state.phase != TURN_NONE)
			end_turn(g, c);
		else
			cancel_queue(g, c);
	} else {
		need->idle = true;
	}
	if (g->r.to_inactive && row->state.lifecycle == LIFECYCLE_INACTIVE)
		append_lifecycle(c, LIFECYCLE_ACTIVE, STR("reset")); /* whoever says so is there */
	buf_init(&b, STORE_INLINE_MAX);
	event_make_reset(&b, rollover_cause_name(g->r.cause),
			 g->r.to_inactive ? LIFECYCLE_INACTIVE : LIFECYCLE_ARCHIVED, g->new_id);
	commit_append_made(c, EVENT_SESSION_RESET, STR(""), &b);
	return c;
}

/* ---- the beginning ---- */

/* Who takes part goes along. */
static void
put_users(struct rolling *g, struct commit *c)
{
	for (size_t i = 0; i < g->users.len; i++)
		session_birth_join(c, g->new_id, g->users.ptr[i].id, g->users.ptr[i].standing);
}

/* What the session has beyond its log goes along, but for what it overrides of its agent. */
static void
put_extra(struct rolling *g, struct commit *c)
{
	struct json_doc doc;
	struct json_iter it;
	struct buf body;
	struct jw w;
	size_t kept = 0;

	if (g->extra.len == 0 ||
	    json_parse(&g->arena, g->extra, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0)
		return;
	buf_init(&body, STORE_PAYLOAD_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	for (it = json_iter(json_root(&doc)); json_next(&it);) {
		if (json_str_eq(it.key, STR("agent")) ||
		    json_str_eq(it.key, MODEL_OVERRIDE_CHOSEN) ||
		    json_str_eq(it.key, MODEL_OVERRIDE_BEFORE))
			continue;
		jw_key(&w, json_str(it.key, &g->arena));
		jw_raw(&w, json_raw(it.value));
		kept++;
	}
	jw_end_object(&w);
	if (kept > 0)
		commit_put(c, &(struct store_put){ .record = { .kind = RECORD_SESSION_EXTRA,
							       .id = g->new_id,
							       .owner = g->new_id,
							       .body = buf_str(&body) },
						   .if_version = STORE_VERSION_ABSENT });
	buf_release(&body);
}

static struct str
user_notice(const struct rolling *g)
{
	const struct reset_policy policy = { .notify = g->r.notify };
	const struct reset_past past = { .quiet_platform = g->r.quiet_platform };

	return reset_user_notice(&policy, &g->marks, &past);
}

static void
create(struct rolling *g, struct commit *c)
{
	const struct store_session *old = &g->look->session;
	struct str model_notice = reset_model_notice(&g->marks);

	commit_require(c)->absent = true;
	session_birth_append(
		c,
		&(struct make_created){
			.agent_id = old->agent_id,
			.agent_version = g->agent_version,
			.environment_id = old->environment_id,
			.source = old->source,
			.group = g->r.group || old->group,
			.workspace_id = old->workspace_id,
			.lane_key = g->r.lane_key.len > 0 ? g->r.lane_key : old->lane_key,
			.previous_session_id = g->r.old,
			.metadata = old->metadata,
			.notice = user_notice(g),
		},
		NULL);
	if (model_notice.len > 0)
		ingress_append_note(g->en, c, model_notice);
	put_users(g, c);
	put_extra(g, c);
}

struct commit *
rollover_write(struct rolling *g, struct commit **beginning)
{
	struct commit *c = write_end(g);
	enum lifecycle now = g->target.row.state.lifecycle;

	*beginning = NULL;
	if (g->r.reopens && now == LIFECYCLE_ACTIVE)
		return c; /* nothing of it changes */
	*beginning = commit_join(c, g->new_id);
	if (g->r.reopens) {
		commit_require(*beginning)->lifecycles = 1u << now;
		append_lifecycle(*beginning, LIFECYCLE_ACTIVE, STR("undo_reset"));
	} else {
		create(g, *beginning);
	}
	return c;
}
