#include "engine/actor.h"

#include "engine/fanout.h"
#include "engine_rig.h"

static void
on_event(void *ctx, const struct store_event *ev)
{
	(void)ctx, (void)ev;
}

static void
an_actor_lives_while_something_keeps_it(void **state)
{
	struct engine_rig r;
	struct engine_watch watches[2];
	struct actor *actor;
	char name[] = "cli:a";

	(void)state;
	engine_rig_init(&r, false);
	assert_null(actor_find(r.en, STR("cli:a")));
	for (int i = 0; i < 2; i++) {
		watches[i] = (struct engine_watch){ .on_event = on_event };
		list_init(&watches[i].node);
		engine_watch_session(r.en, str_of(name), &watches[i]);
	}
	name[0] = '!'; /* it has its own copy */
	actor = actor_find(r.en, STR("cli:a"));
	assert_non_null(actor);
	assert_ptr_equal(actor_get(r.en, STR("cli:a")), actor);
	assert_int_equal(engine_stats(r.en).live_sessions, 1);
	engine_unwatch(&watches[0]);
	assert_ptr_equal(actor_find(r.en, STR("cli:a")), actor);
	engine_unwatch(&watches[1]);
	assert_null(actor_find(r.en, STR("cli:a")));
	engine_unwatch(&watches[1]); /* again is harmless */
	assert_int_equal(engine_stats(r.en).live_sessions, 0);
	engine_rig_release(&r);
}

static void
a_message_that_is_being_written_keeps_it(void **state)
{
	struct engine_rig r;
	struct actor *actor;

	(void)state;
	engine_rig_init(&r, false);
	actor = actor_get(r.en, STR("cli:a"));
	fanout_preview_start(actor, STR("e"), EVENT_AGENT_MESSAGE);
	actor_settle(actor);
	assert_ptr_equal(actor_find(r.en, STR("cli:a")), actor);
	fanout_preview_end(actor, STR("e"));
	actor_settle(actor);
	assert_null(actor_find(r.en, STR("cli:a")));
	engine_rig_release(&r);
}

static void
a_turn_keeps_it_and_its_end_frees_it(void **state)
{
	struct engine_rig r;
	struct engine_watch watch = { .on_event = on_event };

	(void)state;
	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:a");
	list_init(&watch.node);
	engine_watch_session(r.en, STR("cli:a"), &watch);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("wait 5") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	virtual_host_settle(&r.host);
	engine_unwatch(&watch); /* the last one leaves in the middle of it */
	assert_non_null(actor_find(r.en, STR("cli:a")));
	assert_int_equal(engine_stats(r.en).open_turns, 1);
	virtual_host_advance(&r.host, 6000);
	assert_null(actor_find(r.en, STR("cli:a")));
	assert_int_equal(engine_stats(r.en).open_turns, 0);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, an_actor_lives_while_something_keeps_it);
	SUITE_TEST(&s, a_message_that_is_being_written_keeps_it);
	SUITE_TEST(&s, a_turn_keeps_it_and_its_end_frees_it);
	return suite_run(&s, "engine/actor");
}
