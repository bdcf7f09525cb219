#include "provider/peer_error.h"

#include "dialect_rig.h"

static const struct row {
	const char *name;
	int status; /* 0: in the stream */
	const char *body, *want;
} ROWS[] = {
	{ "T6 words for a status", 0, "{\"type\":\"timeout_error\",\"message\":\"m\"}",
	  "!server acme/m: the answer broke off: m" },
	{ "T6 the code before the type", 0,
	  "{\"code\":\"rate_limit_exceeded\",\"type\":\"api_error\",\"message\":\"m\"}",
	  "!rate_limited acme/m: the answer broke off: m" },
	{ "T6 a number in a text", 0, "{\"code\":\"401\",\"message\":\"m\"}",
	  "!request acme/m: the answer broke off: m" },
	{ "T6 a number that is no status", 0, "{\"code\":7,\"message\":\"m\"}",
	  "!server acme/m: the answer broke off: m" },
	{ "T6 only the sentence tells", 0,
	  "{\"message\":\"This model's maximum context length is 8\"}",
	  "!context_length acme/m: the answer broke off: This model's maximum context length is "
	  "8" },
	{ "T6 an empty answer", 500, "", "!server acme/m: HTTP 500" },
	{ "T6 a text", 500, " busy\n\tnow ", "!server acme/m: HTTP 500: busy  now" },
	{ "T6 bytes that are no text", 500, "ab\xff\xfe", "!server acme/m: HTTP 500: ab" },
	{ "T6 an error of a word", 400, "{\"error\":\"wrong\"}",
	  "!request acme/m: HTTP 400: wrong" },
	{ "T6 a message alone", 403, "{\"message\":\"no\"}", "!request acme/m: HTTP 403: no" },
	{ "T6 JSON that says nothing", 500, "{\"a\":1}", "!server acme/m: HTTP 500: {\"a\":1}" },
	{ "T6 a secret", 401,
	  "{\"error\":{\"message\":\"bad the-key and sk-ABCDEFGHIJKLMNOPQRSTU\"}}",
	  "!request acme/m: HTTP 401: bad [redacted] and sk-[redacted]" },
	{ "T6 success is no answer here", 204, "",
	  "!request acme/m: HTTP 204 where an answer was expected; is base_url right?" },
};

static void
check_row(void **state)
{
	const struct row *row = *state;
	struct dialect_trace trace;
	struct answer a;
	struct json_doc doc;
	struct arena arena;

	dialect_trace_init(&trace);
	answer_init(&a, &DIALECT_TRACE, &trace);
	arena_init(&arena);
	a.from = STR("acme/m");
	a.secret = STR("the-key");
	if (row->status > 0) {
		peer_error_take_answer(&a, row->status, str_of(row->body));
	} else {
		assert_int_equal(
			json_parse(&arena, str_of(row->body), &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
		peer_error_take(&a, json_root(&doc));
	}
	answer_finish(&a, -1);
	check_str(row->name, buf_str(&trace.out), str_of(row->want));
	answer_release(&a);
	arena_release(&arena);
	dialect_trace_release(&trace);
}

static void
T6_a_long_sentence_is_cut_at_a_character(void **state)
{
	struct dialect_trace trace;
	struct answer a;
	char body[1001];

	(void)state;
	for (size_t i = 0; i + 1 < sizeof body; i += 2)
		memcpy(body + i, "é", 2);
	body[1000] = '\0';
	dialect_trace_init(&trace);
	answer_init(&a, &DIALECT_TRACE, &trace);
	a.from = STR("a");
	peer_error_take_answer(&a, 500, str_of(body));
	answer_finish(&a, -1);
	assert_int_equal(trace.out.len, sizeof "!server a: HTTP 500: " - 1 + 300);
	answer_release(&a);
	dialect_trace_release(&trace);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T6_a_long_sentence_is_cut_at_a_character);
	return suite_run(&s, "provider/peer_error");
}
