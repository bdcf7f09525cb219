#include "net/ws_handshake.h"

#include "harness.h"

#define H(n, v)                \
	{                      \
		STR(n), STR(v) \
	}
#define KEY     H("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
#define VERSION H("sec-websocket-version", "13")
#define UPGRADE H("upgrade", "websocket")
#define CONNECT H("connection", "Upgrade")

static const struct row {
	const char *name;
	const char *method;
	struct http_header headers[6];
	int64_t content_length;
	bool http_1_0;
	int status;
} ROWS[] = {
	{ "the RFC's own example", "GET", { UPGRADE, CONNECT, KEY, VERSION }, 0, false, 101 },
	{ "words in any case and among others",
	  "GET",
	  { H("upgrade", "h2c , WebSocket"), H("connection", "keep-alive,UPGRADE"), KEY, VERSION },
	  0,
	  false,
	  101 },
	{ "words over several headers",
	  "GET",
	  { H("connection", "keep-alive"), UPGRADE, CONNECT, KEY, VERSION },
	  0,
	  false,
	  101 },
	{ "an ordinary request", "GET", { CONNECT, KEY, VERSION }, 0, false, 426 },
	{ "another protocol",
	  "GET",
	  { H("upgrade", "h2c"), CONNECT, KEY, VERSION },
	  0,
	  false,
	  426 },
	{ "a longer word",
	  "GET",
	  { H("upgrade", "websockets"), CONNECT, KEY, VERSION },
	  0,
	  false,
	  426 },
	{ "another method", "POST", { UPGRADE, CONNECT, KEY, VERSION }, 0, false, 400 },
	{ "HTTP/1.0", "GET", { UPGRADE, CONNECT, KEY, VERSION }, 0, true, 400 },
	{ "a body", "GET", { UPGRADE, CONNECT, KEY, VERSION }, 5, false, 400 },
	{ "a chunked body", "GET", { UPGRADE, CONNECT, KEY, VERSION }, -1, false, 400 },
	{ "no Connection", "GET", { UPGRADE, KEY, VERSION }, 0, false, 400 },
	{ "Connection: close",
	  "GET",
	  { UPGRADE, H("connection", "close"), KEY, VERSION },
	  0,
	  false,
	  400 },
	{ "an old version",
	  "GET",
	  { UPGRADE, CONNECT, KEY, H("sec-websocket-version", "8") },
	  0,
	  false,
	  426 },
	{ "several versions",
	  "GET",
	  { UPGRADE, CONNECT, KEY, H("sec-websocket-version", "13, 8") },
	  0,
	  false,
	  426 },
	{ "no version", "GET", { UPGRADE, CONNECT, KEY }, 0, false, 426 },
	{ "the version twice", "GET", { UPGRADE, CONNECT, KEY, VERSION, VERSION }, 0, false, 426 },
	{ "no key", "GET", { UPGRADE, CONNECT, VERSION }, 0, false, 400 },
	{ "the key twice", "GET", { UPGRADE, CONNECT, KEY, KEY, VERSION }, 0, false, 400 },
	{ "an empty key",
	  "GET",
	  { UPGRADE, CONNECT, H("sec-websocket-key", ""), VERSION },
	  0,
	  false,
	  400 },
	{ "a key too short",
	  "GET",
	  { UPGRADE, CONNECT, H("sec-websocket-key", "dGhlIHNhbXBsZSBub25j"), VERSION },
	  0,
	  false,
	  400 },
	{ "a key too long",
	  "GET",
	  { UPGRADE, CONNECT, H("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ===="), VERSION },
	  0,
	  false,
	  400 },
	{ "a key of 17 bytes",
	  "GET",
	  { UPGRADE, CONNECT, H("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZWQ="), VERSION },
	  0,
	  false,
	  400 },
	{ "a key that is not base64",
	  "GET",
	  { UPGRADE, CONNECT, H("sec-websocket-key", "dGhlIHNhbXBsZSBub2-jZQ=="), VERSION },
	  0,
	  false,
	  400 },
};

static struct http_head
head_of(const struct http_header *headers, size_t cap)
{
	struct http_head head = { .method = STR("GET"), .headers = headers };

	while (head.header_count < cap && headers[head.header_count].name.ptr)
		head.header_count++;
	return head;
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct http_head head = head_of(row->headers, ARRAY_LEN(row->headers));
	struct ws_handshake shake;

	head.method = str_of(row->method);
	head.content_length = row->content_length;
	head.http_1_0 = row->http_1_0;
	ws_handshake_check(&head, &shake);
	assert_int_equal(shake.status, row->status);
	assert_int_equal(shake.reason == NULL, row->status == 101);
	check_str("accept", str_of(shake.accept),
		  row->status == 101 ? STR("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") : STR(""));
}

static const struct offer_row {
	const char *name;
	struct http_header headers[3];
	bool want;
} OFFER_ROWS[] = {
	{ "nothing is offered", { UPGRADE }, false },
	{ "it is offered", { H("sec-websocket-protocol", "test.v1") }, true },
	{ "it is offered among others", { H("sec-websocket-protocol", "chat, test.v1 ,x") }, true },
	{ "it is offered in a second header",
	  { H("sec-websocket-protocol", "chat"), H("sec-websocket-protocol", "test.v1") },
	  true },
	{ "another is offered", { H("sec-websocket-protocol", "test.v10") }, false },
	{ "case counts", { H("sec-websocket-protocol", "Test.v1") }, false },
};

static void
offer_row_holds(void **state)
{
	const struct offer_row *row = *state;
	struct http_head head = head_of(row->headers, ARRAY_LEN(row->headers));

	assert_int_equal(ws_handshake_offers(&head, STR("test.v1")), row->want);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, OFFER_ROWS, offer_row_holds);
	return suite_run(&s, "net/ws_handshake");
}
