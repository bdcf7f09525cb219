#include "core/session_open.h"
#include "engine_rig.h"

static const char OPEN[] = "{'id':'cli:a','agent':'main','environment_id':'local-default',"
			   "'title':'one','metadata':{'k':'1','l':'2'}}";

static struct rig_answer *
open_as(struct engine_rig *r, const struct engine_caller *caller, const char *key, const char *body)
{
	return rig_make(r, engine_session_open,
			(struct rig_call){ .caller = caller, .key = key, .body = body });
}

static void
A6_a_new_session_is_created(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	a = open_as(&r, NULL, NULL, OPEN);
	rig_expect(a, 0, NULL);
	assert_true(a->created);
	assert_int_equal(a->version, 1);
	assert_int_equal(a->position, -1);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	check_str("metadata", engine_rig_session(&r, "cli:a")->metadata,
		  STR("{\"k\":\"1\",\"l\":\"2\"}"));
	engine_rig_release(&r);
}

static void
M5_without_an_id_one_is_made(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;
	const char *body = "{'agent':'main','environment_id':'local-default'}";

	(void)state;
	engine_rig_init(&r, false);
	a = open_as(&r, NULL, NULL, body);
	b = open_as(&r, NULL, NULL, body);
	assert_true(str_starts(a->id, STR("sesn_")));
	assert_false(str_eq(a->id, b->id));
	engine_rig_release(&r);
}

static void
A6_reopening_keeps_the_source_and_merges_metadata(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct str source;

	engine_rig_init(&r, *state != NULL);
	rig_expect(open_as(&r, NULL, NULL, OPEN), 0, NULL);
	source = engine_rig_session(&r, "cli:a")->source;
	a = open_as(&r, NULL, NULL,
		    "{'id':'cli:a','agent':'main','environment_id':'local-default',"
		    "'source':{'kind':'web'},'title':'two','metadata':{'k':null,'m':'3'}}");
	rig_expect(a, 0, NULL);
	assert_false(a->created);
	assert_int_equal(a->version, 1);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created updated"));
	check_str("metadata", engine_rig_session(&r, "cli:a")->metadata,
		  STR("{\"l\":\"2\",\"m\":\"3\"}"));
	check_str("source", engine_rig_session(&r, "cli:a")->source, source);
	check_str("title", engine_rig_session(&r, "cli:a")->row.title, STR("one"));
	engine_rig_release(&r);
}

static void
A6_reopening_without_news_writes_nothing(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	for (int i = 0; i < 3; i++)
		rig_expect(open_as(&r, NULL, NULL, OPEN), 0, NULL);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	engine_rig_release(&r);
}

static void
A6_initial_events_of_a_reopening_are_not_said_again(void **state)
{
	const char *body = "{'id':'cli:a','agent':'main','environment_id':'local-default',"
			   "'initial_events':[{'type':'user.message','content':[{'type':'text',"
			   "'text':'say hi'}]}]}";
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	a = open_as(&r, NULL, NULL, body);
	assert_true(a->triggered);
	assert_int_equal(a->position, 0);
	assert_int_equal(a->first_seq, 2);
	assert_int_equal(a->event_count, 1);
	virtual_host_advance(&r.host, 1000);
	a = open_as(&r, NULL, NULL, body);
	assert_false(a->created);
	assert_false(a->triggered);
	check_str("log", engine_rig_log(&r, "cli:a", 1),
		  STR("created message status_running model_request_start message "
		      "model_request_end status_idle"));
	engine_rig_release(&r);
}

/* P2: only who speaks takes part. */
static void
A6_reopening_adds_nobody(void **state)
{
	struct engine_rig r;
	const struct engine_caller *ann;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	rig_open(&r, ann, "cli:a");
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 1); /* who made it */
	rig_open(&r, NULL, "cli:a");
	rig_open(&r, ann, "cli:a");
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 1);
	engine_rig_release(&r);
}

static void
M5_an_id_of_somebody_else_is_taken(void **state)
{
	struct engine_rig r;
	const struct engine_caller *ann, *bob;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	bob = rig_person(&r, "bob");
	rig_open(&r, ann, "cli:a");
	rig_expect(open_as(&r, bob, NULL, OPEN), ERR_CONFLICT, "id: it is taken");
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 1);
	engine_rig_release(&r);
}

static void
M5_a_deleted_id_stays_taken(void **state)
{
	struct engine_rig r;
	struct str id;

	(void)state;
	engine_rig_init(&r, false);
	id = rig_open(&r, NULL, "cli:a");
	rig_expect(rig_end(&r, engine_session_delete, (struct rig_call){ .id = id }), 0, NULL);
	rig_expect(open_as(&r, NULL, NULL, OPEN), ERR_CONFLICT, "id: it is taken");
	engine_rig_release(&r);
}

static void
A6_an_inactive_session_becomes_active(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:a");
	engine_rig_append(&r, "cli:a", EVENT_SESSION_UPDATED,
			  "{'type':'session.updated','lifecycle':'inactive'}");
	rig_expect(open_as(&r, NULL, NULL, OPEN), 0, NULL);
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.state.lifecycle, LIFECYCLE_ACTIVE);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created updated updated"));
	engine_rig_release(&r);
}

static void
A6_an_archived_session_is_not_reopened(void **state)
{
	struct engine_rig r;
	struct str id;

	(void)state;
	engine_rig_init(&r, false);
	id = rig_open(&r, NULL, "cli:a");
	rig_expect(rig_end(&r, engine_session_archive, (struct rig_call){ .id = id }), 0, NULL);
	rig_expect(open_as(&r, NULL, NULL, OPEN), ERR_CONFLICT, "archived");
	engine_rig_release(&r);
}

static void
P3_a_channel_opens_only_what_is_its_own(void **state)
{
	struct engine_rig r;
	const struct engine_caller *channel;

	(void)state;
	engine_rig_init(&r, false);
	channel = rig_channel(&r, "telegram");
	rig_open(&r, channel, "telegram:1");
	rig_expect(open_as(&r, channel, NULL, OPEN), ERR_INVALID, "begin with telegram:");
	rig_expect(open_as(&r, channel, NULL,
			   "{'id':'telegram2:a','agent':'main','environment_id':'local-default'}"),
		   ERR_INVALID, "begin with telegram:");
	rig_expect(open_as(&r, channel, NULL, "{'agent':'main','environment_id':'local-default'}"),
		   ERR_INVALID, "begin with telegram:");
	engine_rig_release(&r);
}

/* ---- A10 ---- */

static void
A10_a_repeat_opens_once(void **state)
{
	const char *body = "{'agent':'main','environment_id':'local-default'}";
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	a = open_as(&r, NULL, "k", body);
	rig_expect(a, 0, NULL);
	b = open_as(&r, NULL, "k", body);
	rig_expect(b, 0, NULL);
	assert_true(b->replayed);
	check_str("id", b->id, a->id);
	rig_expect(open_as(&r, NULL, "k", OPEN), ERR_MISMATCH, "another body");
	engine_rig_restart(&r);
	b = open_as(&r, NULL, "k", body);
	assert_true(b->replayed);
	check_str("id", b->id, a->id);
	engine_rig_release(&r);
}

/* Both are on their way before either is known. */
static void
A10_a_parallel_repeat_opens_once(void **state)
{
	struct engine_rig r;
	struct rig_answer answers[2] = { 0 };
	struct engine_repeat repeat = { .scope = STR("s"), .key = STR("k") };
	struct json body;

	engine_rig_init(&r, *state != NULL);
	body = engine_rig_json(&r, "{'agent':'main','environment_id':'local-default'}");
	for (size_t i = 0; i < 2; i++) {
		struct engine_call call = { .caller = &r.owner,
					    .repeat = &repeat,
					    .done = rig_answered,
					    .ctx = &answers[i] };

		answers[i].rig = &r;
		engine_session_open(r.en, &call, body);
	}
	rig_expect(&answers[0], 0, NULL);
	rig_expect(&answers[1], 0, NULL);
	assert_true(answers[0].replayed != answers[1].replayed);
	check_str("id", answers[0].id, answers[1].id);
	engine_rig_release(&r);
}

/* The agent that it took is gone by now: the repeat is told of the first all the same. */
static void
A10_a_repeat_is_a_repeat_although_the_agent_is_archived(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_make(&r, engine_agent_create,
			    (struct rig_call){ .body = "{'name':'x','model':'demo'}" }),
		   0, NULL);
	rig_expect(open_as(&r, NULL, "k", OPEN), 0, NULL);
	rig_expect(rig_end(&r, engine_agent_archive, (struct rig_call){ .id = STR("main") }), 0,
		   NULL);
	a = open_as(&r, NULL, "k", OPEN);
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	check_str("id", a->id, STR("cli:a"));
	rig_expect(open_as(&r, NULL, "other", OPEN), ERR_CONFLICT, "agent: the agent is archived");
	engine_rig_release(&r);
}

static void
A10_a_reopening_is_remembered_too(void **state)
{
	const char *again = "{'id':'cli:a','agent':'main','environment_id':'local-default',"
			    "'metadata':{'k':'9'}}";
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	rig_expect(open_as(&r, NULL, NULL, OPEN), 0, NULL);
	a = open_as(&r, NULL, "k", again);
	assert_false(a->replayed);
	rig_expect(open_as(&r, NULL, NULL, OPEN), 0, NULL); /* back to what it was */
	a = open_as(&r, NULL, "k", again);
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	assert_true(str_contains(engine_rig_session(&r, "cli:a")->metadata, STR("\"k\":\"1\"")));
	rig_expect(open_as(&r, NULL, "k", OPEN), ERR_MISMATCH, NULL);
	engine_rig_release(&r);
}

/* Nothing was to be written, and yet it was answered with success. */
static void
A10_a_reopening_without_news_is_remembered_too(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	rig_expect(open_as(&r, NULL, NULL, OPEN), 0, NULL);
	rig_expect(open_as(&r, NULL, "k", OPEN), 0, NULL);
	rig_expect(open_as(&r, NULL, NULL,
			   "{'id':'cli:a','agent':'main','environment_id':'local-default',"
			   "'metadata':{'k':'9'}}"),
		   0, NULL);
	a = open_as(&r, NULL, "k", OPEN);
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	assert_true(str_contains(engine_rig_session(&r, "cli:a")->metadata, STR("\"k\":\"9\"")));
	engine_rig_release(&r);
}

static const struct refused {
	const char *name, *body;
	int rc;
	const char *says;
} REFUSED[] = {
	{ "A6 an unknown agent", "{'id':'cli:a','agent':'nobody','environment_id':'local-default'}",
	  ERR_NOT_FOUND, "agent: " },
	{ "A6 an unknown environment", "{'id':'cli:a','agent':'main','environment_id':'nowhere'}",
	  ERR_NOT_FOUND, "environment_id: " },
	{ "M5 an id that is a path",
	  "{'id':'../a','agent':'main','environment_id':'local-default'}", ERR_INVALID, "id" },
	{ "A6 an initial event that cannot begin a session",
	  "{'id':'cli:a','agent':'main','environment_id':'local-default','initial_events':[{"
	  "'type':'user.interrupt'}]}",
	  ERR_INVALID, "initial_events[0].type" },
};

static void
test_refused(void **state)
{
	const struct refused *row = *state;
	struct engine_rig r;

	engine_rig_init(&r, false);
	rig_expect(open_as(&r, NULL, NULL, row->body), row->rc, row->says);
	assert_null(engine_rig_session(&r, "cli:a"));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, A6_a_new_session_is_created);
	SUITE_TEST(&s, M5_without_an_id_one_is_made);
	SUITE_TEST(&s, A6_reopening_keeps_the_source_and_merges_metadata);
	SUITE_TEST(&s, A6_reopening_without_news_writes_nothing);
	SUITE_TEST(&s, A6_initial_events_of_a_reopening_are_not_said_again);
	SUITE_TEST(&s, A6_reopening_adds_nobody);
	SUITE_TEST(&s, M5_an_id_of_somebody_else_is_taken);
	SUITE_TEST(&s, M5_a_deleted_id_stays_taken);
	SUITE_TEST(&s, A6_an_inactive_session_becomes_active);
	SUITE_TEST(&s, A6_an_archived_session_is_not_reopened);
	SUITE_TEST(&s, P3_a_channel_opens_only_what_is_its_own);
	SUITE_TEST(&s, A10_a_repeat_opens_once);
	SUITE_TEST(&s, A10_a_parallel_repeat_opens_once);
	SUITE_TEST(&s, A10_a_repeat_is_a_repeat_although_the_agent_is_archived);
	SUITE_TEST(&s, A10_a_reopening_is_remembered_too);
	SUITE_TEST(&s, A10_a_reopening_without_news_is_remembered_too);
	suite_add(&s, "A6 reopening in sqlite", A6_reopening_keeps_the_source_and_merges_metadata,
		  &SQLITE);
	suite_add(&s, "A10 a parallel repeat in sqlite", A10_a_parallel_repeat_opens_once, &SQLITE);
	suite_add(&s, "A10 a repeated reopening in sqlite", A10_a_reopening_is_remembered_too,
		  &SQLITE);
	SUITE_ROWS(&s, REFUSED, test_refused);
	return suite_run(&s, "engine/resolve");
}
