#include "ws_probe.h"

#include <poll.h>
#include <unistd.h>

#include "base/xalloc.h"

enum { FLOOD_BYTES = 64 * 1024, FRAME_MAX = 8 * 1024 * 1024 };

struct ws_probe {
	struct loop *loop;
	struct probe *probe;
	struct ws_hub *hub;
	struct list live;
};

/* One WebSocket as the test server holds it; ws is NULL before it is accepted. */
struct socket {
	struct list node;
	struct ws_probe *probe;
	struct http_request *request;
	struct ws *ws;
	struct loop_timer *timer;
	int pushes_left;
	bool stays; /* after it is gone */
};

/* --- the server --- */

static void
drop(struct socket *s)
{
	list_remove(&s->node);
	loop_timer_free(&s->timer);
	if (!s->stays)
		atomic_fetch_sub(&s->probe->probe->sockets, 1);
	if (s->ws)
		ws_free(&s->ws);
	else
		http_request_release(s->request);
	free(s);
}

static void
send_text(struct socket *s, struct str text)
{
	struct net_bytes *frame = ws_frame_text(text);

	if (ws_send(s->ws, frame) == ERR_LIMIT)
		atomic_fetch_add(&s->probe->probe->overflows, 1);
	net_bytes_unref(frame);
}

static void
on_resume(void *context)
{
	ws_resume(((struct socket *)context)->ws);
}

static void
after(struct socket *s, void (*fn)(void *), int64_t delay_ms)
{
	loop_timer_free(&s->timer);
	s->timer = loop_timer_new(s->probe->loop, fn, s);
	loop_timer_set(s->timer, delay_ms);
}

/* One message alone may be larger than the queue's limit: now nothing else has room. */
static void
fill_queue(struct socket *s)
{
	struct net_bytes *text = net_bytes_new(FRAME_MAX);

	memset(net_bytes_fill(text), 'q', FRAME_MAX);
	send_text(s, net_bytes_data(text));
	net_bytes_unref(text);
}

/* Sends until told to stop: what a fast source does to a slow reader. */
static void
on_flood(void *context)
{
	static char text[FLOOD_BYTES];
	struct socket *s = context;
	int before = atomic_load(&s->probe->probe->overflows);

	memset(text, 'f', sizeof text);
	send_text(s, (struct str){ text, sizeof text });
	if (atomic_load(&s->probe->probe->overflows) == before)
		loop_timer_set(s->timer, 1);
}

static void
on_drained(void *context)
{
	static char text[FLOOD_BYTES];
	struct socket *s = context;

	if (s->pushes_left == 0)
		return;
	memset(text, 'm', sizeof text);
	s->pushes_left--;
	send_text(s, (struct str){ text, sizeof text });
}

static bool
on_message(void *context, struct str text)
{
	struct socket *s = context;

	if (str_eq(text, STR("close"))) {
		send_text(s, STR("last"));
		ws_close(s->ws, 4001, STR("as you like"));
		send_text(s, STR("never sent"));
		drop(s);
	} else if (str_eq(text, STR("cut"))) {
		drop(s);
	} else if (str_eq(text, STR("hold"))) {
		send_text(s, text);
		after(s, on_resume, WS_PROBE_HOLD_MS);
		return false;
	} else if (str_eq(text, STR("flood"))) {
		after(s, on_flood, 0);
	} else if (str_eq(text, STR("fill"))) {
		s->stays = true;
		fill_queue(s);
	} else if (str_eq(text, STR("paced"))) {
		s->pushes_left = WS_PROBE_PACED;
		on_drained(s);
	} else {
		send_text(s, text);
	}
	return true;
}

static void
on_gone(void *context, const struct ws_gone *gone)
{
	struct socket *s = context;
	struct probe *p = s->probe->probe;

	atomic_store(&p->gone_why, (int)gone->why);
	atomic_store(&p->code, gone->code);
	atomic_fetch_add(&p->gone, 1);
	if (s->stays)
		atomic_fetch_sub(&p->sockets, 1);
	else
		drop(s);
}

static void
accept_socket(void *context)
{
	struct socket *s = context;
	const struct http_head *head = http_request_head(s->request);
	struct ws_want want = { .message_bytes = WS_PROBE_MESSAGE_MAX,
				.events = { on_message, on_drained, on_gone },
				.context = s };
	struct err e;

	if (str_contains(head->query, STR("protocol")))
		want.protocol = STR("test.v1");
	if (ws_accept(s->probe->hub, s->request, &want, &s->ws, &e) != 0)
		drop(s);
}

/* Too early to be accepted: accepting it finds out. */
static void
on_request_gone(void *context, enum http_gone why)
{
	(void)context, (void)why;
}

void
ws_probe_serve(struct ws_probe *w, struct http_request *r)
{
	struct socket *s = xcalloc(1, sizeof *s);

	atomic_fetch_add(&w->probe->sockets, 1);
	s->probe = w;
	s->request = r;
	list_append(&w->live, &s->node);
	http_request_own(r, &(struct http_owner){ on_request_gone, NULL, s });
	if (str_eq(http_request_head(r)->path, STR("/ws/late")))
		after(s, accept_socket, 20);
	else
		accept_socket(s);
}

struct ws_probe *
ws_probe_new(struct loop *loop, struct probe *p)
{
	struct ws_probe *w = xcalloc(1, sizeof *w);

	w->loop = loop;
	w->probe = p;
	w->hub = ws_hub_new(loop, p->ws_beat_ms);
	list_init(&w->live);
	return w;
}

void
ws_probe_free(struct ws_probe **out)
{
	struct ws_probe *w = TAKE(*out);

	while (!list_is_empty(&w->live))
		drop(LIST_OWNER(w->live.next, struct socket, node));
	ws_hub_free(&w->hub);
	free(w);
}

/* --- the client --- */

void
ws_probe_put(struct buf *to, int first, struct str payload)
{
	static const char MASK[] = { 0x37, (char)0xfa, 0x21, 0x3d };
	unsigned bytes = payload.len < 126 ? 0 : payload.len <= UINT16_MAX ? 2 : 8;

	buf_putc(to, (char)first);
	buf_putc(to, (char)(0x80 | (bytes == 0 ? payload.len : bytes == 2 ? 126 : 127)));
	while (bytes-- > 0)
		buf_putc(to, (char)((uint64_t)payload.len >> (8 * bytes)));
	buf_put(to, MASK, sizeof MASK);
	for (size_t i = 0; i < payload.len; i++)
		buf_putc(to, (char)(payload.ptr[i] ^ MASK[i % 4]));
}

void
ws_probe_put_close(struct buf *to, int code, struct str reason)
{
	char payload[WS_CONTROL_MAX] = { (char)(code >> 8), (char)code };

	if (reason.len > 0)
		memcpy(payload + 2, reason.ptr, reason.len);
	ws_probe_put(to, WS_FIN | WS_CLOSE, (struct str){ payload, 2 + reason.len });
}

static bool
read_exactly(int fd, char *to, size_t len)
{
	for (size_t at = 0; at < len;) {
		struct pollfd wait = { fd, POLLIN, 0 };
		ssize_t n = poll(&wait, 1, PROBE_WAIT_MS) > 0 ? read(fd, to + at, len - at) : -1;

		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

struct str
ws_probe_read_head(int fd)
{
	static char text[4096];
	struct str head = { text, 0 };

	while (head.len < sizeof text && !str_ends(head, STR("\r\n\r\n")) &&
	       read_exactly(fd, text + head.len, 1))
		head.len++;
	return head;
}

int
ws_probe_open(const struct probe *p, const char *path)
{
	int fd = probe_connect(p);
	char request[512];
	struct str got;

	snprintf(request, sizeof request, "GET %s HTTP/1.1\r\n" WS_OPEN_HEADERS "\r\n", path);
	probe_send(fd, str_of(request));
	got = ws_probe_read_head(fd);
	if (probe_status(got, 0) != 101)
		fail_msg("not accepted: " STR_FMT, STR_ARG(got));
	return fd;
}

void
ws_probe_send(int fd, int first, struct str payload)
{
	struct buf frame;

	buf_init(&frame, FRAME_MAX);
	ws_probe_put(&frame, first, payload);
	probe_send(fd, buf_str(&frame));
	buf_release(&frame);
}

struct ws_probe_frame
ws_probe_read(int fd)
{
	static char payload[FRAME_MAX];
	struct ws_probe_frame frame = { 0 };
	unsigned char head[2], more[8];
	uint64_t len;
	size_t bytes;

	if (!read_exactly(fd, (char *)head, 2))
		return frame;
	len = head[1]; /* a mask bit would make it too large */
	bytes = len == 126 ? 2 : len == 127 ? 8 : 0;
	if (bytes > 0) {
		if (!read_exactly(fd, (char *)more, bytes))
			return frame;
		len = 0;
		for (size_t i = 0; i < bytes; i++)
			len = len << 8 | more[i];
	}
	if (len > FRAME_MAX || !read_exactly(fd, payload, (size_t)len))
		return frame;
	frame.first = head[0];
	frame.payload = (struct str){ payload, (size_t)len };
	if (frame.first == (WS_FIN | WS_CLOSE) && len >= 2) {
		frame.code = (unsigned char)payload[0] << 8 | (unsigned char)payload[1];
		frame.payload = str_slice(frame.payload, 2, frame.payload.len);
	}
	return frame;
}

struct ws_probe_frame
ws_probe_read_message(int fd)
{
	struct ws_probe_frame frame;

	while ((frame = ws_probe_read(fd)).first == (WS_FIN | WS_PING))
		ws_probe_send(fd, WS_FIN | WS_PONG, frame.payload);
	return frame;
}
