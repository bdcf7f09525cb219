#include "net/http_send.h"

#include <sys/socket.h>
#include <unistd.h>

#include "http_probe.h"

static struct probe probe;

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
	probe_send(fd, STR("GET /paced HTTP/1.1\r\nHost: x\r\n\r\n"));
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
	return failed;
}
