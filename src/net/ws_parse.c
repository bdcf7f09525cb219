#include "net/ws_parse.h"

#include <stdlib.h>
#include <wslay/wslay.h>

#include "base/utf8.h"

static ssize_t
on_recv(uint8_t *to, size_t len, int flags, void *context)
{
	struct ws_parse *p = context;

	(void)flags;
	if (len > p->input.len)
		len = p->input.len;
	if (len == 0)
		return -1;
	memcpy(to, p->input.ptr, len);
	p->input = str_slice(p->input, len, p->input.len);
	return (ssize_t)len;
}

void
ws_parse_init(struct ws_parse *p, size_t message_max)
{
	const struct wslay_frame_callbacks callbacks = { .recv_callback = on_recv };

	*p = (struct ws_parse){ .message_max = message_max };
	buf_init(&p->message, message_max);
	if (wslay_frame_context_init(&p->frames, &callbacks, p) != 0)
		abort();
}

void
ws_parse_release(struct ws_parse *p)
{
	wslay_frame_context_free(p->frames);
	p->frames = NULL;
	buf_release(&p->message);
}

static enum ws_parse_step
refuse(struct ws_parse *p, struct ws_said *said, int code, const char *reason)
{
	p->over = true;
	*said = (struct ws_said){ code, str_of(reason) };
	return WS_PARSE_BAD;
}

/* What a frame says about itself, looked at once, when its first bytes are there. */
static enum ws_parse_step
check_frame(struct ws_parse *p, const struct wslay_frame_iocb *f, struct ws_said *said)
{
	if (!f->mask)
		return refuse(p, said, WS_BROKEN_RULE, "a client's frames must be masked");
	if (f->rsv != 0)
		return refuse(p, said, WS_BROKEN_RULE, "no extension was agreed on");
	switch (f->opcode) {
	case WSLAY_CONTINUATION_FRAME:
		if (!p->in_message)
			return refuse(p, said, WS_BROKEN_RULE, "there is no message to continue");
		break;
	case WSLAY_TEXT_FRAME:
	case WSLAY_BINARY_FRAME:
		if (p->in_message)
			return refuse(p, said, WS_BROKEN_RULE,
				      "the message before is not complete");
		if (f->opcode == WSLAY_BINARY_FRAME)
			return refuse(p, said, WS_NOT_TEXT, "only text messages are taken");
		break;
	case WSLAY_CONNECTION_CLOSE:
	case WSLAY_PING:
	case WSLAY_PONG: return WS_PARSE_MORE;
	default: return refuse(p, said, WS_BROKEN_RULE, "a frame of an unknown kind");
	}
	p->in_message = true;
	if (f->payload_length > p->message_max - p->message.len)
		return refuse(p, said, WS_TOO_BIG, "the message is too large");
	return WS_PARSE_MORE;
}

/* One part of a message; the whole of it when it came in one piece is not copied. */
static enum ws_parse_step
take_part(struct ws_parse *p, const struct wslay_frame_iocb *f, bool ends, struct ws_said *said)
{
	struct str text = { (const char *)f->data, f->data_length };
	bool last = ends && f->fin;

	if (!last || p->message.len > 0) {
		buf_put_str(&p->message, text);
		text = buf_str(&p->message);
	}
	if (!last)
		return WS_PARSE_MORE;
	p->in_message = false;
	if (!utf8_valid(text))
		return refuse(p, said, WS_BAD_UTF8, "the message is not UTF-8");
	*said = (struct ws_said){ 0, text };
	return WS_PARSE_TEXT;
}

static bool
is_sendable(int code)
{
	return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
	       (code >= 3000 && code <= 4999);
}

static enum ws_parse_step
take_close(struct ws_parse *p, struct str payload, struct ws_said *said)
{
	const unsigned char *bytes = (const unsigned char *)payload.ptr;

	*said = (struct ws_said){ WS_NO_CODE, { "", 0 } };
	if (payload.len == 1)
		return refuse(p, said, WS_BROKEN_RULE, "half a close code");
	if (payload.len >= 2) {
		said->code = bytes[0] << 8 | bytes[1];
		said->text = str_slice(payload, 2, payload.len);
		if (!is_sendable(said->code))
			return refuse(p, said, WS_BROKEN_RULE, "a close code that means nothing");
		if (!utf8_valid(said->text))
			return refuse(p, said, WS_BAD_UTF8, "the reason is not UTF-8");
	}
	p->over = true;
	return WS_PARSE_CLOSE;
}

static enum ws_parse_step
take_control(struct ws_parse *p, const struct wslay_frame_iocb *f, bool ends, struct ws_said *said)
{
	struct str payload = { p->control, p->control_len + f->data_length };

	if (f->data_length > 0) /* wslay refuses control frames above 125 bytes */
		memcpy(p->control + p->control_len, f->data, f->data_length);
	p->control_len = ends ? 0 : (uint8_t)payload.len;
	if (!ends)
		return WS_PARSE_MORE;
	if (f->opcode == WSLAY_CONNECTION_CLOSE)
		return take_close(p, payload, said);
	*said = (struct ws_said){ 0, payload };
	return f->opcode == WSLAY_PING ? WS_PARSE_PING : WS_PARSE_PONG;
}

static enum ws_parse_step
take(struct ws_parse *p, const struct wslay_frame_iocb *f, struct ws_said *said)
{
	enum ws_parse_step step = p->frame_used == 0 ? check_frame(p, f, said) : WS_PARSE_MORE;
	bool ends;

	if (step != WS_PARSE_MORE)
		return step;
	p->frame_used += f->data_length;
	ends = p->frame_used == f->payload_length;
	if (ends)
		p->frame_used = 0;
	return wslay_is_ctrl_frame(f->opcode) ? take_control(p, f, ends, said)
					      : take_part(p, f, ends, said);
}

enum ws_parse_step
ws_parse_feed(struct ws_parse *p, struct str input, size_t *used, struct ws_said *said)
{
	enum ws_parse_step step = WS_PARSE_MORE;
	struct wslay_frame_iocb frame;
	ssize_t got = 0;

	*used = input.len;
	if (p->over)
		return WS_PARSE_MORE;
	if (!p->in_message) /* the one before was handed over */
		buf_release(&p->message);
	p->input = input;
	while (step == WS_PARSE_MORE && got >= 0) {
		got = wslay_frame_recv(p->frames, &frame);
		if (got >= 0)
			step = take(p, &frame, said);
		else if (got != WSLAY_ERR_WANT_READ)
			step = refuse(p, said, WS_BROKEN_RULE, "a frame's head breaks the rules");
	}
	*used = input.len - p->input.len;
	return step;
}
