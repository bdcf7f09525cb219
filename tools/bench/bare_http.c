#include "bare_http.h"

#include <llhttp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/xalloc.h"

enum { READ_BYTES = 64 * 1024, BODY_MAX = 4096, EVENTS = 64 };

struct conn {
	llhttp_t parser;
	int fd;
	size_t len;
	char body[BODY_MAX];
};

static int
on_body(llhttp_t *parser, const char *at, size_t len)
{
	struct conn *c = parser->data;

	if (len > BODY_MAX - c->len)
		abort();
	memcpy(c->body + c->len, at, len);
	c->len += len;
	return 0;
}

static int
on_message_complete(llhttp_t *parser)
{
	struct conn *c = parser->data;
	char head[128];
	int n = snprintf(head, sizeof head,
			 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
			 "Content-Length: %zu\r\n\r\n",
			 c->len);
	struct iovec pieces[] = { { head, (size_t)n }, { c->body, c->len } };

	if (writev(c->fd, pieces, 2) != n + (ssize_t)c->len)
		abort();
	c->len = 0;
	return 0;
}

static const llhttp_settings_t SETTINGS = { .on_body = on_body,
					    .on_message_complete = on_message_complete };

static void
accept_one(int epoll_fd, int listen_fd)
{
	struct conn *c = xcalloc(1, sizeof *c);
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
	int on = 1;

	c->fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (c->fd < 0)
		abort();
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	llhttp_init(&c->parser, HTTP_REQUEST, &SETTINGS);
	c->parser.data = c;
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &event);
}

static void
serve_one(struct conn *c, char *buffer)
{
	ssize_t n = read(c->fd, buffer, READ_BYTES);

	if (n <= 0) {
		close(c->fd);
		free(c);
	} else if (llhttp_execute(&c->parser, buffer, (size_t)n) != HPE_OK) {
		abort();
	}
}

void
bare_http_serve(int listen_fd, int stop_fd)
{
	static char buffer[READ_BYTES];
	struct epoll_event events[EVENTS], listener = { .events = EPOLLIN, .data.ptr = NULL };
	struct epoll_event stop = { .events = EPOLLIN, .data.ptr = buffer };
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	bool stopping = false;

	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listen_fd, &listener);
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, stop_fd, &stop);
	while (!stopping) {
		int n = epoll_wait(epoll_fd, events, EVENTS, -1);
		for (int i = 0; i < n; i++) {
			if (!events[i].data.ptr)
				accept_one(epoll_fd, listen_fd);
			else if (events[i].data.ptr == buffer)
				stopping = true;
			else
				serve_one(events[i].data.ptr, buffer);
		}
	}
	close(epoll_fd);
}

void
bare_http_send_all(const int *fds, size_t count, const char *ptr, size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (send(fds[i], ptr, len, MSG_NOSIGNAL) != (ssize_t)len)
			abort();
}
