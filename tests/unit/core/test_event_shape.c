#include "core/event_shape.h"
#include "harness.h"

static const struct shape_case {
	const char *name;
	event_shape *shape;
	const char *value, *error; /* NULL: accepted */
} CASES[] = {
	/* clang-format off */
	{ "M10 text", shape_text, "\"\"", NULL },
	{ "M10 text is a string", shape_text, "1", "must be a string, not number" },
	{ "M10 id", shape_id, "\"a\"", NULL },
	{ "M10 an id is not empty", shape_id, "\"\"", "1 to 200 bytes" },
	{ "M10 ids", shape_ids, "[\"a\",\"b\"]", NULL },
	{ "M10 no ids", shape_ids, "[]", NULL },
	{ "M10 ids stand once", shape_ids, "[\"a\",\"b\",\"a\"]", "v[2]: the same id stands twice" },
	{ "M10 ids are strings", shape_ids, "[\"a\",1]", "v[1]" },
	{ "M10 ids are an array", shape_ids, "\"a\"", "array" },
	{ "M10 some ids", shape_some_ids, "[\"a\"]", NULL },
	{ "M10 some ids are at least one", shape_some_ids, "[]", "at least one" },
	{ "M10 bool true", shape_bool, "true", NULL },
	{ "M10 bool false", shape_bool, "false", NULL },
	{ "M10 bool is no word", shape_bool, "\"true\"", "true or false" },
	{ "M10 true", shape_true, "true", NULL },
	{ "M10 true is not false", shape_true, "false", "must be true" },
	{ "M10 count", shape_count, "0", NULL },
	{ "M10 a count is not negative", shape_count, "-1", "v" },
	{ "M10 a count is whole", shape_count, "1.5", "v" },
	{ "M10 attempt", shape_attempt, "1", NULL },
	{ "M10 attempts start at one", shape_attempt, "0", "v" },
	{ "M10 iterations", shape_iterations, "20", NULL },
	{ "M10 too many iterations", shape_iterations, "21", "v" },
	{ "M10 object", shape_object, "{}", NULL },
	{ "M10 an array is no object", shape_object, "[]", "object" },
	{ "M10 anything", shape_any, "null", NULL },
	{ "M10 text or null", shape_text_or_null, "null", NULL },
	{ "M10 text or null is no number", shape_text_or_null, "1", "string" },
	{ "M10 instant", shape_instant, "\"2026-01-02T03:04:05Z\"", NULL },
	{ "M10 an instant has a zone", shape_instant, "\"2026-01-02T03:04:05\"", "RFC 3339" },
	{ "M10 an instant is text", shape_instant, "5", "string" },
	{ "M11 an image by address", shape_blocks, "[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"u\"}}]", NULL },
	{ "M11 an image inline", shape_blocks, "[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"AA\"}}]", NULL },
	{ "M11 an image by file", shape_blocks, "[{\"type\":\"image\",\"source\":{\"type\":\"file\",\"file_id\":\"f\"}}]", NULL },
	{ "M11 a document as text", shape_blocks, "[{\"type\":\"document\",\"title\":\"t\",\"context\":null,\"source\":{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":\"d\"}}]", NULL },
	{ "M11 an image is no text source", shape_blocks, "[{\"type\":\"image\",\"source\":{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":\"d\"}}]", "source.type" },
	{ "M11 inline data needs its media type", shape_blocks, "[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"AA\"}}]", "media_type" },
	{ "M11 an address needs its url", shape_blocks, "[{\"type\":\"image\",\"source\":{\"type\":\"url\"}}]", "url" },
	{ "M11 a file needs its id", shape_blocks, "[{\"type\":\"image\",\"source\":{\"type\":\"file\"}}]", "file_id" },
	{ "M11 a source of one type has no other's field", shape_blocks, "[{\"type\":\"image\",\"source\":{\"type\":\"file\",\"file_id\":\"f\",\"url\":\"u\"}}]", "url" },
	{ "M11 an image needs its source", shape_blocks, "[{\"type\":\"image\"}]", "needs its source" },
	{ "M11 a text block needs its text", shape_blocks, "[{\"type\":\"text\"}]", "needs its text" },
	{ "M11 a text block has no source", shape_blocks, "[{\"type\":\"text\",\"text\":\"t\",\"source\":{}}]", "no source" },
	{ "M11 an image has no text", shape_blocks, "[{\"type\":\"image\",\"text\":\"t\",\"source\":{\"type\":\"url\",\"url\":\"u\"}}]", "only a text block" },
	{ "M11 an image has no title", shape_blocks, "[{\"type\":\"image\",\"title\":\"t\",\"source\":{\"type\":\"url\",\"url\":\"u\"}}]", "only a document" },
	{ "M11 a block has a type", shape_blocks, "[{\"text\":\"t\"}]", "v[0].type" },
	{ "M11 a source has a type", shape_blocks, "[{\"type\":\"image\",\"source\":{\"url\":\"u\"}}]", "source.type" },
	{ "M11 a result may hold an image", shape_result, "[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"u\"}}]", NULL },
	{ "M11 texts are not empty", shape_texts, "[]", "at least one" },
	{ "M11 a size does not excuse an attachment", shape_attachments, "[{\"path\":\"1\",\"file_id\":\"f\",\"size\":1}]", "either file_id or path" },
	{ "M10 a rubric has a type", shape_rubric, "{\"content\":\"c\"}", "type" },
	{ "M8 a stop reason has a type", shape_stop_reason, "{\"limit\":\"time\"}", "type" },
	{ "M10 a retry status does not excuse an error", shape_error, "{\"type\":\"\",\"message\":\"m\",\"retry_status\":{\"type\":\"exhausted\"}}", "type" },
	{ "M10 an error's type is there", shape_error, "{\"message\":\"m\"}", "type" },
	{ "M11 usage counts input", shape_usage, "{\"output_tokens\":1}", "input_tokens" },
	{ "M11 a block of an unknown type", shape_blocks, "[{\"type\":\"video\"}]", "v[0].type" },
	{ "M11 a block is an object", shape_blocks, "[\"hi\"]", "v[0]" },
	{ "M11 content is an array", shape_blocks, "\"hi\"", "array of content blocks" },
	{ "M11 content is not empty", shape_blocks, "[]", "at least one" },
	{ "M11 a result may be empty", shape_result, "[]", NULL },
	{ "M11 texts", shape_texts, "[{\"type\":\"text\",\"text\":\"t\"}]", NULL },
	{ "M11 texts are no images", shape_texts, "[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"u\"}}]", "v[0].type" },
	{ "M11 ten attachments", shape_attachments, "[{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"file_id\":\"f\",\"mime_type\":\"a/b\",\"name\":\"n\",\"size\":3}]", NULL },
	{ "M11 the 11th attachment is refused", shape_attachments, "[{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"},{\"path\":\"1\"}]", "at most 10 attachments, not 11" },
	{ "M11 an attachment is a file or a path", shape_attachments, "[{\"path\":\"1\",\"file_id\":\"f\"}]", "either file_id or path" },
	{ "M11 an attachment is something", shape_attachments, "[{}]", "either file_id or path" },
	{ "M11 an attachment has a size", shape_attachments, "[{\"path\":\"1\",\"size\":-1}]", "v[0].size" },
	{ "M11 attachments are an array", shape_attachments, "{}", "array" },
	{ "M10 a text rubric", shape_rubric, "{\"type\":\"text\",\"content\":\"c\"}", NULL },
	{ "M10 a file rubric", shape_rubric, "{\"type\":\"file\",\"file_id\":\"f\"}", NULL },
	{ "M10 a file rubric has no content", shape_rubric, "{\"type\":\"file\",\"file_id\":\"f\",\"content\":\"c\"}", "a file rubric has file_id" },
	{ "M10 a text rubric has content", shape_rubric, "{\"type\":\"text\"}", "a text rubric has content" },
	{ "M10 a rubric of another type", shape_rubric, "{\"type\":\"url\"}", "type" },
	{ "M8 stop end_turn", shape_stop_reason, "{\"type\":\"end_turn\"}", NULL },
	{ "M8 stop requires_action", shape_stop_reason, "{\"type\":\"requires_action\",\"event_ids\":[\"a\"]}", NULL },
	{ "M8 requires_action names events", shape_stop_reason, "{\"type\":\"requires_action\"}", "event_ids" },
	{ "M8 requires_action names some", shape_stop_reason, "{\"type\":\"requires_action\",\"event_ids\":[]}", "at least one" },
	{ "M8 only requires_action names events", shape_stop_reason, "{\"type\":\"end_turn\",\"event_ids\":[\"a\"]}", "event_ids" },
	{ "M8 stop at a limit", shape_stop_reason, "{\"type\":\"limit_reached\",\"limit\":\"time\"}", NULL },
	{ "M8 a limit says which", shape_stop_reason, "{\"type\":\"limit_reached\"}", "no stop reason" },
	{ "M8 stop of another word", shape_stop_reason, "{\"type\":\"idle\"}", "no stop reason" },
	{ "M8 stop terminated", shape_stop_reason, "{\"type\":\"terminated\"}", "no stop reason" },
	{ "M10 error", shape_error, "{\"type\":\"unknown_error\",\"message\":\"m\",\"retry_status\":{\"type\":\"exhausted\",\"retry_at\":\"x\"},\"mcp_server_name\":\"s\",\"details\":{}}", NULL },
	{ "M10 an error has a message", shape_error, "{\"type\":\"unknown_error\"}", "message" },
	{ "M10 an error has a type", shape_error, "{\"type\":\"\",\"message\":\"m\"}", "type" },
	{ "M10 a retry status of another word", shape_error, "{\"type\":\"e\",\"message\":\"m\",\"retry_status\":{\"type\":\"soon\"}}", "retry_status.type" },
	{ "M10 a retry status is an object with a type", shape_error, "{\"type\":\"e\",\"message\":\"m\",\"retry_status\":{}}", "retry_status" },
	{ "M11 usage", shape_usage, "{\"input_tokens\":1,\"output_tokens\":2,\"cache_creation_input_tokens\":3,\"cache_read_input_tokens\":4,\"reasoning_tokens\":5,\"cost_picodollars\":6}", NULL },
	{ "M11 usage counts input and output", shape_usage, "{\"input_tokens\":1}", "output_tokens" },
	{ "M11 usage is not negative", shape_usage, "{\"input_tokens\":1,\"output_tokens\":-2}", "output_tokens" },
	{ "T8 allow or deny", shape_allow_deny, "\"deny\"", NULL },
	{ "T8 ask is no answer", shape_allow_deny, "\"ask\"", "allow, deny" },
	{ "T8 permission", shape_permission, "\"ask\"", NULL },
	{ "T8 scope", shape_scope, "\"always\"", NULL },
	{ "T11 executor", shape_executor, "\"client\"", NULL },
	{ "T7 outcome", shape_outcome, "\"interrupted\"", NULL },
	{ "T7 another outcome", shape_outcome, "\"lost\"", "interrupted" },
	{ "M7 lifecycle", shape_lifecycle, "\"inactive\"", NULL },
	{ "R3 a replaced session is archived or inactive", shape_replaced, "\"active\"", "archived, inactive" },
	{ "M4 session type", shape_session_type, "\"group\"", NULL },
	{ "R3 reset reason", shape_reset_reason, "\"daily\"", NULL },
	{ "C10 checkpoint reason", shape_checkpoint_reason, "\"turn_limit\"", NULL },
	/* clang-format on */
};

static void
shape_row(void **state)
{
	const struct shape_case *c = *state;
	struct arena a;
	struct json_doc doc;
	struct json v;
	struct err e = { 0 };
	int rc;

	arena_init(&a);
	rc = json_parse(&a, arena_printf(&a, "{\"v\":%s}", c->value), &JSON_LIMITS_DEFAULT, &doc,
			&e);
	assert_int_equal(rc, 0);
	assert_true(json_find(json_root(&doc), STR("v"), &v));
	rc = c->shape(v, &e);
	if (!c->error && rc != 0)
		fail_msg("%s: %s", c->name, e.text);
	if (c->error && rc != ERR_INVALID)
		fail_msg("%s: accepted", c->name);
	if (c->error && !strstr(e.text, c->error))
		fail_msg("%s: '%s'", c->name, e.text);
	arena_release(&a);
}

static struct json
parse_value(struct arena *a, struct json_doc *doc, struct str text)
{
	struct err e;

	assert_int_equal(json_parse(a, text, &JSON_LIMITS_DEFAULT, doc, &e), 0);
	return json_root(doc);
}

static void
M10_lists_and_ids_are_bounded(void **state)
{
	struct arena a;
	struct json_doc doc;
	struct err e;
	struct buf text;

	(void)state;
	arena_init(&a);
	buf_init(&text, 100000);
	for (int i = 0; i < 1000; i++)
		buf_printf(&text, "%s\"id%d\"", i ? "," : "[", i);
	buf_putc(&text, ']');
	assert_int_equal(shape_ids(parse_value(&a, &doc, buf_str(&text)), &e), 0);
	text.len--;
	buf_puts(&text, ",\"more\"]");
	assert_int_equal(shape_ids(parse_value(&a, &doc, buf_str(&text)), &e), ERR_INVALID);
	assert_non_null(strstr(e.text, "at most 1000"));
	buf_clear(&text);
	buf_printf(&text, "\"%0200d\"", 1);
	assert_int_equal(shape_id(parse_value(&a, &doc, buf_str(&text)), &e), 0);
	buf_clear(&text);
	buf_printf(&text, "\"%0201d\"", 1);
	assert_int_equal(shape_id(parse_value(&a, &doc, buf_str(&text)), &e), ERR_INVALID);
	buf_release(&text);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, CASES, shape_row);
	SUITE_TEST(&s, M10_lists_and_ids_are_bounded);
	return suite_run(&s, "event_shape");
}
