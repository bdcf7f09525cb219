/* Any bytes as the frames of a WebSocket client: refused, or messages that are the same however the
 * bytes are cut into reads; texts are UTF-8 and within their limit, refusals have code and reason. */
#include <stdlib.h>

#include "base/utf8.h"
#include "net/ws_parse.h"

enum { TRACE_MAX = 1 << 22, MESSAGE_MAX = 5000 };

static void
check_said(enum ws_parse_step step, const struct ws_said *said)
{
	size_t max = step == WS_PARSE_TEXT ? MESSAGE_MAX : WS_CONTROL_MAX;

	if (said->text.len > max)
		__builtin_trap();
	if ((step == WS_PARSE_TEXT || step == WS_PARSE_CLOSE) && !utf8_valid(said->text))
		__builtin_trap();
	if (step == WS_PARSE_CLOSE && (said->code < WS_NORMAL || said->code > 4999))
		__builtin_trap();
	if (step == WS_PARSE_BAD &&
	    (said->code < WS_BROKEN_RULE || said->code > WS_TOO_BIG || said->text.len == 0))
		__builtin_trap();
}

/* Writes down everything that came out, step bytes at a time. */
static void
trace(struct str input, size_t step, struct buf *out)
{
	struct ws_parse p;
	bool over = false;

	ws_parse_init(&p, MESSAGE_MAX);
	while (input.len > 0) {
		struct str part = str_slice(input, 0, step);
		enum ws_parse_step said_what;

		input = str_slice(input, step, input.len);
		do {
			struct ws_said said = { 0 };
			size_t used;

			said_what = ws_parse_feed(&p, part, &used, &said);
			part = str_slice(part, used, part.len);
			if (said_what == WS_PARSE_MORE)
				continue;
			if (over)
				__builtin_trap(); /* after its last word */
			check_said(said_what, &said);
			over = said_what == WS_PARSE_CLOSE || said_what == WS_PARSE_BAD;
			buf_printf(out, "<%d %d %zu ", said_what, said.code, said.text.len);
			buf_put_str(out, said.text);
		} while (said_what != WS_PARSE_MORE);
		if (part.len > 0)
			__builtin_trap();
	}
	ws_parse_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = { (const char *)data, size };
	struct buf whole, cut;

	buf_init(&whole, TRACE_MAX);
	buf_init(&cut, TRACE_MAX);
	trace(input, SIZE_MAX / 2, &whole);
	trace(input, 1 + size % 7, &cut);
	if (!str_eq(buf_str(&whole), buf_str(&cut)))
		__builtin_trap();
	buf_release(&whole);
	buf_release(&cut);
	return 0;
}
