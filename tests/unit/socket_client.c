#include "socket_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "ws_probe.h"

enum { TEXT_MAX = 256 * 1024 * 1024, PIECE = 64 * 1024, CONTINUED = 0 };

/* Not a byte of the frames behind it. */
static void
read_head(struct socket_client *c)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };

	c->head = (struct str){ c->head_text, 0 };
	while (c->head.len < sizeof c->head_text && !str_ends(c->head, STR("\r\n\r\n")) &&
	       poll(&p, 1, PROBE_WAIT_MS) > 0 && recv(c->fd, c->head_text + c->head.len, 1, 0) == 1)
		c->head.len++;
}

void
socket_client_open(struct socket_client *c, struct api_rig *rig, const char *token,
		   const char *headers)
{
	struct buf request;

	*c = (struct socket_client){ .fd = probe_connect(&rig->client) };
	buf_init(&c->raw, TEXT_MAX);
	buf_init(&c->message, TEXT_MAX);
	buf_init(&request, TEXT_MAX);
	buf_puts(&request, "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
			   "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
			   "Sec-WebSocket-Version: 13\r\n");
	if (token)
		buf_printf(&request, "Authorization: Bearer %s\r\n", token);
	if (headers)
		buf_puts(&request, headers);
	buf_puts(&request, "\r\n");
	probe_send(c->fd, buf_str(&request));
	buf_release(&request);
	read_head(c);
	if (probe_status(c->head, 0) != 101)
		fail_msg("not opened: " STR_FMT, STR_ARG(c->head));
}

void
socket_client_close(struct socket_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	buf_release(&c->raw);
	buf_release(&c->message);
}

void
socket_client_say(struct socket_client *c, const char *text)
{
	ws_probe_send(c->fd, WS_FIN | WS_TEXT, str_of(text));
}

void
socket_client_get(struct socket_client *c, int id, const char *path)
{
	char text[512];

	snprintf(text, sizeof text, "{\"id\":%d,\"path\":\"%s\"}", id, path);
	socket_client_say(c, text);
}

bool
socket_client_pump(struct socket_client *c, size_t max, int timeout_ms)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	char piece[PIECE];
	ssize_t n;

	if (c->closed)
		return false;
	if (poll(&p, 1, timeout_ms) <= 0)
		return true;
	n = recv(c->fd, piece, max < PIECE ? max : PIECE, 0);
	if (n <= 0) {
		c->closed = true;
		return false;
	}
	buf_put(&c->raw, piece, (size_t)n);
	return true;
}

/* One whole frame of a server: not masked. */
static bool
take_frame(struct socket_client *c, int *first, struct str *payload)
{
	const unsigned char *from = (const unsigned char *)c->raw.ptr + c->at;
	size_t have = c->raw.len - c->at, head = 2, len;

	if (have < head)
		return false;
	len = from[1];
	if (len >= 126) {
		size_t bytes = len == 126 ? 2 : 8;

		head += bytes;
		if (have < head)
			return false;
		len = 0;
		for (size_t i = 0; i < bytes; i++)
			len = len << 8 | from[2 + i];
	}
	if (have < head + len)
		return false;
	*first = from[0];
	*payload = (struct str){ c->raw.ptr + c->at + head, len };
	c->at += head + len;
	return true;
}

static void
on_frame(struct socket_client *c, int first, struct str payload)
{
	int opcode = first & 0xf;

	if (opcode == WS_CLOSE) {
		if (payload.len >= 2)
			c->code =
				(unsigned char)payload.ptr[0] << 8 | (unsigned char)payload.ptr[1];
		return;
	}
	if (opcode != WS_TEXT && opcode != CONTINUED)
		return;
	c->frames++;
	if (c->in_message != (opcode == CONTINUED))
		fail_msg("a message in the middle of another, or the end of none");
	buf_put_str(&c->message, payload);
	c->in_message = !(first & WS_FIN);
	c->has_message = !c->in_message;
}

static void
forget_read(struct socket_client *c)
{
	if (c->at <= PIECE * 4 && c->at < c->raw.len)
		return;
	memmove(c->raw.ptr, c->raw.ptr + c->at, c->raw.len - c->at);
	c->raw.len -= c->at;
	c->at = 0;
}

bool
socket_client_next(struct socket_client *c, struct str *text)
{
	struct str payload;
	int first;

	if (c->has_message)
		buf_clear(&c->message);
	c->has_message = false;
	if (c->raw.len > 0)
		forget_read(c);
	while (!c->has_message && take_frame(c, &first, &payload))
		on_frame(c, first, payload);
	*text = buf_str(&c->message);
	return c->has_message;
}

bool
socket_client_await(struct socket_client *c, struct str *text)
{
	int64_t until = clock_monotonic_ns() + INT64_C(1000000) * PROBE_WAIT_MS;

	while (!socket_client_next(c, text))
		if (!socket_client_pump(c, SIZE_MAX, 20) || clock_monotonic_ns() > until)
			return false;
	return true;
}

struct str
socket_client_wait(struct socket_client *c)
{
	struct str text;

	if (!socket_client_await(c, &text))
		fail_msg("no message; closed %d with %d", c->closed, c->code);
	return text;
}

void
socket_client_expect(struct socket_client *c, const char *begins, const char *part)
{
	struct str text = socket_client_wait(c);

	if (!str_starts(text, str_of(begins)) || !str_contains(text, str_of(part)))
		fail_msg("wanted %s … %s, got " STR_FMT, begins, part, STR_ARG(text));
}

void
socket_client_expect_silence(struct socket_client *c, int ms)
{
	struct str text;

	socket_client_pump(c, SIZE_MAX, ms);
	if (socket_client_next(c, &text))
		fail_msg("not silent: " STR_FMT, STR_ARG(text));
}

void
socket_client_expect_close(struct socket_client *c, int code)
{
	int64_t until = clock_monotonic_ns() + INT64_C(1000000) * PROBE_WAIT_MS;
	struct str text;

	while (socket_client_next(c, &text) || (c->code == 0 && clock_monotonic_ns() < until &&
						socket_client_pump(c, SIZE_MAX, 20)))
		continue;
	if (c->code != code)
		fail_msg("wanted a close with %d, got %d", code, c->code);
}
