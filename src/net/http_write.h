/* http_write - the bytes of an answer's head. */
#pragma once
#include "base/buf.h"
#include "net/http_request.h"

enum http_framing {
	HTTP_LENGTH,  /* Content-Length: reply->body.len */
	HTTP_CHUNKED, /* Transfer-Encoding: chunked */
	HTTP_UNTIL_CLOSE
};

struct http_write_facts {
	enum http_framing framing;
	bool keep_alive;
	bool http_1_0; /* needs to be told that the connection stays */
};

/* Status line and headers with the blank line behind them. A control character in a header's value
 * becomes a blank: a value that came from outside cannot end its line. */
void http_write_head(struct buf *out, const struct http_reply *reply,
		     const struct http_write_facts *facts);
/* 204, 304: nothing follows the head, whatever the reply holds. */
bool http_write_has_no_body(int status);
/* "Not Found"; "" for a status without a usual phrase. */
const char *http_write_phrase(int status);
