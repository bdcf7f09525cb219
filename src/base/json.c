#include "base/json_tape.h"

#include <stdio.h>

#include "base/utf8.h"

const struct json_limits JSON_LIMITS_DEFAULT = {
	.bytes = 8 * 1024 * 1024,
	.depth = 64,
	.tokens = 1000 * 1000,
};

enum { FIRST_TOKENS_MAX = 4096 };
static const uint32_t NONE = UINT32_MAX;

/* While a container is open, its token's next holds the index of the container around it, so the
 * tape is its own stack and depth costs no memory. */
struct parser {
	struct arena *arena;
	struct str text;
	const char *end;
	struct json_token *tokens;
	uint32_t count, cap, open; /* open: the innermost open container, or NONE */
	size_t depth;
	const struct json_limits *limits;
	/* The first failure. A sentence that says what was expected gets what was found added. */
	const char *fail_at, *sentence;
	bool expected, in_member; /* in_member: it concerns the open container's next member */
	uint32_t fail_key;        /* or this key of it, when not NONE */
	int code;
};

COLD static const char *
fail(struct parser *p, const char *at, const char *sentence)
{
	p->fail_at = at;
	p->sentence = sentence;
	p->code = ERR_INVALID;
	return NULL;
}

COLD static const char *
fail_expected(struct parser *p, const char *at, const char *what)
{
	p->expected = true;
	return fail(p, at, what);
}

static const char *
skip_blank(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return at;
}

/* The byte at `at`; NUL, which no JSON text may hold outside strings, at the end. */
static char
peek(const struct parser *p, const char *at)
{
	return at < p->end ? *at : '\0';
}

COLD static bool
grow(struct parser *p)
{
	size_t most = p->limits->tokens < JSON_TOKENS_MAX ? p->limits->tokens : JSON_TOKENS_MAX;
	size_t cap = (size_t)p->cap * 2;

	if (p->count >= most)
		return false;
	if (cap > most)
		cap = most;
	p->tokens = arena_resize(p->arena, p->tokens, p->cap * sizeof *p->tokens,
				 cap * sizeof *p->tokens);
	p->cap = (uint32_t)cap;
	return true;
}

static bool
push(struct parser *p, const char *start, const char *end, uint32_t info)
{
	if (UNLIKELY(p->count == p->cap) && !grow(p)) {
		fail(p, start, "too many values");
		p->code = ERR_TOO_LARGE;
		return false;
	}
	p->tokens[p->count] = (struct json_token){
		.start = (uint32_t)(start - p->text.ptr),
		.end = (uint32_t)(end - p->text.ptr),
		.next = p->count + 1,
		.info = info,
	};
	p->count++;
	return true;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The code unit of the \uXXXX at `at`; -1 when it is none. */
static int
unicode_escape(const char *at, const char *end)
{
	int unit = 0;

	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		int digit = hex_digit(at[i]);
		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

static const char *
scan_unicode_escape(struct parser *p, const char *at)
{
	int unit = unicode_escape(at, p->end);

	if (unit < 0)
		return fail(p, at, "\\u must be followed by four hex digits");
	if (unit == 0)
		return fail(p, at, "\\u0000 is not allowed");
	if (unit < 0xd800 || unit > 0xdfff)
		return at + 6;
	if (unit < 0xdc00) {
		int low = unicode_escape(at + 6, p->end);
		if (low >= 0xdc00 && low <= 0xdfff)
			return at + 12;
	}
	return fail(p, at, "a lone surrogate is not a character");
}

/* Behind the escape at `at`; NULL when it is bad. */
static const char *
scan_escape(struct parser *p, const char *at)
{
	if (p->end - at < 2)
		return fail(p, p->end, "the string is not closed");
	switch (at[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't': return at + 2;
	case 'u': return scan_unicode_escape(p, at);
	default: return fail(p, at, "unknown escape in a string");
	}
}

/* From behind the opening quote to the closing one; NULL on failure. *info gains JSON_ESCAPED. */
static const char *
scan_string(struct parser *p, const char *at, uint32_t *info)
{
	for (;;) {
		const char *start;

		at = json_skip_plain(at, p->end);
		if (UNLIKELY(at == p->end))
			return fail(p, at, "the string is not closed");
		if (LIKELY(*at == '"'))
			return at;
		if (*at == '\\') {
			*info |= JSON_ESCAPED;
			at = scan_escape(p, at);
			if (!at)
				return NULL;
			continue;
		}
		if ((unsigned char)*at < 0x20)
			return fail(p, at, "a control character must be escaped in a string");
		start = at;
		at = utf8_skip_wide(at, p->end);
		if (at == start)
			return fail(p, at, "invalid UTF-8");
	}
}

static bool
is_digit(const struct parser *p, const char *at)
{
	return at < p->end && *at >= '0' && *at <= '9';
}

static const char *
skip_digits(const struct parser *p, const char *at)
{
	while (is_digit(p, at))
		at++;
	return at;
}

/* Behind the number at `at`; NULL when its form is wrong. */
static const char *
scan_number(struct parser *p, const char *at)
{
	if (*at == '-')
		at++;
	if (!is_digit(p, at))
		return fail_expected(p, at, "a digit");
	if (*at == '0' && is_digit(p, at + 1))
		return fail(p, at, "a number must not begin with 0");
	at = skip_digits(p, at);
	if (peek(p, at) == '.') {
		if (!is_digit(p, at + 1))
			return fail_expected(p, at + 1, "a digit behind the decimal point");
		at = skip_digits(p, at + 1);
	}
	if (peek(p, at) == 'e' || peek(p, at) == 'E') {
		at++;
		if (peek(p, at) == '+' || peek(p, at) == '-')
			at++;
		if (!is_digit(p, at))
			return fail_expected(p, at, "a digit in the exponent");
		at = skip_digits(p, at);
	}
	return at;
}

static const char *
parse_literal(struct parser *p, const char *at, struct str word, enum json_type type)
{
	if ((size_t)(p->end - at) < word.len || memcmp(at, word.ptr, word.len) != 0)
		return fail_expected(p, at, "a value");
	return push(p, at, at + word.len, type) ? at + word.len : NULL;
}

/* The value at `at`, which is no container, onto the tape; returns what follows it. */
static const char *
parse_scalar(struct parser *p, const char *at)
{
	const char *end;
	uint32_t info = JSON_STRING;

	switch (peek(p, at)) {
	case '"':
		end = scan_string(p, at + 1, &info);
		return end && push(p, at, end + 1, info) ? end + 1 : NULL;
	case 't': return parse_literal(p, at, STR("true"), JSON_TRUE);
	case 'f': return parse_literal(p, at, STR("false"), JSON_FALSE);
	case 'n': return parse_literal(p, at, STR("null"), JSON_NULL);
	case '-':
	case '0' ... '9':
		end = scan_number(p, at);
		return end && push(p, at, end, JSON_NUMBER) ? end : NULL;
	default: return fail_expected(p, at, "a value");
	}
}

static uint32_t
hash_of_key(struct str body, bool escaped)
{
	struct arena scratch;
	uint32_t hash;
	char *plain;

	if (LIKELY(!escaped))
		return json_key_hash(body);
	arena_init(&scratch);
	plain = arena_alloc_raw(&scratch, body.len);
	hash = json_key_hash((struct str){ plain, json_unescape(body, plain) });
	arena_release(&scratch);
	return hash;
}

/* A key and its colon; returns where the value begins. */
static const char *
parse_key(struct parser *p, const char *at)
{
	uint32_t info = JSON_STRING;
	const char *end;
	struct json_token *key;

	if (peek(p, at) != '"')
		return fail_expected(p, at, "a key in quotes");
	end = scan_string(p, at + 1, &info);
	if (!end || !push(p, at, end + 1, info))
		return NULL;
	key = &p->tokens[p->count - 1];
	key->next = hash_of_key(json_token_body(p->text, key), info & JSON_ESCAPED);
	at = skip_blank(end + 1, p->end);
	if (peek(p, at) != ':')
		return fail_expected(p, at, "':' behind the key");
	return at + 1;
}

static const char *
open_container(struct parser *p, const char *at, enum json_type type)
{
	if (p->depth == p->limits->depth)
		return fail(p, at, "nested too deeply");
	if (!push(p, at, at, type))
		return NULL;
	p->tokens[p->count - 1].next = p->open;
	p->open = p->count - 1;
	p->depth++;
	return at + 1;
}

/* The open container ends before `end`. */
static bool
close_container(struct parser *p, const char *end)
{
	struct json_token *t = &p->tokens[p->open];
	uint32_t outer = t->next, duplicate;

	t->end = (uint32_t)(end - p->text.ptr);
	t->next = p->count;
	if (json_token_type(t) == JSON_OBJECT && json_token_count(t) > 1) {
		duplicate = json_find_duplicate(p->text, p->tokens, p->open);
		if (UNLIKELY(duplicate != 0)) {
			t->next = outer;
			p->fail_key = duplicate;
			fail(p, p->text.ptr + p->tokens[duplicate].start, "duplicate key");
			return false;
		}
	}
	p->open = outer;
	p->depth--;
	return true;
}

/* A value is complete: closes what ends here, and goes to the next value. NULL on failure; the
 * document is complete when nothing is open any more. */
static const char *
go_on(struct parser *p, const char *at)
{
	while (p->open != NONE) {
		bool in_object = json_token_type(&p->tokens[p->open]) == JSON_OBJECT;
		char c;

		at = skip_blank(at, p->end);
		c = peek(p, at);
		if (c == ',') {
			at = skip_blank(at + 1, p->end);
			return in_object ? parse_key(p, at) : at;
		}
		if (c != (in_object ? '}' : ']'))
			return fail_expected(p, at, in_object ? "',' or '}'" : "',' or ']'");
		at++;
		if (!close_container(p, at))
			return NULL;
	}
	return at;
}

/* The value at `at`: a scalar whole, of a container only its opening. *complete is
 * false when members follow; the result is then where the first one's value stands. */
static const char *
parse_value(struct parser *p, const char *at, bool *complete)
{
	uint32_t outer = p->open;
	char c = peek(p, at);

	*complete = true;
	p->in_member = true;
	if (c == '{' || c == '[') {
		at = open_container(p, at, c == '{' ? JSON_OBJECT : JSON_ARRAY);
		if (!at)
			return NULL;
		at = skip_blank(at, p->end);
		*complete = peek(p, at) == (c == '{' ? '}' : ']');
	} else {
		at = parse_scalar(p, at);
		if (!at)
			return NULL;
	}
	if (outer != NONE)
		p->tokens[outer].info += 1u << JSON_COUNT_SHIFT;
	p->in_member = false;
	if (c == '{' && !*complete)
		at = parse_key(p, at);
	return at;
}

static const char *
parse_document(struct parser *p)
{
	const char *at = p->text.ptr;

	if (str_starts(p->text, STR("\xef\xbb\xbf")))
		return fail(p, at, "a byte order mark is not allowed");
	do {
		bool complete;

		at = parse_value(p, skip_blank(at, p->end), &complete);
		if (at && complete)
			at = go_on(p, at);
	} while (at && p->open != NONE);
	if (!at)
		return NULL;
	at = skip_blank(at, p->end);
	if (at != p->end)
		return fail_expected(p, at, "nothing behind the value");
	return at;
}

/* The path of what failed: through the open containers, outermost first. */
static void
fail_path(const struct parser *p, struct buf *path)
{
	uint32_t *chain = ARENA_ARRAY(p->arena, p->depth + 1, uint32_t);
	size_t at = p->depth;

	chain[at] = NONE;
	for (uint32_t i = p->open; i != NONE; i = p->tokens[i].next)
		chain[--at] = i;
	for (; at < p->depth; at++) {
		const struct json_token *t = &p->tokens[chain[at]];
		bool inner = at + 1 < p->depth;
		uint32_t key = inner ? chain[at + 1] - 1 : p->fail_key;

		if (!inner && !p->in_member && key == NONE)
			return;
		if (json_token_type(t) == JSON_ARRAY)
			json_path_index(path, json_token_count(t) - (inner ? 1 : 0));
		else
			json_path_key(path,
				      (struct str){ p->text.ptr + p->tokens[key].start,
						    p->tokens[key].end - p->tokens[key].start });
	}
}

/* Writes the sentence for the failure recorded in p. */
COLD static int
report(struct parser *p, struct err *e)
{
	size_t offset = (size_t)(p->fail_at - p->text.ptr);
	char found[32] = "";
	struct buf path;

	if (p->in_member && p->open != NONE && p->fail_key == NONE)
		p->fail_key = p->count - 1; /* the key just read, if the container is an object */
	if (p->expected && p->fail_at == p->end)
		snprintf(found, sizeof found, ", found the end");
	else if (p->expected && *p->fail_at >= ' ' && *p->fail_at < 0x7f)
		snprintf(found, sizeof found, ", found '%c'", *p->fail_at);
	else if (p->expected)
		snprintf(found, sizeof found, ", found byte 0x%02x", (unsigned char)*p->fail_at);
	buf_init(&path, p->text.len + 32 * (p->depth + 1));
	fail_path(p, &path);
	json_path_clip(&path);
	err_set(e, p->code, "%.*s%soffset %zu%s: %s%s%s", (int)path.len, path.ptr ? path.ptr : "",
		path.len > 0 ? " (" : "", offset, path.len > 0 ? ")" : "",
		p->expected ? "expected " : "", p->sentence, found);
	buf_release(&path);
	return p->code;
}

int
json_parse(struct arena *a, struct str text, const struct json_limits *limits, struct json_doc *out,
	   struct err *e)
{
	struct parser p = {
		.arena = a,
		.text = { text.ptr ? text.ptr : "", text.len },
		.limits = limits,
		.open = NONE,
		.fail_key = NONE,
	};
	size_t first = text.len / 8 + 16;

	if (text.len > limits->bytes || text.len > UINT32_MAX)
		return err_set(e, ERR_TOO_LARGE, "offset %zu: the text is larger than %zu bytes",
			       limits->bytes, limits->bytes);
	if (first > FIRST_TOKENS_MAX)
		first = FIRST_TOKENS_MAX;
	if (first > limits->tokens)
		first = limits->tokens;
	p.end = p.text.ptr + text.len;
	p.cap = (uint32_t)first;
	p.tokens = arena_alloc_raw(a, first * sizeof *p.tokens);
	if (!parse_document(&p))
		return report(&p, e);
	p.tokens = arena_resize(a, p.tokens, p.cap * sizeof *p.tokens, p.count * sizeof *p.tokens);
	*out = (struct json_doc){ .text = p.text, .tokens = p.tokens, .token_count = p.count };
	return 0;
}
