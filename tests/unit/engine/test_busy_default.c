#include "engine/busy_default.h"

#include "lane_rig.h"

#define DM    "{'source':{'platform':'telegram','chat_id':'1','user_id':'u','user_name':'Ann'}}"
#define OTHER "{'source':{'platform':'slack','chat_id':'1','user_id':'u'}}"
#define EVENT "[{'type':'user.message','content':[{'type':'text','text':'say e'}]}]"

static enum busy_mode
rejects_on_telegram(void *ctx, struct str platform)
{
	(void)ctx;
	return str_eq(platform, STR("telegram")) ? BUSY_REJECT : BUSY_QUEUE;
}

static void
say_platforms(struct engine_rig *r)
{
	r->en->config.policies.busy = rejects_on_telegram;
	r->en->config.settings.busy_by_platform = true;
}

static struct rig_answer *
say(struct engine_rig *r, struct str session, const char *text)
{
	return rig_say(r, &(struct engine_message){ .text = str_of(text) },
		       (struct rig_call){ .id = session });
}

static struct rig_answer *
say_busy(struct engine_rig *r, struct str session, enum busy_mode busy)
{
	return rig_say(
		r, &(struct engine_message){ .text = STR("say x"), .has_busy = true, .busy = busy },
		(struct rig_call){ .id = session });
}

static void
set_busy(struct engine_rig *r, struct str lane, const char *body)
{
	rig_expect(rig_change(r, engine_lane_update, (struct rig_call){ .id = lane, .body = body }),
		   0, NULL);
}

/* A conversation in which a turn runs. */
static struct rig_answer *
begin(struct engine_rig *r, const char *source)
{
	struct rig_answer *lane = resolve(r, source);

	rig_expect(say(r, lane->id, "wait 600"), 0, NULL);
	return lane;
}

static void
Q3_a_platform_has_its_own_mode(void **state)
{
	struct rig_answer *lane, *other;
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	assert_false(busy_default_is_particular(r.en));
	say_platforms(&r);
	lane = begin(&r, DM);
	other = begin(&r, OTHER);
	rig_expect(say(&r, lane->id, "say a"), ERR_CONFLICT, "busy");
	rig_expect(say(&r, other->id, "say a"), 0, NULL);
	rig_open(&r, NULL, "cli:a");
	rig_expect(say(&r, STR("cli:a"), "wait 600"), 0, NULL);
	rig_expect(say(&r, STR("cli:a"), "say a"), 0, NULL);
	engine_rig_release(&r);
}

static void
Q3_a_lane_wins_over_its_platform_and_a_message_over_both(void **state)
{
	struct rig_answer *lane;
	struct engine_rig r;
	struct lane_entry before;

	engine_rig_init(&r, *state != NULL);
	say_platforms(&r);
	lane = begin(&r, DM);
	before = stored_entry(&r, lane->lane);
	virtual_host_advance(&r.host, 5000);
	set_busy(&r, lane->lane, "{'busy':'queue'}");
	assert_int_equal(stored_entry(&r, lane->lane).updated_ms, before.updated_ms);
	rig_expect(say(&r, lane->id, "say a"), 0, NULL);
	rig_expect(say_busy(&r, lane->id, BUSY_REJECT), ERR_CONFLICT, "busy");
	set_busy(&r, lane->lane, "{'busy':'interrupt'}");
	assert_int_equal(say(&r, lane->id, "say now")->position, 1);
	assert_true(str_contains(engine_rig_log(&r, lane->id.ptr, 2), STR("interrupt")));
	rig_expect(say(&r, lane->id, "wait 600"), 0, NULL);
	set_busy(&r, lane->lane, "{'busy':'default'}");
	rig_expect(say(&r, lane->id, "say b"), ERR_CONFLICT, "busy");
	rig_expect(say_busy(&r, lane->id, BUSY_QUEUE), 0, NULL);
	rig_expect(rig_change(&r, engine_lane_update,
			      (struct rig_call){ .id = lane->lane, .body = "{'busy':'now'}" }),
		   ERR_INVALID, "busy: must be one of queue, steer");
	engine_rig_release(&r);
}

static void
Q3_an_event_queues_whatever_its_lane_says(void **state)
{
	struct rig_answer *lane;
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	lane = begin(&r, DM);
	set_busy(&r, lane->lane, "{'busy':'reject'}");
	rig_expect(say(&r, lane->id, "say a"), ERR_CONFLICT, "busy");
	rig_expect(rig_events(&r, (struct rig_call){ .id = lane->id, .body = EVENT }), 0, NULL);
	engine_rig_release(&r);
}

static void
Q3_a_lane_keeps_its_mode_over_resets_and_restarts(void **state)
{
	struct rig_answer *lane;
	struct engine_rig r;
	struct str session;

	engine_rig_init(&r, *state != NULL);
	lane = resolve(&r, DM);
	set_busy(&r, lane->lane, "{'busy':'reject'}");
	rig_expect(rig_change(&r, engine_lane_reset,
			      (struct rig_call){ .id = lane->lane, .body = "{}" }),
		   0, NULL);
	engine_rig_restart(&r);
	assert_true(busy_default_is_particular(r.en));
	session = stored_entry(&r, lane->lane).session_id;
	assert_false(str_eq(session, lane->id));
	rig_expect(say(&r, session, "wait 600"), 0, NULL);
	rig_expect(say(&r, session, "say a"), ERR_CONFLICT, "busy");
	engine_rig_release(&r);
}

int
main(void)
{
	static const struct {
		const char *name;
		CMUnitTestFunction fn;
	} ON_BOTH[] = {
		{ "Q3 a platform has its own mode", Q3_a_platform_has_its_own_mode },
		{ "Q3 a lane wins over its platform, a message over both",
		  Q3_a_lane_wins_over_its_platform_and_a_message_over_both },
		{ "Q3 an event queues whatever its lane says",
		  Q3_an_event_queues_whatever_its_lane_says },
		{ "Q3 a lane keeps its mode over resets and restarts",
		  Q3_a_lane_keeps_its_mode_over_resets_and_restarts },
	};
	struct suite s = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(ON_BOTH); i++) {
		suite_add(&s, ON_BOTH[i].name, ON_BOTH[i].fn, NULL);
		suite_add(&s, ON_BOTH[i].name, ON_BOTH[i].fn, "on disk");
	}
	return suite_run(&s, "busy_default");
}
