#include "core/metadata.h"

#include "base/utf8.h"

static int
check_pair(const struct json_iter *at, struct arena *a, struct err *e)
{
	size_t key = utf8_count(json_str(at->key, a));

	if (key < 1 || key > METADATA_KEY_MAX)
		return json_fail(at->value, e, "a key has 1 to %d characters, not %zu",
				 METADATA_KEY_MAX, key);
	if (json_type(at->value) == JSON_NULL)
		return 0;
	if (json_type(at->value) != JSON_STRING)
		return json_fail(at->value, e, "must be a string, not %s",
				 json_type_name(at->value));
	if (utf8_count(json_str(at->value, a)) > METADATA_VALUE_MAX)
		return json_fail(at->value, e, "must have at most %d characters",
				 METADATA_VALUE_MAX);
	return 0;
}

/* What patch makes of a key: kept where it says nothing, absent where it says null. */
static struct json
patched(struct json patch, struct str key, struct json now)
{
	struct json to = now;

	if (json_find(patch, key, &to) && json_type(to) == JSON_NULL)
		to = (struct json){ 0 };
	return to;
}

static size_t
write_pair(struct jw *out, struct str key, struct json value, struct arena *a)
{
	if (!json_is_set(value))
		return 0;
	jw_key(out, key);
	jw_str(out, json_str(value, a));
	return 1;
}

static size_t
write_pairs(struct json now, struct json patch, struct arena *a, struct jw *out)
{
	const struct json absent = { 0 };
	struct json other;
	size_t count = 0;

	for (struct json_iter it = json_iter(now); json_next(&it);) {
		struct str key = json_str(it.key, a);
		count += write_pair(out, key, patched(patch, key, it.value), a);
	}
	for (struct json_iter it = json_iter(patch); json_next(&it);) {
		struct str key = json_str(it.key, a);
		if (!json_find(now, key, &other))
			count += write_pair(out, key, patched(patch, key, absent), a);
	}
	return count;
}

int
metadata_merge(struct json now, struct json patch, struct arena *a, struct jw *out, struct err *e)
{
	size_t count;
	int rc = 0;

	if (json_is_set(patch) && json_type(patch) != JSON_OBJECT)
		return json_fail(patch, e, "must be an object, not %s", json_type_name(patch));
	/* First of all: merging looks up each key among the others. */
	if (json_is_set(patch) && json_count(patch) > METADATA_PATCH_MAX)
		return json_fail(patch, e, "must have at most %d keys, those of null included",
				 METADATA_PATCH_MAX);
	for (struct json_iter it = json_iter(patch); rc == 0 && json_next(&it);)
		rc = check_pair(&it, a, e);
	if (rc != 0)
		return rc;
	jw_object(out);
	count = write_pairs(now, patch, a, out);
	jw_end_object(out);
	if (count > METADATA_PAIRS_MAX)
		return json_fail(patch, e, "must leave at most %d pairs, not %zu",
				 METADATA_PAIRS_MAX, count);
	return 0;
}
