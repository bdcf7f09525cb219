/* bench_http [results.json] - what net adds to the bare system calls: CPU of the serving thread per
 * request and per event delivered, and memory of a stream that waits. */
#include "bench.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "bare_http.h"
#include "base/xalloc.h"
#include "net/http_server.h"
#include "net/sse.h"

enum {
	CLIENTS = 64,
	REQUESTS = 30000,
	IDLE_STREAMS = 5000,
	FAN_STREAMS = 1000,
	FAN_ROUNDS = 40,
	READ_BYTES = 64 * 1024
};

static const char REQUEST[] =
	"POST /v1/things/t_0199a4c1f002/events HTTP/1.1\r\n"
	"Host: 127.0.0.1:7340\r\n"
	"Authorization: Bearer pdt_0123456789abcdef0123456789abcdef\r\n"
	"Content-Type: application/json\r\n"
	"Accept: application/json\r\n"
	"Content-Length: 120\r\n\r\n"
	"{\"events\":[{\"type\":\"user.message\",\"content\":[{\"type\":\"text\","
	"\"text\":\"What is the weather in Oslo this week, please?\"}]}]}";

static const char EVENT[] = "{\"id\":\"evt_0199a4c2b7e07d3a9f1c5b2e8d4a6f70\",\"seq\":4711,"
			    "\"type\":\"agent.message\",\"content\":[{\"type\":\"text\",\"text\":"
			    "\"It will rain on Tuesday and clear up after that.\"}]}";

static void
must(bool fine, const char *what)
{
	if (!fine) {
		perror(what);
		abort();
	}
}

static int64_t
thread_cpu_ns(void)
{
	struct timespec t;

	must(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0, "clock");
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int
connect_to(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0, "connect");
	return fd;
}

static int
listen_bare(int *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(bind(fd, (struct sockaddr *)&address, len) == 0 && listen(fd, 512) == 0, "listen");
	must(getsockname(fd, (struct sockaddr *)&address, &len) == 0, "getsockname");
	*port = ntohs(address.sin_port);
	return fd;
}

/* --- the load: clients that ask again when they are answered --- */

static void
ask(int fd)
{
	must(send(fd, REQUEST, sizeof REQUEST - 1, MSG_NOSIGNAL) == sizeof REQUEST - 1, "send");
}

static void
run_clients(int port)
{
	struct pollfd waits[CLIENTS];
	char buffer[READ_BYTES];
	int asked = 0, answered = 0;

	for (int i = 0; i < CLIENTS; i++, asked++) {
		waits[i] = (struct pollfd){ connect_to(port), POLLIN, 0 };
		ask(waits[i].fd);
	}
	while (answered < REQUESTS) {
		must(poll(waits, CLIENTS, 10000) > 0, "poll");
		for (int i = 0; i < CLIENTS; i++) {
			if (!waits[i].revents)
				continue;
			must(read(waits[i].fd, buffer, sizeof buffer) > 120, "read");
			answered++;
			if (asked++ < REQUESTS)
				ask(waits[i].fd);
		}
	}
	for (int i = 0; i < CLIENTS; i++)
		close(waits[i].fd);
}

/* --- our server, in a thread of its own --- */

struct stream {
	struct sse_stream sse;
	struct http_request *request;
};

struct served {
	pthread_t thread;
	struct loop *loop;
	struct http_server *http;
	struct sse *sse;
	struct loop_wake *wake;
	struct loop_task fan;
	struct stream *streams;
	int port, rounds_left;
	atomic_bool started, fan_done;
	atomic_int stream_count;
	bool fan_asked;
	int64_t fan_ns, cpu_ns;
};

static bool
echo(void *context, struct str part, bool last)
{
	(void)last;
	http_request_reply(context, &(struct http_reply){ .status = 200,
							  .content_type = STR("application/json"),
							  .body = part });
	http_request_release(context);
	return true;
}

static void
on_gone(void *context, enum http_gone why)
{
	struct stream *stream = context;

	(void)why;
	sse_leave(&stream->sse);
	http_request_release(stream->request);
}

static void
on_request(void *context, struct http_request *r)
{
	struct served *s = context;
	struct stream *stream;

	if (str_eq(http_request_head(r)->method, STR("POST"))) {
		http_request_body(r, &(struct http_body_want){ .fn = echo, .context = r });
		return;
	}
	stream = &s->streams[atomic_load(&s->stream_count)];
	stream->request = r;
	http_request_own(r, &(struct http_owner){ on_gone, NULL, stream });
	sse_open(s->sse, &stream->sse, r, NULL, 0);
	atomic_fetch_add(&s->stream_count, 1);
}

/* One event to every stream; the next one in the next turn. */
static void
on_fan(struct loop_task *task)
{
	struct served *s = LIST_OWNER(task, struct served, fan);
	struct sse_event event = { STR("agent.message"), STR("4711"), str_of(EVENT), 0 };
	struct net_bytes *frame;

	if (s->rounds_left-- == 0) {
		s->fan_ns = thread_cpu_ns() - s->fan_ns;
		atomic_store(&s->fan_done, true);
		return;
	}
	must(sse_frame(&event, &frame, NULL) == 0, "frame");
	for (int i = 0; i < atomic_load(&s->stream_count); i++)
		must(sse_send(&s->streams[i].sse, frame) == 0, "sse_send");
	net_bytes_unref(frame);
	loop_defer(s->loop, &s->fan);
}

static void
on_wake(void *context)
{
	struct served *s = context;

	if (!s->fan_asked) {
		loop_stop(s->loop);
		return;
	}
	s->fan_asked = false;
	s->rounds_left = FAN_ROUNDS;
	s->fan_ns = thread_cpu_ns();
	loop_defer(s->loop, &s->fan);
}

static void *
serve(void *context)
{
	struct served *s = context;
	struct http_limits limits = HTTP_LIMITS_DEFAULT;
	int64_t begun_ns;

	limits.per_address = limits.connections;
	s->loop = loop_new();
	s->http = http_server_new(
		s->loop, &(struct http_handler){ .on_request = on_request, .context = s }, &limits);
	s->sse = sse_new(s->loop, 15000);
	s->wake = loop_wake_new(s->loop, on_wake, s);
	loop_task_init(&s->fan, on_fan);
	must(http_server_listen_tcp(s->http, "127.0.0.1", 0, &s->port, NULL) == 0, "listen");
	atomic_store(&s->started, true);
	begun_ns = thread_cpu_ns();
	loop_run(s->loop);
	s->cpu_ns = thread_cpu_ns() - begun_ns;
	http_server_free(&s->http);
	loop_wake_free(&s->wake);
	loop_settle(s->loop);
	sse_free(&s->sse);
	loop_free(&s->loop);
	return NULL;
}

static void
wait_for(atomic_bool *flag)
{
	while (!atomic_load(flag))
		poll(NULL, 0, 1);
}

static struct served *
start_server(size_t streams)
{
	struct served *s = xcalloc(1, sizeof *s);

	s->streams = xcalloc(streams + 1, sizeof *s->streams);
	must(pthread_create(&s->thread, NULL, serve, s) == 0, "thread");
	wait_for(&s->started);
	return s;
}

static int64_t
stop_server(struct served *s)
{
	int64_t cpu_ns;

	loop_wake_send(s->wake);
	pthread_join(s->thread, NULL);
	cpu_ns = s->cpu_ns;
	free(s->streams);
	free(s);
	return cpu_ns;
}

/* --- net.cpu_per_request --- */

static double
our_request_us(void *context)
{
	struct served *s = start_server(0);

	(void)context;
	run_clients(s->port);
	return (double)stop_server(s) / 1000 / REQUESTS;
}

struct bare {
	int listen_fd, stop_fds[2];
	int64_t cpu_ns;
};

static void *
serve_bare(void *context)
{
	struct bare *b = context;
	int64_t begun_ns = thread_cpu_ns();

	bare_http_serve(b->listen_fd, b->stop_fds[0]);
	b->cpu_ns = thread_cpu_ns() - begun_ns;
	return NULL;
}

static double
bare_request_us(void *context)
{
	struct bare b;
	pthread_t thread;
	int port;

	(void)context;
	b.listen_fd = listen_bare(&port);
	must(pipe(b.stop_fds) == 0, "pipe");
	must(pthread_create(&thread, NULL, serve_bare, &b) == 0, "thread");
	run_clients(port);
	must(write(b.stop_fds[1], "x", 1) == 1, "write");
	pthread_join(thread, NULL);
	close(b.listen_fd);
	close(b.stop_fds[0]);
	close(b.stop_fds[1]);
	return (double)b.cpu_ns / 1000 / REQUESTS;
}

/* --- streams --- */

static void
open_streams(struct served *s, int *fds, int count)
{
	static const char GET[] = "GET /v1/events/stream HTTP/1.1\r\nHost: 127.0.0.1:7340\r\n"
				  "Authorization: Bearer pdt_0123456789abcdef0123456789abcdef\r\n"
				  "Accept: text/event-stream\r\nUser-Agent: bench\r\n\r\n";
	char buffer[READ_BYTES];

	for (int i = 0; i < count; i++) {
		fds[i] = connect_to(s->port);
		must(send(fds[i], GET, sizeof GET - 1, MSG_NOSIGNAL) == sizeof GET - 1, "send");
		must(read(fds[i], buffer, sizeof buffer) > 0, "read");
	}
}

static void
close_all(const int *fds, int count)
{
	for (int i = 0; i < count; i++)
		close(fds[i]);
}

static double
bytes_per_stream(void *context)
{
	static int fds[IDLE_STREAMS];
	struct served *s = start_server(IDLE_STREAMS);
	size_t before = mallinfo2().uordblks, after;

	(void)context;
	open_streams(s, fds, IDLE_STREAMS);
	after = mallinfo2().uordblks;
	close_all(fds, IDLE_STREAMS);
	stop_server(s);
	return (double)(after - before) / IDLE_STREAMS + sizeof(struct stream);
}

/* Reads what is sent, so that no socket ever fills. */
struct sink {
	const int *fds;
	int count;
	atomic_bool stop;
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
		for (int i = 0; n > 0 && i < sink->count; i++)
			if (waits[i].revents && read(waits[i].fd, buffer, sizeof buffer) <= 0)
				waits[i].fd = -1;
	}
	free(waits);
	return NULL;
}

static double
our_delivery_us(void *context)
{
	static int fds[FAN_STREAMS];
	struct served *s = start_server(FAN_STREAMS);
	struct sink sink = { fds, FAN_STREAMS, false };
	pthread_t thread;
	double us;

	(void)context;
	open_streams(s, fds, FAN_STREAMS);
	must(pthread_create(&thread, NULL, drain, &sink) == 0, "thread");
	s->fan_asked = true;
	loop_wake_send(s->wake);
	wait_for(&s->fan_done);
	us = (double)s->fan_ns / 1000 / FAN_STREAMS / FAN_ROUNDS;
	atomic_store(&sink.stop, true);
	pthread_join(thread, NULL);
	stop_server(s);
	close_all(fds, FAN_STREAMS);
	return us;
}

static double
bare_delivery_us(void *context)
{
	static int fds[FAN_STREAMS], accepted[FAN_STREAMS];
	struct sse_event event = { STR("agent.message"), STR("4711"), str_of(EVENT), 0 };
	struct sink sink = { fds, FAN_STREAMS, false };
	int port, listen_fd = listen_bare(&port);
	struct net_bytes *frame;
	pthread_t thread;
	int64_t begun_ns;

	(void)context;
	for (int i = 0; i < FAN_STREAMS; i++) {
		fds[i] = connect_to(port);
		accepted[i] = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		must(accepted[i] >= 0, "accept");
		setsockopt(accepted[i], IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	}
	must(sse_frame(&event, &frame, NULL) == 0, "frame");
	must(pthread_create(&thread, NULL, drain, &sink) == 0, "thread");
	begun_ns = thread_cpu_ns();
	for (int round = 0; round < FAN_ROUNDS; round++)
		bare_http_send_all(accepted, FAN_STREAMS, net_bytes_chunk(frame).ptr,
				   net_bytes_chunk(frame).len);
	begun_ns = thread_cpu_ns() - begun_ns;
	atomic_store(&sink.stop, true);
	pthread_join(thread, NULL);
	net_bytes_unref(frame);
	close_all(accepted, FAN_STREAMS);
	close_all(fds, FAN_STREAMS);
	close(listen_fd);
	return (double)begun_ns / 1000 / FAN_STREAMS / FAN_ROUNDS;
}

int
main(int argc, char **argv)
{
	const struct bench benches[] = {
		{ "net.cpu_per_request", "us", our_request_us, bare_request_us, NULL, BENCH_AT_MOST,
		  1.5 },
		{ "net.bytes_per_stream", "bytes", bytes_per_stream, NULL, NULL, BENCH_AT_MOST,
		  2048 },
		{ "net.fanout_cpu", "us", our_delivery_us, bare_delivery_us, NULL, BENCH_AT_MOST,
		  1.3 },
	};
	struct rlimit files;

	must(getrlimit(RLIMIT_NOFILE, &files) == 0, "getrlimit");
	files.rlim_cur = files.rlim_max;
	must(setrlimit(RLIMIT_NOFILE, &files) == 0, "setrlimit");
	return bench_run(benches, ARRAY_LEN(benches), argc > 1 ? argv[1] : NULL);
}
