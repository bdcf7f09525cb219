#include "core/mirror_record.h"

#include "harness.h"

#define HASH "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"

static const struct round {
	const char *name;
	struct mirror_record r;
	const char *line;
} ROUNDS[] = {
	{ "M13 a processed marker",
	  { .kind = MIRROR_PROCESSED, .id = STR("sevt_\"1"), .at_ms = 7 },
	  "{\"record\":\"processed\",\"event_id\":\"sevt_\\\"1\",\"processed_at_ms\":7}\n" },
	{ "M13 a wake that is queued",
	  { .kind = MIRROR_ENQUEUED,
	    .id = STR("wake_1"),
	    .due_at_ms = 9,
	    .wake = STR("{\"id\":\"wake_1\"}") },
	  "{\"record\":\"enqueued\",\"wake_id\":\"wake_1\",\"due_at_ms\":9,\"wake\":{\"id\":"
	  "\"wake_1\"}}\n" },
	{ "M13 a wake with a line end in it",
	  { .kind = MIRROR_ENQUEUED, .id = STR("w"), .wake = STR("{\n}") },
	  "{\"record\":\"enqueued\",\"wake_id\":\"w\",\"due_at_ms\":0,\"wake_text\":\"{\\n}\"}\n" },
	{ "M13 a wake that is gone",
	  { .kind = MIRROR_COMPLETED, .id = STR("wake_1"), .at_ms = 11 },
	  "{\"record\":\"completed\",\"wake_id\":\"wake_1\",\"completed_at_ms\":11}\n" },
};

static void
round_holds(void **state)
{
	const struct round *row = *state;
	struct mirror_record r;
	struct arena a;
	struct buf out;
	struct err e;

	arena_init(&a);
	buf_init(&out, 65536);
	mirror_record_write(&out, &row->r);
	check_str("line", buf_str(&out), str_of(row->line));
	if (mirror_record_read((struct str){ out.ptr, out.len - 1 }, &a, &r, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(r.kind, row->r.kind);
	check_str("id", r.id, row->r.id);
	check_str("wake", r.wake, row->r.wake);
	assert_int_equal(r.at_ms, row->r.at_ms);
	assert_int_equal(r.due_at_ms, row->r.due_at_ms);
	buf_release(&out);
	arena_release(&a);
}

static const struct event_line {
	const char *name, *line;
	bool is_input;
} EVENTS[] = {
	{ "M13 an event of the server's",
	  "{\"seq\":3,\"id\":\"e\",\"created_at_ms\":5,\"hash\":\"" HASH "\",\"payload\":{}}",
	  false },
	{ "M13 an input",
	  "{\"seq\":3,\"id\":\"e\",\"created_at_ms\":5,\"meta\":{},\"hash\":\"" HASH "\"}", true },
	{ "M13 an input whose meta is a text",
	  "{\"seq\":3,\"id\":\"e\",\"created_at_ms\":5,\"meta_text\":\"\",\"hash\":\"" HASH "\"}",
	  true },
};

static void
event_is_read(void **state)
{
	const struct event_line *row = *state;
	struct sha256 hash;
	struct mirror_record r;
	struct arena a;
	struct err e;

	arena_init(&a);
	assert_true(mirror_record_hash(STR(HASH), &hash));
	if (mirror_record_read(str_of(row->line), &a, &r, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(r.kind, MIRROR_EVENT);
	assert_int_equal(r.seq, 3);
	assert_int_equal(r.at_ms, 5);
	check_str("id", r.id, STR("e"));
	assert_int_equal(r.is_input, row->is_input);
	assert_memory_equal(&r.hash, &hash, sizeof hash);
	arena_release(&a);
}

static const struct refused {
	const char *name, *line, *part;
} REFUSED[] = {
	{ "M13 a line that was cut", "{\"record\":\"processed\",\"event_id\":\"se", "offset" },
	{ "M13 an empty line", "", "offset" },
	{ "M13 no object", "[1]", "neither" },
	{ "M13 an unknown record", "{\"record\":\"x\"}", "record" },
	{ "M13 an event as a record", "{\"record\":\"event\",\"event_id\":\"e\"}", "record" },
	{ "M13 a marker without its instant", "{\"record\":\"processed\",\"event_id\":\"e\"}",
	  "processed_at_ms" },
	{ "M13 a marker without an id",
	  "{\"record\":\"processed\",\"event_id\":\"\",\"processed_at_ms\":1}", "event_id" },
	{ "M13 a marker with a wake",
	  "{\"record\":\"processed\",\"event_id\":\"e\",\"processed_at_ms\":1,\"wake\":{}}",
	  "wake" },
	{ "M13 a wake without its body",
	  "{\"record\":\"enqueued\",\"wake_id\":\"w\",\"due_at_ms\":1}", "wake" },
	{ "M13 a wake of before the epoch",
	  "{\"record\":\"enqueued\",\"wake_id\":\"w\",\"due_at_ms\":-1,\"wake\":{}}", "due_at_ms" },
	{ "M13 an event without seq", "{\"hash\":\"" HASH "\",\"id\":\"e\",\"created_at_ms\":5}",
	  "seq" },
	{ "M13 an event without an id", "{\"seq\":1,\"hash\":\"" HASH "\",\"created_at_ms\":5}",
	  "id" },
	{ "M13 an event without its instant", "{\"seq\":1,\"hash\":\"" HASH "\",\"id\":\"e\"}",
	  "created_at_ms" },
	{ "M13 an event with half a hash",
	  "{\"seq\":1,\"hash\":\"2d71\",\"id\":\"e\",\"created_at_ms\":5}", "hash" },
	{ "M13 an event with another letter in its hash",
	  "{\"seq\":1,\"id\":\"e\",\"created_at_ms\":5,\"hash\":"
	  "\"Xd711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881\"}",
	  "hash" },
};

static void
line_is_refused(void **state)
{
	const struct refused *row = *state;
	struct mirror_record r;
	struct arena a;
	struct err e;

	arena_init(&a);
	assert_int_equal(mirror_record_read(str_of(row->line), &a, &r, &e), ERR_INVALID);
	if (!strstr(e.text, row->part))
		fail_msg("\"%s\" does not name %s", e.text, row->part);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROUNDS, round_holds);
	SUITE_ROWS(&s, EVENTS, event_is_read);
	SUITE_ROWS(&s, REFUSED, line_is_refused);
	return suite_run(&s, "core/mirror_record");
}
