#include "tool/mcp/param_header.h"

static const struct str KEY = { "x-mcp-header", 12 };

/* ---- encoding ---- */

static bool
is_plain(struct str value)
{
	if (value.len == 0 || value.ptr[0] == ' ' || value.ptr[value.len - 1] == ' ')
		return false;
	if (str_starts(value, STR("=?base64?")) && str_ends(value, STR("?=")))
		return false; /* it looks like one that is encoded */
	for (size_t i = 0; i < value.len; i++)
		if (value.ptr[i] < ' ' || value.ptr[i] >= 0x7f)
			return false;
	return true;
}

static void
put_base64(struct buf *out, struct str bytes)
{
	static const char DIGITS[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t have = bytes.len - i < 3 ? bytes.len - i : 3;
		uint32_t group = 0;

		for (size_t k = 0; k < 3; k++)
			group = group << 8 | (k < have ? (unsigned char)bytes.ptr[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			buf_putc(out, k <= have ? DIGITS[group >> (18 - 6 * k) & 63] : '=');
	}
}

struct str
param_header_encode(struct str value, struct arena *a)
{
	struct str made;
	struct buf out;

	if (is_plain(value))
		return arena_str(a, value);
	buf_init(&out, value.len * 2 + 32);
	buf_puts(&out, "=?base64?");
	put_base64(&out, value);
	buf_puts(&out, "?=");
	made = arena_str(a, buf_str(&out));
	buf_release(&out);
	return made;
}

/* ---- the schema ---- */

struct walk {
	struct arena *a;
	struct param_header *found;
	size_t count;
	struct str path[PARAM_DEPTH_MAX];
	size_t depth;
};

/* What may stand in the name of a header (RFC 9110: tchar). */
static bool
is_token(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool alnum =
			(c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

		if (!alnum && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return name.len > 0 && name.len <= 128;
}

static bool
is_primitive(struct json property)
{
	struct json type;

	return json_find(property, STR("type"), &type) &&
	       (json_str_eq(type, STR("string")) || json_str_eq(type, STR("integer")) ||
		json_str_eq(type, STR("boolean")));
}

static bool
is_taken(const struct walk *k, struct str name)
{
	for (size_t i = 0; i < k->count; i++)
		if (str_eq_nocase(k->found[i].name, name))
			return true;
	return false;
}

static int
take(struct walk *k, struct json property, struct json annotation, struct err *e)
{
	struct str name = json_str(annotation, k->a), whole;
	struct str *path;

	if (!is_token(name))
		return json_fail(annotation, e, "is no name of a header");
	if (!is_primitive(property))
		return json_fail(annotation, e, "stands only at strings, integers and booleans");
	whole = arena_printf(k->a, "Mcp-Param-" STR_FMT, STR_ARG(name));
	if (is_taken(k, whole))
		return json_fail(annotation, e, "names a header a second time");
	if (k->count == PARAM_HEADERS_MAX)
		return json_fail(annotation, e, "is one of more than %d", PARAM_HEADERS_MAX);
	path = ARENA_ARRAY(k->a, k->depth, struct str);
	memcpy(path, k->path, k->depth * sizeof *path);
	k->found[k->count++] = (struct param_header){ whole, path, k->depth };
	return 0;
}

/* Anywhere but at a property that can be reached by properties alone it means nothing. */
static int
refuse_within(struct json v, bool names, struct err *e)
{
	struct json annotation;
	int rc = 0;

	if (!names && json_find(v, KEY, &annotation))
		return json_fail(annotation, e, "stands where no value can be read");
	for (struct json_iter it = json_iter(v); rc == 0 && json_next(&it);)
		rc = refuse_within(it.value,
				   json_type(v) == JSON_OBJECT && !names &&
					   json_str_eq(it.key, STR("properties")),
				   e);
	return rc;
}

static int walk_properties(struct walk *k, struct json properties, struct err *e);

static int
walk_schema(struct walk *k, struct json schema, struct err *e)
{
	int rc = 0;

	for (struct json_iter it = json_iter(schema); rc == 0 && json_next(&it);) {
		if (json_type(schema) != JSON_OBJECT || json_str_eq(it.key, KEY))
			continue;
		if (json_str_eq(it.key, STR("properties")) && k->depth < PARAM_DEPTH_MAX)
			rc = walk_properties(k, it.value, e);
		else
			rc = refuse_within(it.value, false, e);
	}
	return rc;
}

static int
walk_properties(struct walk *k, struct json properties, struct err *e)
{
	struct json annotation;
	int rc = 0;

	if (json_type(properties) != JSON_OBJECT)
		return 0;
	for (struct json_iter it = json_iter(properties); rc == 0 && json_next(&it);) {
		k->path[k->depth++] = arena_str(k->a, json_str(it.key, k->a));
		if (json_find(it.value, KEY, &annotation))
			rc = take(k, it.value, annotation, e);
		if (rc == 0)
			rc = walk_schema(k, it.value, e);
		k->depth--;
	}
	return rc;
}

int
param_header_read(struct json schema, struct arena *a, struct param_header **out, size_t *count,
		  struct err *e)
{
	struct walk k = { .a = a };
	struct json annotation;
	int rc;

	/* Most tools have none of them. */
	if (!str_contains(json_raw(schema), KEY)) {
		*out = NULL;
		*count = 0;
		return 0;
	}
	if (json_find(schema, KEY, &annotation))
		return json_fail(annotation, e, "stands where no value can be read");
	k.found = ARENA_ARRAY(a, PARAM_HEADERS_MAX, struct param_header);
	rc = walk_schema(&k, schema, e);
	if (rc != 0)
		return rc;
	*out = k.found;
	*count = k.count;
	return 0;
}

/* ---- the values ---- */

static bool
find_value(const struct param_header *p, struct json at, struct json *out)
{
	for (size_t i = 0; i < p->path_len; i++)
		if (!json_find(at, p->path[i], &at))
			return false;
	*out = at;
	return json_type(at) != JSON_NULL;
}

/* Integers may be spelled 1.0 or 1e2: what is meant is sent. */
static struct str
value_text(struct json v, struct arena *a)
{
	int64_t number;

	if (json_type(v) == JSON_STRING)
		return json_str(v, a);
	if (json_type(v) == JSON_NUMBER && json_int(v, &number))
		return arena_printf(a, "%lld", (long long)number);
	return json_raw(v);
}

size_t
param_header_fill(const struct param_header *params, size_t count, struct json arguments,
		  struct arena *a, struct http_header *out)
{
	struct json value;
	size_t made = 0;

	for (size_t i = 0; i < count; i++)
		if (find_value(&params[i], arguments, &value))
			out[made++] = (struct http_header){
				params[i].name, param_header_encode(value_text(value, a), a)
			};
	return made;
}
