/* schedule_change - schedules made, changed, paused, deleted, and run when somebody asks. What is
 * written makes the schedule due; engine/schedule does the rest. Commands of engine.h:
 * engine_schedule_create, _update, _delete, _run. */
#include "core/schedule_plan.h"
#include "engine/admission.h"
#include "engine/catalog.h"
#include "engine/record_change.h"
#include "engine/schedule_private.h"

enum { RUNS_MAX = STORE_PAGE_ROWS_MAX };

static int
check_found(const struct record_change *ch, struct err *e)
{
	if (ch->reads[0].found)
		return 0;
	return err_set(e, ERR_NOT_FOUND, "there is no schedule " STR_FMT, STR_ARG(ch->reads[0].id));
}

static void
written(struct record_change *ch)
{
	schedule_look(ch->en, ch->read_count > 0 && str_eq(ch->reads[0].kind, RECORD_SCHEDULE)
				      ? ch->reads[0].id
				      : ch->id);
}

static void
put(struct record_change *ch, struct commit *c, struct str id, const struct schedule_state *state,
    struct str definition, int64_t version)
{
	record_change_put(ch, c,
			  &(struct store_record){
				  .kind = RECORD_SCHEDULE,
				  .id = id,
				  .due_at_ms = state->next_ms,
				  .body = schedule_body_write(definition, state, &ch->arena) },
			  version);
}

/* The definition as text → what the engine makes of it; the zone exists. */
static int
understand(struct record_change *ch, struct str text, struct schedule_def *def,
	   const struct zone **zone, struct err *e)
{
	struct json_doc *doc = ARENA_NEW(&ch->arena, struct json_doc);
	int rc = json_parse(&ch->arena, text, &JSON_LIMITS_DEFAULT, doc, e);

	if (rc == 0)
		rc = schedule_def_read(json_root(doc), &ch->arena, def, e);
	if (rc == 0 && schedule_zone(ch->en, def->time_zone, zone, e) != 0)
		rc = err_prefix(e, ERR_INVALID, "rule.time_zone: ");
	return rc;
}

/* ---- create ---- */

static int
prepare_create(struct record_change *ch, struct err *e)
{
	struct json agent = definition_find(ch->body, "agent_id");
	struct json environment = definition_find(ch->body, "environment_id");

	(void)e;
	ch->id = engine_make_id(ch->en, &ch->arena, "sched");
	if (json_type(agent) == JSON_STRING)
		record_change_read(ch, RECORD_AGENT, json_str(agent, &ch->arena));
	if (json_type(environment) == JSON_STRING)
		record_change_read(ch, RECORD_ENVIRONMENT, json_str(environment, &ch->arena));
	return 0;
}

/* What it names is there; the defaults always are. */
static int
check_named(const struct record_change *ch, struct err *e)
{
	for (size_t i = 0; i < ch->read_count; i++) {
		const struct record_read *r = &ch->reads[i];
		bool archived = r->found && definition_is_archived(r->body);

		if (!r->found || archived)
			return err_set(e, archived ? ERR_CONFLICT : ERR_NOT_FOUND,
				       STR_FMT "_id: %s " STR_FMT " %s", STR_ARG(r->kind),
				       archived ? "the one called" : "there is none called",
				       STR_ARG(r->id), archived ? "is archived" : "here");
	}
	return 0;
}

/* Where the agent's sessions usually are. */
static struct str
usual_environment(struct record_change *ch)
{
	struct json agent = definition_find(ch->body, "agent_id");
	struct str id = CATALOG_AGENT;

	if (json_type(agent) == JSON_STRING)
		id = json_str(agent, &ch->arena);
	return arena_str(&ch->arena,
			 agent_rights_environment(admission_rights(ch->en->admission, id)));
}

static int
decide_create(struct record_change *ch, struct commit *c, struct err *e)
{
	struct str environment = usual_environment(ch);
	struct definition_facts f = { .id = ch->id,
				      .now_ms = host_now_ms(ch->en->host),
				      .facts = &environment };
	struct schedule_state state = { .decided_ms = f.now_ms };
	struct definition_text made;
	struct schedule_def def;
	const struct zone *zone = NULL;
	int rc = schedule_def_make(&f, ch->body, &ch->arena, &made, e);

	if (rc == 0)
		rc = check_named(ch, e);
	if (rc == 0)
		rc = understand(ch, made.text, &def, &zone, e);
	if (rc != 0)
		return rc;
	/* what is in the past already is not missed: nobody can mean it */
	if (def.rule.kind == SCHEDULE_AT && def.rule.at_ms <= f.now_ms)
		return err_set(e, ERR_INVALID, "rule.at: is in the past");
	state.next_ms = schedule_plan_due(&(struct schedule_facts){ &def, zone, &state, f.now_ms });
	ch->version = 1;
	put(ch, c, ch->id, &state, made.text, STORE_VERSION_ABSENT);
	return 0;
}

/* ---- update, pause, resume ---- */

static int
prepare_change(struct record_change *ch, struct err *e)
{
	(void)e;
	record_change_read(ch, RECORD_SCHEDULE, ch->id);
	return 0;
}

static int
decide_update(struct record_change *ch, struct commit *c, struct err *e)
{
	struct json current = schedule_body_definition(ch->reads[0].body);
	struct definition_facts f = { .id = ch->id,
				      .now_ms = host_now_ms(ch->en->host),
				      .current = current };
	struct schedule_state state;
	struct definition_text made;
	struct schedule_def def;
	const struct zone *zone = NULL;
	int rc = check_found(ch, e);

	if (rc == 0)
		rc = schedule_def_make(&f, ch->body, &ch->arena, &made, e);
	if (rc == 0)
		rc = understand(ch, made.text, &def, &zone, e);
	ch->version = ch->reads[0].version;
	if (rc != 0 || !made.changed)
		return rc;
	state = schedule_state_read(ch->reads[0].body, &ch->arena);
	/* Another rule, or one that rested: its slots count from now on, and it begins afresh. */
	if (json_is_set(definition_find(ch->body, "rule")) ||
	    json_is_set(definition_find(ch->body, "enabled"))) {
		state.decided_ms = f.now_ms;
		state.failures = 0;
	}
	state.next_ms = schedule_plan_due(&(struct schedule_facts){ &def, zone, &state, f.now_ms });
	ch->version++;
	put(ch, c, ch->id, &state, made.text, ch->reads[0].version);
	return 0;
}

/* ---- run now ---- */

static int
decide_run(struct record_change *ch, struct commit *c, struct err *e)
{
	struct json definition = schedule_body_definition(ch->reads[0].body);
	struct str id = ch->reads[0].id;
	struct schedule_state state;
	struct schedule_def def;
	int rc = check_found(ch, e);

	if (rc == 0)
		rc = schedule_def_read(definition, &ch->arena, &def, e);
	if (rc != 0)
		return rc;
	state = schedule_state_read(ch->reads[0].body, &ch->arena);
	if (state.run.id.len > 0)
		return err_set(e, ERR_CONFLICT,
			       "the run " STR_FMT " is open: wait for it, or interrupt the session "
			       "schedule:" STR_FMT,
			       STR_ARG(state.run.id), STR_ARG(id));
	ch->id = engine_make_id(ch->en, &ch->arena, "srun");
	state.run = (struct schedule_run){ .id = ch->id,
					   .slot_ms = host_now_ms(ch->en->host),
					   .manual = true };
	state.next_ms = state.run.slot_ms;
	put(ch, c, id, &state, json_raw(definition), ch->reads[0].version);
	ch->version = 1;
	record_change_put(ch, c,
			  &(struct store_record){
				  .kind = RECORD_SCHEDULE_RUN,
				  .id = ch->id,
				  .owner = id,
				  .body = schedule_report_write(
					  &(struct schedule_report){
						  .run = &state.run,
						  .schedule_id = id,
						  .session_id = schedule_session_id(&ch->arena, id),
						  .outcome = SCHEDULE_RUN_PENDING,
						  .delivery = def.delivery.kind },
					  &ch->arena) },
			  STORE_VERSION_ABSENT);
	return 0;
}

/* ---- delete ---- */

struct history {
	struct record_change *ch;
	struct str ids[RUNS_MAX];
	size_t count;
};

static bool
on_run_row(void *ctx, const struct store_row *row)
{
	struct history *h = ctx;

	h->ids[h->count++] = arena_str(&h->ch->arena, row->record->id);
	return h->count < RUNS_MAX;
}

static void
on_runs(void *ctx, int rc, bool more, const struct err *err)
{
	struct history *h = ctx;

	(void)more; /* a schedule keeps fewer */
	record_change_go_on(h->ch, rc, err);
}

static void
look_for_runs(struct record_change *ch)
{
	struct history *h = ARENA_NEW(&ch->arena, struct history);

	h->ch = ch;
	ch->own = h;
	store_read(ch->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_SCHEDULE_RUN,
					  .record_owner = ch->id,
					  .limit = RUNS_MAX },
		   on_run_row, on_runs, h);
}

static int
decide_delete(struct record_change *ch, struct commit *c, struct err *e)
{
	const struct history *h = ch->own;
	int rc = check_found(ch, e);

	if (rc != 0)
		return rc;
	ch->version = ch->reads[0].version;
	ch->fills = true;
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_SCHEDULE, .id = ch->id },
					   .if_version = ch->version,
					   .remove = true });
	for (size_t i = 0; i < h->count; i++)
		commit_put(c, &(struct store_put){
				      .record = { .kind = RECORD_SCHEDULE_RUN, .id = h->ids[i] },
				      .if_version = STORE_VERSION_ANY,
				      .remove = true });
	return 0;
}

/* ---- the commands ---- */

void
engine_schedule_create(struct engine *en, const struct engine_call *call, struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_SERVER,
						 .prepare = prepare_create,
						 .decide = decide_create,
						 .written = written };

	record_change_start(en, &PLAN, call, STR(""), body);
}

void
engine_schedule_update(struct engine *en, const struct engine_call *call, struct str id,
		       struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_SERVER,
						 .prepare = prepare_change,
						 .decide = decide_update,
						 .written = written };

	record_change_start(en, &PLAN, call, id, body);
}

void
engine_schedule_delete(struct engine *en, const struct engine_call *call, struct str id)
{
	static const struct record_plan PLAN = { .verb = ACCESS_SERVER,
						 .prepare = prepare_change,
						 .look = look_for_runs,
						 .decide = decide_delete };

	record_change_start(en, &PLAN, call, id, (struct json){ 0 });
}

void
engine_schedule_run(struct engine *en, const struct engine_call *call, struct str id)
{
	static const struct record_plan PLAN = { .verb = ACCESS_SERVER,
						 .prepare = prepare_change,
						 .decide = decide_run,
						 .written = written };

	record_change_start(en, &PLAN, call, id, (struct json){ 0 });
}
