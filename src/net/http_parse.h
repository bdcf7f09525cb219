/* http_parse - bytes to requests: one at a time, strict, bounded, without sockets.
 * llhttp in strict mode does the grammar; this adds the limits and refuses what llhttp lets pass:
 * folded headers, nameless ones, endless chunk extensions, a missing or second Host, codings other than chunked, foreign versions, targets
 * that are not a path. */
#pragma once
#include <llhttp.h>
#include "net/http_request.h"

struct http_parse_limits {
	size_t head_bytes; /* request line and headers, with their line ends */
	unsigned headers;
};

enum http_parse_step {
	HTTP_PARSE_MORE, /* all input used; more is needed */
	HTTP_PARSE_HEAD, /* the head is complete */
	HTTP_PARSE_DONE, /* the body is complete */
	HTTP_PARSE_BAD   /* status and reason say why; only http_parse_begin makes sense now */
};

struct http_parse {
	llhttp_t llhttp;
	const struct http_parse_limits *limits;
	struct arena *arena; /* the request's */
	char *text;          /* target, then name and value of each header, each with a NUL */
	uint32_t text_len, text_cap;
	uint32_t head_bytes, trailer_bytes;
	int64_t framing_bytes; /* of a chunked body: beyond body, trailers and what its chunks need */
	uint16_t header_count;
	uint16_t status;
	bool in_head, has_target;
	bool after_cr, after_lf; /* what the input so far ends with */
	const char *reason;
	/* False: more than the owner takes; the request is refused with 413. */
	bool (*on_body)(void *context, const char *ptr, size_t len);
	void *context;
};

void http_parse_init(struct http_parse *p, const struct http_parse_limits *limits);
/* Expects a new request, whose texts will live in a. */
void http_parse_begin(struct http_parse *p, struct arena *a);
/* Uses input up to the next step and says how much. After HTTP_PARSE_HEAD call on, with no input if
 * there is none, until HTTP_PARSE_DONE. *head is filled by HTTP_PARSE_HEAD (all but peer). */
enum http_parse_step
http_parse_feed(struct http_parse *p, struct str input, size_t *used, struct http_head *head);
