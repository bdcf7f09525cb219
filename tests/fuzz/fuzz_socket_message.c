/* Any text as a message of a WebSocket's client: refused, or all its parts are of that text's making. */
#include "api/socket_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct socket_message m;
	struct arena a;

	arena_init(&a);
	if (socket_message_parse(&a, (struct str){ (const char *)data, size }, &m, NULL) == 0) {
		if (!m.has_id || m.id < 0 || m.path.len + m.query.len > SOCKET_PATH_MAX)
			__builtin_trap();
		if (m.type == SOCKET_REQUEST && (m.method.len == 0 || m.path.ptr[0] != '/'))
			__builtin_trap();
		if (m.body.ptr && (m.body.ptr[0] != '{' || m.body.len > size))
			__builtin_trap();
	}
	arena_release(&a);
	return 0;
}
