/* doctor_listen - can the server have its addresses, or has it them already and answers? */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/config_folder.h"
#include "app/doctor_private.h"
#include "base/clock.h"

enum { ANSWER_MAX = 8192, NS_PER_MS = 1000000 };
static const int64_t ANSWER_NS = INT64_C(2000) * NS_PER_MS;

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un path;
	};
	socklen_t len;
};

/* What is at the other end of an address that is taken. */
enum answer { ANSWER_READY, ANSWER_NOT_READY, ANSWER_FOREIGN, ANSWER_NOBODY };

/* to_connect: where a client would go when it listens everywhere. */
static struct address
address_of(const struct config_listen *l, bool to_connect)
{
	struct address a = { .len = sizeof a.path };

	memset(&a.path, 0, sizeof a.path);
	if (l->path.len > 0) {
		a.path.sun_family = AF_UNIX;
		memcpy(a.path.sun_path, l->path.ptr, l->path.len);
	} else if (inet_pton(AF_INET, l->host.ptr, &a.v4.sin_addr) == 1) {
		a.len = sizeof a.v4;
		a.v4.sin_family = AF_INET;
		a.v4.sin_port = htons((uint16_t)l->port);
		if (to_connect && a.v4.sin_addr.s_addr == htonl(INADDR_ANY))
			a.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	} else {
		a.len = sizeof a.v6;
		a.v6.sin6_family = AF_INET6;
		a.v6.sin6_port = htons((uint16_t)l->port);
		IGNORE(inet_pton(AF_INET6, l->host.ptr, &a.v6.sin6_addr)); /* was checked */
		if (to_connect && IN6_IS_ADDR_UNSPECIFIED(&a.v6.sin6_addr))
			a.v6.sin6_addr = in6addr_loopback;
	}
	return a;
}

/* ---- asking ---- */

/* True when the descriptor is ready for events before the deadline. */
static bool
wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };
	int64_t left_ms = (deadline_ns - clock_monotonic_ns()) / NS_PER_MS;

	return left_ms > 0 && poll(&p, 1, (int)left_ms) == 1;
}

/* A connected socket, or -1 with errno. */
static int
connect_to(const struct address *a, int64_t deadline_ns)
{
	int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int why = 0;
	socklen_t len = sizeof why;

	if (fd < 0)
		return -1;
	if (connect(fd, &a->any, a->len) == 0)
		return fd;
	why = errno;
	if (why == EINPROGRESS) {
		why = ETIMEDOUT;
		if (wait_for(fd, POLLOUT, deadline_ns) &&
		    getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len) == 0 && why == 0)
			return fd;
	}
	close(fd);
	errno = why;
	return -1;
}

static size_t
read_answer(int fd, int64_t deadline_ns, char *to, size_t size)
{
	size_t len = 0;

	while (len < size && wait_for(fd, POLLIN, deadline_ns)) {
		ssize_t got = recv(fd, to + len, size - len, 0);
		if (got <= 0)
			break;
		len += (size_t)got;
		if (str_contains((struct str){ to, len }, STR("\r\n\r\n")))
			break;
	}
	return len;
}

/* Every answer of ours carries a request id; another program's 200 is no proof of anything. */
static bool
has_request_id(struct str head)
{
	struct str line, name, value;

	while (str_cut(head, '\n', &line, &head))
		if (str_cut(line, ':', &name, &value) && str_eq_nocase(name, STR("request-id")))
			return true;
	return false;
}

static enum answer
ask(const struct address *a)
{
	static const char REQUEST[] = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n"
				      "Connection: close\r\n\r\n";
	int64_t deadline_ns = clock_monotonic_ns() + ANSWER_NS;
	char text[ANSWER_MAX];
	struct str head = { text, 0 };
	int fd = connect_to(a, deadline_ns);

	if (fd < 0)
		return ANSWER_NOBODY;
	if (send(fd, REQUEST, sizeof REQUEST - 1, MSG_NOSIGNAL) == (ssize_t)sizeof REQUEST - 1)
		head.len = read_answer(fd, deadline_ns, text, sizeof text);
	close(fd);
	if (!has_request_id(head))
		return ANSWER_FOREIGN;
	if (str_starts(head, STR("HTTP/1.1 200 ")))
		return ANSWER_READY;
	return str_starts(head, STR("HTTP/1.1 503 ")) ? ANSWER_NOT_READY : ANSWER_FOREIGN;
}

/* ---- verdicts ---- */

static void
report_taken(struct doctor_report *r, const struct config_listen *l, const struct address *a)
{
	switch (ask(a)) {
	case ANSWER_READY:
		doctor_report_ok(r, "listen", STR_FMT ": a server of ours is there and ready",
				 STR_ARG(l->text));
		return;
	case ANSWER_NOT_READY:
		doctor_report_add(r, DOCTOR_WARN, "listen", "wait, then look at its log",
				  STR_FMT ": a server of ours is there, but not ready",
				  STR_ARG(l->text));
		return;
	case ANSWER_FOREIGN:
	case ANSWER_NOBODY:
		doctor_report_add(
			r, DOCTOR_FAIL, "listen",
			"stop what has it (ss -ltnp), or name another address with listen:",
			STR_FMT ": taken by something that is no server of ours", STR_ARG(l->text));
		return;
	}
}

/* Behind tls a plain question gets no answer: the lock has to do. */
static void
report_taken_tls(struct doctor_report *r, const struct config_listen *l, int64_t holder)
{
	if (holder != 0)
		doctor_report_ok(r, "listen",
				 STR_FMT ": taken, as it should be while a server holds the data",
				 STR_ARG(l->text));
	else
		doctor_report_add(
			r, DOCTOR_FAIL, "listen",
			"stop what has it (ss -ltnp), or name another address with listen:",
			STR_FMT ": taken, although no server holds the data", STR_ARG(l->text));
}

/* 0 when the server could listen there; else errno. */
static int
try_bind(const struct address *a)
{
	int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, why = 0;

	if (fd < 0)
		return errno;
	IGNORE(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on)); /* as the server does */
	if (bind(fd, &a->any, a->len) != 0)
		why = errno;
	close(fd);
	return why;
}

static void
check_tcp(struct doctor_report *r, const struct config *c, const struct config_listen *l,
	  int64_t holder)
{
	struct address here = address_of(l, false), there = address_of(l, true);
	int why = try_bind(&here);

	if (why == 0)
		doctor_report_ok(r, "listen", STR_FMT ": free", STR_ARG(l->text));
	else if (why == EADDRINUSE && c->tls.certificate.len > 0)
		report_taken_tls(r, l, holder);
	else if (why == EADDRINUSE)
		report_taken(r, l, &there);
	else
		doctor_report_add(r, DOCTOR_FAIL, "listen",
				  why == EACCES ? "use a port from 1024 on, or give the server "
						  "CAP_NET_BIND_SERVICE"
						: "use an address of this machine (ip address)",
				  STR_FMT ": %s", STR_ARG(l->text), strerror(why));
}

static void
check_unix(struct doctor_report *r, const struct config_listen *l)
{
	struct str folder = arena_str(&r->a, config_folder_of(l->path));
	struct address a = address_of(l, true);
	struct stat st;
	int fd;

	if (lstat(l->path.ptr, &st) != 0) {
		if (access(folder.len > 0 ? folder.ptr : ".", W_OK | X_OK) == 0)
			doctor_report_ok(r, "listen", STR_FMT ": free", STR_ARG(l->text));
		else
			doctor_report_add(r, DOCTOR_FAIL, "listen",
					  "make its folder, writable for the server's user",
					  STR_FMT ": cannot be made there: %s", STR_ARG(l->text),
					  strerror(errno));
		return;
	}
	if (!S_ISSOCK(st.st_mode)) {
		doctor_report_add(r, DOCTOR_FAIL, "listen", "remove it or name another path",
				  STR_FMT ": there is a file that is no socket", STR_ARG(l->text));
		return;
	}
	fd = connect_to(&a, clock_monotonic_ns() + ANSWER_NS);
	if (fd < 0 && errno == ECONNREFUSED) {
		doctor_report_ok(r, "listen", STR_FMT ": left by a dead process, will be replaced",
				 STR_ARG(l->text));
		return;
	}
	if (fd >= 0)
		close(fd);
	report_taken(r, l, &a);
}

void
doctor_listen(struct doctor_report *r, const struct config *c, int64_t holder)
{
	for (size_t i = 0; i < c->listen.len; i++) {
		const struct config_listen *l = &c->listen.ptr[i];
		if (l->path.len > 0)
			check_unix(r, l);
		else if (l->port == 0)
			doctor_report_ok(r, "listen", STR_FMT ": takes any free port",
					 STR_ARG(l->text));
		else
			check_tcp(r, c, l, holder);
	}
}
