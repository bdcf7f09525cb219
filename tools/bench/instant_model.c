#include "instant_model.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"

/* Steady answers take turns within a thirtieth of a second, as they would by chance. */
enum {
	REQUEST_MAX = 1 << 20,
	EVENTS = 64,
	TURNS = 8,
	TICK_NS = 1000000000 / STEADY_PER_SECOND / TURNS
};

#define CHUNK(delta, finish)                                                      \
	"data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1," \
	"\"model\":\"bench\",\"choices\":[{\"index\":0,\"delta\":{" delta         \
	"},\"finish_reason\":" finish "}]}\n\n"
static const char HEAD[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
			   "Transfer-Encoding: chunked\r\n\r\n";
static const char FIRST[] = CHUNK("\"role\":\"assistant\",\"content\":\"Said\"", "null");
static const char WORD[] = CHUNK("\"content\":\" something\"", "null");
static const char LAST[] = CHUNK(
	"", "\"stop\"") "data: "
			"{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,"
			"\"model\":\"bench\","
			"\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,"
			"\"total_tokens\":15}}\n\ndata: [DONE]\n\n";

struct conn {
	struct conn *prev, *next; /* among all */
	int fd;
	unsigned turn;  /* when it says its words */
	int words_left; /* 0: it waits for a request */
	size_t len;
	char request[REQUEST_MAX];
};

static struct conn all = { &all, &all };
static unsigned made;

static void
must(bool fine, const char *what)
{
	if (!fine) {
		perror(what);
		_exit(1);
	}
}

static void
drop(struct conn *c)
{
	c->prev->next = c->next;
	c->next->prev = c->prev;
	close(c->fd);
	free(c);
}

static void
say(struct conn *c, const char *text, size_t len)
{
	/* Who does not read any more is noticed by reading. */
	ssize_t sent = send(c->fd, text, len, MSG_NOSIGNAL);

	(void)sent;
}

static size_t
put_chunk(char *out, size_t size, const char *text, bool last)
{
	return (size_t)snprintf(out, size, "%zx\r\n%s\r\n%s", strlen(text), text,
				last ? "0\r\n\r\n" : "");
}

static void
answer(struct conn *c)
{
	bool steady = memmem(c->request, c->len, "\"steady\"", 8) != NULL;
	char out[4096];
	size_t n = (size_t)snprintf(out, sizeof out, "%s", HEAD);

	n += put_chunk(out + n, sizeof out - n, FIRST, false);
	if (!steady) {
		n += put_chunk(out + n, sizeof out - n, WORD, false);
		n += put_chunk(out + n, sizeof out - n, LAST, true);
	}
	c->words_left = steady ? STEADY_WORDS : 0;
	c->len = 0;
	say(c, out, n);
}

/* All of it? Requests carry a length. */
static bool
is_whole(const struct conn *c)
{
	const char *end = memmem(c->request, c->len, "\r\n\r\n", 4);
	const char *length = end ? strcasestr(c->request, "\ncontent-length:") : NULL;

	return length && length < end &&
	       c->len >= (size_t)(end + 4 - c->request) + strtoull(length + 16, NULL, 10);
}

static void
on_readable(struct conn *c)
{
	ssize_t n = read(c->fd, c->request + c->len, sizeof c->request - 1 - c->len);

	if (n <= 0) {
		drop(c);
		return;
	}
	c->len += (size_t)n;
	c->request[c->len] = '\0';
	if (is_whole(c))
		answer(c);
}

static void
on_tick(int timer_fd)
{
	static unsigned turn;
	char word[1024], last[1024];
	size_t word_len = put_chunk(word, sizeof word, WORD, false);
	size_t last_len = put_chunk(last, sizeof last, LAST, true);
	uint64_t ticks;

	must(read(timer_fd, &ticks, sizeof ticks) == sizeof ticks, "timer");
	for (; ticks > 0; ticks--, turn++)
		for (struct conn *c = all.next; c != &all; c = c->next) {
			if (c->words_left == 0 || c->turn != turn % TURNS)
				continue;
			if (--c->words_left > 0)
				say(c, word, word_len);
			else
				say(c, last, last_len);
		}
}

static void
on_connection(int epoll_fd, int listen_fd)
{
	struct conn *c = xmalloc(sizeof *c);
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };

	c->fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	must(c->fd >= 0, "accept");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	c->turn = made++ % TURNS;
	c->words_left = 0;
	c->len = 0;
	c->next = &all;
	c->prev = all.prev;
	all.prev->next = c;
	all.prev = c;
	must(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &event) == 0, "epoll_ctl");
}

static void
serve(int listen_fd)
{
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	int timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct itimerspec tick = { { 0, TICK_NS }, { 0, TICK_NS } };
	struct epoll_event events[EVENTS], listener = { .events = EPOLLIN, .data.ptr = NULL };
	struct epoll_event timer = { .events = EPOLLIN, .data.ptr = &all };

	must(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listen_fd, &listener) == 0, "epoll_ctl");
	must(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer_fd, &timer) == 0, "epoll_ctl");
	must(timerfd_settime(timer_fd, 0, &tick, NULL) == 0, "timerfd_settime");
	for (;;) {
		int n = epoll_wait(epoll_fd, events, EVENTS, -1);

		for (int i = 0; i < n; i++) {
			if (!events[i].data.ptr)
				on_connection(epoll_fd, listen_fd);
			else if (events[i].data.ptr == &all)
				on_tick(timer_fd);
			else
				on_readable(events[i].data.ptr);
		}
	}
}

static int
listen_here(int *port)
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

void
instant_model_start(struct instant_model *m)
{
	int fd = listen_here(&m->port);

	m->pid = fork();
	must(m->pid >= 0, "fork");
	if (m->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(fd);
	}
	close(fd);
}

void
instant_model_stop(struct instant_model *m)
{
	int status;

	kill(m->pid, SIGKILL);
	must(waitpid(m->pid, &status, 0) == m->pid, "waitpid");
}
