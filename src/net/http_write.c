#include "net/http_write.h"

#include "base/utf8.h"

static const struct {
	int status;
	const char *phrase;
} PHRASES[] = {
	{ 101, "Switching Protocols" },
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 204, "No Content" },
	{ 206, "Partial Content" },
	{ 301, "Moved Permanently" },
	{ 302, "Found" },
	{ 303, "See Other" },
	{ 304, "Not Modified" },
	{ 307, "Temporary Redirect" },
	{ 308, "Permanent Redirect" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" },
	{ 408, "Request Timeout" },
	{ 409, "Conflict" },
	{ 410, "Gone" },
	{ 411, "Length Required" },
	{ 412, "Precondition Failed" },
	{ 413, "Content Too Large" },
	{ 414, "URI Too Long" },
	{ 415, "Unsupported Media Type" },
	{ 416, "Range Not Satisfiable" },
	{ 417, "Expectation Failed" },
	{ 421, "Misdirected Request" },
	{ 422, "Unprocessable Content" },
	{ 426, "Upgrade Required" },
	{ 428, "Precondition Required" },
	{ 429, "Too Many Requests" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 502, "Bad Gateway" },
	{ 503, "Service Unavailable" },
	{ 504, "Gateway Timeout" },
	{ 507, "Insufficient Storage" },
	{ 529, "Overloaded" },
};

const char *
http_write_phrase(int status)
{
	for (size_t i = 0; i < ARRAY_LEN(PHRASES); i++)
		if (PHRASES[i].status == status)
			return PHRASES[i].phrase;
	return "";
}

bool
http_write_has_no_body(int status)
{
	return status == 204 || status == 304;
}

static void
put_value(struct buf *out, struct str value)
{
	char *to;

	if (utf8_is_printable_ascii(value)) {
		buf_put_str(out, value);
		return;
	}
	to = buf_extend(out, value.len);
	for (size_t i = 0; to && i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];
		to[i] = (c < ' ' && c != '\t') || c == 0x7f ? ' ' : (char)c;
	}
}

static void
put_header(struct buf *out, struct str name, struct str value)
{
	put_value(out, name);
	buf_put_str(out, STR(": "));
	put_value(out, value);
	buf_put_str(out, STR("\r\n"));
}

static void
put_framing(struct buf *out, const struct http_reply *reply, enum http_framing framing)
{
	switch (framing) {
	case HTTP_LENGTH:
		if (http_write_has_no_body(reply->status))
			return;
		buf_put_str(out, STR("Content-Length: "));
		buf_put_int(out, (int64_t)reply->body.len);
		buf_put_str(out, STR("\r\n"));
		return;
	case HTTP_CHUNKED: buf_put_str(out, STR("Transfer-Encoding: chunked\r\n")); return;
	case HTTP_UNTIL_CLOSE: return;
	}
}

void
http_write_head(struct buf *out, const struct http_reply *reply,
		const struct http_write_facts *facts)
{
	buf_put_str(out, STR("HTTP/1.1 "));
	buf_put_int(out, reply->status);
	buf_putc(out, ' ');
	buf_puts(out, http_write_phrase(reply->status));
	buf_put_str(out, STR("\r\n"));
	if (reply->content_type.len > 0)
		put_header(out, STR("Content-Type"), reply->content_type);
	put_framing(out, reply, facts->framing);
	if (!facts->keep_alive)
		buf_put_str(out, STR("Connection: close\r\n"));
	else if (facts->http_1_0)
		buf_put_str(out, STR("Connection: keep-alive\r\n"));
	for (size_t i = 0; i < reply->header_count; i++)
		put_header(out, reply->headers[i].name, reply->headers[i].value);
	buf_put_str(out, STR("\r\n"));
}
