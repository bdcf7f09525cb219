#include "core/tool_ref.h"

bool
tool_ref_same(struct tool_ref a, struct tool_ref b)
{
	if (a.server.len > 0)
		return str_eq(a.server, b.server) && str_eq(a.own_name, b.own_name);
	return b.server.len == 0 && str_eq(a.name, b.name);
}

static struct str
text_of(struct json payload, const char *name, struct arena *a)
{
	struct json v;

	return json_find(payload, str_of(name), &v) ? arena_str(a, json_str(v, a))
						    : (struct str){ 0 };
}

struct tool_ref
tool_ref_of_call(struct json payload, struct arena *a)
{
	struct tool_ref ref = { .name = text_of(payload, "name", a),
				.server = text_of(payload, "mcp_server_name", a) };

	if (ref.server.len > 0)
		ref.own_name = text_of(payload, "mcp_tool_name", a);
	if (ref.server.len > 0 && ref.own_name.len == 0)
		ref.own_name = ref.name; /* written before the two could differ */
	return ref;
}
