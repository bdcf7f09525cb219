#include "api/session_routes.h"

#include "live_ask.h"

static struct api_rig rig;

static void
start_rig(void)
{
	api_rig_init(&rig);
	api_rig_start(&rig);
}

static struct rig_reply
open_as(const char *token, const char *members)
{
	char body[512];

	snprintf(body, sizeof body, "{\"agent\":\"main\",\"environment_id\":\"local-default\"%s}",
		 members);
	return live_post(&rig, token, "/v1/sessions", body);
}

static void
A6_create_and_retrieve(void **state)
{
	struct rig_reply reply;
	char id[256], target[300], made[8192];

	(void)state;
	start_rig();
	reply = open_as("owner", ",\"title\":\"T\",\"metadata\":{\"k\":\"v\"},\"resources\":[{"
				 "\"type\":\"github_repository\",\"url\":\"https://x/y\"}]");
	rig_expect("create", &reply, 200, "\"type\":\"session\",\"status\":\"idle\"");
	rig_expect("create", &reply, 200,
		   "\"agent\":{\"id\":\"main\",\"type\":\"agent\",\"version\":1");
	rig_expect("create", &reply, 200, "\"title\":\"T\"");
	rig_expect("create", &reply, 200, "\"metadata\":{\"k\":\"v\"}");
	rig_expect("create", &reply, 200, "\"resources\":[{\"id\":\"sesrsc_");
	live_member(reply.body, "id", 0, id);
	assert_true(str_starts(str_of(id), STR("sesn_")));
	snprintf(made, sizeof made, STR_FMT, STR_ARG(reply.body));
	snprintf(target, sizeof target, "/v1/sessions/%s", id);
	reply = live_get(&rig, "owner", target);
	check_str("retrieve", reply.body, str_of(made));
	reply = live_get(&rig, "owner", "/v1/sessions/nobody");
	rig_expect("absent", &reply, 404, "session_not_found");
	api_rig_stop(&rig);
}

static void
A6_reopening_keeps_what_it_is_and_merges_metadata(void **state)
{
	struct rig_reply reply;

	(void)state;
	start_rig();
	reply = open_as("owner", ",\"id\":\"cli:x\",\"metadata\":{\"a\":\"1\",\"b\":\"2\"}");
	rig_expect("open", &reply, 200, "\"head_seq\":1");
	reply = open_as("owner", ",\"id\":\"cli:x\",\"metadata\":{\"a\":null,\"c\":\"3\"}");
	rig_expect("reopen", &reply, 200, "\"metadata\":{\"b\":\"2\",\"c\":\"3\"}");
	reply = open_as("user", ",\"id\":\"cli:x\"");
	rig_expect("taken by somebody else", &reply, 409, "conflict_error");
	api_rig_stop(&rig);
}

static void
A9_rename_archive_delete(void **state)
{
	struct rig_reply reply;

	(void)state;
	start_rig();
	live_open(&rig, "s1");
	reply = live_post(&rig, "owner", "/v1/sessions/s1", "{\"title\":\"New\"}");
	rig_expect("rename", &reply, 200, "\"title\":\"New\"");
	reply = live_post(&rig, "owner", "/v1/sessions/s1", "{\"metadata\":{}}");
	rig_expect("what is not said stays", &reply, 200, "\"title\":\"New\"");
	reply = live_post(&rig, "owner", "/v1/sessions/s1", "{\"title\":null}");
	rig_expect("a title is taken away", &reply, 200, "\"title\":null");
	reply = live_post(&rig, "owner", "/v1/sessions/s1/archive", NULL);
	rig_expect("archive", &reply, 200, "\"lifecycle\":\"archived\"");
	rig_expect("archive", &reply, 200, "\"archived_at\":\"20");
	reply = live_post(&rig, "owner", "/v1/sessions/s1/events",
			  "{\"events\":[{\"type\":\"user.message\",\"content\":[{\"type\":\"text\","
			  "\"text\":\"hi\"}]}]}");
	rig_expect("send to it", &reply, 409, "conflict_error");
	check_str("retry", rig_header(&reply, "x-should-retry"), STR("false"));
	live_open(&rig, "s2");
	reply = api_rig_ask(&rig, &(struct rig_ask){ .method = "DELETE",
						     .target = "/v1/sessions/s2",
						     .token = "owner" });
	rig_expect("delete", &reply, 200, "{\"id\":\"s2\",\"type\":\"session_deleted\"}");
	reply = live_get(&rig, "owner", "/v1/sessions/s2");
	rig_expect("gone", &reply, 404, NULL);
	reply = live_get(&rig, "owner", "/v1/sessions/s2/events");
	rig_expect("its log too", &reply, 404, NULL);
	api_rig_stop(&rig);
}

static void
A9_the_answer_of_an_archived_session_names_the_current_one(void **state)
{
	struct rig_reply reply;

	(void)state;
	start_rig();
	live_open(&rig, "s1");
	live_open(&rig, "s9");
	live_write(&rig, "s1", NULL,
		   "{\"type\":\"session.reset\",\"reason\":\"manual\",\"lifecycle\":\"archived\","
		   "\"new_session_id\":\"s9\"}");
	reply = live_post(&rig, "owner", "/v1/sessions/s1/messages", "{\"text\":\"hi\"}");
	rig_expect("post", &reply, 409, "\"current_session_id\":\"s9\"");
	api_rig_stop(&rig);
}

static void
A10_a_repeated_create_makes_one_session(void **state)
{
	struct rig_ask ask = {
		.method = "POST",
		.target = "/v1/sessions",
		.token = "owner",
		.headers = "Idempotency-Key: k\r\n",
		.body = "{\"agent\":\"main\",\"environment_id\":\"local-default\"}"
	};
	struct rig_reply reply;
	char first[256], again[256];

	(void)state;
	start_rig();
	reply = api_rig_ask(&rig, &ask);
	rig_expect("first", &reply, 200, NULL);
	live_member(reply.body, "id", 0, first);
	reply = api_rig_ask(&rig, &ask);
	rig_expect("again", &reply, 200, NULL);
	live_member(reply.body, "id", 0, again);
	assert_string_equal(first, again);
	check_str("mark", rig_header(&reply, "idempotency-replayed"), STR("true"));
	api_rig_stop(&rig);
}

static void
M12_counters_and_state_follow_the_log(void **state)
{
	struct rig_reply reply;
	char id[256];

	(void)state;
	start_rig();
	live_open(&rig, "s1");
	live_ask(&rig, "s1", "hello there", id);
	live_run(&rig, "s1", "t1", id);
	live_reply(&rig, "s1", "t1", "hi");
	reply = live_get(&rig, "owner", "/v1/sessions/s1");
	rig_expect("open turn without a lease", &reply, 200, "\"status\":\"rescheduling\"");
	rig_expect("turn", &reply, 200, "\"turn_id\":\"t1\"");
	live_write_as(&rig, "s1", "t1", "sevt_call",
		      "{\"type\":\"agent.custom_tool_use\",\"name\":\"x\",\"input\":{}}");
	live_write(&rig, "s1", "t1",
		   "{\"type\":\"session.status_idle\",\"turn_id\":\"t1\",\"stop_reason\":{\"type\":"
		   "\"requires_action\",\"event_ids\":[\"sevt_call\"]},\"stop_details\":null,"
		   "\"consumes\":[]}");
	reply = live_get(&rig, "owner", "/v1/sessions/s1");
	rig_expect("parked", &reply, 200, "\"activity\":\"requires_action\"");
	rig_expect("parked", &reply, 200, "\"display_status\":\"running\"");
	rig_expect("parked", &reply, 200,
		   "\"stop_reason\":{\"type\":\"requires_action\",\"event_ids\":[\"sevt_call\"]}");
	rig_expect("counters", &reply, 200, "\"message_count\":2");
	rig_expect("preview", &reply, 200, "\"preview\":\"hi\"");
	rig_expect("fallback", &reply, 200, "\"description\":\"hello there\"");
	api_rig_stop(&rig);
}

static void
P2_another_person_finds_nothing(void **state)
{
	struct rig_reply reply;

	(void)state;
	start_rig();
	reply = open_as("user", ",\"id\":\"mine\"");
	rig_expect("mine", &reply, 200, "\"participants\":[\"usr_1\"]");
	reply = live_get(&rig, "other", "/v1/sessions/mine");
	rig_expect("not theirs", &reply, 404, "session_not_found");
	reply = live_post(&rig, "other", "/v1/sessions/mine", "{\"title\":\"x\"}");
	rig_expect("not theirs", &reply, 404, "session_not_found");
	reply = live_get(&rig, "owner", "/v1/sessions/mine");
	rig_expect("the owner's too", &reply, 200, NULL);
	api_rig_stop(&rig);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, A6_create_and_retrieve);
	SUITE_TEST(&s, A6_reopening_keeps_what_it_is_and_merges_metadata);
	SUITE_TEST(&s, A9_rename_archive_delete);
	SUITE_TEST(&s, A9_the_answer_of_an_archived_session_names_the_current_one);
	SUITE_TEST(&s, A10_a_repeated_create_makes_one_session);
	SUITE_TEST(&s, M12_counters_and_state_follow_the_log);
	SUITE_TEST(&s, P2_another_person_finds_nothing);
	return suite_run(&s, "api/session_routes");
}
