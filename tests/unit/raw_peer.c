#include "raw_peer.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"

enum { WAIT_MS = 20000 };

static void *
serve(void *context)
{
	struct peer *p = context;
	int fd;

	while ((fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		atomic_fetch_add(&p->connections, 1);
		p->talk(p, fd);
		close(fd);
	}
	return NULL;
}

void
peer_start(struct peer *p)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t len = sizeof address;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(p->listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(p->listener, 64), 0);
	assert_int_equal(getsockname(p->listener, (struct sockaddr *)&address, &len), 0);
	p->port = ntohs(address.sin_port);
	assert_int_equal(pthread_create(&p->thread, NULL, serve, p), 0);
}

void
peer_stop(struct peer *p)
{
	shutdown(p->listener, SHUT_RDWR);
	pthread_join(p->thread, NULL);
	close(p->listener);
}

static ssize_t
read_some(int fd, char *to, size_t room)
{
	struct pollfd wait = { fd, POLLIN, 0 };

	return poll(&wait, 1, WAIT_MS) > 0 ? read(fd, to, room) : -1;
}

bool
peer_read(struct peer *p, int fd, size_t body)
{
	size_t len = 0;
	const char *end = NULL;

	while (!end || (size_t)(p->request + len - (end + 4)) < body) {
		ssize_t n = read_some(fd, p->request + len, PEER_REQUEST_MAX - len);
		if (n <= 0)
			return false;
		len += (size_t)n;
		p->request[len] = '\0';
		end = strstr(p->request, "\r\n\r\n");
	}
	atomic_fetch_add(&p->requests, 1);
	return true;
}

bool
peer_write(int fd, struct str bytes)
{
	while (bytes.len > 0) {
		ssize_t n = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
		if (n < 0)
			return false; /* a client that refuses may have closed */
		bytes = str_slice(bytes, (size_t)n, bytes.len);
	}
	return true;
}

void
peer_linger(int fd)
{
	char sink[4096];

	while (read_some(fd, sink, sizeof sink) > 0)
		;
}

void
peer_reset(int fd)
{
	struct linger now = { 1, 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}
