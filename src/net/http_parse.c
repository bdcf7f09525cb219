#include "net/http_parse.h"

#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#if !LLHTTP_STRICT_MODE
#error "llhttp's loose mode accepts request smuggling"
#endif

/* A chunk's size in hex digits and two line ends: no sender needs more. */
enum { TEXT_FIRST = 512, CHUNK_FRAMING = 16 + 4 };

static int
refuse(struct http_parse *p, int status, const char *reason)
{
	if (p->status == 0) {
		p->status = (uint16_t)status;
		p->reason = reason;
	}
	return -1;
}

static int
refuse_size(struct http_parse *p)
{
	if (p->has_target)
		return refuse(p, 431, "the headers are too large");
	return refuse(p, 414, "the request target is too long");
}

/* Room for len bytes more. */
static int
make_room(struct http_parse *p, size_t len)
{
	size_t need = p->text_len + len;

	if (need > p->limits->head_bytes)
		return refuse_size(p);
	if (need > p->text_cap) {
		size_t cap = p->text_cap ? p->text_cap : TEXT_FIRST;
		while (cap < need)
			cap *= 2;
		p->text = p->text ? arena_resize(p->arena, p->text, p->text_cap, cap)
				  : arena_alloc_raw(p->arena, cap);
		p->text_cap = (uint32_t)cap;
	}
	return 0;
}

static int
append(struct http_parse *p, const char *ptr, size_t len)
{
	if (make_room(p, len) != 0)
		return -1;
	memcpy(p->text + p->text_len, ptr, len);
	p->text_len += (uint32_t)len;
	return 0;
}

static int
end_text(struct http_parse *p)
{
	if (make_room(p, 1) != 0)
		return -1;
	p->text[p->text_len++] = '\0';
	return 0;
}

static int
on_url(llhttp_t *l, const char *at, size_t len)
{
	return append(l->data, at, len);
}

static int
on_url_complete(llhttp_t *l)
{
	struct http_parse *p = l->data;

	if (end_text(p) != 0)
		return -1;
	p->has_target = true;
	return 0;
}

/* Trailers are read past, within the same limit as the head, in however many pieces they come. */
static int
skip_trailer(struct http_parse *p, size_t len)
{
	p->trailer_bytes += (uint32_t)len;
	p->framing_bytes -= (int64_t)len;
	if (p->trailer_bytes > p->limits->head_bytes)
		return refuse(p, 431, "the trailers are too large");
	return 0;
}

static int
on_header_field(llhttp_t *l, const char *at, size_t len)
{
	struct http_parse *p = l->data;
	char *to;

	if (!p->in_head)
		return skip_trailer(p, len);
	if (make_room(p, len) != 0)
		return -1;
	to = p->text + p->text_len;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)at[i];
		to[i] = (char)(c | (c >= 'A' && c <= 'Z') << 5);
	}
	p->text_len += (uint32_t)len;
	return 0;
}

static int
on_header_field_complete(llhttp_t *l)
{
	struct http_parse *p = l->data;

	if (!p->in_head)
		return skip_trailer(p, 1);
	if (p->text[p->text_len - 1] == '\0') /* the one before it ended there: nothing was added */
		return refuse(p, 400, "a header has no name");
	if (p->header_count >= p->limits->headers)
		return refuse(p, 431, "there are too many headers");
	p->header_count++;
	return end_text(p);
}

static int
on_header_value(llhttp_t *l, const char *at, size_t len)
{
	struct http_parse *p = l->data;

	return p->in_head ? append(p, at, len) : skip_trailer(p, len);
}

static int
on_header_value_complete(llhttp_t *l)
{
	struct http_parse *p = l->data;

	return p->in_head ? end_text(p) : skip_trailer(p, 1);
}

/* Pausing hands control back with the exact place, so that nobody's code runs inside llhttp. */
static int
on_headers_complete(llhttp_t *l)
{
	l->upgrade = 0; /* an ordinary request: whoever accepts an upgrade stops parsing */
	return HPE_PAUSED;
}

static int
on_body(llhttp_t *l, const char *at, size_t len)
{
	struct http_parse *p = l->data;

	p->framing_bytes -= (int64_t)len;
	if (!p->on_body(p->context, at, len))
		return refuse(p, 413, "the body is too large");
	return 0;
}

static int
on_chunk_header(llhttp_t *l)
{
	struct http_parse *p = l->data;

	p->framing_bytes -= CHUNK_FRAMING;
	return 0;
}

static int
on_message_complete(llhttp_t *l)
{
	(void)l;
	return HPE_PAUSED;
}

static const llhttp_settings_t SETTINGS = {
	.on_url = on_url,
	.on_url_complete = on_url_complete,
	.on_header_field = on_header_field,
	.on_header_field_complete = on_header_field_complete,
	.on_header_value = on_header_value,
	.on_header_value_complete = on_header_value_complete,
	.on_headers_complete = on_headers_complete,
	.on_body = on_body,
	.on_chunk_header = on_chunk_header,
	.on_message_complete = on_message_complete,
};

void
http_parse_init(struct http_parse *p, const struct http_parse_limits *limits)
{
	*p = (struct http_parse){ .limits = limits };
	llhttp_init(&p->llhttp, HTTP_REQUEST, &SETTINGS);
	p->llhttp.data = p;
}

void
http_parse_begin(struct http_parse *p, struct arena *a)
{
	llhttp_reset(&p->llhttp);
	p->arena = a;
	p->text = NULL;
	p->text_len = p->text_cap = 0;
	p->head_bytes = p->trailer_bytes = 0;
	p->framing_bytes = 0;
	p->header_count = p->status = 0;
	p->in_head = true;
	p->after_cr = p->after_lf = p->has_target = false;
	p->reason = NULL;
}

/* The first CR or LF from at; else end. */
static const char *
skip_line(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i cr = _mm_set1_epi8('\r'), lf = _mm_set1_epi8('\n');

	for (; end - at >= 16; at += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		unsigned hits = (unsigned)_mm_movemask_epi8(
			_mm_or_si128(_mm_cmpeq_epi8(bytes, cr), _mm_cmpeq_epi8(bytes, lf)));

		if (hits != 0)
			return at + __builtin_ctz(hits);
	}
#endif
	while (at < end && *at != '\r' && *at != '\n')
		at++;
	return at;
}

/* Every line ends in CRLF and none begins with a blank (which would continue the one before it):
 * intermediaries disagree about what anything else means. llhttp catches most of it, not all. */
static bool
lines_are_clean(struct http_parse *p, struct str head)
{
	const char *at = head.ptr, *end = head.ptr + head.len;

	while (at < end) {
		if (p->after_cr) {
			if (*at++ != '\n')
				return false;
			p->after_cr = false;
			p->after_lf = true;
			continue;
		}
		if (p->after_lf && (*at == ' ' || *at == '\t'))
			return false;
		p->after_lf = false;
		at = skip_line(at, end);
		if (at == end)
			break;
		if (*at++ != '\r')
			return false;
		p->after_cr = true;
	}
	return true;
}

/* Looks at the bytes that belong to the head; false when they are refused. */
static bool
count_head(struct http_parse *p, struct str head)
{
	size_t bytes = p->head_bytes + head.len;

	if (bytes > p->limits->head_bytes)
		refuse_size(p);
	else if (!lines_are_clean(p, head))
		refuse(p, 400, "a header is folded, or a line does not end in CRLF");
	p->head_bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
	return p->status == 0;
}

/* The texts lie one behind the other, each with its NUL: no offsets had to be kept. */
static void
fill_head(struct http_parse *p, struct http_head *head)
{
	struct http_header *headers = ARENA_ARRAY(p->arena, p->header_count, struct http_header);
	char *at = p->text;

	*head = (struct http_head){
		.method = str_of(llhttp_method_name((llhttp_method_t)p->llhttp.method)),
		.target = str_of(at),
		.headers = headers,
		.header_count = p->header_count,
		.content_length =
			p->llhttp.flags & F_CHUNKED ? -1 : (int64_t)p->llhttp.content_length,
		.keep_alive = llhttp_should_keep_alive(&p->llhttp),
		.http_1_0 = p->llhttp.http_minor == 0,
	};
	str_cut(head->target, '?', &head->path, &head->query);
	at += head->target.len + 1;
	for (size_t i = 0; i < p->header_count; i++) {
		headers[i].name = str_of(at);
		at += headers[i].name.len + 1;
		headers[i].value = str_trim(str_of(at));
		at += strlen(at) + 1;
	}
}

static unsigned
count_named(const struct http_head *head, struct str name)
{
	unsigned n = 0;

	for (size_t i = 0; i < head->header_count; i++)
		n += str_eq(head->headers[i].name, name);
	return n;
}

static bool
codings_are_known(const struct http_head *head)
{
	unsigned n = count_named(head, STR("transfer-encoding"));
	struct str coding = http_head_find(head, STR("transfer-encoding"));

	return n == 0 || (n == 1 && !head->http_1_0 && str_eq_nocase(coding, STR("chunked")));
}

/* What the grammar allows and this server does not. */
static int
check_head(struct http_parse *p, struct http_head *head)
{
	unsigned hosts = count_named(head, STR("host"));
	struct str expect = http_head_find(head, STR("expect"));
	bool star = str_eq(head->target, STR("*")) && str_eq(head->method, STR("OPTIONS"));

	if (p->llhttp.http_major != 1 || p->llhttp.http_minor > 1)
		return refuse(p, 400, "only HTTP/1.0 and HTTP/1.1 are spoken here");
	if (!star && !str_starts(head->target, STR("/")))
		return refuse(p, 400, "the request target is not a path");
	if (memchr(head->target.ptr, '#', head->target.len))
		return refuse(p, 400, "the request target has a fragment");
	if (hosts > 1 || (hosts == 0 && !head->http_1_0))
		return refuse(p, 400, "exactly one Host header is needed");
	if (!codings_are_known(head))
		return refuse(p, 400, "the only transfer coding known here is chunked");
	if (p->llhttp.content_length > INT64_MAX)
		return refuse(p, 413, "the body is too large");
	if (expect.ptr && !str_eq_nocase(expect, STR("100-continue")))
		return refuse(p, 417, "the only expectation known here is 100-continue");
	head->expects_continue = expect.ptr && !head->http_1_0;
	return 0;
}

static enum http_parse_step
finish_head(struct http_parse *p, struct http_head *head)
{
	fill_head(p, head);
	if (check_head(p, head) != 0)
		return HTTP_PARSE_BAD;
	p->in_head = false;
	return HTTP_PARSE_HEAD;
}

/* Extensions of chunks, and zeros in front of their sizes, mean nothing and could go on for ever. */
static bool
count_framing(struct http_parse *p, size_t used)
{
	p->framing_bytes += (int64_t)used;
	if (p->framing_bytes < 0)
		p->framing_bytes = 0; /* chunks that need less are no credit */
	if (p->framing_bytes > (int64_t)p->limits->head_bytes)
		refuse(p, 400, "the chunk extensions are too long");
	return p->status == 0;
}

enum http_parse_step
http_parse_feed(struct http_parse *p, struct str input, size_t *used, struct http_head *head)
{
	const char *ptr = input.len > 0 ? input.ptr : "";
	enum llhttp_errno said = llhttp_execute(&p->llhttp, ptr, input.len);

	*used = said == HPE_OK ? input.len : (size_t)(llhttp_get_error_pos(&p->llhttp) - ptr);
	if (p->in_head && !count_head(p, (struct str){ ptr, *used }))
		return HTTP_PARSE_BAD;
	if (!p->in_head && !count_framing(p, *used))
		return HTTP_PARSE_BAD;
	if (said == HPE_OK)
		return HTTP_PARSE_MORE;
	if (said != HPE_PAUSED) {
		refuse(p, 400, llhttp_get_error_reason(&p->llhttp));
		return HTTP_PARSE_BAD;
	}
	llhttp_resume(&p->llhttp);
	return p->in_head ? finish_head(p, head) : HTTP_PARSE_DONE;
}
