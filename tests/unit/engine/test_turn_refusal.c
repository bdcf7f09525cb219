#include "engine/turn_refusal.h"

#include "turn_rig.h"

static void
on_done(void *ctx, const struct commit_result *result)
{
	assert_int_equal(result->store->rc, 0);
	*(bool *)ctx = true;
}

/* A wake that was to start it is not gone: it comes again, like one whose turn failed. */
static void
H4_a_refused_wake_comes_again(void **state)
{
	struct queued_wake wake = { .item = { .id = STR("wake_1"),
					      .due_ms = 1,
					      .priority = WAKE_NORMAL,
					      .reason = STR("r") } };
	bool done = false;
	struct rig r;
	struct str body;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_put(&r, RECORD_WAKE, "wake_1", "s", "{\"id\":\"wake_1\",\"reason\":\"r\"}");
	wake.version = 1;
	commit_submit(turn_refusal_write(r.en, &(struct turn_refused){ .session = STR("s"),
								       .wakes = { &wake, 1 },
								       .reason = STR("no") }),
		      on_done, &done);
	rig_settle_until(&r, &done);
	check_str("log", rig_log(&r, "s", 2), STR("error:hook_denied_error"));
	body = rig_record(&r, RECORD_WAKE, "wake_1");
	assert_true(str_contains(body, STR("\"attempt\":1,\"parked\":false")));
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, H4_a_refused_wake_comes_again);
	return suite_run(&s, "turn_refusal");
}
