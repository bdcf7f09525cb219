#include "engine/resource.h"

#include "engine_rig.h"

static const char FILE_BODY[] = "{'type':'file','file_id':'file_1','mount_path':'/workspace/a'}";

/* Which one a command is about: these take a session and an id. */
static struct rig_answer *
remove_one(struct engine_rig *r, const char *session, struct str id, const char *key)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_repeat *repeat = ARENA_NEW(&r->arena, struct engine_repeat);
	struct engine_call call = { .caller = &r->owner, .done = rig_answered, .ctx = a };

	a->rig = r;
	*repeat = (struct engine_repeat){ .scope = STR("s"), .key = str_of(key) };
	call.repeat = key ? repeat : NULL;
	engine_resource_delete(r->en, &call, str_of(session), id);
	engine_rig_await(r, &a->done);
	return a;
}

static struct rig_answer *
update_one(struct engine_rig *r, const char *session, struct str id, const char *body)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_call call = { .caller = &r->owner, .done = rig_answered, .ctx = a };

	a->rig = r;
	engine_resource_update(r->en, &call, str_of(session), id, engine_rig_json(r, body));
	engine_rig_await(r, &a->done);
	return a;
}

static struct rig_answer *
add_as(struct engine_rig *r, const struct engine_caller *who, const char *key, const char *body)
{
	return rig_change(
		r, engine_resource_add,
		(struct rig_call){ .caller = who, .key = key, .id = STR("cli:a"), .body = body });
}

static void
start(struct engine_rig *r, void **state)
{
	engine_rig_init(r, *state != NULL);
	rig_open(r, NULL, "cli:a");
	rig_open(r, NULL, "cli:b");
}

static void
a_file_is_attached_and_taken_away(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct str body;

	start(&r, state);
	a = add_as(&r, NULL, NULL, FILE_BODY);
	rig_expect(a, 0, NULL);
	assert_true(str_starts(a->id, STR("sesrsc_")));
	body = engine_rig_record(&r, RECORD_RESOURCE, a->id);
	assert_true(str_contains(body, STR("\"mount_path\":\"/workspace/a\"")));
	assert_true(str_contains(body, STR("\"created_at\":\"1970-01-12T13:46:40Z\"")));
	rig_expect(remove_one(&r, "cli:a", a->id, NULL), 0, NULL);
	assert_int_equal(engine_rig_count(&r, RECORD_RESOURCE), 0);
	rig_expect(remove_one(&r, "cli:a", a->id, NULL), ERR_NOT_FOUND, "there is no resource");
	engine_rig_release(&r);
}

static void
it_is_reached_only_through_its_session(void **state)
{
	struct engine_rig r;
	struct str id;

	start(&r, state);
	id = add_as(&r, NULL, NULL, FILE_BODY)->id;
	rig_expect(remove_one(&r, "cli:b", id, NULL), ERR_NOT_FOUND, NULL);
	rig_expect(update_one(&r, "cli:b", id, "{'authorization_token':'x'}"), ERR_NOT_FOUND, NULL);
	assert_int_equal(engine_rig_count(&r, RECORD_RESOURCE), 1);
	engine_rig_release(&r);
}

static void
P8_a_secret_is_written_and_never_shown(void **state)
{
	struct engine_rig r;
	struct str id, before, after;

	start(&r, state);
	id = add_as(&r, NULL, NULL, FILE_BODY)->id;
	before = engine_rig_record(&r, RECORD_RESOURCE, id);
	virtual_host_advance(&r.host, 1000);
	rig_expect(update_one(&r, "cli:a", id, "{'authorization_token':'hidden'}"), 0, NULL);
	after = engine_rig_record(&r, RECORD_RESOURCE, id);
	assert_false(str_contains(after, STR("hidden")));
	assert_false(str_eq(after, before)); /* updated_at */
	assert_true(str_contains(after, STR("\"created_at\":\"1970-01-12T13:46:40Z\"")));
	assert_true(str_contains(after, STR("\"updated_at\":\"1970-01-12T13:46:41Z\"")));
	rig_expect(update_one(&r, "cli:a", id, "{}"), ERR_INVALID, "authorization_token");
	engine_rig_release(&r);
}

static void
P8_nor_is_one_that_a_session_was_opened_with(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(rig_make(&r, engine_session_open,
			    (struct rig_call){
				    .body = "{'id':'cli:c','agent':'main','environment_id':"
					    "'local-default','resources':[{'type':"
					    "'github_repository','url':'https://github.com/a/b',"
					    "'authorization_token':'hidden'}]}" }),
		   0, NULL);
	assert_int_equal(engine_rig_count(&r, RECORD_RESOURCE), 1);
	assert_false(str_contains(engine_rig_last(&r, RECORD_RESOURCE), STR("hidden")));
	engine_rig_release(&r);
}

static void
P2_a_stranger_attaches_nothing(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(add_as(&r, rig_person(&r, "bob"), NULL, FILE_BODY), ERR_NOT_FOUND,
		   "there is no session cli:a");
	assert_int_equal(engine_rig_count(&r, RECORD_RESOURCE), 0);
	engine_rig_release(&r);
}

static void
A10_a_repeat_attaches_once(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;

	start(&r, state);
	a = add_as(&r, NULL, "k", FILE_BODY);
	b = add_as(&r, NULL, "k", FILE_BODY);
	assert_true(b->replayed);
	check_str("id", b->id, a->id);
	assert_int_equal(engine_rig_count(&r, RECORD_RESOURCE), 1);
	rig_expect(add_as(&r, NULL, "k", "{'type':'file','file_id':'file_2'}"), ERR_MISMATCH, NULL);
	/* the session is closed by now: the repeat is told of the first all the same */
	rig_expect(rig_end(&r, engine_session_archive, (struct rig_call){ .id = STR("cli:a") }), 0,
		   NULL);
	b = add_as(&r, NULL, "k", FILE_BODY);
	rig_expect(b, 0, NULL);
	assert_true(b->replayed);
	engine_rig_release(&r);
}

static void
A10_a_repeated_removal_is_told_of_the_first(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct str id;

	start(&r, state);
	id = add_as(&r, NULL, NULL, FILE_BODY)->id;
	rig_expect(remove_one(&r, "cli:a", id, "k"), 0, NULL);
	a = remove_one(&r, "cli:a", id, "k");
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	check_str("id", a->id, id);
	engine_rig_release(&r);
}

static void
only_files_come_later(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(add_as(&r, NULL, NULL, "{'type':'memory_store','memory_store_id':'m'}"),
		   ERR_INVALID, "when it is opened");
	rig_expect(add_as(&r, NULL, NULL, "{'type':'nothing'}"), ERR_INVALID, "type");
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, a_file_is_attached_and_taken_away);
	suite_add(&s, "a file in sqlite", a_file_is_attached_and_taken_away, &SQLITE);
	SUITE_TEST(&s, it_is_reached_only_through_its_session);
	SUITE_TEST(&s, P8_a_secret_is_written_and_never_shown);
	SUITE_TEST(&s, P8_nor_is_one_that_a_session_was_opened_with);
	SUITE_TEST(&s, P2_a_stranger_attaches_nothing);
	SUITE_TEST(&s, A10_a_repeat_attaches_once);
	SUITE_TEST(&s, A10_a_repeated_removal_is_told_of_the_first);
	SUITE_TEST(&s, only_files_come_later);
	return suite_run(&s, "engine/resource");
}
