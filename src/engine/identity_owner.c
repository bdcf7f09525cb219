#include "engine/identity_owner.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "core/token.h"
#include "engine/commit.h"

/* A secret on its way: committed where it is new, then those before it revoked one after the other. */
struct owner_secret {
	struct identity *id;
	struct host_task task; /* answers without a commit */
	struct arena arena;
	struct token_def def;
	struct sha256 digest;
	int rc;
	struct err err;
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

static void
owner_end(struct owner_secret *o, int rc, const struct err *err)
{
	o->done(o->ctx, rc, err);
	arena_release(&o->arena);
	free(o);
}

/* ---- those before it ---- */

static void owner_revoke_next(struct owner_secret *o);

static void
owner_on_revoked(void *ctx, const struct engine_answer *answer)
{
	struct owner_secret *o = ctx;

	if (answer->rc != 0) {
		owner_end(o, answer->rc, answer->err);
		return;
	}
	identity_revoke_token(o->id, answer->id, host_now_ms(identity_engine(o->id)->host));
	log_write(LOG_INFO, "identity.owner_token_replaced", LOG_STR("id", answer->id));
	owner_revoke_next(o);
}

static void
owner_revoke_next(struct owner_secret *o)
{
	struct engine_call call = { .done = owner_on_revoked, .ctx = o };
	struct str token;

	if (identity_find_file_token(o->id, &o->digest, &token))
		engine_token_revoke(identity_engine(o->id), &call, token);
	else
		owner_end(o, 0, NULL);
}

/* ---- the secret itself ---- */

static void
owner_on_committed(void *ctx, const struct commit_result *result)
{
	struct owner_secret *o = ctx;

	if (result->store->rc != 0) {
		owner_end(o, result->store->rc, &result->store->err);
		return;
	}
	identity_put_token(o->id, &o->def, &o->digest);
	owner_revoke_next(o);
}

static void
owner_commit(struct owner_secret *o, struct str secret)
{
	struct engine *en = identity_engine(o->id);
	struct commit *c = commit_new(en, STR(""));

	o->def = (struct token_def){
		.id = engine_make_id(en, &o->arena, "tok"),
		.kind = TOKEN_OWNER,
		.name = TOKEN_DEF_FILE,
		.prefix = arena_str(&o->arena, token_prefix(secret)),
		.created_ms = host_now_ms(en->host),
	};
	identity_commit_token(c, &o->def, &o->digest);
	commit_submit(c, owner_on_committed, o);
}

static void
owner_go_on(struct host_task *task)
{
	struct owner_secret *o = LIST_OWNER(task, struct owner_secret, task);

	if (o->rc != 0)
		owner_end(o, o->rc, &o->err);
	else
		owner_revoke_next(o);
}

static void
owner_go_on_later(struct owner_secret *o)
{
	list_init(&o->task.node);
	o->task.fn = owner_go_on;
	host_defer(identity_engine(o->id)->host, &o->task);
}

void
identity_owner_use(struct identity *id, struct str secret,
		   void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	struct owner_secret *o = xcalloc(1, sizeof *o);

	*o = (struct owner_secret){ .id = id, .done = done, .ctx = ctx };
	arena_init(&o->arena);
	if (!token_is_well_formed(secret)) {
		o->rc = err_set(&o->err, ERR_INVALID, "the owner's token is not a token");
		owner_go_on_later(o);
		return;
	}
	o->digest = token_digest(secret);
	if (!identity_knows_digest(id, &o->digest)) {
		owner_commit(o, secret);
		return;
	}
	if (!identity_digest_is_live(id, &o->digest))
		log_write(LOG_WARN, "identity.owner_token_is_revoked",
			  LOG_STR("advice", STR("delete owner.token and reload or restart: "
						"a new one is made")));
	owner_go_on_later(o);
}

/* ---- the command ---- */

void
engine_use_owner_token(struct engine *en, struct str secret,
		       void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	identity_owner_use(en->identity, secret, done, ctx);
}
