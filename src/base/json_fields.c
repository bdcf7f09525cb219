/* json_fields - taking an object apart by a table of fields, with errors that help to fix it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_tape.h"
#include "base/nearest.h"
#include "base/utf8.h"

enum { FIELDS_MAX = 64, NAME_SHOWN_MAX = 40 };

int
json_fail(struct json v, struct err *e, const char *fmt, ...)
{
	char sentence[ERR_TEXT_MAX + 1]; /* one more: err_set must see that it was cut */
	struct buf path;
	va_list ap;

	if (!e)
		return ERR_INVALID;
	va_start(ap, fmt);
	vsnprintf(sentence, sizeof sentence, fmt, ap);
	va_end(ap);
	buf_init(&path, SIZE_MAX / 2);
	json_path(v, &path);
	json_path_clip(&path);
	err_set(e, ERR_INVALID, "%.*s%s%s", (int)path.len, path.ptr ? path.ptr : "",
		path.len > 0 ? ": " : "", sentence);
	buf_release(&path);
	return ERR_INVALID;
}

static unsigned
want_of(struct json v)
{
	switch (json_type(v)) {
	case JSON_NULL: return JSON_WANT_NULL;
	case JSON_FALSE:
	case JSON_TRUE: return JSON_WANT_BOOL;
	case JSON_NUMBER: return JSON_WANT_NUMBER;
	case JSON_STRING: return JSON_WANT_STRING;
	case JSON_ARRAY: return JSON_WANT_ARRAY;
	case JSON_OBJECT: return JSON_WANT_OBJECT;
	}
	abort();
}

static const char *
with_article(struct json v)
{
	switch (json_type(v)) {
	case JSON_NULL: return "null";
	case JSON_FALSE:
	case JSON_TRUE: return "a boolean";
	case JSON_NUMBER: return "a number";
	case JSON_STRING: return "a string";
	case JSON_ARRAY: return "an array";
	case JSON_OBJECT: return "an object";
	}
	abort();
}

static int
fail_type(struct json v, unsigned want, struct err *e)
{
	static const struct {
		unsigned want;
		const char *name;
	} NAMES[] = {
		{ JSON_WANT_BOOL, "true or false" }, { JSON_WANT_NUMBER, "a number" },
		{ JSON_WANT_STRING, "a string" },    { JSON_WANT_ARRAY, "an array" },
		{ JSON_WANT_OBJECT, "an object" },   { JSON_WANT_NULL, "null" },
	};
	char names[128] = "";
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++)
		if (want & NAMES[i].want)
			used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
						 used > 0 ? " or " : "", NAMES[i].name);
	return json_fail(v, e, "must be %s, not %s", names, with_article(v));
}

static int
fail_unknown(struct json key, const struct json_field *fields, size_t count, struct err *e)
{
	struct str raw = json_raw(key);
	struct nearest near = nearest_of(str_slice(raw, 1, raw.len - 1));
	struct buf names;

	for (size_t i = 0; i < count; i++)
		nearest_offer(&near, str_of(fields[i].name));
	if (near.found.ptr)
		return json_fail(key, e, "unknown field; did you mean '" STR_FMT "'?",
				 STR_ARG(near.found));
	buf_init(&names, ERR_TEXT_MAX);
	for (size_t i = 0; i < count; i++)
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", fields[i].name);
	if (names.len > 0 && !names.overflow)
		json_fail(key, e, "unknown field; known are " STR_FMT, STR_ARG(buf_str(&names)));
	else
		json_fail(key, e, "unknown field");
	buf_release(&names);
	return ERR_INVALID;
}

static int
fail_missing(struct json v, const char *name, struct err *e)
{
	struct buf path;

	buf_init(&path, SIZE_MAX / 2);
	json_path(v, &path);
	buf_printf(&path, "%s%s", path.len > 0 ? "." : "", name);
	json_path_clip(&path);
	err_set(e, ERR_INVALID, STR_FMT ": is required", STR_ARG(buf_str(&path)));
	buf_release(&path);
	return ERR_INVALID;
}

static int
take_field(const struct json_field *f, struct json value, struct err *e)
{
	if (!(f->want & want_of(value)))
		return fail_type(value, f->want, e);
	if (json_type(value) == JSON_NULL && f->want != JSON_WANT_ANY) {
		if (f->required)
			return json_fail(value, e, "is required and must not be null");
		return 0;
	}
	if (f->out)
		*f->out = value;
	return 0;
}

/* Most names of an object differ from the key in their first letter: no need to measure them. */
static bool
key_is(struct json key, const char *name)
{
	char first = json_raw(key).ptr[1];

	return (first == name[0] || first == '\\') && json_str_eq(key, str_of(name));
}

int
json_fields(struct json v, const struct json_field *fields, size_t count, struct err *e)
{
	struct json_iter it = json_iter(v);
	uint64_t seen = 0;

	if (count > FIELDS_MAX)
		abort();
	for (size_t i = 0; i < count; i++)
		if (fields[i].out)
			*fields[i].out = (struct json){ 0 };
	if (json_type(v) != JSON_OBJECT)
		return fail_type(v, JSON_WANT_OBJECT, e);
	while (json_next(&it)) {
		size_t i = 0;
		int rc;

		while (i < count && !key_is(it.key, fields[i].name))
			i++;
		if (i == count)
			return fail_unknown(it.key, fields, count, e);
		seen |= UINT64_C(1) << i;
		rc = take_field(&fields[i], it.value, e);
		if (rc != 0)
			return rc;
	}
	for (size_t i = 0; i < count; i++)
		if (fields[i].required && !(seen >> i & 1))
			return fail_missing(v, fields[i].name, e);
	return 0;
}

int
json_take_bool(struct json v, bool *out, struct err *e)
{
	if (!json_is_set(v))
		return 0;
	if (want_of(v) != JSON_WANT_BOOL)
		return fail_type(v, JSON_WANT_BOOL, e);
	*out = json_type(v) == JSON_TRUE;
	return 0;
}

static int
fail_range(struct json v, int64_t min, int64_t max, struct err *e)
{
	struct str raw = str_slice(json_raw(v), 0, NAME_SHOWN_MAX);

	if (min == INT64_MIN && max == INT64_MAX)
		return json_fail(v, e, "must be a 64-bit integer, not " STR_FMT, STR_ARG(raw));
	if (max == INT64_MAX)
		return json_fail(v, e, "must be an integer of at least %lld, not " STR_FMT,
				 (long long)min, STR_ARG(raw));
	return json_fail(v, e, "must be an integer from %lld to %lld, not " STR_FMT, (long long)min,
			 (long long)max, STR_ARG(raw));
}

int
json_take_int(struct json v, int64_t min, int64_t max, int64_t *out, struct err *e)
{
	int64_t value;

	if (!json_is_set(v))
		return 0;
	if (json_type(v) != JSON_NUMBER)
		return json_fail(v, e, "must be an integer, not %s", with_article(v));
	if (!json_int(v, &value) || value < min || value > max)
		return fail_range(v, min, max, e);
	*out = value;
	return 0;
}

int
json_take_str(struct json v, struct arena *a, struct str *out, struct err *e)
{
	if (!json_is_set(v))
		return 0;
	if (json_type(v) != JSON_STRING)
		return fail_type(v, JSON_WANT_STRING, e);
	*out = json_str(v, a);
	return 0;
}

int
json_take_word(struct json v, const char *const *words, size_t count, size_t *out, struct err *e)
{
	struct buf list;
	struct str raw;

	if (!json_is_set(v))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (json_str_eq(v, str_of(words[i]))) {
			*out = i;
			return 0;
		}
	}
	buf_init(&list, ERR_TEXT_MAX);
	for (size_t i = 0; i < count; i++)
		buf_printf(&list, "%s%s", i > 0 ? ", " : "", words[i]);
	raw = json_raw(v);
	raw = str_slice(raw, 0,
			raw.len > NAME_SHOWN_MAX ? utf8_floor(raw, NAME_SHOWN_MAX) : raw.len);
	if (json_type(v) != JSON_STRING)
		raw = str_of(with_article(v));
	json_fail(v, e, "must be one of " STR_FMT "; not " STR_FMT, STR_ARG(buf_str(&list)),
		  STR_ARG(raw));
	buf_release(&list);
	return ERR_INVALID;
}
