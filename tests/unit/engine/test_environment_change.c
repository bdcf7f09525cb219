#include "core/event_make.h"
#include "engine/catalog.h"
#include "engine/commit.h"
#include "engine_rig.h"

static struct rig_answer *
make(struct engine_rig *r)
{
	struct rig_answer *a = rig_make(
		r, engine_environment_create,
		(struct rig_call){ .body = "{'name':'e','config':{'type':'self_hosted'}}" });

	rig_expect(a, 0, NULL);
	assert_true(str_starts(a->id, STR("env_")));
	return a;
}

static void
A1_an_environment_lives(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;
	struct rig_call call = { .body = "{'description':'d'}" };

	engine_rig_init(&r, *state != NULL);
	a = make(&r);
	assert_int_equal(a->version, 1);
	call.id = a->id;
	b = rig_change(&r, engine_environment_update, call);
	rig_expect(b, 0, NULL);
	assert_int_equal(b->version, 2);
	assert_int_equal(rig_change(&r, engine_environment_update, call)->version, 2);
	assert_true(str_contains(engine_rig_record(&r, RECORD_ENVIRONMENT, a->id),
				 STR("\"description\":\"d\"")));
	rig_expect(rig_end(&r, engine_environment_archive, call), 0, NULL);
	assert_true(str_contains(engine_rig_record(&r, RECORD_ENVIRONMENT, a->id),
				 STR("\"archived_at\":\"1970")));
	rig_expect(rig_end(&r, engine_environment_archive, call), 0, NULL);
	rig_expect(rig_change(&r, engine_environment_update, call), ERR_CONFLICT,
		   "the environment is archived");
	rig_expect(rig_end(&r, engine_environment_delete, call), 0, NULL);
	check_str("gone", engine_rig_record(&r, RECORD_ENVIRONMENT, a->id), STR(""));
	rig_expect(rig_end(&r, engine_environment_delete, call), ERR_NOT_FOUND,
		   "there is no environment");
	rig_expect(rig_end(&r, engine_environment_archive, call), ERR_NOT_FOUND, NULL);
	rig_expect(rig_change(&r, engine_environment_update, call), ERR_NOT_FOUND, NULL);
	engine_rig_release(&r);
}

/* The update has read it, then it is deleted, then the update is written. */
static void
A1_an_update_does_not_bring_a_deleted_one_back(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, deleted = { .rig = &r }, updated = { .rig = &r };
	struct engine_call call = { .done = rig_answered, .ctx = &deleted };

	(void)state;
	engine_rig_init(&r, false);
	a = make(&r);
	call.caller = &r.owner;
	engine_environment_delete(r.en, &call, a->id);
	store_dispatch(r.store); /* read; now it looks for sessions */
	call.ctx = &updated;
	engine_environment_update(r.en, &call, a->id, engine_rig_json(&r, "{'name':'f'}"));
	rig_expect(&deleted, 0, NULL);
	rig_expect(&updated, ERR_NOT_FOUND, "there is no environment");
	check_str("gone", engine_rig_record(&r, RECORD_ENVIRONMENT, a->id), STR(""));
	engine_rig_release(&r);
}

static void
M2_local_default_always_exists(void **state)
{
	struct engine_rig r;
	struct rig_call call = { .id = CATALOG_ENVIRONMENT,
				 .body = "{'config':{'type':'local','working_directory':'/srv'}}" };

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_end(&r, engine_environment_delete, call), ERR_CONFLICT,
		   "the environment local-default always exists");
	rig_expect(rig_end(&r, engine_environment_archive, call), ERR_CONFLICT, "always exists");
	rig_expect(rig_change(&r, engine_environment_update, call), 0, NULL); /* but may change */
	engine_rig_restart(&r);
	assert_true(str_contains(engine_rig_record(&r, RECORD_ENVIRONMENT, CATALOG_ENVIRONMENT),
				 STR("\"working_directory\":\"/srv\"")));
	engine_rig_release(&r);
}

static void
on_made(void *ctx, const struct commit_result *result)
{
	(void)ctx;
	assert_int_equal(result->store->rc, 0);
}

static void
open_session(struct engine_rig *r, struct str id, struct str environment)
{
	struct commit *c = commit_new(r->en, id);
	struct buf payload;

	buf_init(&payload, STORE_INLINE_MAX);
	commit_require(c)->absent = true;
	event_make_created(&payload, &(struct make_created){
					     .agent_id = CATALOG_AGENT,
					     .agent_version = 1,
					     .environment_id = environment,
					     .source = STR("{\"kind\":\"api\"}"),
				     });
	commit_append_made(c, EVENT_SESSION_CREATED, STR(""), &payload);
	commit_submit(c, on_made, NULL);
	virtual_host_settle(&r->host);
}

/* More than a page of sessions, and the one that names it stands where state says. */
static void
A1_one_that_sessions_name_is_not_deleted(void **state)
{
	const size_t at = *(const size_t *)*state;
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, false);
	a = make(&r);
	for (size_t i = 0; i < 2100; i++) {
		char id[32];

		snprintf(id, sizeof id, "s%zu", i);
		r.host.now_ms++;
		open_session(&r, str_of(id), i == at ? a->id : CATALOG_ENVIRONMENT);
	}
	rig_expect(rig_end(&r, engine_environment_delete, (struct rig_call){ .id = a->id }),
		   at < 2100 ? ERR_CONFLICT : 0,
		   at < 2100 ? arena_printf(&r.arena, "the session s%zu runs in", at).ptr : NULL);
	assert_int_equal(engine_rig_count(&r, RECORD_ENVIRONMENT), at < 2100 ? 2 : 1);
	engine_rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	static const size_t OLDEST = 0, LATEST = 2099, NOWHERE = 9999;
	struct suite s = { 0 };

	SUITE_TEST(&s, A1_an_environment_lives);
	suite_add(&s, "A1 an environment lives, on disk", A1_an_environment_lives, SQLITE);
	SUITE_TEST(&s, A1_an_update_does_not_bring_a_deleted_one_back);
	SUITE_TEST(&s, M2_local_default_always_exists);
	suite_add(&s, "A1 deleting spares what an old session names",
		  A1_one_that_sessions_name_is_not_deleted, &OLDEST);
	suite_add(&s, "A1 deleting spares what the latest session names",
		  A1_one_that_sessions_name_is_not_deleted, &LATEST);
	suite_add(&s, "A1 deleting looks through all sessions",
		  A1_one_that_sessions_name_is_not_deleted, &NOWHERE);
	return suite_run(&s, "environment_change");
}
