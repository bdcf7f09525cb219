#include "engine/restart.h"

#include "engine_rig.h"

/* The process around the engine, as far as it is heard of. */
static struct process {
	struct rig_answer *asked;
	int checks, restarts;
	bool told_first;
	const char *refusal; /* NULL: it would come up */
} PROCESS;

static int
may_restart(void *ctx, struct err *e)
{
	struct process *p = ctx;

	p->checks++;
	return p->refusal ? err_set(e, ERR_CONFLICT, "%s", p->refusal) : 0;
}

static void
restart(void *ctx)
{
	struct process *p = ctx;

	p->restarts++;
	p->told_first = p->asked->done;
}

static void
begin(struct engine_rig *r)
{
	engine_rig_init(r, false);
	PROCESS = (struct process){ 0 };
	r->en->config.process = (struct engine_process){ may_restart, restart, &PROCESS };
	r->en->config.settings.drain_ms = 60000;
}

/* key NULL: none. */
static struct rig_answer *
ask(struct engine_rig *r, const struct engine_caller *caller, const char *key)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_repeat repeat = { .scope = STR("s"), .key = str_of(key ? key : "") };

	a->rig = r;
	PROCESS.asked = a;
	engine_restart(r->en, &(struct engine_call){ .caller = caller ? caller : &r->owner,
						     .repeat = &repeat,
						     .done = rig_answered,
						     .ctx = a });
	assert_false(a->done); /* never from inside */
	engine_rig_await(r, &a->done);
	return a;
}

static void
run_a_turn(struct engine_rig *r)
{
	rig_open(r, NULL, "cli:a");
	rig_expect(rig_say(r, &(struct engine_message){ .text = STR("wait 30\nsay done") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	while (engine_self(r->en).running_turns == 0)
		virtual_host_settle(&r->host);
}

static void
H5_an_owner_has_it_restarted_and_is_told_first(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	begin(&r);
	run_a_turn(&r);
	a = ask(&r, NULL, *state);
	rig_expect(a, 0, NULL);
	check_str("instance", a->id, engine_self(r.en).instance);
	check_str("data", a->data,
		  arena_printf(&r.arena,
			       "{\"type\":\"server_restart\",\"instance_id\":\"" STR_FMT
			       "\",\"running_turns\":1,\"drain_timeout_ms\":60000}",
			       STR_ARG(a->id)));
	assert_int_equal(PROCESS.checks, 1);
	assert_int_equal(PROCESS.restarts, 1);
	assert_true(PROCESS.told_first);
	engine_rig_release(&r);
}

static void
H5_nobody_else_may_restart_it(void **state)
{
	struct engine_rig r;

	(void)state;
	begin(&r);
	rig_expect(ask(&r, rig_person(&r, "ann"), NULL), ERR_NOT_FOUND, "operator");
	rig_expect(ask(&r, rig_channel(&r, "telegram"), "k"), ERR_NOT_FOUND, "operator");
	assert_int_equal(PROCESS.checks + PROCESS.restarts, 0);
	engine_rig_release(&r);
}

static void
A10_a_repeat_does_not_restart_it_again(void **state)
{
	struct engine_rig r;
	struct str first;

	(void)state;
	begin(&r);
	first = ask(&r, NULL, "k")->data;
	engine_rig_restart(&r); /* whoever lost the answer asks the next instance */
	r.en->config.process = (struct engine_process){ may_restart, restart, &PROCESS };
	rig_expect(ask(&r, NULL, "k"), 0, NULL);
	assert_true(PROCESS.asked->replayed);
	check_str("the same", PROCESS.asked->data, first);
	assert_int_equal(PROCESS.restarts, 1);
	engine_rig_release(&r);
}

static void
H5_what_would_not_come_up_again_goes_on_serving(void **state)
{
	struct engine_rig r;

	(void)state;
	begin(&r);
	PROCESS.refusal = "perdure.yaml:1: listen: no such address";
	rig_expect(ask(&r, NULL, "k"), ERR_CONFLICT, "listen");
	assert_int_equal(PROCESS.restarts, 0);
	PROCESS.refusal = NULL; /* and the same request may come again */
	rig_expect(ask(&r, NULL, "k"), 0, NULL);
	assert_int_equal(PROCESS.restarts, 1);
	r.en->config.process = (struct engine_process){ 0 };
	rig_expect(ask(&r, NULL, NULL), ERR_CONFLICT, "cannot restart itself");
	engine_rig_drain(&r, r.en);
	rig_expect(ask(&r, NULL, NULL), ERR_UNAVAILABLE, "try again");
	engine_rig_release(&r);
}

static void
H5_an_instance_knows_what_it_came_upon(void **state)
{
	struct engine_rig r;
	struct str before;

	(void)state;
	begin(&r);
	assert_int_equal(engine_self(r.en).carried_over, 0);
	assert_int_equal(engine_self(r.en).running_turns, 0);
	assert_int_equal(engine_self(r.en).started_at_ms, RIG_NOW_MS);
	run_a_turn(&r);
	assert_int_equal(engine_self(r.en).running_turns, 1);
	before = arena_str(&r.arena, engine_self(r.en).instance);
	assert_true(str_starts(before, STR("srv_")));
	engine_rig_restart(&r);
	assert_int_equal(engine_self(r.en).carried_over, 1);
	assert_false(str_eq(engine_self(r.en).instance, before));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	suite_add(&s, "H5 an owner has it restarted and is told first",
		  H5_an_owner_has_it_restarted_and_is_told_first, NULL);
	suite_add(&s, "H5 the same with a key", H5_an_owner_has_it_restarted_and_is_told_first,
		  "k");
	SUITE_TEST(&s, H5_nobody_else_may_restart_it);
	SUITE_TEST(&s, A10_a_repeat_does_not_restart_it_again);
	SUITE_TEST(&s, H5_what_would_not_come_up_again_goes_on_serving);
	SUITE_TEST(&s, H5_an_instance_knows_what_it_came_upon);
	return suite_run(&s, "engine/restart");
}
