#include "api/socket.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rand.h"
#include "live_ask.h"
#include "socket_client.h"
#include "sqlite_dir.h"
#include "ws_probe.h"

static struct api_rig rig;
static struct sqlite_dir dir;

static void
begin(void)
{
	api_rig_init(&rig);
	rig.config.body_bytes = 1024 * 1024;
	atomic_store(&LIVE.short_is_dead, false);
	api_rig_start(&rig);
	live_open(&rig, "s1");
}

/* ---- opening ---- */

#define SHAKE                                                                   \
	"Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" \
	"Sec-WebSocket-Version: 13\r\n"

static const struct refused {
	const char *name, *token, *target, *headers;
	int status;
	const char *part;
} REFUSED[] = {
	{ "P3 a WebSocket without a token", NULL, "/v1/ws", SHAKE, 401, "authentication_error" },
	{ "P3 a WebSocket with an unknown token", "nobody", "/v1/ws", SHAKE, 401, "unknown" },
	{ "P3 a token in the URL of a WebSocket", NULL, "/v1/ws?token=owner", SHAKE, 401, "URL" },
	{ "P3 an unknown token among the protocols", NULL, "/v1/ws",
	  SHAKE "Sec-WebSocket-Protocol: perdure.v1, perdure.token.nobody\r\n", 401, "unknown" },
	{ "P3 a token among the protocols of another request", NULL, "/v1/sessions",
	  "Sec-WebSocket-Protocol: perdure.v1, perdure.token.owner\r\n", 401, "token is needed" },
	{ "P3 a WebSocket from a foreign page", "owner", "/v1/ws",
	  SHAKE "Origin: https://evil.example\r\n", 403, "Origin" },
	{ "A16 no upgrade", "owner", "/v1/ws", NULL, 426, "ask for the upgrade" },
	{ "A16 another version", "owner", "/v1/ws",
	  "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	  "Sec-WebSocket-Version: 8\r\n",
	  400, "Connection" },
	{ "A16 a protocol that is not ours", "owner", "/v1/ws",
	  SHAKE "Connection: Upgrade\r\nSec-WebSocket-Protocol: graphql-ws\r\n", 400,
	  "perdure.v1" },
};

static void
is_refused(void **state)
{
	const struct refused *row = *state;
	struct rig_reply reply;

	begin();
	reply = api_rig_ask(&rig, &(struct rig_ask){ .method = "GET",
						     .target = row->target,
						     .token = row->token,
						     .headers = row->headers });
	rig_expect(row->name, &reply, row->status, row->part);
	assert_true(rig_header(&reply, "request-id").len > 0);
	if (row->status == 426)
		check_str("version", rig_header(&reply, "sec-websocket-version"), STR("13"));
	api_rig_stop(&rig);
}

static const struct opened {
	const char *name, *token, *headers;
	bool chooses;
} OPENED[] = {
	{ "A16 opens with a header", "owner", NULL, false },
	{ "A16 opens with the other header", NULL, "X-Api-Key: owner\r\n", false },
	{ "A16 opens with a header and the protocol", "owner",
	  "Sec-WebSocket-Protocol: perdure.v1\r\n", true },
	{ "A16 opens as browsers can", NULL,
	  "Origin: http://localhost\r\nSec-WebSocket-Protocol: perdure.v1, "
	  "perdure.token.owner\r\n",
	  true },
	{ "A16 opens in whatever order", NULL,
	  "Sec-WebSocket-Protocol: perdure.token.owner,perdure.v1\r\n", true },
};

static void
is_opened(void **state)
{
	const struct opened *row = *state;
	struct rig_reply reply = { 0 };
	struct socket_client c;

	begin();
	socket_client_open(&c, &rig, row->token, row->headers);
	reply.head = c.head;
	check_str("protocol", rig_header(&reply, "sec-websocket-protocol"),
		  row->chooses ? STR("perdure.v1") : STR(""));
	assert_true(str_starts(rig_header(&reply, "request-id"), STR("req_")));
	assert_false(str_contains(c.head, STR("token")));
	socket_client_get(&c, 1, "/v1/sessions/s1");
	socket_client_expect(&c, "{\"id\":1,\"type\":\"response\",\"status\":200,", "");
	reply = live_get(&rig, "owner", "/metrics");
	rig_expect("metrics", &reply, 200, "\nperdure_open_sockets 1\n");
	socket_client_close(&c);
	api_rig_stop(&rig);
}

/* ---- closing ---- */

static void
P3_a_dead_token_closes_it_within_a_second(void **state)
{
	struct socket_client dies, lives;
	int64_t before;

	(void)state;
	begin();
	socket_client_open(&dies, &rig, "short", NULL);
	socket_client_open(&lives, &rig, "owner", NULL);
	socket_client_get(&dies, 1, "/v1/sessions/s1/events/stream");
	socket_client_expect(&dies, "{\"id\":1,\"type\":\"subscribed\"", "");
	atomic_store(&LIVE.short_is_dead, true);
	before = clock_monotonic_ns();
	socket_client_expect_close(&dies, SOCKET_TOKEN_ENDED);
	assert_true(clock_monotonic_ns() - before < INT64_C(1000000000));
	socket_client_get(&lives, 1, "/v1/sessions/s1");
	socket_client_expect(&lives, "{\"id\":1,", "");
	socket_client_close(&dies);
	socket_client_close(&lives);
	api_rig_stop(&rig);
}

/* Not even one request more, although nobody has looked yet. */
static void
P3_a_dead_token_asks_nothing_more(void **state)
{
	struct socket_client c;
	struct str text;

	(void)state;
	begin();
	socket_client_open(&c, &rig, "short", NULL);
	atomic_store(&LIVE.short_is_dead, true);
	socket_client_get(&c, 1, "/v1/sessions/s1");
	while (c.code == 0 && socket_client_pump(&c, SIZE_MAX, PROBE_WAIT_MS))
		assert_false(socket_client_next(&c, &text));
	assert_int_equal(c.code, SOCKET_TOKEN_ENDED);
	socket_client_close(&c);
	api_rig_stop(&rig);
}

static void
A16_a_message_that_is_too_long_closes_it(void **state)
{
	struct socket_client c;
	struct buf text;

	(void)state;
	begin();
	socket_client_open(&c, &rig, "owner", NULL);
	buf_init(&text, 4 * 1024 * 1024);
	memset(buf_extend(&text, rig.config.body_bytes + SOCKET_ENVELOPE_BYTES + 1), ' ',
	       rig.config.body_bytes + SOCKET_ENVELOPE_BYTES + 1);
	buf_putc(&text, '\0');
	socket_client_say(&c, text.ptr);
	socket_client_expect_close(&c, 1009);
	buf_release(&text);
	socket_client_close(&c);
	api_rig_stop(&rig);
}

static void
not_ready(struct api *api, void *arg)
{
	(void)arg;
	api_set_ready(api, false);
}

static void
A16_a_server_that_stops_says_503(void **state)
{
	struct socket_client c;

	(void)state;
	begin();
	socket_client_open(&c, &rig, "owner", NULL);
	api_rig_call(&rig, not_ready, NULL);
	socket_client_get(&c, 1, "/v1/sessions/s1");
	socket_client_expect(&c, "{\"id\":1,\"type\":\"response\",\"status\":503,", "retry-after");
	socket_client_get(&c, 2, "/v1/sessions/s1/events/stream");
	socket_client_expect(&c, "{\"id\":2,\"type\":\"response\",\"status\":503,", "");
	socket_client_get(&c, 3, "/healthz");
	socket_client_expect(&c, "{\"id\":3,\"type\":\"response\",\"status\":200,", "");
	socket_client_close(&c);
	api_rig_stop(&rig);
}

/* ---- room ---- */

enum { BIG = 60000 };

static const char *
big_payload(void)
{
	static const char BEGIN[] = "{\"type\":\"session.checkpoint\",\"reason\":\"manual\","
				    "\"success\":true,\"upto_seq\":1,\"summary\":\"";
	static char payload[BIG + 8];

	memset(payload, 'x', BIG);
	memcpy(payload, BEGIN, sizeof BEGIN - 1);
	memcpy(payload + BIG, "\"}", sizeof "\"}");
	return payload;
}

/* More answers than the queue takes, asked for at once by one who reads only then. */
static void
A16_answers_wait_for_a_slow_reader(void **state)
{
	enum { ASKS = SOCKET_CALLS_MAX, EVENTS = 30 };
	struct socket_client c;
	bool seen[ASKS] = { false };

	(void)state;
	begin();
	for (int i = 0; i < EVENTS; i++)
		live_write(&rig, "s1", NULL, big_payload());
	socket_client_open(&c, &rig, "owner", NULL);
	for (int i = 0; i < ASKS; i++)
		socket_client_get(&c, i, "/v1/sessions/s1/events?limit=30");
	usleep(200 * 1000); /* the server has done what it can */
	for (int i = 0; i < ASKS; i++) {
		struct str text = socket_client_wait(&c);
		long long id = -1;

		assert_int_equal(sscanf(text.ptr, "{\"id\":%lld,", &id), 1);
		assert_in_range(id, 0, ASKS - 1);
		assert_false(seen[id]);
		seen[id] = true;
		assert_true(text.len > (EVENTS - 1) * BIG);
	}
	socket_client_close(&c);
	api_rig_stop(&rig);
}

/* One who asks and asks and takes no answer is not listened to for ever. */
static void
A16_nothing_is_read_while_answers_wait(void **state)
{
	enum { PADDING = 8 * 1024, MESSAGES = 4 * 1024 };
	static char text[PADDING + 64];
	struct socket_client c;
	struct buf frame;
	size_t sent = 0, total;

	(void)state;
	begin();
	socket_client_open(&c, &rig, "owner", NULL);
	snprintf(text, sizeof text, "{\"id\":1,%*s\"path\":\"/v1/openapi.json\"}", PADDING, "");
	buf_init(&frame, sizeof text + 16);
	ws_probe_put(&frame, WS_FIN | WS_TEXT, str_of(text));
	total = frame.len * MESSAGES;
	while (sent < total) {
		struct pollfd p = { .fd = c.fd, .events = POLLOUT };
		size_t at = sent % frame.len;
		ssize_t n;

		if (poll(&p, 1, 500) == 0)
			break;
		n = send(c.fd, frame.ptr + at, frame.len - at, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0)
			fail_msg("cut after %zu bytes", sent);
		sent += (size_t)n;
	}
	assert_true(sent < total);
	buf_release(&frame);
	socket_client_close(&c);
	api_rig_stop(&rig);
}

/* Streams whose sum is more than the queue takes: each is complete and in order all the same. */
static void
A16_streams_share_the_room(void **state)
{
	enum { STREAMS = 12, BEFORE = 10, LIVE_ONES = 40, ALL = BEFORE + LIVE_ONES + 1 };
	long long at[STREAMS] = { 0 };
	struct socket_client c;
	int left = STREAMS * ALL;

	(void)state;
	begin();
	for (int i = 0; i < BEFORE; i++)
		live_write(&rig, "s1", NULL, big_payload());
	socket_client_open(&c, &rig, "owner", NULL);
	for (int i = 0; i < STREAMS; i++)
		socket_client_get(&c, i,
				  i % 2 ? "/v1/events/stream?after=0"
					: "/v1/sessions/s1/events/stream?after=0");
	for (int i = 0; i < LIVE_ONES; i++)
		live_write(&rig, "s1", NULL, big_payload());
	while (left > 0) {
		struct str text = socket_client_wait(&c);
		long long id = -1, cursor = -1;

		if (str_contains(text, STR("\"type\":\"subscribed\"")))
			continue;
		if (sscanf(text.ptr, "{\"id\":%lld,\"type\":\"event\",\"cursor\":%lld,", &id,
			   &cursor) != 2)
			fail_msg("not an event: " STR_FMT, STR_ARG(str_slice(text, 0, 200)));
		assert_in_range(id, 0, STREAMS - 1);
		if (cursor != at[id] + 1)
			fail_msg("stream %lld: %lld behind %lld", id, cursor, at[id]);
		at[id] = cursor;
		left--;
	}
	socket_client_expect_silence(&c, 20);
	socket_client_close(&c);
	api_rig_stop(&rig);
}

/* One who reads nothing while live events come is not skipped, and not cut while it still reads. */
static void
A16_a_slow_reader_misses_nothing(void **state)
{
	enum { EVENTS = 200 };
	struct socket_client c;

	(void)state;
	begin();
	socket_client_open(&c, &rig, "owner", NULL);
	socket_client_get(&c, 1, "/v1/sessions/s1/events/stream");
	socket_client_expect(&c, "{\"id\":1,\"type\":\"subscribed\"", "");
	for (int i = 0; i < EVENTS; i++)
		live_write(&rig, "s1", NULL, big_payload());
	for (int i = 0; i < EVENTS; i++) {
		char begins[64];

		snprintf(begins, sizeof begins, "{\"id\":1,\"type\":\"event\",\"cursor\":%d,",
			 i + 2);
		socket_client_expect(&c, begins, "");
	}
	live_say(&rig, "s1", "live again");
	socket_client_expect(&c, "{\"id\":1,\"type\":\"event\",\"cursor\":202,", "live again");
	socket_client_close(&c);
	api_rig_stop(&rig);
}

static void
A16_one_who_takes_nothing_is_cut(void **state)
{
	struct socket_client c;
	struct rig_reply reply;
	int64_t until;

	(void)state;
	api_rig_init(&rig);
	rig.limits.stall_ms = 100;
	api_rig_start(&rig);
	live_open(&rig, "s1");
	socket_client_open(&c, &rig, "owner", NULL);
	socket_client_get(&c, 1, "/v1/sessions/s1/events/stream");
	socket_client_expect(&c, "{\"id\":1,\"type\":\"subscribed\"", "");
	until = clock_monotonic_ns() + INT64_C(1000000) * PROBE_WAIT_MS;
	do {
		live_write(&rig, "s1", NULL, big_payload());
		reply = live_get(&rig, "owner", "/metrics");
	} while (!str_contains(reply.body, STR("\nperdure_open_sockets 0\n")) &&
		 clock_monotonic_ns() < until);
	rig_expect("cut", &reply, 200, "\nperdure_open_sockets 0\n");
	socket_client_close(&c);
	api_rig_stop(&rig);
}

/* ---- the property: readers with several streams, random cursors and disconnects ---- */

enum { READERS = 8, STREAMS = 3, APPENDS = 1500 };

struct follower {
	struct socket_client c;
	long long seen[STREAMS]; /* the cursor each has */
	bool has[STREAMS], open;
};

static atomic_int appended;

/* Over a WebSocket of its own. */
static void *
append_all(void *arg)
{
	struct socket_client c;

	(void)arg;
	socket_client_open(&c, &rig, "owner", NULL);
	for (int i = 0; i < APPENDS; i++) {
		socket_client_say(
			&c, "{\"id\":1,\"method\":\"POST\",\"path\":\"/v1/sessions/s1/events\","
			    "\"body\":{\"events\":[{\"type\":\"system.message\",\"content\":[{"
			    "\"type\":\"text\",\"text\":\"lorem ipsum\"}]}]}}");
		if (!str_contains(socket_client_wait(&c), STR("\"status\":200")))
			abort();
		atomic_fetch_add(&appended, 1);
	}
	socket_client_close(&c);
	return NULL;
}

static void
subscribe(struct follower *f, int stream)
{
	char path[96];

	snprintf(path, sizeof path,
		 stream % 2 ? "/v1/events/stream?after=%lld"
			    : "/v1/sessions/s1/events/stream?after=%lld",
		 f->seen[stream]);
	socket_client_get(&f->c, stream, path);
	f->has[stream] = true;
}

static void
reconnect(struct follower *f)
{
	if (f->open)
		socket_client_close(&f->c);
	socket_client_open(&f->c, &rig, "owner", NULL);
	f->open = true;
	for (int i = 0; i < STREAMS; i++)
		subscribe(f, i);
}

static void
take(struct follower *f, uint64_t seed)
{
	struct str text;

	while (socket_client_next(&f->c, &text)) {
		long long id = -1, cursor = -1;

		if (sscanf(text.ptr, "{\"id\":%lld,\"type\":\"event\",\"cursor\":%lld,", &id,
			   &cursor) != 2)
			continue;
		assert_in_range(id, 0, STREAMS - 1);
		if (cursor != f->seen[id] + 1)
			fail_msg("seed %llu: stream %lld: %lld behind %lld",
				 (unsigned long long)seed, id, cursor, f->seen[id]);
		f->seen[id] = cursor;
	}
}

/* Another cursor for one stream; what was sent before it heard of that is taken first. */
static void
resubscribe(struct follower *f, int stream, struct rand *dice, uint64_t seed)
{
	char text[64];
	struct str got;

	take(f, seed);
	snprintf(text, sizeof text, "{\"id\":%d,\"type\":\"unsubscribe\"}", stream);
	socket_client_say(&f->c, text);
	snprintf(text, sizeof text, "{\"id\":%d,\"type\":\"unsubscribed\"", stream);
	do {
		long long id = -1, cursor = -1;

		got = socket_client_wait(&f->c);
		if (sscanf(got.ptr, "{\"id\":%lld,\"type\":\"event\",\"cursor\":%lld,", &id,
			   &cursor) != 2)
			continue;
		if (cursor != f->seen[id] + 1)
			fail_msg("seed %llu: stream %lld: %lld behind %lld",
				 (unsigned long long)seed, id, cursor, f->seen[id]);
		f->seen[id] = cursor;
	} while (!str_starts(got, str_of(text)));
	f->seen[stream] = (long long)rand_below(dice, (uint64_t)f->seen[stream] + 1);
	subscribe(f, stream);
}

static void
stir(struct follower *f, struct rand *dice, uint64_t seed)
{
	uint64_t what = rand_below(dice, 200);

	if (!f->open || f->c.closed || what < 8)
		reconnect(f);
	else if (what < 12)
		resubscribe(f, (int)rand_below(dice, STREAMS), dice, seed);
	else
		socket_client_pump(&f->c, 1 + (size_t)rand_below(dice, 20000), 0);
	take(f, seed);
}

static bool
is_at_the_end(const struct follower *f)
{
	for (int i = 0; i < STREAMS; i++)
		if (f->seen[i] != APPENDS + 1)
			return false;
	return true;
}

static void
run_readers(uint64_t seed)
{
	static struct follower all[READERS];
	struct rand dice;
	pthread_t appender;

	memset(all, 0, sizeof all);
	rand_init_seed(&dice, seed);
	atomic_store(&appended, 0);
	if (pthread_create(&appender, NULL, append_all, NULL) != 0)
		fail_msg("no thread");
	while (atomic_load(&appended) < APPENDS)
		stir(&all[rand_below(&dice, READERS)], &dice, seed);
	pthread_join(appender, NULL);
	for (int i = 0; i < READERS; i++) {
		struct follower *f = &all[i];

		while (!is_at_the_end(f)) {
			if (!f->open || !socket_client_pump(&f->c, SIZE_MAX, PROBE_WAIT_MS))
				reconnect(f);
			take(f, seed);
		}
		socket_client_pump(&f->c, SIZE_MAX, 1);
		take(f, seed); /* nothing behind the last: it would not be the next of any log */
		assert_true(is_at_the_end(f));
		socket_client_close(&f->c);
	}
}

static void
A16_every_reader_ends_with_the_log(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= suite_seeds(1); seed++) {
		begin();
		run_readers(seed);
		api_rig_stop(&rig);
	}
}

static void
A16_every_reader_ends_with_the_log_on_sqlite(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= suite_seeds(1); seed++) {
		sqlite_dir_init(&dir);
		LIVE.sqlite_dir = dir.path;
		begin();
		run_readers(seed + 1000);
		api_rig_stop(&rig);
		LIVE.sqlite_dir = NULL;
		sqlite_dir_release(&dir);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, REFUSED, is_refused);
	SUITE_ROWS(&s, OPENED, is_opened);
	SUITE_TEST(&s, P3_a_dead_token_closes_it_within_a_second);
	SUITE_TEST(&s, P3_a_dead_token_asks_nothing_more);
	SUITE_TEST(&s, A16_a_message_that_is_too_long_closes_it);
	SUITE_TEST(&s, A16_a_server_that_stops_says_503);
	SUITE_TEST(&s, A16_answers_wait_for_a_slow_reader);
	SUITE_TEST(&s, A16_nothing_is_read_while_answers_wait);
	SUITE_TEST(&s, A16_streams_share_the_room);
	SUITE_TEST(&s, A16_a_slow_reader_misses_nothing);
	SUITE_TEST(&s, A16_one_who_takes_nothing_is_cut);
	SUITE_TEST(&s, A16_every_reader_ends_with_the_log);
	SUITE_TEST(&s, A16_every_reader_ends_with_the_log_on_sqlite);
	return suite_run(&s, "api/socket");
}
