/* Any bytes as the start of a connection: refused, or requests that are the same however the bytes
 * are cut into reads; heads stay within their limits; a refusal has its status and reason. */
#include <stdlib.h>

#include "base/buf.h"
#include "net/http_parse.h"
#include "net/ws_handshake.h"

enum { TRACE_MAX = 1 << 20, HEAD_MAX = 2048, HEADERS_MAX = 20 };

static const struct http_parse_limits LIMITS = { HEAD_MAX, HEADERS_MAX };

static bool
take_body(void *context, const char *ptr, size_t len)
{
	buf_put(context, ptr, len);
	return true;
}

static void
check_head(const struct http_head *head)
{
	size_t bytes = head->target.len;
	struct ws_handshake shake;

	ws_handshake_check(head, &shake);
	if ((shake.status == 101) != (strlen(shake.accept) == WS_ACCEPT_LEN) ||
	    (shake.status != 101 && !shake.reason))
		__builtin_trap();
	for (size_t i = 0; i < head->header_count; i++) {
		struct http_header h = head->headers[i];
		bytes += h.name.len + h.value.len;
		if (h.name.len == 0 || memchr(h.value.ptr, '\n', h.value.len) ||
		    memchr(h.value.ptr, '\r', h.value.len))
			__builtin_trap();
	}
	if (bytes > HEAD_MAX || head->header_count > HEADERS_MAX || head->content_length < -1)
		__builtin_trap();
}

/* Writes down everything that came out; returns the status of the refusal or 0. */
static int
trace(struct str input, size_t step, struct buf *out)
{
	struct http_parse p;
	struct http_head head;
	struct arena a;
	enum http_parse_step said = HTTP_PARSE_MORE;

	arena_init(&a);
	http_parse_init(&p, &LIMITS);
	p.on_body = take_body;
	p.context = out;
	http_parse_begin(&p, &a);
	while ((input.len > 0 || said == HTTP_PARSE_HEAD) && said != HTTP_PARSE_BAD) {
		size_t used;

		said = http_parse_feed(&p, str_slice(input, 0, step), &used, &head);
		input = str_slice(input, used, input.len);
		if (said == HTTP_PARSE_HEAD) {
			check_head(&head);
			buf_printf(out, "<" STR_FMT " " STR_FMT " %zu>", STR_ARG(head.method),
				   STR_ARG(head.target), head.header_count);
		}
		if (said == HTTP_PARSE_DONE) {
			buf_puts(out, "</>");
			arena_reset(&a);
			http_parse_begin(&p, &a);
		}
	}
	if (said == HTTP_PARSE_BAD && (p.status < 400 || p.status > 499 || !p.reason))
		__builtin_trap();
	arena_release(&a);
	return said == HTTP_PARSE_BAD ? p.status : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = { (const char *)data, size };
	struct buf whole, cut;
	int status, cut_status;

	buf_init(&whole, TRACE_MAX);
	buf_init(&cut, TRACE_MAX);
	status = trace(input, SIZE_MAX, &whole);
	cut_status = trace(input, 1 + size % 7, &cut);
	/* A head that is too long and malformed may be refused for either, in whichever part came. */
	if ((status == 0) != (cut_status == 0))
		__builtin_trap();
	if (status == 0 && !str_eq(buf_str(&whole), buf_str(&cut)))
		__builtin_trap();
	buf_release(&whole);
	buf_release(&cut);
	return 0;
}
