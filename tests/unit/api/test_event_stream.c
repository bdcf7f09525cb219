#include "api/event_stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rand.h"
#include "live_engine.h"
#include "sqlite_dir.h"
#include "sse_reader.h"

static struct api_rig rig;
static struct sqlite_dir dir;

static int
start_rig(void **state)
{
	(void)state;
	api_rig_init(&rig);
	rig.config.body_bytes = 8 * 1024 * 1024;
	atomic_store(&LIVE.short_is_dead, false);
	api_rig_start(&rig);
	live_open(&rig, "s1");
	return 0;
}

static void
follow_as(struct sse_reader *r, const char *token, const char *target, const char *headers)
{
	sse_reader_open(
		r, &rig,
		&(struct rig_ask){
			.method = "GET", .target = target, .token = token, .headers = headers });
}

static void
follow(struct sse_reader *r, const char *target)
{
	follow_as(r, "owner", target, NULL);
}

/* The headers have come: whatever is committed from now on is on the stream. */
static void
await_head(struct sse_reader *r)
{
	while (!r->has_head || r->text.len == 0)
		sse_reader_pump(r, SIZE_MAX, 20);
	assert_int_equal(r->status, 200);
}

static void
say(const char *session, const char *text)
{
	char target[128], body[512];
	struct rig_reply reply;

	snprintf(target, sizeof target, "/v1/sessions/%s/events", session);
	snprintf(body, sizeof body,
		 "{\"events\":[{\"type\":\"system.message\",\"content\":[{\"type\":\"text\","
		 "\"text\":\"%s\"}]}]}",
		 text);
	reply = api_rig_ask(
		&rig, &(struct rig_ask){
			      .method = "POST", .target = target, .token = "owner", .body = body });
	rig_expect("send", &reply, 200, text);
}

static long long
id_of(const struct sse_frame_read *frame)
{
	int64_t id = -1;

	if (!str_to_int(str_of(frame->id), &id))
		fail_msg("a frame with the id '%s'", frame->id);
	return id;
}

static long long
wait_id(struct sse_reader *r)
{
	struct sse_frame_read frame = sse_reader_wait(r);

	return id_of(&frame);
}

static void
A4_begins_with_retry_and_is_live(void **state)
{
	struct sse_reader r;

	start_rig(state);
	follow(&r, "/v1/sessions/s1/events/stream");
	await_head(&r);
	assert_true(str_starts(buf_str(&r.text), STR("retry: 500\n\n")));
	sse_reader_expect_silence(&r, 30); /* what was before is not live */
	say("s1", "hello");
	sse_reader_expect(&r, "system.message", "\"text\":\"hello\"");
	say("s1", "again");
	sse_reader_expect(&r, "system.message", "\"seq\":3");
	sse_reader_close(&r);
	api_rig_stop(&rig);
}

static void
A4_after_0_is_the_whole_log_then_live(void **state)
{
	struct sse_reader r;
	struct sse_frame_read frame;

	start_rig(state);
	say("s1", "one");
	follow(&r, "/v1/sessions/s1/events/stream?after=0");
	sse_reader_expect(&r, "session.created", "\"seq\":1");
	frame = sse_reader_wait(&r);
	assert_string_equal(frame.id, "2");
	assert_string_equal(frame.event, "system.message");
	say("s1", "two");
	sse_reader_expect(&r, "system.message", "\"text\":\"two\"");
	sse_reader_close(&r);
	api_rig_stop(&rig);
}

static void
A4_the_header_wins_over_after(void **state)
{
	struct sse_reader r;

	start_rig(state);
	say("s1", "one");
	say("s1", "two");
	follow_as(&r, "owner", "/v1/sessions/s1/events/stream?after=0", "Last-Event-ID: 2\r\n");
	sse_reader_expect(&r, "system.message", "\"text\":\"two\"");
	sse_reader_close(&r);
	api_rig_stop(&rig);
}

static void
A4_a_cursor_above_the_head_is_reset(void **state)
{
	struct sse_reader r;

	start_rig(state);
	say("s1", "one");
	follow(&r, "/v1/sessions/s1/events/stream?after=77");
	sse_reader_expect(&r, "reset", "{\"type\":\"reset\",\"head\":2}");
	say("s1", "two");
	sse_reader_expect(&r, "system.message", "\"seq\":3");
	sse_reader_close(&r);
	api_rig_stop(&rig);
}

static const struct refused {
	const char *name, *target, *headers, *token;
	int status;
	const char *part;
} REFUSED[] = {
	{ "A4 a cursor that is no number", "/v1/sessions/s1/events/stream?after=x", NULL, "owner",
	  400, "after" },
	{ "A4 a negative cursor", "/v1/sessions/s1/events/stream?after=-1", NULL, "owner", 400,
	  "after" },
	{ "A4 a last event id that is no number", "/v1/sessions/s1/events/stream",
	  "Last-Event-ID: sevt_1\r\n", "owner", 400, "Last-Event-ID" },
	{ "A4 deltas of what has none", "/v1/sessions/s1/events/stream?event_deltas[]=user.message",
	  NULL, "owner", 400, "event_deltas" },
	{ "A4 an unknown parameter", "/v1/sessions/s1/events/stream?since=1", NULL, "owner", 400,
	  "since" },
	{ "A4 no such session", "/v1/sessions/s2/events/stream", NULL, "owner", 404,
	  "not_found_error" },
	{ "P2 another's session is not found", "/v1/sessions/s1/events/stream?after=0", NULL,
	  "user", 404, "not_found_error" },
	{ "P2 not even with a bad cursor behind it", "/v1/sessions/s1/events/stream?after=99", NULL,
	  "user", 404, "not_found_error" },
};

static void
is_refused(void **state)
{
	const struct refused *row = *state;
	struct rig_reply reply;

	start_rig(state);
	reply = api_rig_ask(&rig, &(struct rig_ask){ .method = "GET",
						     .target = row->target,
						     .token = row->token,
						     .headers = row->headers });
	rig_expect(row->name, &reply, row->status, row->part);
	api_rig_stop(&rig);
}

static void
A4_head_has_no_body(void **state)
{
	struct rig_reply reply;

	start_rig(state);
	reply = api_rig_ask(&rig, &(struct rig_ask){ .method = "HEAD",
						     .target = "/v1/sessions/s1/events/stream",
						     .token = "owner" });
	rig_expect("HEAD", &reply, 200, NULL);
	api_rig_stop(&rig);
}

static void
A4_a_reader_joins_in_mid_message(void **state)
{
	struct sse_reader early, late, without;

	start_rig(state);
	follow(&early, "/v1/sessions/s1/events/stream?event_deltas[]=agent.message");
	follow(&without, "/v1/sessions/s1/events/stream?event_deltas[]=agent.thinking");
	await_head(&early);
	await_head(&without);
	live_write(&rig, "s1", "t1",
		   "{\"type\":\"session.status_running\",\"turn_id\":\"t1\",\"consumes\":[],"
		   "\"wakes\":[\"w1\"]}");
	live_preview_start(&rig, "s1", "sevt_9");
	live_preview_delta(&rig, "s1", "sevt_9", "Hel");
	live_preview_delta(&rig, "s1", "sevt_9", "lo");
	follow(&late, "/v1/sessions/s1/events/stream?after=1&event_deltas%5B%5D=agent.message");
	sse_reader_expect(&late, "session.status_running", "\"turn_id\":\"t1\"");
	sse_reader_expect(&late, "event_start", "\"id\":\"sevt_9\"");
	sse_reader_expect(&late, "event_delta", "\"text\":\"Hello\"");
	live_preview_delta(&rig, "s1", "sevt_9", " you");
	sse_reader_expect(&late, "event_delta", "\"text\":\" you\"");
	live_write_as(&rig, "s1", "t1", "sevt_9",
		      "{\"type\":\"agent.message\",\"content\":[{\"type\":\"text\",\"text\":"
		      "\"Hello you\"}]}");
	live_preview_end(&rig, "s1", "sevt_9");
	sse_reader_expect(&late, "agent.message", "{\"id\":\"sevt_9\",\"type\":\"agent.message\"");
	sse_reader_expect(&early, "session.status_running", "");
	sse_reader_expect(&early, "event_start",
			  "{\"type\":\"event_start\",\"event\":{\"type\":\"agent.message\",\"id\":"
			  "\"sevt_9\"}}");
	sse_reader_expect(&early, "event_delta",
			  "{\"type\":\"event_delta\",\"event_id\":\"sevt_9\",\"delta\":{\"type\":"
			  "\"content_delta\",\"index\":0,\"content\":{\"type\":\"text\",\"text\":"
			  "\"Hel\"}}}");
	sse_reader_expect(&early, "event_delta", "\"text\":\"lo\"");
	sse_reader_expect(&early, "event_delta", "\"text\":\" you\"");
	sse_reader_expect(&early, "agent.message", "\"turn_id\":\"t1\"");
	sse_reader_expect(&without, "session.status_running", "");
	sse_reader_expect(&without, "agent.message", "Hello you");
	sse_reader_close(&early);
	sse_reader_close(&late);
	sse_reader_close(&without);
	api_rig_stop(&rig);
}

static void
A4_ends_with_its_session(void **state)
{
	struct sse_reader live, behind;
	struct rig_reply reply;

	start_rig(state);
	follow(&live, "/v1/sessions/s1/events/stream");
	await_head(&live);
	live_write(&rig, "s1", NULL,
		   "{\"type\":\"session.status_terminated\",\"reason\":\"test\",\"consumes\":[]}");
	sse_reader_expect(&live, "session.status_terminated", "\"seq\":2");
	sse_reader_expect_end(&live);
	follow(&behind, "/v1/sessions/s1/events/stream?after=0");
	sse_reader_expect(&behind, "session.created", "");
	sse_reader_expect(&behind, "session.status_terminated", "");
	sse_reader_expect_end(&behind);
	sse_reader_close(&live);
	sse_reader_close(&behind);
	live_open(&rig, "s2");
	follow(&live, "/v1/sessions/s2/events/stream");
	await_head(&live);
	reply = api_rig_ask(&rig, &(struct rig_ask){ .method = "DELETE",
						     .target = "/v1/sessions/s2",
						     .token = "owner" });
	rig_expect("delete", &reply, 200, "{\"id\":\"s2\",\"type\":\"session_deleted\"}");
	sse_reader_expect(&live, "session.deleted", "");
	sse_reader_expect_end(&live);
	sse_reader_close(&live);
	api_rig_stop(&rig);
}

static void
P3_a_dead_token_closes_its_streams_within_a_second(void **state)
{
	struct sse_reader dies, lives, all;
	int64_t before;

	start_rig(state);
	follow_as(&dies, "short", "/v1/sessions/s1/events/stream", NULL);
	follow_as(&all, "short", "/v1/events/stream", NULL);
	follow(&lives, "/v1/sessions/s1/events/stream");
	await_head(&dies);
	await_head(&all);
	await_head(&lives);
	atomic_store(&LIVE.short_is_dead, true);
	before = clock_monotonic_ns();
	sse_reader_expect_end(&dies);
	sse_reader_expect_end(&all);
	assert_true(clock_monotonic_ns() - before < INT64_C(1000000000));
	say("s1", "still there");
	sse_reader_expect(&lives, "system.message", "still there");
	sse_reader_close(&dies);
	sse_reader_close(&all);
	sse_reader_close(&lives);
	api_rig_stop(&rig);
}

static void
A5_all_sessions_on_one_stream(void **state)
{
	struct sse_reader all, again, some;
	struct sse_frame_read frame;
	char header[64];

	start_rig(state);
	live_open(&rig, "s2");
	follow(&all, "/v1/events/stream");
	await_head(&all);
	say("s1", "to one");
	say("s2", "to two");
	frame = sse_reader_wait(&all);
	assert_true(str_contains(frame.data, STR("\"session_id\":\"s1\"")));
	snprintf(header, sizeof header, "Last-Event-ID: %s\r\n", frame.id);
	sse_reader_expect(&all, "system.message", "\"session_id\":\"s2\"");
	follow_as(&again, "owner", "/v1/events/stream", header);
	sse_reader_expect(&again, "system.message", "to two");
	follow(&some, "/v1/events/stream?after=0&types[]=session.created");
	sse_reader_expect(&some, "session.created", "\"session_id\":\"s1\"");
	sse_reader_expect(&some, "session.created", "\"session_id\":\"s2\"");
	say("s1", "third");
	live_open(&rig, "s3");
	sse_reader_expect(&some, "session.created", "\"session_id\":\"s3\"");
	sse_reader_expect(&again, "system.message", "third");
	sse_reader_close(&all);
	sse_reader_close(&again);
	sse_reader_close(&some);
	api_rig_stop(&rig);
}

static void
A5_a_cursor_of_another_store_is_reset(void **state)
{
	struct sse_reader r;

	start_rig(state);
	follow(&r, "/v1/events/stream?after=99");
	sse_reader_expect(&r, "reset", "{\"type\":\"reset\",\"head\":1}");
	say("s1", "live");
	sse_reader_expect(&r, "system.message", "live");
	sse_reader_close(&r);
	api_rig_stop(&rig);
}

/* A server that has just started knows of no commit yet. */
static void
A5_a_cursor_survives_a_restart(void **state)
{
	struct sse_reader r;

	sqlite_dir_init(&dir);
	LIVE.sqlite_dir = dir.path;
	start_rig(state);
	say("s1", "before");
	api_rig_stop(&rig);
	api_rig_init(&rig);
	api_rig_start(&rig);
	follow(&r, "/v1/events/stream?after=1");
	sse_reader_expect(&r, "system.message", "before");
	sse_reader_close(&r);
	follow(&r, "/v1/events/stream?after=9");
	sse_reader_expect(&r, "reset", "");
	sse_reader_close(&r);
	api_rig_stop(&rig);
	LIVE.sqlite_dir = NULL;
	sqlite_dir_release(&dir);
}

static void
A5_shows_only_what_the_caller_may_see(void **state)
{
	struct sse_reader mine, all;
	struct rig_reply reply;

	start_rig(state);
	follow_as(&mine, "user", "/v1/events/stream", NULL);
	follow_as(&all, "user", "/v1/events/stream?after=0", NULL);
	await_head(&mine);
	say("s1", "secret");
	reply = api_rig_ask(&rig, &(struct rig_ask){ .method = "POST",
						     .target = "/v1/sessions",
						     .token = "user",
						     .body = "{\"id\":\"s2\",\"agent\":\"main\","
							     "\"environment_id\":"
							     "\"local-default\"}" });
	rig_expect("a session of the user's", &reply, 200, "s2");
	say("s1", "secret too");
	say("s2", "for you");
	sse_reader_expect(&mine, "session.created", "\"session_id\":\"s2\"");
	sse_reader_expect(&mine, "system.message", "for you");
	sse_reader_expect(&all, "session.created", "\"session_id\":\"s2\"");
	sse_reader_expect(&all, "system.message", "for you");
	sse_reader_close(&mine);
	sse_reader_close(&all);
	api_rig_stop(&rig);
}

/* A reader that takes nothing is cut; what it got is a beginning of the log, and the rest comes when
 * it comes back. */
static void
A4_a_slow_reader_is_cut_and_resumes(void **state)
{
	enum { BIG = 30000, EVENTS = 400 };
	static const char BEGIN[] = "{\"type\":\"session.checkpoint\",\"reason\":\"manual\","
				    "\"success\":true,\"upto_seq\":1,\"summary\":\"";
	static char payload[BIG + 8];
	struct sse_reader r;
	struct sse_frame_read frame;
	long long seq = 0;
	char header[64];

	start_rig(state);
	memset(payload, 'x', BIG);
	memcpy(payload, BEGIN, sizeof BEGIN - 1);
	memcpy(payload + BIG, "\"}", sizeof "\"}");
	follow(&r, "/v1/sessions/s1/events/stream?after=0");
	await_head(&r);
	for (int i = 0; i < EVENTS; i++)
		live_write(&rig, "s1", NULL, payload);
	while (sse_reader_pump(&r, SIZE_MAX, 1000))
		continue;
	while (sse_reader_next(&r, &frame))
		assert_int_equal(id_of(&frame), ++seq);
	assert_true(seq > 1 && seq < EVENTS);
	sse_reader_close(&r);
	snprintf(header, sizeof header, "Last-Event-ID: %lld\r\n", seq);
	follow_as(&r, "owner", "/v1/sessions/s1/events/stream", header);
	while (seq < EVENTS + 1)
		assert_int_equal(wait_id(&r), ++seq);
	sse_reader_close(&r);
	api_rig_stop(&rig);
}

/* ---- the property: many readers, random cursors, random disconnects, thousands of appends ---- */

enum { READERS = 16, APPENDS = 2000 };

struct follower {
	struct sse_reader r;
	long long seen; /* the seq it has */
	bool open;
};

/* Appends as fast as it gets answers, on a thread of its own. */
static atomic_int appended;

static void *
append_all(void *arg)
{
	static const char EVENT[] =
		"{\"events\":[{\"type\":\"system.message\",\n\"content\":[{\"type\":\"text\","
		"\"text\":\"lorem ipsum\"}]}]}";
	int fd = probe_connect(&rig.client);
	char request[512], answer[4096];

	(void)arg;
	snprintf(request, sizeof request,
		 "POST /v1/sessions/s1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
		 "owner\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
		 sizeof EVENT - 1, EVENT);
	for (int i = 0; i < APPENDS; i++) {
		size_t len = 0;

		probe_send(fd, str_of(request));
		do {
			ssize_t n = recv(fd, answer + len, sizeof answer - len, 0);
			if (n <= 0)
				abort();
			len += (size_t)n;
		} while (!str_ends((struct str){ answer, len }, STR("]}")));
		if (!str_starts((struct str){ answer, len }, STR("HTTP/1.1 200")))
			abort();
		atomic_fetch_add(&appended, 1);
	}
	close(fd);
	return NULL;
}

static void
reconnect(struct follower *f, bool header)
{
	char target[96], last[64];

	if (f->open)
		sse_reader_close(&f->r);
	snprintf(target, sizeof target, "/v1/sessions/s1/events/stream?after=%lld",
		 header ? 0 : f->seen);
	snprintf(last, sizeof last, "Last-Event-ID: %lld\r\n", f->seen);
	follow_as(&f->r, "owner", target, header ? last : NULL);
	f->open = true;
}

/* Each frame is the one behind the last. */
static void
take(struct follower *f, uint64_t seed)
{
	struct sse_frame_read frame;

	while (sse_reader_next(&f->r, &frame)) {
		if (id_of(&frame) != f->seen + 1)
			fail_msg("seed %llu: seq %s behind %lld", (unsigned long long)seed,
				 frame.id, f->seen);
		f->seen++;
	}
}

/* One thing that happens to one reader; some get far behind and are cut. */
static void
stir(struct follower *f, struct rand *dice, uint64_t seed)
{
	uint64_t what = rand_below(dice, 100);

	if (what < 4) /* starts over from anywhere before */
		f->seen = (long long)rand_below(dice, (uint64_t)f->seen + 1);
	if (!f->open || f->r.closed || what < 12) {
		reconnect(f, what & 1);
		return;
	}
	sse_reader_pump(&f->r, 1 + (size_t)rand_below(dice, 20000), 1);
	take(f, seed);
}

static void
run_readers(uint64_t seed)
{
	struct follower all[READERS] = { 0 };
	struct rand dice;
	pthread_t appender;

	rand_init_seed(&dice, seed);
	atomic_store(&appended, 0);
	if (pthread_create(&appender, NULL, append_all, NULL) != 0)
		fail_msg("no thread");
	while (atomic_load(&appended) < APPENDS)
		stir(&all[rand_below(&dice, READERS)], &dice, seed);
	pthread_join(appender, NULL);
	for (int i = 0; i < READERS; i++) {
		struct follower *f = &all[i];

		while (f->seen < APPENDS + 1) {
			if (!f->open || !sse_reader_pump(&f->r, SIZE_MAX, PROBE_WAIT_MS))
				reconnect(f, true);
			take(f, seed);
		}
		sse_reader_expect_silence(&f->r, 1);
		sse_reader_close(&f->r);
	}
}

static void
A4_every_reader_ends_with_the_log(void **state)
{
	for (uint64_t seed = 1; seed <= suite_seeds(1); seed++) {
		start_rig(state);
		run_readers(seed);
		api_rig_stop(&rig);
	}
}

static void
A4_every_reader_ends_with_the_log_on_sqlite(void **state)
{
	for (uint64_t seed = 1; seed <= suite_seeds(1); seed++) {
		sqlite_dir_init(&dir);
		LIVE.sqlite_dir = dir.path;
		start_rig(state);
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

	SUITE_TEST(&s, A4_begins_with_retry_and_is_live);
	SUITE_TEST(&s, A4_after_0_is_the_whole_log_then_live);
	SUITE_TEST(&s, A4_the_header_wins_over_after);
	SUITE_TEST(&s, A4_a_cursor_above_the_head_is_reset);
	SUITE_ROWS(&s, REFUSED, is_refused);
	SUITE_TEST(&s, A4_head_has_no_body);
	SUITE_TEST(&s, A4_a_reader_joins_in_mid_message);
	SUITE_TEST(&s, A4_ends_with_its_session);
	SUITE_TEST(&s, P3_a_dead_token_closes_its_streams_within_a_second);
	SUITE_TEST(&s, A5_all_sessions_on_one_stream);
	SUITE_TEST(&s, A5_a_cursor_of_another_store_is_reset);
	SUITE_TEST(&s, A5_a_cursor_survives_a_restart);
	SUITE_TEST(&s, A5_shows_only_what_the_caller_may_see);
	SUITE_TEST(&s, A4_a_slow_reader_is_cut_and_resumes);
	SUITE_TEST(&s, A4_every_reader_ends_with_the_log);
	SUITE_TEST(&s, A4_every_reader_ends_with_the_log_on_sqlite);
	return suite_run(&s, "api/event_stream");
}
