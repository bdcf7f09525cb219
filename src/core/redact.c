#include "core/redact.h"

#include "base/sha256.h"

enum { HASH_BYTES = 6 }; /* 12 hex digits */

static const struct str RAW_ID_NOT_NEEDED[] = {
	{ "whatsapp", 8 },
	{ "signal", 6 },
	{ "telegram", 8 },
	{ "bluebubbles", 11 },
};

bool
redact_applies(struct str platform, bool enabled, bool pii_safe)
{
	if (!enabled || pii_safe)
		return enabled;
	for (size_t i = 0; i < ARRAY_LEN(RAW_ID_NOT_NEEDED); i++)
		if (str_eq(platform, RAW_ID_NOT_NEEDED[i]))
			return true;
	return false;
}

void
redact_hash(struct str id, struct buf *out)
{
	struct sha256 digest = sha256_of(id);
	char hex[2 * HASH_BYTES + 1];

	sha256_hex(&digest, HASH_BYTES, hex);
	buf_puts(out, hex);
}

void
redact_user_id(struct str id, struct buf *out)
{
	buf_puts(out, "user_");
	redact_hash(id, out);
}

void
redact_chat_id(struct str id, struct buf *out)
{
	struct str prefix, rest;

	if (str_cut(id, ':', &prefix, &rest) && prefix.len > 0) {
		buf_put_str(out, prefix);
		buf_putc(out, ':');
		id = rest;
	}
	redact_hash(id, out);
}

/* What may stand in a credential. */
enum alphabet {
	TOKEN_CHARS,  /* letters, digits, - _ */
	DOTTED_CHARS, /* and . ~ + / = : what RFC 6750 allows in a bearer token */
	UPPER_CHARS,  /* A-Z 0-9 */
	VALUE_CHARS,  /* all that cannot end a value: no blanks, quotes, separators, brackets */
	ANY_CHARS     /* up to the end mark */
};

/* A credential known by how it begins. A longer prefix stands before a shorter one of the same
 * beginning. */
static const struct shape {
	struct str label; /* kept */
	enum alphabet alphabet;
	size_t least; /* characters behind the label; fewer is ordinary text */
	bool any_case;
	const char *end_mark; /* ANY_CHARS */
} SHAPES[] = {
	{ { "sk-ant-", 7 }, TOKEN_CHARS, 16, false, NULL },
	{ { "sk-proj-", 8 }, TOKEN_CHARS, 16, false, NULL },
	{ { "sk-", 3 }, TOKEN_CHARS, 16, false, NULL },
	{ { "sk_live_", 8 }, TOKEN_CHARS, 16, false, NULL },
	{ { "rk_live_", 8 }, TOKEN_CHARS, 16, false, NULL },
	{ { "pdr_", 4 }, TOKEN_CHARS, 32, false, NULL },
	{ { "ghp_", 4 }, TOKEN_CHARS, 20, false, NULL },
	{ { "gho_", 4 }, TOKEN_CHARS, 20, false, NULL },
	{ { "ghu_", 4 }, TOKEN_CHARS, 20, false, NULL },
	{ { "ghs_", 4 }, TOKEN_CHARS, 20, false, NULL },
	{ { "ghr_", 4 }, TOKEN_CHARS, 20, false, NULL },
	{ { "github_pat_", 11 }, TOKEN_CHARS, 20, false, NULL },
	{ { "glpat-", 6 }, TOKEN_CHARS, 16, false, NULL },
	{ { "xoxb-", 5 }, TOKEN_CHARS, 10, false, NULL },
	{ { "xoxp-", 5 }, TOKEN_CHARS, 10, false, NULL },
	{ { "xoxa-", 5 }, TOKEN_CHARS, 10, false, NULL },
	{ { "xoxr-", 5 }, TOKEN_CHARS, 10, false, NULL },
	{ { "xoxs-", 5 }, TOKEN_CHARS, 10, false, NULL },
	{ { "xapp-", 5 }, TOKEN_CHARS, 10, false, NULL },
	{ { "AKIA", 4 }, UPPER_CHARS, 16, false, NULL },
	{ { "ASIA", 4 }, UPPER_CHARS, 16, false, NULL },
	{ { "AIza", 4 }, TOKEN_CHARS, 30, false, NULL },
	{ { "ya29.", 5 }, TOKEN_CHARS, 20, false, NULL },
	{ { "hf_", 3 }, TOKEN_CHARS, 20, false, NULL },
	{ { "npm_", 4 }, TOKEN_CHARS, 30, false, NULL },
	{ { "whsec_", 6 }, DOTTED_CHARS, 16, false, NULL },
	{ { "eyJ", 3 }, DOTTED_CHARS, 40, false, NULL }, /* a JWT: {" in base64 */
	{ { "Bearer ", 7 }, DOTTED_CHARS, 8, true, NULL },
	{ { "Basic ", 6 }, DOTTED_CHARS, 12, true, NULL },
	{ { "-----BEGIN PRIVATE KEY-----", 27 }, ANY_CHARS, 1, false, "-----END PRIVATE KEY-----" },
	{ { "-----BEGIN RSA PRIVATE KEY-----", 31 },
	  ANY_CHARS,
	  1,
	  false,
	  "-----END RSA PRIVATE KEY-----" },
	{ { "-----BEGIN EC PRIVATE KEY-----", 30 },
	  ANY_CHARS,
	  1,
	  false,
	  "-----END EC PRIVATE KEY-----" },
	{ { "-----BEGIN OPENSSH PRIVATE KEY-----", 35 },
	  ANY_CHARS,
	  1,
	  false,
	  "-----END OPENSSH PRIVATE KEY-----" },
};

/* A credential known by the name before it: name=value, name: value, "name":"value". The name may
 * end a longer one (OPENAI_API_KEY). */
static const struct named {
	struct str name;
	size_t least; /* the vaguer the name, the longer the value must be */
} NAMED[] = {
	{ { "password", 8 }, 1 },       { { "passwd", 6 }, 1 },       { { "secret", 6 }, 6 },
	{ { "api_key", 7 }, 6 },        { { "api-key", 7 }, 6 },      { { "apikey", 6 }, 6 },
	{ { "access_key", 10 }, 6 },    { { "private_key", 11 }, 6 }, { { "token", 5 }, 8 },
	{ { "authorization", 13 }, 8 }, { { "key", 3 }, 16 },
};

static bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static bool
in_alphabet(char c, enum alphabet alphabet)
{
	switch (alphabet) {
	case TOKEN_CHARS: return is_word_char(c);
	case DOTTED_CHARS: return is_word_char(c) || (c && strchr(".~+/=", c));
	case UPPER_CHARS: return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
	case VALUE_CHARS: return (unsigned char)c > ' ' && !strchr("\"'`,;&<>()[]{}|\\", c);
	case ANY_CHARS: return true;
	}
	return false;
}

static size_t
run_length(struct str text, size_t from, enum alphabet alphabet)
{
	size_t at = from;

	while (at < text.len && in_alphabet(text.ptr[at], alphabet))
		at++;
	return at - from;
}

/* A stretch of text to replace. */
struct hit {
	size_t from, len;
};

static bool
match_shape(const struct shape *shape, struct str text, size_t at, struct hit *out)
{
	struct str here = str_slice(text, at, at + shape->label.len);
	size_t from = at + shape->label.len, len, end;

	if (shape->any_case ? !str_eq_nocase(here, shape->label) : !str_eq(here, shape->label))
		return false;
	len = run_length(text, from, shape->alphabet);
	if (shape->end_mark && str_find(text, str_of(shape->end_mark), from, &end))
		len = end - from;
	if (len < shape->least || str_starts(str_slice(text, from, text.len), STR("[redacted]")))
		return false;
	*out = (struct hit){ from, len };
	return true;
}

static size_t
skip_blanks(struct str text, size_t at)
{
	while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t'))
		at++;
	return at;
}

static bool
match_named(const struct named *named, struct str text, size_t at, struct hit *out)
{
	size_t next = at + named->name.len, len;

	if (!str_eq_nocase(str_slice(text, at, next), named->name))
		return false;
	if (next < text.len && (text.ptr[next] == '"' || text.ptr[next] == '\''))
		next++; /* the name itself was quoted */
	next = skip_blanks(text, next);
	if (next >= text.len || (text.ptr[next] != '=' && text.ptr[next] != ':'))
		return false;
	next = skip_blanks(text, next + 1);
	if (next < text.len && (text.ptr[next] == '"' || text.ptr[next] == '\''))
		next++;
	len = run_length(text, next, VALUE_CHARS);
	if (len < named->least)
		return false;
	*out = (struct hit){ next, len };
	return true;
}

static bool
in_userinfo(char c)
{
	return c != '@' && c != '/' && in_alphabet(c, VALUE_CHARS);
}

/* scheme://user:password@host, seen from the colon before the password. */
static bool
match_userinfo(struct str text, size_t at, struct hit *out)
{
	size_t user = at, end = at + 1;

	if (text.ptr[at] != ':')
		return false;
	while (user > 0 && text.ptr[user - 1] != ':' && in_userinfo(text.ptr[user - 1]))
		user--;
	if (!str_ends(str_slice(text, 0, user), STR("://")))
		return false;
	while (end < text.len && in_userinfo(text.ptr[end]))
		end++;
	*out = (struct hit){ at + 1, end - at - 1 };
	return end < text.len && text.ptr[end] == '@' && out->len > 0;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A Telegram bot's token, 123456789:AA…: it stands in every URL of its API. */
static bool
match_bot_token(struct str text, size_t at, struct hit *out)
{
	size_t digits = 0, len;

	while (at + digits < text.len && is_digit(text.ptr[at + digits]))
		digits++;
	if (digits < 6 || at + digits >= text.len || text.ptr[at + digits] != ':')
		return false;
	len = run_length(text, at + digits + 1, TOKEN_CHARS);
	*out = (struct hit){ at + digits + 1, len };
	return len >= 30;
}

/* from: where the text begins, or the last replacement ended; a word begins there too. */
static bool
find_hit(struct str text, size_t from, size_t at, struct hit *out)
{
	bool starts_word = at == from || !is_word_char(text.ptr[at - 1]);
	bool starts_number = at == from || !is_digit(text.ptr[at - 1]);

	for (size_t i = 0; i < ARRAY_LEN(SHAPES); i++)
		if ((starts_word || SHAPES[i].end_mark) && match_shape(&SHAPES[i], text, at, out))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(NAMED); i++)
		if (match_named(&NAMED[i], text, at, out))
			return true;
	return match_userinfo(text, at, out) || (starts_number && match_bot_token(text, at, out));
}

size_t
redact_secrets(struct str text, struct buf *out)
{
	size_t count = 0, from = 0;

	for (size_t at = 0; at < text.len;) {
		struct hit hit;

		if (!find_hit(text, from, at, &hit)) {
			buf_putc(out, text.ptr[at++]);
			continue;
		}
		buf_put_str(out, str_slice(text, at, hit.from));
		buf_puts(out, "[redacted]");
		at = from = hit.from + hit.len;
		count++;
	}
	return count;
}
