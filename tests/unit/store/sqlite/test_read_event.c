#include "sqlite_fill.h"

#include <stdio.h>

#include "store/sqlite/read.h"

static const char LOG[] = "msg a; run t a; say x; tool c; result c; end t end_turn; msg b text="
			  "long-long-long-long-long-long-long-long-long-long-long-long";

static struct fill fill;

/* clang-format off: one query a line */
static const struct fill_query QUERIES[] = {
	{ "M9 the whole log",
	  { .kind = STORE_LIST_EVENTS, .session = STR("s") },
	  "1 2 3 4 5 6 7 8" },
	{ "an unknown session has no events",
	  { .kind = STORE_LIST_EVENTS, .session = STR("x") },
	  "" },
	{ "after", { .kind = STORE_LIST_EVENTS, .session = STR("s"), .after = 6 }, "7 8" },
	{ "before", { .kind = STORE_LIST_EVENTS, .session = STR("s"), .before = 3 }, "1 2" },
	{ "between",
	  { .kind = STORE_LIST_EVENTS, .session = STR("s"), .after = 2, .before = 5 },
	  "3 4" },
	{ "a page", { .kind = STORE_LIST_EVENTS, .session = STR("s"), .limit = 3 }, "1 2 3 +" },
	{ "the limit fits exactly",
	  { .kind = STORE_LIST_EVENTS, .session = STR("s"), .limit = 8 },
	  "1 2 3 4 5 6 7 8" },
	{ "from the end",
	  { .kind = STORE_LIST_EVENTS, .session = STR("s"), .descending = true, .limit = 2 },
	  "8 7 +" },
	{ "from the end, before",
	  { .kind = STORE_LIST_EVENTS, .session = STR("s"), .descending = true, .before = 3 },
	  "2 1" },
	{ "kinds",
	  { .kind = STORE_LIST_EVENTS,
	    .session = STR("s"),
	    .kinds = 1ull << EVENT_USER_MESSAGE | 1ull << EVENT_AGENT_MESSAGE },
	  "2 4 8" },
	{ "the last kind",
	  { .kind = STORE_LIST_EVENTS, .session = STR("s"), .kinds = 1ull << EVENT_SCHEDULE_FIRED },
	  "" },
	{ "changes of all sessions",
	  { .kind = STORE_LIST_CHANGES },
	  "s/1 s/2 s/3 s/4 s/5 s/6 s/7 s/8 o/1 o/2" },
	{ "changes behind a cursor",
	  { .kind = STORE_LIST_CHANGES, .after = 7, .limit = 2 },
	  "s/8 o/1 +" },
	{ "changes of a kind",
	  { .kind = STORE_LIST_CHANGES, .kinds = 1ull << EVENT_SESSION_CREATED },
	  "s/1 o/1" },
};
/* clang-format on */

static void
query(void **state)
{
	fill_check(&fill, *state);
}

struct kept {
	struct store_event event;
	char payload[256], turn[16], meta[64];
};

static bool
keep(void *ctx, const struct store_row *row)
{
	struct kept *k = ctx;
	const struct event *ev = &row->event->ev;

	k->event = *row->event;
	snprintf(k->payload, sizeof k->payload, STR_FMT, STR_ARG(ev->payload));
	snprintf(k->turn, sizeof k->turn, STR_FMT, STR_ARG(ev->turn));
	snprintf(k->meta, sizeof k->meta, STR_FMT, STR_ARG(ev->meta));
	return false;
}

static void
read_one(int64_t seq, struct kept *out)
{
	struct store_query q = {
		.kind = STORE_LIST_EVENTS, .session = STR("s"), .after = seq - 1, .limit = 10
	};
	struct err e = { 0 };
	struct read read;
	struct db db;
	bool more = true;

	assert_int_equal(db_open(&db, fill.path, DB_READER, NULL, &e), 0);
	read_init(&read, &db, STR("me"));
	if (read_run(&read, &q, keep, out, &more, &e) != 0)
		fail_msg("%s", e.text);
	assert_false(more); /* the callback ended it, not the limit */
	read_release(&read);
	db_close(&db);
}

static void
every_field_is_exact(void **state)
{
	struct kept said, input;

	(void)state;
	read_one(4, &said);
	assert_string_equal(said.turn, "t");
	assert_null(said.event.ev.meta.ptr); /* none, not an empty one */
	assert_int_equal(said.event.ev.kind, EVENT_AGENT_MESSAGE);
	assert_int_equal(said.event.ev.author, AUTHOR_AGENT);
	assert_int_equal(said.event.ev.created_at_ms, 1000004);
	assert_int_equal(said.event.processed_at_ms, 1000004);
	assert_int_equal(said.event.change, 4);
	read_one(2, &input);
	assert_null(input.event.ev.turn.ptr);
	assert_string_equal(input.meta, "{\"class\":\"trigger\"}");
	assert_int_equal(input.event.processed_at_ms, 1000003);
	read_one(8, &input);
	assert_int_equal(input.event.processed_at_ms, 0);
}

static void
M14_a_payload_in_a_blob_comes_back_byte_for_byte(void **state)
{
	struct kept k;
	struct sha256_ctx ctx;
	struct sha256 before, hash;

	(void)state;
	read_one(7, &k);
	before = k.event.hash;
	read_one(8, &k);
	assert_string_equal(k.payload,
			    "{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":"
			    "\"long-long-long-long-long-long-long-long-long-long-long-long\"}]}");
	k.event.ev.payload = str_of(k.payload);
	k.event.ev.id = STR("b");
	k.event.ev.meta = str_of(k.meta);
	sha256_init(&ctx);
	hash = event_hash(&ctx, &before, &k.event.ev);
	sha256_release(&ctx);
	assert_memory_equal(&hash, &k.event.hash, sizeof hash);
}

static void
damage_is_told_and_never_read(void **state)
{
	static const struct fill_query ROWS[] = {
		{ "a kind out of range",
		  { .kind = STORE_LIST_EVENTS, .session = STR("d"), .after = 1, .before = 3 },
		  "error: session d: seq 2: its row is damaged" },
		{ "a blob that is gone",
		  { .kind = STORE_LIST_EVENTS, .session = STR("d"), .after = 2 },
		  "error: session d: seq 3: its payload's blob is missing" },
	};

	(void)state;
	fill_session(&fill, "d", "msg a; msg b text=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
		     100);
	fill_run(&fill, "UPDATE event SET kind = 99 WHERE sid = 3 AND seq = 2");
	fill_run(&fill, "DELETE FROM blob WHERE digest = (SELECT blob FROM event WHERE sid = 3"
			" AND seq = 3)");
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		fill_check(&fill, &ROWS[i]);
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	fill_open(&fill);
	fill_session(&fill, "s", LOG, 120);
	fill_session(&fill, "o", "msg a", 0);
	SUITE_ROWS(&s, QUERIES, query);
	SUITE_TEST(&s, every_field_is_exact);
	SUITE_TEST(&s, M14_a_payload_in_a_blob_comes_back_byte_for_byte);
	SUITE_TEST(&s, damage_is_told_and_never_read);
	failed = suite_run(&s, "store/sqlite/read_event");
	fill_close(&fill);
	return failed;
}
