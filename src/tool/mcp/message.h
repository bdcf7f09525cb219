/* message - what does a peer say? One JSON-RPC 2.0 message, or a batch of them: strict and bounded.
 * Peers written in JavaScript send halves of surrogate pairs and NULs, which the reader of base/json
 * refuses: both become U+FFFD before it sees them. */
#pragma once
#include "base/json.h"

enum {
	MESSAGE_BYTES_MAX = 8 << 20,
	MESSAGE_DEPTH_MAX = 48, /* what is put into a message of our own still fits there */
};
/* Which of our requests an answer is for: none of them. */
#define MESSAGE_NO_ID INT64_C(-1)

enum message_kind { MESSAGE_RESULT, MESSAGE_ERROR, MESSAGE_REQUEST, MESSAGE_NOTIFICATION };

struct message_in {
	enum message_kind kind;
	int64_t id;         /* of a result or error */
	struct str raw_id;  /* of a request: what its answer has to repeat */
	struct str method;  /* of a request or notification */
	struct json params; /* absent, or an object */
	struct json result; /* an object */
	int64_t code;       /* of an error, with what it says */
	struct str text;
	struct json data;
};

/* The messages live in a; on error *out is untouched. ERR_TOO_LARGE, ERR_INVALID. */
NODISCARD int message_read(struct arena *a, struct str text, struct message_in **out, size_t *count,
			   struct err *e);
