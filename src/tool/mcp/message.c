#include "tool/mcp/message.h"

enum { BATCH_MAX = 256, METHOD_MAX = 256, ID_MAX = 256 };

static const struct json_limits LIMITS = { MESSAGE_BYTES_MAX, MESSAGE_DEPTH_MAX, 1000000 };

/* ---- escapes that would be refused ---- */

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The code unit of a \uXXXX at at; -1: there is none. */
static int
unit_at(struct str s, size_t at)
{
	int unit = 0;

	if (at + 6 > s.len || s.ptr[at] != '\\' || s.ptr[at + 1] != 'u')
		return -1;
	for (size_t i = at + 2; i < at + 6; i++) {
		int digit = hex_digit(s.ptr[i]);

		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
	}
	return unit;
}

static bool
is_low(int unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/* How long the escape at at is; *bad: it may not stay. */
static size_t
look_at_escape(struct str s, size_t at, bool *bad)
{
	int unit = unit_at(s, at);

	*bad = unit == 0 || is_low(unit);
	if (unit < 0)
		return 2;
	if (unit < 0xd800 || unit > 0xdbff)
		return 6;
	*bad = !is_low(unit_at(s, at + 6));
	return *bad ? 6 : 12;
}

static struct str
mend(struct arena *a, struct str text)
{
	char *copy = NULL;
	bool bad;

	for (size_t at = 0; str_find(text, STR("\\"), at, &at);) {
		size_t len = look_at_escape(text, at, &bad);

		if (bad) {
			if (!copy)
				copy = (char *)(uintptr_t)arena_str(a, text).ptr;
			memcpy(copy + at + 2, "fffd", 4);
		}
		at += len;
	}
	return copy ? (struct str){ copy, text.len } : text;
}

/* ---- one message ---- */

static int
refuse(struct err *e, const char *why)
{
	return err_set(e, ERR_INVALID, "not a message of JSON-RPC 2.0: %s", why);
}

static int
read_error(struct json error, struct arena *a, struct message_in *m, struct err *e)
{
	struct json code, text;

	if (!json_find(error, STR("code"), &code) || !json_int(code, &m->code) ||
	    !json_find(error, STR("message"), &text) || json_type(text) != JSON_STRING)
		return refuse(e, "an error has a code and a message");
	m->kind = MESSAGE_ERROR;
	m->text = json_str(text, a);
	json_find(error, STR("data"), &m->data);
	return 0;
}

/* An error may be about a request whose id could not be read. */
static int
read_answer(struct json v, struct json id, struct arena *a, struct message_in *m, struct err *e)
{
	struct json error;
	bool failed = json_find(v, STR("error"), &error);

	m->id = MESSAGE_NO_ID;
	if (json_is_set(id) && !(json_type(id) == JSON_NUMBER && json_int(id, &m->id)) &&
	    json_type(id) != JSON_STRING && json_type(id) != JSON_NULL)
		return refuse(e, "its id is neither a number nor a string");
	if (failed)
		return read_error(error, a, m, e);
	m->kind = MESSAGE_RESULT;
	if (!json_find(v, STR("result"), &m->result))
		return refuse(e, "it has no method, no result and no error");
	return json_type(m->result) == JSON_OBJECT ? 0 : refuse(e, "a result is an object");
}

static int
read_one(struct json v, struct arena *a, struct message_in *m, struct err *e)
{
	struct json version, method, id = { 0 };

	if (json_type(v) != JSON_OBJECT)
		return refuse(e, "it is no object");
	if (!json_find(v, STR("jsonrpc"), &version) || !json_str_eq(version, STR("2.0")))
		return refuse(e, "jsonrpc is not \"2.0\"");
	json_find(v, STR("id"), &id);
	if (!json_find(v, STR("method"), &method))
		return read_answer(v, id, a, m, e);
	if (json_type(method) != JSON_STRING || json_raw(method).len > METHOD_MAX)
		return refuse(e, "its method is no short string");
	m->method = json_str(method, a);
	if (json_find(v, STR("params"), &m->params) && json_type(m->params) != JSON_OBJECT)
		return refuse(e, "its params are no object");
	m->kind = json_is_set(id) ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
	if (m->kind == MESSAGE_NOTIFICATION)
		return 0;
	m->raw_id = json_raw(id);
	if ((json_type(id) != JSON_NUMBER && json_type(id) != JSON_STRING) ||
	    m->raw_id.len > ID_MAX)
		return refuse(e, "its id is neither a number nor a short string");
	return 0;
}

int
message_read(struct arena *a, struct str text, struct message_in **out, size_t *count,
	     struct err *e)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct message_in *made;
	struct json root;
	size_t n = 1;
	int rc;

	if (text.len > MESSAGE_BYTES_MAX)
		return err_set(e, ERR_TOO_LARGE, "a message of over %d bytes", MESSAGE_BYTES_MAX);
	rc = json_parse(a, mend(a, text), &LIMITS, doc, e);
	if (rc != 0)
		return rc;
	root = json_root(doc);
	if (json_type(root) == JSON_ARRAY)
		n = json_count(root);
	if (n == 0 || n > BATCH_MAX)
		return refuse(e, "a batch has 1 to 256 messages");
	made = ARENA_ARRAY(a, n, struct message_in);
	if (json_type(root) != JSON_ARRAY)
		rc = read_one(root, a, made, e);
	else
		for (struct json_iter it = json_iter(root); rc == 0 && json_next(&it);)
			rc = read_one(it.value, a, &made[it.index], e);
	if (rc != 0)
		return rc;
	*out = made;
	*count = n;
	return 0;
}
