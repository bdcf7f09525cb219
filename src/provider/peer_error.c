#include "provider/peer_error.h"

#include "base/utf8.h"

enum { SHOWN_BYTES = 300 };

/* What the words would be as a status; the rest of the world's words are the server's fault. */
static int
status_of_word(struct str word)
{
	static const struct {
		struct str word;
		int status;
	} WORDS[] = {
		{ { "api_error", 9 }, 500 },
		{ { "authentication_error", 20 }, 401 },
		{ { "billing_error", 13 }, 402 },
		{ { "context_length_exceeded", 23 }, 400 },
		{ { "insufficient_quota", 18 }, 402 },
		{ { "invalid_api_key", 15 }, 401 },
		{ { "invalid_prompt", 14 }, 400 },
		{ { "invalid_request_error", 21 }, 400 },
		{ { "model_not_found", 15 }, 404 },
		{ { "not_found_error", 15 }, 404 },
		{ { "overloaded", 10 }, 529 },
		{ { "overloaded_error", 16 }, 529 },
		{ { "permission_error", 16 }, 403 },
		{ { "rate_limit_error", 16 }, 429 },
		{ { "rate_limit_exceeded", 19 }, 429 },
		{ { "request_too_large", 17 }, 413 },
		{ { "server_error", 12 }, 500 },
		{ { "timeout_error", 13 }, 504 },
	};
	int64_t number;

	if (str_to_int(word, &number) && number >= 400 && number <= 599)
		return (int)number;
	for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
		if (str_eq(word, WORDS[i].word))
			return WORDS[i].status;
	return 0;
}

static int
status_of(struct answer *a, struct json error)
{
	static const char *const MEMBERS[] = { "code", "type", "status" };

	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		struct json word = dialect_find(error, MEMBERS[i]);
		int status = 0;

		if (json_is_set(word))
			status = status_of_word(json_type(word) == JSON_NUMBER
							? json_raw(word)
							: json_str(word, &a->scratch));
		if (status != 0)
			return status;
	}
	return model_failure_is_context_length(json_raw(error)) ? 400 : 500;
}

/* One line, not too long. */
static struct str
shorten(struct answer *a, struct str text)
{
	struct buf b;
	struct str out;

	text = str_trim(text);
	text = str_slice(text, 0, utf8_valid_prefix(text));
	text = str_slice(text, 0,
			 utf8_floor(text, text.len < SHOWN_BYTES ? text.len : SHOWN_BYTES));
	buf_init(&b, SHOWN_BYTES);
	for (size_t i = 0; i < text.len; i++)
		buf_putc(&b, (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i]);
	out = arena_str(&a->arena, buf_str(&b));
	buf_release(&b);
	return out;
}

static struct str
sentence_of(struct answer *a, struct json error)
{
	struct str text = { 0 };

	if (!json_is_set(error))
		return text;
	if (json_type(error) == JSON_STRING)
		return json_str(error, &a->scratch);
	text = dialect_text(a, error, "message");
	return text.len > 0 ? text : dialect_text(a, error, "detail");
}

/* {"error":{"message"}}, {"error":"..."}, {"message"}, {"detail"}; else the text as it is. */
static struct str
sentence_of_body(struct answer *a, struct str body)
{
	struct json_doc doc;
	struct json error;
	struct str text;

	if (json_parse(&a->scratch, body, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0)
		return body;
	error = dialect_find(json_root(&doc), "error");
	text = sentence_of(a, json_is_set(error) ? error : json_root(&doc));
	return text.len > 0 ? text : body;
}

void
peer_error_take_answer(struct answer *a, int status, struct str body)
{
	struct str text;

	arena_reset(&a->scratch);
	if (status < 400) {
		answer_fail(a, FAILURE_REQUEST,
			    "HTTP %d where an answer was expected; is base_url right?", status);
		return;
	}
	text = shorten(a, sentence_of_body(a, body));
	answer_fail(a, model_failure_of(status, body), "HTTP %d" STR_FMT STR_FMT, status,
		    STR_ARG(text.len > 0 ? STR(": ") : STR("")), STR_ARG(text));
}

void
peer_error_take(struct answer *a, struct json error)
{
	struct str text = shorten(a, sentence_of(a, error));

	answer_fail(a, model_failure_of(status_of(a, error), json_raw(error)),
		    "the answer broke off: " STR_FMT,
		    STR_ARG(text.len > 0 ? text : STR("an error that says nothing")));
}
