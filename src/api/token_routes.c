/* token_routes - /v1/tokens: who may come in. The secret is in the answer that made it, and never
 * anywhere again; of what is stored only what people need is shown. */
#include "api/handlers.h"
#include "api/record_page.h"

/* In the order of the answer. The digest is not among them. */
static const char *const SHOWN[] = {
	"id",        "type",           "kind",       "name",       "prefix",       "user_id",
	"namespace", "environment_id", "created_at", "expires_at", "last_used_at", "revoked_at",
};

static void
write_token(struct jw *w, const struct record_row *row)
{
	struct json field;

	jw_object(w);
	for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++)
		if (json_find(row->body, str_of(SHOWN[i]), &field))
			jw_field_raw(w, SHOWN[i], json_raw(field));
	jw_end_object(w);
}

static const struct record_view TOKEN = {
	.kind = RECORD_TOKEN, .list = 't', .noun = "token", .write = write_token
};

static void
on_created(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;
	struct buf *out = exchange_buf(x);
	struct json kind = { 0 };
	struct jw w;

	if (answer->rc != 0) {
		exchange_fail(x, answer->rc, answer->err);
		return;
	}
	if (answer->replayed) { /* the secret was shown, and is not known any more */
		record_page_get(x, &TOKEN, arena_str(x->arena, answer->id), true);
		return;
	}
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "id", answer->id);
	jw_field_str(&w, "type", STR("token"));
	if (json_find(x->body, STR("kind"), &kind))
		jw_field_raw(&w, "kind", json_raw(kind));
	jw_field_str(&w, "token", answer->secret);
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), false);
	explicit_bzero(out->ptr, out->cap);
}

void
token_create_route(struct exchange *x)
{
	x->call.done = on_created;
	engine_token_create(x->engine, &x->call, x->body);
}

void
token_list_route(struct exchange *x)
{
	record_page_list(x, &TOKEN, (struct str){ 0 }, (struct str){ 0 });
}

void
token_revoke_route(struct exchange *x)
{
	engine_token_revoke(x->engine, record_page_gone(x, "token_deleted"), x->captures[0]);
}
