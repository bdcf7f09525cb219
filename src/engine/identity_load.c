/* identity_load - all users and tokens read at the start, page by page, and the owner's token made known.
 * Rows arrive on a thread of the store's: they are gathered in the job and put in place afterwards. */
#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "core/user_def.h"
#include "engine/identity_owner.h"

enum part { PART_USERS, PART_TOKENS, PART_DIGESTS, PARTS };

struct found_user {
	struct str id;
	enum role role;
};
struct found_digest {
	struct str token;
	struct sha256 digest;
};

struct loading {
	struct identity *id;
	struct arena arena;
	enum part part;
	struct str last; /* the page goes on behind it */
	VEC(struct found_user) users;
	VEC(struct token_def) tokens;
	VEC(struct found_digest) digests;
	int rc; /* of a row that cannot be read */
	struct err err;
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

static void
load_end(struct loading *l, int rc, const struct err *err)
{
	l->done(l->ctx, rc, err);
	vec_release(&l->users);
	vec_release(&l->tokens);
	vec_release(&l->digests);
	arena_release(&l->arena);
	free(l);
}

/* ---- the owner's token ---- */

static void
on_owner(void *ctx, int rc, const struct err *err)
{
	load_end(ctx, rc, err);
}

static void
load_owner(struct loading *l)
{
	struct str secret = identity_engine(l->id)->config.owner_token;

	if (secret.len == 0)
		load_end(l, 0, NULL);
	else
		identity_owner_use(l->id, secret, on_owner, l);
}

/* ---- rows ---- */

static bool
parse_digest(struct str hex, struct sha256 *out)
{
	static const char DIGITS[] = "0123456789abcdef";

	if (hex.len != SHA256_HEX)
		return false;
	for (size_t i = 0; i < SHA256_BYTES; i++) {
		const char *high = memchr(DIGITS, hex.ptr[2 * i], 16);
		const char *low = memchr(DIGITS, hex.ptr[2 * i + 1], 16);

		if (!high || !low)
			return false;
		out->bytes[i] = (unsigned char)((high - DIGITS) << 4 | (low - DIGITS));
	}
	return true;
}

static int
take_row(struct loading *l, const struct store_record *r)
{
	struct json_doc doc;
	struct token_def t;
	struct sha256 digest;
	int rc = json_parse(&l->arena, arena_str(&l->arena, r->body), &JSON_LIMITS_DEFAULT, &doc,
			    &l->err);

	if (rc != 0)
		return rc;
	switch (l->part) {
	case PART_USERS:
		*vec_push(&l->users) =
			(struct found_user){ l->last, user_def_role(json_root(&doc)) };
		return 0;
	case PART_TOKENS:
		rc = token_def_read(json_root(&doc), &l->arena, &t, &l->err);
		if (rc == 0)
			*vec_push(&l->tokens) = t;
		return rc;
	case PART_DIGESTS:
		if (!parse_digest(r->id, &digest))
			return err_set(&l->err, ERR_CORRUPT, "a token's digest is damaged");
		*vec_push(&l->digests) =
			(struct found_digest){ arena_str(&l->arena, r->owner), digest };
		return 0;
	case PARTS: break;
	}
	return 0;
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct loading *l = ctx;

	l->last = arena_str(&l->arena, row->record->id);
	l->rc = take_row(l, row->record);
	if (l->rc != 0)
		l->rc = err_prefix(&l->err, ERR_CORRUPT, "record " STR_FMT ": ", STR_ARG(l->last));
	return l->rc == 0;
}

/* ---- pages ---- */

static int
compare_tokens(const void *left, const void *right)
{
	return str_cmp(((const struct token_def *)left)->id, ((const struct token_def *)right)->id);
}

/* A digest without a token belongs to nobody, and opens nothing. */
static void
put_in_place(struct loading *l)
{
	for (size_t i = 0; i < l->users.len; i++)
		identity_put_user(l->id, l->users.ptr[i].id, l->users.ptr[i].role);
	for (size_t i = 0; i < l->digests.len; i++) {
		struct token_def key = { .id = l->digests.ptr[i].token };
		const struct token_def *t = bsearch(&key, l->tokens.ptr, l->tokens.len,
						    sizeof *l->tokens.ptr, compare_tokens);

		if (t)
			identity_put_token(l->id, t, &l->digests.ptr[i].digest);
	}
}

static void load_page(struct loading *l);

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct loading *l = ctx;

	if (rc == 0 && l->rc != 0) {
		rc = l->rc;
		err = &l->err;
	}
	if (rc != 0) {
		load_end(l, rc, err);
		return;
	}
	if (!more) {
		l->part++;
		l->last = (struct str){ 0 };
	}
	if (l->part < PARTS) {
		load_page(l);
		return;
	}
	put_in_place(l);
	load_owner(l);
}

static void
load_page(struct loading *l)
{
	static const struct str KINDS[PARTS] = {
		[PART_USERS] = RECORD_USER,
		[PART_TOKENS] = RECORD_TOKEN,
		[PART_DIGESTS] = RECORD_TOKEN_DIGEST,
	};

	store_read(identity_engine(l->id)->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = KINDS[l->part],
					  .record_id = l->last,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_row, on_page, l);
}

void
identity_load(struct identity *id, void (*done)(void *ctx, int rc, const struct err *err),
	      void *ctx)
{
	struct loading *l = xcalloc(1, sizeof *l);

	*l = (struct loading){ .id = id, .done = done, .ctx = ctx };
	arena_init(&l->arena);
	load_page(l);
}
