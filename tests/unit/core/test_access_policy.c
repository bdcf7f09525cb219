#include "core/access_policy.h"

#include "base/rand.h"
#include "harness.h"

#define T(text)                           \
	{                                 \
		"" text, sizeof(text) - 1 \
	}

#define OWNER                       \
	{                           \
		.kind = TOKEN_OWNER \
	}
#define OWNER_USER                                                        \
	{                                                                 \
		.kind = TOKEN_USER, .user_id = T("o"), .role = ROLE_OWNER \
	}
#define USER                                                             \
	{                                                                \
		.kind = TOKEN_USER, .user_id = T("u"), .role = ROLE_USER \
	}
#define GUEST                                                             \
	{                                                                 \
		.kind = TOKEN_USER, .user_id = T("g"), .role = ROLE_GUEST \
	}
#define STRANGER                                      \
	{                                             \
		.kind = TOKEN_USER, .user_id = T("s") \
	}
#define UNRESOLVED                                    \
	{                                             \
		.kind = TOKEN_USER, .role = ROLE_USER \
	}
#define CHANNEL                                             \
	{                                                   \
		.kind = TOKEN_CHANNEL, .namespace = T("tg") \
	}
#define SENDER(r)                                                                       \
	{                                                                               \
		.kind = TOKEN_CHANNEL, .namespace = T("tg"), .sender_channel = T("tg"), \
		.user_id = T("u"), .role = (r)                                          \
	}
#define IMPOSTOR                                                                          \
	{                                                                                 \
		.kind = TOKEN_CHANNEL, .namespace = T("tg"), .sender_channel = T("slack") \
	}
#define WORKER                       \
	{                            \
		.kind = TOKEN_WORKER \
	}
#define ENVIRONMENT                                                  \
	{                                                            \
		.kind = TOKEN_ENVIRONMENT, .environment_id = T("e1") \
	}

#define ITEM                                                                              \
	{                                                                                 \
		.kind = TOKEN_ENVIRONMENT, .environment_id = T("e1"), .work_id = T("w1"), \
		.session_id = T("s1")                                                     \
	}
#define FORMER                                                                            \
	{                                                                                 \
		.kind = TOKEN_ENVIRONMENT, .environment_id = T("e1"), .work_id = T("w1"), \
		.session_id = T("s1"), .lease_lost = true                                 \
	}
#define MINE                                                \
	{                                                   \
		.session_id = T("s1"), .handed_over = true, \
	}

#define READ    ACCESS_SESSION_READ
#define POST    ACCESS_SESSION_POST
#define ANSWER  ACCESS_SESSION_ANSWER
#define CONTROL ACCESS_SESSION_CONTROL
#define MANAGE  ACCESS_SESSION_MANAGE
#define RESUME  ACCESS_SESSION_RESUME
#define DELETE  ACCESS_SESSION_DELETE

#define PLAIN                    \
	{                        \
		.running = false \
	}
#define OK                              \
	{                               \
		ACCESS_ALLOW, ACCESS_OK \
	}
#define HIDDEN                                       \
	{                                            \
		ACCESS_NOT_FOUND, ACCESS_NO_STANDING \
	}
#define DENIED                                       \
	{                                            \
		ACCESS_FORBIDDEN, ACCESS_NO_STANDING \
	}
#define BUT(why)                     \
	{                            \
		ACCESS_CONFLICT, why \
	}

static const struct access_row {
	const char *name;
	struct principal p;
	enum access_verb verb;
	struct access_target t;
	struct access_decision want;
} rows[] = {
	/* participants */
	{ "P2 owner reads everything", OWNER, READ, PLAIN, OK },
	{ "P2 owner by role reads everything", OWNER_USER, READ, PLAIN, OK },
	{ "P2 owner posts anywhere", OWNER, POST, PLAIN, OK },
	{ "P2 owner controls anything", OWNER_USER, CONTROL, PLAIN, OK },
	{ "P2 participant reads", USER, READ, { .takes_part = true }, OK },
	{ "P2 participant posts", GUEST, POST, { .takes_part = true }, OK },
	{ "P2 participant controls", USER, CONTROL, { .takes_part = true }, OK },
	{ "P2 participant manages", USER, MANAGE, { .takes_part = true }, OK },
	{ "P2 participant answers", USER, ANSWER, { .takes_part = true }, OK },
	{ "P2 others do not see it", USER, READ, PLAIN, HIDDEN },
	{ "P2 others do not post", USER, POST, PLAIN, HIDDEN },
	{ "P2 others do not delete", USER, DELETE, PLAIN, HIDDEN },
	{ "P2 a denial hides the state", USER, DELETE, { .running = true }, HIDDEN },
	{ "P2 a denial hides the archive", USER, POST, { .archived = true }, HIDDEN },
	{ "P2 an unresolved caller is nobody", UNRESOLVED, READ, { .takes_part = true }, HIDDEN },
	{ "P2 an unresolved caller uses no agent", UNRESOLVED, ACCESS_AGENT_USE, PLAIN, HIDDEN },
	/* workspace members */
	{ "P2 member reads surface group",
	  USER,
	  READ,
	  { .workspace_member = true, .surface_group = true, .is_group = true },
	  OK },
	{ "P2 member posts in surface group",
	  USER,
	  POST,
	  { .workspace_member = true, .surface_group = true, .is_group = true },
	  OK },
	{ "P2 member does not control it",
	  USER,
	  CONTROL,
	  { .workspace_member = true, .surface_group = true, .is_group = true },
	  HIDDEN },
	{ "P2 platform groups stay participant-only",
	  USER,
	  READ,
	  { .workspace_member = true, .is_group = true },
	  HIDDEN },
	{ "P2 no member, no surface group", USER, READ, { .surface_group = true }, HIDDEN },
	/* channel tokens */
	{ "P3 channel posts in its namespace", CHANNEL, POST, { .session_id = T("tg:1") }, OK },
	{ "P3 channel reads its namespace", CHANNEL, READ, { .session_id = T("tg:1") }, OK },
	{ "P3 channel elsewhere", CHANNEL, READ, { .session_id = T("slack:1") }, HIDDEN },
	{ "P3 channel needs the whole namespace",
	  CHANNEL,
	  POST,
	  { .session_id = T("tgx:1") },
	  HIDDEN },
	{ "P3 channel is hidden even from a participant's session",
	  SENDER(ROLE_USER),
	  READ,
	  { .session_id = T("web:1"), .takes_part = true },
	  HIDDEN },
	{ "P3 channel is bound even for an owner",
	  SENDER(ROLE_OWNER),
	  READ,
	  { .session_id = T("web:1") },
	  HIDDEN },
	{ "P3 sender of another channel", IMPOSTOR, POST, { .session_id = T("tg:1") }, HIDDEN },
	{ "P3 a new sender may speak", SENDER(ROLE_NONE), POST, { .session_id = T("tg:1") }, OK },
	{ "P3 a new sender may not control",
	  SENDER(ROLE_USER),
	  CONTROL,
	  { .session_id = T("tg:1") },
	  HIDDEN },
	{ "P3 a sender who takes part may",
	  SENDER(ROLE_GUEST),
	  CONTROL,
	  { .session_id = T("tg:1"), .takes_part = true },
	  OK },
	{ "P3 an owner may from the channel",
	  SENDER(ROLE_OWNER),
	  CONTROL,
	  { .session_id = T("tg:1") },
	  OK },
	{ "P3 the adapter itself may", CHANNEL, CONTROL, { .session_id = T("tg:1") }, OK },
	/* workers and environments */
	{ "P3 environment polls its own work",
	  ENVIRONMENT,
	  ACCESS_ENVIRONMENT_WORK,
	  { .environment_id = T("e1") },
	  OK },
	{ "P3 environment reads itself",
	  ENVIRONMENT,
	  ACCESS_ENVIRONMENT_READ,
	  { .environment_id = T("e1") },
	  OK },
	{ "P3 another environment is hidden",
	  ENVIRONMENT,
	  ACCESS_ENVIRONMENT_WORK,
	  { .environment_id = T("e2") },
	  HIDDEN },
	{ "P3 environment does not manage itself",
	  ENVIRONMENT,
	  ACCESS_ENVIRONMENT_MANAGE,
	  { .environment_id = T("e1") },
	  DENIED },
	{ "P3 environment reads what it was handed",
	  ENVIRONMENT,
	  READ,
	  { .handed_over = true },
	  OK },
	{ "P3 environment answers what it was handed",
	  ENVIRONMENT,
	  ANSWER,
	  { .handed_over = true },
	  OK },
	{ "P3 environment says nothing itself",
	  ENVIRONMENT,
	  POST,
	  { .handed_over = true },
	  DENIED },
	{ "P3 another session is hidden from an environment", ENVIRONMENT, READ, PLAIN, HIDDEN },
	{ "T11 the secret of an item reads its session", ITEM, READ, MINE, OK },
	{ "T11 it answers there", ITEM, ANSWER, MINE, OK },
	{ "T11 it says nothing itself", ITEM, POST, MINE, DENIED },
	{ "T11 it approves nothing", ITEM, CONTROL, MINE, DENIED },
	{ "T11 another session of the environment is hidden from it",
	  ITEM,
	  READ,
	  { .session_id = T("s2"), .handed_over = true },
	  HIDDEN },
	{ "T11 it speaks of its item",
	  ITEM,
	  ACCESS_ENVIRONMENT_WORK,
	  { .environment_id = T("e1"), .work_id = T("w1") },
	  OK },
	{ "T11 not of another",
	  ITEM,
	  ACCESS_ENVIRONMENT_WORK,
	  { .environment_id = T("e1"), .work_id = T("w2") },
	  HIDDEN },
	{ "T11 nor of one elsewhere",
	  ITEM,
	  ACCESS_ENVIRONMENT_WORK,
	  { .environment_id = T("e2"), .work_id = T("w1") },
	  HIDDEN },
	{ "T11 it does not poll",
	  ITEM,
	  ACCESS_ENVIRONMENT_WORK,
	  { .environment_id = T("e1") },
	  HIDDEN },
	{ "T11 a lost lease ends its way to the session", FORMER, READ, MINE, HIDDEN },
	{ "T11 and its word there", FORMER, ANSWER, MINE, HIDDEN },
	{ "T11 but it may ask about its item",
	  FORMER,
	  ACCESS_ENVIRONMENT_WORK,
	  { .environment_id = T("e1"), .work_id = T("w1") },
	  OK },
	{ "T11 an environment speaks of all its items",
	  ENVIRONMENT,
	  ACCESS_ENVIRONMENT_WORK,
	  { .environment_id = T("e1"), .work_id = T("w2") },
	  OK },
	{ "P7 there are no agents for an environment", ENVIRONMENT, ACCESS_AGENT_READ, PLAIN,
	  HIDDEN },
	{ "P7 it uses none", ENVIRONMENT, ACCESS_AGENT_USE, PLAIN, HIDDEN },
	{ "P7 nor manages one", ENVIRONMENT, ACCESS_AGENT_MANAGE, PLAIN, HIDDEN },
	{ "P7 nor overrides one", ENVIRONMENT, ACCESS_AGENT_OVERRIDE, PLAIN, HIDDEN },
	{ "P7 there are none for a worker", WORKER, ACCESS_AGENT_READ, PLAIN, HIDDEN },
	{ "P3 environment on users is 403", ENVIRONMENT, ACCESS_USERS, PLAIN, DENIED },
	{ "P3 environment on tokens is 403", ENVIRONMENT, ACCESS_TOKENS, PLAIN, DENIED },
	{ "P3 worker connects", WORKER, ACCESS_WORKER_CONNECT, PLAIN, OK },
	{ "P3 worker answers what it was handed", WORKER, ANSWER, { .handed_over = true }, OK },
	{ "P3 worker elsewhere", WORKER, READ, PLAIN, HIDDEN },
	{ "P3 worker says nothing itself", WORKER, POST, { .handed_over = true }, HIDDEN },
	{ "P3 worker polls no environment",
	  WORKER,
	  ACCESS_ENVIRONMENT_WORK,
	  { .environment_id = T("e1") },
	  HIDDEN },
	{ "P3 a user is no worker", USER, ACCESS_WORKER_CONNECT, PLAIN, HIDDEN },
	{ "P3 an environment token without environment",
	  { .kind = TOKEN_ENVIRONMENT },
	  ACCESS_ENVIRONMENT_WORK,
	  PLAIN,
	  HIDDEN },
	/* the operator's */
	{ "P3 only owners make tokens", USER, ACCESS_TOKENS, PLAIN, HIDDEN },
	{ "P3 owners make tokens", OWNER, ACCESS_TOKENS, PLAIN, OK },
	{ "P2 only owners manage users", USER, ACCESS_USERS, PLAIN, HIDDEN },
	{ "P2 only owners manage agents", USER, ACCESS_AGENT_MANAGE, PLAIN, HIDDEN },
	{ "P2 owners manage environments", OWNER, ACCESS_ENVIRONMENT_MANAGE, PLAIN, OK },
	{ "P2 only owners manage the server", CHANNEL, ACCESS_SERVER, PLAIN, HIDDEN },
	/* delete */
	{ "P6 a direct session is deleted", USER, DELETE, { .takes_part = true }, OK },
	{ "P6 not while running",
	  USER,
	  DELETE,
	  { .takes_part = true, .running = true },
	  BUT(ACCESS_IS_RUNNING) },
	{ "P6 not while awaiting approval",
	  OWNER,
	  DELETE,
	  { .awaiting_approval = true },
	  BUT(ACCESS_IS_AWAITING) },
	{ "P6 group sessions are kept",
	  OWNER,
	  DELETE,
	  { .is_group = true },
	  BUT(ACCESS_GROUP_KEPT) },
	{ "P6 so are those of surface group",
	  OWNER,
	  DELETE,
	  { .surface_group = true },
	  BUT(ACCESS_GROUP_KEPT) },
	{ "P6 group is named before running",
	  OWNER,
	  DELETE,
	  { .is_group = true, .running = true },
	  BUT(ACCESS_GROUP_KEPT) },
	{ "P6 an archived session is deleted", OWNER, DELETE, { .archived = true }, OK },
	{ "P6 a terminated session is deleted", OWNER, DELETE, { .terminated = true }, OK },
	/* levels */
	{ "P7 public lets a stranger in",
	  STRANGER,
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PUBLIC },
	  OK },
	{ "P7 protected keeps a stranger out",
	  STRANGER,
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PROTECTED },
	  HIDDEN },
	{ "P7 protected lets a guest of its own in",
	  STRANGER,
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PROTECTED, .role = ROLE_GUEST },
	  OK },
	{ "P7 what somebody is elsewhere does not count",
	  USER,
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PROTECTED },
	  HIDDEN },
	{ "P7 private keeps its guests out",
	  USER,
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PRIVATE, .role = ROLE_GUEST },
	  HIDDEN },
	{ "P7 private lets a user of its own in",
	  GUEST,
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PRIVATE, .role = ROLE_USER },
	  OK },
	{ "P7 private keeps users out",
	  USER,
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PRIVATE },
	  HIDDEN },
	{ "P7 private lets an owner by role in",
	  OWNER_USER,
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PRIVATE },
	  OK },
	{ "P7 private lets the owner in",
	  OWNER,
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PRIVATE },
	  OK },
	{ "P7 a private agent is not even seen",
	  GUEST,
	  ACCESS_AGENT_READ,
	  { .level = ACCESS_PRIVATE },
	  HIDDEN },
	{ "P7 the level binds senders of a channel",
	  SENDER(ROLE_GUEST),
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PRIVATE },
	  HIDDEN },
	{ "P7 the level binds the channel itself",
	  CHANNEL,
	  ACCESS_AGENT_READ,
	  { .level = ACCESS_PROTECTED },
	  HIDDEN },
	{ "P7 the level lets a channel's user in",
	  SENDER(ROLE_NONE),
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PRIVATE, .role = ROLE_USER },
	  OK },
	{ "P7 an impostor opens nothing",
	  IMPOSTOR,
	  ACCESS_AGENT_USE,
	  { .level = ACCESS_PUBLIC },
	  HIDDEN },
	{ "P7 those inside do not stay inside",
	  GUEST,
	  POST,
	  { .takes_part = true, .level = ACCESS_PRIVATE },
	  HIDDEN },
	{ "P7 they do not even read",
	  USER,
	  READ,
	  { .takes_part = true, .level = ACCESS_PROTECTED },
	  HIDDEN },
	{ "P7 those with a role stay",
	  GUEST,
	  POST,
	  { .takes_part = true, .level = ACCESS_PROTECTED, .role = ROLE_GUEST },
	  OK },
	{ "P7 a role does not make a participant",
	  USER,
	  READ,
	  { .level = ACCESS_PRIVATE, .role = ROLE_USER },
	  HIDDEN },
	{ "P7 a channel loses its sessions too",
	  CHANNEL,
	  READ,
	  { .session_id = T("tg:1"), .level = ACCESS_PROTECTED },
	  HIDDEN },
	{ "P7 members of a workspace too",
	  USER,
	  READ,
	  { .workspace_member = true, .surface_group = true, .level = ACCESS_PRIVATE },
	  HIDDEN },
	{ "P7 an executor stays: the session was handed over",
	  ENVIRONMENT,
	  ANSWER,
	  { .handed_over = true, .level = ACCESS_PRIVATE },
	  OK },
	{ "M2 an owner overrides", OWNER_USER, ACCESS_AGENT_OVERRIDE, PLAIN, OK },
	{ "M2 others know why they may not", USER, ACCESS_AGENT_OVERRIDE, PLAIN, DENIED },
	{ "M2 unless the agent is hidden from them",
	  USER,
	  ACCESS_AGENT_OVERRIDE,
	  { .level = ACCESS_PRIVATE },
	  HIDDEN },
	{ "P7 an archived agent opens no session",
	  OWNER,
	  ACCESS_AGENT_USE,
	  { .agent_archived = true },
	  BUT(ACCESS_AGENT_ARCHIVED) },
	{ "P7 an archived agent is still read",
	  USER,
	  ACCESS_AGENT_READ,
	  { .agent_archived = true },
	  OK },
	/* resume */
	{ "P7 resume one's own", USER, RESUME, { .takes_part = true }, OK },
	{ "P7 resume across users is impossible", USER, RESUME, { .lane_foreign = true }, HIDDEN },
	{ "P7 also into another's lane",
	  USER,
	  RESUME,
	  { .takes_part = true, .lane_foreign = true },
	  { ACCESS_NOT_FOUND, ACCESS_OTHER_PEOPLE } },
	{ "P7 also for an owner",
	  OWNER,
	  RESUME,
	  { .lane_foreign = true },
	  { ACCESS_NOT_FOUND, ACCESS_OTHER_PEOPLE } },
	{ "P7 an owner resumes otherwise", OWNER, RESUME, PLAIN, OK },
	{ "P7 a member does not resume a group",
	  USER,
	  RESUME,
	  { .workspace_member = true, .surface_group = true },
	  HIDDEN },
	{ "P7 resume un-archives", USER, RESUME, { .takes_part = true, .archived = true }, OK },
	{ "P7 terminated is final",
	  OWNER,
	  RESUME,
	  { .terminated = true },
	  BUT(ACCESS_IS_TERMINATED) },
	/* lifecycle */
	{ "P2 an archived session is read",
	  USER,
	  READ,
	  { .takes_part = true, .archived = true },
	  OK },
	{ "P2 sending to an archived one is a conflict",
	  USER,
	  POST,
	  { .takes_part = true, .archived = true },
	  BUT(ACCESS_IS_ARCHIVED) },
	{ "P2 answering an archived one too",
	  USER,
	  ANSWER,
	  { .takes_part = true, .archived = true },
	  BUT(ACCESS_IS_ARCHIVED) },
	{ "P2 sending to a terminated one is a conflict",
	  OWNER,
	  POST,
	  { .terminated = true, .archived = true },
	  BUT(ACCESS_IS_TERMINATED) },
	{ "P2 answering a terminated one too",
	  OWNER,
	  ANSWER,
	  { .terminated = true },
	  BUT(ACCESS_IS_TERMINATED) },
	{ "P2 sending while running is the queue's business",
	  USER,
	  POST,
	  { .takes_part = true, .running = true },
	  OK },
};

static void
check_row(void **state)
{
	const struct access_row *row = *state;
	struct access_decision got = access_policy_decide(&row->p, row->verb, &row->t);

	assert_int_equal(got.answer, row->want.answer);
	assert_int_equal(got.reason, row->want.reason);
}

static void
P7_levels_read_back(void **state)
{
	enum access_level level;

	(void)state;
	for (enum access_level l = ACCESS_PUBLIC; l <= ACCESS_PRIVATE; l++) {
		assert_true(access_level_parse(str_of(access_level_name(l)), &level));
		assert_int_equal(level, l);
	}
	assert_false(access_level_parse(STR("open"), &level));
}

static void
P2_every_reason_has_its_sentence(void **state)
{
	(void)state;
	for (enum access_reason r = ACCESS_OK; r <= ACCESS_IS_AWAITING; r++)
		for (enum access_reason q = ACCESS_OK; q < r; q++)
			assert_string_not_equal(access_reason_text(r), access_reason_text(q));
}

static void
P2_a_denial_names_the_kind_of_thing(void **state)
{
	static const char *const KINDS[] = {
		[ACCESS_SESSION_DELETE] = "session", [ACCESS_AGENT_MANAGE] = "agent",
		[ACCESS_ENVIRONMENT_WORK] = "work",  [ACCESS_ENVIRONMENT_READ] = "environment",
		[ACCESS_WORKER_CONNECT] = "worker",  [ACCESS_USERS] = "user",
		[ACCESS_TOKENS] = "token",           [ACCESS_SERVER] = "operator",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (KINDS[i])
			assert_non_null(strstr(access_absent_text((enum access_verb)i), KINDS[i]));
}

static struct access_target
pick_target(struct rand *r)
{
	static const struct str IDS[] = { T("tg:1"), T("web:1"), T("") };
#define COIN (rand_below(r, 2) == 1)
	return (struct access_target){
		.session_id = IDS[rand_below(r, 3)],
		.takes_part = COIN,
		.workspace_member = COIN,
		.surface_group = COIN,
		.is_group = COIN,
		.handed_over = COIN,
		.lane_foreign = COIN,
		.running = COIN,
		.awaiting_approval = COIN,
		.archived = COIN,
		.terminated = COIN,
		.level = (enum access_level)rand_below(r, 3),
		.agent_archived = COIN,
	};
#undef COIN
}

/* One who is nothing to a session is told the same whatever its state; an owner is never told
 * "not found" but for a foreign lane. */
static void
P2_property_strangers_learn_nothing(void **state)
{
	uint64_t seeds = suite_seeds(5000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		const struct principal stranger = STRANGER, owner = OWNER;
		struct access_target t;
		struct access_decision d;
		enum access_verb verb;
		struct rand r;

		rand_init_seed(&r, seed);
		t = pick_target(&r);
		verb = (enum access_verb)rand_below(&r, ACCESS_VERB_COUNT);
		d = access_policy_decide(&owner, verb, &t);
		if (d.answer == ACCESS_FORBIDDEN ||
		    (d.answer == ACCESS_NOT_FOUND && !(verb == RESUME && t.lane_foreign)))
			fail_msg("seed %llu: an owner was denied", (unsigned long long)seed);
		t.takes_part = t.workspace_member = false;
		d = access_policy_decide(&stranger, (enum access_verb)(verb % (DELETE + 1)), &t);
		if (d.answer != ACCESS_NOT_FOUND || d.reason != ACCESS_NO_STANDING)
			fail_msg("seed %llu: a stranger saw something", (unsigned long long)seed);
	}
}

static void
P3_property_channels_never_leave_their_namespace(void **state)
{
	uint64_t seeds = suite_seeds(5000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		const struct principal sender = SENDER(ROLE_OWNER);
		struct access_target t;
		struct access_decision d;
		struct rand r;

		rand_init_seed(&r, seed);
		t = pick_target(&r);
		d = access_policy_decide(&sender, (enum access_verb)rand_below(&r, DELETE + 1), &t);
		if (!str_eq(t.session_id, STR("tg:1")) && d.answer != ACCESS_NOT_FOUND)
			fail_msg("seed %llu", (unsigned long long)seed);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, check_row);
	SUITE_TEST(&s, P7_levels_read_back);
	SUITE_TEST(&s, P2_every_reason_has_its_sentence);
	SUITE_TEST(&s, P2_a_denial_names_the_kind_of_thing);
	SUITE_TEST(&s, P2_property_strangers_learn_nothing);
	SUITE_TEST(&s, P3_property_channels_never_leave_their_namespace);
	return suite_run(&s, "access_policy");
}
