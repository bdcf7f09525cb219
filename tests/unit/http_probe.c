#include "http_probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "ws_probe.h"

enum { READ_MAX = 16 * 1024 * 1024, FLOOD_BYTES = 64 * 1024 };

struct probe_server {
	struct probe *probe;
	pthread_t thread;
	struct loop *loop;
	struct http_server *http;
	struct sse *sse;
	struct ws_probe *ws;
	struct loop_wake *wake;
	atomic_bool started;
	void (*call)(struct probe *p, struct http_server *s);
	atomic_int calls_asked, calls_done;
	bool stop;
	struct list live; /* exchanges whose request is not released */
};

/* One request as the test server holds it. */
struct exchange {
	struct list node;
	struct probe_server *server;
	struct http_request *request;
	struct loop_timer *timer;
	struct sse_stream stream;
	size_t pieces_bytes;
	int pushes_left;
};

static void
finish(struct exchange *x)
{
	list_remove(&x->node);
	sse_leave(&x->stream);
	loop_timer_free(&x->timer);
	http_request_release(x->request);
	free(x);
}

static void
reply(struct exchange *x, int status, struct str body)
{
	struct http_reply r = { .status = status, .content_type = STR("text/plain"), .body = body };

	http_request_reply(x->request, &r);
	finish(x);
}

static void
on_gone(void *context, enum http_gone why)
{
	struct exchange *x = context;
	struct probe *p = x->server->probe;

	atomic_store(&p->gone_why, (int)why);
	atomic_fetch_add(&p->gone, 1);
	finish(x);
}

static bool
echo_body(void *context, struct str part, bool last)
{
	assert_true(last);
	reply(context, 200, part);
	return true;
}

static void
on_late(void *context)
{
	reply(context, 200, STR("late"));
}

static void
on_resume(void *context)
{
	http_request_resume(((struct exchange *)context)->request);
}

/* Counts pieces; holds each back for a moment. */
static bool
count_piece(void *context, struct str part, bool last)
{
	struct exchange *x = context;

	x->pieces_bytes += part.len;
	if (last) {
		struct str text =
			arena_printf(http_request_arena(x->request), "%zu", x->pieces_bytes);
		reply(x, 200, text);
		return true;
	}
	loop_timer_free(&x->timer);
	x->timer = loop_timer_new(x->server->loop, on_resume, x);
	loop_timer_set(x->timer, 1);
	return false;
}

static void
ask_body(struct exchange *x, http_body_fn fn, size_t max, bool in_pieces)
{
	http_request_body(x->request, &(struct http_body_want){ max, in_pieces, fn, x });
}

static void
on_ask_late(void *context)
{
	ask_body(context, echo_body, HTTP_BODY_DEFAULT, false);
}

static void
after(struct exchange *x, void (*fn)(void *), int64_t delay_ms)
{
	x->timer = loop_timer_new(x->server->loop, fn, x);
	loop_timer_set(x->timer, delay_ms);
}

/* Pushes until told to stop: what a fast source does to a slow reader. */
static void
on_flood(void *context)
{
	struct exchange *x = context;
	struct net_bytes *b = net_bytes_new(FLOOD_BYTES);

	memset(net_bytes_fill(b), 'f', FLOOD_BYTES);
	if (http_request_push(x->request, b) == ERR_LIMIT)
		atomic_fetch_add(&x->server->probe->overflows, 1);
	else
		loop_timer_set(x->timer, 1);
	net_bytes_unref(b);
}

/* A long answer at the reader's pace: the next piece when the last has left. */
static void
on_more(void *context)
{
	struct exchange *x = context;
	struct net_bytes *b;

	if (x->pushes_left-- == 0) {
		http_request_end(x->request);
		finish(x);
		return;
	}
	b = net_bytes_new(FLOOD_BYTES);
	memset(net_bytes_fill(b), 'm', FLOOD_BYTES);
	if (http_request_push(x->request, b) != 0)
		abort();
	net_bytes_unref(b);
}

static void
open_stream(struct exchange *x, void (*on_drained)(void *))
{
	http_request_own(x->request, &(struct http_owner){ on_gone, on_drained, x });
	http_request_open(x->request, &(struct http_reply){ .status = 200 });
}

static void
push_words(struct exchange *x)
{
	static const struct str WORDS[] = { STR("one "), STR("two "), STR("three") };

	open_stream(x, NULL);
	for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
		struct net_bytes *b = net_bytes_copy(WORDS[i]);
		IGNORE(http_request_push(x->request, b)); /* over already for HEAD */
		net_bytes_unref(b);
	}
	http_request_end(x->request);
	finish(x);
}

static void
open_sse(struct exchange *x)
{
	struct sse_event hello = { .name = STR("hello"), .id = STR("1"), .data = STR("{}") };
	struct net_bytes *frame;

	http_request_own(x->request, &(struct http_owner){ on_gone, NULL, x });
	sse_open(x->server->sse, &x->stream, x->request, NULL, 0);
	if (sse_frame(&hello, &frame, NULL) != 0)
		abort();
	IGNORE(sse_send(&x->stream, frame)); /* the client may have left */
	net_bytes_unref(frame);
}

/* Echoes, three bytes at a time and the next a moment later; '$' ends it and '!' cuts it. */
static size_t
on_tunnel(void *context, struct str bytes)
{
	struct exchange *x = context;
	struct str part = str_slice(bytes, 0, 3);
	struct net_bytes *b;

	if (str_contains(part, STR("!"))) {
		http_request_cut(x->request, HTTP_GONE_STALLED);
		return bytes.len;
	}
	b = net_bytes_copy(part);
	IGNORE(http_request_push(x->request, b)); /* the client may have left */
	net_bytes_unref(b);
	if (str_contains(part, STR("$"))) {
		http_request_end(x->request);
		finish(x);
		return part.len;
	}
	loop_timer_free(&x->timer);
	x->timer = loop_timer_new(x->server->loop, on_resume, x);
	loop_timer_set(x->timer, 1);
	return part.len;
}

static void
open_tunnel(struct exchange *x)
{
	static const struct http_header HEADERS[] = { { STR("Connection"), STR("Upgrade") },
						      { STR("Upgrade"), STR("echo") } };
	struct http_reply answer = { 101, HEADERS, ARRAY_LEN(HEADERS), { 0 }, { 0 } };

	if (http_request_upgrade(x->request, &answer, on_tunnel, x) != 0)
		finish(x);
}

static void
refuse(struct exchange *x)
{
	http_request_refuse(x->request, 409, "not now",
			    &(struct http_header){ STR("Retry-After"), STR("1") }, 1);
	finish(x);
}

static void
describe(struct exchange *x)
{
	const struct http_head *h = http_request_head(x->request);
	struct str name = http_head_find(h, STR("x-name"));

	reply(x, 200,
	      arena_printf(http_request_arena(x->request),
			   "method=" STR_FMT " path=" STR_FMT " query=" STR_FMT " peer=" STR_FMT
			   " name=%s" STR_FMT " headers=%zu",
			   STR_ARG(h->method), STR_ARG(h->path), STR_ARG(h->query),
			   STR_ARG(h->peer), name.ptr ? "" : "absent", STR_ARG(name),
			   h->header_count));
}

static void
reply_big(struct exchange *x)
{
	size_t len = 8 * 1024 * 1024;
	char *text = arena_alloc_raw(http_request_arena(x->request), len);

	memset(text, 'b', len);
	reply(x, 200, (struct str){ text, len });
}

static void
serve(struct exchange *x, struct str path)
{
	if (str_eq(path, STR("/echo")))
		ask_body(x, echo_body, HTTP_BODY_DEFAULT, false);
	else if (str_eq(path, STR("/small")))
		ask_body(x, echo_body, 10, false);
	else if (str_eq(path, STR("/pieces")))
		ask_body(x, count_piece, 64 * 1024 * 1024, true);
	else if (str_eq(path, STR("/ask-late")))
		after(x, on_ask_late, 20);
	else if (str_eq(path, STR("/late")))
		after(x, on_late, 20);
	else if (str_eq(path, STR("/never")))
		return;
	else if (str_eq(path, STR("/drop")))
		finish(x);
	else if (str_eq(path, STR("/words")))
		push_words(x);
	else if (str_eq(path, STR("/sse")))
		open_sse(x);
	else if (str_eq(path, STR("/big")))
		reply_big(x);
	else if (str_eq(path, STR("/tunnel")))
		open_tunnel(x);
	else if (str_eq(path, STR("/refuse")))
		refuse(x);
	else if (str_eq(path, STR("/none")))
		reply(x, 204, STR("not sent"));
	else if (str_eq(path, STR("/flood"))) {
		open_stream(x, NULL);
		after(x, on_flood, 0);
	} else if (str_eq(path, STR("/paced")) || str_eq(path, STR("/endless"))) {
		x->pushes_left = str_eq(path, STR("/paced")) ? 64 : INT_MAX;
		open_stream(x, on_more);
		on_more(x);
	} else {
		describe(x);
	}
}

static void
on_request(void *context, struct http_request *r)
{
	struct probe_server *s = context;
	struct exchange *x;

	atomic_fetch_add(&s->probe->requests, 1);
	if (str_starts(http_request_head(r)->path, STR("/ws"))) {
		ws_probe_serve(s->ws, r);
		return;
	}
	x = xcalloc(1, sizeof *x);
	x->server = s;
	x->request = r;
	list_init(&x->stream.node);
	list_append(&s->live, &x->node);
	http_request_own(r, &(struct http_owner){ on_gone, NULL, x });
	serve(x, http_request_head(r)->path);
}

static void
on_wake(void *context)
{
	struct probe_server *s = context;

	if (s->stop) {
		loop_stop(s->loop);
		return;
	}
	s->call(s->probe, s->http);
	atomic_fetch_add(&s->calls_done, 1);
}

static int
listen_port(struct http_server *s, struct probe *p, struct err *e)
{
	struct tls_config *config;
	int rc;

	if (!p->tls_cert)
		return http_server_listen_tcp(s, "127.0.0.1", 0, &p->port, e);
	config = tls_config_new(p->tls_cert, p->tls_key, e);
	if (!config)
		return e->code;
	http_server_use_tls(s, config);
	rc = http_server_listen_tls(s, "127.0.0.1", 0, &p->port, e);
	tls_config_unref(config);
	return rc;
}

static void *
run(void *context)
{
	struct probe_server *s = context;
	struct probe *p = s->probe;
	const struct http_handler handler = { on_request, NULL, s };
	struct err e;

	s->loop = loop_new();
	s->http = http_server_new(s->loop, &handler, &p->limits);
	s->sse = sse_new(s->loop, 160);
	s->ws = ws_probe_new(s->loop, p);
	s->wake = loop_wake_new(s->loop, on_wake, s);
	if (listen_port(s->http, p, &e) != 0 ||
	    http_server_listen_unix(s->http, p->unix_path, &e) != 0) {
		fprintf(stderr, "probe: %s\n", e.text);
		abort();
	}
	atomic_store(&s->started, true);
	loop_run(s->loop);
	http_server_free(&s->http);
	loop_wake_free(&s->wake);
	loop_settle(s->loop);
	while (!list_is_empty(&s->live)) /* answered, but nobody told them */
		finish(LIST_OWNER(s->live.next, struct exchange, node));
	sse_free(&s->sse);
	ws_probe_free(&s->ws);
	loop_free(&s->loop);
	return NULL;
}

/* Short beside what a call on another thread takes: hundreds of them make a test. */
static void
pause_briefly(void)
{
	usleep(50);
}

void
probe_init(struct probe *p)
{
	static int next;

	*p = (struct probe){ .limits = HTTP_LIMITS_DEFAULT, .ws_beat_ms = PROBE_WAIT_MS };
	snprintf(p->unix_path, sizeof p->unix_path, "/tmp/perdure-probe-%d-%d.sock", getpid(),
		 next++);
	p->limits.linger_ms = 2000;
}

void
probe_start(struct probe *p)
{
	p->server = xcalloc(1, sizeof *p->server);
	p->server->probe = p;
	list_init(&p->server->live);
	if (pthread_create(&p->server->thread, NULL, run, p->server) != 0)
		fail_msg("no thread");
	while (!atomic_load(&p->server->started))
		pause_briefly();
}

void
probe_call(struct probe *p, void (*fn)(struct probe *p, struct http_server *s))
{
	p->server->call = fn;
	loop_wake_send(p->server->wake);
	probe_wait("a call on the server's thread", &p->server->calls_done,
		   atomic_fetch_add(&p->server->calls_asked, 1) + 1);
}

void
probe_stop(struct probe *p)
{
	p->server->stop = true;
	loop_wake_send(p->server->wake);
	pthread_join(p->server->thread, NULL);
	free(p->server);
	p->server = NULL;
}

void
probe_wait(const char *what, const atomic_int *number, int least)
{
	int64_t until_ns = clock_monotonic_ns() + INT64_C(1000000) * PROBE_WAIT_MS;

	while (atomic_load(number) < least) {
		if (clock_monotonic_ns() > until_ns)
			fail_msg("waited in vain for %s: %d of %d", what, atomic_load(number),
				 least);
		pause_briefly();
	}
}

int
probe_connect(const struct probe *p)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)p->port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		fail_msg("connect: %s", strerror(errno));
	return fd;
}

int
probe_connect_unix(const struct probe *p)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "%s", p->unix_path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		fail_msg("connect: %s", strerror(errno));
	return fd;
}

void
probe_send(int fd, struct str bytes)
{
	while (bytes.len > 0) {
		ssize_t n = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
		if (n < 0)
			return; /* a server that refuses may close while we still talk */
		bytes = str_slice(bytes, (size_t)n, bytes.len);
	}
}

struct str
probe_read(int fd, const char *until, bool *closed)
{
	static char text[READ_MAX + 1];
	size_t len = 0;
	bool over = false;

	while (len < READ_MAX && !(until && len > 0 && strstr(text, until))) {
		struct pollfd wait = { fd, POLLIN, 0 };
		ssize_t n;

		if (poll(&wait, 1, PROBE_WAIT_MS) <= 0)
			break;
		n = read(fd, text + len, READ_MAX - len);
		over = n <= 0;
		if (over)
			break;
		len += (size_t)n;
		text[len] = '\0';
	}
	text[len] = '\0';
	if (closed)
		*closed = over;
	return (struct str){ text, len };
}

struct str
probe_read_all(int fd)
{
	bool closed;
	struct str text = probe_read(fd, NULL, &closed);

	if (!closed)
		fail_msg("the connection stayed open after: " STR_FMT, STR_ARG(text));
	return text;
}

struct str
probe_ask(const struct probe *p, struct str bytes)
{
	int fd = probe_connect(p);
	struct str text;

	probe_send(fd, bytes);
	text = probe_read_all(fd);
	close(fd);
	return text;
}

int
probe_status(struct str answers, unsigned nth)
{
	size_t at = 0;
	int64_t status = 0;

	for (unsigned i = 0; str_find(answers, STR("HTTP/1.1 "), at, &at); i++) {
		at += 9;
		if (i == nth && str_to_int(str_slice(answers, at, at + 3), &status))
			return (int)status;
	}
	return 0;
}

bool
probe_is_alive(int fd)
{
	probe_send(fd, STR("GET /alive HTTP/1.1\r\nHost: x\r\n\r\n"));
	return str_contains(probe_read(fd, "path=/alive", NULL), STR("path=/alive"));
}
