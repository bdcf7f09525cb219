/* gate - may this head come in at all? Host and Origin against their lists, and where the token
 * stands. A web page that a browser was lured to must not speak to a server on the same machine:
 * a name that somebody else controls is no Host of ours, and a foreign page no Origin. */
#pragma once
#include <stdbool.h>
#include "base/err.h"
#include "net/http_request.h"
#include "net/query.h"

struct gate_lists {
	struct str_list hosts;   /* names or addresses without port, beside the loopback ones */
	struct str_list origins; /* "https://console.example", beside none and our own */
};

/* The headers that the API looks at, found in one pass; ptr NULL: not sent. */
struct gate_head {
	struct str host, origin, authorization, api_key, idempotency_key, content_type,
		content_encoding;
	struct str protocols; /* that a WebSocket may speak */
	bool over_tls;
};

/* ERR_INVALID: one of them stands twice, so that it is open which counts. */
NODISCARD int gate_read(const struct http_head *head, struct gate_head *out, struct err *e);
/* Loopback names and addresses always are; the port does not matter. */
bool gate_host_is_ours(const struct gate_lists *lists, struct str host);
/* Listed, or what the request calls us: over TLS by https, else by either, for a proxy in front may
 * speak TLS. */
bool gate_origin_is_allowed(const struct gate_lists *lists, const struct gate_head *head);
/* From Authorization: Bearer, else X-Api-Key; ptr NULL: there is none. */
struct str gate_token(const struct gate_head *head);
/* From "perdure.token.<token>" among the protocols. */
struct str gate_protocol_token(const struct gate_head *head);
/* A parameter that looks like a credential: URLs end up in logs and histories. */
bool gate_url_has_token(const struct query *query);
/* JSON, nothing said, or what curl says about any -d. */
bool gate_takes_content_type(struct str content_type);
/* Bodies come as they are: nothing is unpacked. */
bool gate_takes_encoding(struct str content_encoding);
/* 1..255 printable ASCII characters. */
bool gate_key_is_valid(struct str key);
