/* fuzz_json_members - an object read member by member, each value by base/json, is what base/json reads as a
 * whole: both take it, with the same members, or neither does. What only the whole can show (members of the
 * same name) is left out. */
#include "base/json_members.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A value stands one level higher by itself than in its object. */
static const struct json_limits WHOLE = { .bytes = 1 << 20, .depth = 65, .tokens = 1 << 20 };
static const struct json_limits PART = { .bytes = 1 << 20, .depth = 64, .tokens = 1 << 20 };

static void
check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "fuzz_json_members: %s\n", what);
	abort();
}

static bool
read_member(struct arena *a, const struct json_member *m, struct json_iter *it)
{
	struct json_doc key, value;

	if (json_parse(a, m->key, &PART, &key, NULL) != 0 ||
	    json_parse(a, m->value, &PART, &value, NULL) != 0)
		return false;
	if (!it)
		return true;
	check(json_next(it), "a member more than the whole has");
	check(str_eq(json_raw(it->key), m->key), "another name");
	check(str_eq(json_raw(it->value), m->value), "another value");
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct json_members members;
	struct json_member member;
	struct json_doc doc;
	struct json_iter it;
	bool whole, parts = true, found = true;
	struct arena a;
	struct err e = { 0 };

	if (size > 1 << 16)
		return 0;
	arena_init(&a);
	whole = json_parse(&a, text, &WHOLE, &doc, &e) == 0 &&
		json_type(json_root(&doc)) == JSON_OBJECT;
	if (whole)
		it = json_iter(json_root(&doc));
	json_members_init(&members, text, size + 1);
	while (parts && found) {
		parts = json_members_next(&members, &member, &found, NULL) == 0;
		if (parts && found)
			parts = read_member(&a, &member, whole ? &it : NULL);
	}
	check(!whole || parts, "the whole is read, the parts are not");
	check(!whole || !json_next(&it), "a member less than the whole has");
	check(whole || !parts || str_contains(str_of(e.text), STR("duplicate key")),
	      "the parts are read, the whole is not");
	arena_release(&a);
	return 0;
}
