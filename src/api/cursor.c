#include "api/cursor.h"

#include "base/base64url.h"
#include "net/query.h"

/* The bytes: version, list, flags, a, b, filters, check (of all others), then the id. Written in
 * base64url, because it stands in a URL. */
enum {
	VERSION = 1,
	BACKWARDS = 1,
	AT_A = 3,
	AT_B = AT_A + 8,
	AT_FILTERS = AT_B + 8,
	AT_CHECK = AT_FILTERS + 4,
	AT_ID = AT_CHECK + 4,
	ID_MAX = 512,
	TEXT_MAX = (AT_ID + ID_MAX) * 4 / 3 + 4
};

/* --- numbers and digests --- */

static void
put_number(unsigned char *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
}

static uint64_t
get_number(const unsigned char *from, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | from[i];
	return value;
}

/* FNV-1a, 64 bits folded to 32: against mistakes, not against forgers, who gain nothing. */
static uint32_t
hash(uint64_t state, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		state = (state ^ (unsigned char)text.ptr[i]) * 1099511628211u;
	return (uint32_t)(state ^ state >> 32);
}

static uint32_t
check_of(const unsigned char *bytes, size_t len)
{
	uint32_t head = hash(14695981039346656037u, (struct str){ (const char *)bytes, AT_CHECK });

	return hash(head + UINT64_C(0x70657264757265),
		    (struct str){ (const char *)bytes + AT_ID, len - AT_ID });
}

/* --- cursors --- */

struct str
cursor_format(struct arena *a, const struct cursor *c)
{
	struct str id = str_slice(c->id, 0, ID_MAX);
	size_t len = AT_ID + id.len;
	unsigned char bytes[AT_ID + ID_MAX] = { VERSION, (unsigned char)c->list,
						c->backwards ? BACKWARDS : 0 };
	char *text = arena_alloc_raw(a, TEXT_MAX);

	put_number(bytes + AT_A, (uint64_t)c->a, 8);
	put_number(bytes + AT_B, (uint64_t)c->b, 8);
	put_number(bytes + AT_FILTERS, c->filters, 4);
	if (id.len > 0)
		memcpy(bytes + AT_ID, id.ptr, id.len);
	put_number(bytes + AT_CHECK, check_of(bytes, len), 4);
	return (struct str){ text, base64url_encode(bytes, len, text) };
}

int
cursor_parse(struct arena *a, struct str text, char list, uint32_t filters, struct cursor *out,
	     struct err *e)
{
	unsigned char bytes[AT_ID + ID_MAX + 4];
	size_t len;

	if (text.len > TEXT_MAX || !base64url_decode(text, bytes, &len) || len < AT_ID ||
	    len > AT_ID + ID_MAX || bytes[0] != VERSION || bytes[2] > BACKWARDS ||
	    get_number(bytes + AT_CHECK, 4) != check_of(bytes, len))
		return err_set(e, ERR_INVALID,
			       "page: not a cursor; take it from next_page of the page before");
	if (bytes[1] != (unsigned char)list)
		return err_set(e, ERR_INVALID, "page: a cursor of another list");
	if (get_number(bytes + AT_FILTERS, 4) != filters)
		return err_set(e, ERR_INVALID,
			       "page: a cursor of a list with other filters; repeat the query "
			       "that it came from");
	*out = (struct cursor){
		.list = list,
		.backwards = bytes[2] == BACKWARDS,
		.a = (int64_t)get_number(bytes + AT_A, 8),
		.b = (int64_t)get_number(bytes + AT_B, 8),
		.filters = filters,
	};
	if (len > AT_ID)
		out->id = arena_str(a, (struct str){ (char *)bytes + AT_ID, len - AT_ID });
	return 0;
}

uint32_t
cursor_filters(const struct query *query)
{
	uint32_t sum = 0;

	/* A sum: the order in which a client writes its parameters does not matter. */
	for (size_t i = 0; i < query->count; i++) {
		const struct query_pair *pair = &query->pairs[i];
		if (!str_eq(pair->name, STR("page")) && !str_eq(pair->name, STR("limit")))
			sum += hash(hash(pair->name.len, pair->name), pair->value);
	}
	return sum;
}
