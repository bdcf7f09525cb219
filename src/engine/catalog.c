#include "engine/catalog.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/agent_def.h"
#include "core/environment_run.h"

enum { KEPT_MAX = 64, KEPT_BYTES_MAX = 4 * 1024 * 1024 };

/* One version that was asked for lately. */
struct kept {
	struct list node; /* in catalog.kept, the latest at the end */
	struct str key;   /* its record's id */
	struct catalog_agent agent;
	char bytes[];
};

struct catalog {
	struct engine *en;
	struct map by_key;
	struct list kept;
	size_t count, bytes;
};

struct catalog *
catalog_new(struct engine *en)
{
	struct catalog *c = xcalloc(1, sizeof *c);

	c->en = en;
	map_init(&c->by_key, rand_u64(&en->rand));
	list_init(&c->kept);
	return c;
}

static void
forget(struct catalog *c, struct kept *k)
{
	map_remove(&c->by_key, k->key);
	list_remove(&k->node);
	c->count--;
	c->bytes -= k->agent.body.len;
	free(k);
}

void
catalog_free(struct catalog **c)
{
	if (!*c)
		return;
	while (!list_is_empty(&(*c)->kept))
		forget(*c, LIST_OWNER((*c)->kept.next, struct kept, node));
	map_release(&(*c)->by_key);
	free(TAKE(*c));
}

struct engine *
catalog_engine(struct catalog *c)
{
	return c->en;
}

struct str
catalog_version_id(struct arena *a, struct str agent, int64_t version)
{
	return arena_printf(a, STR_FMT "/%010lld", STR_ARG(agent), (long long)version);
}

static struct str
copy_to(char **at, struct str text)
{
	struct str copy = { *at, text.len };

	memcpy(*at, text.ptr, text.len);
	*at += text.len;
	return copy;
}

/* Keeps a version, and lets go of those that nobody asked for the longest time. */
static void
keep(struct catalog *c, struct str key, const struct catalog_agent *agent)
{
	struct kept *k = map_find(&c->by_key, key);
	char *at;

	if (k)
		forget(c, k);
	k = xmalloc(sizeof *k + key.len + agent->id.len + agent->body.len);
	at = k->bytes;
	k->agent = *agent;
	k->key = copy_to(&at, key);
	k->agent.id = copy_to(&at, agent->id);
	k->agent.body = copy_to(&at, agent->body);
	list_init(&k->node);
	list_append(&c->kept, &k->node);
	map_put(&c->by_key, k->key, k);
	c->count++;
	c->bytes += agent->body.len;
	while (c->count > KEPT_MAX || (c->bytes > KEPT_BYTES_MAX && c->count > 1))
		forget(c, LIST_OWNER(c->kept.next, struct kept, node));
}

void
catalog_agent_changed(struct catalog *c, struct str id, struct json current)
{
	list_for_each (at, &c->kept) {
		struct kept *k = LIST_OWNER(at, struct kept, node);

		if (str_eq(k->agent.id, id))
			k->agent.archived = definition_is_archived(current);
	}
}

/* ---- looking an agent up ---- */

struct lookup {
	struct catalog *c;
	struct host_task task;
	struct arena arena;
	struct str key; /* of the version that is wanted; empty: the current one */
	struct catalog_agent want;
	struct str head; /* the current body; empty: there is none */
	catalog_agent_fn *done;
	void *ctx;
};

static void
lookup_end(struct lookup *l, int rc, const struct err *err)
{
	l->done(l->ctx, rc, err, rc == 0 ? &l->want : NULL);
	arena_release(&l->arena);
	free(l);
}

static void
lookup_found(struct lookup *l, struct str body)
{
	l->want.body = body;
	keep(l->c, catalog_version_id(&l->arena, l->want.id, l->want.version), &l->want);
	lookup_end(l, 0, NULL);
}

static bool
on_lookup_row(void *ctx, const struct store_row *row)
{
	struct lookup *l = ctx;

	l->head = arena_str(&l->arena, row->record->body);
	return false;
}

static void
on_version(void *ctx, int rc, bool more, const struct err *err)
{
	struct lookup *l = ctx;
	struct err e;

	(void)more;
	if (rc != 0)
		lookup_end(l, rc, err);
	else if (l->head.len == 0)
		lookup_end(l,
			   err_set(&e, ERR_NOT_FOUND, "the agent " STR_FMT " has no version %lld",
				   STR_ARG(l->want.id), (long long)l->want.version),
			   &e);
	else
		lookup_found(l, l->head);
}

static void
on_head(void *ctx, int rc, bool more, const struct err *err)
{
	struct lookup *l = ctx;
	struct json_doc doc;
	struct json head;
	struct err e;

	(void)more;
	if (rc == 0 && l->head.len == 0) {
		rc = err_set(&e, ERR_NOT_FOUND, "there is no agent " STR_FMT, STR_ARG(l->want.id));
		err = &e;
	} else if (rc == 0) {
		rc = json_parse(&l->arena, l->head, &JSON_LIMITS_DEFAULT, &doc, &e);
		err = &e;
	}
	if (rc != 0) {
		lookup_end(l, rc, err);
		return;
	}
	head = json_root(&doc);
	l->want.archived = definition_is_archived(head);
	if (l->want.version == 0)
		l->want.version = definition_version(head);
	if (l->want.version == definition_version(head)) {
		lookup_found(l, l->head);
		return;
	}
	l->head = (struct str){ 0 };
	store_read(l->c->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_AGENT_VERSION,
					  .record_id = l->key,
					  .limit = 1 },
		   on_lookup_row, on_version, l);
}

static void
read_head(struct lookup *l)
{
	store_read(l->c->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_AGENT,
					  .record_id = l->want.id,
					  .limit = 1 },
		   on_lookup_row, on_head, l);
}

/* It was kept when it was asked for; if it still is, nothing has to be read. */
static void
answer_kept(struct host_task *task)
{
	struct lookup *l = LIST_OWNER(task, struct lookup, task);
	struct kept *k = map_find(&l->c->by_key, l->key);

	if (!k) {
		read_head(l);
		return;
	}
	list_remove(&k->node);
	list_append(&l->c->kept, &k->node);
	l->want = k->agent;
	lookup_end(l, 0, NULL);
}

void
catalog_agent(struct catalog *c, struct str id, int64_t version, catalog_agent_fn *done, void *ctx)
{
	struct lookup *l = xcalloc(1, sizeof *l);

	*l = (struct lookup){ .c = c, .done = done, .ctx = ctx };
	arena_init(&l->arena);
	list_init(&l->task.node);
	l->task.fn = answer_kept;
	l->want = (struct catalog_agent){ .id = arena_str(&l->arena, id), .version = version };
	if (version != 0)
		l->key = catalog_version_id(&l->arena, id, version);
	if (version != 0 && map_find(&c->by_key, l->key))
		host_defer(c->en->host, &l->task);
	else
		read_head(l);
}

int
catalog_override(struct arena *a, struct str body, struct json overrides, struct str *out,
		 struct err *e)
{
	static const char *const MEMBERS[] = { "model", "system", "tools", "mcp_servers",
					       "skills" };
	bool any = false;
	struct json_doc doc;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++)
		any = any || json_is_set(definition_find(overrides, MEMBERS[i]));
	if (!any) {
		*out = (struct str){ 0 };
		return 0;
	}
	rc = json_parse(a, body, &JSON_LIMITS_DEFAULT, &doc, e);
	return rc == 0 ? agent_def_override(json_root(&doc), overrides, a, out, e) : rc;
}

void
catalog_show(const struct catalog *c, const struct catalog_own_agent *own, struct arena *a,
	     struct jw *w)
{
	struct model_facts f = engine_model_facts(c->en, own->workspace);
	struct json_doc doc;

	f.chosen = own->chosen;
	if (json_parse(a, own->text, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0)
		model_choice_write(w, json_root(&doc), &f, a);
	else
		jw_raw(w, own->text);
}

/* ---- environments ---- */

struct environment_check {
	struct str id;
	struct arena arena;
	struct str body;
	catalog_check_fn *done;
	void *ctx;
};

static bool
on_environment_row(void *ctx, const struct store_row *row)
{
	struct environment_check *ch = ctx;

	ch->body = arena_str(&ch->arena, row->record->body);
	return false;
}

static void
on_environment(void *ctx, int rc, bool more, const struct err *err)
{
	struct environment_check *ch = ctx;
	struct environment_run run = { .by_worker = true };
	struct json_doc doc;
	struct err e;

	(void)more;
	if (rc == 0) {
		if (ch->body.len == 0)
			rc = err_set(&e, ERR_NOT_FOUND, "there is no environment " STR_FMT,
				     STR_ARG(ch->id));
		else
			rc = json_parse(&ch->arena, ch->body, &JSON_LIMITS_DEFAULT, &doc, &e);
		if (rc == 0 && definition_is_archived(json_root(&doc)))
			rc = err_set(&e, ERR_CONFLICT, "the environment " STR_FMT " is archived",
				     STR_ARG(ch->id));
		if (rc == 0)
			environment_run_read(json_root(&doc), &ch->arena, &run);
		err = &e;
	}
	ch->done(ch->ctx, rc, err, !run.by_worker && !run.place.sandboxed);
	arena_release(&ch->arena);
	free(ch);
}

void
catalog_environment_check(struct catalog *c, struct str id, catalog_check_fn *done, void *ctx)
{
	struct environment_check *ch = xcalloc(1, sizeof *ch);

	*ch = (struct environment_check){ .done = done, .ctx = ctx };
	arena_init(&ch->arena);
	ch->id = arena_str(&ch->arena, id);
	store_read(c->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_ENVIRONMENT,
					  .record_id = ch->id,
					  .limit = 1 },
		   on_environment_row, on_environment, ch);
}
