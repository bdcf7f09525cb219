#include "tool/mcp/http_refusal.h"

#include "base/utf8.h"

enum { SHOWN_BYTES = 200, BODY_READ_MAX = 1 << 20 };

/* Its words, on one line and not many of them. */
static struct str
shown(struct str body, char out[SHOWN_BYTES])
{
	struct str text = str_trim(body);
	size_t len;

	text = str_slice(text, 0, SHOWN_BYTES);
	len = utf8_valid_prefix(text);
	for (size_t i = 0; i < len; i++)
		out[i] = (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i];
	return (struct str){ out, len };
}

static bool
mentions_session(struct str text)
{
	static const struct str WORD = { "session", 7 };

	for (size_t i = 0; i + WORD.len <= text.len; i++)
		if (str_eq_nocase(str_slice(text, i, i + WORD.len), WORD))
			return true;
	return false;
}

/* The error in the body; false: there is none. */
static bool
read_message(struct str body, struct arena *a, struct message_in **out)
{
	size_t count;

	return body.len > 0 && body.len <= BODY_READ_MAX &&
	       message_read(a, body, out, &count, NULL) == 0 && count == 1 &&
	       (*out)->kind == MESSAGE_ERROR;
}

void
http_refusal_read(int status, struct str body, bool in_session, struct http_refusal *out)
{
	struct message_in *message = NULL;
	char text[SHOWN_BYTES];
	struct arena a;
	struct str says;

	arena_init(&a);
	*out = (struct http_refusal){ .is_message = read_message(body, &a, &message) };
	says = shown(out->is_message ? message->text : body, text);
	out->failure.kind = MCP_FAIL_REFUSED;
	if (status == 401 || status == 403) {
		out->is_message = false;
		out->failure.kind = MCP_FAIL_AUTH;
		err_set(&out->failure.err, ERR_AUTH, "it wants credentials (HTTP %d) " STR_FMT,
			status, STR_ARG(says));
	} else if (in_session && (status == 404 || (status == 400 && mentions_session(says)))) {
		out->is_message = false;
		out->failure.kind = MCP_FAIL_SESSION;
		err_set(&out->failure.err, ERR_NOT_FOUND, "it has ended the session (HTTP %d)",
			status);
	} else {
		err_set(&out->failure.err, ERR_UNAVAILABLE, "HTTP %d: " STR_FMT, status,
			STR_ARG(says));
	}
	arena_release(&a);
}
