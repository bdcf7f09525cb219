#include "net/http_write.h"

#include "harness.h"

static const struct http_header HEADERS[] = { { STR("X-One"), STR("1") },
					      { STR("X-Two"), STR("a\r\nEvil: yes\001\tb") } };

static const struct row {
	const char *name;
	struct http_reply reply;
	struct http_write_facts facts;
	const char *want;
} ROWS[] = {
	{ "a body and its length",
	  { 200, NULL, 0, STR("application/json"), STR("{}") },
	  { HTTP_LENGTH, true, false },
	  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n" },
	{ "an empty body has a length too",
	  { 404, NULL, 0, { 0 }, { 0 } },
	  { HTTP_LENGTH, true, false },
	  "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" },
	{ "no content has none",
	  { 204, NULL, 0, { 0 }, { 0 } },
	  { HTTP_LENGTH, true, false },
	  "HTTP/1.1 204 No Content\r\n\r\n" },
	{ "not modified has none",
	  { 304, NULL, 0, { 0 }, STR("x") },
	  { HTTP_LENGTH, true, false },
	  "HTTP/1.1 304 Not Modified\r\n\r\n" },
	{ "the last answer says so",
	  { 500, NULL, 0, { 0 }, { 0 } },
	  { HTTP_LENGTH, false, true },
	  "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" },
	{ "HTTP/1.0 hears that it may stay",
	  { 200, NULL, 0, { 0 }, { 0 } },
	  { HTTP_LENGTH, true, true },
	  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n" },
	{ "chunks",
	  { 200, NULL, 0, { 0 }, { 0 } },
	  { HTTP_CHUNKED, true, false },
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" },
	{ "until the close",
	  { 200, NULL, 0, { 0 }, { 0 } },
	  { HTTP_UNTIL_CLOSE, false, true },
	  "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" },
	{ "a value cannot end its line",
	  { 200, HEADERS, 2, { 0 }, { 0 } },
	  { HTTP_LENGTH, true, false },
	  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-One: 1\r\nX-Two: a  Evil: yes \tb\r\n\r\n" },
	{ "a status without a phrase",
	  { 299, NULL, 0, { 0 }, { 0 } },
	  { HTTP_LENGTH, true, false },
	  "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct buf out;

	buf_init(&out, 4096);
	http_write_head(&out, &row->reply, &row->facts);
	check_str("head", buf_str(&out), str_of(row->want));
	buf_release(&out);
}

/* Every code of the closed set has a status, and every such status a phrase. */
static void
errors_have_phrases(void **state)
{
	(void)state;
	for (int code = ERR_UNAVAILABLE; code <= 0; code++)
		if (!*http_write_phrase(err_http_status(code)))
			fail_msg("%s: %d", err_name(code), err_http_status(code));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, errors_have_phrases);
	return suite_run(&s, "net/http_write");
}
