/* identity - users and tokens: held in memory, true in the store.
 * Changed by engine/identity_change (the commands engine_user_* and engine_token_*).
 *
 * A token is two records: RECORD_TOKEN, whose body is the wire's object and may be shown, and
 * RECORD_TOKEN_DIGEST, whose id is the SHA-256 of the secret in hex and whose owner is the token. The
 * latter is for nobody's eyes: engine_read hands it to no caller.
 *
 * The last use is noted in memory at once and written once a minute at most, so a kill may lose the
 * last minute of it. */
#pragma once
#include "core/token_def.h"
#include "engine/engine_private.h"

#define RECORD_TOKEN_DIGEST STR("token_digest")

struct identity *identity_new(struct engine *en);
void identity_free(struct identity **id);
/* Reads all users and tokens, and takes over what owner.token holds (engine/identity_owner). */
void identity_load(struct identity *id, void (*done)(void *ctx, int rc, const struct err *err),
		   void *ctx);

/* ---- for those who changed the records ---- */

struct engine *identity_engine(struct identity *id);
bool identity_knows_user(const struct identity *id, struct str user);
/* ROLE_NONE: there is no such user. */
enum role identity_role(const struct identity *id, struct str user);
/* Does a channel have it, or did one? */
bool identity_has_namespace(const struct identity *id, struct str namespace);
bool identity_knows_digest(const struct identity *id, const struct sha256 *digest);
bool identity_digest_is_live(const struct identity *id, const struct sha256 *digest);
/* A live token that owner.token brought, other than the one with this digest; false: there is none. */
bool
identity_find_file_token(const struct identity *id, const struct sha256 *but, struct str *token);
/* A user that is there, or has another role from now on. */
void identity_put_user(struct identity *id, struct str user, enum role role);
/* A token whose secret has this digest. */
void
identity_put_token(struct identity *id, const struct token_def *t, const struct sha256 *digest);
void identity_revoke_token(struct identity *id, struct str token, int64_t now_ms);
/* A token that ended long ago, and whose records are gone. */
void identity_forget_token(struct identity *id, struct str token);
/* Adds a token and its digest to an item. */
struct commit;
void
identity_commit_token(struct commit *c, const struct token_def *t, const struct sha256 *digest);

/* ---- last use, for engine/identity_use ---- */

/* Takes one token whose last use is not written yet; false: there is none. id lives as long as the
 * engine. */
bool identity_take_used(struct identity *id, struct str *token, int64_t *used_ms);
