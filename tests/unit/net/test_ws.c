#include "net/ws.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "tls_peer.h"
#include "ws_probe.h"

#define FIN_TEXT  (WS_FIN | WS_TEXT)
#define FIN_PING  (WS_FIN | WS_PING)
#define FIN_PONG  (WS_FIN | WS_PONG)
#define FIN_CLOSE (WS_FIN | WS_CLOSE)

enum { BEAT_MS = 160 };

static struct probe probe;
static struct probe brisk; /* pings every BEAT_MS: its clients must not be late */

/* How many were told so far, once those of the tests before are all gone. */
static int
count_gone(const struct probe *p)
{
	int64_t until_ns = clock_monotonic_ns() + INT64_C(1000000) * PROBE_WAIT_MS;

	while (atomic_load(&p->sockets) > 0)
		if (clock_monotonic_ns() > until_ns)
			fail_msg("a WebSocket is left over");
	return atomic_load(&p->gone);
}

/* --- opening --- */

static const struct open_row {
	const char *name;
	const char *request;
	int status;
	const char *has[2];
	bool survives;
} OPEN_ROWS[] = {
	{ "a WebSocket opens",
	  "GET /ws HTTP/1.1\r\n" WS_OPEN_HEADERS "\r\n",
	  101,
	  { "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
	    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n" },
	  false },
	{ "with the subprotocol of the server's choice",
	  "GET /ws?protocol HTTP/1.1\r\n" WS_OPEN_HEADERS "Sec-WebSocket-Protocol: test.v1\r\n\r\n",
	  101,
	  { "Sec-WebSocket-Protocol: test.v1\r\n" },
	  false },
	{ "no extension is agreed on",
	  "GET /ws HTTP/1.1\r\n" WS_OPEN_HEADERS
	  "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
	  101,
	  { "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n" },
	  false },
	{ "an ordinary request is told what to do",
	  "GET /ws HTTP/1.1\r\nHost: x\r\n\r\n",
	  426,
	  { "Upgrade: websocket\r\n", "{\"error\":{\"status\":426," },
	  true },
	{ "another version is told ours",
	  "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 8\r\n\r\n",
	  426,
	  { "Sec-WebSocket-Version: 13\r\n", "is 13" },
	  true },
	{ "a bad key",
	  "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	  "Sec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n\r\n",
	  400,
	  { "Sec-WebSocket-Key" },
	  true },
	{ "a body",
	  "GET /ws HTTP/1.1\r\n" WS_OPEN_HEADERS "Content-Length: 2\r\n\r\nhi",
	  400,
	  { "no body" },
	  true },
};

static void
open_row_holds(void **state)
{
	const struct open_row *row = *state;
	int fd = probe_connect(&probe);
	struct str got;

	probe_send(fd, str_of(row->request));
	got = row->status == 101 ? ws_probe_read_head(fd) : probe_read(fd, "}}", NULL);
	assert_int_equal(probe_status(got, 0), row->status);
	for (size_t i = 0; i < ARRAY_LEN(row->has) && row->has[i]; i++)
		if (!str_contains(got, str_of(row->has[i])))
			fail_msg("no \"%s\" in:\n" STR_FMT, row->has[i], STR_ARG(got));
	assert_int_equal(row->survives, row->status != 101 && probe_is_alive(fd));
	close(fd);
}

/* What follows the request in the same packet is not lost, also when the answer takes its time. */
static void
bytes_behind_the_request_count(void **state)
{
	static const char *const PATHS[] = { "/ws", "/ws/late" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(PATHS); i++) {
		int fd = probe_connect(&probe);
		struct buf input;

		buf_init(&input, 4096);
		buf_printf(&input, "GET %s HTTP/1.1\r\n" WS_OPEN_HEADERS "\r\n", PATHS[i]);
		ws_probe_put(&input, FIN_TEXT, STR("early"));
		probe_send(fd, buf_str(&input));
		assert_int_equal(probe_status(ws_probe_read_head(fd), 0), 101);
		check_str("echo", ws_probe_read_message(fd).payload, STR("early"));
		buf_release(&input);
		close(fd);
	}
}

static void
client_that_left_is_not_accepted(void **state)
{
	int gone = count_gone(&probe), fd = probe_connect(&probe);
	struct str got;

	(void)state;
	probe_send(fd, STR("GET /ws/late HTTP/1.1\r\n" WS_OPEN_HEADERS "\r\n"));
	shutdown(fd, SHUT_WR);
	got = probe_read_all(fd);
	assert_int_equal(got.len, 0);
	assert_int_equal(atomic_load(&probe.gone), gone);
	close(fd);
}

/* --- messages --- */

static void
check_echo(int fd, struct str text)
{
	struct ws_probe_frame frame;

	ws_probe_send(fd, FIN_TEXT, text);
	frame = ws_probe_read_message(fd);
	assert_int_equal(frame.first, FIN_TEXT);
	check_str("echo", frame.payload, text);
}

static void
messages_go_both_ways(void **state)
{
	static char big[WS_PROBE_MESSAGE_MAX];
	int fd = ws_probe_open(&probe, "/ws");

	(void)state;
	memset(big, 'x', sizeof big);
	check_echo(fd, STR("hello"));
	check_echo(fd, STR(""));
	check_echo(fd, STR("{\"text\":\"\xf0\x9f\x8c\x8d\"}"));
	for (size_t len = 1; len <= sizeof big; len = len * 4)
		check_echo(fd, (struct str){ big, len });
	check_echo(fd, (struct str){ big, sizeof big });
	close(fd);
}

static void
parts_and_pings_between_them(void **state)
{
	int fd = ws_probe_open(&probe, "/ws");
	struct ws_probe_frame frame;

	(void)state;
	ws_probe_send(fd, WS_TEXT, STR("one "));
	ws_probe_send(fd, FIN_PING, STR("are you there?"));
	frame = ws_probe_read_message(fd);
	assert_int_equal(frame.first, FIN_PONG);
	check_str("pong", frame.payload, STR("are you there?"));
	ws_probe_send(fd, 0, STR("two "));
	ws_probe_send(fd, WS_FIN, STR("three"));
	check_str("message", ws_probe_read_message(fd).payload, STR("one two three"));
	close(fd);
}

/* The owner takes no more after the first: the others wait, in order, and all arrive. */
static void
held_messages_come_later_and_in_order(void **state)
{
	enum { COUNT = 3000 };
	int fd = ws_probe_open(&brisk, "/ws");
	struct buf input;
	char text[128];
	int64_t begun_ns = clock_monotonic_ns();

	(void)state;
	buf_init(&input, 1 << 20);
	for (int i = 0; i < COUNT; i++) {
		if (i % 2000 == 0)
			ws_probe_put(&input, FIN_TEXT, STR("hold"));
		snprintf(text, sizeof text, "message %d %060d", i, i);
		ws_probe_put(&input, FIN_TEXT, str_of(text));
	}
	probe_send(fd, buf_str(&input));
	for (int i = 0; i < COUNT; i++) {
		if (i % 2000 == 0)
			check_str("held", ws_probe_read_message(fd).payload, STR("hold"));
		snprintf(text, sizeof text, "message %d %060d", i, i);
		check_str("message", ws_probe_read_message(fd).payload, str_of(text));
	}
	assert_true(clock_monotonic_ns() - begun_ns >= INT64_C(2) * WS_PROBE_HOLD_MS * 1000000);
	buf_release(&input);
	close(fd);
}

/* --- the end --- */

static const struct end_row {
	const char *name;
	int first;
	struct str payload;
	int code; /* of the server's close frame; 0: without one, -1: no frame at all */
	int why, gone_code;
} END_ROWS[] = {
	{ "a close is answered with its code", FIN_CLOSE,
	  STR("\x03\xe8"
	      "done"),
	  1000, HTTP_GONE_PEER, 1000 },
	{ "a code of its own", FIN_CLOSE, STR("\x0f\xa7"), 4007, HTTP_GONE_PEER, 4007 },
	{ "a close without a code", FIN_CLOSE, STR(""), 0, HTTP_GONE_PEER, 1005 },
	{ "a binary message", WS_FIN | WS_BINARY, STR("x"), 1003, HTTP_GONE_BROKEN, 1003 },
	{ "a continuation of nothing", WS_FIN, STR("x"), 1002, HTTP_GONE_BROKEN, 1002 },
	{ "a text that is not UTF-8", FIN_TEXT, STR("\xff"), 1007, HTTP_GONE_BROKEN, 1007 },
	{ "an extension's bit", FIN_TEXT | 0x40, STR("x"), 1002, HTTP_GONE_BROKEN, 1002 },
	{ "a code that is never sent", FIN_CLOSE, STR("\x03\xee"), 1002, HTTP_GONE_BROKEN, 1002 },
	{ "no frame, but a hang-up", 0, { 0 }, -1, HTTP_GONE_PEER, 1006 },
};

static void
end_row_holds(void **state)
{
	const struct end_row *row = *state;
	int gone = count_gone(&probe), fd = ws_probe_open(&probe, "/ws");
	struct ws_probe_frame frame;

	check_echo(fd, STR("hello"));
	if (row->payload.ptr)
		ws_probe_send(fd, row->first, row->payload);
	else
		shutdown(fd, SHUT_WR);
	frame = ws_probe_read_message(fd);
	assert_int_equal(frame.first, row->code >= 0 ? FIN_CLOSE : 0);
	if (row->code >= 0)
		assert_int_equal(frame.code, row->code);
	assert_int_equal(frame.payload.len > 0, row->why == HTTP_GONE_BROKEN);
	probe_wait("the owner to be told", &probe.gone, gone + 1);
	assert_int_equal(atomic_load(&probe.gone_why), row->why);
	assert_int_equal(atomic_load(&probe.code), row->gone_code);
	assert_int_equal(probe_read_all(fd).len, 0);
	close(fd);
}

static void
unmasked_frame_is_refused(void **state)
{
	int fd = ws_probe_open(&probe, "/ws");

	(void)state;
	probe_send(fd, STR("\x81\x05hello"));
	assert_int_equal(ws_probe_read_message(fd).code, WS_BROKEN_RULE);
	close(fd);
}

static void
message_above_the_limit_is_refused(void **state)
{
	static char big[WS_PROBE_MESSAGE_MAX + 1];
	int fd = ws_probe_open(&probe, "/ws");

	(void)state;
	memset(big, 'x', sizeof big);
	ws_probe_send(fd, FIN_TEXT, (struct str){ big, sizeof big }); /* it all waits to be read */
	assert_int_equal(ws_probe_read_message(fd).code, WS_TOO_BIG);
	close(fd);
}

static void
server_closes_with_code_and_reason(void **state)
{
	int gone = count_gone(&probe), fd = ws_probe_open(&probe, "/ws");
	struct ws_probe_frame frame;

	(void)state;
	ws_probe_send(fd, FIN_TEXT, STR("close"));
	check_str("before it", ws_probe_read_message(fd).payload, STR("last"));
	frame = ws_probe_read_message(fd);
	assert_int_equal(frame.first, FIN_CLOSE);
	assert_int_equal(frame.code, 4001);
	check_str("reason", frame.payload, STR("as you like"));
	assert_int_equal(probe_read_all(fd).len, 0);
	ws_probe_send(fd, FIN_CLOSE, STR("\x0f\xa1"));
	close(fd);
	assert_int_equal(atomic_load(&probe.gone), gone);
}

static void
owner_that_leaves_cuts(void **state)
{
	int fd = ws_probe_open(&probe, "/ws");

	(void)state;
	ws_probe_send(fd, FIN_TEXT, STR("cut"));
	assert_int_equal(probe_read_all(fd).len, 0);
	close(fd);
}

/* --- time and space --- */

static void
client_that_answers_pings_stays(void **state)
{
	int fd = ws_probe_open(&brisk, "/ws");
	int64_t begun_ns = clock_monotonic_ns();
	int pings = 0;

	(void)state;
	while (pings < 6) {
		struct ws_probe_frame frame = ws_probe_read(fd);
		assert_int_equal(frame.first, FIN_PING);
		ws_probe_send(fd, FIN_PONG, frame.payload);
		pings++;
	}
	assert_true(clock_monotonic_ns() - begun_ns >= INT64_C(4) * BEAT_MS * 1000000);
	check_echo(fd, STR("still here"));
	close(fd);
}

static void
silent_client_is_cut(void **state)
{
	int gone = count_gone(&brisk), fd = ws_probe_open(&brisk, "/ws");

	(void)state;
	probe_wait("the owner to be told", &brisk.gone, gone + 1);
	assert_int_equal(atomic_load(&brisk.gone_why), HTTP_GONE_STALLED);
	assert_int_equal(atomic_load(&brisk.code), WS_CUT);
	check_str("two pings", probe_read_all(fd), STR("\x89\0\x89\0"));
	close(fd);
}

/* Everything it got is whole and in order; then it is cut, not shortened. */
static void
slow_reader_is_closed_never_skipped(void **state)
{
	int gone = count_gone(&probe), fd = ws_probe_open(&probe, "/ws");
	int overflows = atomic_load(&probe.overflows), frames = 0;
	struct ws_probe_frame frame;

	(void)state;
	ws_probe_send(fd, FIN_TEXT, STR("flood"));
	probe_wait("the overflow", &probe.overflows, overflows + 1);
	probe_wait("the owner to be told", &probe.gone, gone + 1);
	assert_int_equal(atomic_load(&probe.gone_why), HTTP_GONE_SLOW);
	while ((frame = ws_probe_read_message(fd)).first != 0) {
		assert_int_equal(frame.first, FIN_TEXT);
		assert_int_equal(frame.payload.len, 64 * 1024);
		frames++;
	}
	assert_true(frames > 0);
	close(fd);
}

/* A client that makes the server talk and does not listen. */
static void
flood_of_pings_is_cut(void **state)
{
	int gone = count_gone(&probe), fd = ws_probe_open(&probe, "/ws");
	struct buf input;
	char payload[WS_CONTROL_MAX];

	(void)state;
	buf_init(&input, 1 << 20);
	memset(payload, 'p', sizeof payload);
	for (int i = 0; i < 5000; i++)
		ws_probe_put(&input, FIN_PING, (struct str){ payload, sizeof payload });
	for (int i = 0; i < 1000 && atomic_load(&probe.gone) == gone; i++)
		probe_send(fd, buf_str(&input));
	probe_wait("the owner to be told", &probe.gone, gone + 1);
	assert_int_equal(atomic_load(&probe.gone_why), HTTP_GONE_SLOW);
	buf_release(&input);
	close(fd);
}

/* It has not read the pings yet, so it cannot have answered them. */
static void
long_answer_comes_at_the_readers_pace(void **state)
{
	int fd = ws_probe_open(&brisk, "/ws");
	struct timespec pause = { 0, WS_PROBE_HOLD_MS * 1000000L };

	(void)state;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){ 65536 }, sizeof(int));
	ws_probe_send(fd, FIN_TEXT, STR("paced"));
	nanosleep(&pause, NULL);
	for (int i = 0; i < WS_PROBE_PACED; i++)
		assert_int_equal(ws_probe_read_message(fd).payload.len, 64 * 1024);
	check_echo(fd, STR("after it"));
	close(fd);
}

/* No room for the answer to its close: cut, and its owner hears of the close alone. */
static void
close_of_a_slow_reader_is_told_once(void **state)
{
	int gone = count_gone(&probe), fd = ws_probe_open(&probe, "/ws");
	struct ws_probe_frame frame;

	(void)state;
	ws_probe_send(fd, FIN_TEXT, STR("fill"));
	ws_probe_send(fd, FIN_CLOSE, STR("\x03\xe8"));
	probe_wait("the owner to be told", &probe.gone, gone + 1);
	frame = ws_probe_read_message(fd);
	assert_int_equal(frame.first, 0);
	assert_int_equal(atomic_load(&probe.gone), gone + 1);
	assert_int_equal(atomic_load(&probe.code), WS_NORMAL);
	close(fd);
}

/* --- the server's end --- */

static void
on_drained(void *context)
{
	atomic_fetch_add(&((struct probe *)context)->drained, 1);
}

static void
drain(struct probe *p, struct http_server *s)
{
	http_server_drain(s, on_drained, p);
}

static void
drain_says_going_away(void **state)
{
	struct probe p;
	struct ws_probe_frame frame;
	int fd, late, requests;

	(void)state;
	probe_init(&p);
	probe_start(&p);
	fd = ws_probe_open(&p, "/ws");
	check_echo(fd, STR("hello"));
	late = probe_connect(&p);
	requests = atomic_load(&p.requests);
	probe_send(late, STR("GET /ws/late HTTP/1.1\r\n" WS_OPEN_HEADERS "\r\n"));
	probe_wait("the request", &p.requests, requests + 1);
	probe_call(&p, drain);
	frame = ws_probe_read_message(fd);
	assert_int_equal(frame.code, WS_GOING_AWAY);
	check_str("reason", frame.payload, STR("the server is shutting down"));
	probe_wait("the owner to be told", &p.gone, 1);
	assert_int_equal(atomic_load(&p.gone_why), HTTP_GONE_SHUTDOWN);
	assert_int_equal(atomic_load(&p.code), WS_GOING_AWAY);
	ws_probe_send(fd, FIN_CLOSE, STR("\x03\xe9"));
	assert_int_equal(probe_read_all(fd).len, 0);
	assert_int_equal(probe_status(probe_read_all(late), 0), 503);
	close(fd);
	close(late);
	probe_wait("the end of the drain", &p.drained, 1);
	probe_stop(&p);
}

static void
free_cuts_everything(void **state)
{
	struct probe p;
	int fd;

	(void)state;
	probe_init(&p);
	probe_start(&p);
	fd = ws_probe_open(&p, "/ws");
	check_echo(fd, STR("hello"));
	probe_stop(&p);
	assert_int_equal(atomic_load(&p.gone), 1);
	assert_int_equal(atomic_load(&p.gone_why), HTTP_GONE_SHUTDOWN);
	assert_int_equal(ws_probe_read_message(fd).first, 0);
	close(fd);
}

/* --- with others --- */

static void
messages_go_both_ways_over_tls(void **state)
{
	struct tls_files files;
	struct tls_peer peer;
	enum tls_peer_end end;
	struct probe p;
	struct buf input;

	(void)state;
	tls_files_make(&files, &TLS_CERT_USUAL);
	probe_init(&p);
	p.tls_cert = files.cert;
	p.tls_key = files.key;
	probe_start(&p);
	assert_true(tls_peer_open(&peer, &p, &(struct tls_peer_want){ .ca = files.cert }));
	tls_peer_send(&peer, STR("GET /ws HTTP/1.1\r\n" WS_OPEN_HEADERS "\r\n"));
	assert_int_equal(probe_status(tls_peer_read(&peer, "\r\n\r\n", NULL), 0), 101);
	buf_init(&input, 4096);
	ws_probe_put(&input, FIN_TEXT, STR("hello"));
	ws_probe_put(&input, FIN_TEXT, STR("close"));
	tls_peer_send(&peer, buf_str(&input));
	check_str("answer", tls_peer_read(&peer, NULL, &end),
		  STR("\x81\x05hello\x81\x04last\x88\x0d\x0f\xa1"
		      "as you like"));
	assert_int_equal(end, TLS_PEER_ENDED);
	buf_release(&input);
	tls_peer_close(&peer);
	probe_stop(&p);
	tls_files_remove(&files);
}

/* Node's own client, where the Node that is here has one. */
static void
node_speaks_with_it(void **state)
{
	char command[1024], out[1024];

	(void)state;
	snprintf(command, sizeof command,
		 "node --experimental-websocket -e '"
		 "const w = new WebSocket(\"ws://127.0.0.1:%d/ws?protocol\", \"test.v1\");"
		 "const big = \"\xc3\xa9\".repeat(200000); let n = 0;"
		 "w.onopen = () => { w.send(\"hi\"); w.send(big); };"
		 "w.onmessage = e => { if (++n == 2) { console.log(w.protocol, e.data === big);"
		 " w.send(\"close\"); } };"
		 "w.onclose = e => console.log(n, e.code, e.reason, e.wasClean);' 2>&1",
		 probe.port);
	if (peer_run(command, out, sizeof out) != 0 &&
	    (strstr(out, "bad option") || strstr(out, "not found") || strstr(out, "not defined")))
		skip();
	check_str("what it says", str_of(out), STR("test.v1 true\n3 4001 as you like true\n"));
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	probe_init(&probe);
	probe_start(&probe);
	probe_init(&brisk);
	brisk.ws_beat_ms = BEAT_MS;
	probe_start(&brisk);
	SUITE_ROWS(&s, OPEN_ROWS, open_row_holds);
	SUITE_TEST(&s, bytes_behind_the_request_count);
	SUITE_TEST(&s, client_that_left_is_not_accepted);
	SUITE_TEST(&s, messages_go_both_ways);
	SUITE_TEST(&s, parts_and_pings_between_them);
	SUITE_TEST(&s, held_messages_come_later_and_in_order);
	SUITE_ROWS(&s, END_ROWS, end_row_holds);
	SUITE_TEST(&s, unmasked_frame_is_refused);
	SUITE_TEST(&s, message_above_the_limit_is_refused);
	SUITE_TEST(&s, server_closes_with_code_and_reason);
	SUITE_TEST(&s, owner_that_leaves_cuts);
	SUITE_TEST(&s, client_that_answers_pings_stays);
	SUITE_TEST(&s, silent_client_is_cut);
	SUITE_TEST(&s, slow_reader_is_closed_never_skipped);
	SUITE_TEST(&s, flood_of_pings_is_cut);
	SUITE_TEST(&s, long_answer_comes_at_the_readers_pace);
	SUITE_TEST(&s, close_of_a_slow_reader_is_told_once);
	SUITE_TEST(&s, drain_says_going_away);
	SUITE_TEST(&s, free_cuts_everything);
	SUITE_TEST(&s, messages_go_both_ways_over_tls);
	SUITE_TEST(&s, node_speaks_with_it);
	failed = suite_run(&s, "net/ws");
	probe_stop(&probe);
	probe_stop(&brisk);
	return failed;
}
