#include "http_load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rand.h"
#include "base/xalloc.h"

enum { REQUEST_MAX = 4096, ANSWER_MAX = 64 * 1024, WAIT_MS = 30000 };

static void
must(bool fine, const char *what)
{
	if (!fine) {
		perror(what);
		abort();
	}
}

int
http_load_connect(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
		close(fd);
		return -1;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	return fd;
}

int
http_load_free_port(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(bind(fd, (struct sockaddr *)&address, len) == 0, "bind");
	must(getsockname(fd, (struct sockaddr *)&address, &len) == 0, "getsockname");
	close(fd);
	return ntohs(address.sin_port);
}

static int
write_request(char *out, const struct http_load *load, const char *method, const char *path)
{
	int n = snprintf(out, REQUEST_MAX,
			 "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
			 "Content-Type: application/json\r\nAccept: application/json\r\n"
			 "Content-Length: %zu\r\n\r\n%s",
			 method, path, load->port, load->token, strlen(load->body), load->body);

	must(n > 0 && n < REQUEST_MAX, "request");
	return n;
}

/* Is the answer whole? Ours carry a length. */
static bool
is_whole(const char *text, size_t len)
{
	const char *end = memmem(text, len, "\r\n\r\n", 4), *length;

	if (!end)
		return false;
	length = memmem(text, (size_t)(end - text), "ontent-", 7);
	while (length && strncasecmp(length, "ontent-length:", 14) != 0)
		length = memmem(length + 1, (size_t)(end - length - 1), "ontent-", 7);
	return length && len >= (size_t)(end + 4 - text) + strtoull(length + 14, NULL, 10);
}

size_t
http_load_once(const struct http_once *once, char *out, size_t size)
{
	struct http_load load = { .port = once->port, .token = once->token, .body = once->body };
	char request[REQUEST_MAX];
	int n = write_request(request, &load, once->method, once->path);
	int fd = http_load_connect(once->port);
	size_t len = 0;

	if (fd < 0)
		return 0;
	must(send(fd, request, (size_t)n, MSG_NOSIGNAL) == n, "send");
	while (!is_whole(out, len)) {
		ssize_t got = read(fd, out + len, size - 1 - len);

		if (got <= 0)
			break;
		len += (size_t)got;
	}
	out[len] = '\0';
	close(fd);
	return len;
}

bool
http_load_is_ready(int port)
{
	char answer[ANSWER_MAX];

	return http_load_once(&(struct http_once){ port, "", "GET", "/readyz", "" }, answer,
			      sizeof answer) > 0 &&
	       strncmp(answer, "HTTP/1.1 200", 12) == 0;
}

int
http_load_stream(int port, const char *token, const char *path)
{
	struct http_load load = { .port = port, .token = token, .body = "" };
	char request[REQUEST_MAX], answer[ANSWER_MAX];
	int n = write_request(request, &load, "GET", path);
	int fd = http_load_connect(port);
	ssize_t got;

	must(fd >= 0 && send(fd, request, (size_t)n, MSG_NOSIGNAL) == n, "stream");
	got = read(fd, answer, sizeof answer);
	must(got > 12 && memcmp(answer, "HTTP/1.1 200", 12) == 0, "stream");
	return fd;
}

static void
await_text(int fd, const char *text)
{
	char answer[ANSWER_MAX];
	size_t len = 0;

	while (!memmem(answer, len, text, strlen(text))) {
		ssize_t got = read(fd, answer + len, sizeof answer - len);
		must(got > 0, text);
		len += (size_t)got;
	}
}

int
http_load_socket(int port, const char *token, const char *path)
{
	static const unsigned char MASK[4] = { 1, 2, 3, 4 };
	char request[REQUEST_MAX], message[120];
	int n = snprintf(
		request, sizeof request,
		"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
		"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
		token);
	int len = snprintf(message, sizeof message, "{\"id\":1,\"path\":\"%s\"}", path);
	int fd = http_load_connect(port);

	must(fd >= 0 && send(fd, request, (size_t)n, MSG_NOSIGNAL) == n, "socket");
	await_text(fd, "\r\n\r\n");
	must(len < (int)sizeof message, "a path that fits");
	request[0] = (char)0x81; /* one whole text, masked */
	request[1] = (char)(0x80 | len);
	memcpy(request + 2, MASK, sizeof MASK);
	for (int i = 0; i < len; i++)
		request[6 + i] = (char)((unsigned char)message[i] ^ MASK[i % 4]);
	must(send(fd, request, (size_t)len + 6, MSG_NOSIGNAL) == len + 6, "subscribe");
	await_text(fd, "subscribed");
	return fd;
}

/* ---- the load ---- */

struct client {
	size_t len;
	int64_t asked_ns;
	char answer[8192];
};

static void
ask(const struct http_load *load, struct rand *r, int fd, struct client *c)
{
	char request[REQUEST_MAX];
	int n = write_request(request, load, "POST", load->paths[rand_below(r, load->path_count)]);

	c->len = 0;
	c->asked_ns = clock_monotonic_ns();
	must(send(fd, request, (size_t)n, MSG_NOSIGNAL) == n, "send");
}

static int
by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

void
http_load_run(const struct http_load *load, struct http_load_result *out)
{
	static struct client clients[HTTP_LOAD_CLIENTS_MAX];
	struct pollfd waits[HTTP_LOAD_CLIENTS_MAX];
	int64_t *took_ns = xcalloc((size_t)load->requests, sizeof *took_ns);
	int64_t begun_ns;
	int asked = 0, answered = 0;
	struct rand r;

	rand_init_seed(&r, 1);
	for (int i = 0; i < load->clients; i++)
		waits[i] = (struct pollfd){ http_load_connect(load->port), POLLIN, 0 };
	begun_ns = clock_monotonic_ns();
	for (int i = 0; i < load->clients; i++, asked++)
		ask(load, &r, waits[i].fd, &clients[i]);
	while (answered < load->requests) {
		must(poll(waits, (nfds_t)load->clients, WAIT_MS) > 0, "poll");
		for (int i = 0; i < load->clients; i++) {
			struct client *c = &clients[i];
			ssize_t n;

			if (!waits[i].revents)
				continue;
			n = read(waits[i].fd, c->answer + c->len, sizeof c->answer - c->len);
			must(n > 0, "read");
			c->len += (size_t)n;
			if (!is_whole(c->answer, c->len))
				continue;
			must(memcmp(c->answer, "HTTP/1.1 200", 12) == 0, c->answer);
			took_ns[answered++] = clock_monotonic_ns() - c->asked_ns;
			if (answered == load->requests)
				break;
			if (asked++ < load->requests)
				ask(load, &r, waits[i].fd, c);
			else
				waits[i].events = 0;
		}
	}
	out->per_second = load->requests / ((double)(clock_monotonic_ns() - begun_ns) / 1e9);
	qsort(took_ns, (size_t)load->requests, sizeof *took_ns, by_size);
	out->p99_ms = (double)took_ns[load->requests * 99 / 100] / 1e6;
	for (int i = 0; i < load->clients; i++)
		close(waits[i].fd);
	free(took_ns);
}
