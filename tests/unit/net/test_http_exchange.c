#include "net/http_exchange.h"

#include "http_caller.h"
#include "http_probe.h"
#include "raw_peer.h"

/* --- times --- */

static void
say_nothing(struct peer *p, int fd)
{
	(void)p;
	peer_linger(fd);
}

static void
stop_in_the_middle(struct peer *p, int fd)
{
	if (peer_read(p, fd, 0))
		peer_write(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"));
	peer_linger(fd);
}

/* A byte often enough, for longer than the idle time. */
static void
trickle(struct peer *p, int fd)
{
	if (peer_read(p, fd, 0))
		peer_write(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"));
	for (int i = 0; i < 20; i++) {
		usleep(30 * 1000);
		if (!peer_write(fd, STR("x")))
			return;
	}
	peer_linger(fd);
}

static const struct timeout_row {
	const char *name;
	void (*talk)(struct peer *p, int fd);
	bool tls;
	int64_t connect_ms, idle_ms, total_ms, least_ms;
	int rc;
	const char *text;
} TIMEOUT_ROWS[] = {
	{ "no handshake", say_nothing, true, 100, 0, 0, 100, ERR_TIMEOUT,
	  ": no connection within 100 ms" },
	{ "no answer", say_nothing, false, 0, 100, 0, 100, ERR_TIMEOUT,
	  ": connected, but no answer for 100 ms" },
	{ "half an answer", stop_in_the_middle, false, 0, 400, 0, 400, ERR_TIMEOUT,
	  ": the answer stopped, nothing came for 400 ms" },
	{ "altogether before an answer", say_nothing, false, 0, 0, 150, 150, ERR_TIMEOUT,
	  ": not done within 150 ms" },
	{ "altogether while bytes come", trickle, false, 0, 400, 150, 150, ERR_TIMEOUT,
	  ": not done within 150 ms" },
	{ "bytes keep it alive", trickle, false, 0, 400, HTTP_CALL_UNLIMITED_MS, 600, 0, "" },
	{ "the connect time is over with the connect", trickle, false, 400, 0, 0, 600, 0, "" },
};

static void
timeout_row_holds(void **state)
{
	const struct timeout_row *row = *state;
	struct peer p = { .talk = row->talk };
	struct http_call call = { .method = STR("GET"),
				  .connect_ms = row->connect_ms,
				  .idle_ms = row->idle_ms,
				  .total_ms = row->total_ms };
	struct record r = { 0 };
	struct caller c;
	int64_t begun_ms;

	peer_start(&p);
	caller_init(&c, NULL);
	snprintf(c.url, sizeof c.url, "http%s://127.0.0.1:%d/", row->tls ? "s" : "", p.port);
	call.url = str_of(c.url);
	begun_ms = loop_now_ms(c.loop);
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	if (r.rc != row->rc || !str_ends(str_of(r.err.text), str_of(row->text)))
		fail_msg("%d: %s", r.rc, r.err.text);
	assert_true(r.done_ms >= begun_ms + row->least_ms);
	assert_true(r.done_ms < begun_ms + 5000);
	record_release(&r);
	caller_release(&c);
	peer_stop(&p);
}

/* --- cancelling --- */

static void
cancel_self(struct record *r)
{
	http_exchange_cancel(&r->exchange);
	r->caller->open--;
	loop_stop(r->caller->loop);
}

static void
cancel_self_at_body(struct record *r, struct str piece)
{
	(void)piece;
	cancel_self(r);
}

/* Deaf to what it is told in on_done: a no-op. */
static void
cancel_in_done(struct record *r)
{
	struct http_exchange *x = r->context;

	http_exchange_cancel(&x);
}

enum when { AT_ONCE, NEXT_TURN, CONNECTING, WAITING, AT_HEAD, AT_BODY, BETWEEN_PIECES, PAUSED };

static const struct cancel_row {
	const char *name;
	enum when when;
	void (*talk)(struct peer *p, int fd);
	bool tls;
} CANCEL_ROWS[] = {
	{ "at once", AT_ONCE, say_nothing, false },
	{ "in the next turn", NEXT_TURN, say_nothing, false },
	{ "in the handshake", CONNECTING, say_nothing, true },
	{ "while it waits for an answer", WAITING, say_nothing, false },
	{ "in on_head", AT_HEAD, stop_in_the_middle, false },
	{ "in on_body", AT_BODY, trickle, false },
	{ "between pieces", BETWEEN_PIECES, trickle, false },
	{ "while it is paused", PAUSED, trickle, false },
};

static void
pause_self(struct record *r)
{
	http_exchange_pause(r->exchange);
}

static void
cancel_row_holds(void **state)
{
	const struct cancel_row *row = *state;
	struct peer p = { .talk = row->talk };
	struct http_call call = { .method = STR("GET") };
	struct record r = { 0 };
	struct caller c;
	int heads, dones;
	size_t pieces;

	peer_start(&p);
	caller_init(&c, NULL);
	snprintf(c.url, sizeof c.url, "http%s://127.0.0.1:%d/", row->tls ? "s" : "", p.port);
	call.url = str_of(c.url);
	if (row->when == AT_HEAD)
		r.on_head = cancel_self;
	if (row->when == AT_BODY)
		r.on_body = cancel_self_at_body;
	if (row->when == PAUSED)
		r.on_head = pause_self;
	caller_send(&c, &r, &call);
	if (row->when == NEXT_TURN)
		loop_settle(c.loop);
	else if (row->when == AT_HEAD || row->when == AT_BODY)
		caller_run(&c, CALLER_WAIT_MS);
	else if (row->when != AT_ONCE)
		caller_run(&c, 100);
	assert_int_equal(r.exchange != NULL, row->when != AT_HEAD && row->when != AT_BODY);
	if (r.exchange)
		cancel_self(&r);
	heads = r.heads;
	dones = r.dones;
	pieces = r.pieces;
	caller_run(&c, 100);
	assert_int_equal(r.heads, heads);
	assert_int_equal(r.pieces, pieces);
	assert_int_equal(r.dones + dones, 0);
	http_exchange_cancel(&r.exchange); /* NULL */
	record_release(&r);
	caller_release(&c);
	peer_stop(&p);
}

static void
cancel_in_on_done_is_harmless(void **state)
{
	struct probe server;
	struct record r = { .on_done = cancel_in_done };
	struct http_call call = { .method = STR("GET") };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	call.url = caller_url(&c, server.port, "/x");
	caller_send(&c, &r, &call);
	r.context = r.exchange;
	caller_wait(&c, &r);
	assert_int_equal(r.rc, 0);
	record_release(&r);
	caller_release(&c);
	probe_stop(&server);
}

/* One exchange's callback cancels another, which is just as far. */
static void
cancel_other(struct record *r)
{
	struct record *other = r->context;

	if (!other->exchange)
		return;
	http_exchange_cancel(&other->exchange);
	r->caller->open--;
}

static void
callbacks_may_cancel_others(void **state)
{
	struct probe server;
	struct record a = { .on_head = cancel_other }, b = { .on_done = cancel_other };
	struct record x = { 0 }, y = { 0 };
	struct http_call call = { .method = STR("GET") };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	call.url = caller_url(&c, server.port, "/late");
	a.context = &x;
	b.context = &y;
	caller_send(&c, &x, &call);
	caller_send(&c, &y, &call);
	caller_send(&c, &a, &call);
	caller_send(&c, &b, &call);
	caller_wait_all(&c);
	assert_int_equal(a.rc + b.rc, 0);
	assert_int_equal(a.dones + b.dones, 2);
	assert_true(x.exchange == NULL && y.exchange == NULL);
	record_release(&a);
	record_release(&b);
	record_release(&x);
	record_release(&y);
	caller_release(&c);
	probe_stop(&server);
}

static void
send_again(struct record *r)
{
	struct record *next = r->context;
	struct http_call call = { .method = STR("GET"), .url = str_of(r->caller->url) };

	caller_send(r->caller, next, &call);
}

/* on_head and on_done start the next call: not from inside, but it happens. */
static void
callbacks_may_send(void **state)
{
	struct probe server;
	struct record third = { 0 }, second = { .on_done = send_again, .context = &third };
	struct record first = { .on_head = send_again, .context = &second };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	caller_get(&c, &first, server.port, "/x");
	caller_wait_all(&c);
	assert_int_equal(first.status + second.status + third.status, 600);
	record_release(&first);
	record_release(&second);
	record_release(&third);
	caller_release(&c);
	probe_stop(&server);
}

static void
free_egress(struct record *r)
{
	egress_free(&r->caller->egress);
	loop_stop(r->caller->loop);
}

static void
free_egress_at_body(struct record *r, struct str piece)
{
	(void)piece;
	r->caller->open = 0;
	free_egress(r);
}

static void
callbacks_may_free_everything(void **state)
{
	void (*const in_done[])(struct record *) = { free_egress, NULL };
	struct probe server;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	for (size_t i = 0; i < ARRAY_LEN(in_done); i++) {
		struct record r = { .on_done = in_done[i],
				    .on_body = in_done[i] ? NULL : free_egress_at_body };
		struct record other = { 0 };
		struct http_call call = { .method = STR("GET") };
		struct caller c;

		caller_init(&c, NULL);
		call.url = caller_url(&c, server.port, "/never");
		caller_send(&c, &other, &call);
		call.url = caller_url(&c, server.port, "/words");
		caller_send(&c, &r, &call);
		caller_run(&c, CALLER_WAIT_MS);
		assert_null(c.egress);
		assert_int_equal(other.dones, 0);
		assert_int_equal(r.dones, in_done[i] != NULL);
		record_release(&r);
		record_release(&other);
		caller_release(&c);
	}
	probe_stop(&server);
}

/* --- back-pressure --- */

static void
resume_later(void *context)
{
	struct record *r = context;

	if (r->exchange)
		http_exchange_resume(r->exchange);
}

static void
pause_for_a_moment(struct record *r, struct str piece)
{
	(void)piece;
	http_exchange_pause(r->exchange);
	loop_timer_set(r->context, 1);
}

static const struct paced_row {
	const char *name;
	const char *path;
	size_t bytes;
} PACED_ROWS[] = {
	{ "by length", "/big", 8 * 1024 * 1024 },
	{ "in chunks", "/paced", 64 * 64 * 1024 },
	{ "a small one", "/words", 13 },
};

/* Held back at every piece: all of it comes, and the end too. */
static void
paced_row_holds(void **state)
{
	const struct paced_row *row = *state;
	struct probe server;
	struct record r = { .on_body = pause_for_a_moment, .keeps_nothing = true };
	struct loop_timer *timer;
	struct caller c;

	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	timer = loop_timer_new(c.loop, resume_later, &r);
	r.context = timer;
	caller_get(&c, &r, server.port, row->path);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.bytes, row->bytes);
	loop_timer_free(&timer);
	record_release(&r);
	caller_release(&c);
	probe_stop(&server);
}

/* A peer that floods is held back by a reader who paused: memory stays small, and the silence that
 * the owner itself asked for is no timeout. */
static void
paused_answer_stays_with_the_peer(void **state)
{
	struct probe server;
	struct record r = { .on_head = pause_self };
	struct http_call call = { .method = STR("GET"),
				  .idle_ms = 600,
				  .max_body_bytes = HTTP_CALL_UNLIMITED_BYTES };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	call.url = caller_url(&c, server.port, "/flood");
	caller_send(&c, &r, &call);
	for (int i = 0; i < 400 && atomic_load(&server.overflows) == 0; i++)
		caller_run(&c, 50);
	assert_int_equal(atomic_load(&server.overflows), 1); /* the server gave up on us */
	caller_run(&c, 800);
	assert_int_equal(r.pieces, 0);
	assert_int_equal(r.dones, 0);
	http_exchange_resume(r.exchange);
	http_exchange_resume(r.exchange);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, ERR_IO); /* cut in the middle */
	assert_true(r.bytes > 0);
	record_release(&r);
	caller_release(&c);
	probe_stop(&server);
}

static void
say_too_much(struct peer *p, int fd)
{
	if (peer_read(p, fd, 0))
		peer_write(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345678901"));
	peer_linger(fd);
}

/* What curl kept during the pause is refused when it comes out, not only with the next bytes. */
static void
limits_hold_after_a_pause(void **state)
{
	struct peer p = { .talk = say_too_much };
	struct record r = { .on_head = pause_self };
	struct http_call call = { .method = STR("GET"), .max_body_bytes = 10 };
	struct caller c;

	(void)state;
	peer_start(&p);
	caller_init(&c, NULL);
	call.url = caller_url(&c, p.port, "/");
	caller_send(&c, &r, &call);
	caller_run(&c, 50);
	http_exchange_resume(r.exchange);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, ERR_TOO_LARGE);
	assert_int_equal(r.pieces, 0);
	record_release(&r);
	caller_release(&c);
	peer_stop(&p);
}

/* Paused and resumed within one callback, or twice: as if nothing had been. */
static void
pause_and_resume(struct record *r, struct str piece)
{
	(void)piece;
	http_exchange_pause(r->exchange);
	http_exchange_pause(r->exchange);
	http_exchange_resume(r->exchange);
}

static void
pause_and_resume_at_once(void **state)
{
	struct probe server;
	struct record r = { .on_body = pause_and_resume, .keeps_nothing = true };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	caller_get(&c, &r, server.port, "/paced");
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.bytes, 64 * 64 * 1024);
	record_release(&r);
	caller_release(&c);
	probe_stop(&server);
}

/* --- bodies in pieces --- */

struct source {
	struct loop_timer *timer;
	size_t left; /* pieces */
	size_t piece_bytes;
	bool hesitates;
	bool asked; /* it said "later" the last time */
};

static void
more_is_here(void *context)
{
	struct record *r = context;

	if (r->exchange)
		http_exchange_send_more(r->exchange);
}

static size_t
give(struct record *r, char *to, size_t room)
{
	struct source *s = r->context;
	size_t len = s->piece_bytes < room ? s->piece_bytes : room;

	if (s->hesitates && !s->asked) {
		s->asked = true;
		loop_timer_set(s->timer, 1);
		return HTTP_SEND_LATER;
	}
	s->asked = false;
	if (s->left == 0)
		return 0;
	s->left--;
	memset(to, 'p', len);
	return len;
}

static const struct pieces_row {
	const char *name;
	size_t count, bytes;
	bool hesitates;
} PIECES_ROWS[] = {
	{ "none", 0, 0, false },
	{ "one byte", 1, 1, false },
	{ "many", 1000, 1000, false },
	{ "with waits between", 30, 5000, true },
	{ "none after a wait", 0, 0, true },
};

static void
pieces_row_holds(void **state)
{
	const struct pieces_row *row = *state;
	struct probe server;
	struct source source = { NULL, row->count, row->bytes, row->hesitates, false };
	struct record r = { .on_send = give, .context = &source };
	struct http_call call = { .method = STR("POST"), .body_in_pieces = true };
	struct caller c;
	char want[32];

	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	source.timer = loop_timer_new(c.loop, more_is_here, &r);
	call.url = caller_url(&c, server.port, "/pieces");
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, 0);
	snprintf(want, sizeof want, "%zu", row->count * row->bytes);
	check_str("bytes that came", buf_str(&r.body), str_of(want));
	loop_timer_free(&source.timer);
	record_release(&r);
	caller_release(&c);
	probe_stop(&server);
}

static size_t
never_give(struct record *r, char *to, size_t room)
{
	(void)r;
	(void)to;
	(void)room;
	return HTTP_SEND_LATER;
}

static void
cancel_while_the_body_waits(void **state)
{
	struct probe server;
	struct record r = { .on_send = never_give };
	struct http_call call = { .method = STR("POST"), .body_in_pieces = true, .idle_ms = 300 };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	call.url = caller_url(&c, server.port, "/pieces");
	caller_send(&c, &r, &call);
	caller_run(&c, 500);
	assert_int_equal(r.dones, 0); /* the owner's own silence */
	http_exchange_send_more(r.exchange);
	caller_run(&c, 20);
	http_exchange_cancel(&r.exchange);
	caller_run(&c, 20);
	assert_int_equal(r.dones, 0);
	record_release(&r);
	caller_release(&c);
	probe_stop(&server);
}

static void
answer_is_found_by_name(void **state)
{
	struct http_header headers[] = { { STR("a"), STR("1") }, { STR("b"), STR("2") } };
	struct http_answer answer = { 200, headers, 2 };

	(void)state;
	check_str("b", http_answer_find(&answer, STR("b")), STR("2"));
	assert_null(http_answer_find(&answer, STR("c")).ptr);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, TIMEOUT_ROWS, timeout_row_holds);
	SUITE_ROWS(&s, CANCEL_ROWS, cancel_row_holds);
	SUITE_TEST(&s, cancel_in_on_done_is_harmless);
	SUITE_TEST(&s, callbacks_may_cancel_others);
	SUITE_TEST(&s, callbacks_may_send);
	SUITE_TEST(&s, callbacks_may_free_everything);
	SUITE_ROWS(&s, PACED_ROWS, paced_row_holds);
	SUITE_TEST(&s, paused_answer_stays_with_the_peer);
	SUITE_TEST(&s, limits_hold_after_a_pause);
	SUITE_TEST(&s, pause_and_resume_at_once);
	SUITE_ROWS(&s, PIECES_ROWS, pieces_row_holds);
	SUITE_TEST(&s, cancel_while_the_body_waits);
	SUITE_TEST(&s, answer_is_found_by_name);
	return suite_run(&s, "net/http_exchange");
}
