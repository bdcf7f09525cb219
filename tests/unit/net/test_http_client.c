#include "net/http_client.h"

#include <sys/socket.h>

#include "http_caller.h"
#include "http_probe.h"
#include "net/sse_decode.h"
#include "python_peer.h"
#include "raw_peer.h"

static void
nobody_listens(void **state)
{
	struct peer p = { 0 };
	struct record tcp = { 0 }, local = { 0 };
	struct http_call call = { .method = STR("GET") };
	struct caller c;
	char want[128];

	(void)state;
	peer_start(&p);
	peer_stop(&p); /* its port is free now */
	caller_init(&c, NULL);
	caller_get(&c, &tcp, p.port, "/secret");
	assert_int_equal(tcp.rc, ERR_UNAVAILABLE);
	snprintf(want, sizeof want, "cannot connect to 127.0.0.1:%d: connection refused", p.port);
	assert_string_equal(tcp.err.text, want);
	call.url = STR("http://perdure/x");
	call.unix_socket = STR("/tmp/perdure-there-is-none.sock");
	caller_send(&c, &local, &call);
	caller_wait(&c, &local);
	assert_int_equal(local.rc, ERR_UNAVAILABLE);
	assert_string_equal(local.err.text, "cannot connect to /tmp/perdure-there-is-none.sock: no "
					    "such file or directory");
	record_release(&tcp);
	record_release(&local);
	caller_release(&c);
}

static void
unix_socket_is_asked(void **state)
{
	struct probe server;
	struct record r = { 0 };
	struct http_call call = { .method = STR("POST"),
				  .url = STR("http://perdure/a?b"),
				  .body = STR("x") };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	call.unix_socket = str_of(server.unix_path);
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, 0);
	assert_true(str_starts(buf_str(&r.body), STR("method=POST path=/a query=b peer=unix")));
	record_release(&r);
	caller_release(&c);
	probe_stop(&server);
}

static void
serve_v6(void *context, struct http_request *r)
{
	const struct http_head *head = http_request_head(r);

	(void)context;
	http_request_reply(r, &(struct http_reply){ .status = 200, .body = head->peer });
	http_request_release(r);
}

/* Server and client on one loop, as the program that talks to itself. */
static void
ipv6_loopback_is_asked(void **state)
{
	const struct http_handler handler = { .on_request = serve_v6 };
	struct http_server *server;
	struct record r = { 0 };
	struct http_call call = { .method = STR("GET") };
	struct caller c;
	int port;

	(void)state;
	caller_init(&c, NULL);
	server = http_server_new(c.loop, &handler, &HTTP_LIMITS_DEFAULT);
	assert_int_equal(http_server_listen_tcp(server, "::1", 0, &port, NULL), 0);
	snprintf(c.url, sizeof c.url, "http://[::1]:%d/", port);
	call.url = str_of(c.url);
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, 0);
	check_str("peer", buf_str(&r.body), STR("::1"));
	record_release(&r);
	http_server_free(&server);
	caller_release(&c);
}

enum { MANY = 200 };

static void
many_at_once(void **state)
{
	static struct record all[MANY];
	struct probe server;
	struct caller c;
	static const char *const PATHS[] = { "/late", "/words", "/echo", "/x" };

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MANY; i++) {
			bool echo = i % 4 == 2;
			struct http_call call = { .method = echo ? STR("POST") : STR("GET"),
						  .url = caller_url(&c, server.port, PATHS[i % 4]),
						  .body = echo ? STR("say it again") : STR("") };
			all[i] = (struct record){ 0 };
			caller_send(&c, &all[i], &call);
		}
		caller_wait_all(&c);
		for (int i = 0; i < MANY; i++) {
			assert_int_equal(all[i].rc, 0);
			assert_int_equal(all[i].dones, 1);
			assert_int_equal(all[i].status, 200);
			if (i % 4 == 1)
				check_str("words", buf_str(&all[i].body), STR("one two three"));
			if (i % 4 == 2)
				check_str("echo", buf_str(&all[i].body), STR("say it again"));
			record_release(&all[i]);
		}
	}
	assert_int_equal(atomic_load(&server.requests), 2 * MANY);
	caller_release(&c);
	probe_stop(&server);
}

static unsigned connections_seen;

static void
count_connections(struct probe *p, struct http_server *s)
{
	(void)p;
	connections_seen = http_server_connections(s);
}

static void
connections_are_used_again(void **state)
{
	struct probe server;
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	for (int i = 0; i < 20; i++) {
		struct record r = { 0 };
		struct http_call call = { .method = STR("POST"),
					  .url = caller_url(&c, server.port, "/echo"),
					  .body = STR("again") };
		caller_send(&c, &r, &call);
		caller_wait(&c, &r);
		check_str("echo", buf_str(&r.body), STR("again"));
		record_release(&r);
	}
	probe_call(&server, count_connections);
	assert_int_equal(connections_seen, 1);
	assert_int_equal(atomic_load(&server.requests), 20);
	caller_release(&c);
	probe_stop(&server);
}

static void
answer_and_close(struct peer *p, int fd)
{
	if (peer_read(p, fd, 1))
		peer_write(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
}

/* The server closed a kept connection in the meantime: a new one is made, nothing is lost. */
static void
stale_connections_are_noticed(void **state)
{
	struct peer p = { .talk = answer_and_close };
	struct caller c;

	(void)state;
	peer_start(&p);
	caller_init(&c, NULL);
	for (int i = 0; i < 5; i++) {
		struct record r = { 0 };
		struct http_call call = { .method = STR("POST"),
					  .url = caller_url(&c, p.port, "/"),
					  .body = STR("x") };
		caller_send(&c, &r, &call);
		caller_wait(&c, &r);
		assert_int_equal(r.rc, 0);
		record_release(&r);
		caller_run(&c, 20);
	}
	caller_release(&c);
	peer_stop(&p);
	assert_int_equal(atomic_load(&p.connections), 5);
}

/* --- streams --- */

struct reader {
	struct sse_decode decode;
	int events;
	int stop_after;
	struct record record;
};

static bool
on_event(void *context, const struct sse_event *event)
{
	struct reader *reader = context;

	(void)event;
	return ++reader->events != reader->stop_after;
}

static void
read_events(struct record *r, struct str piece)
{
	struct reader *reader = LIST_OWNER(r, struct reader, record);

	assert_int_equal(sse_decode_feed(&reader->decode, piece, NULL), 0);
	if (reader->decode.stopped)
		loop_stop(r->caller->loop);
}

static void
reader_start(struct reader *reader, struct caller *c, struct str url)
{
	struct http_call call = { .method = STR("GET"),
				  .url = url,
				  .max_body_bytes = HTTP_CALL_UNLIMITED_BYTES };

	sse_decode_init(&reader->decode, 4096, on_event, reader);
	reader->record = (struct record){ .on_body = read_events };
	caller_send(c, &reader->record, &call);
}

static void
reader_release(struct reader *reader)
{
	sse_decode_release(&reader->decode);
	record_release(&reader->record);
}

/* Our own server's stream: the first event comes at once, beats do not disturb, cancelling is heard
 * at the other end. */
static void
event_stream_is_read(void **state)
{
	struct probe server;
	struct reader reader = { .stop_after = 1 };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	reader_start(&reader, &c, caller_url(&c, server.port, "/sse"));
	caller_run(&c, CALLER_WAIT_MS);
	assert_int_equal(reader.events, 1);
	assert_string_equal(reader.record.type, "text/event-stream");
	check_str("id", buf_str(&reader.decode.last_id), STR("1"));
	caller_run(&c, 400); /* beats */
	assert_int_equal(reader.record.dones, 0);
	assert_true(reader.record.pieces > 1);
	http_exchange_cancel(&reader.record.exchange);
	caller_run(&c, 50);
	probe_wait("the server to hear of it", &server.gone, 1);
	reader_release(&reader);
	caller_release(&c);
	probe_stop(&server);
}

static void
server_dies_in_the_stream(void **state)
{
	struct probe server;
	struct reader reader = { .stop_after = 1 };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	reader_start(&reader, &c, caller_url(&c, server.port, "/sse"));
	caller_run(&c, CALLER_WAIT_MS);
	assert_int_equal(reader.events, 1);
	probe_stop(&server);
	caller_wait(&c, &reader.record);
	assert_int_equal(reader.record.rc, ERR_IO);
	assert_non_null(strstr(reader.record.err.text, "broke in the middle of the answer"));
	reader_release(&reader);
	caller_release(&c);
}

static void
reset_in_the_middle(struct peer *p, int fd)
{
	if (peer_read(p, fd, 0))
		peer_write(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"));
	usleep(50 * 1000);
	peer_reset(fd);
}

static void
peer_resets(void **state)
{
	struct peer p = { .talk = reset_in_the_middle };
	struct record r = { 0 };
	struct caller c;

	(void)state;
	peer_start(&p);
	caller_init(&c, NULL);
	caller_get(&c, &r, p.port, "/");
	assert_int_equal(r.rc, ERR_IO);
	assert_true(str_ends(str_of(r.err.text),
			     STR("in the middle of the answer: connection reset by peer")));
	check_str("what came", buf_str(&r.body), STR("half"));
	record_release(&r);
	caller_release(&c);
	peer_stop(&p);
}

/* --- somebody else's server --- */

static void
python_is_understood(void **state)
{
	struct python_peer p;
	struct record small = { 0 }, big = { 0 }, echo = { 0 };
	struct http_call call = { .method = STR("POST"), .body = STR("{\"a\":1}") };
	struct reader reader = { .stop_after = -1 };
	struct caller c;

	(void)state;
	python_peer_start(&p, "http");
	caller_init(&c, NULL);
	caller_get(&c, &small, p.port, "/");
	check_str("small", buf_str(&small.body), STR("hello"));
	caller_get(&c, &big, p.port, "/big");
	assert_int_equal(big.bytes, 1 << 20);
	call.url = caller_url(&c, p.port, "/");
	caller_send(&c, &echo, &call);
	caller_wait(&c, &echo);
	check_str("echo", buf_str(&echo.body), STR("{\"a\":1}"));
	reader_start(&reader, &c, caller_url(&c, p.port, "/sse"));
	caller_wait(&c, &reader.record);
	assert_int_equal(reader.record.rc, 0);
	assert_int_equal(reader.events, 100);
	record_release(&small);
	record_release(&big);
	record_release(&echo);
	reader_release(&reader);
	caller_release(&c);
	python_peer_stop(&p);
}

static struct str
secure_url(struct caller *c, const char *host, int port, const char *path)
{
	snprintf(c->url, sizeof c->url, "https://%s:%d%s", host, port, path);
	return str_of(c->url);
}

static void
resume_later(void *context)
{
	struct record *r = context;

	if (r->exchange)
		http_exchange_resume(r->exchange);
}

static void
pause_for_a_moment(struct record *r, struct str piece)
{
	(void)piece;
	http_exchange_pause(r->exchange);
	loop_timer_set(r->context, 1);
}

/* A name, a stream, a body that is held back while bytes wait inside TLS. */
static void
tls_works_when_the_certificate_does(void **state)
{
	struct python_peer p;
	struct egress_options options = { 0 };
	struct record big = { .on_body = pause_for_a_moment };
	struct reader reader = { .stop_after = -1 };
	struct http_call call = { .method = STR("GET") };
	struct loop_timer *timer;
	struct caller c;

	(void)state;
	python_peer_start(&p, "https");
	options.ca_file = p.ca_file;
	caller_init(&c, &options);
	timer = loop_timer_new(c.loop, resume_later, &big);
	big.context = timer;
	call.url = secure_url(&c, "127.0.0.1", p.port, "/big");
	caller_send(&c, &big, &call);
	caller_wait(&c, &big);
	assert_int_equal(big.rc, 0);
	assert_int_equal(big.bytes, 1 << 20);
	reader_start(&reader, &c, secure_url(&c, "localhost", p.port, "/sse"));
	caller_wait(&c, &reader.record);
	assert_int_equal(reader.record.rc, 0);
	assert_int_equal(reader.events, 100);
	loop_timer_free(&timer);
	record_release(&big);
	reader_release(&reader);
	caller_release(&c);
	python_peer_stop(&p);
}

static void
check_refusal(const struct egress_options *options, const char *host, int port, const char *why)
{
	struct record r = { 0 };
	struct http_call call = { .method = STR("GET") };
	struct caller c;
	char want[128];

	caller_init(&c, options);
	call.url = secure_url(&c, host, port, "/");
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	snprintf(want, sizeof want, "no secure connection to %s:%d: ", host, port);
	if (r.rc != ERR_IO || !str_starts(str_of(r.err.text), str_of(want)) ||
	    !strstr(r.err.text, why))
		fail_msg("%d: %s", r.rc, r.err.text);
	assert_int_equal(r.heads, 0);
	record_release(&r);
	caller_release(&c);
}

static int
say_loopback(const char *name, struct lookup_found *out, struct err *e)
{
	(void)name;
	(void)e;
	*out = (struct lookup_found){ { { .bytes = { 127, 0, 0, 1 } } }, 1 };
	return 0;
}

static void
tls_refuses_what_it_cannot_trust(void **state)
{
	struct python_peer p, plain;
	struct egress_options options = { 0 };

	(void)state;
	python_peer_start(&p, "https");
	python_peer_start(&plain, "http");
	options.ca_file = p.ca_file;
	check_refusal(NULL, "127.0.0.1", p.port, "certificate");
	options.lookup = say_loopback;
	check_refusal(&options, "other.example", p.port, "other.example");
	check_refusal(&options, "127.0.0.1", plain.port, "wrong version number");
	python_peer_stop(&p);
	python_peer_stop(&plain);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, nobody_listens);
	SUITE_TEST(&s, unix_socket_is_asked);
	SUITE_TEST(&s, ipv6_loopback_is_asked);
	SUITE_TEST(&s, many_at_once);
	SUITE_TEST(&s, connections_are_used_again);
	SUITE_TEST(&s, stale_connections_are_noticed);
	SUITE_TEST(&s, event_stream_is_read);
	SUITE_TEST(&s, server_dies_in_the_stream);
	SUITE_TEST(&s, peer_resets);
	SUITE_TEST(&s, python_is_understood);
	SUITE_TEST(&s, tls_works_when_the_certificate_does);
	SUITE_TEST(&s, tls_refuses_what_it_cannot_trust);
	return suite_run(&s, "net/http_client");
}
