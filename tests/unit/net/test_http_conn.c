#include "net/http_conn.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http_probe.h"
#include "tls_peer.h"

#define GET(path)  "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define POST(path) "POST " path " HTTP/1.1\r\nHost: x\r\n"

static struct probe probe, secure;

/* What a client sends on a new connection, the statuses it gets, and whether it may go on. */
static const struct row {
	const char *name;
	const char *input;
	int statuses[4];
	bool survives;
} ROWS[] = {
	{ "a request", GET("/"), { 200 }, true },
	{ "three in a pipeline", GET("/1") GET("/2") GET("/3"), { 200, 200, 200 }, true },
	{ "a slow answer holds the pipeline", GET("/late") GET("/2"), { 200, 200 }, true },
	{ "a body between requests",
	  POST("/echo") "Content-Length: 5\r\n\r\nhello" GET("/2"),
	  { 200, 200 },
	  true },
	{ "a chunked body between requests",
	  POST("/echo") "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" GET("/2"),
	  { 200, 200 },
	  true },
	{ "a body nobody asked for is read past",
	  POST("/other") "Content-Length: 5\r\n\r\nhello" GET("/2"),
	  { 200, 200 },
	  true },
	{ "a stream between requests", GET("/words") GET("/2"), { 200, 200 }, true },
	{ "no content", GET("/none") GET("/2"), { 204, 200 }, true },
	{ "HEAD", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" GET("/2"), { 200, 200 }, true },
	{ "HEAD of a stream",
	  "HEAD /words HTTP/1.1\r\nHost: x\r\n\r\n" GET("/2"),
	  { 200, 200 },
	  true },
	{ "HTTP/1.0 that stays",
	  "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	  { 200 },
	  true },
	{ "HTTP/1.0 that does not", "GET / HTTP/1.0\r\n\r\n", { 200 }, false },
	{ "the client wants to close",
	  "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" GET("/2"),
	  { 200 },
	  false },
	{ "a body above the limit of its handler",
	  POST("/small") "Content-Length: 11\r\n\r\nhello world" GET("/2"),
	  { 413 },
	  false },
	{ "a body at the limit of its handler",
	  POST("/small") "Content-Length: 10\r\n\r\nhelloworld" GET("/2"),
	  { 200, 200 },
	  true },
	{ "chunks above the limit",
	  POST("/small") "Transfer-Encoding: chunked\r\n\r\n6\r\nhello "
			 "\r\n6\r\nworld!\r\n0\r\n\r\n",
	  { 413 },
	  false },
	{ "a body above the default limit",
	  POST("/echo") "Content-Length: 8388609\r\n\r\n",
	  { 413 },
	  false },
	{ "a smuggled request behind two lengths",
	  POST("/echo") "Content-Length: 0\r\nContent-Length: 31\r\n\r\n" GET("/evil"),
	  { 400 },
	  false },
	{ "a smuggled request behind both framings",
	  POST("/echo") "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" GET(
		  "/evil"),
	  { 400 },
	  false },
	{ "garbage after an answered request",
	  GET("/1") "\x01garbage\r\n\r\n",
	  { 200, 400 },
	  false },
	{ "a folded header",
	  "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n" GET("/2"),
	  { 400 },
	  false },
	{ "a space in a header name",
	  "GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n",
	  { 400 },
	  false },
	{ "a high byte in the target", "GET /\xe9 HTTP/1.1\r\nHost: x\r\n\r\n", { 400 }, false },
	{ "chunk data without its line end",
	  POST("/echo") "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
	  { 400 },
	  false },
	{ "another expectation",
	  POST("/echo") "Expect: x\r\nContent-Length: 1\r\n\r\na",
	  { 417 },
	  false },
	{ "an owner that leaves without an answer", GET("/drop"), { 0 }, false },
};

static unsigned
count_wanted(const struct row *row)
{
	unsigned n = 0;

	while (n < ARRAY_LEN(row->statuses) && row->statuses[n] != 0)
		n++;
	return n;
}

/* Reads until that many answers are there or the server closes. */
static struct str
read_answers(int fd, const struct row *row, bool *closed)
{
	unsigned wanted = count_wanted(row);
	static struct buf all;
	struct str part;

	all.max = 1 << 24;
	buf_clear(&all);
	*closed = false;
	do {
		part = probe_read(fd, "\r\n", closed);
		buf_put_str(&all, part);
	} while (!*closed && part.len > 0 &&
		 (!row->survives || probe_status(buf_str(&all), wanted - 1) == 0));
	buf_putc(&all, '\0');
	return (struct str){ all.ptr, all.len - 1 };
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	int fd = probe_connect(&probe);
	bool closed;
	struct str got;

	probe_send(fd, str_of(row->input));
	got = read_answers(fd, row, &closed);
	for (unsigned i = 0; i < ARRAY_LEN(row->statuses); i++)
		if (probe_status(got, i) != row->statuses[i])
			fail_msg("answer %u: want %d in:\n" STR_FMT, i, row->statuses[i],
				 STR_ARG(got));
	if (closed == row->survives)
		fail_msg("the connection %s:\n" STR_FMT, closed ? "closed" : "stayed open",
			 STR_ARG(got));
	if (row->statuses[0] >= 400 && !str_contains(got, STR("{\"error\":{\"status\":")))
		fail_msg("no reason given:\n" STR_FMT, STR_ARG(got));
	if (!row->survives && row->statuses[0] != 0 && !str_contains(got, STR("Connection: close")))
		fail_msg("closes without saying so:\n" STR_FMT, STR_ARG(got));
	if (row->survives && !probe_is_alive(fd))
		fail_msg("the connection is of no more use");
	close(fd);
}

/* The same rows with TLS between: an end is said and not only a cut, except where nobody answers. */
static void
row_holds_over_tls(void **state)
{
	const struct row *row = *state;
	struct tls_peer peer;
	enum tls_peer_end end;
	struct str got;

	assert_true(tls_peer_open(&peer, &secure, &(struct tls_peer_want){ 0 }));
	tls_peer_send(&peer, str_of(row->input));
	if (row->survives)
		tls_peer_send(&peer, STR(GET("/alive")));
	got = tls_peer_read(&peer, row->survives ? "path=/alive" : NULL, &end);
	for (unsigned i = 0; i < count_wanted(row); i++)
		if (probe_status(got, i) != row->statuses[i])
			fail_msg("answer %u: want %d in:\n" STR_FMT, i, row->statuses[i],
				 STR_ARG(got));
	assert_int_equal(probe_status(got, count_wanted(row)), row->survives ? 200 : 0);
	if (row->survives)
		assert_int_equal(end, TLS_PEER_OPEN);
	else
		assert_int_equal(end, row->statuses[0] != 0 ? TLS_PEER_ENDED : TLS_PEER_CUT);
	tls_peer_close(&peer);
}

static void
answers_keep_the_order_of_requests(void **state)
{
	int fd = probe_connect(&probe);
	struct str got;
	size_t late, second;

	(void)state;
	probe_send(fd, STR(GET("/late") GET("/second")));
	got = probe_read(fd, "path=/second", NULL);
	assert_true(str_find(got, STR("late"), 0, &late));
	assert_true(str_find(got, STR("path=/second"), 0, &second));
	assert_true(late < second);
	close(fd);
}

static void
long_pipeline_is_answered_whole(void **state)
{
	enum { COUNT = 5000 };
	int fd = probe_connect(&probe), before = atomic_load(&probe.requests);
	struct buf input;

	(void)state;
	buf_init(&input, 1 << 20);
	for (int i = 0; i < COUNT; i++)
		buf_puts(&input, GET("/p"));
	buf_puts(&input, GET("/end"));
	probe_send(fd, buf_str(&input));
	assert_true(str_contains(probe_read(fd, "path=/end", NULL), STR("path=/end")));
	assert_int_equal(atomic_load(&probe.requests) - before, COUNT + 1);
	buf_release(&input);
	close(fd);
}

/* Asking for 8 MB again and again without reading any of it must not make the server hold it all. */
static void
unread_answers_hold_the_pipeline(void **state)
{
	int fd = probe_connect(&probe), other = probe_connect(&probe);
	int before = atomic_load(&probe.requests);

	(void)state;
	for (int i = 0; i < 20; i++)
		probe_send(fd, STR(GET("/big")));
	probe_wait("the first request", &probe.requests, before + 1);
	for (int i = 0; i < 20; i++)
		assert_true(probe_is_alive(other));
	assert_true(atomic_load(&probe.requests) - before - 20 <= 3);
	close(fd);
	close(other);
}

static void
half_closed_client_gets_its_answers(void **state)
{
	int fd = probe_connect(&probe);
	struct str got;

	(void)state;
	probe_send(fd, STR(GET("/1") GET("/2")));
	shutdown(fd, SHUT_WR);
	got = probe_read_all(fd);
	assert_int_equal(probe_status(got, 0), 200);
	assert_int_equal(probe_status(got, 1), 200);
	close(fd);
}

static const struct cut_row {
	const char *name;
	const char *input;
	int status;
} CUT_ROWS[] = {
	{ "a client that hangs up in the head", "GET / HTTP/1.1\r\nHo", 400 },
	{ "a client that hangs up in the body", POST("/echo") "Content-Length: 5\r\n\r\nhel", 400 },
	{ "a client that hangs up in a chunk",
	  POST("/echo") "Transfer-Encoding: chunked\r\n\r\n5\r\nhel", 400 },
	{ "a client that says nothing", "", 0 },
	{ "a client that hangs up in a body asked for later",
	  POST("/ask-late") "Content-Length: 5\r\n\r\nhel", 400 },
};

static void
cut_row_holds(void **state)
{
	const struct cut_row *row = *state;
	int fd = probe_connect(&probe);
	struct str got;

	probe_send(fd, str_of(row->input));
	shutdown(fd, SHUT_WR);
	got = probe_read_all(fd);
	assert_int_equal(probe_status(got, 0), row->status);
	close(fd);
}

static void
big_answer_arrives_whole(void **state)
{
	int fd = probe_connect(&probe);
	struct str got;

	(void)state;
	probe_send(fd, STR("GET /big HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
	got = probe_read_all(fd);
	assert_true(str_contains(got, STR("Content-Length: 8388608\r\n")));
	assert_true(got.len > 8388608 && str_ends(got, STR("bbbbbbbb")));
	close(fd);
}

static const struct slow_row {
	const char *name;
	const char *input;
	int status;
	int64_t *limit; /* which one is made short */
} SLOW_ROWS[] = {
	{ "a head that stops half way", "GET / HTTP/1.1\r\nHo", 408, &probe.limits.header_ms },
	{ "a connection without a request", "", 0, &probe.limits.header_ms },
	{ "a body that stops half way", POST("/echo") "Content-Length: 5\r\n\r\nhel", 408,
	  &probe.limits.body_ms },
	{ "a connection between requests", GET("/1"), 200, &probe.limits.idle_ms },
};

static void
slow_row_holds(void **state)
{
	const struct slow_row *row = *state;
	struct http_limits before = probe.limits;
	int64_t begun_ns;
	struct str got;

	*row->limit = 60;
	probe_start(&probe);
	begun_ns = clock_monotonic_ns();
	got = probe_ask(&probe, str_of(row->input));
	assert_int_equal(probe_status(got, 0), row->status);
	assert_true(clock_monotonic_ns() - begun_ns >= INT64_C(50) * 1000000);
	probe_stop(&probe);
	probe.limits = before;
}

/* A byte now and then does not help: the head's time counts from its first byte. */
static void
dripping_head_is_refused(void **state)
{
	struct http_limits before = probe.limits;
	int fd;

	(void)state;
	probe.limits.header_ms = 100;
	probe_start(&probe);
	fd = probe_connect(&probe);
	probe_send(fd, STR("GET / HTTP/1.1\r\nX: "));
	for (int i = 0; i < 30; i++) {
		struct timespec pause = { 0, 10 * 1000 * 1000 };
		nanosleep(&pause, NULL);
		probe_send(fd, STR("a"));
	}
	assert_int_equal(probe_status(probe_read_all(fd), 0), 408);
	close(fd);
	probe_stop(&probe);
	probe.limits = before;
}

int
main(void)
{
	struct suite s = { 0 }, over_tls = { 0 }, slow = { 0 };
	struct tls_files files;
	int failed;

	probe_init(&probe);
	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, CUT_ROWS, cut_row_holds);
	SUITE_TEST(&s, answers_keep_the_order_of_requests);
	SUITE_TEST(&s, long_pipeline_is_answered_whole);
	SUITE_TEST(&s, unread_answers_hold_the_pipeline);
	SUITE_TEST(&s, half_closed_client_gets_its_answers);
	SUITE_TEST(&s, big_answer_arrives_whole);
	probe_start(&probe);
	failed = suite_run(&s, "net/http_conn");
	probe_stop(&probe);
	SUITE_ROWS(&over_tls, ROWS, row_holds_over_tls);
	tls_files_make(&files, &TLS_CERT_USUAL);
	probe_init(&secure);
	secure.tls_cert = files.cert;
	secure.tls_key = files.key;
	probe_start(&secure);
	failed += suite_run(&over_tls, "net/http_conn: TLS");
	probe_stop(&secure);
	tls_files_remove(&files);
	SUITE_ROWS(&slow, SLOW_ROWS, slow_row_holds);
	SUITE_TEST(&slow, dripping_head_is_refused);
	return failed + suite_run(&slow, "net/http_conn: time");
}
