/* message - one entry of the transcript as the model sees it, and which call a tool result answers.
 *
 * The JSON form is the OpenAI chat shape: {role, content, tool_calls?, tool_call_id?, name?}, plus
 * our two flags synthetic and summary. Texts are views of the document or live in the arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

enum message_role { MESSAGE_USER, MESSAGE_ASSISTANT, MESSAGE_SYSTEM, MESSAGE_TOOL };

struct tool_call {
	struct str id, name;
	struct str arguments; /* the text as the model wrote it; usually, but not surely, JSON */
};

/* One of the two. */
struct message_image {
	struct str media_type, data; /* base64 */
	struct str url;
};

#define MESSAGE_NO_OWNER SIZE_MAX

struct message {
	enum message_role role;
	struct str content;                     /* text parts joined by a line end */
	size_t images;                          /* image parts beside the text */
	const struct message_image *image_list; /* them; NULL: only their number is known */
	struct str
		reasoning; /* of an answer: a JSON object for the provider that made it; empty: none */
	const struct tool_call *tool_calls;
	size_t tool_call_count;
	struct str tool_call_id; /* of a tool result; empty when not given */
	struct str name;         /* of a tool result: the tool, looked up in its call if need be */
	bool synthetic;          /* made by the server, not by a person: opens no turn */
	bool summary;            /* half of a checkpoint pair */
	bool cut;                /* of an answer: cut short, and its turn went on after it */
	size_t owner;            /* of a tool result: index of the assistant message it answers */
	int64_t tokens;          /* estimate of the content, set by token_estimate_messages */
};

/* Decodes and links an array of messages. Content may be null or missing only beside tool_calls.
 * Errors name the path (messages[3].role). *out and *count are written only on success. */
NODISCARD int message_decode(struct json array, struct arena *a, struct message **out,
			     size_t *count, struct err *e);

/* Fills owner and the missing names of tool results. An id belongs to the nearest earlier message
 * that calls it, since some models start their ids anew in every step; a result without an id
 * answers the nearest earlier caller; an id that nobody called has no owner. */
void message_link(struct message *messages, size_t count, struct arena *a);

/* "user", "assistant", "system", "tool". */
const char *message_role_name(enum message_role role);
/* A turn begins where a person speaks. */
bool message_opens_turn(const struct message *m);
