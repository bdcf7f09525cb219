#include "net/http_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "http_probe.h"
#include "tls_peer.h"

static void
unix_socket_is_private_and_answers(void **state)
{
	struct probe p;
	struct stat st;
	int fd;

	(void)state;
	probe_init(&p);
	probe_start(&p);
	assert_int_equal(stat(p.unix_path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	fd = probe_connect_unix(&p);
	probe_send(fd, STR("GET /u HTTP/1.1\r\nHost: x\r\n\r\n"));
	assert_true(str_contains(probe_read(fd, "headers=", NULL), STR("peer=unix")));
	close(fd);
	probe_stop(&p);
	assert_int_not_equal(stat(p.unix_path, &st), 0);
}

static void
on_request(void *context, struct http_request *r)
{
	(void)context;
	http_request_reply(r, &(struct http_reply){ .status = 200 });
	http_request_release(r);
}

static const struct http_handler HANDLER = { .on_request = on_request };

static const struct listen_row {
	const char *name;
	const char *host;
	int port;
	int status;
} LISTEN_ROWS[] = {
	{ "IPv4", "127.0.0.1", 0, 0 },
	{ "IPv6", "::1", 0, 0 },
	{ "any address", "0.0.0.0", 0, 0 },
	{ "a name is not resolved", "localhost", 0, ERR_INVALID },
	{ "a port out of range", "127.0.0.1", 65536, ERR_INVALID },
	{ "an address of somebody else", "192.0.2.1", 0, ERR_IO },
};

static void
listen_row_holds(void **state)
{
	const struct listen_row *row = *state;
	struct loop *loop = loop_new();
	struct http_server *server = http_server_new(loop, &HANDLER, &HTTP_LIMITS_DEFAULT);
	int bound = 0;
	struct err e;

	assert_int_equal(http_server_listen_tcp(server, row->host, row->port, &bound, &e),
			 row->status);
	assert_int_equal(bound > 0, row->status == 0);
	http_server_free(&server);
	loop_free(&loop);
}

static void
taken_port_is_a_conflict(void **state)
{
	struct loop *loop = loop_new();
	struct http_server *server = http_server_new(loop, &HANDLER, &HTTP_LIMITS_DEFAULT);
	int bound;
	struct err e;

	(void)state;
	assert_int_equal(http_server_listen_tcp(server, "127.0.0.1", 0, &bound, &e), 0);
	assert_int_equal(http_server_listen_tcp(server, "127.0.0.1", bound, NULL, &e),
			 ERR_CONFLICT);
	http_server_free(&server);
	loop_free(&loop);
}

static void
stale_socket_is_replaced_a_live_one_is_not(void **state)
{
	struct loop *loop = loop_new();
	struct http_server *server = http_server_new(loop, &HANDLER, &HTTP_LIMITS_DEFAULT);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char path[64], too_long[200] = "";
	struct err e;

	(void)state;
	snprintf(path, sizeof path, "/tmp/perdure-stale-%d.sock", getpid());
	memcpy(address.sun_path, path, sizeof path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	close(fd);
	assert_int_equal(http_server_listen_unix(server, path, &e), 0);
	assert_int_equal(http_server_listen_unix(server, path, &e), ERR_CONFLICT);
	memset(too_long, 'x', sizeof too_long - 1);
	assert_int_equal(http_server_listen_unix(server, too_long, &e), ERR_INVALID);
	http_server_free(&server);
	loop_free(&loop);
}

static void
too_many_connections_are_told(void **state)
{
	struct probe p;
	int fds[4];

	(void)state;
	probe_init(&p);
	p.limits.connections = 3;
	p.limits.per_address = 2;
	probe_start(&p);
	for (int i = 0; i < 2; i++) {
		fds[i] = probe_connect(&p);
		assert_true(probe_is_alive(fds[i]));
	}
	fds[2] = probe_connect(&p);
	assert_int_equal(probe_status(probe_read_all(fds[2]), 0), 429);
	close(fds[2]);
	fds[2] = probe_connect_unix(&p);
	while (!probe_is_alive(fds[2])) { /* the refused one may still be there */
		close(fds[2]);
		fds[2] = probe_connect_unix(&p);
	}
	fds[3] = probe_connect_unix(&p);
	assert_int_equal(probe_status(probe_read_all(fds[3]), 0), 503);
	close(fds[0]);
	for (bool alive = false; !alive;) { /* a place becomes free */
		close(fds[3]);
		fds[3] = probe_connect(&p);
		alive = probe_is_alive(fds[3]);
	}
	for (int i = 1; i < 4; i++)
		close(fds[i]);
	probe_stop(&p);
}

static void
unix_clients_share_no_address(void **state)
{
	struct probe p;
	int fds[3];

	(void)state;
	probe_init(&p);
	p.limits.per_address = 1;
	probe_start(&p);
	for (int i = 0; i < 3; i++) {
		fds[i] = probe_connect_unix(&p);
		assert_true(probe_is_alive(fds[i]));
	}
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	probe_stop(&p);
}

static void
write_own(void *context, const struct http_refusal *why, struct arena *a, struct http_reply *reply)
{
	static const struct http_header HEADERS[] = { { STR("request-id"), STR("req_1") } };

	(void)context;
	reply->content_type = STR("text/plain");
	reply->headers = HEADERS;
	reply->header_count = 1;
	reply->body = arena_printf(a, "own %d: " STR_FMT, why->status, STR_ARG(why->reason));
}

static void
refusal_is_the_handlers_to_word(void **state)
{
	const struct http_handler handler = { .on_request = on_request, .on_refuse = write_own };
	struct loop *loop = loop_new();
	struct http_server *server = http_server_new(loop, &handler, &HTTP_LIMITS_DEFAULT);
	struct probe client = { 0 };
	int fd;
	struct str got;

	(void)state;
	assert_int_equal(http_server_listen_tcp(server, "127.0.0.1", 0, &client.port, NULL), 0);
	fd = probe_connect(&client);
	probe_send(fd, STR("GET / HTTP/1.1\r\n\r\n"));
	for (int i = 0; i < 1000; i++) {
		struct pollfd wait = { fd, POLLIN, 0 };
		loop_settle(loop);
		if (poll(&wait, 1, 1) > 0)
			break;
	}
	got = probe_read(fd, "own", NULL);
	assert_true(str_contains(got, STR("request-id: req_1\r\n")));
	assert_true(str_contains(got, STR("own 400: exactly one Host header is needed")));
	close(fd);
	http_server_free(&server);
	loop_free(&loop);
}

static void
on_drained(void *context)
{
	atomic_fetch_add(&((struct probe *)context)->drained, 1);
}

static void
drain(struct probe *p, struct http_server *s)
{
	http_server_drain(s, on_drained, p);
}

static void
drain_finishes_what_is_open(void **state)
{
	struct probe p;
	int idle, busy, stream, requests;
	struct str got;

	(void)state;
	probe_init(&p);
	probe_start(&p);
	idle = probe_connect(&p);
	assert_true(probe_is_alive(idle));
	stream = probe_connect(&p);
	probe_send(stream, STR("GET /sse HTTP/1.1\r\nHost: x\r\n\r\n"));
	assert_true(str_contains(probe_read(stream, "data: {}", NULL), STR("data: {}")));
	busy = probe_connect(&p);
	requests = atomic_load(&p.requests);
	probe_send(busy, STR("GET /late HTTP/1.1\r\nHost: x\r\n\r\n"));
	probe_wait("the request", &p.requests, requests + 1);
	probe_call(&p, drain);
	assert_int_equal(probe_read_all(idle).len, 0);
	assert_true(str_ends(probe_read_all(stream), STR("0\r\n\r\n")));
	got = probe_read_all(busy);
	assert_true(str_contains(got, STR("Connection: close")) && str_ends(got, STR("late")));
	assert_int_equal(atomic_load(&p.gone_why), HTTP_GONE_SHUTDOWN);
	close(idle);
	close(busy);
	close(stream);
	probe_wait("the end of the drain", &p.drained, 1);
	probe_stop(&p);
}

/* It has said that it sends no more: once its answer is out, there is nothing to wait for. */
static void
half_closed_client_leaves_at_once(void **state)
{
	struct probe p;
	int fd;

	(void)state;
	probe_init(&p);
	p.limits.linger_ms = 3600 * 1000;
	probe_start(&p);
	fd = probe_connect(&p);
	probe_send(fd, STR("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"));
	shutdown(fd, SHUT_WR);
	assert_int_equal(probe_status(probe_read_all(fd), 0), 200);
	probe_call(&p, drain);
	probe_wait("the end of the drain", &p.drained, 1);
	close(fd);
	probe_stop(&p);
}

/* A thousand clients at once, each asking several times on one connection. */
static void
a_thousand_connections_are_served(void **state)
{
	enum { CLIENTS = 1000, ROUNDS = 3 };
	static int fds[CLIENTS];
	struct probe p;

	(void)state;
	probe_init(&p);
	probe_start(&p);
	for (int i = 0; i < CLIENTS; i++)
		fds[i] = probe_connect(&p);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < CLIENTS; i++)
			probe_send(fds[i], STR("GET /alive HTTP/1.1\r\nHost: x\r\n\r\n"));
		for (int i = 0; i < CLIENTS; i++)
			if (!str_contains(probe_read(fds[i], "headers=1", NULL),
					  STR("path=/alive")))
				fail_msg("client %d, round %d", i, round);
	}
	assert_int_equal(atomic_load(&p.requests), CLIENTS * ROUNDS);
	for (int i = 0; i < CLIENTS; i++)
		close(fds[i]);
	probe_stop(&p);
}

static void
free_cuts_everything(void **state)
{
	struct probe p;
	int fd, requests;

	(void)state;
	probe_init(&p);
	probe_start(&p);
	fd = probe_connect(&p);
	requests = atomic_load(&p.requests);
	probe_send(fd, STR("GET /never HTTP/1.1\r\nHost: x\r\n\r\n"));
	probe_wait("the request", &p.requests, requests + 1);
	probe_stop(&p);
	assert_int_equal(atomic_load(&p.gone), 1);
	assert_int_equal(atomic_load(&p.gone_why), HTTP_GONE_SHUTDOWN);
	assert_int_equal(probe_read_all(fd).len, 0);
	close(fd);
}

/* --- with TLS --- */

static struct tls_files files, renewed;

static void
start_secure(struct probe *p)
{
	p->tls_cert = files.cert;
	p->tls_key = files.key;
	probe_start(p);
}

static void
tls_needs_a_certificate(void **state)
{
	struct loop *loop = loop_new();
	struct http_server *server = http_server_new(loop, &HANDLER, &HTTP_LIMITS_DEFAULT);
	struct tls_config *config = tls_config_new(files.cert, files.key, NULL);
	int bound = 0;
	struct err e;

	(void)state;
	assert_int_equal(http_server_listen_tls(server, "127.0.0.1", 0, &bound, &e), ERR_INVALID);
	assert_non_null(strstr(e.text, "certificate"));
	http_server_use_tls(server, config);
	tls_config_unref(config);
	assert_int_equal(http_server_listen_tls(server, "127.0.0.1", 65536, &bound, &e),
			 ERR_INVALID);
	assert_int_equal(http_server_listen_tls(server, "127.0.0.1", 0, &bound, &e), 0);
	assert_int_equal(http_server_listen_tls(server, "127.0.0.1", bound, NULL, &e),
			 ERR_CONFLICT);
	http_server_free(&server);
	loop_free(&loop);
}

/* All handshakes at once, then several requests on each. */
static void
a_hundred_tls_connections_are_served(void **state)
{
	enum { CLIENTS = 100, ROUNDS = 3 };
	static struct tls_peer peers[CLIENTS];
	struct probe p;

	(void)state;
	probe_init(&p);
	start_secure(&p);
	for (int i = 0; i < CLIENTS; i++)
		assert_true(
			tls_peer_open(&peers[i], &p, &(struct tls_peer_want){ .ca = files.cert }));
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < CLIENTS; i++)
			tls_peer_send(&peers[i], STR("GET /alive HTTP/1.1\r\nHost: x\r\n\r\n"));
		for (int i = 0; i < CLIENTS; i++)
			if (!str_contains(tls_peer_read(&peers[i], "headers=1", NULL),
					  STR("path=/alive")))
				fail_msg("client %d, round %d", i, round);
	}
	for (int i = 0; i < CLIENTS; i++)
		tls_peer_close(&peers[i]);
	probe_stop(&p);
}

static void
too_many_tls_connections_are_told(void **state)
{
	struct probe p;
	struct tls_peer first, second;
	enum tls_peer_end end;

	(void)state;
	probe_init(&p);
	p.limits.per_address = 1;
	start_secure(&p);
	assert_true(tls_peer_open(&first, &p, &(struct tls_peer_want){ 0 }));
	assert_true(tls_peer_open(&second, &p, &(struct tls_peer_want){ 0 }));
	assert_int_equal(probe_status(tls_peer_read(&second, NULL, &end), 0), 429);
	assert_int_equal(end, TLS_PEER_ENDED);
	tls_peer_close(&first);
	tls_peer_close(&second);
	probe_stop(&p);
}

static void
reload(struct probe *p, struct http_server *s)
{
	struct tls_config *config = tls_config_new(renewed.cert, renewed.key, NULL);

	(void)p;
	assert_non_null(config);
	http_server_use_tls(s, config);
	tls_config_unref(config);
}

static void
reload_counts_for_new_connections(void **state)
{
	struct probe p;
	struct tls_peer before, after;

	(void)state;
	probe_init(&p);
	start_secure(&p);
	assert_true(tls_peer_open(&before, &p, &(struct tls_peer_want){ .ca = files.cert }));
	probe_call(&p, reload);
	tls_peer_send(&before, STR("GET /old HTTP/1.1\r\nHost: x\r\n\r\n"));
	assert_true(str_contains(tls_peer_read(&before, "headers=", NULL), STR("path=/old")));
	assert_true(tls_peer_open(&after, &p, &(struct tls_peer_want){ .ca = renewed.cert }));
	tls_peer_close(&after);
	assert_false(tls_peer_open(&after, &p, &(struct tls_peer_want){ .ca = files.cert }));
	tls_peer_close(&after);
	tls_peer_close(&before);
	probe_stop(&p);
}

static void
drain_says_goodbye_over_tls(void **state)
{
	struct probe p;
	struct tls_peer idle, stream;
	enum tls_peer_end end;
	int shaking;

	(void)state;
	probe_init(&p);
	start_secure(&p);
	shaking = probe_connect(&p);
	assert_true(tls_peer_open(&idle, &p, &(struct tls_peer_want){ 0 }));
	assert_true(tls_peer_open(&stream, &p, &(struct tls_peer_want){ 0 }));
	tls_peer_send(&stream, STR("GET /sse HTTP/1.1\r\nHost: x\r\n\r\n"));
	assert_true(str_contains(tls_peer_read(&stream, "data: {}", NULL), STR("data: {}")));
	probe_call(&p, drain);
	assert_int_equal(tls_peer_read(&idle, NULL, &end).len, 0);
	assert_int_equal(end, TLS_PEER_ENDED);
	assert_true(str_ends(tls_peer_read(&stream, NULL, &end), STR("0\r\n\r\n")));
	assert_int_equal(end, TLS_PEER_ENDED);
	assert_int_equal(probe_read_all(shaking).len, 0);
	tls_peer_close(&idle);
	tls_peer_close(&stream);
	close(shaking);
	probe_wait("the end of the drain", &p.drained, 1);
	probe_stop(&p);
}

/* Clients that nobody here wrote; %1$d is the port, %2$s the certificate. */
static const struct client_row {
	const char *name;
	const char *command;
	const char *says;
} CLIENT_ROWS[] = {
	{ "Python asks",
	  "python3 -c 'import ssl, urllib.request as u; "
	  "c = ssl.create_default_context(cafile=\"%2$s\"); "
	  "print(u.urlopen(\"https://localhost:%1$d/py\", context=c).read().decode())'",
	  "path=/py" },
	{ "Python posts on one connection",
	  "python3 -c 'import ssl, http.client as h; "
	  "c = h.HTTPSConnection(\"localhost\", %1$d, "
	  "context=ssl.create_default_context(cafile=\"%2$s\"))\n"
	  "for n in (1, 100000, 3000000):\n"
	  " c.request(\"POST\", \"/echo\", b\"x\" * n)\n"
	  " assert len(c.getresponse().read()) == n\n"
	  "print(c.sock.version(), c.sock.cipher()[2])'",
	  "TLSv1.3 256" },
	{ "Python resumes a session",
	  "python3 -c 'import ssl, socket\n"
	  "c = ssl.create_default_context(cafile=\"%2$s\"); c.maximum_version = "
	  "ssl.TLSVersion.TLSv1_2; s = None\n"
	  "for i in range(2):\n"
	  " t = c.wrap_socket(socket.create_connection((\"localhost\", %1$d)), "
	  "server_hostname=\"localhost\", session=s)\n"
	  " t.sendall(b\"GET /r HTTP/1.0\\r\\n\\r\\n\")\n"
	  " while t.recv(9999): pass\n"
	  " print(t.session_reused); s = t.session'",
	  "False\nTrue" },
	{ "curl asks",
	  "command -v curl >/dev/null || { echo path=/curl; exit; }; " /* no part of the tools */
	  "curl -sS --cacert '%2$s' https://localhost:%1$d/curl",
	  "path=/curl" },
	{ "openssl asks",
	  "command -v openssl >/dev/null || { echo path=/openssl; exit; }; "
	  "printf 'GET /openssl HTTP/1.0\\r\\n\\r\\n' | openssl s_client -quiet -ign_eof -CAfile "
	  "'%2$s' -verify_return_error -connect 127.0.0.1:%1$d 2>/dev/null",
	  "path=/openssl" },
};

static struct probe served;

static void
client_row_holds(void **state)
{
	const struct client_row *row = *state;
	char command[2048], out[4096];

	snprintf(command, sizeof command, row->command, served.port, files.cert);
	if (peer_run(command, out, sizeof out) != 0 ||
	    !str_contains(str_of(out), str_of(row->says)))
		fail_msg("%s\nsays: %s", command, out);
}

static int
run_over_tls(void)
{
	struct suite s = { 0 };
	int failed;

	tls_files_make(&files, &TLS_CERT_USUAL);
	tls_files_make(&renewed, &TLS_CERT_USUAL);
	probe_init(&served);
	start_secure(&served);
	SUITE_TEST(&s, tls_needs_a_certificate);
	SUITE_TEST(&s, a_hundred_tls_connections_are_served);
	SUITE_TEST(&s, too_many_tls_connections_are_told);
	SUITE_TEST(&s, reload_counts_for_new_connections);
	SUITE_TEST(&s, drain_says_goodbye_over_tls);
	SUITE_ROWS(&s, CLIENT_ROWS, client_row_holds);
	failed = suite_run(&s, "net/http_server: TLS");
	probe_stop(&served);
	tls_files_remove(&files);
	tls_files_remove(&renewed);
	return failed;
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, unix_socket_is_private_and_answers);
	SUITE_ROWS(&s, LISTEN_ROWS, listen_row_holds);
	SUITE_TEST(&s, taken_port_is_a_conflict);
	SUITE_TEST(&s, stale_socket_is_replaced_a_live_one_is_not);
	SUITE_TEST(&s, too_many_connections_are_told);
	SUITE_TEST(&s, unix_clients_share_no_address);
	SUITE_TEST(&s, refusal_is_the_handlers_to_word);
	SUITE_TEST(&s, drain_finishes_what_is_open);
	SUITE_TEST(&s, half_closed_client_leaves_at_once);
	SUITE_TEST(&s, a_thousand_connections_are_served);
	SUITE_TEST(&s, free_cuts_everything);
	return suite_run(&s, "net/http_server") + run_over_tls();
}
