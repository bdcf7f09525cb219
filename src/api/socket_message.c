#include "api/socket_message.h"

#include "base/json.h"

static const int64_t ID_MAX = (INT64_C(1) << 53) - 1; /* what every client can count to */

struct fields {
	struct json id, type, method, path, body, key;
};

static int
take_path(struct json v, struct arena *a, struct socket_message *out, struct err *e)
{
	struct str target = { 0 };
	int rc = json_take_str(v, a, &target, e);

	if (rc != 0)
		return rc;
	if (!str_starts(target, STR("/")) || target.len > SOCKET_PATH_MAX)
		return err_set(e, ERR_INVALID, "path: must begin with / and have at most %d bytes",
			       SOCKET_PATH_MAX);
	str_cut(target, '?', &out->path, &out->query);
	return 0;
}

static int
take_request(const struct fields *f, struct arena *a, struct socket_message *out, struct err *e)
{
	static const char *const METHODS[] = { "GET", "POST", "DELETE" };
	size_t method = 0;
	int rc = json_take_word(f->method, METHODS, ARRAY_LEN(METHODS), &method, e);

	out->method = str_of(METHODS[method]);
	if (rc == 0)
		rc = take_path(f->path, a, out, e);
	if (rc == 0)
		rc = json_take_str(f->key, a, &out->idempotency_key, e);
	if (rc == 0 && json_is_set(f->body))
		out->body = json_raw(f->body);
	return rc;
}

static int
take_fields(const struct fields *f, struct arena *a, struct socket_message *out, struct err *e)
{
	static const char *const TYPES[] = { "request", "unsubscribe" };
	size_t type = SOCKET_REQUEST;
	int rc = json_take_int(f->id, 0, ID_MAX, &out->id, e);

	out->has_id = rc == 0 && json_is_set(f->id);
	if (rc == 0)
		rc = json_take_word(f->type, TYPES, ARRAY_LEN(TYPES), &type, e);
	out->type = (enum socket_message_type)type;
	if (rc != 0 || out->type == SOCKET_REQUEST)
		return rc == 0 ? take_request(f, a, out, e) : rc;
	if (json_is_set(f->method) || json_is_set(f->path) || json_is_set(f->body) ||
	    json_is_set(f->key))
		return err_set(e, ERR_INVALID, "type: unsubscribe takes nothing but the id");
	return 0;
}

/* Also out of a message that is refused for something else. */
static void
find_id(struct json root, struct socket_message *out)
{
	struct json v;
	int64_t id;

	if (!json_find(root, STR("id"), &v) || !json_int(v, &id) || id < 0 || id > ID_MAX)
		return;
	out->has_id = true;
	out->id = id;
}

int
socket_message_parse(struct arena *a, struct str text, struct socket_message *out, struct err *e)
{
	struct json_limits limits = JSON_LIMITS_DEFAULT;
	struct fields f = { { 0 } };
	const struct json_field fields[] = {
		{ "id", JSON_WANT_NUMBER, true, &f.id },
		{ "type", JSON_WANT_STRING, false, &f.type },
		{ "method", JSON_WANT_STRING, false, &f.method },
		{ "path", JSON_WANT_STRING, false, &f.path },
		{ "body", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &f.body },
		{ "idempotency_key", JSON_WANT_STRING | JSON_WANT_NULL, false, &f.key },
	};
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	int rc;

	*out = (struct socket_message){ 0 };
	limits.bytes = text.len; /* the connection has bounded it */
	limits.depth++;          /* of the body as many as over HTTP */
	rc = json_parse(a, text, &limits, doc, e);
	if (rc == 0 && json_type(json_root(doc)) != JSON_OBJECT)
		rc = err_set(e, ERR_INVALID, "must be a JSON object");
	if (rc != 0)
		return err_prefix(e, rc, "message: ");
	find_id(json_root(doc), out);
	rc = json_fields(json_root(doc), fields, ARRAY_LEN(fields), e);
	return rc == 0 ? take_fields(&f, a, out, e) : rc;
}
