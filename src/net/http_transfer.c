#include "net/http_transfer.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"

enum { PIN_MAX = 2048, DNS_KEPT_S = 600, METHOD_MAX = 20 };

/* Headers that say where a message ends or who it is for are the client's to write. */
static const char *const OWN_HEADERS[] = {
	"connection", "content-length",    "expect",  "host", "keep-alive", "te",
	"trailer",    "transfer-encoding", "upgrade",
};

/* --- checks --- */

static bool
is_token(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		if (c <= ' ' || c >= 0x7f || strchr("()<>@,;:\\\"/[]?={}", c))
			return false;
	}
	return text.len > 0;
}

static bool
is_header_value(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static int
check_header(const struct http_header *h, struct err *e)
{
	if (!is_token(h->name))
		return err_set(e, ERR_INVALID, "a header's name must be letters, digits and '-'");
	if (!is_header_value(h->value))
		return err_set(e, ERR_INVALID,
			       "header " STR_FMT ": line ends and control bytes are not allowed",
			       STR_ARG(h->name));
	for (size_t i = 0; i < ARRAY_LEN(OWN_HEADERS); i++)
		if (str_eq_nocase(h->name, str_of(OWN_HEADERS[i])))
			return err_set(e, ERR_INVALID, "header " STR_FMT " cannot be set by hand",
				       STR_ARG(h->name));
	return 0;
}

static int
check_call(const struct http_call *call, struct err *e)
{
	int rc = 0;

	if (!is_token(call->method) || call->method.len > METHOD_MAX ||
	    str_eq(call->method, STR("CONNECT")))
		return err_set(e, ERR_INVALID, "no such method of HTTP");
	if (call->body_in_pieces && call->body.len > 0)
		return err_set(e, ERR_INVALID, "a body comes whole or in pieces, not both");
	if (call->unix_socket.len >= sizeof((struct sockaddr_un *)NULL)->sun_path ||
	    (call->unix_socket.len > 0 &&
	     memchr(call->unix_socket.ptr, '\0', call->unix_socket.len)))
		return err_set(e, ERR_INVALID, "the path of a socket is at most %zu bytes",
			       sizeof((struct sockaddr_un *)NULL)->sun_path - 1);
	for (size_t i = 0; rc == 0 && i < call->header_count; i++)
		rc = check_header(&call->headers[i], e);
	return rc;
}

/* --- what comes --- */

/* Ends the transfer from inside a callback of curl; the sentence is ours. */
static size_t
refuse(struct http_exchange *x, const char *what, size_t limit, const char *unit)
{
	err_set(&x->err, ERR_TOO_LARGE, STR_FMT ": the answer's %s is over %zu %s",
		STR_ARG(x->where), what, limit, unit);
	return 0;
}

static size_t
keep_header(struct http_exchange *x, struct str line)
{
	struct http_header *h = &x->headers_seen[x->answer.header_count];
	struct str name, value;

	if (x->answer.header_count == HTTP_ANSWER_HEADERS)
		return refuse(x, "head", HTTP_ANSWER_HEADERS, "headers");
	if (line.ptr[0] == ' ' || line.ptr[0] == '\t' || !str_cut(line, ':', &name, &value)) {
		err_set(&x->err, ERR_IO, STR_FMT ": the answer has a malformed header",
			STR_ARG(x->where));
		return 0;
	}
	h->name = arena_lower(&x->arena, name);
	h->value = arena_str(&x->arena, str_trim(value));
	x->answer.header_count++;
	return line.len;
}

/* The blank line behind a head. One below 200 only announces the next. */
static void
end_head(struct http_exchange *x)
{
	long status = 0;

	curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200) {
		x->answer.header_count = 0;
		return;
	}
	x->answer.status = (int)status;
	x->phase = HTTP_PHASE_ANSWER;
	if (x->events.on_head)
		x->events.on_head(x->events.context, &x->answer);
}

/* curl calls this for each line, also of trailers, which are dropped. */
static size_t
on_header(char *ptr, size_t size, size_t count, void *context)
{
	struct http_exchange *x = context;
	struct str line = { ptr, size * count };

	if (x->over)
		return 0;
	http_exchange_touch(x);
	if (x->phase == HTTP_PHASE_ANSWER)
		return line.len;
	x->head_bytes += line.len;
	if (x->head_bytes > HTTP_ANSWER_HEAD_BYTES)
		return refuse(x, "head", HTTP_ANSWER_HEAD_BYTES, "bytes");
	if (str_trim(line).len == 0)
		end_head(x);
	else if (str_starts(line, STR("HTTP/")))
		x->answer.header_count = 0;
	else
		return keep_header(x, line);
	return x->over ? 0 : line.len;
}

static size_t
on_body(char *ptr, size_t size, size_t count, void *context)
{
	struct http_exchange *x = context;
	size_t len = size * count;

	if (x->over || x->err.code != 0)
		return 0;
	if (x->paused) {
		x->curl_holds_answer = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	http_exchange_touch(x);
	if (len > x->body_left_bytes)
		return refuse(x, "body", x->body_max_bytes, "bytes");
	if (x->body_max_bytes != HTTP_CALL_UNLIMITED_BYTES)
		x->body_left_bytes -= len;
	if (x->events.on_body && len > 0)
		x->events.on_body(x->events.context, (struct str){ ptr, len });
	return x->over ? 0 : len;
}

/* --- what goes --- */

static size_t
on_send(char *to, size_t size, size_t count, void *context)
{
	struct http_exchange *x = context;
	size_t room = size * count, len;

	if (x->over)
		return CURL_READFUNC_ABORT;
	if (!x->body_in_pieces) {
		len = x->body.len < room ? x->body.len : room;
		if (len > 0)
			memcpy(to, x->body.ptr, len);
		x->body = str_slice(x->body, len, x->body.len);
	} else {
		len = x->events.on_send(x->events.context, to, room);
		if (len != HTTP_SEND_LATER && len > room)
			abort(); /* it wrote where it must not */
		x->curl_holds_body = len == HTTP_SEND_LATER;
	}
	if (x->over)
		return CURL_READFUNC_ABORT;
	http_exchange_touch(x);
	return x->curl_holds_body ? CURL_READFUNC_PAUSE : len;
}

/* curl sends a request again when a kept connection turns out to be dead. A body that has left may
 * have been taken all the same: only the owner knows whether once more does harm. */
static int
on_rewind(void *context, curl_off_t offset, int origin)
{
	(void)context;
	(void)offset;
	(void)origin;
	return CURL_SEEKFUNC_FAIL;
}

static bool
is_harmless_twice(struct str method)
{
	return str_eq(method, STR("GET")) || str_eq(method, STR("HEAD")) ||
	       str_eq(method, STR("OPTIONS"));
}

static int
on_connected(void *context, char *peer, char *own, int peer_port, int own_port)
{
	struct http_exchange *x = context;

	(void)peer;
	(void)own;
	(void)peer_port;
	(void)own_port;
	if (x->phase < HTTP_PHASE_ASK)
		x->phase = HTTP_PHASE_ASK;
	http_exchange_touch(x);
	return x->over ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* The last gate: whatever curl made of the route, no socket for an address that is not admitted. */
static curl_socket_t
on_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct http_exchange *x = context;
	struct net_address address;
	bool admitted;

	(void)purpose;
	if (a->family == AF_UNIX)
		admitted = x->unix_socket.len > 0;
	else
		admitted = x->unix_socket.len == 0 && net_address_of_socket(&a->addr, &address) &&
			   x->admits(&address);
	if (!admitted) {
		err_set(&x->err, ERR_DENIED, "not allowed to connect to " STR_FMT,
			STR_ARG(x->where));
		return CURL_SOCKET_BAD;
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* --- options --- */

#define SET(x, option, value)                                                           \
	do {                                                                            \
		if (curl_easy_setopt((x)->easy, CURLOPT_##option, (value)) != CURLE_OK) \
			abort(); /* libcurl was built without what we need */           \
	} while (0)

static void
set_callbacks(struct http_exchange *x)
{
	SET(x, HEADERFUNCTION, on_header);
	SET(x, HEADERDATA, x);
	SET(x, WRITEFUNCTION, on_body);
	SET(x, WRITEDATA, x);
	SET(x, READFUNCTION, on_send);
	SET(x, READDATA, x);
	SET(x, SEEKFUNCTION, on_rewind);
	SET(x, SEEKDATA, x);
	SET(x, PREREQFUNCTION, on_connected);
	SET(x, PREREQDATA, x);
	SET(x, OPENSOCKETFUNCTION, on_open_socket);
	SET(x, OPENSOCKETDATA, x);
	SET(x, ERRORBUFFER, x->reason);
	SET(x, PRIVATE, x);
}

static void
set_manners(struct http_exchange *x)
{
	SET(x, NOSIGNAL, 1L);
	SET(x, PROTOCOLS_STR, "http,https");
	SET(x, FOLLOWLOCATION, 0L);
	SET(x, PROXY, ""); /* also none of the environment */
	SET(x, PATH_AS_IS, 1L);
	SET(x, TCP_KEEPALIVE, 1L);
	SET(x, DNS_CACHE_TIMEOUT, (long)DNS_KEPT_S);
	/* One exchange a connection: a stall or a cut concerns nobody else. */
	SET(x, HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(x, SSL_VERIFYPEER, 1L);
	SET(x, SSL_VERIFYHOST, 2L);
	SET(x, SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (x->client->ca_file)
		SET(x, CAINFO, x->client->ca_file);
	/* All times are ours (http_exchange): curl cannot say which of its own ran out. */
	SET(x, CONNECTTIMEOUT_MS, (long)INT32_MAX);
}

static void
add_header(struct http_exchange *x, const char *line)
{
	x->headers = curl_slist_append(x->headers, line);
	if (!x->headers)
		abort();
}

static void
set_headers(struct http_exchange *x, const struct http_call *call)
{
	bool has_type = false;

	for (size_t i = 0; i < call->header_count; i++) {
		const struct http_header *h = &call->headers[i];
		/* "Name;" is how curl is told of a header without a value. */
		add_header(x, arena_printf(&x->arena, STR_FMT "%s" STR_FMT, STR_ARG(h->name),
					   h->value.len > 0 ? ": " : ";", STR_ARG(h->value))
				      .ptr);
		has_type |= str_eq_nocase(h->name, STR("content-type"));
	}
	if (!has_type)
		add_header(x, "Content-Type:"); /* without a value: none, not curl's form type */
	add_header(x, "Expect:");
	if (x->body_in_pieces)
		add_header(x, "Transfer-Encoding: chunked");
	SET(x, HTTPHEADER, x->headers);
}

static void
set_request(struct http_exchange *x, const struct http_call *call)
{
	bool wants_body = str_eq(x->method, STR("POST")) || str_eq(x->method, STR("PUT")) ||
			  str_eq(x->method, STR("PATCH"));
	bool has_body = call->body.len > 0 || call->body_in_pieces;

	SET(x, URL, x->url.whole.ptr);
	if (has_body || wants_body) {
		SET(x, POST, 1L);
		SET(x, POSTFIELDSIZE_LARGE,
		    call->body_in_pieces ? (curl_off_t)-1 : (curl_off_t)call->body.len);
	} else if (str_eq(x->method, STR("HEAD"))) {
		SET(x, NOBODY, 1L);
	}
	SET(x, CUSTOMREQUEST, x->method.ptr);
	/* What must not be sent twice and has no body to stop it goes over a new connection; so do
	 * pieces, which nobody could give a second time. */
	if (call->body_in_pieces || (!has_body && !is_harmless_twice(x->method)))
		SET(x, FRESH_CONNECT, 1L);
}

int
http_transfer_init(struct http_exchange *x, const struct http_call *call, struct err *e)
{
	int rc = check_call(call, e);

	if (rc == 0)
		rc = http_url_parse(&x->arena, call->url, &x->url, e);
	if (rc != 0)
		return rc;
	x->method = arena_str(&x->arena, call->method);
	x->unix_socket = arena_str(&x->arena, call->unix_socket);
	x->where = x->unix_socket.len > 0 ? x->unix_socket : x->url.authority;
	x->body = arena_str(&x->arena, call->body);
	x->body_in_pieces = call->body_in_pieces;
	x->body_max_bytes = call->max_body_bytes ? call->max_body_bytes : HTTP_CALL_BODY_BYTES;
	x->body_left_bytes = x->body_max_bytes;
	x->headers_seen = ARENA_ARRAY(&x->arena, HTTP_ANSWER_HEADERS, struct http_header);
	x->answer.headers = x->headers_seen;
	x->easy = curl_easy_init();
	if (!x->easy)
		abort();
	set_callbacks(x);
	set_manners(x);
	set_request(x, call);
	set_headers(x, call);
	return 0;
}

/* A name of our own stands for the addresses: curl finds them where it would look up the name, tries
 * them side by side, and uses a connection again only for the same host in the same scope. */
static void
pin(struct http_exchange *x, const struct http_route *route)
{
	char text[NET_ADDRESS_TEXT];
	struct buf b;

	buf_init(&b, PIN_MAX);
	buf_printf(&b, "+%s." STR_FMT ".invalid:%d:", route->scope, STR_ARG(x->url.host),
		   x->url.port);
	for (size_t i = 0; i < route->count; i++) {
		const struct net_address *a = &route->addresses[i];
		buf_printf(&b, "%s%s" STR_FMT "%s", i > 0 ? "," : "", a->v6 ? "[" : "",
			   STR_ARG(net_address_format(a, text)), a->v6 ? "]" : "");
	}
	buf_putc(&b, '\0');
	if (buf_check(&b, "a route", NULL) != 0)
		abort(); /* names and numbers of addresses are bounded */
	x->resolve = curl_slist_append(NULL, b.ptr);
	buf_clear(&b);
	buf_printf(&b, "::%s." STR_FMT ".invalid:", route->scope, STR_ARG(x->url.host));
	buf_putc(&b, '\0');
	x->connect_to = curl_slist_append(NULL, b.ptr);
	buf_release(&b);
	SET(x, RESOLVE, x->resolve);
	SET(x, CONNECT_TO, x->connect_to);
}

void
http_transfer_route(struct http_exchange *x, const struct http_route *route)
{
	if (x->unix_socket.len > 0)
		SET(x, UNIX_SOCKET_PATH, x->unix_socket.ptr);
	else if (!x->url.is_address)
		pin(x, route);
}

void
http_transfer_release(struct http_exchange *x)
{
	struct http_client *c = x->client;

	if (x->added)
		curl_multi_remove_handle(c->multi, x->easy);
	x->added = false;
	if (x->easy)
		curl_easy_cleanup(x->easy);
	x->easy = NULL;
	curl_slist_free_all(TAKE(x->headers));
	curl_slist_free_all(TAKE(x->resolve));
	curl_slist_free_all(TAKE(x->connect_to));
}
