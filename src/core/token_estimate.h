/* token_estimate - how many tokens is this text, at most, without asking a tokenizer?
 *
 * The rule over-estimates: a context that is taken for larger than it is gets compacted early,
 * one taken for smaller is refused by the provider in mid-turn. A text that parses as JSON, or has
 * a code fence, counts one token per 3 ASCII characters, any other text one per 4, each rounded
 * up; every character beyond ASCII counts as a whole token (scripts outside Latin reach one token
 * per character, and accented Latin is over-counted gladly).
 *
 * Shares of the window (prune_policy, compact_policy) are taken from content alone: text, tool
 * call arguments and images, so that anybody can check them with `perdure explain tokens`. What
 * the provider wraps around a message is added only where a request must fit. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/str.h"
#include "core/message.h"

enum {
	TOKEN_IMAGE = 2000,    /* more than any provider asks for an image it scaled itself */
	TOKEN_FRAME = 12,      /* role and separators of one message */
	TOKEN_FRAME_TOOL = 20, /* id and name around a tool call or a tool result */
};

enum token_text_kind { TOKEN_JSON, TOKEN_CODE, TOKEN_TEXT };

struct token_estimate {
	int64_t tokens;
	enum token_text_kind kind;
};

/* scratch holds the parse of what looks like JSON; nothing of it is kept. Empty text: 0, text. */
struct token_estimate token_estimate_text(struct str text, struct arena *scratch);
/* The same of texts that come in pieces and are not kept, each whole characters: all JSON is one text and
 * all else another, which counts as code from its first fence on, even one across pieces. Begins as { 0 }. */
struct token_tally {
	size_t json, text; /* characters of ASCII */
	size_t wide;
	unsigned ticks; /* at the end of the text so far; 3: it has had a fence */
};
void token_tally_add(struct token_tally *t, enum token_text_kind kind, struct str piece);
int64_t token_tally_tokens(const struct token_tally *t);
/* "json", "code", "text". */
const char *token_estimate_kind_name(enum token_text_kind kind);

/* Content of one message: its text, the arguments of its calls, its images. */
int64_t token_estimate_content(const struct message *m, struct arena *scratch);
/* Sets tokens of every message. */
void token_estimate_messages(struct message *messages, size_t count, struct arena *scratch);
/* The sum of what token_estimate_messages has set. */
int64_t token_estimate_total(const struct message *messages, size_t count);
/* What the provider wraps around m; on top of its content. */
int64_t token_estimate_frame(const struct message *m);

/* The size of a prompt, and whether the provider counted it. */
struct token_measure {
	int64_t tokens;
	bool real;
};
/* The provider's figure wins whenever there is one; reported < 0 means unknown. */
struct token_measure token_estimate_measure(int64_t estimate, int64_t reported);
/* tokens >= percent % of window, exactly and without overflow. percent 0..100. */
bool token_estimate_fills(int64_t tokens, int64_t window, int percent);
