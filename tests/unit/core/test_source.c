#include "core/source.h"

#include "base/rand.h"
#include "harness.h"

#define T(text)                           \
	{                                 \
		"" text, sizeof(text) - 1 \
	}

static const struct describe_row {
	const char *name;
	struct source s;
	const char *want;
} describe_rows[] = {
	{ "K1 DM by name",
	  { .platform = T("x"), .user_name = T("Alice"), .user_id = T("1") },
	  "DM with Alice" },
	{ "K1 DM by user id",
	  { .platform = T("x"), .user_id = T("1"), .user_id_alt = T("a") },
	  "DM with 1" },
	{ "K1 DM by alternative id", { .platform = T("x"), .user_id_alt = T("a") }, "DM with a" },
	{ "K1 DM by chat id", { .platform = T("x"), .chat_id = T("c") }, "DM with c" },
	{ "K1 DM with nobody known", { .platform = T("x") }, "DM with user" },
	{ "K1 DM in a thread",
	  { .platform = T("x"), .user_name = T("Alice"), .thread_id = T("9") },
	  "DM with Alice, thread: 9" },
	{ "K1 group by name with thread",
	  { .platform = T("x"),
	    .chat_type = SOURCE_GROUP,
	    .chat_name = T("My Group"),
	    .chat_id = T("5"),
	    .thread_id = T("12345") },
	  "group: My Group, thread: 12345" },
	{ "K1 group by id",
	  { .platform = T("x"), .chat_type = SOURCE_GROUP, .chat_id = T("5") },
	  "group: 5" },
	{ "K1 channel",
	  { .platform = T("x"), .chat_type = SOURCE_CHANNEL, .chat_id = T("C5") },
	  "channel: C5" },
	{ "K1 thread type with its id",
	  { .platform = T("x"),
	    .chat_type = SOURCE_THREAD,
	    .chat_name = T("dev"),
	    .thread_id = T("7") },
	  "dev, thread: 7" },
	{ "K1 thread type without an id",
	  { .platform = T("x"), .chat_type = SOURCE_THREAD, .chat_name = T("dev") },
	  "thread: dev" },
	{ "K1 nothing known of a group",
	  { .platform = T("x"), .chat_type = SOURCE_GROUP },
	  "group: unknown" },
};

static void
check_describe(void **state)
{
	const struct describe_row *row = *state;
	struct buf out;

	buf_init(&out, 1000);
	source_describe(&row->s, &out);
	check_str(row->name, buf_str(&out), str_of(row->want));
	buf_release(&out);
}

static int
decode(struct arena *a, struct str text, struct source *out, struct err *e)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	int rc = json_parse(a, text, &JSON_LIMITS_DEFAULT, doc, e);

	return rc != 0 ? rc : source_decode(json_root(doc), a, out, e);
}

static struct str
encode(struct arena *a, const struct source *s)
{
	struct buf text;
	struct str kept;
	struct jw w;

	buf_init(&text, 1 << 20);
	jw_init(&w, &text);
	source_encode(s, &w);
	assert_int_equal(w.depth, 0);
	kept = arena_str(a, buf_str(&text));
	buf_release(&text);
	return kept;
}

static const struct decode_row {
	const char *name, *json;
	const char *want; /* encoded again, or "error: part of the message" */
} decode_rows[] = {
	{ "K1 all fifteen fields round trip",
	  "{\"platform\":\"discord\",\"chat_id\":\"1\",\"chat_name\":\"2\",\"chat_type\":"
	  "\"thread\","
	  "\"user_id\":\"3\",\"user_name\":\"4\",\"thread_id\":\"5\",\"chat_topic\":\"6\","
	  "\"user_id_alt\":\"7\",\"chat_id_alt\":\"8\",\"is_bot\":true,\"guild_id\":\"9\","
	  "\"parent_chat_id\":\"10\",\"message_id\":\"11\",\"role_authorized\":true}",
	  "{\"platform\":\"discord\",\"chat_id\":\"1\",\"chat_name\":\"2\",\"chat_type\":"
	  "\"thread\","
	  "\"user_id\":\"3\",\"user_name\":\"4\",\"thread_id\":\"5\",\"chat_topic\":\"6\","
	  "\"user_id_alt\":\"7\",\"chat_id_alt\":\"8\",\"is_bot\":true,\"guild_id\":\"9\","
	  "\"parent_chat_id\":\"10\",\"message_id\":\"11\",\"role_authorized\":true}" },
	{ "K1 null and empty mean absent",
	  "{\"platform\":\"irc\",\"chat_id\":null,\"chat_name\":\"\",\"chat_type\":\"\","
	  "\"is_bot\":null,\"user_id\":\"\"}",
	  "{\"platform\":\"irc\",\"chat_id\":null,\"chat_name\":null,\"chat_type\":\"dm\","
	  "\"user_id\":null,\"user_name\":null,\"thread_id\":null,\"chat_topic\":null,"
	  "\"user_id_alt\":null,\"chat_id_alt\":null,\"is_bot\":false,\"guild_id\":null,"
	  "\"parent_chat_id\":null,\"message_id\":null,\"role_authorized\":false}" },
	{ "K1 platform is required", "{\"chat_id\":\"1\"}", "error: platform" },
	{ "K1 platform may not be null", "{\"platform\":null}", "error: platform" },
	{ "K1 platform may not be empty", "{\"platform\":\"\"}", "error: platform" },
	{ "K1 platform may not hold a separator", "{\"platform\":\"a:b\"}", "error: platform" },
	{ "K1 unknown fields are refused", "{\"platform\":\"x\",\"chat\":\"1\"}", "error: chat" },
	{ "K1 chat_type is one of four", "{\"platform\":\"x\",\"chat_type\":\"room\"}",
	  "error: chat_type" },
	{ "K1 an id is text", "{\"platform\":\"x\",\"chat_id\":5}", "error: chat_id" },
	{ "K1 a flag is a boolean", "{\"platform\":\"x\",\"is_bot\":\"yes\"}", "error: is_bot" },
	{ "K1 chat_type may not be a number", "{\"platform\":\"x\",\"chat_type\":1}",
	  "error: chat_type" },
};

static void
check_decode(void **state)
{
	const struct decode_row *row = *state;
	struct str want = str_of(row->want);
	struct source s = { .platform = STR("untouched") };
	struct err e = { 0 };
	struct arena a;
	int rc;

	arena_init(&a);
	rc = decode(&a, str_of(row->json), &s, &e);
	if (str_starts(want, STR("error: "))) {
		assert_int_equal(rc, ERR_INVALID);
		if (!str_contains(str_of(e.text), str_slice(want, 7, want.len)))
			fail_msg("%s: %s", row->name, e.text);
		check_str("on error", s.platform, STR("untouched"));
	} else {
		if (rc != 0)
			fail_msg("%s: %s", row->name, e.text);
		check_str(row->name, encode(&a, &s), want);
	}
	arena_release(&a);
}

static const struct admit_row {
	const char *name;
	bool is_own, is_bot, allow_bots;
	enum source_admission want;
} admit_rows[] = {
	{ "K1 a person is accepted", false, false, false, SOURCE_ACCEPT },
	{ "K1 a bot is stored and never triggers", false, true, false, SOURCE_STORE },
	{ "K1 a bot triggers where allow_bots says so", false, true, true, SOURCE_ACCEPT },
	{ "K1 own messages are dropped", true, true, false, SOURCE_DROP },
	{ "K1 own messages are dropped even with allow_bots", true, true, true, SOURCE_DROP },
	{ "K1 own messages are dropped without the bot mark", true, false, false, SOURCE_DROP },
};

static void
check_admit(void **state)
{
	const struct admit_row *row = *state;
	struct source s = { .platform = STR("x"), .is_bot = row->is_bot };

	assert_int_equal(source_admit(&s, row->is_own, row->allow_bots), row->want);
}

static const struct role_row {
	const char *name;
	bool authorized;
	enum role known, want;
} role_rows[] = {
	{ "K1 role_authorized makes a stranger a user", true, ROLE_NONE, ROLE_USER },
	{ "K1 role_authorized makes a guest a user", true, ROLE_GUEST, ROLE_USER },
	{ "K1 role_authorized keeps a user", true, ROLE_USER, ROLE_USER },
	{ "K1 role_authorized does not lower an owner", true, ROLE_OWNER, ROLE_OWNER },
	{ "K1 without it a guest stays a guest", false, ROLE_GUEST, ROLE_GUEST },
};

static void
check_role(void **state)
{
	const struct role_row *row = *state;
	struct source s = { .platform = STR("x"), .role_authorized = row->authorized };

	assert_int_equal(source_role(&s, row->known), row->want);
}

static const struct segment_row {
	const char *name, *word;
	bool want;
} segment_rows[] = {
	{ "K2 segment letters digits and marks", "Az09._-", true },
	{ "K2 segment not empty", "", false },
	{ "K2 segment no colon", "a:b", false },
	{ "K2 segment no blank", "a b", false },
	{ "K2 segment no slash", "a/b", false },
	{ "K2 segment of 64", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	  true },
	{ "K2 segment of 65", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	  false },
};

static void
check_segment(void **state)
{
	const struct segment_row *row = *state;

	assert_int_equal(source_segment_valid(str_of(row->word)), row->want);
}

static void
K1_chat_types_read_back(void **state)
{
	enum source_chat_type type;

	(void)state;
	for (enum source_chat_type t = SOURCE_DM; t <= SOURCE_THREAD; t++) {
		assert_true(source_chat_type_parse(str_of(source_chat_type_name(t)), &type));
		assert_int_equal(type, t);
	}
	assert_false(source_chat_type_parse(STR("DM"), &type));
}

static struct str
pick_text(struct rand *r)
{
	static const struct str TEXTS[] = { T(""),     T("1"),     T("\"q\" \\ \n"),
					    T("äö€😀"), T("x:y:z"), T("\x01\x7f") };

	return TEXTS[rand_below(r, ARRAY_LEN(TEXTS))];
}

static struct source
pick_source(struct rand *r)
{
	return (struct source){
		.platform = STR("telegram"),
		.chat_id = pick_text(r),
		.chat_name = pick_text(r),
		.chat_type = (enum source_chat_type)rand_below(r, 4),
		.user_id = pick_text(r),
		.user_name = pick_text(r),
		.thread_id = pick_text(r),
		.chat_topic = pick_text(r),
		.user_id_alt = pick_text(r),
		.chat_id_alt = pick_text(r),
		.is_bot = rand_below(r, 2),
		.guild_id = pick_text(r),
		.parent_chat_id = pick_text(r),
		.message_id = pick_text(r),
		.role_authorized = rand_below(r, 2),
	};
}

static void
K1_property_json_round_trip(void **state)
{
	uint64_t seeds = suite_seeds(2000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct source s, back;
		struct err e = { 0 };
		struct rand r;
		struct arena a;

		rand_init_seed(&r, seed);
		arena_init(&a);
		s = pick_source(&r);
		if (decode(&a, encode(&a, &s), &back, &e) != 0 ||
		    !str_eq(encode(&a, &s), encode(&a, &back)))
			fail_msg("seed %llu: %s", (unsigned long long)seed, e.text);
		arena_release(&a);
	}
}

static void
P3_platforms_of_chats(void **state)
{
	(void)state;
	assert_true(source_is_chat_platform(STR("telegram")));
	assert_true(source_is_chat_platform(STR("webhook")));
	assert_false(source_is_chat_platform(STR("telegramx")));
	assert_false(source_is_chat_platform(STR("cli")));
	assert_false(source_is_chat_platform(STR("")));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, describe_rows, check_describe);
	SUITE_ROWS(&s, decode_rows, check_decode);
	SUITE_ROWS(&s, admit_rows, check_admit);
	SUITE_ROWS(&s, role_rows, check_role);
	SUITE_ROWS(&s, segment_rows, check_segment);
	SUITE_TEST(&s, K1_chat_types_read_back);
	SUITE_TEST(&s, K1_property_json_round_trip);
	SUITE_TEST(&s, P3_platforms_of_chats);
	return suite_run(&s, "source");
}
