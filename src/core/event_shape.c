#include "core/event_shape.h"

#include "base/timestamp.h"
#include "core/session.h"

enum { ID_BYTES_MAX = 200, ATTACHMENTS_MAX = 10 };

static int
want_type(struct json v, enum json_type type, const char *what, struct err *e)
{
	if (json_type(v) != type)
		return json_fail(v, e, "must be %s, not %s", what, json_type_name(v));
	return 0;
}

static int
want_word(struct json v, const char *const *words, size_t count, struct err *e)
{
	size_t unused;

	return json_take_word(v, words, count, &unused, e);
}

static int
want_int(struct json v, int64_t min, int64_t max, struct err *e)
{
	int64_t unused;

	return json_take_int(v, min, max, &unused, e);
}

int
shape_text(struct json v, struct err *e)
{
	return want_type(v, JSON_STRING, "a string", e);
}

int
shape_id(struct json v, struct err *e)
{
	int rc = shape_text(v, e);

	if (rc == 0 && (json_str_eq(v, STR("")) || json_raw(v).len > ID_BYTES_MAX + 2))
		rc = json_fail(v, e, "must be an id of 1 to %d bytes", ID_BYTES_MAX);
	return rc;
}

/* Lists are short (a queue's depth), so comparing all pairs is fine; the cap keeps it so. */
int
shape_ids(struct json v, struct err *e)
{
	enum { IDS_MAX = 1000 };
	int rc = want_type(v, JSON_ARRAY, "an array of ids", e);

	if (rc != 0)
		return rc;
	if (json_count(v) > IDS_MAX)
		return json_fail(v, e, "must have at most %d ids", IDS_MAX);
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		rc = shape_id(it.value, e);
		if (rc != 0)
			return rc;
		for (struct json_iter before = json_iter(v);
		     json_next(&before) && before.index < it.index;)
			if (str_eq(json_raw(before.value), json_raw(it.value)))
				return json_fail(it.value, e, "the same id stands twice");
	}
	return 0;
}

int
shape_some_ids(struct json v, struct err *e)
{
	int rc = shape_ids(v, e);

	if (rc == 0 && json_count(v) == 0)
		rc = json_fail(v, e, "must name at least one id");
	return rc;
}

int
shape_bool(struct json v, struct err *e)
{
	if (json_type(v) != JSON_TRUE && json_type(v) != JSON_FALSE)
		return json_fail(v, e, "must be true or false, not %s", json_type_name(v));
	return 0;
}

int
shape_true(struct json v, struct err *e)
{
	if (json_type(v) != JSON_TRUE)
		return json_fail(v, e, "must be true");
	return 0;
}

int
shape_count(struct json v, struct err *e)
{
	return want_int(v, 0, INT64_MAX, e);
}

int
shape_attempt(struct json v, struct err *e)
{
	return want_int(v, 1, INT64_MAX, e);
}

int
shape_iterations(struct json v, struct err *e)
{
	return want_int(v, 1, 20, e);
}

int
shape_object(struct json v, struct err *e)
{
	return want_type(v, JSON_OBJECT, "an object", e);
}

int
shape_any(struct json v, struct err *e)
{
	(void)v;
	(void)e;
	return 0;
}

int
shape_text_or_null(struct json v, struct err *e)
{
	return json_type(v) == JSON_NULL ? 0 : shape_text(v, e);
}

int
shape_instant(struct json v, struct err *e)
{
	int64_t unused;
	struct str raw = json_raw(v);
	int rc = shape_text(v, e);

	if (rc == 0 && !timestamp_parse(str_slice(raw, 1, raw.len - 1), &unused))
		rc = json_fail(v, e, "must be an RFC 3339 instant like 2026-01-02T03:04:05Z");
	return rc;
}

/* The closed sets of sources an image or document block may name. */
static int
check_source(struct json v, bool document, struct err *e)
{
	static const char *const WORDS[] = { "base64", "url", "file", "text" };
	enum { BASE64, URL, FILE_ID, TEXT };
	struct json type = { 0 }, media_type = { 0 }, data = { 0 }, url = { 0 }, file_id = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "media_type", JSON_WANT_STRING, false, &media_type },
		{ "data", JSON_WANT_STRING, false, &data },
		{ "url", JSON_WANT_STRING, false, &url },
		{ "file_id", JSON_WANT_STRING, false, &file_id },
	};
	bool inline_data;
	size_t word = 0;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_word(type, WORDS, document ? 4 : 3, &word, e);
	if (rc != 0)
		return rc;
	inline_data = word == BASE64 || word == TEXT;
	if (json_is_set(media_type) != inline_data || json_is_set(data) != inline_data)
		return json_fail(v, e, "media_type and data belong to sources of type %s",
				 document ? "base64 or text" : "base64");
	if (json_is_set(url) != (word == URL))
		return json_fail(v, e, "url belongs to sources of type url");
	if (json_is_set(file_id) != (word == FILE_ID))
		return json_fail(v, e, "file_id belongs to sources of type file");
	return 0;
}

static int
check_block(struct json v, bool text_only, struct err *e)
{
	static const char *const WORDS[] = { "text", "image", "document" };
	enum { TEXT, IMAGE, DOCUMENT };
	struct json type = { 0 }, text = { 0 }, source = { 0 }, title = { 0 }, context = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "text", JSON_WANT_STRING, false, &text },
		{ "source", JSON_WANT_OBJECT, false, &source },
		{ "title", JSON_WANT_STRING | JSON_WANT_NULL, false, &title },
		{ "context", JSON_WANT_STRING | JSON_WANT_NULL, false, &context },
	};
	size_t word = 0;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_word(type, WORDS, text_only ? 1 : 3, &word, e);
	if (rc != 0)
		return rc;
	if (json_is_set(text) != (word == TEXT))
		return json_fail(v, e,
				 word == TEXT ? "a text block needs its text"
					      : "only a text block has text");
	if (json_is_set(source) != (word != TEXT))
		return json_fail(v, e,
				 word == TEXT ? "a text block has no source"
					      : "an image or document block needs its source");
	if ((json_is_set(title) || json_is_set(context)) && word != DOCUMENT)
		return json_fail(v, e, "only a document block has a title or context");
	return word == TEXT ? 0 : check_source(source, word == DOCUMENT, e);
}

static int
check_blocks(struct json v, bool text_only, bool may_be_empty, struct err *e)
{
	int rc = want_type(v, JSON_ARRAY, "an array of content blocks", e);

	if (rc == 0 && !may_be_empty && json_count(v) == 0)
		rc = json_fail(v, e, "must have at least one content block");
	for (struct json_iter it = json_iter(v); rc == 0 && json_next(&it);)
		rc = check_block(it.value, text_only, e);
	return rc;
}

int
shape_blocks(struct json v, struct err *e)
{
	return check_blocks(v, false, false, e);
}

int
shape_result(struct json v, struct err *e)
{
	return check_blocks(v, false, true, e);
}

int
shape_texts(struct json v, struct err *e)
{
	return check_blocks(v, true, false, e);
}

static int
check_attachment(struct json v, struct err *e)
{
	struct json file_id = { 0 }, path = { 0 }, mime_type = { 0 }, name = { 0 }, size = { 0 };
	const struct json_field fields[] = {
		{ "file_id", JSON_WANT_STRING, false, &file_id },
		{ "path", JSON_WANT_STRING, false, &path },
		{ "mime_type", JSON_WANT_STRING, false, &mime_type },
		{ "name", JSON_WANT_STRING, false, &name },
		{ "size", JSON_WANT_NUMBER, false, &size },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0 && json_is_set(file_id) == json_is_set(path))
		rc = json_fail(v, e, "needs either file_id or path");
	if (rc == 0 && json_is_set(size))
		rc = shape_count(size, e);
	return rc;
}

int
shape_attachments(struct json v, struct err *e)
{
	int rc = want_type(v, JSON_ARRAY, "an array of attachments", e);

	if (rc == 0 && json_count(v) > ATTACHMENTS_MAX)
		rc = json_fail(v, e, "at most %d attachments, not %zu", ATTACHMENTS_MAX,
			       json_count(v));
	for (struct json_iter it = json_iter(v); rc == 0 && json_next(&it);)
		rc = check_attachment(it.value, e);
	return rc;
}

int
shape_rubric(struct json v, struct err *e)
{
	static const char *const WORDS[] = { "text", "file" };
	struct json type = { 0 }, content = { 0 }, file_id = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "content", JSON_WANT_STRING, false, &content },
		{ "file_id", JSON_WANT_STRING, false, &file_id },
	};
	size_t word = 0;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_word(type, WORDS, 2, &word, e);
	if (rc == 0 && (json_is_set(content) != (word == 0) || json_is_set(file_id) != (word == 1)))
		rc = json_fail(v, e, "a text rubric has content, a file rubric has file_id");
	return rc;
}

int
shape_stop_reason(struct json v, struct err *e)
{
	struct json type = { 0 }, event_ids = { 0 }, limit = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "event_ids", JSON_WANT_ARRAY, false, &event_ids },
		{ "limit", JSON_WANT_STRING, false, &limit },
	};
	enum stop_kind kind;
	struct str name, word = { 0 };
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc != 0)
		return rc;
	name = json_raw(type); /* no word of the set needs escapes */
	if (json_is_set(limit))
		word = json_raw(limit);
	if (!stop_kind_parse(str_slice(name, 1, name.len - 1),
			     word.len ? str_slice(word, 1, word.len - 1) : word, &kind) ||
	    !stop_kind_on_idle(kind))
		return json_fail(v, e, "is no stop reason of a status_idle");
	if (json_is_set(event_ids) != (kind == STOP_REQUIRES_ACTION))
		return json_fail(v, e, "event_ids belong to requires_action, and only there");
	return json_is_set(event_ids) ? shape_some_ids(event_ids, e) : 0;
}

static int
check_retry_status(struct json v, struct err *e)
{
	static const char *const WORDS[] = { "retrying", "exhausted", "terminal" };
	struct json type = { 0 }, retry_at = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "retry_at", JSON_WANT_STRING, false, &retry_at },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	return rc == 0 ? want_word(type, WORDS, ARRAY_LEN(WORDS), e) : rc;
}

int
shape_error(struct json v, struct err *e)
{
	struct json type = { 0 }, message = { 0 }, retry_status = { 0 }, server = { 0 },
		    details = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "message", JSON_WANT_STRING, true, &message },
		{ "retry_status", JSON_WANT_OBJECT, false, &retry_status },
		{ "mcp_server_name", JSON_WANT_STRING, false, &server },
		{ "details", JSON_WANT_OBJECT, false, &details },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = shape_id(type, e);
	if (rc == 0 && json_is_set(retry_status))
		rc = check_retry_status(retry_status, e);
	return rc;
}

int
shape_usage(struct json v, struct err *e)
{
	struct json counts[6] = { 0 };
	const struct json_field fields[] = {
		{ "input_tokens", JSON_WANT_NUMBER, true, &counts[0] },
		{ "output_tokens", JSON_WANT_NUMBER, true, &counts[1] },
		{ "cache_creation_input_tokens", JSON_WANT_NUMBER, false, &counts[2] },
		{ "cache_read_input_tokens", JSON_WANT_NUMBER, false, &counts[3] },
		{ "reasoning_tokens", JSON_WANT_NUMBER, false, &counts[4] },
		{ "cost_picodollars", JSON_WANT_NUMBER, false, &counts[5] },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(counts); i++)
		if (json_is_set(counts[i]))
			rc = shape_count(counts[i], e);
	return rc;
}

#define WORD_SHAPE(name, ...)                                       \
	int name(struct json v, struct err *e)                      \
	{                                                           \
		static const char *const WORDS[] = { __VA_ARGS__ }; \
                                                                    \
		return want_word(v, WORDS, ARRAY_LEN(WORDS), e);    \
	}

WORD_SHAPE(shape_allow_deny, "allow", "deny")
WORD_SHAPE(shape_permission, "allow", "ask", "deny")
WORD_SHAPE(shape_scope, "once", "always")
WORD_SHAPE(shape_executor, "server", "client")
WORD_SHAPE(shape_outcome, "ok", "error", "denied", "cancelled", "interrupted", "timeout")
WORD_SHAPE(shape_lifecycle, "active", "inactive", "archived", "terminated")
WORD_SHAPE(shape_replaced, "archived", "inactive")
WORD_SHAPE(shape_session_type, "direct", "group")
WORD_SHAPE(shape_reset_reason, "idle", "daily", "suspended", "manual")
WORD_SHAPE(shape_checkpoint_reason, "manual", "new_session", "turn_limit", "idle")
