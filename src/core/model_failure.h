/* model_failure - what kind of failure did a model request end in?
 * From what the wire showed (status and body) to the closed set that core/retry_policy decides
 * on. Failures without a status (no connection, silence, a stream that breaks off or makes no
 * sense) are named by whoever saw them. */
#pragma once
#include <stdbool.h>
#include "base/str.h"

enum model_failure {
	FAILURE_NETWORK,        /* no connection, or it broke, before or in the stream */
	FAILURE_TIMEOUT,        /* silent for too long */
	FAILURE_MALFORMED,      /* an answer or a stream that makes no sense */
	FAILURE_RATE_LIMITED,   /* 429 */
	FAILURE_OVERLOADED,     /* 529, or an error that says so */
	FAILURE_SERVER,         /* 5xx, 408, 409 */
	FAILURE_CONTEXT_LENGTH, /* the request is larger than the model's window */
	FAILURE_BILLING,        /* 402, or a quota that no waiting refills */
	FAILURE_REQUEST, /* 400, 401, 403, 404 and every other 4xx: the same again would fail again */
	FAILURE_REFUSAL, /* the model declined: an outcome, not an error */
	FAILURE_UNKNOWN, /* a status that is no failure, or none at all */
};

/* Classifies an HTTP answer that is not a success. Context-length errors are told by their text,
 * because every dialect has its own words for them and most send a plain 400. */
enum model_failure model_failure_of(int status, struct str body);
/* Does the text say that the request is too long for the model? Case-insensitive. Also for errors
 * that arrive inside a stream. */
bool model_failure_is_context_length(struct str body);
/* The session.error type of the wire API. */
const char *model_failure_error_type(enum model_failure failure);
