/* socket_client - a client of the API's WebSocket: opens it, says texts, takes messages together from
 * their frames, never blocks for long. */
#pragma once
#include "api_rig.h"
#include "base/buf.h"

struct socket_client {
	int fd;
	struct buf raw;     /* bytes that are not looked at yet */
	struct buf message; /* what came of one in several frames, or the last one */
	size_t at;          /* looked at up to here */
	bool in_message, has_message, closed;
	int code; /* of the server's close; 0: it has not said one */
	int frames;
	char head_text[1024];
	struct str head; /* of the answer that opened it */
};

/* token NULL: none; headers: further ones with their line ends, or NULL. Fails unless it is 101. */
void socket_client_open(struct socket_client *c, struct api_rig *rig, const char *token,
			const char *headers);
void socket_client_close(struct socket_client *c);
void socket_client_say(struct socket_client *c, const char *text);
/* {"id":id,"path":path} */
void socket_client_get(struct socket_client *c, int id, const char *path);
/* Takes at most max bytes from the socket, waiting up to timeout_ms for the first. False: closed. */
bool socket_client_pump(struct socket_client *c, size_t max, int timeout_ms);
/* The next whole message out of what was read; good until the next call. */
bool socket_client_next(struct socket_client *c, struct str *text);
/* The same, waiting for it; false when it does not come. */
bool socket_client_await(struct socket_client *c, struct str *text);
/* The same; fails when it does not come. */
struct str socket_client_wait(struct socket_client *c);
/* Waits for a message that begins and goes on so; fails on any other. */
void socket_client_expect(struct socket_client *c, const char *begins, const char *part);
void socket_client_expect_silence(struct socket_client *c, int ms);
/* Waits until the server closes with that code, past any messages. */
void socket_client_expect_close(struct socket_client *c, int code);
