#include "engine/actor.h"

#include "engine/agent_cache.h"
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

static void
say(struct engine_rig *r, const char *session)
{
	rig_expect(rig_say(r, &(struct engine_message){ .text = STR("say a") },
			   (struct rig_call){ .id = str_of(session) }),
		   0, NULL);
	virtual_host_settle(&r->host);
}

/* One is watched all the time; of the other nothing is left between its turns. The prepared agent is not
 * the actor's: it stays without one. */
static void
T17_one_that_nothing_keeps_is_dropped_and_built_again_the_same(void **state)
{
	struct engine_rig r;
	struct engine_watch watch = { .on_event = on_event };

	(void)state;
	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:watched");
	rig_open(&r, NULL, "cli:alone");
	list_init(&watch.node);
	engine_watch_session(r.en, STR("cli:watched"), &watch);
	for (int i = 0; i < 3; i++) {
		say(&r, "cli:watched");
		say(&r, "cli:alone");
		assert_null(actor_find(r.en, STR("cli:alone")));
		assert_int_equal(engine_stats(r.en).live_sessions, 1);
		assert_int_equal(engine_stats(r.en).kept_agents, 2);
		agent_cache_evict(r.en->agents, STR("cli:alone"));
		assert_int_equal(engine_stats(r.en).kept_agents, 1);
	}
	assert_int_equal(engine_rig_session(&r, "cli:alone")->row.head_seq,
			 engine_rig_session(&r, "cli:watched")->row.head_seq);
	check_str("log", engine_rig_log(&r, "cli:alone", 1), engine_rig_log(&r, "cli:watched", 1));
	engine_unwatch(&watch);
	assert_int_equal(engine_stats(r.en).live_sessions, 0);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, an_actor_lives_while_something_keeps_it);
	SUITE_TEST(&s, a_message_that_is_being_written_keeps_it);
	SUITE_TEST(&s, a_turn_keeps_it_and_its_end_frees_it);
	SUITE_TEST(&s, T17_one_that_nothing_keeps_is_dropped_and_built_again_the_same);
	return suite_run(&s, "engine/actor");
}
