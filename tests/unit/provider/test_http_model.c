#include "provider/http_model.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dialect_rig.h"
#include "fake_model.h"

/* Every row is asked of every dialect. Parts: B begin, a say "a", 2 two calls, e end, E end with calls,
 * W the whole answer, L too long, ! overload, P a pause, anything else is itself. */
struct row {
	const char *name;
	const char *parts;
	const char *want; /* of the trace */
	struct fake_answer answer;
	int64_t retry_after_ms; /* 0: none is told */
	int64_t idle_ms;        /* 0: long */
};

#define ENDED_IN_THE_MIDDLE "!network acme/m: the answer ended in the middle"
#define BROKEN              "!network acme/m: 127.0.0.1:"

static const struct row ROWS[] = {
	{ "T3 an answer", "Bae", "'a' end 12+3 r0 0+0" },
	{ "T3 parallel calls", "Ba2E",
	  "'a' call(c1 look {'x':1}) call(c2 see {}) tools 12+3 r0 0+0" },
	{ "T3 an answer that is not streamed",
	  "W",
	  "'a' end 12+3 r0 0+0",
	  { .type = "application/json; charset=utf-8" } },
	{ "T3 a stream that says it is something else",
	  "Bae",
	  "'a' end 12+3 r0 0+0",
	  { .type = "text/plain" } },
	{ "T3 the peer does not hang up",
	  "Bae",
	  "'a' end 12+3 r0 0+0",
	  { .ending = FAKE_HANG },
	  0,
	  60000 },
	{ "T3 the peer breaks off behind the end",
	  "Bae",
	  "'a' end 12+3 r0 0+0",
	  { .ending = FAKE_CUT } },
	{ "T6 slow, but never silent for too long",
	  "BaPPPPae",
	  "'a' 'a' end 12+3 r0 0+0",
	  { .pause_ms = 120 },
	  0,
	  400 },
	{ "T6 silent in the middle",
	  "Ba",
	  "'a' !timeout acme/m: ",
	  { .ending = FAKE_HANG },
	  0,
	  150 },
	{ "T6 silent from the start", "", "!timeout acme/m: ", { .status = -1 }, 0, 150 },
	{ "T6 it breaks off in the middle", "Ba", "'a' " BROKEN, { .ending = FAKE_CUT } },
	{ "T6 it ends in the middle", "Ba", "'a' " ENDED_IN_THE_MIDDLE },
	{ "T6 it ends before it began", "", ENDED_IN_THE_MIDDLE },
	{ "T6 overload in the stream", "Ba!", "'a' !overloaded acme/m: the answer broke off: " },
	{ "T6 a chunk that makes no sense", "Ba{",
	  "'a' !malformed acme/m: the answer makes no sense" },
	{ "T6 429 with Retry-After",
	  "{'error':{'message':'slow down'}}",
	  "!rate_limited acme/m: HTTP 429: slow down",
	  { 429, .retry_after = "7" },
	  7000 },
	{ "T6 429 with retry-after-ms",
	  "{'error':{'message':'slow down'}}",
	  "!rate_limited acme/m: HTTP 429: slow down",
	  { 429, .retry_after = "7", .retry_after_ms = "1500" },
	  1500 },
	{ "T6 529", "", "!overloaded acme/m: HTTP 529", { 529 } },
	{ "T6 503 with a page",
	  "<html>busy\nplease</html>",
	  "!server acme/m: HTTP 503: <html>busy please</html>",
	  { 503, .type = "text/html" } },
	{ "T6 too long a prompt", "L", "!context_length acme/m: HTTP 400: ", { 400 } },
	{ "T6 401 that quotes the key",
	  "{'error':{'message':'sk-fake-0123456789abcdef: bad sk-fake-0123456789abcdef'}}",
	  "!request acme/m: HTTP 401: [redacted]: bad [redacted]",
	  { 401 } },
	{ "T6 402", "", "!billing acme/m: HTTP 402", { 402 } },
	{ "T6 404 in other words",
	  "{'detail':'no such model'}",
	  "!request acme/m: HTTP 404: no such model",
	  { 404 } },
	{ "T6 a redirect", "", "!request acme/m: HTTP 302 where an answer was expected", { 302 } },
	{ "T6 a document that is no answer",
	  "{}",
	  "!malformed acme/m: ",
	  { .type = "application/json" } },
	{ "T6 a document that is cut",
	  "{'choices'",
	  "!network acme/m: ",
	  { .type = "application/json", .ending = FAKE_CUT } },
	{ "T6 an error whose body is cut",
	  "x",
	  "!server acme/m: HTTP 500: x",
	  { 500, .ending = FAKE_CUT } },
};

struct asked {
	struct fake_model fake;
	struct provider *provider;
	struct dialect_trace trace;
	int64_t retry_after_ms;
	struct message message;
	struct provider_request request;
	struct provider_call *call;
};

static void
on_failed(void *ctx, const struct provider_failure *f)
{
	struct dialect_trace *t = ctx;

	LIST_OWNER(t, struct asked, trace)->retry_after_ms = f->retry_after_ms;
	DIALECT_TRACE.on_failed(ctx, f);
}

static void
on_text_cancel(void *ctx, struct str piece)
{
	struct asked *q = LIST_OWNER(ctx, struct asked, trace);

	DIALECT_TRACE.on_text(ctx, piece);
	q->provider->ops->cancel(q->call);
}

static void
on_heard(void *ctx, struct str piece, const struct usage *told)
{
	(void)ctx, (void)piece, (void)told;
}

static const struct provider_events CANCELLING = { .on_text = on_text_cancel,
						   .on_heard = on_heard };

static void
begin(struct asked *q, const struct fake_dialect *d, int64_t idle_ms)
{
	*q = (struct asked){ .message = { .role = MESSAGE_USER, .content = { "hi", 2 } } };
	q->request = (struct provider_request){ .model = STR("m"),
						.messages = &q->message,
						.message_count = 1,
						.max_output_tokens = 10 };
	fake_model_init(&q->fake);
	dialect_trace_init(&q->trace);
	q->provider = fake_model_open(&q->fake, d, idle_ms > 0 ? idle_ms : 10000);
}

static void
ask(struct asked *q)
{
	static struct provider_events EVENTS;

	EVENTS = DIALECT_TRACE;
	EVENTS.on_failed = on_failed;
	q->call = q->provider->ops->start(q->provider, &q->request, &EVENTS, &q->trace);
	assert_int_equal(q->trace.out.len, 0);
	fake_model_await(&q->fake, &q->trace.ends, 1);
}

static void
end(struct asked *q)
{
	q->provider->ops->free(q->provider);
	fake_model_release(&q->fake);
	dialect_trace_release(&q->trace);
}

static const char *
part_of(const struct fake_dialect *d, char c, char itself[2])
{
	switch (c) {
	case 'B': return d->begin;
	case 'a': return d->say_a;
	case '2': return d->two_calls;
	case 'e': return d->end;
	case 'E': return d->end_calls;
	case 'W': return d->whole;
	case 'L': return d->too_long;
	case '!': return d->overloaded;
	case 'P': return FAKE_PAUSE ": still here\n\n";
	case '{': return "data: {\n\n";
	}
	itself[0] = c;
	return itself;
}

/* Parts are letters unless it is a body of its own. */
static void
say(struct asked *q, const struct fake_dialect *d, const char *parts)
{
	const char *said[16];
	char itself[16][2] = { 0 };
	size_t count = 0;

	if (strlen(parts) > 12 || (parts[0] == '{' && parts[1] != '\0') || parts[0] == '<' ||
	    (parts[0] == '{' && q->fake.answer.type)) {
		fake_model_say(&q->fake, &parts, 1);
		return;
	}
	for (; parts[count]; count++)
		said[count] = part_of(d, parts[count], itself[count]);
	fake_model_say(&q->fake, said, count);
}

static void
check_told(struct asked *q, const char *want)
{
	struct arena a;
	struct str told = buf_str(&q->trace.out);
	char *text;

	arena_init(&a);
	text = (char *)(uintptr_t)arena_str(&a, str_of(want)).ptr;
	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	if (!str_starts(told, str_of(text)))
		check_str("told", told, str_of(text));
	assert_false(str_contains(told, STR("0123456789abcdef")));
	arena_release(&a);
}

static void
check_row(const struct row *row, const struct fake_dialect *d)
{
	struct asked q;

	begin(&q, d, row->idle_ms);
	q.fake.answer = row->answer;
	say(&q, d, row->parts);
	ask(&q);
	check_told(&q, row->want);
	assert_int_equal(q.trace.ends, 1);
	if (row->retry_after_ms > 0)
		assert_int_equal(q.retry_after_ms, row->retry_after_ms);
	end(&q);
}

static void
row_of_all(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(FAKE_DIALECTS); i++)
		check_row(*state, &FAKE_DIALECTS[i]);
}

static void
T3_what_is_sent_where(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(FAKE_DIALECTS); i++) {
		const struct fake_dialect *d = &FAKE_DIALECTS[i];
		struct asked q;

		begin(&q, d, 0);
		say(&q, d, "Bae");
		ask(&q);
		check_str("path", buf_str(&q.fake.path), str_of(d->path));
		assert_true(str_contains(buf_str(&q.fake.headers), str_of(d->key_header)));
		assert_true(str_contains(buf_str(&q.fake.headers),
					 STR("content-type: application/json\n")));
		assert_int_equal(i == FAKE_ANTHROPIC,
				 str_contains(buf_str(&q.fake.headers),
					      STR("anthropic-version: 2023-06-01\n")));
		assert_true(str_starts(buf_str(&q.fake.body), STR("{\"model\":\"m\",")));
		end(&q);
	}
}

static void
T3_a_connection_is_used_again(void **state)
{
	struct asked q;

	(void)state;
	begin(&q, &FAKE_DIALECTS[FAKE_ANTHROPIC], 0);
	say(&q, &FAKE_DIALECTS[FAKE_ANTHROPIC], "Bae");
	for (int i = 0; i < 3; i++) {
		q.trace.ends = 0;
		buf_clear(&q.trace.out);
		ask(&q);
	}
	assert_int_equal(q.fake.requests, 3);
	assert_int_equal(http_server_connections(q.fake.server), 1);
	end(&q);
}

static void
T3_a_missing_key_is_said_and_nothing_is_sent(void **state)
{
	struct asked q;

	(void)state;
	begin(&q, &FAKE_DIALECTS[FAKE_CHAT], 0);
	unsetenv("FAKE_KEY");
	ask(&q);
	check_str(
		"told", buf_str(&q.trace.out),
		STR("!request acme/m: provider acme has no key: the environment variable FAKE_KEY "
		    "is not set where the server was started"));
	assert_int_equal(q.fake.requests, 0);
	buf_clear(&q.trace.out);
	q.call = q.provider->ops->start(q.provider, &q.request, &DIALECT_TRACE, &q.trace);
	q.provider->ops->cancel(q.call); /* before it could be said */
	fake_model_run(&q.fake, 20);
	assert_int_equal(q.trace.out.len, 0);
	end(&q);
}

static void
T3_a_key_file_is_read_anew(void **state)
{
	const struct fake_dialect *d = &FAKE_DIALECTS[FAKE_CHAT];
	char path[] = "/tmp/perdure-key-XXXXXX";
	int fd = mkstemp(path);
	struct asked q;

	(void)state;
	begin(&q, d, 0);
	q.provider->ops->free(q.provider);
	q.provider = d->open(&(struct http_model_config){ .host = q.fake.host,
							  .egress = q.fake.egress,
							  .name = STR("acme"),
							  .base_url = str_of(q.fake.base_url),
							  .api_key_file = str_of(path),
							  .idle_ms = 10000 });
	say(&q, d, "Bae");
	assert_int_equal(write(fd, "one\n", 4), 4);
	ask(&q);
	assert_true(str_contains(buf_str(&q.fake.headers), STR("authorization: Bearer one\n")));
	assert_int_equal(pwrite(fd, "two\n", 4, 0), 4);
	q.trace.ends = 0;
	buf_clear(&q.trace.out);
	ask(&q);
	assert_true(str_contains(buf_str(&q.fake.headers), STR("authorization: Bearer two\n")));
	close(fd);
	unlink(path);
	end(&q);
}

static void
Q5_a_cancel_from_inside_hangs_up(void **state)
{
	const struct fake_dialect *d = &FAKE_DIALECTS[FAKE_ANTHROPIC];
	struct asked q;

	(void)state;
	begin(&q, d, 60000);
	q.fake.answer.ending = FAKE_HANG;
	say(&q, d, "Ba");
	q.call = q.provider->ops->start(q.provider, &q.request, &CANCELLING, &q.trace);
	for (int i = 0; i < 200 && (q.fake.requests == 0 || !list_is_empty(&q.fake.open)); i++)
		fake_model_run(&q.fake, 20);
	assert_true(list_is_empty(&q.fake.open));
	check_told(&q, "'a'");
	assert_int_equal(q.trace.ends, 0);
	end(&q);
}

static void
T6_nobody_listens(void **state)
{
	struct asked q;

	(void)state;
	begin(&q, &FAKE_DIALECTS[FAKE_RESPONSES], 0);
	http_server_free(&q.fake.server);
	ask(&q);
	check_told(&q, "!network acme/m: ");
	end(&q);
}

static void
T6_an_error_body_is_read_to_a_limit(void **state)
{
	enum { LONG = 200 * 1024 };
	struct asked q;
	char *body = malloc(LONG + 1);
	const char *said = body;

	(void)state;
	memset(body, 'x', LONG);
	body[LONG] = '\0';
	begin(&q, &FAKE_DIALECTS[FAKE_CHAT], 0);
	q.fake.answer = (struct fake_answer){ .status = 500, .ending = FAKE_HANG };
	fake_model_say(&q.fake, &said, 1);
	ask(&q);
	check_told(&q, "!server acme/m: HTTP 500: xxx");
	free(body);
	end(&q);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_of_all);
	SUITE_TEST(&s, T3_what_is_sent_where);
	SUITE_TEST(&s, T3_a_connection_is_used_again);
	SUITE_TEST(&s, T3_a_missing_key_is_said_and_nothing_is_sent);
	SUITE_TEST(&s, T3_a_key_file_is_read_anew);
	SUITE_TEST(&s, Q5_a_cancel_from_inside_hangs_up);
	SUITE_TEST(&s, T6_nobody_listens);
	SUITE_TEST(&s, T6_an_error_body_is_read_to_a_limit);
	return suite_run(&s, "provider/http_model");
}
