#include "jansson_oracle.h"

#include <jansson.h>

static void
put_text(struct buf *out, const char *ptr, size_t len)
{
	buf_printf(out, "s%zu:", len);
	buf_put(out, ptr, len);
}

static void
put(struct buf *out, json_t *v)
{
	const char *key;
	json_t *member;
	size_t index;

	switch (json_typeof(v)) {
	case JSON_NULL: buf_putc(out, 'n'); break;
	case JSON_TRUE: buf_putc(out, 't'); break;
	case JSON_FALSE: buf_putc(out, 'f'); break;
	case JSON_INTEGER: buf_printf(out, "i%lld;", (long long)json_integer_value(v)); break;
	case JSON_REAL: buf_printf(out, "r%a;", json_real_value(v)); break;
	case JSON_STRING: put_text(out, json_string_value(v), json_string_length(v)); break;
	case JSON_ARRAY:
		buf_putc(out, '[');
		json_array_foreach(v, index, member) put(out, member);
		buf_putc(out, ']');
		break;
	case JSON_OBJECT:
		buf_putc(out, '{');
		json_object_foreach(v, key, member)
		{
			put_text(out, key, strlen(key)); /* no NUL in keys: \u0000 is refused */
			put(out, member);
		}
		buf_putc(out, '}');
		break;
	}
}

enum oracle_verdict
jansson_oracle(struct str text, struct buf *out)
{
	json_error_t error;
	json_t *tree =
		json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);

	if (!tree)
		return json_error_code(&error) == json_error_numeric_overflow ? ORACLE_OUT_OF_RANGE
									      : ORACLE_REFUSES;
	put(out, tree);
	json_decref(tree);
	return ORACLE_ACCEPTS;
}
