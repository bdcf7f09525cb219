#include "core/hook_event.h"

#include "core/event_make.h"
#include "harness.h"

#define BIT(event) (1u << (event))

static void
H4_every_event_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < HOOK_EVENTS; i++)
		assert_non_null(hook_event_name((enum hook_event)i));
	assert_string_equal(hook_event_name(HOOK_SESSION_FINALIZE), "session_finalize");
}

static unsigned
told(enum event_kind kind, struct buf *payload)
{
	struct event ev = { .kind = kind, .turn = STR("turn_1"), .payload = buf_str(payload) };
	unsigned bits = hook_event_of(&ev);

	buf_clear(payload);
	return bits;
}

static void
H4_which_commits_are_told(void **state)
{
	const struct str_list none = { 0 };
	const struct str call = STR("sevt_1");
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	event_make_created(&b, &(struct make_created){ .agent_id = STR("a"),
						       .environment_id = STR("e"),
						       .source = STR("{\"kind\":\"api\"}") });
	assert_int_equal(told(EVENT_SESSION_CREATED, &b), BIT(HOOK_SESSION_CREATE));
	event_make_idle(&b, STR("turn_1"), STOP_END_TURN, none, none);
	assert_int_equal(told(EVENT_STATUS_IDLE, &b),
			 BIT(HOOK_SESSION_SAVE) | BIT(HOOK_AFTER_TURN));
	event_make_idle(&b, STR("turn_1"), STOP_REQUIRES_ACTION, (struct str_list){ &call, 1 },
			none);
	assert_int_equal(told(EVENT_STATUS_IDLE, &b), 0);
	event_make_terminated(&b, STR("turn_1"), STR("r"), none);
	assert_int_equal(told(EVENT_STATUS_TERMINATED, &b),
			 BIT(HOOK_SESSION_SAVE) | BIT(HOOK_AFTER_TURN));
	event_make_reset(&b, STR("manual"), LIFECYCLE_ARCHIVED, STR("s2"));
	assert_int_equal(told(EVENT_SESSION_RESET, &b), BIT(HOOK_AFTER_RESET));
	event_make_deleted(&b);
	assert_int_equal(told(EVENT_SESSION_DELETED, &b), BIT(HOOK_SESSION_DELETE));
	event_make_title(&b, STR("t"), STR("user"));
	assert_int_equal(told(EVENT_SESSION_UPDATED, &b), 0);
	buf_puts(&b, "{\"type\":\"session.updated\",\"metadata\":{\"a\":\"b\"}}");
	assert_int_equal(told(EVENT_SESSION_UPDATED, &b), BIT(HOOK_SESSION_SAVE));
	event_make_agent_message(&b, STR("x"), STR("demo"), false);
	assert_int_equal(told(EVENT_AGENT_MESSAGE, &b), 0);
	buf_release(&b);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, H4_every_event_has_a_name);
	SUITE_TEST(&s, H4_which_commits_are_told);
	return suite_run(&s, "hook_event");
}
