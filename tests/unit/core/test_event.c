#include <stdio.h>
#include <string.h>

#include "base/rand.h"
#include "core/event.h"
#include "core/mcp_servers.h"
#include "harness.h"

#define TEXT "\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]"

static const struct check_case {
	const char *name, *payload;
	bool client;       /* as a client sends it */
	const char *error; /* NULL: accepted */
} CASES[] = {
	/* clang-format off */
	{ "M10 user.message", "{\"type\":\"user.message\"," TEXT "}", true, NULL },
	{ "M10 user.message in any key order", "{" TEXT ",\"type\":\"user.message\"}", true, NULL },
	{ "M10 user.message for a thread", "{\"type\":\"user.message\",\"session_thread_id\":\"sthr_1\"," TEXT "}", true, NULL },
	{ "M10 user.message needs content", "{\"type\":\"user.message\"}", true, "content" },
	{ "M10 user.message refuses unknown fields", "{\"type\":\"user.message\"," TEXT ",\"contents\":1}", true, "contents" },
	{ "M10 user.message refuses an id of the sender's", "{\"type\":\"user.message\"," TEXT ",\"id\":\"x\"}", true, "id" },
	{ "M9 a client cannot claim to be processed", "{\"type\":\"user.message\"," TEXT ",\"processed_at\":null}", true, "processed_at" },
	{ "M10 what the server adds a client may not send", "{\"type\":\"user.message\"," TEXT ",\"message_id\":\"m\"}", true, "message_id: is set by the server" },
	{ "M10 what the server adds is fine in the log", "{\"type\":\"user.message\"," TEXT ",\"message_id\":\"m\",\"mentioned\":true,\"sender\":{},\"metadata\":{},\"attachments\":[]}", false, NULL },
	{ "M10 user.interrupt", "{\"type\":\"user.interrupt\"}", true, NULL },
	{ "M10 user.tool_confirmation", "{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"sevt_1\",\"result\":\"allow\",\"scope\":\"always\"}", true, NULL },
	{ "M10 user.tool_confirmation with a message", "{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"sevt_1\",\"result\":\"deny\",\"deny_message\":\"no\"}", true, NULL },
	{ "M10 a deny message needs a denial", "{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"sevt_1\",\"result\":\"allow\",\"deny_message\":\"no\"}", true, "deny_message" },
	{ "M10 a confirmation allows or denies", "{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"sevt_1\",\"result\":\"maybe\"}", true, "result" },
	{ "M10 a confirmation names its call", "{\"type\":\"user.tool_confirmation\",\"result\":\"allow\"}", true, "tool_use_id" },
	{ "M10 user.tool_result", "{\"type\":\"user.tool_result\",\"tool_use_id\":\"x\"," TEXT ",\"is_error\":true}", true, NULL },
	{ "M10 user.custom_tool_result", "{\"type\":\"user.custom_tool_result\",\"custom_tool_use_id\":\"x\"}", true, NULL },
	{ "M10 user.define_outcome", "{\"type\":\"user.define_outcome\",\"description\":\"d\",\"rubric\":{\"type\":\"text\",\"content\":\"c\"},\"max_iterations\":20}", true, NULL },
	{ "M10 at most 20 iterations", "{\"type\":\"user.define_outcome\",\"description\":\"d\",\"rubric\":{\"type\":\"text\",\"content\":\"c\"},\"max_iterations\":21}", true, "max_iterations" },
	{ "M10 system.message", "{\"type\":\"system.message\"," TEXT "}", true, NULL },
	{ "M10 system.message is text", "{\"type\":\"system.message\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"u\"}}]}", true, "content[0].type" },
	{ "M10 a client does not speak for the agent", "{\"type\":\"agent.message\"," TEXT "}", true, "made by the server" },
	{ "M10 a client does not set the status", "{\"type\":\"session.status_idle\"}", true, "made by the server" },
	{ "M10 an unknown type", "{\"type\":\"user.shout\"}", true, "'user.shout' is no event type" },
	{ "M10 a type that is no string", "{\"type\":1}", true, "needs a type" },
	{ "M10 no type", "{}", true, "needs a type" },
	{ "M10 no object", "[]", true, "must be an object" },
	{ "M10 cancel names ids or all", "{\"type\":\"session.input_cancelled\"}", false, "either ids or all" },
	{ "M10 cancel does not name both", "{\"type\":\"session.input_cancelled\",\"ids\":[\"a\"],\"all\":true}", false, "either ids or all" },
	{ "M10 a compaction has a summary or undoes one", "{\"type\":\"agent.thread_context_compacted\"}", false, "either a summary or undoes_id" },
	{ "M10 a consumed list must not be empty", "{\"type\":\"session.input_consumed\",\"turn_id\":\"t\",\"consumes\":[]}", false, "consumes" },
	{ "M10 a status names its turn", "{\"type\":\"session.status_running\",\"consumes\":[],\"wakes\":[]}", false, "turn_id" },
	{ "M8 terminated is no stop reason of status_idle", "{\"type\":\"session.status_idle\",\"turn_id\":\"t\",\"consumes\":[],\"stop_reason\":{\"type\":\"terminated\"}}", false, "stop_reason" },
	{ "M10 an optional null is refused where it has no meaning", "{\"type\":\"user.interrupt\",\"session_thread_id\":null}", true, "session_thread_id" },
	/* clang-format on */
};

static int
check(const char *text, bool client, enum event_kind *kind, struct err *e)
{
	struct arena a;
	struct json_doc doc;
	int rc;

	arena_init(&a);
	rc = json_parse(&a, str_of(text), &JSON_LIMITS_DEFAULT, &doc, e);
	if (rc == 0)
		rc = client ? event_check_client(json_root(&doc), kind, e)
			    : event_check(json_root(&doc), kind, e);
	arena_release(&a);
	return rc;
}

static void
check_row(void **state)
{
	const struct check_case *c = *state;
	enum event_kind kind;
	struct err e = { 0 };
	int rc = check(c->payload, c->client, &kind, &e);

	if (!c->error) {
		if (rc != 0)
			fail_msg("%s: %s", c->name, e.text);
		return;
	}
	assert_int_equal(rc, ERR_INVALID);
	if (!strstr(e.text, c->error))
		fail_msg("%s: '%s'", c->name, e.text);
}

static void
M10_the_set_is_closed_and_its_names_round_trip(void **state)
{
	enum event_kind kind;

	(void)state;
	for (int k = 0; k < EVENT_KINDS; k++) {
		assert_non_null(event_type((enum event_kind)k));
		assert_true(event_kind_parse(str_of(event_type((enum event_kind)k)), &kind));
		assert_int_equal(kind, k);
	}
	assert_false(event_kind_parse(STR("user"), &kind));
	assert_false(event_kind_parse(STR(""), &kind));
	assert_int_equal(EVENT_KINDS, 40);
}

static void
M9_authors_follow_the_family(void **state)
{
	(void)state;
	assert_string_equal(event_author_name(event_usual_author(EVENT_USER_MESSAGE)), "user");
	assert_string_equal(event_author_name(event_usual_author(EVENT_AGENT_MESSAGE)), "agent");
	assert_string_equal(event_author_name(event_usual_author(EVENT_AGENT_TOOL_RESULT)), "tool");
	assert_string_equal(event_author_name(event_usual_author(EVENT_STATUS_IDLE)), "system");
}

/* Whatever name a definition may give a server, its calls can be logged. */
static void
T10_the_longest_name_of_a_server_can_be_logged(void **state)
{
	char name[MCP_SERVER_NAME_MAX + 1], text[1024];
	enum event_kind kind;
	struct err e = { 0 };

	(void)state;
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	snprintf(text, sizeof text,
		 "{\"type\":\"agent.mcp_tool_use\",\"name\":\"f\",\"mcp_server_name\":\"%s\","
		 "\"input\":{}}",
		 name);
	if (check(text, false, &kind, &e) != 0)
		fail_msg("%s", e.text);
}

/* A valid client event with one byte changed is refused or still valid, never misread: accepted
 * means it has a kind that a client may send. */
static void
M10_property_one_changed_byte_is_refused_or_still_an_event(void **state)
{
	static const char GOOD[] =
		"{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"sevt_1\","
		"\"result\":\"deny\",\"deny_message\":\"no\"}";

	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(20000); seed++) {
		char text[sizeof GOOD];
		enum event_kind kind = EVENT_SESSION_DELETED;
		struct rand r;
		struct err e;

		rand_init_seed(&r, seed);
		memcpy(text, GOOD, sizeof text);
		text[rand_below(&r, sizeof text - 1)] = (char)(1 + rand_below(&r, 255));
		if (check(text, true, &kind, &e) == 0 && kind != EVENT_USER_TOOL_CONFIRMATION)
			fail_msg("seed %llu: %s", (unsigned long long)seed, text);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, CASES, check_row);
	SUITE_TEST(&s, M10_the_set_is_closed_and_its_names_round_trip);
	SUITE_TEST(&s, M9_authors_follow_the_family);
	SUITE_TEST(&s, T10_the_longest_name_of_a_server_can_be_logged);
	SUITE_TEST(&s, M10_property_one_changed_byte_is_refused_or_still_an_event);
	return suite_run(&s, "event");
}
