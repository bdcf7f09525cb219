/* ws_probe - WebSockets of the test server, and a client that writes any frame it likes.
 * The server echoes; some texts make it do something else, see the table in ws_probe.c. */
#pragma once
#include "base/buf.h"
#include "http_probe.h"
#include "net/ws.h"

enum {
	WS_PROBE_MESSAGE_MAX = 1024 * 1024,
	WS_PROBE_HOLD_MS = 600,
	WS_PROBE_PACED = 256 /* frames of 64 KiB: more than the system holds for a slow reader */
};

struct ws_probe;
struct ws_probe *ws_probe_new(struct loop *loop, struct probe *p);
void ws_probe_free(struct ws_probe **w);
/* Takes r: accepted on /ws, 20 ms later on /ws/late. */
void ws_probe_serve(struct ws_probe *w, struct http_request *r);

/* --- the client --- */

enum {
	WS_TEXT = 0x1,
	WS_BINARY = 0x2,
	WS_CLOSE = 0x8,
	WS_PING = 0x9,
	WS_PONG = 0xa,
	WS_FIN = 0x80
};

#define WS_OPEN_HEADERS                                                        \
	"Host: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n" \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"

/* first is FIN, reserved bits and opcode; masked as a client must. */
void ws_probe_put(struct buf *to, int first, struct str payload);
void ws_probe_put_close(struct buf *to, int code, struct str reason);
/* The head of an answer, and not a byte of the frames behind it. */
struct str ws_probe_read_head(int fd);
/* Connects and opens; fails when the server does not agree. */
int ws_probe_open(const struct probe *p, const char *path);
void ws_probe_send(int fd, int first, struct str payload);

struct ws_probe_frame {
	int first;          /* 0: the server closed its side or was silent too long */
	struct str payload; /* valid until the next read */
	int code;           /* of a close frame; 0: none */
};
struct ws_probe_frame ws_probe_read(int fd);
/* The same, past pings, which it answers. */
struct ws_probe_frame ws_probe_read_message(int fd);
