#include "core/token_estimate.h"

#include "base/json.h"
#include "base/utf8.h"

static const struct str FENCE = { "```", 3 };

/* Wider than what the server accepts as input: deep or long JSON must not be taken for prose. */
static const struct json_limits ANY_SIZE = { UINT32_MAX, UINT32_MAX, UINT32_MAX };

const char *
token_estimate_kind_name(enum token_text_kind kind)
{
	static const char *const names[] = {
		[TOKEN_JSON] = "json",
		[TOKEN_CODE] = "code",
		[TOKEN_TEXT] = "text",
	};

	return names[kind];
}

/* Cheap and never wrong in the negative: spares prose the parser. */
static bool
may_be_json(struct str text)
{
	text = str_trim(text);
	return text.len > 0 && memchr("{[\"-0123456789tfn", text.ptr[0], 17) &&
	       memchr("}]\"0123456789el", text.ptr[text.len - 1], 15);
}

static bool
is_json(struct str text, struct arena *scratch)
{
	struct json_doc doc;

	return may_be_json(text) && json_parse(scratch, text, &ANY_SIZE, &doc, NULL) == 0;
}

static enum token_text_kind
kind_of(struct str text, struct arena *scratch)
{
	if (is_json(text, scratch))
		return TOKEN_JSON;
	return str_contains(text, FENCE) ? TOKEN_CODE : TOKEN_TEXT;
}

/* Tokens of that many characters of ASCII, rounded up. */
static int64_t
ascii_tokens(size_t characters, enum token_text_kind kind)
{
	size_t per_token = kind == TOKEN_TEXT ? 4 : 3;

	return (int64_t)((characters + per_token - 1) / per_token);
}

struct token_estimate
token_estimate_text(struct str text, struct arena *scratch)
{
	enum token_text_kind kind = kind_of(text, scratch);
	size_t wide = utf8_count_wide(text), ascii = utf8_count(text) - wide;

	return (struct token_estimate){
		.tokens = ascii_tokens(ascii, kind) + (int64_t)wide,
		.kind = kind,
	};
}

void
token_tally_add(struct token_tally *t, enum token_text_kind kind, struct str piece)
{
	size_t wide = utf8_count_wide(piece), ascii = utf8_count(piece) - wide;

	t->wide += wide;
	if (kind == TOKEN_JSON) {
		t->json += ascii;
		return;
	}
	t->text += ascii;
	if (kind == TOKEN_CODE)
		t->ticks = (unsigned)FENCE.len;
	for (size_t i = 0; i < piece.len && t->ticks < FENCE.len; i++)
		t->ticks = piece.ptr[i] == FENCE.ptr[0] ? t->ticks + 1 : 0;
}

int64_t
token_tally_tokens(const struct token_tally *t)
{
	enum token_text_kind kind = t->ticks == FENCE.len ? TOKEN_CODE : TOKEN_TEXT;

	return ascii_tokens(t->json, TOKEN_JSON) + ascii_tokens(t->text, kind) + (int64_t)t->wide;
}

int64_t
token_estimate_content(const struct message *m, struct arena *scratch)
{
	int64_t tokens = token_estimate_text(m->content, scratch).tokens;

	for (size_t i = 0; i < m->tool_call_count; i++)
		tokens += token_estimate_text(m->tool_calls[i].arguments, scratch).tokens;
	return tokens + (int64_t)m->images * TOKEN_IMAGE;
}

void
token_estimate_messages(struct message *messages, size_t count, struct arena *scratch)
{
	for (size_t i = 0; i < count; i++)
		messages[i].tokens = token_estimate_content(&messages[i], scratch);
}

int64_t
token_estimate_total(const struct message *messages, size_t count)
{
	int64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += messages[i].tokens;
	return total;
}

int64_t
token_estimate_frame(const struct message *m)
{
	int64_t frame = m->role == MESSAGE_TOOL ? TOKEN_FRAME_TOOL : TOKEN_FRAME;

	return frame + (int64_t)m->tool_call_count * TOKEN_FRAME_TOOL;
}

struct token_measure
token_estimate_measure(int64_t estimate, int64_t reported)
{
	bool real = reported >= 0;

	return (struct token_measure){ .tokens = real ? reported : estimate, .real = real };
}

bool
token_estimate_fills(int64_t tokens, int64_t window, int percent)
{
	/* window = 100 q + r, so the share is q*percent + r*percent/100, the latter rounded up */
	int64_t share = window / 100 * percent + (window % 100 * percent + 99) / 100;

	return tokens >= share;
}
