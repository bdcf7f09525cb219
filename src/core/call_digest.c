#include "core/call_digest.h"
#include "core/canonical_json.h"

struct sha256
call_digest(struct tool_ref tool, struct json arguments, struct arena *a)
{
	struct str canonical = canonical_json_str(arguments, a);
	struct str parts[3];
	size_t count = 0, len = 0;
	char *text;

	if (tool.server.len > 0)
		parts[count++] = tool.server;
	parts[count++] = tool.server.len > 0 ? tool.own_name : tool.name;
	parts[count++] = canonical;
	text = arena_alloc(a, tool.server.len + 1 + parts[count - 2].len + 1 + canonical.len);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			text[len++] = 0;
		if (parts[i].len > 0)
			memcpy(text + len, parts[i].ptr, parts[i].len);
		len += parts[i].len;
	}
	return sha256_of((struct str){ text, len });
}
