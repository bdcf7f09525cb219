/* config_read - walks the tree and the table of keys together: every value into its member, everything
 * unknown refused with the nearest known name. */
#include "app/config_folder.h"
#include "app/config_private.h"
#include "base/ignored.h"
#include "base/log.h"

struct reader {
	struct config *c;
	struct config_value_context values;
};

/* Where the walk stands: the table's path, the file's path, and the struct that values go to. */
struct place {
	struct str pattern, path;
	struct config_object *object;
};

static void read_map(struct reader *r, struct place at, const struct config_node *map);

static struct str
joined(struct reader *r, struct str path, const char *dot, struct str word)
{
	return arena_printf(r->values.a, STR_FMT "%s" STR_FMT, STR_ARG(path),
			    path.len > 0 ? dot : "", STR_ARG(word));
}

/* ---- objects ---- */

static void
fill_defaults(struct config *c, struct config_object *o)
{
	for (size_t i = 0; i < CONFIG_KEY_COUNT; i++)
		if (config_key_scope(&CONFIG_KEYS[i]) == o->scope)
			config_value_default(&c->origin->a, &CONFIG_KEYS[i], o->base);
}

static struct config_object *
object_new(struct config *c, const struct config_scope *scope, struct str path, void *base)
{
	struct arena *a = &c->origin->a;
	struct config_object *o = ARENA_NEW(a, struct config_object);

	*o = (struct config_object){ .scope = scope, .path = path, .base = base };
	o->spots = ARENA_ARRAY(a, CONFIG_KEY_COUNT, struct config_spot);
	*c->origin->last = o;
	c->origin->last = &o->next;
	fill_defaults(c, o);
	return o;
}

/* Every generated list of structs is a pointer and a count. */
struct items {
	void *ptr;
	size_t len;
};

static char *
items_new(struct reader *r, const struct config_scope *scope, struct config_object *parent,
	  size_t count)
{
	struct items list = { arena_array(r->values.a, count, scope->size), count };

	memcpy((char *)parent->base + scope->list, &list, sizeof list);
	return list.ptr;
}

/* ---- what may stand at a place ---- */

static bool
expect_container(struct reader *r, const struct place *at, const struct config_node *n,
		 enum config_node_type type)
{
	char shown[CONFIG_SHOWN_MAX];
	const char *wanted = type == CONFIG_NODE_MAP ? "a map" : "a list of maps";

	if (n->refused)
		return false;
	if (n->type == type)
		return true;
	if (config_node_is_null(n)) /* everything below it is commented out */
		return false;
	if (n->type == CONFIG_NODE_SCALAR)
		config_problem_add(r->values.p, n->at, STR_FMT ": must be %s, not '%s'",
				   STR_ARG(at->path), wanted, config_problem_quote(n->text, shown));
	else
		config_problem_add(r->values.p, n->at, STR_FMT ": must be %s, not %s",
				   STR_ARG(at->path), wanted,
				   n->type == CONFIG_NODE_MAP ? "a map" : "a list");
	return false;
}

static void
read_items(struct reader *r, struct place at, const struct config_node *list)
{
	struct place item = { .pattern = joined(r, at.pattern, "", STR("[]")) };
	const struct config_scope *scope = config_scope_find(item.pattern);
	const struct config_node *n = list->children;
	char *base;

	if (!expect_container(r, &at, list, CONFIG_NODE_LIST))
		return;
	base = items_new(r, scope, at.object, list->count);
	for (size_t i = 0; i < list->count; i++, n = n->next) {
		item.path = arena_printf(r->values.a, STR_FMT "[%zu]", STR_ARG(at.path), i);
		item.object = object_new(r->c, scope, item.path, base + i * scope->size);
		item.object->at = n->at;
		if (config_node_is_null(n))
			config_problem_add(r->values.p, n->at,
					   STR_FMT ": must be a map, not nothing",
					   STR_ARG(item.path));
		else if (expect_container(r, &item, n, CONFIG_NODE_MAP))
			read_map(r, item, n);
	}
}

static void
read_names(struct reader *r, struct place at, const struct config_node *map)
{
	const struct config_key *first = NULL;
	const struct config_scope *scope;
	const struct config_node *n = map->children;
	struct place item = { 0 };
	char shown[CONFIG_SHOWN_MAX], *base;

	if (!expect_container(r, &at, map, CONFIG_NODE_MAP))
		return;
	IGNORE(config_key_place(at.pattern, &first)); /* some key below this place */
	scope = config_key_scope(first);
	item.pattern = str_of(scope->pattern);
	base = items_new(r, scope, at.object, map->count);
	for (size_t i = 0; i < map->count; i++, n = n->next) {
		if (!scope->name_valid(n->key))
			config_problem_add(r->values.p, n->key_at,
					   STR_FMT ": a name here must be %s, not '%s'",
					   STR_ARG(at.path), scope->name_rule,
					   config_problem_quote(n->key, shown));
		item.path = joined(r, at.path, ".", str_of(config_problem_quote(n->key, shown)));
		item.object = object_new(r->c, scope, item.path, base + i * scope->size);
		item.object->at = n->key_at;
		*(struct str *)(base + i * scope->size + scope->name) = n->key;
		if (expect_container(r, &item, n, CONFIG_NODE_MAP))
			read_map(r, item, n);
	}
}

static void
refuse_secret(struct reader *r, struct str path, const struct config_node *n)
{
	config_problem_add(r->values.p, n->key_at,
			   "'" STR_FMT "' is refused: a key in this file ends up in backups and in "
			   "front of people; name the environment variable that holds it with "
			   "api_key_env, or a file with api_key_file",
			   STR_ARG(path));
}

/* The value itself is not shown: whatever it is, it may be a secret. */
static void
refuse_unknown(struct reader *r, const struct place *at, const struct config_node *n)
{
	char shown[CONFIG_SHOWN_MAX];
	bool provider = str_starts(at->pattern, STR("providers[]"));
	struct str path = joined(r, at->path, ".", str_of(config_problem_quote(n->key, shown)));
	struct buf meant;

	if (provider && (log_name_is_secret(n->key) || str_eq(n->key, STR("key")))) {
		refuse_secret(r, path, n);
		return;
	}
	buf_init(&meant, CONFIG_PATH_MAX);
	if (config_key_find(n->key))
		config_problem_add(r->values.p, n->key_at,
				   "'" STR_FMT "' must be written as maps inside one another, "
				   "each word on a line of its own",
				   STR_ARG(path));
	else if (config_key_nearest(at->pattern, at->path, n->key, &meant))
		config_problem_add(r->values.p, n->key_at,
				   "'" STR_FMT "' is not a key; did you mean '" STR_FMT "'?",
				   STR_ARG(path), STR_ARG(buf_str(&meant)));
	else
		config_problem_add(r->values.p, n->key_at,
				   "'" STR_FMT "' is not a key; 'perdure config keys' lists them",
				   STR_ARG(path));
	buf_release(&meant);
}

/* A word of the table: what marks a path's structure there must not come from the file. */
static bool
is_word(struct str key)
{
	for (size_t i = 0; i < key.len; i++) {
		char c = key.ptr[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'))
			return false;
	}
	return key.len > 0;
}

static void
read_value(struct reader *r, const struct place *at, const struct config_key *key,
	   const struct config_node *n)
{
	if (IGNORED("config", key->path, "", ""))
		return;
	at->object->spots[key - CONFIG_KEYS] = n->at;
	IGNORE(config_value_read(&r->values, key, at->path, n, at->object->base)); /* told */
}

static void
read_map(struct reader *r, struct place at, const struct config_node *map)
{
	for (const struct config_node *n = map->children; n; n = n->next) {
		const struct config_key *key;
		struct place below = {
			.pattern = joined(r, at.pattern, ".", n->key),
			.path = joined(r, at.path, ".", n->key),
			.object = at.object,
		};
		switch (is_word(n->key) ? config_key_place(below.pattern, &key)
					: CONFIG_PLACE_UNKNOWN) {
		case CONFIG_PLACE_VALUE: read_value(r, &below, key, n); break;
		case CONFIG_PLACE_MAP:
			if (expect_container(r, &below, n, CONFIG_NODE_MAP))
				read_map(r, below, n);
			break;
		case CONFIG_PLACE_NAMES: read_names(r, below, n); break;
		case CONFIG_PLACE_ITEMS: read_items(r, below, n); break;
		case CONFIG_PLACE_UNKNOWN: refuse_unknown(r, &at, n); break;
		}
	}
}

/* ---- the command line ---- */

/* All values given for one key, as the file would have them. */
static struct config_node *
override_node(const struct config_source *from, struct str key, struct arena *a)
{
	struct config_node *list = ARENA_NEW(a, struct config_node), **last = &list->children, *n;

	list->type = CONFIG_NODE_LIST;
	list->at.line = CONFIG_ON_COMMAND_LINE;
	for (size_t i = 0; i < from->override_count; i++) {
		if (!str_eq(str_of(from->overrides[i].key), key))
			continue;
		n = ARENA_NEW(a, struct config_node);
		n->plain = true;
		n->at = list->at;
		n->text = arena_str(a, str_of(from->overrides[i].value));
		*last = n;
		last = &n->next;
		list->count++;
	}
	return list;
}

static void
read_overrides(struct config *c, const struct config_source *from, struct config_problems *p)
{
	const struct config_value_context values = { .a = &c->origin->a, .p = p };
	struct place at = { .object = c->origin->objects };
	struct reader r = { .c = c, .values = values };

	for (size_t i = 0; i < from->override_count; i++) {
		const struct config_key *key = config_key_find(str_of(from->overrides[i].key));
		struct config_node *n = override_node(from, str_of(key->path), values.a);

		at.path = str_of(key->path);
		if (key->type != CONFIG_TEXTS) /* the last one counts */
			while (n->type == CONFIG_NODE_LIST || n->next)
				n = n->type == CONFIG_NODE_LIST ? n->children : n->next;
		read_value(&r, &at, key, n);
	}
}

/* ---- entries ---- */

/* What a value is inherited from may stand behind it in the file, so this comes last. */
static void
inherit(struct config *c)
{
	const struct config_object *file = c->origin->objects;

	for (struct config_object *o = file->next; o; o = o->next)
		for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
			const struct config_key *key = &CONFIG_KEYS[i], *from;
			if (!key->inherit || config_key_scope(key) != o->scope ||
			    o->spots[i].line != 0)
				continue;
			from = config_key_find(str_of(key->inherit));
			memcpy((char *)o->base + key->offset,
			       (const char *)file->base + from->offset, key->width);
		}
}

static void
require(struct config *c, struct config_problems *p)
{
	for (struct config_object *o = c->origin->objects; o; o = o->next)
		for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
			const struct config_key *key = &CONFIG_KEYS[i];
			if (!key->required || config_key_scope(key) != o->scope ||
			    o->spots[i].line != 0)
				continue;
			config_problem_add(p, o->at, STR_FMT "%s: is missing", STR_ARG(o->path),
					   key->path + strlen(o->scope->pattern));
		}
}

void
config_read(struct config *c, const struct config_node *root, const struct config_source *from,
	    struct config_problems *p)
{
	struct reader r = { .c = c, .values = { .a = &c->origin->a, .p = p } };
	struct place top = { .object = object_new(c, &CONFIG_SCOPES[0], STR(""), c) };

	r.values.folder = config_folder_of(str_of(from->file));
	if (root->type != CONFIG_NODE_MAP) {
		config_problem_add(p, root->at,
				   "the file must be a map of keys and values (listen: ...)");
		return;
	}
	read_map(&r, top, root);
	read_overrides(c, from, p);
	inherit(c);
	require(c, p);
}

struct config_spot
config_spot_of(const struct config_object *o, const char *pattern)
{
	return o->spots[config_key_find(str_of(pattern)) - CONFIG_KEYS];
}
