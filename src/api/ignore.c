#include "api/ignore.h"

#ifdef PERDURE_TEST_HOOKS
#include <stdio.h>

#include "base/ignored.h"
#include "base/json_write.h"

enum { NAME_MAX_BYTES = 64 };

void
ignore_member(struct exchange *x)
{
	struct json_iter it = json_iter(x->body);
	char name[NAME_MAX_BYTES];
	struct buf out;
	struct jw w;
	bool found = false;

	buf_init(&out, SIZE_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	while (json_next(&it)) {
		struct str key = json_str(it.key, x->arena);

		snprintf(name, sizeof name, STR_FMT, STR_ARG(key));
		if (IGNORED("body", x->route->route.method, x->route->route.pattern, name)) {
			found = true;
			continue;
		}
		jw_key(&w, key);
		jw_raw(&w, json_raw(it.value));
	}
	jw_end_object(&w);
	if (found && json_parse(x->arena, arena_str(x->arena, buf_str(&out)), &JSON_LIMITS_DEFAULT,
				&x->doc, NULL) == 0)
		x->body = json_root(&x->doc);
	buf_release(&out);
}

void
ignore_parameter(struct exchange *x)
{
	struct query_pair *kept = ARENA_ARRAY(x->arena, x->query.count, struct query_pair);
	size_t count = 0;
	char name[NAME_MAX_BYTES];

	for (size_t i = 0; x->route && i < x->query.count; i++) {
		struct query_pair pair = x->query.pairs[i];
		bool metadata = str_starts(pair.name, STR("metadata."));

		snprintf(name, sizeof name, STR_FMT, STR_ARG(pair.name));
		if (!IGNORED("query", x->route->route.method, x->route->route.pattern,
			     metadata ? "metadata.*" : name))
			kept[count++] = pair;
	}
	x->query = (struct query){ kept, count };
}
#else
typedef int ignore_none; /* an empty file is not C */
#endif
