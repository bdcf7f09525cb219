/* bench_server [results.json] - the whole server, over sockets: acknowledged appends beside what the
 * disk allows, CPU of the loop's thread beside a bare echo, streams, start and memory. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bare_http.h"
#include "base/attr.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "bench.h"
#include "http_load.h"
#include "raw_append.h"
#include "server_child.h"

enum {
	SESSIONS = 2000,
	PATH_BYTES = 128,
	APPENDS_ALONE = 1500,
	APPENDS = 20000,
	IDLE_STREAMS = 5000,
	FAN_STREAMS = 1000,
	FAN_ROUNDS = 60,
	FRAME_BYTES_MIN = 600, /* an event of 500 bytes with what is around it */
	STARTS = 11,
	READ_BYTES = 64 * 1024,
};

static struct server_child server;
static struct raw_append raw;
static char *paths[SESSIONS];
static char body[1024];
static struct http_load_result last_256;

static void
must(bool fine, const char *what)
{
	if (!fine) {
		perror(what);
		abort();
	}
}

/* A lone system.message is passive: stored, told, and runs nothing. */
static void
make_body(void)
{
	char text[501];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	snprintf(body, sizeof body,
		 "{\"events\":[{\"type\":\"system.message\",\"content\":[{\"type\":\"text\","
		 "\"text\":\"%s\"}]}]}",
		 text);
}

static void
post(const struct server_child *s, const char *path, const char *text)
{
	char answer[READ_BYTES];

	must(http_load_once(&(struct http_once){ s->port, s->token, "POST", path, text }, answer,
			    sizeof answer) > 0 &&
		     strncmp(answer, "HTTP/1.1 200", 12) == 0,
	     answer);
}

static void
open_sessions(const struct server_child *s)
{
	char id[64];

	for (int i = 0; i < SESSIONS; i++) {
		snprintf(id, sizeof id, "{\"id\":\"bench:%d\"}", i);
		post(s, "/v1/sessions", id);
		if (!paths[i])
			paths[i] = xcalloc(1, PATH_BYTES);
		snprintf(paths[i], PATH_BYTES, "/v1/sessions/bench:%d/events", i);
	}
}

static struct http_load_result
append(int clients, int requests)
{
	struct http_load load = { .port = server.port,
				  .clients = clients,
				  .token = server.token,
				  .paths = (const char *const *)paths,
				  .path_count = SESSIONS,
				  .body = body,
				  .requests = requests };
	struct http_load_result result;

	http_load_run(&load, &result);
	return result;
}

static double
disk_per_second(void *context)
{
	(void)context;
	return raw_append_per_second(&raw);
}

static double
append_1(void *context)
{
	(void)context;
	return append(1, APPENDS_ALONE).per_second;
}

static double
append_256(void *context)
{
	(void)context;
	last_256 = append(256, APPENDS);
	return last_256.per_second;
}

static double
append_256_p99(void *context)
{
	(void)context;
	return append(256, APPENDS).p99_ms;
}

/* ---- CPU per request ---- */

static double
our_request_us(void *context)
{
	int64_t begun_ns = server_child_loop_ns(&server);

	(void)context;
	append(64, APPENDS);
	return (double)(server_child_loop_ns(&server) - begun_ns) / 1000 / APPENDS;
}

struct bare {
	int listen_fd, stop_fds[2];
	int64_t cpu_ns;
};

static int64_t
thread_cpu_ns(void)
{
	struct timespec t;

	must(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0, "clock");
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *
serve_bare(void *context)
{
	struct bare *b = context;
	int64_t begun_ns = thread_cpu_ns();

	bare_http_serve(b->listen_fd, b->stop_fds[0]);
	b->cpu_ns = thread_cpu_ns() - begun_ns;
	return NULL;
}

static int
listen_bare(int *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(bind(fd, (struct sockaddr *)&address, len) == 0 && listen(fd, 1024) == 0, "listen");
	must(getsockname(fd, (struct sockaddr *)&address, &len) == 0, "getsockname");
	*port = ntohs(address.sin_port);
	return fd;
}

/* The same requests, answered with their own body by epoll, llhttp and writev alone. */
static double
bare_request_us(void *context)
{
	struct http_load load = { .clients = 64,
				  .token = server.token,
				  .paths = (const char *const *)paths,
				  .path_count = SESSIONS,
				  .body = body,
				  .requests = APPENDS };
	struct http_load_result result;
	struct bare b;
	pthread_t thread;

	(void)context;
	b.listen_fd = listen_bare(&load.port);
	must(pipe(b.stop_fds) == 0, "pipe");
	must(pthread_create(&thread, NULL, serve_bare, &b) == 0, "thread");
	http_load_run(&load, &result);
	must(write(b.stop_fds[1], "x", 1) == 1, "write");
	pthread_join(thread, NULL);
	close(b.listen_fd);
	close(b.stop_fds[0]);
	close(b.stop_fds[1]);
	return (double)b.cpu_ns / 1000 / APPENDS;
}

/* ---- streams ---- */

/* A server that has done nothing else: memory that another sample left free would hide the streams. */
struct opener {
	int (*open)(int port, const char *token, const char *path);
};

static double
bytes_per_stream(void *context)
{
	const struct opener *opener = context;
	static int fds[IDLE_STREAMS];
	struct server_child s;
	char path[PATH_BYTES], directory[sizeof s.directory];
	int64_t before, after;

	server_child_start(&s, NULL);
	open_sessions(&s);
	server_child_stop(&s);
	snprintf(directory, sizeof directory, "%s", s.directory);
	server_child_start(&s, directory);
	before = server_child_rss_anon_bytes(&s);
	for (int i = 0; i < IDLE_STREAMS; i++) {
		snprintf(path, sizeof path, "/v1/sessions/bench:%d/events/stream", i % SESSIONS);
		fds[i] = opener->open(s.port, s.token, path);
	}
	after = server_child_rss_anon_bytes(&s);
	for (int i = 0; i < IDLE_STREAMS; i++)
		close(fds[i]);
	server_child_stop(&s);
	server_child_remove(&s);
	return (double)(after - before) / IDLE_STREAMS;
}

/* Reads what is sent, so that no socket ever fills; counts events by their last line. */
struct sink {
	const int *fds;
	int count;
	atomic_bool stop;
	atomic_llong bytes;
};

static void *
drain(void *context)
{
	struct sink *sink = context;
	struct pollfd *waits = xcalloc((size_t)sink->count, sizeof *waits);
	char buffer[READ_BYTES];

	for (int i = 0; i < sink->count; i++)
		waits[i] = (struct pollfd){ sink->fds[i], POLLIN, 0 };
	while (!atomic_load(&sink->stop)) {
		int n = poll(waits, (nfds_t)sink->count, 10);
		for (int i = 0; n > 0 && i < sink->count; i++) {
			ssize_t got =
				waits[i].revents ? read(waits[i].fd, buffer, sizeof buffer) : 0;
			if (got > 0)
				atomic_fetch_add(&sink->bytes, got);
		}
	}
	free(waits);
	return NULL;
}

/* One event at a time to a thousand readers of one session; the next when all have it. */
static double
our_delivery_us(void *context)
{
	static int fds[FAN_STREAMS];
	struct sink sink = { .fds = fds, .count = FAN_STREAMS };
	int64_t begun_ns, cpu_ns;
	long long seen;
	pthread_t thread;

	(void)context;
	for (int i = 0; i < FAN_STREAMS; i++)
		fds[i] = http_load_stream(server.port, server.token,
					  "/v1/sessions/bench:0/events/stream");
	must(pthread_create(&thread, NULL, drain, &sink) == 0, "thread");
	usleep(100000); /* first frames */
	begun_ns = server_child_loop_ns(&server);
	for (int round = 0; round < FAN_ROUNDS; round++) {
		seen = atomic_load(&sink.bytes);
		post(&server, paths[0], body);
		while (atomic_load(&sink.bytes) - seen < (long long)FAN_STREAMS * FRAME_BYTES_MIN)
			usleep(200);
		usleep(2000); /* the rest of the last frames */
	}
	cpu_ns = server_child_loop_ns(&server) - begun_ns;
	atomic_store(&sink.stop, true);
	pthread_join(thread, NULL);
	for (int i = 0; i < FAN_STREAMS; i++)
		close(fds[i]);
	return (double)cpu_ns / 1000 / FAN_STREAMS / FAN_ROUNDS;
}

static double
bare_delivery_us(void *context)
{
	static int fds[FAN_STREAMS], accepted[FAN_STREAMS];
	struct sink sink = { .fds = fds, .count = FAN_STREAMS };
	struct sockaddr_in address = { .sin_family = AF_INET };
	int port, listen_fd = listen_bare(&port);
	char frame[800];
	pthread_t thread;
	int64_t cpu_ns = 0, begun_ns;

	(void)context;
	memset(frame, 'x', sizeof frame);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address.sin_port = htons((uint16_t)port);
	for (int i = 0; i < FAN_STREAMS; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		must(connect(fds[i], (struct sockaddr *)&address, sizeof address) == 0, "connect");
		accepted[i] = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		must(accepted[i] >= 0, "accept");
		setsockopt(accepted[i], IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	}
	must(pthread_create(&thread, NULL, drain, &sink) == 0, "thread");
	for (int round = 0; round < FAN_ROUNDS; round++) {
		long long seen = atomic_load(&sink.bytes);

		begun_ns = thread_cpu_ns();
		bare_http_send_all(accepted, FAN_STREAMS, frame, sizeof frame);
		cpu_ns += thread_cpu_ns() - begun_ns;
		while (atomic_load(&sink.bytes) - seen < (long long)(FAN_STREAMS * sizeof frame))
			usleep(200);
		usleep(1000);
	}
	atomic_store(&sink.stop, true);
	pthread_join(thread, NULL);
	for (int i = 0; i < FAN_STREAMS; i++) {
		close(fds[i]);
		close(accepted[i]);
	}
	close(listen_fd);
	return (double)cpu_ns / 1000 / FAN_STREAMS / FAN_ROUNDS;
}

/* ---- start and rest ---- */

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
start_ms(void *context)
{
	struct server_child s;
	double took[STARTS];

	(void)context;
	server_child_start(&s, NULL);
	server_child_stop(&s);
	for (int i = 0; i < STARTS; i++) {
		char directory[sizeof s.directory];

		snprintf(directory, sizeof directory, "%s", s.directory);
		server_child_start(&s, directory);
		took[i] = (double)s.ready_ns / 1e6;
		server_child_stop(&s);
	}
	server_child_remove(&s);
	qsort(took, STARTS, sizeof *took, by_size);
	return took[STARTS / 2];
}

static double
idle_mb(void *context)
{
	struct server_child s;
	double mb;

	(void)context;
	server_child_start(&s, NULL);
	usleep(300000);
	mb = (double)server_child_rss_anon_bytes(&s) / 1e6;
	server_child_stop(&s);
	server_child_remove(&s);
	return mb;
}

int
main(int argc, char **argv)
{
	static struct opener sse = { http_load_stream }, ws = { http_load_socket };
	const struct bench benches[] = {
		{ "start.empty", "ms", start_ms, NULL, NULL, BENCH_AT_MOST, 100 },
		{ "rss.idle", "MB", idle_mb, NULL, NULL, BENCH_AT_MOST, 8 },
		{ "sse.bytes_per_stream", "bytes", bytes_per_stream, NULL, &sse, BENCH_AT_MOST,
		  2048 },
		{ "ws.bytes_per_socket", "bytes", bytes_per_stream, NULL, &ws, BENCH_NO_BAR, 0 },
		{ "http.append.1", "acks/s", append_1, disk_per_second, NULL, BENCH_AT_LEAST, 0.4,
		  "append of 600 bytes and fdatasync, one after the other" },
		{ "http.append.256", "acks/s", append_256, disk_per_second, NULL, BENCH_AT_LEAST,
		  2.5, "append of 600 bytes and fdatasync, one after the other" },
		{ "http.append.256.p99", "ms", append_256_p99, NULL, NULL, BENCH_AT_MOST, 60 },
		{ "http.cpu_per_request", "us", our_request_us, bare_request_us, NULL,
		  BENCH_AT_MOST, 2.0, "epoll, llhttp and writev that echo the body" },
		{ "sse.fanout_cpu", "us", our_delivery_us, bare_delivery_us, NULL, BENCH_AT_MOST,
		  1.3, "a send of 800 bytes to every socket" },
	};
	struct rlimit files;
	int rc;

	must(getrlimit(RLIMIT_NOFILE, &files) == 0, "getrlimit");
	files.rlim_cur = files.rlim_max;
	must(setrlimit(RLIMIT_NOFILE, &files) == 0, "setrlimit");
	make_body();
	server_child_start(&server, NULL);
	raw_append_init(&raw, server.directory);
	open_sessions(&server);
	rc = bench_run(benches, ARRAY_LEN(benches), argc > 1 ? argv[1] : NULL);
	server_child_stop(&server);
	raw_append_release(&raw);
	server_child_remove(&server);
	return rc;
}
