#include "core/attachment.h"

bool
attachment_is_image(const struct attachment *at)
{
	return str_eq_nocase(str_slice(at->mime_type, 0, 6), STR("image/"));
}

static bool
is_base64_digit(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '+' || c == '/';
}

/* Standard alphabet with padding; text is not empty. *size_bytes: length of what it decodes to. */
static bool
is_base64(struct str text, size_t *size_bytes)
{
	size_t padding = str_ends(text, STR("==")) ? 2 : str_ends(text, STR("=")) ? 1 : 0;

	if (text.len % 4 != 0)
		return false;
	for (size_t i = 0; i < text.len - padding; i++)
		if (!is_base64_digit(text.ptr[i]))
			return false;
	*size_bytes = text.len / 4 * 3 - padding;
	return true;
}

static bool
is_token(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] >= 0x7f || s.ptr[i] == '/')
			return false;
	return s.len > 0;
}

/* type/subtype; parameters may follow a semicolon. */
static bool
is_mime_type(struct str text)
{
	struct str type, subtype, essence, parameters;

	str_cut(text, ';', &essence, &parameters);
	return str_cut(essence, '/', &type, &subtype) && is_token(type) &&
	       is_token(str_trim(subtype));
}

/* A file's own name: it must not lead anywhere. */
static bool
is_file_name(struct str name)
{
	if (name.len == 0 || name.len > ATTACHMENT_NAME_MAX || str_eq(name, STR(".")) ||
	    str_eq(name, STR("..")))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.ptr[i] < ' ' || name.ptr[i] == 0x7f || name.ptr[i] == '/' ||
		    name.ptr[i] == '\\')
			return false;
	return true;
}

static int
check_details(struct json mime_type, struct json name, struct arena *a, struct attachment *out,
	      struct err *e)
{
	int rc = json_take_str(mime_type, a, &out->mime_type, e);

	if (rc == 0)
		rc = json_take_str(name, a, &out->name, e);
	if (rc != 0)
		return rc;
	if (json_is_set(mime_type) && !is_mime_type(out->mime_type))
		return json_fail(mime_type, e, "must be type/subtype");
	if (json_is_set(name) && !is_file_name(out->name))
		return json_fail(name, e,
				 "must be a file name of 1 to %d bytes without slashes or "
				 "control characters",
				 ATTACHMENT_NAME_MAX);
	return 0;
}

static int
decode_one(struct json v, struct arena *a, struct attachment *out, struct err *e)
{
	struct json sources[3] = { 0 }, mime_type = { 0 }, name = { 0 };
	const struct json_field fields[] = {
		{ "file_id", JSON_WANT_STRING, false, &sources[ATTACHMENT_FILE_ID] },
		{ "path", JSON_WANT_STRING, false, &sources[ATTACHMENT_PATH] },
		{ "data", JSON_WANT_STRING, false, &sources[ATTACHMENT_DATA] },
		{ "mime_type", JSON_WANT_STRING, false, &mime_type },
		{ "name", JSON_WANT_STRING, false, &name },
	};
	size_t given = 0;
	int rc;

	if (json_type(v) != JSON_OBJECT)
		return json_fail(v, e, "must be an object, not %s", json_type_name(v));
	rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		if (!json_is_set(sources[i]))
			continue;
		given++;
		out->source = (enum attachment_source)i;
		out->value = json_str(sources[i], a);
	}
	if (given != 1)
		return json_fail(v, e, "must have exactly one of file_id, path and data");
	if (str_is_empty(out->value))
		return json_fail(sources[out->source], e, "must not be empty");
	if (out->source == ATTACHMENT_DATA && !is_base64(out->value, &out->size_bytes))
		return json_fail(sources[ATTACHMENT_DATA], e, "must be base64 with padding");
	if (out->source == ATTACHMENT_DATA && !json_is_set(mime_type))
		return json_fail(v, e, "mime_type is needed beside data");
	return check_details(mime_type, name, a, out, e);
}

int
attachment_decode(struct json array, struct arena *a, struct attachment **out, size_t *count,
		  struct err *e)
{
	struct attachment list[ATTACHMENT_MAX] = { 0 };
	struct json_iter it = json_iter(array);

	if (json_type(array) != JSON_ARRAY)
		return json_fail(array, e, "must be an array, not %s", json_type_name(array));
	while (json_next(&it)) {
		int rc;

		if (it.index == ATTACHMENT_MAX)
			return json_fail(it.value, e, "a prompt carries at most %d attachments",
					 ATTACHMENT_MAX);
		rc = decode_one(it.value, a, &list[it.index], e);
		if (rc != 0)
			return rc;
	}
	*count = json_count(array);
	*out = ARENA_ARRAY(a, *count, struct attachment);
	memcpy(*out, list, *count * sizeof *list);
	return 0;
}
