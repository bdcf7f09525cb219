#include "engine/command.h"

#include "engine_rig.h"

static struct rig_answer *
run(struct engine_rig *r, const char *line)
{
	return rig_command(r, line, (struct rig_call){ .id = STR("cli:a") });
}

static void
says(struct rig_answer *a, const char *said, const char *data)
{
	rig_expect(a, 0, NULL);
	if (said && !str_contains(a->said, str_of(said)))
		fail_msg("'" STR_FMT "' does not say '%s'", STR_ARG(a->said), said);
	if (data && !str_contains(a->data, str_of(data)))
		fail_msg("'" STR_FMT "' has no '%s'", STR_ARG(a->data), data);
}

static void
L3_help_is_the_table(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	a = run(&r, "/help");
	for (size_t i = 0; i < CHAT_COMMANDS; i++) {
		says(a, arena_printf(&r.arena, "/%s", CHAT_TABLE[i].name).ptr,
		     arena_printf(&r.arena, "{\"name\":\"%s\"", CHAT_TABLE[i].name).ptr);
		says(a, CHAT_TABLE[i].help, NULL);
	}
	says(a, NULL, "\"role\":\"participant\",\"while_busy\":false,\"undo\":\"");
	engine_rig_release(&r);
}

static void
Q3_status_says_what_runs_and_what_waits(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	says(run(&r, "/status"), "cli:a: idle", "\"activity\":\"idle\"");
	for (int i = 0; i < 3; i++)
		rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("wait 60") },
				   (struct rig_call){ .id = STR("cli:a") }),
			   0, NULL);
	says(run(&r, "/status"), "running", "\"queue_depth\":2,\"queue\":[{\"event_id\":\"sevt_");
	says(run(&r, "/status"), "2 waiting", "\"position\":1,\"busy\":\"queue\"}");
	says(run(&r, "/status"), NULL, "\"position\":2,\"busy\":\"queue\"}]");
	engine_rig_release(&r);
}

static void
L3_usage_is_what_the_log_adds_up_to(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	says(run(&r, "/usage"), "0 turns, 0 tokens", "\"total_tokens\":0");
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say hi") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	virtual_host_advance(&r.host, 1000);
	says(run(&r, "/usage"), "1 turns", "\"completed_turns\":1");
	engine_rig_release(&r);
}

static void
L3_whoami_says_whose_token_it_is(void **state)
{
	struct engine_rig r;
	const struct engine_caller *ann;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	says(run(&r, "/whoami"), "owner", "\"user_id\":null,\"role\":\"owner\"");
	ann = rig_person(&r, "ann");
	rig_open(&r, ann, "cli:ann");
	a = rig_command(&r, "/whoami", (struct rig_call){ .caller = ann, .id = STR("cli:ann") });
	says(a, "a participant", "\"token\":\"user\",\"user_id\":\"");
	says(a, NULL, "\"participant\":true");
	engine_rig_release(&r);
}

static void
L3_sessions_are_those_one_may_see(void **state)
{
	struct engine_rig r;
	const struct engine_caller *ann;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	rig_open(&r, NULL, "cli:a");
	rig_open(&r, ann, "cli:ann");
	says(run(&r, "/sessions"), "* cli:a", "\"id\":\"cli:ann\"");
	a = run(&r, "/sessions 1");
	says(a, NULL, "\"more\":true");
	a = rig_command(&r, "/sessions", (struct rig_call){ .caller = ann, .id = STR("cli:ann") });
	says(a, "* cli:ann", "\"current\":true");
	assert_false(str_contains(a->data, STR("\"cli:a\"")));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, L3_help_is_the_table);
	SUITE_TEST(&s, Q3_status_says_what_runs_and_what_waits);
	suite_add(&s, "Q3 status in sqlite", Q3_status_says_what_runs_and_what_waits, &SQLITE);
	SUITE_TEST(&s, L3_usage_is_what_the_log_adds_up_to);
	SUITE_TEST(&s, L3_whoami_says_whose_token_it_is);
	SUITE_TEST(&s, L3_sessions_are_those_one_may_see);
	suite_add(&s, "L3 sessions in sqlite", L3_sessions_are_those_one_may_see, &SQLITE);
	return suite_run(&s, "engine/command_show");
}
