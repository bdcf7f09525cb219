#include "core/token_def.h"

#include "base/json_write.h"
#include "base/timestamp.h"
#include "core/definition.h"

enum { TEXT_OR_NULL = JSON_WANT_STRING | JSON_WANT_NULL, ID_MAX = 200, WRITTEN_MAX = 16 * 1024 };

static const char *const KINDS[] = {
	[TOKEN_OWNER] = "owner",
	[TOKEN_USER] = "user",
	[TOKEN_CHANNEL] = "channel",
	[TOKEN_WORKER] = "worker",
	[TOKEN_ENVIRONMENT] = "environment",
};

/* Whom a token speaks for: the members of a body, and which kinds must or may have them. */
enum { USER_ID, NAMESPACE, ENVIRONMENT_ID, SUBJECTS };
static const struct {
	const char *name;
	unsigned needed, allowed; /* bit sets of 1 << enum token_kind */
} SUBJECT[SUBJECTS] = {
	[USER_ID] = { "user_id", 1u << TOKEN_USER, 1u << TOKEN_USER | 1u << TOKEN_OWNER },
	[NAMESPACE] = { "namespace", 1u << TOKEN_CHANNEL, 1u << TOKEN_CHANNEL },
	[ENVIRONMENT_ID] = { "environment_id", 1u << TOKEN_ENVIRONMENT, 1u << TOKEN_ENVIRONMENT },
};

static int
check_subjects(struct json body, const struct json subjects[SUBJECTS], enum token_kind kind,
	       struct err *e)
{
	for (size_t i = 0; i < SUBJECTS; i++) {
		if (json_is_set(subjects[i]) && !(SUBJECT[i].allowed >> kind & 1))
			return json_fail(subjects[i], e, "a token of kind %s has none",
					 KINDS[kind]);
		if (!json_is_set(subjects[i]) && SUBJECT[i].needed >> kind & 1)
			return json_fail(body, e, "%s: is required for a token of kind %s",
					 SUBJECT[i].name, KINDS[kind]);
	}
	return 0;
}

/* It stands before the colon of session ids. */
static bool
is_namespace(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'))
			return false;
	}
	return s.len > 0 && s.len <= TOKEN_NAMESPACE_MAX;
}

static int
take_expiry(struct json v, int64_t now_ms, struct arena *a, int64_t *out, struct err *e)
{
	struct str text = { 0 };
	int rc = json_take_str(v, a, &text, e);

	if (rc != 0 || !json_is_set(v))
		return rc;
	if (!timestamp_parse(text, out))
		return json_fail(v, e, "must be a time like 2026-03-29T01:00:00Z");
	if (*out <= now_ms)
		return json_fail(v, e, "lies in the past");
	return 0;
}

static int
take_texts(struct definition *d, struct json name, const struct json subjects[SUBJECTS],
	   struct token_def *t, struct err *e)
{
	int rc = 0;

	if (json_is_set(name))
		rc = definition_take_label(d, name, DEFINITION_NAME_MAX, &t->name, e);
	if (rc == 0 && str_eq(t->name, TOKEN_DEF_FILE))
		rc = json_fail(name, e, "is what the token in that file is called; choose another");
	if (rc == 0 && json_is_set(subjects[USER_ID]))
		rc = definition_take_label(d, subjects[USER_ID], ID_MAX, &t->user_id, e);
	if (rc == 0 && json_is_set(subjects[ENVIRONMENT_ID]))
		rc = definition_take_label(d, subjects[ENVIRONMENT_ID], ID_MAX, &t->environment_id,
					   e);
	if (rc == 0)
		rc = json_take_str(subjects[NAMESPACE], d->a, &t->namespace, e);
	if (rc == 0 && json_is_set(subjects[NAMESPACE]) && !is_namespace(t->namespace))
		rc = json_fail(subjects[NAMESPACE], e,
			       "must be 1 to %d of a-z, 0-9, underscore and hyphen",
			       TOKEN_NAMESPACE_MAX);
	return rc;
}

int
token_def_decode(struct json body, int64_t now_ms, struct arena *a, struct token_def *out,
		 struct err *e)
{
	struct json kind = { 0 }, name = { 0 }, expires = { 0 }, subjects[SUBJECTS] = { 0 };
	const struct json_field fields[] = {
		{ "kind", JSON_WANT_STRING, true, &kind },
		{ "user_id", TEXT_OR_NULL, false, &subjects[USER_ID] },
		{ "namespace", TEXT_OR_NULL, false, &subjects[NAMESPACE] },
		{ "environment_id", TEXT_OR_NULL, false, &subjects[ENVIRONMENT_ID] },
		{ "name", TEXT_OR_NULL, false, &name },
		{ "expires_at", TEXT_OR_NULL, false, &expires },
	};
	struct definition d = { .a = a };
	struct token_def t = { .created_ms = now_ms };
	size_t word = 0;
	int rc = json_fields(body, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_word(kind, KINDS, ARRAY_LEN(KINDS), &word, e);
	if (rc == 0)
		rc = check_subjects(body, subjects, (enum token_kind)word, e);
	if (rc == 0)
		rc = take_texts(&d, name, subjects, &t, e);
	if (rc == 0)
		rc = take_expiry(expires, now_ms, a, &t.expires_ms, e);
	if (rc != 0)
		return rc;
	t.kind = (enum token_kind)word;
	*out = t;
	return 0;
}

static struct str
stored_text(struct json v, const char *name, struct arena *a)
{
	return arena_str(a, json_str(definition_find(v, name), a));
}

static int64_t
stored_instant(struct json v, const char *name, struct arena *a)
{
	int64_t ms = 0;

	IGNORE(timestamp_parse(json_str(definition_find(v, name), a), &ms)); /* null: never */
	return ms;
}

int
token_def_read(struct json v, struct arena *a, struct token_def *out, struct err *e)
{
	struct token_def t = {
		.id = stored_text(v, "id", a),
		.name = stored_text(v, "name", a),
		.prefix = stored_text(v, "prefix", a),
		.user_id = stored_text(v, "user_id", a),
		.namespace = stored_text(v, "namespace", a),
		.environment_id = stored_text(v, "environment_id", a),
		.created_ms = stored_instant(v, "created_at", a),
		.expires_ms = stored_instant(v, "expires_at", a),
		.last_used_ms = stored_instant(v, "last_used_at", a),
		.revoked_ms = stored_instant(v, "revoked_at", a),
	};

	if (!token_kind_parse(json_str(definition_find(v, "kind"), a), &t.kind) || t.id.len == 0)
		return err_set(e, ERR_CORRUPT, "a stored token without kind or id");
	*out = t;
	return 0;
}

static void
write_instant(struct jw *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	if (ms == 0)
		jw_field_null(w, name);
	else
		jw_field_str(w, name, timestamp_format(ms, text));
}

static void
write_text(struct jw *w, const char *name, struct str text)
{
	if (text.len == 0)
		jw_field_null(w, name);
	else
		jw_field_str(w, name, text);
}

struct str
token_def_write(const struct token_def *t, struct arena *a)
{
	struct buf out;
	struct str text;
	struct jw w;

	buf_init(&out, WRITTEN_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	jw_field_str(&w, "id", t->id);
	jw_field_str(&w, "type", STR("token"));
	jw_field_str(&w, "kind", str_of(token_kind_name(t->kind)));
	write_text(&w, "name", t->name);
	write_text(&w, "prefix", t->prefix);
	write_text(&w, "user_id", t->user_id);
	write_text(&w, "namespace", t->namespace);
	write_text(&w, "environment_id", t->environment_id);
	write_instant(&w, "created_at", t->created_ms);
	write_instant(&w, "expires_at", t->expires_ms);
	write_instant(&w, "last_used_at", t->last_used_ms);
	write_instant(&w, "revoked_at", t->revoked_ms);
	jw_end_object(&w);
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}
