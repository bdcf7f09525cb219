#include "engine/workspace.h"

#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/record_change.h"

struct kept {
	struct str id; /* its own copy, and the key */
	struct arena arena;
	struct workspace_settings settings;
	bool settles; /* … something */
};

struct workspaces {
	struct engine *en;
	struct map by_id;
};

struct workspaces *
workspaces_new(struct engine *en)
{
	struct workspaces *w = xcalloc(1, sizeof *w);

	w->en = en;
	map_init(&w->by_id, rand_u64(&en->rand));
	return w;
}

static void
kept_free(struct kept *k)
{
	if (!k)
		return;
	arena_release(&k->arena);
	free(k);
}

void
workspaces_free(struct workspaces **p)
{
	struct workspaces *w = *p;
	struct str id;
	void *kept;

	if (!w)
		return;
	for (size_t at = 0; map_next(&w->by_id, &at, &id, &kept);)
		kept_free(kept);
	map_release(&w->by_id);
	free(w);
	*p = NULL;
}

const struct workspace_settings *
workspaces_find(const struct workspaces *w, struct str id)
{
	const struct kept *k = map_find(&w->by_id, id);

	return k && k->settles ? &k->settings : NULL;
}

int
workspaces_check(const struct workspaces *w, struct str id, struct err *e)
{
	if (map_find(&w->by_id, id))
		return 0;
	return err_set(e, ERR_NOT_FOUND, "workspace_id: there is no workspace " STR_FMT,
		       STR_ARG(id));
}

static void
keep(struct workspaces *w, struct str id, struct json current)
{
	struct kept *k = xcalloc(1, sizeof *k);

	kept_free(map_remove(&w->by_id, id));
	arena_init(&k->arena);
	k->id = arena_str(&k->arena, id);
	workspace_def_read(current, &k->arena, &k->settings);
	k->settles = k->settings.model.len > 0 || k->settings.resets;
	map_put(&w->by_id, k->id, k);
}

/* ---- the start ---- */

/* Rows arrive on a thread of the store's: they are gathered, and kept afterwards. */
struct found {
	struct str id, body;
};
struct loading {
	struct workspaces *w;
	struct arena arena;
	VEC(struct found) found;
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

static void load_page(struct loading *l);

static void
load_end(struct loading *l, int rc, const struct err *err)
{
	for (size_t i = 0; rc == 0 && i < l->found.len; i++) {
		struct json_doc doc;

		if (json_parse(&l->arena, l->found.ptr[i].body, &JSON_LIMITS_DEFAULT, &doc, NULL) ==
		    0)
			keep(l->w, l->found.ptr[i].id, json_root(&doc));
	}
	l->done(l->ctx, rc, err);
	vec_release(&l->found);
	arena_release(&l->arena);
	free(l);
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct loading *l = ctx;

	*vec_push(&l->found) = (struct found){ arena_str(&l->arena, row->record->id),
					       arena_str(&l->arena, row->record->body) };
	return true;
}

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct loading *l = ctx;

	if (rc == 0 && more)
		load_page(l);
	else
		load_end(l, rc, err);
}

static void
load_page(struct loading *l)
{
	struct str last = { 0 };

	if (l->found.len > 0)
		last = l->found.ptr[l->found.len - 1].id;
	store_read(l->w->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_WORKSPACE,
					  .record_id = last,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_row, on_page, l);
}

void
workspaces_load(struct workspaces *w, void (*done)(void *ctx, int rc, const struct err *err),
		void *ctx)
{
	struct loading *l = xcalloc(1, sizeof *l);

	*l = (struct loading){ .w = w, .done = done, .ctx = ctx };
	arena_init(&l->arena);
	load_page(l);
}

/* ---- the command ---- */

static int
prepare_create(struct record_change *ch, struct err *e)
{
	int rc = workspace_def_id(ch->body, &ch->arena, &ch->id, e);

	if (rc == 0 && ch->id.len == 0)
		ch->id = engine_make_id(ch->en, &ch->arena, "wksp");
	if (rc == 0)
		record_change_read(ch, RECORD_WORKSPACE, ch->id);
	return rc;
}

static int
prepare_update(struct record_change *ch, struct err *e)
{
	(void)e;
	record_change_read(ch, RECORD_WORKSPACE, ch->id);
	return 0;
}

static int
put(struct record_change *ch, struct commit *c, struct err *e)
{
	int64_t now = ch->reads[0].version; /* 0: there is none yet */
	struct definition_facts f = { .id = ch->id,
				      .now_ms = host_now_ms(ch->en->host),
				      .current = ch->reads[0].body };
	struct definition_text *made = ARENA_NEW(&ch->arena, struct definition_text);
	int rc = workspace_def_make(&f, ch->body, &ch->arena, made, e);

	if (rc != 0)
		return rc;
	ch->own = made;
	ch->version = made->changed ? now + 1 : now;
	if (made->changed)
		record_change_put(ch, c,
				  &(struct store_record){ .kind = RECORD_WORKSPACE,
							  .id = ch->id,
							  .body = made->text },
				  now);
	return 0;
}

static int
decide_create(struct record_change *ch, struct commit *c, struct err *e)
{
	if (ch->reads[0].found)
		return err_set(e, ERR_CONFLICT, "id: there is a workspace " STR_FMT " already",
			       STR_ARG(ch->id));
	return put(ch, c, e);
}

static int
decide_update(struct record_change *ch, struct commit *c, struct err *e)
{
	if (!ch->reads[0].found)
		return err_set(e, ERR_NOT_FOUND, "there is no workspace " STR_FMT, STR_ARG(ch->id));
	return put(ch, c, e);
}

static void
written(struct record_change *ch)
{
	const struct definition_text *made = ch->own;
	struct json_doc doc;

	if (json_parse(&ch->arena, made->text, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0)
		keep(ch->en->workspaces, ch->id, json_root(&doc));
}

void
engine_workspace_create(struct engine *en, const struct engine_call *call, struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_SERVER,
						 .prepare = prepare_create,
						 .decide = decide_create,
						 .written = written };

	record_change_start(en, &PLAN, call, STR(""), body);
}

void
engine_workspace_update(struct engine *en, const struct engine_call *call, struct str id,
			struct json body)
{
	static const struct record_plan PLAN = { .verb = ACCESS_SERVER,
						 .prepare = prepare_update,
						 .decide = decide_update,
						 .written = written };

	record_change_start(en, &PLAN, call, id, body);
}
