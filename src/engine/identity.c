#include "engine/identity.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/token.h"
#include "engine/commit.h"
#include "engine/fanout.h"
#include "engine/identity_use.h"
#include "engine/work.h"

struct user {
	struct str id;
	enum role role;
};

struct token {
	struct token *next; /* with the same beginning of the digest */
	struct list used;   /* in identity.used while its last use is not written */
	struct sha256 digest;
	struct token_def def; /* name and prefix are not kept */
	bool of_file;         /* owner.token brought it */
	struct user *user;    /* NULL: it speaks for no user */
};

/* The text of a token that was used: who comes again is known without hashing. */
struct seen {
	char text[TOKEN_TEXT_LEN];
	struct token *token; /* NULL: nobody yet */
};
enum { SEEN_SLOTS = 16 };

struct identity {
	struct engine *en;
	struct arena arena;       /* users, tokens and their texts: callers keep views of them */
	struct map users, tokens; /* by id */
	struct map digests;       /* by their first bytes; the rest is compared in constant time */
	struct map namespaces;    /* of channels: a token that has it */
	struct list used;
	struct sha256_ctx sha;
	struct seen seen[SEEN_SLOTS];
	struct identity_use *use;
};

enum { DIGEST_KEY_BYTES = 8 };

struct identity *
identity_new(struct engine *en)
{
	struct identity *id = xcalloc(1, sizeof *id);

	id->en = en;
	arena_init(&id->arena);
	map_init(&id->users, rand_u64(&en->rand));
	map_init(&id->tokens, rand_u64(&en->rand));
	map_init(&id->digests, rand_u64(&en->rand));
	map_init(&id->namespaces, rand_u64(&en->rand));
	list_init(&id->used);
	sha256_init(&id->sha);
	id->use = identity_use_new(id);
	return id;
}

void
identity_free(struct identity **id)
{
	if (!*id)
		return;
	identity_use_free(&(*id)->use);
	sha256_release(&(*id)->sha);
	map_release(&(*id)->digests);
	map_release(&(*id)->namespaces);
	map_release(&(*id)->tokens);
	map_release(&(*id)->users);
	arena_release(&(*id)->arena);
	explicit_bzero((*id)->seen, sizeof(*id)->seen);
	free(TAKE(*id));
}

struct engine *
identity_engine(struct identity *id)
{
	return id->en;
}

/* ---- what is known ---- */

static struct str
digest_key(const struct sha256 *digest)
{
	return (struct str){ (const char *)digest->bytes, DIGEST_KEY_BYTES };
}

static struct token *
find_digest(const struct identity *id, const struct sha256 *digest)
{
	struct token *t = map_find(&id->digests, digest_key(digest));

	while (t && !token_digest_eq(&t->digest, digest))
		t = t->next;
	return t;
}

bool
identity_knows_user(const struct identity *id, struct str user)
{
	return map_find(&id->users, user) != NULL;
}

enum role
identity_role(const struct identity *id, struct str user)
{
	const struct user *u = map_find(&id->users, user);

	return u ? u->role : ROLE_NONE;
}

bool
identity_has_namespace(const struct identity *id, struct str namespace)
{
	return map_find(&id->namespaces, namespace) != NULL;
}

bool
identity_knows_digest(const struct identity *id, const struct sha256 *digest)
{
	return find_digest(id, digest) != NULL;
}

static struct user *
get_user(struct identity *id, struct str name)
{
	struct user *user = map_find(&id->users, name);

	if (user)
		return user;
	user = ARENA_NEW(&id->arena, struct user);
	*user = (struct user){ arena_str(&id->arena, name), ROLE_NONE };
	map_put(&id->users, user->id, user);
	return user;
}

void
identity_put_user(struct identity *id, struct str user, enum role role)
{
	struct user *u = get_user(id, user);
	bool changes = u->role != ROLE_NONE && u->role != role;

	u->role = role;
	if (changes)
		fanout_rights_changed(id->en);
}

void
identity_put_token(struct identity *id, const struct token_def *def, const struct sha256 *digest)
{
	struct token *t = ARENA_NEW(&id->arena, struct token);

	*t = (struct token){
		.digest = *digest,
		.def = *def,
		.of_file = def->kind == TOKEN_OWNER && str_eq(def->name, TOKEN_DEF_FILE),
	};
	list_init(&t->used);
	t->def.id = arena_str(&id->arena, def->id);
	t->def.namespace = arena_str(&id->arena, def->namespace);
	t->def.environment_id = arena_str(&id->arena, def->environment_id);
	t->def.name = t->def.prefix = t->def.user_id = (struct str){ 0 };
	if (def->user_id.len > 0) {
		t->user = get_user(id, def->user_id);
		t->def.user_id = t->user->id;
	}
	map_put(&id->tokens, t->def.id, t);
	if (t->def.namespace.len > 0)
		map_put(&id->namespaces, t->def.namespace, t);
	t->next = map_put(&id->digests, digest_key(&t->digest), t);
}

void
identity_revoke_token(struct identity *id, struct str token, int64_t now_ms)
{
	struct token *t = map_find(&id->tokens, token);

	if (t && t->def.revoked_ms == 0)
		t->def.revoked_ms = now_ms;
}

/* Its memory stays: callers keep views of it. */
void
identity_forget_token(struct identity *id, struct str token)
{
	struct token *t = map_remove(&id->tokens, token);
	struct token *first, **at = &first;

	if (!t)
		return;
	list_remove(&t->used);
	for (size_t i = 0; i < SEEN_SLOTS; i++)
		if (id->seen[i].token == t)
			explicit_bzero(&id->seen[i], sizeof id->seen[i]);
	first = map_remove(&id->digests, digest_key(&t->digest));
	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	if (first) /* others whose digest begins like it */
		map_put(&id->digests, digest_key(&first->digest), first);
}

void
identity_commit_token(struct commit *c, const struct token_def *t, const struct sha256 *digest)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(digest, SHA256_BYTES, hex);
	commit_put(c,
		   &(struct store_put){ .record = { .kind = RECORD_TOKEN,
						    .id = t->id,
						    .body = token_def_write(t, commit_arena(c)) },
					.if_version = STORE_VERSION_ABSENT });
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_TOKEN_DIGEST,
						       .id = str_of(hex),
						       .owner = t->id,
						       .body = STR("{}") },
					   .if_version = STORE_VERSION_ABSENT });
}

/* ---- who is this? ---- */

static bool
is_live(const struct token *t, int64_t now_ms)
{
	return t && t->def.revoked_ms == 0 && !token_is_expired(t->def.expires_ms, now_ms);
}

bool
identity_digest_is_live(const struct identity *id, const struct sha256 *digest)
{
	return is_live(find_digest(id, digest), host_now_ms(id->en->host));
}

bool
identity_find_file_token(const struct identity *id, const struct sha256 *but, struct str *token)
{
	int64_t now_ms = host_now_ms(id->en->host);
	struct str key;
	void *value;

	for (size_t at = 0; map_next(&id->tokens, &at, &key, &value);) {
		const struct token *t = value;

		if (!t->of_file || !is_live(t, now_ms) || token_digest_eq(&t->digest, but))
			continue;
		*token = t->def.id;
		return true;
	}
	return false;
}

static void
note_use(struct identity *id, struct token *t, int64_t now_ms)
{
	t->def.last_used_ms = now_ms;
	if (!list_is_empty(&t->used))
		return;
	list_append(&id->used, &t->used);
	identity_use_due(id->use);
}

bool
identity_take_used(struct identity *id, struct str *token, int64_t *used_ms)
{
	struct token *t;

	if (list_is_empty(&id->used))
		return false;
	t = LIST_OWNER(id->used.next, struct token, used);
	list_remove(&t->used);
	*token = t->def.id;
	*used_ms = t->def.last_used_ms;
	return true;
}

static struct engine_caller
caller_of(const struct token *t)
{
	return (struct engine_caller){
		.who = { .kind = t->def.kind,
			 .user_id = t->def.user_id,
			 .role = t->user ? t->user->role : ROLE_NONE,
			 .namespace = t->def.namespace,
			 .environment_id = t->def.environment_id },
		.token_id = t->def.id,
		.expires_at_ms = t->def.expires_ms,
	};
}

/* By the last character that lists show: where a token is looked for tells nothing secret. */
static struct seen *
seen_slot(struct identity *id, struct str text)
{
	unsigned c = (unsigned char)text.ptr[TOKEN_PREFIX_LEN - 1];

	return &id->seen[c % SEEN_SLOTS];
}

/* NULL: not one of ours; a well-formed one leaves its digest, for who else has tokens. */
static struct token *
find_token(struct identity *id, struct str text, struct sha256 *digest)
{
	struct seen *seen;
	struct token *t;

	if (text.len != TOKEN_TEXT_LEN)
		return NULL;
	seen = seen_slot(id, text);
	if (seen->token && token_text_eq(seen->text, text.ptr))
		return seen->token;
	if (!token_is_well_formed(text))
		return NULL;
	sha256_begin(&id->sha);
	sha256_update(&id->sha, text.ptr, text.len);
	*digest = sha256_end(&id->sha);
	t = find_digest(id, digest);
	if (t) {
		memcpy(seen->text, text.ptr, sizeof seen->text);
		seen->token = t;
	}
	return t;
}

int
engine_authenticate(struct engine *en, struct str text, struct engine_caller *out, struct err *e)
{
	struct identity *id = en->identity;
	struct sha256 digest;
	struct token *t = find_token(id, text, &digest);
	int64_t now_ms = host_now_ms(en->host);

	if (!t && token_is_well_formed(text) && work_find_token(en, &digest, out))
		return 0;
	if (!is_live(t, now_ms)) /* why is nobody's business */
		return err_set(e, ERR_AUTH, "the token is unknown, revoked or expired");
	note_use(id, t, now_ms);
	*out = caller_of(t);
	return 0;
}

bool
engine_renew_caller(struct engine *en, struct engine_caller *caller)
{
	struct token *t = map_find(&en->identity->tokens, caller->token_id);
	int64_t now_ms = host_now_ms(en->host);

	if (!t)
		return work_renew_caller(en, caller);
	if (!is_live(t, now_ms))
		return false;
	note_use(en->identity, t, now_ms);
	*caller = caller_of(t);
	return true;
}

bool
engine_token_is_live(struct engine *en, struct str token_id)
{
	struct token *t = map_find(&en->identity->tokens, token_id);

	return t ? is_live(t, host_now_ms(en->host)) : work_token_is_live(en, token_id);
}
