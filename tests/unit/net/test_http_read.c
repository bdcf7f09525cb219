#include "net/http_read.h"

#include <sys/socket.h>
#include <unistd.h>

#include "http_probe.h"
#include "tls_peer.h"

static struct probe probe, secure;
static struct tls_files files;

static struct str
post(int fd, const char *path, const char *header, struct str body, const char *until)
{
	struct buf text;
	struct str got;

	buf_init(&text, 64 * 1024 * 1024);
	buf_printf(&text, "POST %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, header);
	buf_put_str(&text, body);
	probe_send(fd, buf_str(&text));
	buf_release(&text);
	got = probe_read(fd, until, NULL);
	return got;
}

static struct str
make_text(struct buf *out, size_t len)
{
	buf_init(out, len + 64);
	while (out->len < len)
		buf_putc(out, (char)('a' + out->len % 26));
	buf_puts(out, ".end");
	return buf_str(out);
}

static const struct row {
	const char *name;
	const char *path;
	size_t bytes;
} ROWS[] = {
	{ "a small body", "/echo", 100 },
	{ "a body of many reads", "/echo", 300 * 1024 },
	{ "a body near the limit", "/echo", 8 * 1024 * 1024 - 100 },
	{ "a body that is asked for later", "/ask-late", 300 * 1024 },
};

static void
arrives_with_its_length(void **state)
{
	const struct row *row = *state;
	int fd = probe_connect(&probe);
	struct buf body;
	struct str text = make_text(&body, row->bytes), got;
	char header[64];

	snprintf(header, sizeof header, "Content-Length: %zu\r\n", text.len);
	got = post(fd, row->path, header, text, ".end");
	assert_int_equal(probe_status(got, 0), 200);
	assert_true(str_ends(got, text));
	assert_true(probe_is_alive(fd));
	buf_release(&body);
	close(fd);
}

static void
arrives_in_chunks(void **state)
{
	const struct row *row = *state;
	int fd = probe_connect(&probe);
	struct buf body, chunked;
	struct str text = make_text(&body, row->bytes), got;

	buf_init(&chunked, 64 * 1024 * 1024);
	for (size_t at = 0, size = 1; at < text.len; at += size, size = size * 3 % 70001 + 1) {
		struct str part = str_slice(text, at, at + size);
		buf_printf(&chunked, "%zx\r\n" STR_FMT "\r\n", part.len, STR_ARG(part));
	}
	buf_puts(&chunked, "0\r\n\r\n");
	got = post(fd, row->path, "Transfer-Encoding: chunked\r\n", buf_str(&chunked), ".end");
	assert_true(str_ends(got, text));
	assert_true(probe_is_alive(fd));
	buf_release(&body);
	buf_release(&chunked);
	close(fd);
}

/* Larger than what a whole body may be, and held back after every piece. */
static void
pieces_arrive_all(void **state)
{
	int fd = probe_connect(&probe);
	struct buf body;
	struct str text = make_text(&body, 9 * 1024 * 1024);
	char header[64], want[32];

	(void)state;
	snprintf(header, sizeof header, "Content-Length: %zu\r\n", text.len);
	snprintf(want, sizeof want, "\r\n\r\n%zu", text.len);
	assert_true(str_ends(post(fd, "/pieces", header, text, want), str_of(want)));
	assert_true(probe_is_alive(fd));
	buf_release(&body);
	close(fd);
}

static void
client_is_told_to_continue(void **state)
{
	int fd = probe_connect(&probe);
	struct str got = post(fd, "/echo", "Expect: 100-continue\r\nContent-Length: 5\r\n", STR(""),
			      "\r\n\r\n");

	(void)state;
	check_str("interim answer", got, STR("HTTP/1.1 100 Continue\r\n\r\n"));
	probe_send(fd, STR("hello"));
	got = probe_read(fd, "hello", NULL);
	assert_int_equal(probe_status(got, 0), 200);
	assert_true(probe_is_alive(fd));
	close(fd);
}

/* Whether such a client sends its body after all is not known: the connection ends. */
static void
refused_expectation_closes(void **state)
{
	int fd = probe_connect(&probe);
	struct str got;

	(void)state;
	probe_send(fd, STR("POST /other HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
			   "Content-Length: 5\r\n\r\n"));
	got = probe_read_all(fd);
	assert_int_equal(probe_status(got, 0), 200);
	assert_false(str_contains(got, STR("100 Continue")));
	close(fd);
}

/* The client pushes 20 MB before it reads: the answer must not get lost in a reset. */
static void
refusal_reaches_a_client_that_only_talks(void **state)
{
	int fd = probe_connect(&probe);
	struct buf body;
	struct str text = make_text(&body, 20 * 1024 * 1024), got;

	(void)state;
	probe_send(fd, STR("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"));
	probe_send(fd, text);
	got = probe_read(fd, "\r\n\r\n", NULL);
	assert_int_equal(probe_status(got, 0), 413);
	buf_release(&body);
	close(fd);
}

static void
long_unwanted_body_closes(void **state)
{
	struct buf chunks;
	int fd = probe_connect(&probe);
	struct str got;

	(void)state;
	buf_init(&chunks, 1 << 20);
	for (int i = 0; i < 500; i++) {
		buf_puts(&chunks, "400\r\n");
		for (int k = 0; k < 1024; k++)
			buf_putc(&chunks, 'x');
		buf_puts(&chunks, "\r\n");
	}
	probe_send(fd,
		   STR("POST /other HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"));
	probe_send(fd, buf_str(&chunks));
	got = probe_read_all(fd);
	assert_int_equal(probe_status(got, 0), 200);
	buf_release(&chunks);
	close(fd);
}

/* --- with TLS --- */

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

static const struct shake_row {
	const char *name;
	struct tls_peer_want want;
	bool agreed;
	const char *protocol; /* that was chosen */
} SHAKE_ROWS[] = {
	{ "TLS 1.3 with a known certificate", { files.cert, 0, NULL }, true, "" },
	{ "TLS 1.2", { NULL, TLS1_2_VERSION, NULL }, true, "" },
	{ "TLS 1.1 is refused", { NULL, TLS1_1_VERSION, NULL }, false, "" },
	{ "http/1.1 is chosen", { NULL, 0, "\x02h2\x08http/1.1" }, true, "http/1.1" },
	{ "only h2 is refused", { NULL, 0, "\x02h2" }, false, "" },
};

static void
shake_row_holds(void **state)
{
	const struct shake_row *row = *state;
	struct tls_peer peer;
	const unsigned char *chosen;
	unsigned len;

	assert_int_equal(tls_peer_open(&peer, &secure, &row->want), row->agreed);
	SSL_get0_alpn_selected(peer.ssl, &chosen, &len);
	check_str("protocol", (struct str){ (const char *)chosen, len }, str_of(row->protocol));
	if (row->agreed) {
		tls_peer_send(&peer, STR(GET("/a")));
		assert_true(str_contains(tls_peer_read(&peer, "headers=", NULL), STR("path=/a")));
	} else { /* it is told why, with an alert, and then that it is over */
		struct str got = probe_read_all(peer.fd);
		assert_int_equal(got.len, 0);
	}
	tls_peer_close(&peer);
}

static void
plain_http_on_the_tls_port_is_told(void **state)
{
	struct str got = probe_ask(&secure, STR(GET("/")));

	(void)state;
	assert_int_equal(probe_status(got, 0), 400);
	assert_true(str_contains(got, STR("https://")));
}

static void
garbage_gets_an_alert(void **state)
{
	int fd = probe_connect(&secure);
	struct buf body;
	struct str got;

	(void)state;
	probe_send(fd, STR("\x16\x03\x01\x00\x05hello"));
	probe_send(fd, make_text(&body, 1024 * 1024)); /* an early close would be a reset */
	got = probe_read_all(fd);
	assert_int_equal(got.len, 7);
	assert_int_equal(got.ptr[0], 0x15);
	buf_release(&body);
	close(fd);
}

/* The beginning of a handshake as a client would send it. */
static struct str
client_hello(char *to, size_t cap)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	SSL *ssl = SSL_new(ctx);
	BIO *out = BIO_new(BIO_s_mem());
	struct str hello;

	SSL_set_bio(ssl, BIO_new(BIO_s_mem()), out);
	SSL_connect(ssl);
	hello = (struct str){ to, (size_t)BIO_read(out, to, (int)cap) };
	SSL_free(ssl);
	SSL_CTX_free(ctx);
	return hello;
}

static void
slow_handshakes_end(void **state)
{
	char text[4096];
	struct str hello = client_hello(text, sizeof text), parts[] = {
		{ text, 0 },
		{ text, 3 },
		{ text, 100 },
		hello,
	};

	(void)state;
	secure.limits.header_ms = 80;
	probe_start(&secure);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct str got = probe_ask(&secure, parts[i]);
		assert_int_equal(got.len > 0, parts[i].len == hello.len);
	}
	probe_stop(&secure);
}

/* A byte now and then does not help: the time counts from the connect. */
static void
dripping_handshake_ends(void **state)
{
	char text[4096];
	struct str hello = client_hello(text, sizeof text);
	int fd;

	(void)state;
	secure.limits.header_ms = 100;
	probe_start(&secure);
	fd = probe_connect(&secure);
	for (size_t i = 0; i < 40; i++) {
		struct timespec pause = { 0, 10 * 1000 * 1000 };
		nanosleep(&pause, NULL);
		probe_send(fd, str_slice(hello, i, i + 1));
	}
	assert_int_equal(probe_read_all(fd).len, 0);
	close(fd);
	probe_stop(&secure);
}

/* After the handshake the head has its time like any other. */
static void
silence_after_the_handshake_ends(void **state)
{
	struct tls_peer peer;
	enum tls_peer_end end;

	(void)state;
	secure.limits.header_ms = 80;
	probe_start(&secure);
	assert_true(tls_peer_open(&peer, &secure, &(struct tls_peer_want){ 0 }));
	assert_int_equal(tls_peer_read(&peer, NULL, &end).len, 0);
	assert_int_equal(end, TLS_PEER_CUT);
	tls_peer_close(&peer);
	probe_stop(&secure);
}

/* A client whose records lie in memory, so that a test can send any part of them. */
static void
record_into_memory(struct tls_peer *peer, BIO *memory, struct str plain)
{
	BIO_up_ref(memory);
	SSL_set0_wbio(peer->ssl, memory);
	tls_peer_send(peer, plain);
}

static void
truncated_record_is_no_request(void **state)
{
	struct tls_peer peer;
	BIO *memory = BIO_new(BIO_s_mem());
	int requests = atomic_load(&secure.requests);
	char record[4096];
	int n;

	(void)state;
	assert_true(tls_peer_open(&peer, &secure, &(struct tls_peer_want){ 0 }));
	record_into_memory(&peer, memory, STR(GET("/a")));
	n = BIO_read(memory, record, sizeof record);
	probe_send(peer.fd, (struct str){ record, (size_t)n - 1 });
	shutdown(peer.fd, SHUT_WR);
	assert_int_equal(tls_peer_read(&peer, NULL, NULL).len, 0);
	assert_int_equal(atomic_load(&secure.requests), requests);
	tls_peer_close(&peer);
	BIO_free(memory);
}

static void
every_split_of_a_record_is_the_same_request(void **state)
{
	struct tls_peer peer;
	BIO *memory = BIO_new(BIO_s_mem());
	char record[4096];
	int n = 1;

	(void)state;
	assert_true(tls_peer_open(&peer, &secure, &(struct tls_peer_want){ 0 }));
	for (int at = 1; at < n || at == 1; at++) {
		record_into_memory(&peer, memory, STR(GET("/split")));
		n = BIO_read(memory, record, sizeof record);
		probe_send(peer.fd, (struct str){ record, (size_t)at });
		probe_send(peer.fd, (struct str){ record + at, (size_t)(n - at) });
		if (!str_contains(tls_peer_read(&peer, "headers=", NULL), STR("path=/split")))
			fail_msg("split at %d of %d", at, n);
	}
	tls_peer_close(&peer);
	BIO_free(memory);
}

static void
changed_record_ends_the_connection(void **state)
{
	struct tls_peer peer;
	BIO *memory = BIO_new(BIO_s_mem());
	int requests = atomic_load(&secure.requests);
	enum tls_peer_end end;
	char record[4096];
	int n;

	(void)state;
	assert_true(tls_peer_open(&peer, &secure, &(struct tls_peer_want){ 0 }));
	record_into_memory(&peer, memory, STR(GET("/a")));
	n = BIO_read(memory, record, sizeof record);
	record[n / 2] ^= 1;
	probe_send(peer.fd, (struct str){ record, (size_t)n });
	assert_int_equal(tls_peer_read(&peer, NULL, &end).len, 0);
	assert_int_equal(end, TLS_PEER_CUT);
	assert_int_equal(atomic_load(&secure.requests), requests);
	tls_peer_close(&peer);
	BIO_free(memory);
}

static void
half_closed_client_gets_its_answers(void **state)
{
	(void)state;
	for (int with_goodbye = 0; with_goodbye < 2; with_goodbye++) {
		struct tls_peer peer;
		enum tls_peer_end end;
		struct str got;

		assert_true(tls_peer_open(&peer, &secure, &(struct tls_peer_want){ 0 }));
		tls_peer_send(&peer, STR(GET("/1") GET("/2")));
		if (with_goodbye)
			tls_peer_half_close(&peer);
		else
			shutdown(peer.fd, SHUT_WR);
		got = tls_peer_read(&peer, NULL, &end);
		assert_int_equal(probe_status(got, 0), 200);
		assert_int_equal(probe_status(got, 1), 200);
		assert_int_equal(end, TLS_PEER_ENDED);
		tls_peer_close(&peer);
	}
}

static void
long_body_arrives_over_tls(void **state)
{
	struct tls_peer peer;
	struct buf body;
	struct str text = make_text(&body, 9 * 1024 * 1024);
	char head[128], want[32];

	(void)state;
	assert_true(tls_peer_open(&peer, &secure, &(struct tls_peer_want){ 0 }));
	snprintf(head, sizeof head,
		 "POST /pieces HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n", text.len);
	snprintf(want, sizeof want, "\r\n\r\n%zu", text.len);
	tls_peer_send(&peer, str_of(head));
	tls_peer_send(&peer, text);
	assert_true(str_ends(tls_peer_read(&peer, want, NULL), str_of(want)));
	tls_peer_close(&peer);
	buf_release(&body);
}

static struct {
	int fd;
	struct str bytes;
	ssize_t sent;
} part;

/* On the server's thread: by the time it reads, all of it is there. */
static void
send_part(struct probe *p, struct http_server *s)
{
	(void)p;
	(void)s;
	part.sent = send(part.fd, part.bytes.ptr, part.bytes.len, MSG_DONTWAIT);
}

static void
wait_a_turn(struct probe *p, struct http_server *s)
{
	(void)p;
	(void)s;
}

static void
send_at_once(int fd, struct str bytes)
{
	part.fd = fd;
	part.bytes = bytes;
	probe_call(&secure, send_part);
	assert_int_equal(part.sent, (ssize_t)bytes.len);
	for (int i = 0; i < 3; i++)
		probe_call(&secure, wait_a_turn);
}

/* Behind a request that takes its time: as much as is read ahead but for a byte, a record but for a
 * byte, and then all that one read of the socket can take. */
static void
nothing_that_waits_is_lost_over_tls(void **state)
{
	enum { RECORD = 16 * 1024, SEALED = RECORD + 22, AHEAD = 4 * RECORD - 1 };
	enum { LAST = 64 * 1024 - 1 - 3 * SEALED - 22, ALL = AHEAD + RECORD + 3 * RECORD + LAST };
	static const size_t ENDS[] = { AHEAD, AHEAD + RECORD, ALL };
	BIO *memory = BIO_new(BIO_s_mem());
	int requests = atomic_load(&secure.requests), room = 1 << 18;
	struct tls_peer peer;
	struct buf body, all;
	struct str text, wire;
	char *sealed;

	(void)state;
	buf_init(&all, ALL);
	buf_printf(&all, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: %06d\r\n\r\n", 0);
	text = make_text(&body, ALL - all.len - strlen(".end"));
	buf_clear(&all);
	buf_printf(&all, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: %06zu\r\n\r\n",
		   text.len);
	buf_put_str(&all, text);
	assert_int_equal(all.len, ALL);
	assert_true(tls_peer_open(&peer, &secure, &(struct tls_peer_want){ 0 }));
	setsockopt(peer.fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	tls_peer_send(&peer, STR(GET("/late")));
	probe_wait("the first request", &secure.requests, requests + 1);
	for (size_t i = 0, at = 0; i < ARRAY_LEN(ENDS); at = ENDS[i++])
		record_into_memory(&peer, memory, str_slice(buf_str(&all), at, ENDS[i]));
	wire = (struct str){ NULL, (size_t)BIO_get_mem_data(memory, &sealed) };
	wire.ptr = sealed;
	send_at_once(peer.fd, str_slice(wire, 0, wire.len - 64 * 1024));
	send_at_once(peer.fd, str_slice(wire, wire.len - 64 * 1024, wire.len));
	assert_true(str_ends(tls_peer_read(&peer, ".end", NULL), text));
	tls_peer_close(&peer);
	BIO_free(memory);
	buf_release(&all);
	buf_release(&body);
}

static int
run_over_tls(void)
{
	struct suite s = { 0 }, slow = { 0 };
	int failed;

	tls_files_make(&files, &TLS_CERT_USUAL);
	probe_init(&secure);
	secure.tls_cert = files.cert;
	secure.tls_key = files.key;
	SUITE_ROWS(&s, SHAKE_ROWS, shake_row_holds);
	SUITE_TEST(&s, plain_http_on_the_tls_port_is_told);
	SUITE_TEST(&s, garbage_gets_an_alert);
	SUITE_TEST(&s, truncated_record_is_no_request);
	SUITE_TEST(&s, every_split_of_a_record_is_the_same_request);
	SUITE_TEST(&s, changed_record_ends_the_connection);
	SUITE_TEST(&s, half_closed_client_gets_its_answers);
	SUITE_TEST(&s, long_body_arrives_over_tls);
	SUITE_TEST(&s, nothing_that_waits_is_lost_over_tls);
	probe_start(&secure);
	failed = suite_run(&s, "net/http_read: TLS");
	probe_stop(&secure);
	SUITE_TEST(&slow, slow_handshakes_end);
	SUITE_TEST(&slow, dripping_handshake_ends);
	SUITE_TEST(&slow, silence_after_the_handshake_ends);
	failed += suite_run(&slow, "net/http_read: TLS and time");
	tls_files_remove(&files);
	return failed;
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	probe_init(&probe);
	probe_start(&probe);
	SUITE_ROWS(&s, ROWS, arrives_with_its_length);
	SUITE_ROWS(&s, ROWS, arrives_in_chunks);
	SUITE_TEST(&s, pieces_arrive_all);
	SUITE_TEST(&s, client_is_told_to_continue);
	SUITE_TEST(&s, refused_expectation_closes);
	SUITE_TEST(&s, refusal_reaches_a_client_that_only_talks);
	SUITE_TEST(&s, long_unwanted_body_closes);
	failed = suite_run(&s, "net/http_read");
	probe_stop(&probe);
	return failed + run_over_tls();
}
