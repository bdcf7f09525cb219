/* token_def - a token as the wire shows one: who it speaks for, since when and until when.
 * {id, type, kind, name, prefix, user_id, namespace, environment_id, created_at, expires_at,
 * last_used_at, revoked_at}; what is unset is null. The secret is nowhere in it. */
#pragma once
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "core/principal.h"

enum { TOKEN_NAMESPACE_MAX = 64 };

/* What the token in the file of that name is called, and no other. */
#define TOKEN_DEF_FILE STR("owner.token")

struct token_def {
	struct str id, name, prefix; /* name empty: none */
	enum token_kind kind;
	struct str user_id;        /* user tokens; owner tokens may have one */
	struct str namespace;      /* channel tokens */
	struct str environment_id; /* environment tokens */
	int64_t created_ms, expires_ms, last_used_ms, revoked_ms; /* 0: never */
};

/* An API body: {kind, user_id?|namespace?|environment_id?, name?, expires_at?}; each kind has the
 * members it needs and no others. expires_at lies ahead of now_ms. Sets neither id nor prefix. */
NODISCARD int token_def_decode(struct json body, int64_t now_ms, struct arena *a,
			       struct token_def *out, struct err *e);
/* A stored one. ERR_CORRUPT when it is none. */
NODISCARD int token_def_read(struct json v, struct arena *a, struct token_def *out, struct err *e);
struct str token_def_write(const struct token_def *t, struct arena *a);
