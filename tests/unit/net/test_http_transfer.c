#include "net/http_transfer.h"

#include <poll.h>

#include "http_caller.h"
#include "raw_peer.h"

/* --- what is sent --- */

static void
answer_once(struct peer *p, int fd)
{
	const size_t *body = p->context;

	if (peer_read(p, fd, body ? *body : 0))
		peer_write(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
}

static size_t
count_headers(const struct http_header headers[2])
{
	return (headers[0].name.ptr ? 1U : 0U) + (headers[1].name.ptr ? 1U : 0U);
}

static const struct request_row {
	const char *name;
	const char *method, *path;
	struct http_header headers[2];
	const char *body;
	const char *want; /* the whole request; %d is the port */
} REQUEST_ROWS[] = {
	{ "GET",
	  "GET",
	  "/a?b=c",
	  { { { 0 } } },
	  "",
	  "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\n\r\n" },
	{ "no fragment",
	  "GET",
	  "/a#b",
	  { { { 0 } } },
	  "",
	  "GET /a HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\n\r\n" },
	{ "dots in the path stay",
	  "GET",
	  "/a/../b//c",
	  { { { 0 } } },
	  "",
	  "GET /a/../b//c HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\n\r\n" },
	{ "headers",
	  "GET",
	  "/",
	  { { STR("X-A"), STR("1: 2") }, { STR("accept"), STR("x/y") } },
	  "",
	  "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-A: 1: 2\r\naccept: x/y\r\n\r\n" },
	{ "a header without a value",
	  "GET",
	  "/",
	  { { STR("X-Empty"), STR("") } },
	  "",
	  "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\nX-Empty:\r\n\r\n" },
	{ "a body",
	  "POST",
	  "/",
	  { { { 0 } } },
	  "abc",
	  "POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\nContent-Length: 3\r\n\r\nabc" },
	{ "a body with its type",
	  "PUT",
	  "/",
	  { { STR("Content-Type"), STR("text/plain") } },
	  "abc",
	  "PUT / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\nContent-Type: text/plain\r\n"
	  "Content-Length: 3\r\n\r\nabc" },
	{ "an empty body has a length",
	  "POST",
	  "/",
	  { { { 0 } } },
	  "",
	  "POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\nContent-Length: 0\r\n\r\n" },
	{ "DELETE",
	  "DELETE",
	  "/x",
	  { { { 0 } } },
	  "",
	  "DELETE /x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\n\r\n" },
	{ "PATCH",
	  "PATCH",
	  "/x",
	  { { { 0 } } },
	  "{}",
	  "PATCH /x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\nContent-Length: 2\r\n\r\n{}" },
	{ "a method nobody knows",
	  "BREW",
	  "/x",
	  { { { 0 } } },
	  "",
	  "BREW /x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\n\r\n" },
};

static void
request_row_holds(void **state)
{
	const struct request_row *row = *state;
	size_t body = strlen(row->body);
	struct peer p = { .talk = answer_once, .context = &body };
	struct record r = { 0 };
	struct http_call call = { .method = str_of(row->method),
				  .headers = row->headers,
				  .header_count = count_headers(row->headers),
				  .body = str_of(row->body) };
	struct caller c;
	struct buf want;

	peer_start(&p);
	caller_init(&c, NULL);
	call.url = caller_url(&c, p.port, row->path);
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, 0);
	check_str("answer", buf_str(&r.body), STR("ok"));
	caller_release(&c);
	peer_stop(&p);
	buf_init(&want, PEER_REQUEST_MAX);
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	buf_printf(&want, row->want, p.port);
	check_str("request", str_of(p.request), buf_str(&want));
	buf_release(&want);
	record_release(&r);
}

static const struct refused_row {
	const char *name;
	struct http_call call; /* without a URL: a good one */
	struct http_header headers[2];
} REFUSED_ROWS[] = {
	{ "no method", { .unix_socket = STR("") } },
	{ "a method with a blank", { .method = STR("GET /") } },
	{ "CONNECT", { .method = STR("CONNECT") } },
	{ "a URL that is none", { .method = STR("GET"), .url = STR("127.0.0.1") } },
	{ "a file", { .method = STR("GET"), .url = STR("file:///etc/passwd") } },
	{ "a line end in a header",
	  { .method = STR("GET") },
	  { { STR("X"), STR("a\r\nHost: b") } } },
	{ "NUL in a header", { .method = STR("GET") }, { { STR("X"), STR("a\0b") } } },
	{ "a colon in a header's name", { .method = STR("GET") }, { { STR("X:Y"), STR("a") } } },
	{ "a header without a name", { .method = STR("GET") }, { { STR(""), STR("a") } } },
	{ "a Host of its own", { .method = STR("GET") }, { { STR("host"), STR("a") } } },
	{ "a length of its own",
	  { .method = STR("GET") },
	  { { STR("Content-Length"), STR("5") } } },
	{ "a coding of its own",
	  { .method = STR("GET") },
	  { { STR("Transfer-Encoding"), STR("chunked") } } },
	{ "a body whole and in pieces",
	  { .method = STR("POST"), .body = STR("x"), .body_in_pieces = true } },
	{ "a socket's path too long for the system",
	  { .method = STR("GET"),
	    .url = STR("http://x/"),
	    .unix_socket = STR("/123456789/123456789/123456789/123456789/123456789/123456789"
			       "/123456789/123456789/123456789/123456789/1234567") } },
};

static void
refused_row_holds(void **state)
{
	const struct refused_row *row = *state;
	struct http_call call = row->call;
	struct http_call_events events = RECORD_EVENTS;
	struct http_exchange *x = NULL;
	struct caller c;
	struct err e;

	caller_init(&c, NULL);
	call.headers = row->headers;
	call.header_count = count_headers(row->headers);
	if (call.url.len == 0)
		call.url = STR("http://127.0.0.1/");
	assert_int_equal(egress_send(c.egress, EGRESS_OPERATOR, &call, &events, &x, &e),
			 ERR_INVALID);
	assert_null(x);
	caller_release(&c);
}

/* --- what comes --- */

static void
say(struct peer *p, int fd)
{
	const struct str *bytes = p->context;

	if (peer_read(p, fd, 0))
		peer_write(fd, *bytes);
}

static const struct answer_row {
	const char *name;
	struct str bytes; /* then the peer closes */
	int rc, status;
	const char *body; /* what arrived of it, also before an error */
	const char *text; /* ends the sentence */
} ANSWER_ROWS[] = {
	{ "by length", STR("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"), 0, 200, "abc",
	  NULL },
	{ "in chunks",
	  STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	      "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"),
	  0, 200, "abc", NULL },
	{ "until the close", STR("HTTP/1.0 200 OK\r\n\r\nabc"), 0, 200, "abc", NULL },
	{ "without a body", STR("HTTP/1.1 204 No Content\r\n\r\n"), 0, 204, "", NULL },
	{ "a trailer is dropped",
	  STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n"),
	  0, 200, "a", NULL },
	{ "100 only announces",
	  STR("HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"),
	  0, 200, "a", NULL },
	{ "an error of the server is an answer",
	  STR("HTTP/1.1 500 Oh\r\nContent-Length: 4\r\n\r\nsad!"), 0, 500, "sad!", NULL },
	{ "401 is an answer",
	  STR("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"), 0,
	  401, "", NULL },
	{ "a redirect is an answer",
	  STR("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\ngo"),
	  0, 302, "go", NULL },
	{ "nothing", STR(""), ERR_IO, 0, "", ": the connection broke before an answer came" },
	{ "half a head", STR("HTTP/1.1 200 OK\r\nContent-Le"), ERR_IO, 0, "",
	  ": the connection broke before an answer came" },
	{ "cut by length", STR("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"), ERR_IO, 200,
	  "abc", ": the connection broke in the middle of the answer" },
	{ "cut in chunks", STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
	  ERR_IO, 200, "abc", ": the connection broke in the middle of the answer" },
	{ "no HTTP", STR("220 smtp.example ESMTP\r\n"), ERR_IO, 0, "",
	  ": the answer is no proper HTTP (Unsupported protocol)" },
	{ "a chunk without a size",
	  STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"), ERR_IO, 200,
	  "", ": the connection broke in the middle of the answer" },
	{ "a folded header", STR("HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n"),
	  ERR_IO, 0, "", ": the answer has a malformed header" },
	{ "over the limit", STR("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n12345678901"),
	  ERR_TOO_LARGE, 200, "", ": the answer's body is over 10 bytes" },
	{ "over the limit with the second piece",
	  STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	      "6\r\n123456\r\n6\r\n123456\r\n0\r\n\r\n"),
	  ERR_TOO_LARGE, 200, "123456", ": the answer's body is over 10 bytes" },
	{ "at the limit", STR("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1234567890"), 0, 200,
	  "1234567890", NULL },
};

static void
answer_row_holds(void **state)
{
	const struct answer_row *row = *state;
	struct peer p = { .talk = say, .context = &row->bytes };
	struct record r = { 0 };
	struct http_call call = { .method = STR("GET"), .max_body_bytes = 10 };
	struct caller c;

	peer_start(&p);
	caller_init(&c, NULL);
	call.url = caller_url(&c, p.port, "/");
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	if (r.rc != row->rc || (row->text && !str_ends(str_of(r.err.text), str_of(row->text))))
		fail_msg("%d: %s", r.rc, r.err.text);
	assert_int_equal(r.status, row->status);
	assert_int_equal(r.heads, row->status != 0);
	check_str("body", buf_str(&r.body), str_of(row->body));
	assert_int_equal(atomic_load(&p.requests), 1);
	record_release(&r);
	caller_release(&c);
	peer_stop(&p);
}

static const struct head_row {
	const char *name;
	size_t lines, line_bytes;
	int rc;
} HEAD_ROWS[] = {
	{ "as many headers as may be", HTTP_ANSWER_HEADERS - 1, 20, 0 },
	{ "one header more", HTTP_ANSWER_HEADERS, 20, ERR_TOO_LARGE },
	{ "far too many", 100000, 20, ERR_TOO_LARGE },
	{ "few and long", 60, 1024, 0 },
	{ "few and too long", 65, 1024, ERR_TOO_LARGE },
	{ "a line without end", 1, 200000, ERR_TOO_LARGE },
};

static void
say_huge_head(struct peer *p, int fd)
{
	const struct head_row *row = p->context;
	struct buf line;

	if (!peer_read(p, fd, 0))
		return;
	buf_init(&line, row->line_bytes);
	buf_puts(&line, "X-Line: ");
	while (line.len + 2 < row->line_bytes)
		buf_putc(&line, 'x');
	buf_puts(&line, "\r\n");
	peer_write(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"));
	for (size_t i = 0; i < row->lines; i++)
		peer_write(fd, buf_str(&line));
	peer_write(fd, STR("\r\n"));
	buf_release(&line);
}

static void
head_row_holds(void **state)
{
	const struct head_row *row = *state;
	struct peer p = { .talk = say_huge_head, .context = row };
	struct record r = { 0 };
	struct caller c;

	peer_start(&p);
	caller_init(&c, NULL);
	caller_get(&c, &r, p.port, "/");
	if (r.rc != row->rc)
		fail_msg("%d: %s", r.rc, r.err.text);
	record_release(&r);
	caller_release(&c);
	peer_stop(&p);
}

static void
head_has_no_body(void **state)
{
	struct str bytes = STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX-Name: a b\r\n\r\n");
	struct peer p = { .talk = say, .context = &bytes };
	struct record r = { 0 };
	struct http_call call = { .method = STR("HEAD"), .max_body_bytes = 10 };
	struct caller c;

	(void)state;
	peer_start(&p);
	caller_init(&c, NULL);
	call.url = caller_url(&c, p.port, "/");
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.bytes, 0);
	record_release(&r);
	caller_release(&c);
	peer_stop(&p);
	assert_true(str_starts(str_of(p.request), STR("HEAD / HTTP/1.1\r\n")));
}

/* --- never twice --- */

/* The second request on a connection is read whole and not answered. */
static void
die_at_the_second(struct peer *p, int fd)
{
	size_t body = *(const size_t *)p->context;
	struct pollfd wait = { fd, POLLIN, 0 };

	if (peer_read(p, fd, body))
		peer_write(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
	if (poll(&wait, 1, 300) > 0) /* else the client took another connection */
		IGNORE(peer_read(p, fd, body));
}

static const struct twice_row {
	const char *name;
	const char *method, *body;
	int rc; /* of the second call */
	int requests;
	int connections; /* that the peer saw; 0: curl may have opened one in vain */
} TWICE_ROWS[] = {
	{ "GET may be asked again", "GET", "", 0, 3, 2 },
	{ "POST with a body is sent once", "POST", "abc", ERR_IO, 2, 0 },
	{ "PUT with a body is sent once", "PUT", "abc", ERR_IO, 2, 0 },
	{ "POST without one takes no used connection", "POST", "", 0, 2, 2 },
	{ "DELETE takes no used connection", "DELETE", "", 0, 2, 2 },
};

static void
twice_row_holds(void **state)
{
	const struct twice_row *row = *state;
	size_t body = strlen(row->body);
	struct peer p = { .talk = die_at_the_second, .context = &body };
	struct http_call call = { .method = str_of(row->method), .body = str_of(row->body) };
	struct record first = { 0 }, second = { 0 };
	struct caller c;

	caller_init(&c, NULL);
	peer_start(&p);
	call.url = caller_url(&c, p.port, "/");
	caller_send(&c, &first, &call);
	caller_wait(&c, &first);
	assert_int_equal(first.rc, 0);
	caller_send(&c, &second, &call);
	caller_wait(&c, &second);
	assert_int_equal(second.rc, row->rc);
	if (row->rc != 0)
		assert_true(str_ends(str_of(second.err.text), STR("before an answer came")));
	record_release(&first);
	record_release(&second);
	caller_release(&c);
	peer_stop(&p);
	assert_int_equal(atomic_load(&p.requests), row->requests);
	if (row->connections > 0)
		assert_int_equal(atomic_load(&p.connections), row->connections);
}

static void
proxies_of_the_environment_are_ignored(void **state)
{
	struct peer p = { .talk = answer_once };
	struct record r = { 0 };
	struct caller c;

	(void)state;
	setenv("http_proxy", "http://127.0.0.1:1/", 1);
	setenv("all_proxy", "socks5h://127.0.0.1:1/", 1);
	setenv("ALL_PROXY", "socks5h://127.0.0.1:1/", 1);
	peer_start(&p);
	caller_init(&c, NULL);
	caller_get(&c, &r, p.port, "/");
	assert_int_equal(r.rc, 0);
	unsetenv("http_proxy");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
	record_release(&r);
	caller_release(&c);
	peer_stop(&p);
}

/* --- routes --- */

static bool
admit_all(const struct net_address *address)
{
	(void)address;
	return true;
}

static bool
admit_none(const struct net_address *address)
{
	(void)address;
	return false;
}

static void
send_by(struct http_client *client, struct caller *c, struct record *r, const char *url,
	const struct http_route *route)
{
	struct http_call call = { .method = STR("GET"), .url = str_of(url) };
	struct http_call_events events = RECORD_EVENTS;

	*r = (struct record){ .caller = c };
	buf_init(&r->body, 1000);
	events.context = r;
	assert_int_equal(http_client_send(client, &call, &events, &r->exchange, NULL), 0);
	http_exchange_route(r->exchange, route);
	c->open++;
	caller_wait(c, r);
	record_release(r);
}

/* Whatever the route says: no socket for an address that is not admitted. */
static void
address_not_admitted_gets_no_socket(void **state)
{
	struct net_address local = { .bytes = { 127, 0, 0, 1 } };
	struct http_route route = { &local, 1, "x", admit_none };
	struct peer p = { .talk = answer_once };
	struct http_client *client;
	struct record r;
	struct caller c;
	char url[64];

	(void)state;
	peer_start(&p);
	caller_init(&c, NULL);
	client = http_client_new(c.loop, NULL);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", p.port);
	send_by(client, &c, &r, url, &route);
	assert_int_equal(r.rc, ERR_DENIED);
	snprintf(url, sizeof url, "http://a.example:%d/", p.port);
	send_by(client, &c, &r, url, &route);
	assert_int_equal(r.rc, ERR_DENIED);
	http_client_free(&client);
	caller_release(&c);
	peer_stop(&p);
	assert_int_equal(atomic_load(&p.connections), 0);
}

static void
answer_often(struct peer *p, int fd)
{
	while (peer_read(p, fd, 0))
		peer_write(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
}

/* The name goes into the Host header, the address decides where; several are tried. */
static void
name_is_pinned_to_its_addresses(void **state)
{
	struct net_address both[] = { { .v6 = true, .bytes = { [15] = 1 } },
				      { .bytes = { 127, 0, 0, 1 } } };
	struct http_route route = { both, 2, "x", admit_all };
	struct peer p = { .talk = answer_often };
	struct http_client *client;
	struct record r;
	struct caller c;
	char url[64];

	(void)state;
	peer_start(&p);
	caller_init(&c, NULL);
	client = http_client_new(c.loop, NULL);
	snprintf(url, sizeof url, "http://A.Example:%d/", p.port);
	for (int i = 0; i < 3; i++) {
		send_by(client, &c, &r, url, &route);
		assert_int_equal(r.rc, 0);
	}
	http_client_free(&client);
	caller_release(&c);
	peer_stop(&p);
	assert_non_null(strstr(p.request, "\r\nHost: a.example:"));
	assert_int_equal(atomic_load(&p.connections), 1); /* used again */
}

/* A connection that one policy opened is not there for the other. */
static void
scopes_share_no_connection(void **state)
{
	struct net_address local = { .bytes = { 127, 0, 0, 1 } };
	struct http_route first = { &local, 1, "one", admit_all };
	struct http_route second = { &local, 1, "two", admit_none };
	struct peer p = { .talk = answer_often };
	struct http_client *client;
	struct record r;
	struct caller c;
	char url[64];

	(void)state;
	peer_start(&p);
	caller_init(&c, NULL);
	client = http_client_new(c.loop, NULL);
	snprintf(url, sizeof url, "http://a.example:%d/", p.port);
	send_by(client, &c, &r, url, &first);
	assert_int_equal(r.rc, 0);
	send_by(client, &c, &r, url, &second);
	assert_int_equal(r.rc, ERR_DENIED);
	http_client_free(&client);
	caller_release(&c);
	peer_stop(&p);
	assert_int_equal(atomic_load(&p.requests), 1);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, REQUEST_ROWS, request_row_holds);
	SUITE_ROWS(&s, REFUSED_ROWS, refused_row_holds);
	SUITE_ROWS(&s, ANSWER_ROWS, answer_row_holds);
	SUITE_ROWS(&s, HEAD_ROWS, head_row_holds);
	SUITE_TEST(&s, head_has_no_body);
	SUITE_ROWS(&s, TWICE_ROWS, twice_row_holds);
	SUITE_TEST(&s, proxies_of_the_environment_are_ignored);
	SUITE_TEST(&s, address_not_admitted_gets_no_socket);
	SUITE_TEST(&s, name_is_pinned_to_its_addresses);
	SUITE_TEST(&s, scopes_share_no_connection);
	return suite_run(&s, "net/http_transfer");
}
