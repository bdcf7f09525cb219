#include "net/ws_frame.h"

#include <stdlib.h>

#include "base/utf8.h"

enum {
	FINAL = 0x80,
	CONTINUED = 0x0,
	TEXT = 0x1,
	CLOSE = 0x8,
	PING = 0x9,
	PONG = 0xa,
	LEN_16 = 126, /* two bytes of length follow */
	LEN_64 = 127,
	HEAD_MAX = 10
};

static char *
put_number(char *to, uint64_t value, unsigned bytes)
{
	while (bytes-- > 0)
		*to++ = (char)(value >> (8 * bytes));
	return to;
}

static size_t
write_head(char head[HEAD_MAX], int first, size_t len)
{
	char *at = put_number(head, (unsigned)first, 1);

	if (len < LEN_16)
		at = put_number(at, len, 1);
	else if (len <= UINT16_MAX)
		at = put_number(put_number(at, LEN_16, 1), len, 2);
	else
		at = put_number(put_number(at, LEN_64, 1), len, 8);
	return (size_t)(at - head);
}

static struct net_bytes *
frame(int opcode, struct str payload)
{
	char head[HEAD_MAX];
	size_t head_len = write_head(head, FINAL | opcode, payload.len);
	struct net_bytes *b = net_bytes_new(head_len + payload.len);
	char *to = mempcpy(net_bytes_fill(b), head, head_len);

	if (payload.len > 0)
		memcpy(to, payload.ptr, payload.len);
	return b;
}

static struct net_bytes *
control(int opcode, struct str payload)
{
	if (payload.len > WS_CONTROL_MAX)
		abort();
	return frame(opcode, payload);
}

struct net_bytes *
ws_frame_text(struct str text)
{
	return frame(TEXT, text);
}

size_t
ws_frame_reserve(struct buf *out)
{
	size_t at = out->len;

	buf_extend(out, HEAD_MAX);
	return at;
}

void
ws_frame_finish(struct buf *out, size_t reserved_at, enum ws_part part)
{
	static const int FIRST[] = {
		[WS_WHOLE] = FINAL | TEXT,
		[WS_BEGINNING] = TEXT,
		[WS_END] = FINAL | CONTINUED,
	};
	char head[HEAD_MAX];
	size_t text_at = reserved_at + HEAD_MAX, text_len, head_len;

	if (out->overflow)
		return;
	text_len = out->len - text_at;
	head_len = write_head(head, FIRST[part], text_len);
	memcpy(out->ptr + reserved_at, head, head_len);
	memmove(out->ptr + reserved_at + head_len, out->ptr + text_at, text_len);
	out->len = reserved_at + head_len + text_len;
}

struct net_bytes *
ws_frame_ping(struct str payload)
{
	return control(PING, payload);
}

struct net_bytes *
ws_frame_pong(struct str payload)
{
	return control(PONG, payload);
}

struct net_bytes *
ws_frame_close(int code, struct str reason)
{
	char payload[WS_CONTROL_MAX];
	size_t len = utf8_floor(reason, reason.len < WS_REASON_MAX ? reason.len : WS_REASON_MAX);
	char *text = put_number(payload, (unsigned)code, 2);

	if (code == WS_NO_CODE)
		return control(CLOSE, (struct str){ 0 });
	if (len > 0)
		memcpy(text, reason.ptr, len);
	return control(CLOSE, (struct str){ payload, 2 + len });
}
