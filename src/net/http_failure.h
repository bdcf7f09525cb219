/* http_failure - why did no whole answer arrive? One sentence for people from what curl and the
 * system said. It names host and port, never the path: that may hold a secret. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "net/http_client.h"

struct http_failure {
	CURLcode code;
	int os_errno;       /* 0: unknown */
	const char *reason; /* curl's own words; used for TLS only */
	struct str where;   /* "127.0.0.1:7340", or the path of a socket */
	enum http_phase phase;
};

/* ERR_UNAVAILABLE: there was nobody. ERR_IO: the connection broke or cannot be trusted. Writes
 * the sentence and returns the code. */
int http_failure_explain(const struct http_failure *f, struct err *e);

enum http_wait { HTTP_WAIT_CONNECT, HTTP_WAIT_IDLE, HTTP_WAIT_TOTAL };
/* ERR_TIMEOUT: says which wait was too long, for what, and how long it was. */
int http_failure_timeout(enum http_wait wait, const struct http_failure *f, int64_t limit_ms,
			 struct err *e);
