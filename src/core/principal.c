#include "core/principal.h"

static const char *const ROLE_WORDS[] = {
	[ROLE_NONE] = "none",
	[ROLE_GUEST] = "guest",
	[ROLE_USER] = "user",
	[ROLE_OWNER] = "owner",
};
static const char *const TOKEN_WORDS[] = {
	[TOKEN_OWNER] = "owner",
	[TOKEN_USER] = "user",
	[TOKEN_CHANNEL] = "channel",
	[TOKEN_WORKER] = "worker",
	[TOKEN_ENVIRONMENT] = "environment",
};

const char *
role_name(enum role role)
{
	return ROLE_WORDS[role];
}

bool
role_parse(struct str word, enum role *out)
{
	for (size_t i = ROLE_GUEST; i < ARRAY_LEN(ROLE_WORDS); i++) {
		if (str_eq(word, str_of(ROLE_WORDS[i]))) {
			*out = (enum role)i;
			return true;
		}
	}
	return false;
}

const char *
token_kind_name(enum token_kind kind)
{
	return TOKEN_WORDS[kind];
}

bool
token_kind_parse(struct str word, enum token_kind *out)
{
	for (size_t i = 0; i < ARRAY_LEN(TOKEN_WORDS); i++) {
		if (str_eq(word, str_of(TOKEN_WORDS[i]))) {
			*out = (enum token_kind)i;
			return true;
		}
	}
	return false;
}

bool
principal_is_owner(const struct principal *p)
{
	switch (p->kind) {
	case TOKEN_OWNER: return true;
	case TOKEN_USER: return p->role == ROLE_OWNER;
	case TOKEN_CHANNEL: /* the adapter is bound to its namespace whoever wrote the message */
	case TOKEN_WORKER:
	case TOKEN_ENVIRONMENT: return false;
	}
	return false;
}

bool
principal_owns_id(const struct principal *p, struct str id)
{
	return p->kind == TOKEN_CHANNEL && p->namespace.len > 0 && id.len > p->namespace.len &&
	       str_starts(id, p->namespace) && id.ptr[p->namespace.len] == ':';
}

bool
principal_speaks_for_sender(const struct principal *p)
{
	if (p->kind != TOKEN_CHANNEL)
		return true;
	return str_is_empty(p->sender_channel) || str_eq(p->sender_channel, p->namespace);
}
