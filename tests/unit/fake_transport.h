/* fake_transport - a transport that keeps what is sent and says what a test lets it say.
 * Every message that is sent becomes a line in sent; ' stands for " in what is said. */
#pragma once
#include "base/buf.h"
#include "tool/mcp/transport.h"

struct fake_transport {
	struct transport port;
	struct transport_mode mode;
	struct buf sent;
	int64_t last_id;            /* of the last request */
	int64_t settled, cancelled; /* the last one */
	bool cancel_tells;          /* as HTTP does */
	unsigned hang_ups, listens;
	bool *freed;
};

/* freed is set when the transport is. */
struct fake_transport *fake_transport_new(bool *freed);
/* In text, $ stands for the id of the last request. came_for: as the transport tells it. */
void fake_transport_say(struct fake_transport *t, const char *text, int64_t came_for);
void fake_transport_fail(struct fake_transport *t, int64_t id, enum mcp_fail kind, const char *why);
void fake_transport_close(struct fake_transport *t, const char *why);
/* What was sent since the last time, with ' for ". */
void fake_transport_check(struct fake_transport *t, const char *want);
