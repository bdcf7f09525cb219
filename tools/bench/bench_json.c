/* bench_json [results.json] - base/json against jansson on what the server reads all day. */
#include "bench.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/json_write.h"
#include "jansson_parse.h"

/* One event as a client or the log sends it. */
static const char EVENT[] =
	"{\"id\":\"evt_0199a4c2b7e07d3a9f1c5b2e8d4a6f70\",\"seq\":4711,"
	"\"session_id\":\"sesn_0199a4c1f00276e4b1d09c3a5e7f8812\",\"type\":\"agent.tool_use\","
	"\"created_at\":\"2026-03-29T01:02:03.456Z\",\"turn_id\":\"turn_"
	"0199a4c2b1a870019c2e6d4f8b3a5c7e\","
	"\"name\":\"read_file\",\"input\":{\"path\":\"src/engine/"
	"commit.c\",\"offset\":120,\"limit\":80,"
	"\"reason\":\"The caller says \\\"busy\\\" twice; look at the guard.\\n\"},"
	"\"evaluated_permission\":\"allow\",\"session_thread_id\":null,"
	"\"source\":{\"platform\":\"telegram\",\"chat_id\":\"-1001234567890\",\"chat_type\":"
	"\"group\","
	"\"user_id\":\"42424242\",\"user_name\":\"Zo\xc3\xab\"},"
	"\"usage\":{\"input_tokens\":18234,\"output_tokens\":212,\"cache_read_input_tokens\":16384,"
	"\"cost_usd\":0.01834},\"processed_at\":\"2026-03-29T01:02:03.512Z\"}";

enum { RESULT_BYTES = 1000 * 1000, TEXT_MAX = 2 * RESULT_BYTES };

struct input {
	struct str text;
	struct arena arena;
};

static void
parse_once(void *context)
{
	struct input *in = context;
	struct json_doc doc;

	if (json_parse(&in->arena, in->text, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0)
		abort();
	arena_reset(&in->arena);
}

static void
jansson_once(void *context)
{
	jansson_parse(((struct input *)context)->text);
}

static double
megabytes_per_second(void (*once)(void *), void *context)
{
	return bench_calls_per_second(once, context) * (double)((struct input *)context)->text.len /
	       1e6;
}

static double
ours(void *context)
{
	return megabytes_per_second(parse_once, context);
}

static double
theirs(void *context)
{
	return megabytes_per_second(jansson_once, context);
}

static void
begin_tool_result(struct jw *w, struct buf *out)
{
	jw_init(w, out);
	jw_object(w);
	jw_field_str(w, "id", STR("evt_0199a4c2b7e07d3a9f1c5b2e8d4a6f71"));
	jw_field_int(w, "seq", 4712);
	jw_field_str(w, "type", STR("agent.tool_result"));
	jw_field_str(w, "tool_use_id", STR("evt_0199a4c2b7e07d3a9f1c5b2e8d4a6f70"));
	jw_field_bool(w, "is_error", false);
}

/* A tool's output as the log carries it: a listing of source and log lines inside one string. */
static void
make_text_result(struct buf *out)
{
	struct buf text;
	struct jw w;

	buf_init(&text, TEXT_MAX);
	for (int line = 1; text.len < RESULT_BYTES; line++)
		buf_printf(&text,
			   "%6d\t2026-03-29T01:02:03Z level=info caller=engine/commit.c:%d\n"
			   "\tif (str_eq(name, STR(\"user.message\")) && depth < %d)\n"
			   "%s",
			   line, line % 400, line % 64,
			   line % 5 == 0 ? "  Gr\xc3\xbc\xc3\x9f"
					   "e aus K\xc3\xb6ln \xe2\x80\x93 "
					   "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e \xf0\x9f\x9a\x80\n"
					 : "}\n");
	begin_tool_result(&w, out);
	jw_field_array(&w, "content");
	jw_object(&w);
	jw_field_str(&w, "type", STR("text"));
	jw_field_str(&w, "text", buf_str(&text));
	jw_end_object(&w);
	jw_end_array(&w);
	jw_end_object(&w);
	buf_release(&text);
}

/* The same amount as structure: rows of a query. */
static void
make_rows_result(struct buf *out)
{
	struct jw w;

	begin_tool_result(&w, out);
	jw_field_array(&w, "rows");
	for (int row = 1; out->len < RESULT_BYTES; row++) {
		jw_object(&w);
		jw_field_int(&w, "id", row);
		jw_field_str(&w, "path", STR("src/core/session_key.c"));
		jw_field_str(&w, "summary", STR("who and where \xe2\x86\x92 \"canonical\" key"));
		jw_field_int(&w, "size_bytes", 1000 + row * 37 % 90000);
		jw_key(&w, STR("score"));
		jw_double(&w, row / 8.0);
		jw_field_bool(&w, "matched", row % 3 == 0);
		jw_field_array(&w, "lines");
		for (int i = 0; i < row % 4; i++)
			jw_int(&w, row + i);
		jw_end_array(&w);
		jw_end_object(&w);
	}
	jw_end_array(&w);
	jw_end_object(&w);
}

int
main(int argc, char **argv)
{
	struct buf text_result, rows_result;
	struct input event = { .text = { EVENT, sizeof EVENT - 1 } }, text = { 0 }, rows = { 0 };
	const struct bench benches[] = {
		{ "json.parse.event", "MB/s", ours, theirs, &event, BENCH_AT_LEAST, 10 },
		{ "json.parse.1mb", "MB/s", ours, theirs, &text, BENCH_AT_LEAST, 10 },
		{ "json.parse.1mb_rows", "MB/s", ours, theirs, &rows, BENCH_AT_LEAST, 10 },
	};
	int status;

	buf_init(&text_result, TEXT_MAX);
	buf_init(&rows_result, TEXT_MAX);
	make_text_result(&text_result);
	make_rows_result(&rows_result);
	text.text = buf_str(&text_result);
	rows.text = buf_str(&rows_result);
	status = bench_run(benches, ARRAY_LEN(benches), argc > 1 ? argv[1] : NULL);
	arena_release(&event.arena);
	arena_release(&text.arena);
	arena_release(&rows.arena);
	buf_release(&text_result);
	buf_release(&rows_result);
	return status;
}
