#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "doctor_rows.h"

/* A program at an address that reads a little and says one thing; NULL: nothing. */
struct peer {
	int fd, port;
	const char *says;
	pthread_t thread;
	char asked[200];
};

static void *
peer_main(void *context)
{
	struct peer *p = context;
	int fd;
	ssize_t got;

	/* the Unix check connects once just to see; whoever says nothing is asked again */
	while ((fd = accept(p->fd, NULL, NULL)) >= 0) {
		got = recv(fd, p->asked, sizeof p->asked - 1, 0);
		p->asked[got > 0 ? got : 0] = '\0';
		if (got > 0 && p->says)
			IGNORE(send(fd, p->says, strlen(p->says), MSG_NOSIGNAL));
		close(fd);
		if (got > 0)
			break;
	}
	return NULL;
}

static void
peer_open_tcp(struct peer *p, const char *says)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof at;

	*p = (struct peer){ .says = says };
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	p->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(p->fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(p->fd, 4), 0);
	assert_int_equal(getsockname(p->fd, (struct sockaddr *)&at, &len), 0);
	p->port = ntohs(at.sin_port);
	assert_int_equal(pthread_create(&p->thread, NULL, peer_main, p), 0);
}

static void
peer_close(struct peer *p)
{
	shutdown(p->fd, SHUT_RDWR);
	pthread_join(p->thread, NULL);
	close(p->fd);
}

static void
check_text(const char *name, const char *text, int64_t holder, const char *want)
{
	struct config *c = config_rows_load(text);
	struct doctor_report r;

	doctor_report_init(&r);
	doctor_listen(&r, c, holder);
	doctor_rows_check(name, &r, want);
	doctor_report_release(&r);
	config_free(&c);
}

static const struct row {
	const char *name, *says, *want;
} ROWS[] = {
	{ "a ready server", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nRequest-Id: req_1\r\n\r\n",
	  "ok listen: 127.0.0.1:%d: a server of ours is there and ready" },
	{ "a server that drains", "HTTP/1.1 503 No\r\nrequest-id: req_1\r\n\r\n",
	  "warn listen: 127.0.0.1:%d: a server of ours is there, but not ready" },
	{ "a server that knows no /readyz", "HTTP/1.1 404 No\r\nrequest-id: req_1\r\n\r\n",
	  "fail listen: 127.0.0.1:%d: taken by something that is no server of ours" },
	{ "another web server", "HTTP/1.1 200 OK\r\nServer: x\r\n\r\n",
	  "fail listen: 127.0.0.1:%d: taken by something that is no server of ours" },
	{ "something that is no web server", "220 mail ready\r\n",
	  "fail listen: 127.0.0.1:%d: taken by something that is no server of ours" },
	{ "something that hangs up", NULL,
	  "fail listen: 127.0.0.1:%d: taken by something that is no server of ours" },
};

static void
taken(void **state)
{
	const struct row *row = *state;
	char text[100], want[200];
	struct peer p;

	peer_open_tcp(&p, row->says);
	snprintf(text, sizeof text, "listen: 127.0.0.1:%d\n", p.port);
	snprintf(want, sizeof want, row->want, p.port);
	check_text(row->name, text, 0, want);
	peer_close(&p);
	assert_true(
		str_starts(str_of(p.asked), STR("GET /readyz HTTP/1.1\r\nHost: localhost\r\n")));
}

static void
a_free_port_is_free(void **state)
{
	char text[200], want[300];
	struct peer p;

	(void)state;
	peer_open_tcp(&p, NULL);
	peer_close(&p);
	snprintf(text, sizeof text, "listen: [127.0.0.1:%d, 127.0.0.1:0]\n", p.port);
	snprintf(want, sizeof want,
		 "ok listen: 127.0.0.1:%d: free\nok listen: 127.0.0.1:0: takes any free port",
		 p.port);
	check_text("free", text, 0, want);
}

static void
an_address_of_another_machine(void **state)
{
	(void)state;
	check_text("foreign", "listen: 203.0.113.1:7340\ninsecure_listen: true\n", 0,
		   "fail listen: 203.0.113.1:7340: Cannot assign requested address");
}

static void
behind_tls_the_lock_decides(void **state)
{
	char text[200], want[200];
	struct peer p;

	(void)state;
	peer_open_tcp(&p, NULL);
	snprintf(text, sizeof text, "listen: 127.0.0.1:%d\ntls: {certificate: /c, key: /k}\n",
		 p.port);
	snprintf(want, sizeof want,
		 "ok listen: 127.0.0.1:%d: taken, as it should be while a server holds the data",
		 p.port);
	check_text("held", text, 42, want);
	snprintf(want, sizeof want,
		 "fail listen: 127.0.0.1:%d: taken, although no server holds the data", p.port);
	check_text("not held", text, 0, want);
	peer_close(&p);
}

static void
a_silent_peer_costs_two_seconds_at_most(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof at;
	char text[100], want[200];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	snprintf(text, sizeof text, "listen: 127.0.0.1:%d\n", ntohs(at.sin_port));
	snprintf(want, sizeof want,
		 "fail listen: 127.0.0.1:%d: taken by something that is no server of ours",
		 ntohs(at.sin_port));
	alarm(20); /* a hang ends the test program */
	check_text("silent", text, 0, want);
	alarm(0);
	close(fd);
}

static void
sockets_in_the_file_system(void **state)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char folder[64], path[128], text[300], want[400];
	struct peer p = { .says = "HTTP/1.1 200 OK\r\nrequest-id: r\r\n\r\n" };

	(void)state;
	config_rows_mkdir(folder);
	snprintf(path, sizeof path, "%s/s", folder);
	snprintf(text, sizeof text, "listen: unix:%s\n", path);
	snprintf(want, sizeof want, "ok listen: unix:%s: free", path);
	check_text("free", text, 0, want);

	memcpy(at.sun_path, path, strlen(path) + 1);
	p.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(p.fd, (struct sockaddr *)&at, sizeof at), 0);
	snprintf(want, sizeof want, "ok listen: unix:%s: left by a dead process, will be replaced",
		 path);
	check_text("left behind", text, 0, want);

	assert_int_equal(listen(p.fd, 4), 0);
	assert_int_equal(pthread_create(&p.thread, NULL, peer_main, &p), 0);
	snprintf(want, sizeof want, "ok listen: unix:%s: a server of ours is there and ready",
		 path);
	check_text("ready", text, 0, want);
	peer_close(&p);
	unlink(path);

	config_rows_write(folder, "s", "", path);
	snprintf(want, sizeof want, "fail listen: unix:%s: there is a file that is no socket",
		 path);
	check_text("a file", text, 0, want);
	unlink(path);
	rmdir(folder);
	snprintf(want, sizeof want,
		 "fail listen: unix:%s: cannot be made there: No such file or directory", path);
	check_text("no folder", text, 0, want);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, taken);
	SUITE_TEST(&s, a_free_port_is_free);
	SUITE_TEST(&s, an_address_of_another_machine);
	SUITE_TEST(&s, behind_tls_the_lock_decides);
	SUITE_TEST(&s, a_silent_peer_costs_two_seconds_at_most);
	SUITE_TEST(&s, sockets_in_the_file_system);
	return suite_run(&s, "app/doctor_listen");
}
