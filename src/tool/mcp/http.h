/* http - the transport of streamable HTTP: each message is a POST, an answer is a JSON document or a
 * stream of events.
 *
 * Before 2026-07-28 a session spans the calls (Mcp-Session-Id; DELETE ends it), a stream that breaks
 * off goes on where it was (Last-Event-ID, after the time the peer asked for), and a GET brings what
 * the peer says of itself. Since then there is none of it: headers repeat what a message is about, and
 * hanging up cancels. */
#pragma once
#include "base/host.h"
#include "net/egress.h"
#include "tool/mcp/transport.h"

struct http_config {
	struct host *host;
	struct egress *egress; /* both outlive it */
	enum egress_policy policy;
	struct str url;
};

/* The URL is copied. */
struct transport *mcp_http_new(const struct http_config *config);
