#include "engine/context.h"

#include "turn_rig.h"

/* The last request a scripted model was sent, as text. */
struct seen {
	struct buf out;
	struct str system;
	struct arena arena;
};

static void
on_request(void *ctx, const struct provider_request *q)
{
	struct seen *s = ctx;

	buf_clear(&s->out);
	buf_printf(&s->out, "%.*s %lld%.*s", STR_ARG(q->model), (long long)q->max_output_tokens,
		   STR_ARG(q->effort));
	for (size_t i = 0; i < q->tool_count; i++)
		buf_printf(&s->out, " %.*s(%.*s)", STR_ARG(q->tools[i].name),
			   STR_ARG(q->tools[i].description));
	for (size_t i = 0; i < q->message_count; i++)
		buf_printf(&s->out, "|%s:%.*s", message_role_name(q->messages[i].role),
			   STR_ARG(q->messages[i].content));
	s->system = arena_str(&s->arena, q->system);
}

static void
begin(struct rig *r, struct seen *s)
{
	rig_init(r, true);
	*s = (struct seen){ 0 };
	buf_init(&s->out, 1 << 20);
	arena_init(&s->arena);
	provider_scripted_watch(r->scripted, on_request, s);
}

static void
end(struct rig *r, struct seen *s)
{
	rig_release(r);
	buf_release(&s->out);
	arena_release(&s->arena);
}

static void
T1_the_model_reads_what_was_said(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	rig_session(&r, "s", "script");
	rig_post(&r, "s", "one");
	check_str("request", buf_str(&s.out), STR("scripted 4096|user:one"));
	rig_post(&r, "s", "two");
	check_str("request", buf_str(&s.out),
		  STR("scripted 4096|user:one|assistant:over|user:two"));
	end(&r, &s);
}

static void
M1_the_agents_prompt_tools_and_limits(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	rig_agent(&r, "full",
		  "{\"id\":\"full\",\"version\":1,\"model\":{\"id\":\"scripted\","
		  "\"effort\":{\"type\":\"low\"}},\"system\":\"Be "
		  "kind.\",\"limits\":{\"max_output_tokens\":77},"
		  "\"tools\":[{\"type\":\"custom\",\"name\":\"ask\",\"description\":"
		  "\"asks\",\"input_schema\":{\"type\":\"object\"}}]}");
	rig_session(&r, "s", "full");
	rig_post(&r, "s", "hi");
	check_str("request", buf_str(&s.out), STR("scripted 77low ask(asks)|user:hi"));
	assert_true(str_starts(s.system, STR("Be kind.\n\n## Current Session Context\n- Agent: "
					     "full (version 1)\n- Session: s\n")));
	end(&r, &s);
}

static void
M1_what_the_session_changed_of_its_agent_wins(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	rig_session(&r, "s", "main"); /* whose model is demo */
	rig_put(&r, RECORD_SESSION_EXTRA, "s", NULL,
		"{\"agent\":{\"id\":\"main\",\"version\":1,\"model\":{\"id\":"
		"\"scripted\"},\"system\":\"Mine.\"}}");
	rig_post(&r, "s", "hi");
	check_str("request", buf_str(&s.out), STR("scripted 4096|user:hi"));
	assert_true(str_starts(s.system, STR("Mine.")));
	end(&r, &s);
}

static void
T3_no_model_named_means_the_servers_default(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	rig_agent(&r, "plain", "{\"id\":\"plain\",\"version\":1,\"model\":null}");
	rig_session(&r, "s", "plain");
	rig_post(&r, "s", "say by demo");
	assert_true(str_contains(rig_log(&r, "s", 2), STR("message\"by demo\"")));
	end(&r, &s);
}

static void
T3_an_agent_that_is_gone_is_said_in_the_log(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	rig_session(&r, "s", "nobody");
	rig_post(&r, "s", "hi");
	check_str("log", rig_log(&r, "s", 3),
		  STR("status_running error:model_request_failed_error "
		      "status_idle:retries_exhausted"));
	end(&r, &s);
}

static void
T1_long_transcripts_are_read_page_by_page(void **state)
{
	struct rig r;
	struct seen s;

	(void)state;
	begin(&r, &s);
	rig_session(&r, "s", "script");
	for (int i = 0; i < 450; i++)
		rig_send(&r, "s",
			 "[{\"type\":\"system.message\",\"content\":[{\"type\":\"text\",\"text\":"
			 "\"x\"}]}]");
	rig_post(&r, "s", "end");
	assert_int_equal(s.out.len, sizeof "scripted 4096" - 1 + 450 * 9 + sizeof "|user:end" - 1);
	end(&r, &s);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T1_the_model_reads_what_was_said);
	SUITE_TEST(&s, M1_the_agents_prompt_tools_and_limits);
	SUITE_TEST(&s, M1_what_the_session_changed_of_its_agent_wins);
	SUITE_TEST(&s, T3_no_model_named_means_the_servers_default);
	SUITE_TEST(&s, T3_an_agent_that_is_gone_is_said_in_the_log);
	SUITE_TEST(&s, T1_long_transcripts_are_read_page_by_page);
	return suite_run(&s, "engine/context");
}
