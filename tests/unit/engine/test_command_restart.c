#include "engine/command.h"

#include "engine_rig.h"

static int RESTARTS;

static int
may_restart(void *ctx, struct err *e)
{
	(void)ctx, (void)e;
	return 0;
}

static void
restart(void *ctx)
{
	(void)ctx;
	RESTARTS++;
}

static void
begin(struct engine_rig *r)
{
	engine_rig_init(r, false);
	r->en->config.process = (struct engine_process){ may_restart, restart, NULL };
	rig_open(r, NULL, "cli:a");
	RESTARTS = 0;
}

static struct rig_answer *
run(struct engine_rig *r, struct rig_call call)
{
	if (call.id.len == 0)
		call.id = STR("cli:a");
	return rig_command(r, "/restart", call);
}

static void
L3_an_owner_restarts_the_server_also_while_busy(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	begin(&r);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("wait 30") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	while (engine_self(r.en).running_turns == 0)
		virtual_host_settle(&r.host);
	for (int i = 0; i < 2; i++) { /* once, however often it is sent */
		a = run(&r, (struct rig_call){ .key = "k" });
		rig_expect(a, 0, NULL);
		check_str("command", a->command, STR("restart"));
		assert_true(str_starts(a->said, STR("the server restarts")));
		assert_true(str_contains(a->data, STR("\"running_turns\":1")));
		assert_int_equal(a->replayed, i == 1);
		assert_int_equal(RESTARTS, 1);
	}
	engine_rig_release(&r);
}

static void
L3_nobody_but_an_owner_may(void **state)
{
	const struct engine_caller *ann;
	struct engine_rig r;

	(void)state;
	begin(&r);
	ann = rig_person(&r, "ann");
	rig_open(&r, ann, "cli:ann");
	rig_expect(run(&r, (struct rig_call){ .caller = ann, .id = STR("cli:ann") }), ERR_DENIED,
		   "only an owner");
	rig_expect(run(&r, (struct rig_call){ .caller = ann }), ERR_NOT_FOUND, "no session cli:a");
	rig_expect(run(&r, (struct rig_call){ .id = STR("cli:none") }), ERR_NOT_FOUND,
		   "no session cli:none");
	assert_int_equal(RESTARTS, 0);
	check_str("role", str_of(chat_command_role(&CHAT_TABLE[CHAT_RESTART])), STR("owner"));
	assert_true(CHAT_TABLE[CHAT_RESTART].while_busy);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, L3_an_owner_restarts_the_server_also_while_busy);
	SUITE_TEST(&s, L3_nobody_but_an_owner_may);
	return suite_run(&s, "engine/command_restart");
}
