#include "engine/record_purge.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/timestamp.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/commit.h"
#include "engine/identity.h"
#include "engine/spending.h"

enum { PAGE_ROWS = 100, KEEP_DAYS = 30, TRIES_MAX = 5 };
static const int64_t DAY_MS = 86400000;

enum part { PART_TOKENS, PART_DAYS, PARTS };

struct stale {
	struct str id;
	int64_t version;
	struct str digest; /* of a token: the id of that record; empty: there is none */
};

struct record_purge {
	struct engine *en;
	int64_t ran_ms; /* 0: not yet */
	int64_t until_ms;
	char last_day[TIMESTAMP_TEXT_MAX]; /* "day/2026-01-31": that one and those before it go */
	enum part part;
	struct arena arena; /* of the page */
	VEC(struct stale) stale;
	size_t at;             /* of a token whose digest is being looked for */
	struct buf from, last; /* ids: the page begins behind the one and ends with the other */
	int tries;             /* one of its records was changed meanwhile */
	bool more;
	int64_t removed;
	void (*done)(void *ctx);
	void *ctx;
};

static void record_purge_read(struct record_purge *p);

static void
record_purge_over(struct record_purge *p)
{
	if (p->removed > 0)
		log_write(LOG_INFO, "retention.records_removed", LOG_INT("records", p->removed));
	arena_reset(&p->arena);
	p->done(p->ctx);
}

static void
record_purge_failed(struct record_purge *p, const struct err *err)
{
	log_write(LOG_WARN, "retention.records_not_removed", LOG_STR("error", str_of(err->text)));
	record_purge_over(p);
}

static void
record_purge_next_page(struct record_purge *p)
{
	if (!p->more) {
		p->part++;
		buf_clear(&p->last);
	}
	p->tries = 0;
	buf_clear(&p->from);
	buf_put_str(&p->from, buf_str(&p->last));
	if (p->part == PARTS || p->en->draining)
		record_purge_over(p);
	else
		record_purge_read(p);
}

/* ---- removing ---- */

static void
record_purge_on_removed(void *ctx, const struct commit_result *result)
{
	const struct store_result *r = result->store;
	struct record_purge *p = ctx;

	if (r->rc != 0 && r->rc != ERR_CONFLICT) {
		record_purge_failed(p, &r->err);
		return;
	}
	if (r->rc == ERR_CONFLICT && ++p->tries < TRIES_MAX) {
		record_purge_read(p);
		return;
	}
	for (size_t i = 0; r->rc == 0 && i < p->stale.len; i++) {
		p->removed++;
		if (p->part == PART_TOKENS)
			identity_forget_token(p->en->identity, p->stale.ptr[i].id);
	}
	record_purge_next_page(p);
}

static void
record_purge_remove(struct record_purge *p)
{
	struct str kind = p->part == PART_TOKENS ? RECORD_TOKEN : RECORD_SPENT;
	struct commit *c;

	if (p->stale.len == 0) {
		record_purge_next_page(p);
		return;
	}
	c = commit_new(p->en, STR(""));
	for (size_t i = 0; i < p->stale.len; i++) {
		const struct stale *s = &p->stale.ptr[i];

		commit_put(c, &(struct store_put){ .record = { .kind = kind, .id = s->id },
						   .if_version = s->version,
						   .remove = true });
		if (s->digest.len > 0)
			commit_put(c, &(struct store_put){ .record = { .kind = RECORD_TOKEN_DIGEST,
								       .id = s->digest },
							   .if_version = STORE_VERSION_ANY,
							   .remove = true });
	}
	commit_submit(c, record_purge_on_removed, p);
}

/* ---- digests of tokens ---- */

static void record_purge_find_digest(struct record_purge *p);

static bool
record_purge_on_digest(void *ctx, const struct store_row *row)
{
	struct record_purge *p = ctx;
	struct stale *s = &p->stale.ptr[p->at];

	s->digest = arena_str(&p->arena, row->record->id);
	return false;
}

static void
record_purge_on_digests(void *ctx, int rc, bool more, const struct err *err)
{
	struct record_purge *p = ctx;

	(void)more;
	if (rc != 0) {
		record_purge_failed(p, err);
		return;
	}
	p->at++;
	record_purge_find_digest(p);
}

static void
record_purge_find_digest(struct record_purge *p)
{
	if (p->at == p->stale.len) {
		record_purge_remove(p);
		return;
	}
	store_read(p->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_TOKEN_DIGEST,
					  .record_owner = p->stale.ptr[p->at].id,
					  .limit = 1 },
		   record_purge_on_digest, record_purge_on_digests, p);
}

/* ---- looking ---- */

/* One that was in owner.token stays: forgotten, its text would count as a new token should it still be there,
 * or come back out of an old copy of the file. */
static bool
record_purge_token_ended(const struct record_purge *p, const struct store_record *r)
{
	struct token_def t;
	struct json_doc doc;
	struct arena scratch;
	bool ended = false;

	arena_init(&scratch);
	if (json_parse(&scratch, r->body, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
	    token_def_read(json_root(&doc), &scratch, &t, NULL) == 0)
		ended = !str_eq(t.name, TOKEN_DEF_FILE) &&
			((t.revoked_ms != 0 && t.revoked_ms <= p->until_ms) ||
			 (t.expires_ms != 0 && t.expires_ms <= p->until_ms));
	arena_release(&scratch);
	return ended;
}

static bool
record_purge_on_row(void *ctx, const struct store_row *row)
{
	const struct store_record *r = row->record;
	struct record_purge *p = ctx;
	struct str id = arena_str(&p->arena, r->id);

	buf_clear(&p->last);
	buf_put_str(&p->last, id);
	if (p->part == PART_DAYS && str_cmp(id, str_of(p->last_day)) > 0) {
		p->more = false; /* later days, then users */
		return false;
	}
	if (p->part == PART_DAYS || record_purge_token_ended(p, r))
		*vec_push(&p->stale) = (struct stale){ .id = id, .version = r->version };
	return true;
}

static void
record_purge_on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct record_purge *p = ctx;

	p->more = p->more && more;
	if (rc != 0)
		record_purge_failed(p, err);
	else if (p->part == PART_TOKENS)
		record_purge_find_digest(p);
	else
		record_purge_remove(p);
}

static void
record_purge_read(struct record_purge *p)
{
	struct str kind = p->part == PART_TOKENS ? RECORD_TOKEN : RECORD_SPENT;

	arena_reset(&p->arena);
	vec_clear(&p->stale);
	p->at = 0;
	p->more = true;
	store_read(p->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = kind,
					  .record_id = buf_str(&p->from),
					  .limit = PAGE_ROWS },
		   record_purge_on_row, record_purge_on_page, p);
}

/* ---- life ---- */

struct record_purge *
record_purge_new(struct engine *en)
{
	struct record_purge *p = xcalloc(1, sizeof *p);

	p->en = en;
	arena_init(&p->arena);
	buf_init(&p->from, STORE_RECORD_ID_MAX);
	buf_init(&p->last, STORE_RECORD_ID_MAX);
	return p;
}

void
record_purge_run(struct record_purge *p, void (*done)(void *ctx), void *ctx)
{
	int64_t now_ms = host_now_ms(p->en->host);
	struct civil day;

	p->done = done;
	p->ctx = ctx;
	if (p->en->draining || (p->ran_ms != 0 && now_ms - p->ran_ms < DAY_MS)) {
		done(ctx);
		return;
	}
	p->ran_ms = now_ms;
	p->until_ms = now_ms - KEEP_DAYS * DAY_MS;
	day = timestamp_to_civil(p->until_ms);
	snprintf(p->last_day, sizeof p->last_day, "day/%04d-%02d-%02d", (int)day.year, day.month,
		 day.day);
	p->part = PART_TOKENS;
	p->removed = 0;
	p->tries = 0;
	buf_clear(&p->from);
	buf_clear(&p->last);
	record_purge_read(p);
}

void
record_purge_free(struct record_purge **p)
{
	if (!*p)
		return;
	vec_release(&(*p)->stale);
	arena_release(&(*p)->arena);
	buf_release(&(*p)->from);
	buf_release(&(*p)->last);
	free(TAKE(*p));
}
