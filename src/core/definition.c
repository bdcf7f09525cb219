#include "core/definition.h"

#include "base/timestamp.h"
#include "base/utf8.h"
#include "core/canonical_json.h"

enum { MEMBERS_MAX = 32, COPY_DEPTH_MAX = 32 };

struct json
definition_find(struct json v, const char *name)
{
	struct json found = { 0 };

	IGNORE(json_find(v, str_of(name), &found)); /* found stays absent */
	return found;
}

struct json
definition_given_or_kept(struct json v, struct json now, const char *name)
{
	struct json given = definition_find(v, name);

	return json_is_set(given) ? given : definition_find(now, name);
}

bool
definition_is_archived(struct json current)
{
	return json_type(definition_find(current, "archived_at")) == JSON_STRING;
}

int64_t
definition_version(struct json current)
{
	struct json v = definition_find(current, "version");
	int64_t version = 0;

	IGNORE(json_int(v, &version)); /* stays 0 */
	return version;
}

/* ---- values ---- */

static int
check_length(struct json v, struct str text, size_t min, size_t max, struct err *e)
{
	size_t count = utf8_count(text);

	if (count < min || count > max)
		return json_fail(v, e, "must have %zu to %zu characters, not %zu", min, max, count);
	return 0;
}

int
definition_write_text(struct definition *d, struct json v, size_t min, size_t max, struct err *e)
{
	struct str text = { 0 };
	int rc = json_take_str(v, d->a, &text, e);

	if (rc == 0 && json_is_set(v))
		rc = check_length(v, text, min, max, e);
	if (rc != 0)
		return rc;
	if (text.len == 0)
		jw_null(&d->w);
	else
		jw_str(&d->w, text);
	return 0;
}

static bool
has_control(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return true;
	return false;
}

int
definition_take_label(struct definition *d, struct json v, size_t max, struct str *out,
		      struct err *e)
{
	struct str text = { 0 };
	int rc = json_take_str(v, d->a, &text, e);

	if (rc == 0)
		rc = check_length(v, text, 1, max, e);
	if (rc == 0 && has_control(text))
		rc = json_fail(v, e, "must not contain control characters");
	if (rc == 0)
		*out = text;
	return rc;
}

int
definition_write_name(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct str name;
	int rc = definition_take_label(d, v, DEFINITION_NAME_MAX, &name, e);

	(void)now;
	if (rc == 0)
		jw_str(&d->w, name);
	return rc;
}

static int
copy(struct definition *d, struct json v, size_t depth, struct err *e)
{
	struct json_iter it = json_iter(v);
	enum json_type type = json_type(v);

	if (type != JSON_ARRAY && type != JSON_OBJECT) {
		jw_raw(&d->w, json_raw(v));
		return 0;
	}
	if (depth == COPY_DEPTH_MAX)
		return json_fail(v, e, "nests deeper than %d levels", COPY_DEPTH_MAX);
	if (type == JSON_ARRAY)
		jw_array(&d->w);
	else
		jw_object(&d->w);
	while (json_next(&it)) {
		int rc;

		if (it.in_object)
			jw_key(&d->w, json_str(it.key, d->a));
		rc = copy(d, it.value, depth + 1, e);
		if (rc != 0)
			return rc;
	}
	if (type == JSON_ARRAY)
		jw_end_array(&d->w);
	else
		jw_end_object(&d->w);
	return 0;
}

int
definition_write_copy(struct definition *d, struct json v, struct err *e)
{
	return copy(d, v, 0, e);
}

/* ---- the object ---- */

static int
check_fields(const struct definition_kind *kind, bool making, struct json body, struct err *e)
{
	struct json_field fields[MEMBERS_MAX + 2];
	size_t count = 0;

	for (; count < kind->count; count++)
		fields[count] = (struct json_field){
			.name = kind->members[count].name,
			.want = kind->members[count].want,
			.required = making && kind->members[count].required,
		};
	if (kind->named && making)
		fields[count++] = (struct json_field){ .name = "id", .want = JSON_WANT_STRING };
	if (kind->versioned && !making)
		fields[count++] = (struct json_field){ .name = "version",
						       .want = JSON_WANT_NUMBER | JSON_WANT_NULL };
	return json_fields(body, fields, count, e);
}

/* May the object be changed, by somebody who knows it as the body says? */
static int
check_state(const struct definition_kind *kind, struct json current, struct json body,
	    struct err *e)
{
	int64_t now = definition_version(current), expected = now;
	struct json version = definition_find(body, "version");
	int rc = 0;

	if (definition_is_archived(current))
		return err_set(e, ERR_CONFLICT, "the %s is archived and does not change any more",
			       kind->type);
	if (json_type(version) != JSON_NULL)
		rc = json_take_int(version, 1, INT64_MAX, &expected, e);
	if (rc == 0 && expected != now)
		return err_set(e, ERR_CONFLICT, "version: the %s is at version %lld, not %lld",
			       kind->type, (long long)now, (long long)expected);
	return rc;
}

static int
write_member(struct definition *d, const struct definition_member *m, struct json current,
	     struct json body, struct err *e)
{
	struct json now = definition_find(current, m->name);
	struct json given = { 0 };
	bool is_given = json_find(body, str_of(m->name), &given);

	jw_key(&d->w, str_of(m->name));
	if (is_given && json_type(given) == JSON_NULL)
		given = (struct json){ 0 };
	if (is_given || !json_is_set(now))
		return m->write(d, given, now, e);
	if (m->keep)
		m->keep(d, now);
	else
		jw_raw(&d->w, json_raw(now));
	return 0;
}

static void
write_instant(struct jw *w, const char *name, struct json kept, int64_t now_ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	if (json_is_set(kept))
		jw_field_raw(w, name, json_raw(kept));
	else
		jw_field_str(w, name, timestamp_format(now_ms, text));
}

/* What is to be written. */
struct edition {
	const struct definition_kind *kind;
	const struct definition_facts *f;
	struct json body;
	int64_t version;
	bool touched; /* updated_at is now, not what it was */
};

static int
write_object(const struct edition *ed, struct definition *d, struct err *e)
{
	const struct definition_kind *kind = ed->kind;
	const struct definition_facts *f = ed->f;
	struct json updated = definition_find(f->current, "updated_at");
	struct json archived = definition_find(f->current, "archived_at");
	int rc = 0;

	jw_object(&d->w);
	jw_field_str(&d->w, "id", f->id);
	jw_field_str(&d->w, "type", str_of(kind->type));
	if (kind->versioned)
		jw_field_int(&d->w, "version", ed->version);
	for (size_t i = 0; rc == 0 && i < kind->count; i++)
		rc = write_member(d, &kind->members[i], f->current, ed->body, e);
	if (rc != 0)
		return rc;
	if (kind->archivable && json_is_set(archived))
		jw_field_raw(&d->w, "archived_at", json_raw(archived));
	else if (kind->archivable)
		jw_field_null(&d->w, "archived_at");
	write_instant(&d->w, "created_at", definition_find(f->current, "created_at"), f->now_ms);
	write_instant(&d->w, "updated_at", ed->touched ? (struct json){ 0 } : updated, f->now_ms);
	jw_end_object(&d->w);
	return 0;
}

static int
write_text(const struct edition *ed, struct arena *a, struct str *out, struct err *e)
{
	struct definition d = {
		.a = a, .id = ed->f->id, .version = ed->version, .facts = ed->f->facts
	};
	struct buf text;
	int rc;

	buf_init(&text, DEFINITION_BYTES_MAX);
	jw_init(&d.w, &text);
	rc = write_object(ed, &d, e);
	if (rc == 0)
		rc = buf_check(&text, ed->kind->type, e);
	if (rc == 0)
		*out = arena_str(a, buf_str(&text));
	buf_release(&text);
	return rc;
}

static int
is_same_value(struct json current, struct str text, struct arena *a, bool *out, struct err *e)
{
	struct json_doc doc;
	int rc = json_parse(a, text, &JSON_LIMITS_DEFAULT, &doc, e);

	if (rc == 0)
		*out = str_eq(canonical_json_str(current, a),
			      canonical_json_str(json_root(&doc), a));
	return rc;
}

int
definition_make(const struct definition_kind *kind, const struct definition_facts *f,
		struct json body, struct arena *a, struct definition_text *out, struct err *e)
{
	bool making = !json_is_set(f->current), same = false;
	struct edition ed = { kind, f, body, making ? 1 : definition_version(f->current), making };
	struct str text;
	int rc = check_fields(kind, making, body, e);

	if (rc == 0 && !making)
		rc = check_state(kind, f->current, body, e);
	if (rc == 0)
		rc = write_text(&ed, a, &text, e);
	if (rc == 0 && !making)
		rc = is_same_value(f->current, text, a, &same, e);
	if (rc == 0 && !making && !same) {
		ed.version++;
		ed.touched = true;
		rc = write_text(&ed, a, &text, e);
	}
	if (rc == 0)
		*out = (struct definition_text){ same ? json_raw(f->current) : text,
						 kind->versioned ? ed.version : 0, !same };
	return rc;
}

int
definition_override(const struct definition_kind *kind, const struct definition_facts *f,
		    struct json body, struct arena *a, struct str *out, struct err *e)
{
	struct edition as_it_is = { kind, f, body, definition_version(f->current), false };

	return write_text(&as_it_is, a, out, e);
}

int
definition_archive(struct json current, int64_t now_ms, struct arena *a,
		   struct definition_text *out, struct err *e)
{
	struct json_iter it = json_iter(current);
	char stamp[TIMESTAMP_TEXT_MAX];
	struct buf text;
	struct jw w;
	int rc;

	if (definition_is_archived(current)) {
		*out = (struct definition_text){ json_raw(current), definition_version(current),
						 false };
		return 0;
	}
	buf_init(&text, DEFINITION_BYTES_MAX + TIMESTAMP_TEXT_MAX);
	jw_init(&w, &text);
	jw_object(&w);
	while (json_next(&it)) {
		jw_key(&w, json_str(it.key, a));
		if (json_str_eq(it.key, STR("archived_at")) ||
		    json_str_eq(it.key, STR("updated_at")))
			jw_str(&w, timestamp_format(now_ms, stamp));
		else
			jw_raw(&w, json_raw(it.value));
	}
	jw_end_object(&w);
	rc = buf_check(&text, "a definition", e);
	if (rc == 0)
		*out = (struct definition_text){ arena_str(a, buf_str(&text)),
						 definition_version(current), true };
	buf_release(&text);
	return rc;
}
