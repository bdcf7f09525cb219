#include "core/call_digest.h"
#include "core/canonical_json.h"

struct sha256
call_digest(struct str tool, struct json arguments, struct arena *a)
{
	struct str canonical = canonical_json_str(arguments, a);
	size_t len = tool.len + 1 + canonical.len;
	char *text = arena_alloc(a, len);

	memcpy(text, tool.ptr, tool.len);
	memcpy(text + tool.len + 1, canonical.ptr, canonical.len); /* the byte between is NUL */
	return sha256_of((struct str){ text, len });
}

bool
call_digest_same(const struct sha256 *approved, const struct sha256 *now)
{
	return memcmp(approved->bytes, now->bytes, sizeof now->bytes) == 0;
}
