#include "core/model_failure.h"

/* Error bodies are short; a longer one is not searched to its end. */
enum { SEARCHED_BYTES = 16 * 1024 };

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* needle is in lower case. */
static bool
contains_nocase(struct str text, const char *needle)
{
	size_t len = strlen(needle);

	for (size_t at = 0; at + len <= text.len; at++) {
		size_t i = 0;

		while (i < len && lower(text.ptr[at + i]) == needle[i])
			i++;
		if (i == len)
			return true;
	}
	return false;
}

static bool
contains_any(struct str text, const char *const *needles, size_t count)
{
	text = str_slice(text, 0, SEARCHED_BYTES);
	for (size_t i = 0; i < count; i++)
		if (contains_nocase(text, needles[i]))
			return true;
	return false;
}

bool
model_failure_is_context_length(struct str body)
{
	static const char *const SAYINGS[] = {
		"context_length_exceeded",
		"context length",
		"context window",
		"context size",
		"maximum context",
		"max_context",
		"prompt is too long",
		"prompt too long",
		"input is too long",
		"input length",
		"too many input tokens",
		"exceeds the maximum number of tokens",
		"exceeds the model's maximum",
		"reduce the length of the messages",
		"request_too_large",
	};

	return contains_any(body, SAYINGS, sizeof SAYINGS / sizeof *SAYINGS);
}

static bool
is_overload(struct str body)
{
	static const char *const SAYINGS[] = { "overloaded", "over capacity", "at capacity" };

	return contains_any(body, SAYINGS, sizeof SAYINGS / sizeof *SAYINGS);
}

static bool
is_billing(struct str body)
{
	static const char *const SAYINGS[] = { "insufficient_quota", "billing_error",
					       "credit balance" };

	return contains_any(body, SAYINGS, sizeof SAYINGS / sizeof *SAYINGS);
}

enum model_failure
model_failure_of(int status, struct str body)
{
	if (status == 402 || (status >= 400 && status <= 499 && is_billing(body)))
		return FAILURE_BILLING;
	if (status == 429)
		return FAILURE_RATE_LIMITED;
	if ((status == 400 || status == 413 || status == 422) &&
	    model_failure_is_context_length(body))
		return FAILURE_CONTEXT_LENGTH;
	if (status == 529 || (status >= 500 && status <= 599 && is_overload(body)))
		return FAILURE_OVERLOADED;
	if (status == 408 || status == 409 || (status >= 500 && status <= 599))
		return FAILURE_SERVER;
	if (status >= 400 && status <= 499)
		return FAILURE_REQUEST;
	return FAILURE_UNKNOWN;
}

const char *
model_failure_error_type(enum model_failure failure)
{
	switch (failure) {
	case FAILURE_RATE_LIMITED: return "model_rate_limited_error";
	case FAILURE_OVERLOADED: return "model_overloaded_error";
	case FAILURE_CONTEXT_LENGTH: return "compaction_limit_reached_error";
	case FAILURE_BILLING: return "billing_error";
	case FAILURE_UNKNOWN: return "unknown_error";
	case FAILURE_NETWORK:
	case FAILURE_TIMEOUT:
	case FAILURE_MALFORMED:
	case FAILURE_SERVER:
	case FAILURE_REQUEST:
	case FAILURE_REFUSAL: break;
	}
	return "model_request_failed_error";
}
