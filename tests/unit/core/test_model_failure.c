#include "core/model_failure.h"
#include "harness.h"

static const struct row {
	const char *name;
	int status;
	const char *body;
	enum model_failure want;
	const char *type;
} ROWS[] = {
	{ "T6 429 is a rate limit", 429, "", FAILURE_RATE_LIMITED, "model_rate_limited_error" },
	{ "T6 429 about tokens is still one", 429, "context length tokens per minute",
	  FAILURE_RATE_LIMITED, "model_rate_limited_error" },
	{ "T6 529 is overload", 529, "", FAILURE_OVERLOADED, "model_overloaded_error" },
	{ "T6 an overload by its text", 503, "{\"type\":\"Overloaded_Error\"}", FAILURE_OVERLOADED,
	  "model_overloaded_error" },
	{ "T6 capacity is overload", 500, "The engine is at capacity", FAILURE_OVERLOADED,
	  "model_overloaded_error" },
	{ "T6 overload up to 599", 599, "overloaded", FAILURE_OVERLOADED,
	  "model_overloaded_error" },
	{ "T6 500 is the server", 500, "", FAILURE_SERVER, "model_request_failed_error" },
	{ "T6 599 is the server", 599, "", FAILURE_SERVER, "model_request_failed_error" },
	{ "T6 408 passes", 408, "", FAILURE_SERVER, "model_request_failed_error" },
	{ "T6 409 passes", 409, "", FAILURE_SERVER, "model_request_failed_error" },
	{ "T6 400 is the request", 400, "bad", FAILURE_REQUEST, "model_request_failed_error" },
	{ "T6 401 is the request", 401, "", FAILURE_REQUEST, "model_request_failed_error" },
	{ "T6 403 is the request", 403, "", FAILURE_REQUEST, "model_request_failed_error" },
	{ "T6 404 is the request", 404, "", FAILURE_REQUEST, "model_request_failed_error" },
	{ "T6 499 is the request", 499, "", FAILURE_REQUEST, "model_request_failed_error" },
	{ "T6 402 is billing", 402, "", FAILURE_BILLING, "billing_error" },
	{ "T6 a spent quota is billing", 429, "insufficient_quota", FAILURE_BILLING,
	  "billing_error" },
	{ "T6 a low balance is billing", 400, "Your credit balance is too low", FAILURE_BILLING,
	  "billing_error" },
	{ "T6 a context error by code", 400, "{\"code\":\"context_length_exceeded\"}",
	  FAILURE_CONTEXT_LENGTH, "compaction_limit_reached_error" },
	{ "T6 a context error in any case", 400, "PROMPT IS TOO LONG: 201000 tokens",
	  FAILURE_CONTEXT_LENGTH, "compaction_limit_reached_error" },
	{ "T6 a context error in capitals", 400, "MAXIMUM CONTEXT REACHED", FAILURE_CONTEXT_LENGTH,
	  "compaction_limit_reached_error" },
	{ "T6 a context error by sentence", 400, "This model's maximum context length is 8192",
	  FAILURE_CONTEXT_LENGTH, "compaction_limit_reached_error" },
	{ "T6 a context error at the end", 400, "too many input tokens", FAILURE_CONTEXT_LENGTH,
	  "compaction_limit_reached_error" },
	{ "T6 a context error as 413", 413, "request_too_large", FAILURE_CONTEXT_LENGTH,
	  "compaction_limit_reached_error" },
	{ "T6 a context error as 422", 422, "input is too long", FAILURE_CONTEXT_LENGTH,
	  "compaction_limit_reached_error" },
	{ "T6 a 413 without such words is the request", 413, "", FAILURE_REQUEST,
	  "model_request_failed_error" },
	{ "T6 such words in a 401 mean nothing", 401, "context length", FAILURE_REQUEST,
	  "model_request_failed_error" },
	{ "T6 a success is unknown", 200, "overloaded", FAILURE_UNKNOWN, "unknown_error" },
	{ "T6 a redirect is unknown", 302, "", FAILURE_UNKNOWN, "unknown_error" },
	{ "T6 no status is unknown", 0, "", FAILURE_UNKNOWN, "unknown_error" },
	{ "T6 600 is unknown", 600, "", FAILURE_UNKNOWN, "unknown_error" },
};

static void
check_row(void **state)
{
	const struct row *r = *state;
	enum model_failure got = model_failure_of(r->status, str_of(r->body));

	if (got != r->want)
		fail_msg("%s: %d, wanted %d", r->name, (int)got, (int)r->want);
	assert_string_equal(model_failure_error_type(got), r->type);
}

static void
T6_context_sayings(void **state)
{
	(void)state;
	assert_true(model_failure_is_context_length(STR("exceeds the context window of 8k")));
	assert_true(
		model_failure_is_context_length(STR("please Reduce the length of the messages")));
	assert_false(model_failure_is_context_length(STR("context")));
	assert_false(model_failure_is_context_length(STR("")));
	assert_false(model_failure_is_context_length(STR("max_tokens must be positive")));
}

static void
T6_failures_of_the_wire_are_failed_requests(void **state)
{
	static const enum model_failure WIRE[] = { FAILURE_NETWORK, FAILURE_TIMEOUT,
						   FAILURE_MALFORMED };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(WIRE); i++)
		assert_string_equal(model_failure_error_type(WIRE[i]),
				    "model_request_failed_error");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T6_context_sayings);
	SUITE_TEST(&s, T6_failures_of_the_wire_are_failed_requests);
	return suite_run(&s, "core/model_failure");
}
