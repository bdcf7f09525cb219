#include "core/route_policy.h"

#include "core/session_key.h"
#include "harness.h"

static const struct route_row {
	const char *name;
	struct route_facts f;
	bool trigger, prefix;
} rows[] = {
	{ "P4 direct: everybody triggers", { false, ROLE_GUEST, false }, true, false },
	{ "P4 direct: owner without prefix", { false, ROLE_OWNER, false }, true, false },
	{ "P4 direct: mentioned", { false, ROLE_USER, true }, true, false },
	{ "P4 group: owner always triggers, prefixed", { true, ROLE_OWNER, false }, true, true },
	{ "P4 group: owner mentioned has no prefix", { true, ROLE_OWNER, true }, true, false },
	{ "P4 group: user mentioned triggers", { true, ROLE_USER, true }, true, false },
	{ "P4 group: guest mentioned triggers", { true, ROLE_GUEST, true }, true, false },
	{ "P4 group: user unmentioned is stored only", { true, ROLE_USER, false }, false, false },
	{ "P4 group: guest unmentioned is stored only", { true, ROLE_GUEST, false }, false, false },
	{ "P4 group: stranger unmentioned is stored only",
	  { true, ROLE_NONE, false },
	  false,
	  false },
};

static void
check_row(void **state)
{
	const struct route_row *row = *state;
	struct route_decision d = route_policy_decide(&row->f);

	assert_int_equal(d.trigger, row->trigger);
	check_str("prefix", d.prefix, row->prefix ? STR("[not directed at you] ") : STR(""));
	assert_int_equal(d.prefix.ptr != NULL, row->prefix);
}

/* A group lane that is isolated per user makes a direct session, yet nobody addressed the agent. */
static void
K3_mention_rule_applies_to_isolated_lanes(void **state)
{
	struct source s = { .platform = STR("x"),
			    .chat_type = SOURCE_GROUP,
			    .chat_id = STR("g"),
			    .user_id = STR("u") };
	struct route_facts f = { .sender_role = ROLE_USER };
	struct session_key k;
	struct arena a;

	(void)state;
	arena_init(&a);
	k = session_key_decide(&s, &SESSION_KEY_POLICY_DEFAULT, &a);
	assert_false(k.shared);
	f.in_room = k.in_room;
	assert_false(route_policy_decide(&f).trigger);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, check_row);
	SUITE_TEST(&s, K3_mention_rule_applies_to_isolated_lanes);
	return suite_run(&s, "route_policy");
}
