/* ws_parse - bytes of a WebSocket client to messages: strict, bounded, without sockets. wslay does
 * the frames; this adds the rules between them: masks, fragments, text only, UTF-8, sizes, codes. */
#pragma once
#include "base/buf.h"
#include "net/ws_frame.h"

enum ws_parse_step {
	WS_PARSE_MORE, /* all input used; more is needed */
	WS_PARSE_TEXT, /* a message */
	WS_PARSE_PING, /* to be answered with its text */
	WS_PARSE_PONG,
	WS_PARSE_CLOSE, /* the client's last word: its code (or WS_NO_CODE) and reason */
	WS_PARSE_BAD    /* the code and reason to close with; nothing more is read */
};

struct ws_said {
	int code;
	struct str text; /* valid until the next feed */
};

struct wslay_frame_context;

struct ws_parse {
	struct wslay_frame_context *frames;
	struct str input;    /* what feed was given and wslay has not taken */
	struct buf message;  /* what came of a message in several parts */
	uint64_t frame_used; /* bytes of the current frame that came */
	size_t message_max;
	uint8_t control_len;
	bool in_message, over;
	char control[WS_CONTROL_MAX]; /* a control frame that came in several parts */
};

void ws_parse_init(struct ws_parse *p, size_t message_max);
void ws_parse_release(struct ws_parse *p);
/* Uses input up to the next step and says how much; call again, with no input if there is none,
 * until WS_PARSE_MORE: a few KiB may wait inside. A length that is only announced allocates nothing. */
enum ws_parse_step
ws_parse_feed(struct ws_parse *p, struct str input, size_t *used, struct ws_said *said);
