#include "api/bundle.h"

#include "harness.h"

/* What is written is read back byte by byte, whatever the bytes are. */
static const struct round {
	const char *name;
	struct event ev;
} ROUNDS[] = {
	{ "S3 an event of the server's",
	  { 3, STR("sevt_1"), EVENT_SESSION_DELETED, AUTHOR_SYSTEM, 1767225600000, STR(""), STR(""),
	    STR("{\"type\":\"session.deleted\"}") } },
	{ "S3 with turn and meta",
	  { 9, STR("e\"\\\n"), EVENT_USER_INTERRUPT, AUTHOR_USER, 1, STR("t1"),
	    STR("{\"class\":\"control\"}"), STR("{\"type\":\"user.interrupt\"}") } },
	{ "S3 blanks and numbers as received",
	  { 1, STR("e"), EVENT_AGENT_TOOL_USE, AUTHOR_AGENT, 1767225600001, STR("t"), STR(""),
	    STR("{ \"type\" : \"agent.tool_use\",\"name\":\"x\", \"input\":{\"n\":1.50e3} }") } },
	{ "S3 line ends inside",
	  { 1, STR("e"), EVENT_USER_INTERRUPT, AUTHOR_USER, 2, STR(""),
	    STR("{\n\"class\":\"control\"}"), STR("{\r\n\t\"type\": \"user.interrupt\"\n}") } },
};

static void
round_holds(void **state)
{
	const struct round *row = *state;
	struct sha256 hash = sha256_of(STR("x")), hash_read;
	struct event ev;
	struct arena a;
	struct buf out;
	struct err e;
	struct str line;

	arena_init(&a);
	buf_init(&out, 65536);
	bundle_write_event(&out, &row->ev, &hash);
	line = str_slice(buf_str(&out), 0, out.len - 1);
	assert_false(str_contains(line, STR("\n")));
	if (bundle_read_event(line, &a, &ev, &hash_read, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(ev.seq, row->ev.seq);
	assert_int_equal(ev.kind, row->ev.kind);
	assert_int_equal(ev.author, row->ev.author);
	assert_int_equal(ev.created_at_ms, row->ev.created_at_ms);
	check_str("id", ev.id, row->ev.id);
	check_str("turn", ev.turn, row->ev.turn);
	check_str("meta", ev.meta, row->ev.meta);
	check_str("payload", ev.payload, row->ev.payload);
	assert_memory_equal(&hash, &hash_read, sizeof hash);
	buf_release(&out);
	arena_release(&a);
}

#define HASH_REST "d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
#define HASH      "2" HASH_REST
#define EVENT(members)                                                                         \
	"{\"seq\":1,\"id\":\"e\",\"type\":\"session.deleted\",\"created_at_ms\":1,\"author\":" \
	"\"system\",\"hash\":\"" HASH "\"" members "}"

static const struct refused {
	const char *name, *line, *part;
} REFUSED[] = {
	{ "S3 no JSON", "{", "offset" },
	{ "S3 no payload", EVENT(""), "payload" },
	{ "S3 a payload of another kind", EVENT(",\"payload\":{\"type\":\"user.interrupt\"}"),
	  "type is another" },
	{ "S3 a payload that is not of the log", EVENT(",\"payload\":{\"type\":\"x\"}"),
	  "payload" },
	{ "S3 meta that is none",
	  EVENT(",\"meta_text\":\"{x\",\"payload\":{\"type\":\"session.deleted\"}"), "meta" },
	{ "S3 an unknown member", EVENT(",\"payload\":{\"type\":\"session.deleted\"},\"more\":1"),
	  "more" },
	{ "S3 a hash that is none",
	  "{\"seq\":1,\"id\":\"e\",\"type\":\"session.deleted\",\"created_at_ms\":1,\"author\":"
	  "\"system\",\"hash\":\"00\",\"payload\":{\"type\":\"session.deleted\"}}",
	  "hash" },
	{ "S3 a hash with another letter in it",
	  "{\"seq\":1,\"id\":\"e\",\"type\":\"session.deleted\",\"created_at_ms\":1,\"author\":"
	  "\"system\",\"hash\":\"x" HASH_REST "\",\"payload\":{\"type\":\"session.deleted\"}}",
	  "hash" },
	{ "S3 an author nobody knows",
	  "{\"seq\":1,\"id\":\"e\",\"type\":\"session.deleted\",\"created_at_ms\":1,\"author\":"
	  "\"me\",\"hash\":\"" HASH "\",\"payload\":{\"type\":\"session.deleted\"}}",
	  "author" },
};

static void
is_refused(void **state)
{
	const struct refused *row = *state;
	struct sha256 hash;
	struct event ev;
	struct arena a;
	struct err e = { 0 };

	arena_init(&a);
	assert_int_equal(bundle_read_event(str_of(row->line), &a, &ev, &hash, &e), ERR_INVALID);
	if (!str_contains(str_of(e.text), str_of(row->part)))
		fail_msg("%s: %s", row->name, e.text);
	arena_release(&a);
}

static void
S3_the_header_comes_back(void **state)
{
	struct bundle_header h = { .id = STR("telegram:1"),
				   .head_seq = 12,
				   .head_hash = sha256_of(STR("y")),
				   .extra = STR("{\"budget\":null}") };
	struct bundle_header read;
	struct arena a;
	struct buf out;
	struct err e;

	(void)state;
	arena_init(&a);
	buf_init(&out, 65536);
	bundle_write_header(&out, &h);
	assert_int_equal(bundle_read_header(str_trim(buf_str(&out)), &a, &read, &e), 0);
	check_str("id", read.id, h.id);
	check_str("extra", read.extra, h.extra);
	assert_int_equal(read.head_seq, 12);
	assert_memory_equal(&read.head_hash, &h.head_hash, sizeof h.head_hash);
	assert_int_equal(bundle_read_header(STR("{\"format\":\"other\"}"), &a, &read, &e),
			 ERR_INVALID);
	h.id = STR("../x");
	buf_clear(&out);
	bundle_write_header(&out, &h);
	assert_int_equal(bundle_read_header(str_trim(buf_str(&out)), &a, &read, &e), ERR_INVALID);
	buf_release(&out);
	arena_release(&a);
}

static void
M13_the_header_brings_the_wakes_along(void **state)
{
	static const struct engine_log_wake WAKES[] = {
		{ STR("wake_1"), 1767225600000, STR("{\"id\":\"wake_1\"}") },
		{ STR("wake_2"), 0, STR("{\n\"parked\":true}") },
	};
	struct bundle_header h = {
		.id = STR("s"), .head_seq = 1, .wakes = WAKES, .wake_count = ARRAY_LEN(WAKES)
	};
	struct bundle_header read;
	struct arena a;
	struct buf out;
	struct err e;

	(void)state;
	arena_init(&a);
	buf_init(&out, 65536);
	bundle_write_header(&out, &h);
	if (bundle_read_header(str_trim(buf_str(&out)), &a, &read, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(read.wake_count, ARRAY_LEN(WAKES));
	for (size_t i = 0; i < ARRAY_LEN(WAKES); i++) {
		check_str("id", read.wakes[i].id, WAKES[i].id);
		check_str("body", read.wakes[i].body, WAKES[i].body);
		assert_int_equal(read.wakes[i].due_at_ms, WAKES[i].due_at_ms);
	}
	buf_release(&out);
	arena_release(&a);
}

#define HEADER_WITH(wakes)                                                               \
	"{\"format\":\"perdure-session\",\"version\":1,\"event_format\":1,\"id\":\"s\"," \
	"\"head_seq\":1,\"head_hash\":\"" HASH "\",\"wakes\":" wakes "}"

static const struct refused HEADERS[] = {
	{ "M13 a wake without its body", HEADER_WITH("[{\"id\":\"w\",\"due_at_ms\":1}]"), "wake" },
	{ "M13 a wake without an id", HEADER_WITH("[{\"id\":\"\",\"due_at_ms\":1,\"wake\":{}}]"),
	  "id" },
	{ "M13 a wake of before the epoch",
	  HEADER_WITH("[{\"id\":\"w\",\"due_at_ms\":-1,\"wake\":{}}]"), "due_at_ms" },
	{ "M13 a wake whose text is no object",
	  HEADER_WITH("[{\"id\":\"w\",\"due_at_ms\":1,\"wake_text\":\"1\"}]"), "wake" },
};

static void
header_is_refused(void **state)
{
	const struct refused *row = *state;
	struct bundle_header read;
	struct arena a;
	struct err e = { 0 };

	arena_init(&a);
	assert_int_equal(bundle_read_header(str_of(row->line), &a, &read, &e), ERR_INVALID);
	if (!str_contains(str_of(e.text), str_of(row->part)))
		fail_msg("%s: %s", row->name, e.text);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROUNDS, round_holds);
	SUITE_ROWS(&s, HEADERS, header_is_refused);
	SUITE_TEST(&s, M13_the_header_brings_the_wakes_along);
	SUITE_ROWS(&s, REFUSED, is_refused);
	SUITE_TEST(&s, S3_the_header_comes_back);
	return suite_run(&s, "api/bundle");
}
