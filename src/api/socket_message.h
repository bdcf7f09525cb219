/* socket_message - what a client of a WebSocket says: a request as HTTP has it, or that a stream may
 * end.
 *
 *   {"id":1,"method":"POST","path":"/v1/…?…","body":{…},"idempotency_key":"…"}
 *   {"id":2,"type":"unsubscribe"} */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum socket_message_type { SOCKET_REQUEST, SOCKET_UNSUBSCRIBE };
enum { SOCKET_PATH_MAX = 8 * 1024 };

struct socket_message {
	bool has_id;
	int64_t id; /* the client's own name for it: 0 to 2^53 - 1 */
	enum socket_message_type type;
	struct str method;          /* one that the route table may have */
	struct str path, query;     /* still percent-encoded */
	struct str body;            /* JSON as it came; ptr NULL: none */
	struct str idempotency_key; /* ptr NULL: none */
};

/* Texts are views of text, or live in a. Of what is refused the id is told as far as it could be read,
 * so that the client knows which of its messages is meant. */
NODISCARD int
socket_message_parse(struct arena *a, struct str text, struct socket_message *out, struct err *e);
