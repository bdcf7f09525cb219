#include "core/session_key.h"

#include "base/buf.h"
#include "base/rand.h"
#include "harness.h"

#define T(text)                           \
	{                                 \
		"" text, sizeof(text) - 1 \
	}
#define PER_USER        .group_per_user = true
#define THREAD_PER_USER .thread_per_user = true

static const struct key_row {
	const char *name;
	struct source s;
	struct session_key_policy p;
	const char *want;
	bool shared;
} rows[] = {
	/* seed 003 §4, DM rules */
	{ "K2 DM with chat_id",
	  { .platform = T("telegram"), .chat_id = T("12345"), .user_id = T("u") },
	  { PER_USER },
	  "agent:main:telegram:dm:12345",
	  false },
	{ "K2 DM with chat_id + thread",
	  { .platform = T("telegram"), .chat_id = T("12345"), .thread_id = T("thread_678") },
	  { PER_USER },
	  "agent:main:telegram:dm:12345:thread_678",
	  false },
	{ "K2 DM without chat_id, with participant_id",
	  { .platform = T("signal"), .user_id = T("user_abc") },
	  { PER_USER },
	  "agent:main:signal:dm:user_abc",
	  false },
	{ "K2 DM without chat_id or participant_id",
	  { .platform = T("telegram") },
	  { PER_USER },
	  "agent:main:telegram:dm",
	  false },
	{ "K2 K4 WhatsApp DM (canonicalized)",
	  { .platform = T("whatsapp"), .chat_id = T("+491701234567:12@s.whatsapp.net") },
	  { PER_USER },
	  "agent:main:whatsapp:dm:491701234567",
	  false },
	{ "K2 DM without chat id puts the participant before the thread",
	  { .platform = T("signal"), .user_id = T("bob"), .thread_id = T("9") },
	  { PER_USER },
	  "agent:main:signal:dm:bob:9",
	  false },
	{ "K2 DM with nothing but a thread",
	  { .platform = T("signal"), .thread_id = T("9") },
	  { PER_USER },
	  "agent:main:signal:dm:9",
	  false },
	{ "K2 DM participant is user_id_alt before user_id",
	  { .platform = T("signal"), .user_id = T("+1"), .user_id_alt = T("uuid") },
	  { PER_USER },
	  "agent:main:signal:dm:uuid",
	  false },
	{ "K2 DM with chat id ignores the participant",
	  { .platform = T("signal"), .chat_id = T("c"), .user_id = T("u"), .user_id_alt = T("a") },
	  { PER_USER },
	  "agent:main:signal:dm:c",
	  false },
	{ "K3 DM is private whatever the settings",
	  { .platform = T("signal"), .chat_id = T("c"), .thread_id = T("t") },
	  { .group_per_user = false },
	  "agent:main:signal:dm:c:t",
	  false },
	{ "K3 DM without any id is private",
	  { .platform = T("signal") },
	  { .group_per_user = false },
	  "agent:main:signal:dm",
	  false },
	/* seed 003 §4, group and channel rules */
	{ "K2 Group chat",
	  { .platform = T("telegram"),
	    .chat_type = SOURCE_GROUP,
	    .chat_id = T("-10012345"),
	    .user_id = T("user_abc") },
	  { .group_per_user = false },
	  "agent:main:telegram:group:-10012345",
	  true },
	{ "K2 Group chat, per-user isolation",
	  { .platform = T("telegram"),
	    .chat_type = SOURCE_GROUP,
	    .chat_id = T("-10012345"),
	    .user_id = T("user_abc") },
	  { PER_USER },
	  "agent:main:telegram:group:-10012345:user_abc",
	  false },
	{ "K2 K3 Thread in group, shared by default",
	  { .platform = T("discord"),
	    .chat_type = SOURCE_GROUP,
	    .chat_id = T("12345"),
	    .thread_id = T("thread_678"),
	    .user_id = T("user_abc") },
	  { PER_USER },
	  "agent:main:discord:group:12345:thread_678",
	  true },
	{ "K2 Thread in group, per-user",
	  { .platform = T("discord"),
	    .chat_type = SOURCE_GROUP,
	    .chat_id = T("12345"),
	    .thread_id = T("thread_678"),
	    .user_id = T("user_abc") },
	  { PER_USER, THREAD_PER_USER },
	  "agent:main:discord:group:12345:thread_678:user_abc",
	  false },
	{ "K3 thread per user holds when groups are shared",
	  { .platform = T("discord"),
	    .chat_type = SOURCE_GROUP,
	    .chat_id = T("12345"),
	    .thread_id = T("t"),
	    .user_id = T("u") },
	  { .group_per_user = false, THREAD_PER_USER },
	  "agent:main:discord:group:12345:t:u",
	  false },
	{ "K3 thread setting does not touch groups",
	  { .platform = T("discord"),
	    .chat_type = SOURCE_GROUP,
	    .chat_id = T("12345"),
	    .user_id = T("u") },
	  { .group_per_user = false, THREAD_PER_USER },
	  "agent:main:discord:group:12345",
	  true },
	{ "K2 K3 Channel without participant is shared",
	  { .platform = T("slack"), .chat_type = SOURCE_CHANNEL, .chat_id = T("C12345") },
	  { PER_USER },
	  "agent:main:slack:channel:C12345",
	  true },
	{ "K2 Channel with participant is isolated",
	  { .platform = T("slack"),
	    .chat_type = SOURCE_CHANNEL,
	    .chat_id = T("C12345"),
	    .user_id = T("U1") },
	  { PER_USER },
	  "agent:main:slack:channel:C12345:U1",
	  false },
	{ "K2 K4 WhatsApp group (canonicalized)",
	  { .platform = T("whatsapp"),
	    .chat_type = SOURCE_GROUP,
	    .chat_id = T("120363025246125486@g.us"),
	    .user_id = T("491701234567@s.whatsapp.net") },
	  { PER_USER },
	  "agent:main:whatsapp:group:120363025246125486:491701234567",
	  false },
	{ "K3 thread without participant is shared even per user",
	  { .platform = T("slack"),
	    .chat_type = SOURCE_THREAD,
	    .chat_id = T("C1"),
	    .thread_id = T("17.5") },
	  { PER_USER, THREAD_PER_USER },
	  "agent:main:slack:thread:C1:17.5",
	  true },
	{ "K2 chat_type thread with thread_id follows the thread rule",
	  { .platform = T("slack"),
	    .chat_type = SOURCE_THREAD,
	    .chat_id = T("C1"),
	    .thread_id = T("17.5"),
	    .user_id = T("u") },
	  { PER_USER },
	  "agent:main:slack:thread:C1:17.5",
	  true },
	{ "K2 chat_type thread without thread_id follows the group rule",
	  { .platform = T("slack"),
	    .chat_type = SOURCE_THREAD,
	    .chat_id = T("C1"),
	    .user_id = T("u") },
	  { PER_USER },
	  "agent:main:slack:thread:C1:u",
	  false },
	{ "K2 chat_type thread without thread_id, groups shared",
	  { .platform = T("slack"),
	    .chat_type = SOURCE_THREAD,
	    .chat_id = T("C1"),
	    .user_id = T("u") },
	  { .group_per_user = false, THREAD_PER_USER },
	  "agent:main:slack:thread:C1",
	  true },
	{ "K2 group participant is user_id_alt before user_id",
	  { .platform = T("feishu"),
	    .chat_type = SOURCE_GROUP,
	    .chat_id = T("g"),
	    .user_id = T("open"),
	    .user_id_alt = T("union") },
	  { PER_USER },
	  "agent:main:feishu:group:g:union",
	  false },
	{ "K2 group without a chat id",
	  { .platform = T("irc"), .chat_type = SOURCE_GROUP, .user_id = T("u") },
	  { PER_USER },
	  "agent:main:irc:group:u",
	  false },
	{ "K2 group with nothing collapses, shared",
	  { .platform = T("irc"), .chat_type = SOURCE_GROUP },
	  { PER_USER },
	  "agent:main:irc:group",
	  true },
	{ "K2 ids stay raw",
	  { .platform = T("matrix"),
	    .chat_type = SOURCE_GROUP,
	    .chat_id = T("!r:host"),
	    .user_id = T("@b:host") },
	  { PER_USER },
	  "agent:main:matrix:group:!r:host:@b:host",
	  false },
	{ "K2 only WhatsApp ids are normalised",
	  { .platform = T("signal"), .chat_id = T("+49:1@x") },
	  { PER_USER },
	  "agent:main:signal:dm:+49:1@x",
	  false },
	{ "K2 the thread id is raw on WhatsApp too",
	  { .platform = T("whatsapp"), .chat_id = T("49@x"), .thread_id = T("+1@t") },
	  { PER_USER },
	  "agent:main:whatsapp:dm:49:+1@t",
	  false },
	{ "K2 other fields do not enter the key",
	  { .platform = T("discord"),
	    .chat_id = T("c"),
	    .chat_name = T("n"),
	    .user_name = T("n"),
	    .chat_topic = T("n"),
	    .chat_id_alt = T("n"),
	    .guild_id = T("n"),
	    .parent_chat_id = T("n"),
	    .message_id = T("n"),
	    .is_bot = true,
	    .role_authorized = true },
	  { PER_USER },
	  "agent:main:discord:dm:c",
	  false },
	{ "K2 the second segment is the agent id",
	  { .platform = T("telegram"), .chat_id = T("1") },
	  { T("helper"), PER_USER },
	  "agent:helper:telegram:dm:1",
	  false },
	{ "K4 an empty WhatsApp id counts as absent",
	  { .platform = T("whatsapp"), .chat_id = T("@s.whatsapp.net"), .user_id = T("+49") },
	  { PER_USER },
	  "agent:main:whatsapp:dm:49",
	  false },
	{ "K4 an empty WhatsApp user_id_alt falls back to user_id",
	  { .platform = T("whatsapp"), .user_id_alt = T("+"), .user_id = T("49") },
	  { PER_USER },
	  "agent:main:whatsapp:dm:49",
	  false },
};

static void
check_row(void **state)
{
	const struct key_row *row = *state;
	struct arena a;
	struct session_key k;

	arena_init(&a);
	k = session_key_decide(&row->s, &row->p, &a);
	check_str(row->name, k.text, str_of(row->want));
	assert_int_equal(k.shared, row->shared);
	assert_int_equal(k.in_room, row->s.chat_type != SOURCE_DM);
	arena_release(&a);
}

static void
K3_defaults_isolate_groups_and_share_threads(void **state)
{
	(void)state;
	assert_true(SESSION_KEY_POLICY_DEFAULT.group_per_user);
	assert_false(SESSION_KEY_POLICY_DEFAULT.thread_per_user);
	assert_int_equal(SESSION_KEY_POLICY_DEFAULT.agent_id.len, 0);
	assert_null(SESSION_KEY_POLICY_DEFAULT.aliases);
}

static const struct parse_row {
	const char *name, *text;
	bool ok;
	const char *agent, *platform;
	enum source_chat_type type;
	const char *ids;
} parse_rows[] = {
	{ "K2 parse a DM", "agent:main:telegram:dm:12345", true, "main", "telegram", SOURCE_DM,
	  "12345" },
	{ "K2 parse keeps ids together", "agent:a:matrix:group:!r:h:@b:h", true, "a", "matrix",
	  SOURCE_GROUP, "!r:h:@b:h" },
	{ "K2 parse a collapsed key", "agent:main:irc:channel", true, "main", "irc", SOURCE_CHANNEL,
	  "" },
	{ "K2 parse a thread", "agent:main:slack:thread:C:1", true, "main", "slack", SOURCE_THREAD,
	  "C:1" },
	{ "K2 parse refuses another scheme", "user:main:irc:dm:1", false },
	{ "K2 parse refuses a missing type", "agent:main:irc", false },
	{ "K2 parse refuses an unknown type", "agent:main:irc:room:1", false },
	{ "K2 parse refuses an empty agent", "agent::irc:dm:1", false },
	{ "K2 parse refuses an empty platform", "agent:main::dm:1", false },
	{ "K2 parse refuses an empty tail", "agent:main:irc:dm:", false },
	{ "K2 parse refuses nothing", "", false },
	{ "K2 parse refuses the scheme alone", "agent", false },
	{ "K2 parse refuses scheme and agent", "agent:main", false },
};

static void
check_parse(void **state)
{
	const struct parse_row *row = *state;
	struct session_key_parts parts;

	assert_int_equal(session_key_parse(str_of(row->text), &parts), row->ok);
	if (!row->ok)
		return;
	check_str("agent", parts.agent_id, str_of(row->agent));
	check_str("platform", parts.platform, str_of(row->platform));
	assert_int_equal(parts.chat_type, row->type);
	check_str("ids", parts.ids, str_of(row->ids));
}

static struct sha256
identity(struct arena *a, struct source s, struct session_key_policy p)
{
	struct session_key k = session_key_decide(&s, &p, a);

	return session_key_identity(&k);
}

/* Same text, other parts: what raw ids cannot tell apart the identity does. */
static void
K2_identity_tells_apart_what_the_text_cannot(void **state)
{
	struct source borders = { .platform = T("x"),
				  .chat_type = SOURCE_GROUP,
				  .chat_id = T("a"),
				  .thread_id = T("b:c") };
	struct source moved = { .platform = T("x"),
				.chat_type = SOURCE_GROUP,
				.chat_id = T("a:b"),
				.thread_id = T("c") };
	struct source thread = { .platform = T("x"),
				 .chat_type = SOURCE_GROUP,
				 .chat_id = T("a"),
				 .thread_id = T("7") };
	struct source user = {
		.platform = T("x"), .chat_type = SOURCE_GROUP, .chat_id = T("a"), .user_id = T("7")
	};
	struct session_key_policy p = SESSION_KEY_POLICY_DEFAULT;
	struct sha256 one, two;
	struct arena a;

	(void)state;
	arena_init(&a);
	check_str("text", session_key_decide(&borders, &p, &a).text,
		  session_key_decide(&moved, &p, &a).text);
	one = identity(&a, borders, p), two = identity(&a, moved, p);
	assert_memory_not_equal(&one, &two, sizeof one);
	check_str("text", session_key_decide(&thread, &p, &a).text,
		  session_key_decide(&user, &p, &a).text);
	one = identity(&a, thread, p), two = identity(&a, user, p);
	assert_memory_not_equal(&one, &two, sizeof one);
	one = identity(&a, thread, p), two = identity(&a, thread, p);
	assert_memory_equal(&one, &two, sizeof one);
	arena_release(&a);
}

static void
K4_a_later_alias_moves_the_lane(void **state)
{
	const struct whatsapp_alias pair = { T("83729@lid"), T("+491701234567") };
	struct source s = { .platform = T("whatsapp"),
			    .chat_id = T("491701234567@s.whatsapp.net") };
	struct session_key_policy p = SESSION_KEY_POLICY_DEFAULT;
	struct whatsapp_aliases now;
	struct session_key_move move;
	struct arena a;

	(void)state;
	arena_init(&a);
	whatsapp_aliases_init(&now, &a, &pair, 1);
	move = session_key_move_decide(&s, &p, &now, &a);
	assert_true(move.needed);
	check_str("from", move.from.text, STR("agent:main:whatsapp:dm:491701234567"));
	check_str("to", move.to.text, STR("agent:main:whatsapp:dm:83729"));
	s.chat_id = STR("83729@lid"); /* already there */
	assert_false(session_key_move_decide(&s, &p, &now, &a).needed);
	p.aliases = &now; /* nothing new */
	assert_false(session_key_move_decide(&s, &p, &now, &a).needed);
	s.platform = STR("signal"); /* not a WhatsApp lane */
	s.chat_id = STR("491701234567");
	p.aliases = NULL;
	assert_false(session_key_move_decide(&s, &p, &now, &a).needed);
	arena_release(&a);
}

static struct str
pick_id(struct rand *r)
{
	static const struct str IDS[] = { T(""), T("1"), T("22"), T("abc"), T("-100"), T("x:y") };

	return IDS[rand_below(r, ARRAY_LEN(IDS))];
}

static struct source
pick_source(struct rand *r)
{
	static const struct str PLATFORMS[] = { T("telegram"), T("whatsapp"), T("slack") };

	return (struct source){
		.platform = PLATFORMS[rand_below(r, 3)],
		.chat_type = (enum source_chat_type)rand_below(r, 4),
		.chat_id = pick_id(r),
		.thread_id = pick_id(r),
		.user_id = pick_id(r),
		.user_id_alt = pick_id(r),
	};
}

/* A private room key carries the participant; a shared one is the same for every member. */
static void
K3_property_key_and_shared_agree(void **state)
{
	uint64_t seeds = suite_seeds(5000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct session_key mine, theirs;
		struct session_key_policy p = { 0 };
		struct source s, other;
		struct rand r;
		struct arena a;

		rand_init_seed(&r, seed);
		arena_init(&a);
		s = pick_source(&r);
		p.group_per_user = rand_below(&r, 2);
		p.thread_per_user = rand_below(&r, 2);
		other = s;
		other.user_id = STR("zz");
		other.user_id_alt = STR("zz");
		mine = session_key_decide(&s, &p, &a);
		theirs = session_key_decide(&other, &p, &a);
		if (s.chat_type == SOURCE_DM && mine.shared)
			fail_msg("seed %llu: a shared dm", (unsigned long long)seed);
		if (theirs.shared && !str_eq(mine.text, theirs.text))
			fail_msg("seed %llu: shared but split", (unsigned long long)seed);
		if (s.chat_type != SOURCE_DM && !theirs.shared && str_eq(mine.text, theirs.text))
			fail_msg("seed %llu: isolated but joined", (unsigned long long)seed);
		arena_release(&a);
	}
}

static void
K2_property_keys_parse_back(void **state)
{
	uint64_t seeds = suite_seeds(5000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct session_key_parts parts;
		struct session_key k;
		struct source s;
		struct rand r;
		struct arena a;

		rand_init_seed(&r, seed);
		arena_init(&a);
		s = pick_source(&r);
		k = session_key_decide(&s, &SESSION_KEY_POLICY_DEFAULT, &a);
		if (!session_key_parse(k.text, &parts) || !str_eq(parts.platform, s.platform) ||
		    parts.chat_type != s.chat_type || !str_eq(parts.agent_id, STR("main")) ||
		    !str_starts(parts.ids, k.peer))
			fail_msg("seed %llu", (unsigned long long)seed);
		arena_release(&a);
	}
}

/* Equal identities mean equal text; with ids free of ':' and roles told apart, also the reverse. */
static void
K2_property_keys_differ_when_chats_differ(void **state)
{
	uint64_t seeds = suite_seeds(5000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct session_key one, two;
		struct sha256 id_one, id_two;
		struct source s, t;
		struct rand r;
		struct arena a;
		bool same_identity;

		rand_init_seed(&r, seed);
		arena_init(&a);
		s = pick_source(&r);
		t = pick_source(&r);
		one = session_key_decide(&s, &SESSION_KEY_POLICY_DEFAULT, &a);
		two = session_key_decide(&t, &SESSION_KEY_POLICY_DEFAULT, &a);
		id_one = session_key_identity(&one);
		id_two = session_key_identity(&two);
		same_identity = memcmp(&id_one, &id_two, sizeof id_one) == 0;
		if (same_identity && !str_eq(one.text, two.text))
			fail_msg("seed %llu: identities collide", (unsigned long long)seed);
		t = s;
		t.chat_id = STR("other");
		two = session_key_decide(&t, &SESSION_KEY_POLICY_DEFAULT, &a);
		if (str_eq(one.text, two.text))
			fail_msg("seed %llu: chats collide", (unsigned long long)seed);
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, check_row);
	SUITE_TEST(&s, K3_defaults_isolate_groups_and_share_threads);
	SUITE_ROWS(&s, parse_rows, check_parse);
	SUITE_TEST(&s, K2_identity_tells_apart_what_the_text_cannot);
	SUITE_TEST(&s, K4_a_later_alias_moves_the_lane);
	SUITE_TEST(&s, K3_property_key_and_shared_agree);
	SUITE_TEST(&s, K2_property_keys_parse_back);
	SUITE_TEST(&s, K2_property_keys_differ_when_chats_differ);
	return suite_run(&s, "session_key");
}
