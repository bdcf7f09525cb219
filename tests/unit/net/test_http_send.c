#include "net/http_send.h"

#include <sys/socket.h>
#include <unistd.h>

#include "http_probe.h"
#include "tls_peer.h"

static struct probe probe, secure;

static const struct row {
	const char *name;
	const char *request;
	const char *answer;
} ROWS[] = {
	{ "a stream in chunks", "GET /words HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
	  "4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n" },
	{ "a stream that ends with the connection", "GET /words HTTP/1.0\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\none two three" },
	{ "the head of a stream", "HEAD /words HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" },
	{ "HEAD has the length and not the body",
	  "HEAD /late HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n"
	  "Connection: close\r\n\r\n" },
	{ "no content has neither", "GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 204 No Content\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;

	check_str(row->name, probe_ask(&probe, str_of(row->request)), str_of(row->answer));
}

static void
shrink_buffers(int fd)
{
	int bytes = 4096;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

/* The reader takes nothing: once the queue is full its owner hears of it, and the client finds its
 * stream cut, not shortened in the middle. */
static void
A4_slow_reader_is_closed_never_skipped(void **state)
{
	int fd = probe_connect(&probe), gone = atomic_load(&probe.gone);
	struct str got;

	(void)state;
	probe_send(fd, STR("GET /flood HTTP/1.1\r\nHost: x\r\n\r\n"));
	probe_wait("the overflow", &probe.overflows, 1);
	probe_wait("the owner to be told", &probe.gone, gone + 1);
	assert_int_equal(atomic_load(&probe.gone_why), HTTP_GONE_SLOW);
	got = probe_read_all(fd);
	assert_false(str_ends(got, STR("0\r\n\r\n")));
	close(fd);
}

/* Endless, since the send buffer of the system may hold megabytes. */
static void
reader_that_takes_nothing_is_stalled(void **state)
{
	struct probe slow;
	int fd;

	(void)state;
	probe_init(&slow);
	slow.limits.stall_ms = 80;
	slow.limits.stream_queue_bytes = SIZE_MAX / 2;
	probe_start(&slow);
	fd = probe_connect(&slow);
	shrink_buffers(fd);
	probe_send(fd, STR("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"));
	probe_wait("the owner to be told", &slow.gone, 1);
	assert_int_equal(atomic_load(&slow.gone_why), HTTP_GONE_STALLED);
	close(fd);
	probe_stop(&slow);
}

/* Four megabytes, 64 KiB at a time, each when the last has left: no limit is ever met. */
static void
long_answer_comes_at_the_readers_pace(void **state)
{
	struct str got = probe_ask(&probe, STR("GET /paced HTTP/1.0\r\n\r\n"));
	size_t at;

	(void)state;
	assert_true(str_find(got, STR("\r\n\r\n"), 0, &at));
	assert_int_equal(got.len - at - 4, 64 * 64 * 1024);
}

static void
A4_stream_headers_leave_at_once(void **state)
{
	int fd = probe_connect(&probe);
	struct str got;

	(void)state;
	probe_send(fd, STR("GET /sse HTTP/1.1\r\nHost: x\r\n\r\n"));
	got = probe_read(fd, "\r\n\r\n", NULL);
	assert_true(str_contains(got, STR("Content-Type: text/event-stream\r\n")));
	assert_true(str_contains(got, STR("Cache-Control: no-cache, no-transform\r\n")));
	close(fd);
}

/* --- with TLS --- */

static void
open_peer(struct tls_peer *peer, const struct probe *p, const char *request)
{
	assert_true(tls_peer_open(peer, p, &(struct tls_peer_want){ 0 }));
	tls_peer_send(peer, str_of(request));
}

static void
row_holds_over_tls(void **state)
{
	const struct row *row = *state;
	struct tls_peer peer;
	enum tls_peer_end end;

	open_peer(&peer, &secure, row->request);
	check_str(row->name, tls_peer_read(&peer, NULL, &end), str_of(row->answer));
	assert_int_equal(end, TLS_PEER_ENDED);
	tls_peer_close(&peer);
}

static void
big_answer_arrives_whole_over_tls(void **state)
{
	struct tls_peer peer;
	enum tls_peer_end end;
	struct str got;

	(void)state;
	open_peer(&peer, &secure, "GET /big HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	got = tls_peer_read(&peer, NULL, &end);
	assert_true(str_contains(str_slice(got, 0, 200), STR("Content-Length: 8388608\r\n")));
	assert_true(got.len > 8388608 && str_ends(got, STR("bbbbbbbb")));
	assert_int_equal(end, TLS_PEER_ENDED);
	tls_peer_close(&peer);
}

static void
long_answer_over_tls_comes_at_the_readers_pace(void **state)
{
	struct tls_peer peer;
	struct str got;
	size_t at;

	(void)state;
	open_peer(&peer, &secure, "GET /paced HTTP/1.0\r\n\r\n");
	got = tls_peer_read(&peer, NULL, NULL);
	assert_true(str_find(got, STR("\r\n\r\n"), 0, &at));
	assert_int_equal(got.len - at - 4, 64 * 64 * 1024);
	tls_peer_close(&peer);
}

/* No goodbye: the client must see that it was cut. */
static void
A4_slow_reader_over_tls_is_closed_never_skipped(void **state)
{
	int gone = atomic_load(&secure.gone);
	struct tls_peer peer;
	enum tls_peer_end end;
	struct str got;

	(void)state;
	open_peer(&peer, &secure, "GET /flood HTTP/1.1\r\nHost: x\r\n\r\n");
	probe_wait("the overflow", &secure.overflows, 1);
	probe_wait("the owner to be told", &secure.gone, gone + 1);
	assert_int_equal(atomic_load(&secure.gone_why), HTTP_GONE_SLOW);
	got = tls_peer_read(&peer, NULL, &end);
	assert_int_equal(end, TLS_PEER_CUT);
	assert_false(str_ends(got, STR("0\r\n\r\n")));
	tls_peer_close(&peer);
}

static void
reader_over_tls_that_takes_nothing_is_stalled(void **state)
{
	struct probe slow = secure;
	struct tls_peer peer;

	(void)state;
	probe_init(&slow);
	slow.tls_cert = secure.tls_cert;
	slow.tls_key = secure.tls_key;
	slow.limits.stall_ms = 80;
	slow.limits.stream_queue_bytes = SIZE_MAX / 2;
	probe_start(&slow);
	open_peer(&peer, &slow, "");
	shrink_buffers(peer.fd);
	tls_peer_send(&peer, STR("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"));
	probe_wait("the owner to be told", &slow.gone, 1);
	assert_int_equal(atomic_load(&slow.gone_why), HTTP_GONE_STALLED);
	tls_peer_close(&peer);
	probe_stop(&slow);
}

static void
A4_events_and_beats_come_over_tls(void **state)
{
	int gone = atomic_load(&secure.gone);
	struct tls_peer peer;

	(void)state;
	open_peer(&peer, &secure, "GET /sse HTTP/1.1\r\nHost: x\r\n\r\n");
	assert_true(str_contains(tls_peer_read(&peer, "data: {}\n\n", NULL),
				 STR("id: 1\nevent: hello\ndata: {}\n\n")));
	for (int i = 0; i < 3; i++)
		assert_true(str_contains(tls_peer_read(&peer, ": hb\n\n", NULL), STR(": hb")));
	tls_peer_half_close(&peer);
	probe_wait("the owner to be told", &secure.gone, gone + 1);
	assert_int_equal(atomic_load(&secure.gone_why), HTTP_GONE_PEER);
	tls_peer_close(&peer);
}

static int
run_over_tls(void)
{
	struct tls_files files;
	struct suite s = { 0 };
	int failed;

	tls_files_make(&files, &TLS_CERT_USUAL);
	probe_init(&secure);
	secure.tls_cert = files.cert;
	secure.tls_key = files.key;
	probe_start(&secure);
	SUITE_ROWS(&s, ROWS, row_holds_over_tls);
	SUITE_TEST(&s, big_answer_arrives_whole_over_tls);
	SUITE_TEST(&s, long_answer_over_tls_comes_at_the_readers_pace);
	SUITE_TEST(&s, A4_slow_reader_over_tls_is_closed_never_skipped);
	SUITE_TEST(&s, reader_over_tls_that_takes_nothing_is_stalled);
	SUITE_TEST(&s, A4_events_and_beats_come_over_tls);
	failed = suite_run(&s, "net/http_send: TLS");
	probe_stop(&secure);
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
	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, A4_slow_reader_is_closed_never_skipped);
	SUITE_TEST(&s, reader_that_takes_nothing_is_stalled);
	SUITE_TEST(&s, long_answer_comes_at_the_readers_pace);
	SUITE_TEST(&s, A4_stream_headers_leave_at_once);
	failed = suite_run(&s, "net/http_send");
	probe_stop(&probe);
	return failed + run_over_tls();
}
