/* identity_change - users made and changed, tokens made and revoked.
 * A token's secret is drawn here, shown in the one answer, and kept nowhere; a replay has none.
 * Commands of engine.h: engine_user_create, _update; engine_token_create, _revoke. */
#include "core/token.h"
#include "core/user_def.h"
#include "engine/identity.h"
#include "engine/record_change.h"

/* ---- users ---- */

static int
prepare_user_create(struct record_change *ch, struct err *e)
{
	(void)e;
	ch->id = engine_make_id(ch->en, &ch->arena, "user");
	return 0;
}

static int
prepare_user_update(struct record_change *ch, struct err *e)
{
	(void)e;
	record_change_read(ch, RECORD_USER, ch->id);
	return 0;
}

static int
decide_user(struct record_change *ch, struct commit *c, struct err *e)
{
	int64_t now = ch->reads[0].version; /* 0: there is none yet */
	struct definition_facts f = { .id = ch->id,
				      .now_ms = host_now_ms(ch->en->host),
				      .current = ch->reads[0].body };
	struct definition_text *made = ARENA_NEW(&ch->arena, struct definition_text);
	int rc;

	if (ch->read_count > 0 && !ch->reads[0].found)
		return err_set(e, ERR_NOT_FOUND, "there is no user " STR_FMT, STR_ARG(ch->id));
	rc = user_def_make(&f, ch->body, &ch->arena, made, e);
	if (rc != 0)
		return rc;
	ch->own = made;
	ch->version = made->changed ? now + 1 : now;
	if (made->changed)
		record_change_put(ch, c,
				  &(struct store_record){
					  .kind = RECORD_USER, .id = ch->id, .body = made->text },
				  now);
	return 0;
}

/* From now on all tokens of the user have its new role. */
static void
user_written(struct record_change *ch)
{
	const struct definition_text *made = ch->own;
	struct json_doc doc;

	if (json_parse(&ch->arena, made->text, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0)
		identity_put_user(ch->en->identity, ch->id, user_def_role(json_root(&doc)));
}

void
engine_user_create(struct engine *en, const struct engine_call *call, struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_USERS,
						 .prepare = prepare_user_create,
						 .decide = decide_user,
						 .written = user_written };

	record_change_start(en, &PLAN, call, STR(""), body);
}

void
engine_user_update(struct engine *en, const struct engine_call *call, struct str id,
		   struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_USERS,
						 .prepare = prepare_user_update,
						 .decide = decide_user,
						 .written = user_written };

	record_change_start(en, &PLAN, call, id, body);
}

/* ---- tokens ---- */

struct new_token {
	struct token_def def;
	struct sha256 digest;
	char text[TOKEN_TEXT_LEN + 1];
};

static int
prepare_token(struct record_change *ch, struct err *e)
{
	struct new_token *t = ARENA_NEW(&ch->arena, struct new_token);
	unsigned char secret[TOKEN_SECRET_BYTES];
	int rc = token_def_decode(ch->body, host_now_ms(ch->en->host), &ch->arena, &t->def, e);

	if (rc == 0 && t->def.user_id.len > 0 &&
	    !identity_knows_user(ch->en->identity, t->def.user_id))
		rc = err_set(e, ERR_INVALID, "user_id: there is no user " STR_FMT,
			     STR_ARG(t->def.user_id));
	if (rc != 0)
		return rc;
	if (t->def.environment_id.len > 0)
		record_change_read(ch, RECORD_ENVIRONMENT, t->def.environment_id);
	rand_bytes(&ch->en->rand, secret, sizeof secret);
	token_format(secret, t->text);
	explicit_bzero(secret, sizeof secret);
	ch->own = t;
	ch->secret = (struct str){ t->text, TOKEN_TEXT_LEN };
	ch->id = engine_make_id(ch->en, &ch->arena, "tok");
	t->def.id = ch->id;
	t->def.prefix = token_prefix(ch->secret);
	t->digest = token_digest(ch->secret);
	return 0;
}

static int
decide_token(struct record_change *ch, struct commit *c, struct err *e)
{
	const struct new_token *t = ch->own;

	if (ch->read_count > 0 && !ch->reads[0].found)
		return err_set(e, ERR_INVALID, "environment_id: there is no environment " STR_FMT,
			       STR_ARG(t->def.environment_id));
	ch->version = 1;
	ch->fills = true;
	identity_commit_token(c, &t->def, &t->digest);
	return 0;
}

static void
token_written(struct record_change *ch)
{
	const struct new_token *t = ch->own;

	identity_put_token(ch->en->identity, &t->def, &t->digest);
}

void
engine_token_create(struct engine *en, const struct engine_call *call, struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_TOKENS,
						 .prepare = prepare_token,
						 .decide = decide_token,
						 .written = token_written };

	record_change_start(en, &PLAN, call, STR(""), body);
}

static int
prepare_revoke(struct record_change *ch, struct err *e)
{
	(void)e;
	record_change_read(ch, RECORD_TOKEN, ch->id);
	return 0;
}

/* Twice is as good as once. */
static int
decide_revoke(struct record_change *ch, struct commit *c, struct err *e)
{
	struct token_def t;
	int rc;

	if (!ch->reads[0].found)
		return err_set(e, ERR_NOT_FOUND, "there is no token " STR_FMT, STR_ARG(ch->id));
	rc = token_def_read(ch->reads[0].body, &ch->arena, &t, e);
	ch->version = ch->reads[0].version;
	if (rc != 0 || t.revoked_ms != 0)
		return rc;
	t.revoked_ms = host_now_ms(ch->en->host);
	ch->version++;
	record_change_put(ch, c,
			  &(struct store_record){ .kind = RECORD_TOKEN,
						  .id = ch->id,
						  .body = token_def_write(&t, &ch->arena) },
			  ch->reads[0].version);
	return 0;
}

static void
token_revoked(struct record_change *ch)
{
	identity_revoke_token(ch->en->identity, ch->id, host_now_ms(ch->en->host));
}

void
engine_token_revoke(struct engine *en, const struct engine_call *call, struct str id)
{
	static const struct record_plan PLAN = { .verb = ACCESS_TOKENS,
						 .prepare = prepare_revoke,
						 .decide = decide_revoke,
						 .written = token_revoked };

	record_change_start(en, &PLAN, call, id, (struct json){ 0 });
}
