/* param_header - which arguments of a tool are repeated as HTTP headers, and how?
 * A property of the tool's schema says so with "x-mcp-header": "Region" becomes Mcp-Param-Region. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "net/http_request.h"

enum { PARAM_HEADERS_MAX = 64, PARAM_DEPTH_MAX = 16 };

struct param_header {
	struct str name; /* "Mcp-Param-Region" */
	const struct str *path;
	size_t path_len;
};

/* The annotations of a schema; texts are copied to a. ERR_INVALID: one is not as the protocol wants it, and
 * the tool must not be used. */
NODISCARD int param_header_read(struct json schema, struct arena *a, struct param_header **out,
				size_t *count, struct err *e);
/* The headers for these arguments; one that is absent or null has none. At most count. */
size_t param_header_fill(const struct param_header *params, size_t count, struct json arguments,
			 struct arena *a, struct http_header *out);
/* A value as a header takes it: as it is, or =?base64?...?= where it could be misread. */
struct str param_header_encode(struct str value, struct arena *a);
