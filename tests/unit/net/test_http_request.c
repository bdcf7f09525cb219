#include "net/http_request.h"

#include <sys/socket.h>
#include <unistd.h>

#include "http_probe.h"

static struct probe probe;

static void
head_is_told_whole(void **state)
{
	struct str got = probe_ask(&probe, STR("PUT /a%20b?c=d HTTP/1.1\r\nHost: x\r\nX-Name: n\r\n"
					       "Connection: close\r\n\r\n"));

	(void)state;
	assert_true(str_ends(
		got, STR("method=PUT path=/a%20b query=c=d peer=127.0.0.1 name=n headers=3")));
}

static void
absent_header_is_null(void **state)
{
	const struct http_header headers[] = { { STR("a"), STR("1") },
					       { STR("a"), STR("2") },
					       { STR("e"), STR("") } };
	const struct http_head head = { .headers = headers, .header_count = ARRAY_LEN(headers) };

	(void)state;
	check_str("the first of two", http_head_find(&head, STR("a")), STR("1"));
	assert_non_null(http_head_find(&head, STR("e")).ptr);
	assert_null(http_head_find(&head, STR("b")).ptr);
}

static const struct row {
	const char *name;
	const char *path;
	bool reset;
} ROWS[] = {
	{ "a client that hangs up cancels a request", "/never", false },
	{ "a client that resets cancels a request", "/never", true },
	{ "a client that hangs up ends a stream", "/sse", false },
	{ "a client that resets ends a stream", "/sse", true },
};

static void
owner_hears_of_it(void **state)
{
	const struct row *row = *state;
	int fd = probe_connect(&probe), gone = atomic_load(&probe.gone);
	int requests = atomic_load(&probe.requests);
	char text[128];

	snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", row->path);
	probe_send(fd, str_of(text));
	probe_wait("the request", &probe.requests, requests + 1);
	if (row->reset) {
		struct linger now = { 1, 0 };
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
	}
	close(fd);
	probe_wait("the owner to be told", &probe.gone, gone + 1);
	assert_int_equal(atomic_load(&probe.gone_why), HTTP_GONE_PEER);
}

static void
late_answer_to_nobody_is_harmless(void **state)
{
	int requests = atomic_load(&probe.requests);

	(void)state;
	for (int i = 0; i < 50; i++) {
		int fd = probe_connect(&probe);
		struct linger now = { 1, 0 };

		probe_send(fd, STR("GET /late HTTP/1.1\r\nHost: x\r\n\r\n"));
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
		close(fd);
	}
	int fd = probe_connect(&probe);
	assert_true(probe_is_alive(fd));
	assert_true(atomic_load(&probe.requests) > requests);
	close(fd);
}

/* Everything that may be called is called after the client went away. */
static struct http_request *held;

static void
hold(void *context, struct http_request *r)
{
	(void)context;
	held = r;
}

static void
use_after_gone(void *context, enum http_gone why)
{
	struct net_bytes *b = net_bytes_copy(STR("x"));

	assert_int_equal(why, HTTP_GONE_SHUTDOWN);
	http_request_body(held, &(struct http_body_want){ .max_bytes = 1 });
	http_request_resume(held);
	http_request_reply(held, &(struct http_reply){ .status = 200 });
	http_request_open(held, &(struct http_reply){ .status = 200 });
	assert_int_equal(http_request_push(held, b), ERR_UNAVAILABLE);
	assert_int_equal(http_request_queued_bytes(held), 0);
	http_request_end(held);
	assert_true(http_request_is_over(held));
	http_request_release(held);
	net_bytes_unref(b);
	*(bool *)context = true;
}

static void
stop_when_held(void *context)
{
	struct loop *loop = context;

	if (held)
		loop_stop(loop);
}

static void
handle_is_valid_until_released(void **state)
{
	const struct http_handler handler = { .on_request = hold };
	struct loop *loop = loop_new();
	struct http_server *server = http_server_new(loop, &handler, &HTTP_LIMITS_DEFAULT);
	struct loop_timer *timer = loop_timer_new(loop, stop_when_held, loop);
	struct probe client = { 0 };
	bool told = false;
	int fd;

	(void)state;
	assert_int_equal(http_server_listen_tcp(server, "127.0.0.1", 0, &client.port, NULL), 0);
	fd = probe_connect(&client);
	probe_send(fd, STR("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
	for (int i = 0; i < 1000 && !held; i++) {
		loop_timer_set(timer, 5);
		loop_settle(loop);
	}
	assert_non_null(held);
	http_request_own(held, &(struct http_owner){ .on_gone = use_after_gone, .context = &told });
	http_server_free(&server);
	assert_false(told); /* not inside the call */
	loop_settle(loop);
	assert_true(told);
	loop_timer_free(&timer);
	loop_free(&loop);
	close(fd);
}

#define TUNNEL "GET /tunnel HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"

/* What comes in one packet with the request, and what its owner holds back, arrives in order; a
 * request behind it is none. */
static void
tunnel_carries_bytes_both_ways(void **state)
{
	int requests = atomic_load(&probe.requests);
	struct str got = probe_ask(&probe, STR(TUNNEL "GET / HTTP/1.1\r\n\r\n$"));

	(void)state;
	check_str("answer", got,
		  STR("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
		      "Upgrade: echo\r\n\r\nGET / HTTP/1.1\r\n\r\n$"));
	assert_int_equal(atomic_load(&probe.requests), requests + 1);
}

static void
tunnel_holds_back_what_is_too_much(void **state)
{
	int fd = probe_connect(&probe), other = probe_connect(&probe);
	struct buf input;

	(void)state;
	buf_init(&input, 1 << 20);
	buf_puts(&input, TUNNEL);
	for (int i = 0; i < 100000; i++)
		buf_puts(&input, "abc");
	probe_send(fd, buf_str(&input)); /* more than is read ahead */
	assert_true(str_contains(probe_read(fd, "abcabcabcabc", NULL), STR("abcabcabcabc")));
	assert_true(probe_is_alive(other));
	buf_release(&input);
	close(fd);
	close(other);
}

static void
cut_tunnel_has_no_end(void **state)
{
	int gone = atomic_load(&probe.gone);
	struct str got = probe_ask(&probe, STR(TUNNEL "ab!"));

	(void)state;
	assert_true(str_ends(got, STR("\r\n\r\n")));
	probe_wait("the owner to be told", &probe.gone, gone + 1);
	assert_int_equal(atomic_load(&probe.gone_why), HTTP_GONE_STALLED);
}

static void
refusal_has_its_own_headers(void **state)
{
	int fd = probe_connect(&probe);
	struct str got;

	(void)state;
	probe_send(fd, STR("GET /refuse HTTP/1.1\r\nHost: x\r\n\r\n"));
	got = probe_read(fd, "}}", NULL);
	assert_int_equal(probe_status(got, 0), 409);
	assert_true(str_contains(got, STR("\r\nRetry-After: 1\r\n")));
	assert_true(str_ends(got, STR("{\"error\":{\"status\":409,\"message\":\"not now\"}}")));
	assert_true(probe_is_alive(fd));
	close(fd);
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	probe_init(&probe);
	probe_start(&probe);
	SUITE_TEST(&s, cut_tunnel_has_no_end); /* first: nobody else is told so yet */
	SUITE_TEST(&s, head_is_told_whole);
	SUITE_TEST(&s, absent_header_is_null);
	SUITE_ROWS(&s, ROWS, owner_hears_of_it);
	SUITE_TEST(&s, late_answer_to_nobody_is_harmless);
	SUITE_TEST(&s, handle_is_valid_until_released);
	SUITE_TEST(&s, refusal_has_its_own_headers);
	SUITE_TEST(&s, tunnel_carries_bytes_both_ways);
	SUITE_TEST(&s, tunnel_holds_back_what_is_too_much);
	failed = suite_run(&s, "net/http_request");
	probe_stop(&probe);
	return failed;
}
