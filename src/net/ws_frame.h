/* ws_frame - messages to WebSocket frames, in shared bytes. A server's frames are not masked, so one
 * frame serves any number of readers. */
#pragma once
#include "base/buf.h"
#include "net/net_bytes.h"

/* Why a connection is closed (RFC 6455 §7.4); 3000 to 4999 belong to applications. */
enum ws_code {
	WS_NORMAL = 1000,
	WS_GOING_AWAY = 1001, /* the server is shutting down */
	WS_BROKEN_RULE = 1002,
	WS_NOT_TEXT = 1003,
	WS_NO_CODE = 1005, /* never sent: the peer gave none */
	WS_CUT = 1006,     /* never sent: it ended without a close */
	WS_BAD_UTF8 = 1007,
	WS_POLICY = 1008,
	WS_TOO_BIG = 1009,
	WS_INTERNAL = 1011,
	WS_TRY_LATER = 1013
};

enum { WS_CONTROL_MAX = 125, WS_REASON_MAX = WS_CONTROL_MAX - 2 };

/* The text must be UTF-8: clients end the connection otherwise. */
struct net_bytes *ws_frame_text(struct str text);

/* A message may come in two frames, so that many readers share its end and each has a beginning of
 * its own; nothing but control frames may stand between them. */
enum ws_part { WS_WHOLE, WS_BEGINNING, WS_END };
/* A frame written where it is needed: room for its head at the end of out, then the text, then this
 * tells the head its length. Does nothing to a buf that overflowed. */
size_t ws_frame_reserve(struct buf *out);
void ws_frame_finish(struct buf *out, size_t reserved_at, enum ws_part part);
/* A payload of at most WS_CONTROL_MAX bytes. */
struct net_bytes *ws_frame_ping(struct str payload);
struct net_bytes *ws_frame_pong(struct str payload);
/* A reason longer than WS_REASON_MAX is cut at a character. WS_NO_CODE: neither code nor reason. */
struct net_bytes *ws_frame_close(int code, struct str reason);
