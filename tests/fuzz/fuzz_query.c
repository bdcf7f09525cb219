/* Any text as a query and as a path: refused, or all names and values are UTF-8 without NUL, no more
 * of them than allowed; a path finds a row, or says why not. */
#include "base/utf8.h"
#include "net/query.h"
#include "net/route.h"

static const struct route TABLE[] = {
	{ "GET", "/v1/things" },
	{ "GET", "/v1/things/{id}" },
	{ "POST", "/v1/things/search" },
	{ "GET", "/v1/things/{id}/{part}/{x}" },
};

static void
check_text(struct str text)
{
	if (!utf8_valid(text) || (text.len > 0 && memchr(text.ptr, '\0', text.len)))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct route_match match;
	struct query q;
	struct arena a;
	struct err e;

	arena_init(&a);
	if (query_parse(&a, text, &q, &e) == 0) {
		if (q.count > QUERY_PAIRS_MAX)
			__builtin_trap();
		for (size_t i = 0; i < q.count; i++) {
			check_text(q.pairs[i].name);
			check_text(q.pairs[i].value);
		}
	}
	if (route_find(route_tree_new(&a, TABLE, ARRAY_LEN(TABLE), sizeof *TABLE), &a, STR("GET"),
		       text, &match, &e) == ROUTE_FOUND)
		for (unsigned i = 0; i < match.capture_count; i++)
			check_text(match.captures[i]);
	arena_release(&a);
	return 0;
}
