/* http_refusal - what does an HTTP status that is no success mean for the one who asked? */
#pragma once
#include "tool/mcp/transport.h"

struct http_refusal {
	bool is_message; /* the body is a JSON-RPC error, which says more */
	struct mcp_failure failure;
};

/* in_session: the call named a session. */
void http_refusal_read(int status, struct str body, bool in_session, struct http_refusal *out);
