/* catalog_load - what every data directory holds, made where it is missing: agent main, environment
 * local-default, workspace main. Earlier releases made a main that names the demo model: where nobody has
 * changed it since, it names none any more, so that the server's default counts for it (decision 0032). */
#include <stdlib.h>

#include "base/xalloc.h"
#include "core/agent_def.h"
#include "core/environment_def.h"
#include "engine/catalog.h"
#include "engine/commit.h"

struct loading {
	struct engine *en;
	size_t at;
	struct arena arena; /* of the seed at hand */
	bool found;
	struct str body; /* then: of the record */
	int64_t version;
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

static int
make_agent(const struct definition_facts *f, struct json body, struct arena *a,
	   struct definition_text *out, struct err *e)
{
	struct agent_facts facts = { .id = f->id, .now_ms = f->now_ms };

	return agent_def_make(&facts, body, a, out, e);
}

static int
make_workspace(const struct definition_facts *f, struct json body, struct arena *a,
	       struct definition_text *out, struct err *e)
{
	static const struct definition_member MEMBERS[] = {
		{ "name", JSON_WANT_STRING, true, definition_write_name, NULL },
	};
	static const struct definition_kind WORKSPACE = {
		.type = "workspace",
		.members = MEMBERS,
		.count = ARRAY_LEN(MEMBERS),
	};

	return definition_make(&WORKSPACE, f, body, a, out, e);
}

static const struct seed {
	struct str kind, id;
	int (*make)(const struct definition_facts *f, struct json body, struct arena *a,
		    struct definition_text *out, struct err *e);
	const char *body;
} SEEDS[] = {
	{ RECORD_AGENT, CATALOG_AGENT, make_agent,
	  "{\"name\":\"main\",\"tools\":[{\"type\":"
	  "\"agent_toolset_20260401\",\"default_config\":{\"permission_policy\":{\"type\":"
	  "\"always_ask\"}}}]}" },
	{ RECORD_ENVIRONMENT, CATALOG_ENVIRONMENT, environment_def_make,
	  "{\"name\":\"local-default\",\"config\":{\"type\":\"local\",\"working_directory\":null}"
	  "}" },
	{ RECORD_WORKSPACE, CATALOG_WORKSPACE, make_workspace, "{\"name\":\"main\"}" },
};

static void load_next(struct loading *l);

static void
load_end(struct loading *l, int rc, const struct err *err)
{
	l->done(l->ctx, rc, err);
	arena_release(&l->arena);
	free(l);
}

static void
on_seeded(void *ctx, const struct commit_result *result)
{
	struct loading *l = ctx;

	if (result->store->rc != 0) {
		load_end(l, result->store->rc, &result->store->err);
		return;
	}
	l->at++;
	load_next(l);
}

static int
fill_seed(struct commit *c, const struct seed *seed, int64_t now_ms, struct err *e)
{
	struct definition_facts facts = { .id = seed->id, .now_ms = now_ms };
	struct arena *a = commit_arena(c);
	struct definition_text made;
	struct json_doc doc;
	int rc = json_parse(a, str_of(seed->body), &JSON_LIMITS_DEFAULT, &doc, e);

	if (rc == 0)
		rc = seed->make(&facts, json_root(&doc), a, &made, e);
	if (rc != 0)
		return rc;
	commit_put(c, &(struct store_put){
			      .record = { .kind = seed->kind, .id = seed->id, .body = made.text },
			      .if_version = STORE_VERSION_ABSENT });
	if (str_eq(seed->kind, RECORD_AGENT))
		commit_put(c, &(struct store_put){
				      .record = { .kind = RECORD_AGENT_VERSION,
						  .id = catalog_version_id(a, seed->id, 1),
						  .owner = seed->id,
						  .body = made.text },
				      .if_version = STORE_VERSION_ABSENT });
	return 0;
}

/* ---- main of an earlier release ---- */

/* Every change makes a version, but for the archive. */
static bool
is_unedited(struct json agent)
{
	struct json model = definition_find(agent, "model");

	return definition_version(agent) == 1 && !definition_is_archived(agent) &&
	       json_type(model) == JSON_OBJECT &&
	       json_str_eq(definition_find(model, "id"), MODEL_BUILT_IN);
}

static void
put_without_model(struct loading *l, struct json agent, struct commit *c)
{
	struct str id = SEEDS[l->at].id;
	struct buf text;
	struct jw w;

	buf_init(&text, DEFINITION_BYTES_MAX);
	jw_init(&w, &text);
	jw_object(&w);
	for (struct json_iter it = json_iter(agent); json_next(&it);) {
		jw_key(&w, json_str(it.key, &l->arena));
		jw_raw(&w, json_str_eq(it.key, STR("model")) ? STR("null") : json_raw(it.value));
	}
	jw_end_object(&w);
	commit_put(c, &(struct store_put){
			      .record = { .kind = RECORD_AGENT, .id = id, .body = buf_str(&text) },
			      .if_version = l->version });
	commit_put(c, &(struct store_put){
			      .record = { .kind = RECORD_AGENT_VERSION,
					  .id = catalog_version_id(commit_arena(c), id, 1),
					  .owner = id,
					  .body = buf_str(&text) },
			      .if_version = STORE_VERSION_ANY });
	buf_release(&text);
}

/* Is there something to bring up to date? Then it is under way. */
static bool
update_seed(struct loading *l)
{
	struct json_doc doc;
	struct commit *c;

	if (!str_eq(SEEDS[l->at].kind, RECORD_AGENT) ||
	    json_parse(&l->arena, l->body, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0 ||
	    !is_unedited(json_root(&doc)))
		return false;
	c = commit_new(l->en, STR(""));
	put_without_model(l, json_root(&doc), c);
	commit_submit(c, on_seeded, l);
	return true;
}

/* ---- one after the other ---- */

static bool
on_seed_row(void *ctx, const struct store_row *row)
{
	struct loading *l = ctx;

	l->found = true;
	l->body = arena_str(&l->arena, row->record->body);
	l->version = row->record->version;
	return false;
}

static void
on_seed(void *ctx, int rc, bool more, const struct err *err)
{
	struct loading *l = ctx;
	struct commit *c;
	struct err e;

	(void)more;
	if (rc != 0) {
		load_end(l, rc, err);
		return;
	}
	if (l->found) {
		if (update_seed(l))
			return;
		l->at++;
		load_next(l);
		return;
	}
	c = commit_new(l->en, STR(""));
	rc = fill_seed(c, &SEEDS[l->at], host_now_ms(l->en->host), &e);
	if (rc != 0) {
		commit_abandon(&c);
		load_end(l, rc, &e);
		return;
	}
	commit_submit(c, on_seeded, l);
}

static void
load_next(struct loading *l)
{
	if (l->at == ARRAY_LEN(SEEDS)) {
		load_end(l, 0, NULL);
		return;
	}
	l->found = false;
	arena_reset(&l->arena);
	store_read(l->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = SEEDS[l->at].kind,
					  .record_id = SEEDS[l->at].id,
					  .limit = 1 },
		   on_seed_row, on_seed, l);
}

void
catalog_load(struct catalog *c, void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	struct loading *l = xcalloc(1, sizeof *l);

	*l = (struct loading){ .en = catalog_engine(c), .done = done, .ctx = ctx };
	arena_init(&l->arena);
	load_next(l);
}
