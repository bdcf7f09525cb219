/* json_read - looking at a parsed document: cursors, text, numbers, and where a value stands. */
#include <math.h>
#include <stdlib.h>

#include "base/json_tape.h"
#include "base/utf8.h"
#include "base/xalloc.h"

static const struct json_token *
token(struct json v)
{
	return &v.doc->tokens[v.at];
}

struct json
json_root(const struct json_doc *doc)
{
	return (struct json){ .doc = doc };
}

enum json_type
json_type(struct json v)
{
	return v.doc ? json_token_type(token(v)) : JSON_NULL;
}

const char *
json_type_name(struct json v)
{
	switch (json_type(v)) {
	case JSON_NULL: return "null";
	case JSON_FALSE:
	case JSON_TRUE: return "boolean";
	case JSON_NUMBER: return "number";
	case JSON_STRING: return "string";
	case JSON_ARRAY: return "array";
	case JSON_OBJECT: return "object";
	}
	abort();
}

struct str
json_raw(struct json v)
{
	if (!v.doc)
		return (struct str){ 0 };
	return str_slice(v.doc->text, token(v)->start, token(v)->end);
}

size_t
json_count(struct json v)
{
	return v.doc ? json_token_count(token(v)) : 0;
}

struct json_iter
json_iter(struct json v)
{
	enum json_type type = json_type(v);

	if (type != JSON_OBJECT && type != JSON_ARRAY)
		return (struct json_iter){ 0 };
	return (struct json_iter){
		.doc = v.doc,
		.next_at = v.at + 1,
		.end_at = token(v)->next,
		.in_object = type == JSON_OBJECT,
	};
}

bool
json_next(struct json_iter *it)
{
	uint32_t at = it->next_at;

	if (at >= it->end_at)
		return false;
	if (it->started)
		it->index++;
	it->started = true;
	if (it->in_object)
		it->key = (struct json){ it->doc, at++ };
	it->value = (struct json){ it->doc, at };
	it->next_at = token(it->value)->next;
	return true;
}

bool
json_find(struct json v, struct str name, struct json *out)
{
	struct json_iter it = json_iter(v);

	if (!it.in_object)
		return false;
	while (json_next(&it)) {
		if (json_str_eq(it.key, name)) {
			*out = it.value;
			return true;
		}
	}
	return false;
}

static uint32_t
hex4(const char *at)
{
	uint32_t unit = 0;

	for (int i = 0; i < 4; i++) {
		char c = at[i];
		unit = unit << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return unit;
}

/* Decodes the escape at the front of body, which moves behind it; returns the bytes written. */
static size_t
unescape_one(struct str *body, char out[4])
{
	static const char PLAIN[] = "\"\\/bfnrt", MEANS[] = "\"\\/\b\f\n\r\t";
	size_t used = 2, written = 1;

	if (body->ptr[1] == 'u') {
		uint32_t unit = hex4(body->ptr + 2);

		used = 6;
		if (unit >= 0xd800 && unit <= 0xdfff) { /* the parser saw its other half */
			unit = 0x10000 + ((unit - 0xd800) << 10) + (hex4(body->ptr + 8) - 0xdc00);
			used = 12;
		}
		written = utf8_encode(unit, out);
	} else {
		out[0] = MEANS[strchr(PLAIN, body->ptr[1]) - PLAIN];
	}
	*body = str_slice(*body, used, body->len);
	return written;
}

/* Moves the part of body before its first backslash out of it. */
static struct str
take_plain(struct str *body)
{
	const char *hit = body->len > 0 ? memchr(body->ptr, '\\', body->len) : NULL;
	struct str plain = str_slice(*body, 0, hit ? (size_t)(hit - body->ptr) : body->len);

	*body = str_slice(*body, plain.len, body->len);
	return plain;
}

size_t
json_unescape(struct str body, char *out)
{
	size_t len = 0;

	for (;;) {
		struct str plain = take_plain(&body);

		memcpy(out + len, plain.ptr, plain.len);
		len += plain.len;
		if (body.len == 0)
			return len;
		len += unescape_one(&body, out + len);
	}
}

struct str
json_str(struct json v, struct arena *a)
{
	struct str body;
	char *copy;
	size_t len;

	if (json_type(v) != JSON_STRING)
		return (struct str){ 0 };
	body = json_token_body(v.doc->text, token(v));
	if (!(token(v)->info & JSON_ESCAPED))
		return body;
	copy = arena_alloc_raw(a, body.len + 1);
	len = json_unescape(body, copy);
	copy[len] = '\0';
	return (struct str){ arena_resize(a, copy, body.len + 1, len + 1), len };
}

static bool
escaped_eq(struct str body, struct str s)
{
	for (;;) {
		struct str plain = take_plain(&body);
		char one[4];
		size_t len;

		if (!str_starts(s, plain))
			return false;
		s = str_slice(s, plain.len, s.len);
		if (body.len == 0)
			return s.len == 0;
		len = unescape_one(&body, one);
		if (!str_starts(s, (struct str){ one, len }))
			return false;
		s = str_slice(s, len, s.len);
	}
}

bool
json_str_eq(struct json v, struct str s)
{
	struct str body;

	if (json_type(v) != JSON_STRING)
		return false;
	body = json_token_body(v.doc->text, token(v));
	return token(v)->info & JSON_ESCAPED ? escaped_eq(body, s) : str_eq(body, s);
}

/* A number's text as digits * 10^exponent, digits without zeros at either end. */
struct decimal {
	bool negative;
	struct str whole, fraction; /* the digits are one after the other */
	int64_t exponent;
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct str
take_digits(struct str *text)
{
	size_t len = 0;
	struct str digits;

	while (len < text->len && is_digit(text->ptr[len]))
		len++;
	digits = str_slice(*text, 0, len);
	*text = str_slice(*text, len, text->len);
	return digits;
}

/* Exponents beyond this exceed any text's digits; holding them there keeps sums from overflowing. */
static const int64_t EXPONENT_MAX = INT64_C(1) << 40;

static int64_t
read_exponent(struct str text)
{
	bool negative = text.ptr[1] == '-';
	int64_t value = 0;

	for (size_t at = is_digit(text.ptr[1]) ? 1 : 2; at < text.len; at++)
		if (value < EXPONENT_MAX)
			value = value * 10 + (text.ptr[at] - '0');
	return negative ? -value : value;
}

static struct decimal
read_decimal(struct str text)
{
	struct decimal d = { .negative = text.ptr[0] == '-' };

	text = str_slice(text, d.negative ? 1 : 0, text.len);
	d.whole = take_digits(&text);
	if (text.len > 0 && text.ptr[0] == '.') {
		text = str_slice(text, 1, text.len);
		d.fraction = take_digits(&text);
	}
	if (text.len > 0)
		d.exponent = read_exponent(text);
	while (d.fraction.len > 0 && d.fraction.ptr[d.fraction.len - 1] == '0')
		d.fraction.len--;
	d.exponent -= (int64_t)d.fraction.len;
	while (d.fraction.len == 0 && d.whole.len > 0 && d.whole.ptr[d.whole.len - 1] == '0') {
		d.whole.len--;
		d.exponent++;
	}
	return d;
}

/* Appends digits to *value, which counts downwards because INT64_MIN has no positive twin. */
static bool
append_digits(int64_t *value, struct str digits)
{
	for (size_t i = 0; i < digits.len; i++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_sub_overflow(*value, digits.ptr[i] - '0', value))
			return false;
	return true;
}

bool
json_int(struct json v, int64_t *out)
{
	struct decimal d;
	int64_t value = 0;

	if (json_type(v) != JSON_NUMBER)
		return false;
	d = read_decimal(json_raw(v));
	if (d.whole.len + d.fraction.len > 0 && d.exponent < 0)
		return false;
	if (!append_digits(&value, d.whole) || !append_digits(&value, d.fraction))
		return false;
	for (; value != 0 && d.exponent > 0; d.exponent--)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	if (!d.negative && value == INT64_MIN)
		return false;
	*out = d.negative ? value : -value;
	return true;
}

bool
json_double(struct json v, double *out)
{
	struct str text;
	char small[64], *copy;
	double value;

	if (json_type(v) != JSON_NUMBER)
		return false;
	text = json_raw(v);
	copy = text.len < sizeof small ? small : xmalloc(text.len + 1);
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	value = strtod(copy, NULL); /* the program never leaves the C locale */
	if (copy != small)
		free(copy);
	if (!isfinite(value))
		return false;
	*out = value;
	return true;
}

static bool
is_word(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool ok = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			  c == '_' || c == '-' || (unsigned char)c >= 0x80;
		if (!ok)
			return false;
	}
	return name.len > 0;
}

void
json_path_key(struct buf *path, struct str raw_key)
{
	struct str name = str_slice(raw_key, 1, raw_key.len - 1);

	if (is_word(name)) {
		if (path->len > 0)
			buf_putc(path, '.');
		buf_put_str(path, name);
	} else {
		buf_putc(path, '[');
		buf_put_str(path, raw_key);
		buf_putc(path, ']');
	}
}

void
json_path_index(struct buf *path, size_t index)
{
	buf_printf(path, "[%zu]", index);
}

void
json_path_clip(struct buf *path)
{
	enum { END_BYTES = 96 };
	size_t head, tail;

	if (path->len <= 2 * END_BYTES + 8)
		return;
	head = utf8_floor(buf_str(path), END_BYTES);
	tail = utf8_floor(buf_str(path), path->len - END_BYTES);
	memcpy(path->ptr + head, "...", 3);
	memmove(path->ptr + head + 3, path->ptr + tail, path->len - tail);
	path->len = head + 3 + (path->len - tail);
}

void
json_path(struct json v, struct buf *out)
{
	struct json at;

	if (!v.doc)
		return;
	at = json_root(v.doc);
	while (at.at != v.at) {
		struct json_iter it = json_iter(at);

		while (json_next(&it) && it.next_at <= v.at)
			;
		if (it.in_object)
			json_path_key(out, json_raw(it.key));
		else
			json_path_index(out, it.index);
		if (it.in_object && it.key.at == v.at)
			return;
		at = it.value;
	}
}
