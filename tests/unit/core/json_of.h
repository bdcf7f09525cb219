/* json_of - a JSON literal of a table as a value; malformed literals fail the test. */
#pragma once
#include "base/json.h"
#include "harness.h"

static struct json
json_of(const char *text, struct arena *a)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct err e = { 0 };

	if (json_parse(a, str_of(text), &JSON_LIMITS_DEFAULT, doc, &e) != 0)
		fail_msg("%s", e.text);
	return json_root(doc);
}
