#include "net/query.h"

#include "base/utf8.h"

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The byte that the escape at text[at] stands for; negative when it is none. */
static int
escaped_byte(struct str text, size_t at)
{
	int high, low;

	if (text.len - at < 3)
		return -1;
	high = hex_value(text.ptr[at + 1]);
	low = hex_value(text.ptr[at + 2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static bool
is_plain(struct str text, bool plus_is_blank)
{
	return !memchr(text.ptr, '%', text.len) &&
	       !(plus_is_blank && memchr(text.ptr, '+', text.len));
}

static int
unescape(struct arena *a, struct str text, bool plus_is_blank, struct str *out, struct err *e)
{
	char *to = arena_alloc_raw(a, text.len);
	size_t len = 0;

	for (size_t at = 0; at < text.len; at++) {
		int byte = (unsigned char)text.ptr[at];
		if (byte == '%') {
			byte = escaped_byte(text, at);
			if (byte < 0)
				return err_set(e, ERR_INVALID,
					       "'%%' without two hexadecimal digits");
			at += 2;
		} else if (byte == '+' && plus_is_blank) {
			byte = ' ';
		}
		to[len++] = (char)byte;
	}
	*out = (struct str){ to, len };
	return 0;
}

static int
decode(struct arena *a, struct str text, bool plus_is_blank, struct str *out, struct err *e)
{
	struct str plain = text;
	int status;

	if (text.len == 0) {
		*out = STR("");
		return 0;
	}
	if (!is_plain(text, plus_is_blank)) {
		status = unescape(a, text, plus_is_blank, &plain, e);
		if (status != 0)
			return status;
	}
	if (utf8_is_printable_ascii(plain)) {
		*out = plain;
		return 0;
	}
	if (memchr(plain.ptr, '\0', plain.len))
		return err_set(e, ERR_INVALID, "NUL is not allowed");
	if (!utf8_valid(plain))
		return err_set(e, ERR_INVALID, "not valid UTF-8");
	*out = plain;
	return 0;
}

int
query_decode_segment(struct arena *a, struct str text, struct str *out, struct err *e)
{
	return decode(a, text, false, out, e);
}

static size_t
count_pairs(struct str text)
{
	size_t n = 0;

	for (struct str pair; text.len > 0; n += pair.len > 0)
		str_cut(text, '&', &pair, &text);
	return n;
}

static int
parse_pair(struct arena *a, struct str text, struct query_pair *out, struct err *e)
{
	struct str name, value;
	int status;

	str_cut(text, '=', &name, &value);
	status = decode(a, name, true, &out->name, e);
	if (status == 0)
		status = decode(a, value, true, &out->value, e);
	if (status != 0)
		return err_prefix(e, status, "query parameter: ");
	if (str_ends(out->name, STR("[]")))
		out->name.len -= 2;
	return 0;
}

int
query_parse(struct arena *a, struct str text, struct query *out, struct err *e)
{
	size_t count = count_pairs(text), n = 0;
	struct query_pair *pairs;

	if (count > QUERY_PAIRS_MAX)
		return err_set(e, ERR_INVALID, "more than %d query parameters", QUERY_PAIRS_MAX);
	pairs = ARENA_ARRAY(a, count, struct query_pair);
	while (text.len > 0) {
		struct str pair;
		int status = 0;

		str_cut(text, '&', &pair, &text);
		if (pair.len > 0)
			status = parse_pair(a, pair, &pairs[n++], e);
		if (status != 0)
			return status;
	}
	*out = (struct query){ pairs, count };
	return 0;
}

bool
query_next(const struct query *q, struct str name, size_t *at, struct str *value)
{
	while (*at < q->count) {
		const struct query_pair *pair = &q->pairs[(*at)++];
		if (str_eq(pair->name, name)) {
			*value = pair->value;
			return true;
		}
	}
	return false;
}

int
query_one(const struct query *q, struct str name, struct str *out, struct err *e)
{
	struct str value = { 0 }, again;
	size_t at = 0;

	if (query_next(q, name, &at, &value) && query_next(q, name, &at, &again))
		return err_set(e, ERR_INVALID, STR_FMT ": given more than once", STR_ARG(name));
	*out = value;
	return 0;
}
