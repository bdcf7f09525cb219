#include <stdlib.h>

#include "base/json_write.h"
#include "core/canonical_json.h"

struct member {
	struct str name;
	struct json value;
};

static int
compare_members(const void *left, const void *right)
{
	return str_cmp(((const struct member *)left)->name, ((const struct member *)right)->name);
}

static void
write_string(struct str text, struct buf *out)
{
	buf_putc(out, '"');
	json_escape(out, text);
	buf_putc(out, '"');
}

static void
write_object(struct json v, struct arena *a, struct buf *out)
{
	size_t count = json_count(v);
	struct member *members = ARENA_ARRAY(a, count, struct member);
	struct json_iter it = json_iter(v);

	while (json_next(&it))
		members[it.index] = (struct member){ json_str(it.key, a), it.value };
	qsort(members, count, sizeof *members, compare_members);
	buf_putc(out, '{');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buf_putc(out, ',');
		write_string(members[i].name, out);
		buf_putc(out, ':');
		canonical_json_write(members[i].value, a, out);
	}
	buf_putc(out, '}');
}

static void
write_array(struct json v, struct arena *a, struct buf *out)
{
	struct json_iter it = json_iter(v);

	buf_putc(out, '[');
	while (json_next(&it)) {
		if (it.index > 0)
			buf_putc(out, ',');
		canonical_json_write(it.value, a, out);
	}
	buf_putc(out, ']');
}

void
canonical_json_write(struct json v, struct arena *a, struct buf *out)
{
	if (!json_is_set(v)) {
		buf_puts(out, "null");
		return;
	}
	switch (json_type(v)) {
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE:
	case JSON_NUMBER: buf_put_str(out, json_raw(v)); break;
	case JSON_STRING: write_string(json_str(v, a), out); break;
	case JSON_ARRAY: write_array(v, a, out); break;
	case JSON_OBJECT: write_object(v, a, out); break;
	}
}

struct str
canonical_json_str(struct json v, struct arena *a)
{
	size_t max = json_is_set(v) ? json_raw(v).len : strlen("null");
	struct buf text;
	struct str out;

	buf_init(&text, max);
	canonical_json_write(v, a, &text);
	out = arena_str(a, buf_str(&text));
	buf_release(&text);
	return out;
}
