#include "core/tool_name.h"

enum { SERVER_BYTES_MIN = 16 };

static bool
is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_' || c == '-';
}

bool
tool_name_is_plain(struct str name, size_t max)
{
	for (size_t i = 0; i < name.len; i++)
		if (!is_plain(name.ptr[i]))
			return false;
	return name.len > 0 && name.len <= max;
}

struct str
tool_name_plain(struct str word, struct arena *a)
{
	char *out = arena_alloc(a, word.len + 1);

	for (size_t i = 0; i < word.len; i++)
		out[i] = is_plain(word.ptr[i]) ? word.ptr[i] : '_';
	return (struct str){ out, word.len };
}

static size_t
put(char *out, size_t at, struct str text)
{
	for (size_t i = 0; i < text.len && at < TOOL_NAME_MAX; i++)
		out[at++] = is_plain(text.ptr[i]) ? text.ptr[i] : '_';
	return at;
}

struct str
tool_name_make(struct str server, struct str tool, struct arena *a)
{
	/* The tool's own end is what tells it from its neighbours: the server's name gives way, but for
	 * what tells the servers apart. */
	size_t room = tool.len + 2 + SERVER_BYTES_MIN < TOOL_NAME_MAX ? TOOL_NAME_MAX - 2 - tool.len
								      : SERVER_BYTES_MIN;
	char name[TOOL_NAME_MAX];
	size_t len = 0;

	if (server.len > 0) {
		len = put(name, 0, str_slice(server, 0, room));
		len = put(name, len, STR("__"));
	}
	len = put(name, len, tool);
	return arena_str(a, (struct str){ name, len });
}
