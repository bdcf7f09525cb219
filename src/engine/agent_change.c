/* agent_change - agents made, changed, archived. The record of an agent holds what it is now, a record
 * of its own each version it ever was; both are written in one item.
 * Commands of engine.h: engine_agent_create, _update, _archive. */
#include "core/agent_def.h"
#include "engine/admission.h"
#include "engine/catalog.h"
#include "engine/record_change.h"

struct agent_own {
	struct agent_roster roster;
	struct str text; /* of what is written */
};

static struct agent_own *
own(struct record_change *ch)
{
	if (!ch->own)
		ch->own = ARENA_NEW(&ch->arena, struct agent_own);
	return ch->own;
}

/* The agents that the body names, to be read up. */
static int
read_roster(struct record_change *ch, struct err *e)
{
	struct agent_roster *roster = &own(ch)->roster;
	int rc = agent_roster_read(ch->body, ch->id, &ch->arena, roster, e);

	for (size_t i = 0; rc == 0 && i < roster->count; i++)
		record_change_read(ch, RECORD_AGENT, roster->refs[i].id);
	return rc;
}

/* And the environments, behind them. What is no list of ids is refused when the body is read. */
static void
read_environments(struct record_change *ch)
{
	struct json list = definition_find(ch->body, "environments");

	if (json_type(list) != JSON_ARRAY || json_count(list) > AGENT_CHOICES_MAX)
		return;
	for (struct json_iter it = json_iter(list); json_next(&it);)
		if (json_type(it.value) == JSON_STRING)
			record_change_read(ch, RECORD_ENVIRONMENT, json_str(it.value, &ch->arena));
}

static int
read_named(struct record_change *ch, struct err *e)
{
	int rc = read_roster(ch, e);

	if (rc == 0)
		read_environments(ch);
	return rc;
}

static int
prepare_create(struct record_change *ch, struct err *e)
{
	ch->id = engine_make_id(ch->en, &ch->arena, "agent");
	return read_named(ch, e);
}

static int
prepare_update(struct record_change *ch, struct err *e)
{
	record_change_read(ch, RECORD_AGENT, ch->id);
	return read_named(ch, e);
}

static int
check_environments(const struct record_change *ch, struct err *e)
{
	for (size_t i = 0; i < ch->read_count; i++)
		if (str_eq(ch->reads[i].kind, RECORD_ENVIRONMENT) && !ch->reads[i].found)
			return err_set(e, ERR_NOT_FOUND,
				       "environments: there is no environment " STR_FMT,
				       STR_ARG(ch->reads[i].id));
	return 0;
}

static int
prepare_archive(struct record_change *ch, struct err *e)
{
	(void)e;
	record_change_read(ch, RECORD_AGENT, ch->id);
	return 0;
}

static int
check_found(const struct record_change *ch, struct err *e)
{
	if (ch->reads[0].found)
		return 0;
	return err_set(e, ERR_NOT_FOUND, "there is no agent " STR_FMT, STR_ARG(ch->id));
}

static void
put_agent(struct record_change *ch, struct commit *c, struct str body, int64_t if_version)
{
	own(ch)->text = body;
	record_change_put(
		ch, c, &(struct store_record){ .kind = RECORD_AGENT, .id = ch->id, .body = body },
		if_version);
}

static void
put_version(struct record_change *ch, struct commit *c, const struct definition_text *made)
{
	record_change_put(ch, c,
			  &(struct store_record){
				  .kind = RECORD_AGENT_VERSION,
				  .id = catalog_version_id(&ch->arena, ch->id, made->version),
				  .owner = ch->id,
				  .body = made->text,
			  },
			  STORE_VERSION_ABSENT);
}

/* first: where the roster's agents stand among the reads. */
static int
make_agent(struct record_change *ch, size_t first, struct json current, struct definition_text *out,
	   struct err *e)
{
	struct agent_facts f = {
		.id = ch->id,
		.now_ms = host_now_ms(ch->en->host),
		.current = current,
		.roster = own(ch)->roster,
	};
	int rc;

	for (size_t i = 0; i < f.roster.count; i++) {
		const struct record_read *r = &ch->reads[first + i];
		struct agent_ref *ref = &f.roster.refs[i];

		ref->version = r->found ? definition_version(r->body) : 0;
		ref->archived = r->found && definition_is_archived(r->body);
		ref->coordinates =
			r->found && json_type(definition_find(r->body, "multiagent")) != JSON_NULL;
	}
	rc = agent_def_make(&f, ch->body, &ch->arena, out, e);
	return rc == 0 ? check_environments(ch, e) : rc;
}

static int
decide_create(struct record_change *ch, struct commit *c, struct err *e)
{
	struct definition_text made;
	int rc = make_agent(ch, 0, (struct json){ 0 }, &made, e);

	if (rc != 0)
		return rc;
	ch->version = made.version;
	put_agent(ch, c, made.text, STORE_VERSION_ABSENT);
	put_version(ch, c, &made);
	return 0;
}

static int
decide_update(struct record_change *ch, struct commit *c, struct err *e)
{
	struct definition_text made;
	int rc = check_found(ch, e);

	if (rc == 0)
		rc = make_agent(ch, 1, ch->reads[0].body, &made, e);
	if (rc != 0)
		return rc;
	ch->version = made.version;
	if (made.changed) {
		put_agent(ch, c, made.text, ch->reads[0].version);
		put_version(ch, c, &made);
	}
	return 0;
}

/* The definition does not change by it: no version is made. */
static int
decide_archive(struct record_change *ch, struct commit *c, struct err *e)
{
	struct definition_text made;
	int rc = check_found(ch, e);

	if (rc == 0)
		rc = definition_archive(ch->reads[0].body, host_now_ms(ch->en->host), &ch->arena,
					&made, e);
	if (rc != 0)
		return rc;
	ch->version = made.version;
	if (made.changed)
		put_agent(ch, c, made.text, ch->reads[0].version);
	return 0;
}

static void
agent_written(struct record_change *ch)
{
	struct json_doc doc;

	if (json_parse(&ch->arena, own(ch)->text, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0)
		return;
	catalog_agent_changed(ch->en->catalog, ch->id, json_root(&doc));
	admission_put(ch->en->admission, ch->id, json_root(&doc));
}

void
engine_agent_create(struct engine *en, const struct engine_call *call, struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_AGENT_MANAGE,
						 .prepare = prepare_create,
						 .decide = decide_create,
						 .written = agent_written };

	record_change_start(en, &PLAN, call, STR(""), body);
}

void
engine_agent_update(struct engine *en, const struct engine_call *call, struct str id,
		    struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_AGENT_MANAGE,
						 .prepare = prepare_update,
						 .decide = decide_update,
						 .written = agent_written };

	record_change_start(en, &PLAN, call, id, body);
}

void
engine_agent_archive(struct engine *en, const struct engine_call *call, struct str id)
{
	static const struct record_plan PLAN = { .verb = ACCESS_AGENT_MANAGE,
						 .prepare = prepare_archive,
						 .decide = decide_archive,
						 .written = agent_written };

	record_change_start(en, &PLAN, call, id, (struct json){ 0 });
}
