#include "core/message.h"

#include <stdlib.h>

static const char *const ROLES[] = {
	[MESSAGE_USER] = "user",
	[MESSAGE_ASSISTANT] = "assistant",
	[MESSAGE_SYSTEM] = "system",
	[MESSAGE_TOOL] = "tool",
};

const char *
message_role_name(enum message_role role)
{
	return ROLES[role];
}

bool
message_opens_turn(const struct message *m)
{
	return m->role == MESSAGE_USER && !m->synthetic && !m->summary;
}

static int
decode_image(struct json v, struct err *e)
{
	struct json url = { 0 }, detail = { 0 };
	const struct json_field fields[] = {
		{ "url", JSON_WANT_STRING, true, &url },
		{ "detail", JSON_WANT_STRING, false, &detail },
	};

	return json_fields(v, fields, ARRAY_LEN(fields), e);
}

/* One part; text is appended to *joined, an image counted. */
static int
decode_part(struct json v, struct arena *a, struct message *m, struct buf *joined, struct err *e)
{
	enum { PART_TEXT, PART_IMAGE };
	static const char *const kinds[] = { [PART_TEXT] = "text", [PART_IMAGE] = "image_url" };
	struct json type = { 0 }, text = { 0 }, image = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "text", JSON_WANT_STRING, false, &text },
		{ "image_url", JSON_WANT_OBJECT, false, &image },
	};
	size_t kind = PART_TEXT;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_word(type, kinds, ARRAY_LEN(kinds), &kind, e);
	if (rc != 0)
		return rc;
	if (json_is_set(text) != (kind == PART_TEXT) || json_is_set(image) != (kind == PART_IMAGE))
		return json_fail(v, e, "a part of type %s has exactly the field %s", kinds[kind],
				 kinds[kind]);
	if (kind == PART_IMAGE) {
		m->images++;
		return decode_image(image, e);
	}
	if (joined->len > 0)
		buf_putc(joined, '\n');
	buf_put_str(joined, json_str(text, a));
	return 0;
}

static int
decode_parts(struct json array, struct arena *a, struct message *m, struct err *e)
{
	struct json_iter it = json_iter(array);
	struct buf joined;
	int rc = 0;

	buf_init(&joined, JSON_LIMITS_DEFAULT.bytes);
	while (rc == 0 && json_next(&it)) {
		if (json_type(it.value) != JSON_OBJECT)
			rc = json_fail(it.value, e, "must be an object, not %s",
				       json_type_name(it.value));
		else
			rc = decode_part(it.value, a, m, &joined, e);
	}
	if (rc == 0)
		rc = buf_check(&joined, "the joined text parts", e);
	if (rc == 0)
		m->content = arena_str(a, buf_str(&joined));
	buf_release(&joined);
	return rc;
}

static int
take_nonempty(struct json v, struct arena *a, struct str *out, struct err *e)
{
	int rc = json_take_str(v, a, out, e);

	if (rc == 0 && str_is_empty(*out))
		return json_fail(v, e, "must not be empty");
	return rc;
}

static int
decode_tool_call(struct json v, struct arena *a, struct tool_call *out, struct err *e)
{
	static const char *const types[] = { "function" };
	struct json id = { 0 }, type = { 0 }, function = { 0 }, name = { 0 }, arguments = { 0 };
	const struct json_field outer[] = {
		{ "id", JSON_WANT_STRING, true, &id },
		{ "type", JSON_WANT_STRING, false, &type },
		{ "function", JSON_WANT_OBJECT, true, &function },
	};
	const struct json_field inner[] = {
		{ "name", JSON_WANT_STRING, true, &name },
		{ "arguments", JSON_WANT_STRING, true, &arguments },
	};
	size_t ignored = 0;
	int rc = 0;

	if (json_type(v) != JSON_OBJECT)
		return json_fail(v, e, "must be an object, not %s", json_type_name(v));
	rc = json_fields(v, outer, ARRAY_LEN(outer), e);
	if (rc == 0)
		rc = json_take_word(type, types, ARRAY_LEN(types), &ignored, e);
	if (rc == 0)
		rc = json_fields(function, inner, ARRAY_LEN(inner), e);
	if (rc == 0)
		rc = take_nonempty(id, a, &out->id, e);
	if (rc == 0)
		rc = take_nonempty(name, a, &out->name, e);
	if (rc == 0)
		rc = json_take_str(arguments, a, &out->arguments, e);
	return rc;
}

static int
decode_tool_calls(struct json array, struct arena *a, struct message *m, struct err *e)
{
	struct json_iter it = json_iter(array);
	struct tool_call *calls;

	if (!json_is_set(array))
		return 0;
	if (m->role != MESSAGE_ASSISTANT)
		return json_fail(array, e, "only an assistant message calls tools");
	calls = ARENA_ARRAY(a, json_count(array), struct tool_call);
	while (json_next(&it)) {
		int rc = decode_tool_call(it.value, a, &calls[it.index], e);

		if (rc != 0)
			return rc;
	}
	m->tool_calls = calls;
	m->tool_call_count = json_count(array);
	return 0;
}

static int
decode_content(struct json content, struct arena *a, struct message *m, struct err *e)
{
	if (json_is_set(content) && json_type(content) == JSON_ARRAY)
		return decode_parts(content, a, m, e);
	return json_take_str(content, a, &m->content, e);
}

/* A message with calls may come without a word. */
static bool
has_calls(struct json v)
{
	struct json calls;

	return json_find(v, STR("tool_calls"), &calls) && json_count(calls) > 0;
}

static int
decode_message(struct json v, struct arena *a, struct message *m, struct err *e)
{
	struct json role = { 0 }, content = { 0 }, calls = { 0 }, call_id = { 0 }, name = { 0 };
	struct json synthetic = { 0 }, summary = { 0 };
	const bool silent = has_calls(v);
	const unsigned content_want =
		JSON_WANT_STRING | JSON_WANT_ARRAY | (silent ? JSON_WANT_NULL : 0);
	const struct json_field fields[] = {
		{ "role", JSON_WANT_STRING, true, &role },
		{ "content", content_want, !silent, &content },
		{ "tool_calls", JSON_WANT_ARRAY, false, &calls },
		{ "tool_call_id", JSON_WANT_STRING, false, &call_id },
		{ "name", JSON_WANT_STRING, false, &name },
		{ "synthetic", JSON_WANT_BOOL, false, &synthetic },
		{ "summary", JSON_WANT_BOOL, false, &summary },
	};
	size_t role_at = MESSAGE_USER;
	int rc;

	if (json_type(v) != JSON_OBJECT)
		return json_fail(v, e, "must be an object, not %s", json_type_name(v));
	rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = json_take_word(role, ROLES, ARRAY_LEN(ROLES), &role_at, e);
	if (rc != 0)
		return rc;
	m->role = (enum message_role)role_at;
	if (json_is_set(call_id) && m->role != MESSAGE_TOOL)
		return json_fail(call_id, e, "only a tool message answers a call");
	rc = decode_tool_calls(calls, a, m, e);
	if (rc == 0)
		rc = decode_content(content, a, m, e);
	if (rc == 0)
		rc = json_take_str(call_id, a, &m->tool_call_id, e);
	if (rc == 0)
		rc = json_take_str(name, a, &m->name, e);
	if (rc == 0)
		rc = json_take_bool(synthetic, &m->synthetic, e);
	if (rc == 0)
		rc = json_take_bool(summary, &m->summary, e);
	return rc;
}

int
message_decode(struct json array, struct arena *a, struct message **out, size_t *count,
	       struct err *e)
{
	struct message *messages;
	struct json_iter it = json_iter(array);

	if (json_type(array) != JSON_ARRAY)
		return json_fail(array, e, "must be an array, not %s", json_type_name(array));
	messages = ARENA_ARRAY(a, json_count(array), struct message);
	while (json_next(&it)) {
		int rc = decode_message(it.value, a, &messages[it.index], e);

		if (rc != 0)
			return rc;
	}
	message_link(messages, json_count(array), a);
	*out = messages;
	*count = json_count(array);
	return 0;
}

/* One tool call and the message that makes it; sorted by id, then by position. */
struct call_site {
	const struct tool_call *call;
	size_t at;
};

static int
compare_sites(const void *left, const void *right)
{
	const struct call_site *a = left, *b = right;
	int order = str_cmp(a->call->id, b->call->id);

	return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static struct call_site *
collect_sites(const struct message *messages, size_t count, struct arena *a, size_t *found)
{
	struct call_site *sites;
	size_t total = 0, n = 0;

	for (size_t i = 0; i < count; i++)
		total += messages[i].tool_call_count;
	sites = ARENA_ARRAY(a, total, struct call_site);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < messages[i].tool_call_count; k++)
			sites[n++] = (struct call_site){ &messages[i].tool_calls[k], i };
	qsort(sites, n, sizeof *sites, compare_sites);
	*found = n;
	return sites;
}

/* The last call of that id made before message `at`; NULL when there is none. */
static const struct call_site *
find_site(const struct call_site *sites, size_t count, struct str id, size_t at)
{
	size_t low = 0, high = count;

	while (low < high) { /* first site not before (id, at) */
		size_t middle = low + (high - low) / 2;
		int order = str_cmp(sites[middle].call->id, id);

		if (order < 0 || (order == 0 && sites[middle].at < at))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !str_eq(sites[low - 1].call->id, id))
		return NULL;
	return &sites[low - 1];
}

static void
link_result(struct message *result, const struct call_site *site)
{
	if (!site)
		return;
	result->owner = site->at;
	if (str_is_empty(result->name))
		result->name = site->call->name;
}

void
message_link(struct message *messages, size_t count, struct arena *a)
{
	size_t site_count, caller = MESSAGE_NO_OWNER;
	const struct call_site *sites = collect_sites(messages, count, a, &site_count);

	for (size_t i = 0; i < count; i++) {
		struct message *m = &messages[i];

		m->owner = MESSAGE_NO_OWNER;
		if (m->tool_call_count > 0)
			caller = i;
		if (m->role != MESSAGE_TOOL)
			continue;
		if (!str_is_empty(m->tool_call_id)) {
			link_result(m, find_site(sites, site_count, m->tool_call_id, i));
		} else if (caller != MESSAGE_NO_OWNER) {
			m->owner = caller;
			if (messages[caller].tool_call_count == 1 && str_is_empty(m->name))
				m->name = messages[caller].tool_calls[0].name;
		}
	}
}
