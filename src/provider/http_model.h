/* http_model - the port over HTTP: sends a dialect's request through net/egress, and turns what comes
 * back, or does not, into the port's events. One request, one attempt: retrying is decided elsewhere.
 *
 * An answer is a stream of events or, from peers that do not stream, one JSON document. Silence longer
 * than idle_ms is FAILURE_TIMEOUT, an answer without its end FAILURE_NETWORK. */
#pragma once
#include "base/host.h"
#include "net/egress.h"
#include "provider/dialect.h"

enum { HTTP_MODEL_CONTEXT_TOKENS = 128000 };

struct http_model_config {
	struct host *host;
	struct egress *egress;                /* both outlive the provider */
	struct str name;                      /* the part of a model's name before '/' */
	struct str base_url;                  /* without a '/' at the end */
	struct str api_key_env, api_key_file; /* exactly one is set */
	int64_t idle_ms;
};

/* Texts are copied. */
struct provider *
http_model_new(const struct dialect *dialect, const struct http_model_config *config);
