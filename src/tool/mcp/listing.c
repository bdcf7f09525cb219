#include "tool/mcp/listing.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "base/xalloc.h"

enum {
	PARAMS_MAX = 64 << 10,
	WORDS_MAX = 200,
	METHOD_NOT_FOUND = -32601,
};

struct listing {
	struct listing_terms terms;
	listing_fn *fn;
	void *ctx;
	struct rpc_request *page; /* that was asked for */
	struct catalog catalog;
};

void
listing_free(struct listing **listing)
{
	struct listing *l = TAKE(*listing);

	if (!l)
		return;
	rpc_cancel(&l->page, "given up");
	catalog_release(&l->catalog);
	free(l);
}

static void
finish(struct listing *l, int64_t ttl_ms)
{
	struct listing_result result = { l->catalog, ttl_ms };
	listing_fn *fn = l->fn;
	void *ctx = l->ctx;

	free(l); /* the catalog has gone */
	fn(ctx, &result, NULL);
}

static void
fail(struct listing *l, const struct mcp_failure *failure)
{
	listing_fn *fn = l->fn;
	void *ctx = l->ctx;

	listing_free(&l);
	fn(ctx, NULL, failure);
}

static void
fail_saying(struct listing *l, enum mcp_fail kind, const struct err *why)
{
	fail(l, &(struct mcp_failure){ kind, *why });
}

static int64_t
ttl_of(struct json result)
{
	struct json ttl;
	int64_t ms;

	if (!json_find(result, STR("ttlMs"), &ttl) || !json_int(ttl, &ms) || ms < 0)
		return -1;
	return ms < INT32_MAX ? ms : INT32_MAX;
}

static void ask_page(struct listing *l, struct str cursor);

static void
on_page(void *ctx, const struct rpc_answer *answer)
{
	struct listing *l = ctx;
	struct str cursor;
	struct err e;

	l->page = NULL;
	if (answer->failure) {
		fail(l, answer->failure);
	} else if (answer->code == METHOD_NOT_FOUND && l->catalog.pages == 0) {
		finish(l, -1); /* it has none */
	} else if (answer->code != 0) {
		err_set(&e, ERR_INVALID, "it refused tools/list: " STR_FMT,
			STR_ARG(str_slice(answer->text, 0, utf8_floor(answer->text, WORDS_MAX))));
		fail_saying(l, MCP_FAIL_REFUSED, &e);
	} else if (catalog_add(&l->catalog, l->terms.server, answer->result, l->terms.over_http,
			       &cursor, &e) != 0) {
		fail_saying(l, MCP_FAIL_MALFORMED, &e);
	} else if (cursor.len > 0) {
		ask_page(l, cursor);
	} else {
		finish(l, ttl_of(answer->result));
	}
}

static void
ask_page(struct listing *l, struct str cursor)
{
	struct rpc_ask ask = { .method = STR("tools/list") };
	struct buf params;
	struct err e;
	struct jw w;

	buf_init(&params, PARAMS_MAX);
	jw_init(&w, &params);
	jw_object(&w);
	if (cursor.len > 0)
		jw_field_str(&w, "cursor", cursor);
	jw_end_object(&w);
	if (params.overflow) {
		err_set(&e, ERR_TOO_LARGE, "a cursor is too long");
		fail_saying(l, MCP_FAIL_MALFORMED, &e);
	} else {
		ask.params = buf_str(&params);
		l->page = rpc_ask(l->terms.rpc, &ask, on_page, l);
	}
	buf_release(&params);
}

struct listing *
listing_new(const struct listing_terms *terms, listing_fn *fn, void *ctx)
{
	struct listing *l = xcalloc(1, sizeof *l);

	l->terms = *terms;
	l->fn = fn;
	l->ctx = ctx;
	catalog_init(&l->catalog);
	ask_page(l, STR(""));
	return l;
}
