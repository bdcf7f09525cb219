#include "engine/context.h"
#include "engine/engine_private.h"

#include "tool_rig.h"

/* What the last request offered. */
struct seen {
	struct buf tools;
};

static void
on_request(void *ctx, const struct provider_request *q)
{
	struct seen *s = ctx;

	buf_clear(&s->tools);
	for (size_t i = 0; i < q->tool_count; i++)
		buf_printf(&s->tools, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(q->tools[i].name));
}

static const char BOTH[] =
	"{\"id\":\"both\",\"version\":1,\"model\":{\"id\":\"scripted\"},\"mcp_servers\":[{\"type\":"
	"\"url\",\"name\":\"web\",\"url\":\"https://"
	"web.test\"},{\"type\":\"url\",\"name\":\"idle\","
	"\"url\":\"https://idle.test\"}],\"tools\":[" TOOL_RIG_BLOCK(
		"always_allow") ",{\"type\":\"mcp_toolset\",\"mcp_server_name\":\"web\"}]}";

static void
begin(struct rig *r, struct seen *s)
{
	tool_rig_init(r);
	buf_init(&s->tools, 1 << 16);
	provider_scripted_watch(r->scripted, on_request, s);
	rig_agent(r, "both", BOTH);
}

static void
end(struct rig *r, struct seen *s)
{
	rig_release(r);
	buf_release(&s->tools);
}

static void
T12_tools_of_the_machine_and_of_servers_are_offered(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	rig_session(&r, "s", "both");
	rig_post(&r, "s", "hi");
	check_str("tools", buf_str(&s.tools), STR("session_directive bash read get_page"));
	rig_session(&r, "plain", "script");
	rig_post(&r, "plain", "hi");
	check_str("tools", buf_str(&s.tools), STR(""));
	end(&r, &s);
}

static void
T10_a_server_that_does_not_answer_is_one_error_and_the_turn_goes_on(void **state)
{
	struct tool_problem problems[] = { { .server = STR("web") } };
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	IGNORE(err_set(&problems[0].err, ERR_UNAVAILABLE, "web does not answer"));
	tool_scripted_docs(r.servers, NULL, 0);
	tool_scripted_problems(r.servers, problems, 1);
	rig_session(&r, "s", "both");
	rig_post(&r, "s", "hi");
	check_str("log", rig_log(&r, "s", 3),
		  STR("status_running error:mcp_connection_failed_error model_request_start "
		      "message\"over\" model_request_end status_idle:end_turn"));
	check_str("tools", buf_str(&s.tools), STR("session_directive bash read"));
	problems[0].authentication = true;
	rig_post(&r, "s", "again");
	assert_true(
		str_contains(rig_log(&r, "s", 9), STR("error:mcp_authentication_failed_error")));
	end(&r, &s);
}

static void
T11_a_worker_runs_the_built_in_tools_elsewhere(void **state)
{
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	rig_put(&r, RECORD_ENVIRONMENT, "local-default", NULL,
		"{\"id\":\"local-default\",\"config\":{\"type\":\"self_hosted\"}}");
	rig_session(&r, "s", "worker");
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	check_str("log", rig_log(&r, "s", 5),
		  STR("tool_use model_request_end status_idle:requires_action"));
	assert_int_equal(tool_scripted_started(r.tools), 0);
	rig_send(&r, "s",
		 arena_printf(&r.arena,
			      "[{\"type\":\"user.tool_result\",\"tool_use_id\":\"%.*s\","
			      "\"content\":[{\"type\":\"text\",\"text\":\"files\"}]}]",
			      STR_ARG(rig_event_id(&r, "s", EVENT_AGENT_TOOL_USE)))
			 .ptr);
	assert_true(str_contains(rig_log(&r, "s", 8), STR("message\"bash: files\"")));
	rig_release(&r);
}

static void
T10_the_environments_servers_need_no_block_and_ask(void **state)
{
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	rig_put(&r, RECORD_ENVIRONMENT, "local-default", NULL,
		"{\"id\":\"local-default\",\"config\":{\"type\":\"local\",\"working_directory\":"
		"\"/srv\",\"mcp_servers\":[{\"type\":\"stdio\",\"name\":\"web\",\"command\":\"x\"}]"
		"}}");
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "tool get_page {}");
	check_str("log", rig_log(&r, "s", 5),
		  STR("mcp_tool_use model_request_end status_idle:requires_action"));
	rig_session(&r, "t", "worker");
	rig_post(&r, "t", "tool bash {}");
	check_str("directory", tool_scripted_last(r.tools)->place.directory, STR("/srv"));
	rig_release(&r);
}

static void
H5_a_drain_does_not_wait_for_servers_that_do_not_answer(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	tool_scripted_hold(r.servers, true);
	rig_session(&r, "s", "both");
	rig_post(&r, "s", "hi");
	check_str("log", rig_log(&r, "s", 2), STR("message"));
	assert_int_equal(tool_scripted_listings(r.servers), 1);
	tool_scripted_hold(r.servers, true);
	rig_restart(&r, 1000);
	tool_scripted_hold(r.servers, false);
	rig_settle(&r);
	assert_true(str_ends(rig_log(&r, "s", 2), STR("status_idle:end_turn")));
	end(&r, &s);
}

struct loaded {
	bool done;
	struct buf
		said; /* servers by name, and ! for one that is not the operator's; or the model */
};

static void
on_loaded(void *ctx, int rc, const struct err *err, const struct context_setup *setup)
{
	struct loaded *l = ctx;

	(void)err;
	assert_int_equal(rc, 0);
	for (size_t i = 0; i < setup->server_count; i++)
		buf_printf(&l->said, "%s" STR_FMT "%s", i > 0 ? " " : "",
			   STR_ARG(setup->servers[i].name), setup->servers[i].foreign ? "!" : "");
	l->done = true;
}

/* What of its agent a session changed is anybody's; what it took over stays the operator's. */
static const struct changed {
	const char *name, *extra, *want;
} CHANGED[] = {
	{ "T10 an agent as it is", NULL, "web" },
	{ "T10 another model changes no server",
	  "{\"agent\":{\"id\":\"both\",\"version\":1,\"model\":{\"id\":\"demo\"},\"mcp_servers\":[{"
	  "\"type\":\"url\",\"name\":\"web\",\"url\":\"https://web.test\"}],\"tools\":[{\"type\":"
	  "\"mcp_toolset\",\"mcp_server_name\":\"web\"}]}}",
	  "web" },
	{ "T10 another address under its name is the session's",
	  "{\"agent\":{\"id\":\"both\",\"version\":1,\"model\":{\"id\":\"demo\"},\"mcp_servers\":[{"
	  "\"type\":\"url\",\"name\":\"web\",\"url\":\"https://"
	  "10.0.0.1\"},{\"type\":\"url\",\"name\":"
	  "\"idle\",\"url\":\"https://idle.test\"}],\"tools\":[{\"type\":\"mcp_toolset\","
	  "\"mcp_server_name\":\"web\"},{\"type\":\"mcp_toolset\",\"mcp_server_name\":\"idle\"}]}}",
	  "web! idle" },
};

static void
servers_are_whose(void **state)
{
	const struct changed *row = *state;
	struct store_session session = { .id = STR("s"),
					 .agent_id = STR("both"),
					 .agent_version = 1,
					 .environment_id = STR("local-default") };
	struct loaded l = { 0 };
	struct rig r;
	struct seen s;

	begin(&r, &s);
	buf_init(&l.said, 1 << 10);
	rig_session(&r, "s", "both");
	if (row->extra)
		rig_put(&r, RECORD_SESSION_EXTRA, "s", NULL, row->extra);
	context_setup_load(r.en, &session, (struct str){ 0 }, &r.arena, on_loaded, &l);
	rig_settle_until(&r, &l.done);
	check_str("servers", buf_str(&l.said), str_of(row->want));
	buf_release(&l.said);
	end(&r, &s);
}

/* Who names the model? The nearest. Quotes are written as '. */
#define OWN(model) "{'agent':{'id':'a','model':{'id':'" model "'}}"
static const struct named {
	const char *name;
	const char *asked, *extra, *workspace;
	const char *agent, *want;
} NAMED[] = {
	{ "T3 the message before all others", "by-message",
	  OWN("by-session") ",'model_chosen':true}",
	  "{'id':'acme','name':'A','config':{'model':'by-space'}}",
	  "{'id':'a','version':1,'model':{'id':'by-agent'}}", "by-message" },
	{ "T3 the session before its workspace", "", OWN("by-session") ",'model_chosen':true}",
	  "{'id':'acme','name':'A','config':{'model':'by-space'}}",
	  "{'id':'a','version':1,'model':{'id':'by-agent'}}", "by-session" },
	{ "T3 a session that changed its tools has chosen no model", "", OWN("by-agent") "}",
	  "{'id':'acme','name':'A','config':{'model':'by-space'}}",
	  "{'id':'a','version':1,'model':{'id':'by-agent'}}", "by-space" },
	{ "T3 the workspace before the agent", "", NULL,
	  "{'id':'acme','name':'A','config':{'model':'by-space'}}",
	  "{'id':'a','version':1,'model':{'id':'by-agent'}}", "by-space" },
	{ "T3 the agent where the workspace says nothing", "", NULL, "{'id':'acme','name':'A'}",
	  "{'id':'a','version':1,'model':{'id':'by-agent'}}", "by-agent" },
	{ "T3 the server where nobody says anything", "", NULL, NULL, "{'id':'a','version':1}",
	  "by-server" },
};

static void
on_named(void *ctx, int rc, const struct err *err, const struct context_setup *setup)
{
	struct loaded *l = ctx;

	(void)err;
	assert_int_equal(rc, 0);
	buf_put_str(&l->said, setup->model);
	l->done = true;
}

static void
on_put(void *ctx, const struct engine_answer *answer)
{
	assert_int_equal(answer->rc, 0);
	*(bool *)ctx = true;
}

static const char *
quoted(struct rig *r, const char *text)
{
	char *copy = (char *)arena_str(&r->arena, str_of(text)).ptr;

	for (char *c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	return copy;
}

static void
put_workspace(struct rig *r, const char *body)
{
	struct json_doc doc;
	bool done = false;

	assert_int_equal(
		json_parse(&r->arena, str_of(quoted(r, body)), &JSON_LIMITS_DEFAULT, &doc, NULL),
		0);
	engine_workspace_create(
		r->en, &(struct engine_call){ .caller = &r->owner, .done = on_put, .ctx = &done },
		json_root(&doc));
	rig_settle_until(r, &done);
}

static void
the_nearest_names_the_model(void **state)
{
	const struct named *row = *state;
	struct store_session session = { .id = STR("s"),
					 .agent_id = STR("a"),
					 .agent_version = 1,
					 .environment_id = STR("local-default"),
					 .workspace_id = STR("acme") };
	struct loaded l = { 0 };
	struct rig r;

	tool_rig_init(&r);
	buf_init(&l.said, 1 << 10);
	r.en->config.settings.default_model = STR("by-server");
	rig_agent(&r, "a", quoted(&r, row->agent));
	rig_session(&r, "s", "a");
	if (row->extra)
		rig_put(&r, RECORD_SESSION_EXTRA, "s", NULL, quoted(&r, row->extra));
	if (row->workspace)
		put_workspace(&r, row->workspace);
	context_setup_load(r.en, &session, str_of(row->asked), &r.arena, on_named, &l);
	rig_settle_until(&r, &l.done);
	check_str("model", buf_str(&l.said), str_of(row->want));
	buf_release(&l.said);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T12_tools_of_the_machine_and_of_servers_are_offered);
	SUITE_TEST(&s, T10_a_server_that_does_not_answer_is_one_error_and_the_turn_goes_on);
	SUITE_TEST(&s, T11_a_worker_runs_the_built_in_tools_elsewhere);
	SUITE_TEST(&s, T10_the_environments_servers_need_no_block_and_ask);
	SUITE_TEST(&s, H5_a_drain_does_not_wait_for_servers_that_do_not_answer);
	SUITE_ROWS(&s, CHANGED, servers_are_whose);
	SUITE_ROWS(&s, NAMED, the_nearest_names_the_model);
	return suite_run(&s, "engine/context_setup");
}
