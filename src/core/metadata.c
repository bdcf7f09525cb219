#include "core/metadata.h"

#include "base/arena.h"

/* Characters of a string token; its raw bytes bound them, so only long ones are counted. */
static bool
is_longer(struct json v, size_t max)
{
	struct str raw = json_raw(v);
	size_t chars = 0;

	if (raw.len <= max + 2)
		return false;
	for (size_t i = 1; i + 1 < raw.len; i++) {
		if (raw.ptr[i] == '\\')
			i += raw.ptr[i + 1] == 'u' ? 5 : 1;
		chars += ((unsigned char)raw.ptr[i] & 0xc0) != 0x80;
	}
	return chars > max;
}

int
metadata_check(struct json v, bool patch, struct err *e)
{
	struct json_iter it = json_iter(v);

	if (json_type(v) != JSON_OBJECT)
		return json_fail(v, e, "must be an object of texts");
	if (!patch && json_count(v) > METADATA_PAIRS_MAX)
		return json_fail(v, e, "has %zu pairs; at most %d are kept", json_count(v),
				 METADATA_PAIRS_MAX);
	while (json_next(&it)) {
		if (json_raw(it.key).len <= 2 || is_longer(it.key, METADATA_KEY_MAX))
			return json_fail(it.value, e, "a key has 1 to %d characters",
					 METADATA_KEY_MAX);
		if (patch && json_type(it.value) == JSON_NULL)
			continue;
		if (json_type(it.value) != JSON_STRING)
			return json_fail(it.value, e, "must be a text%s, not a %s",
					 patch ? " or null" : "", json_type_name(it.value));
		if (is_longer(it.value, METADATA_VALUE_MAX))
			return json_fail(it.value, e, "is longer than %d characters",
					 METADATA_VALUE_MAX);
	}
	return 0;
}

static void
put(struct buf *out, struct json key, struct json value, size_t *count)
{
	if ((*count)++ > 0)
		buf_putc(out, ',');
	buf_put_str(out, json_raw(key));
	buf_putc(out, ':');
	buf_put_str(out, json_raw(value));
}

/* The member of v whose key has the same text as key. */
static bool
find_same(struct json v, struct json key, struct json *out)
{
	struct arena scratch;
	struct str text;
	bool found;

	arena_init(&scratch);
	text = json_str(key, &scratch);
	found = json_find(v, text, out);
	arena_release(&scratch);
	return found;
}

int
metadata_merge(struct json current, struct json patch, struct buf *out, bool *changed,
	       struct err *e)
{
	struct json_iter old = json_iter(current), new = json_iter(patch);
	size_t count = 0;
	struct json v;

	*changed = false;
	buf_putc(out, '{');
	while (json_is_set(current) && json_next(&old)) {
		if (!find_same(patch, old.key, &v)) {
			put(out, old.key, old.value, &count);
			continue;
		}
		*changed |= !str_eq(json_raw(v), json_raw(old.value));
		if (json_type(v) != JSON_NULL)
			put(out, old.key, v, &count);
	}
	while (json_next(&new)) {
		if (json_type(new.value) == JSON_NULL ||
		    (json_is_set(current) && find_same(current, new.key, &v)))
			continue;
		*changed = true;
		put(out, new.key, new.value, &count);
	}
	buf_putc(out, '}');
	if (count > METADATA_PAIRS_MAX)
		return json_fail(patch, e, "there would be %zu pairs; at most %d are kept", count,
				 METADATA_PAIRS_MAX);
	return 0;
}
