#include "app/config_yaml.h"

#include <stdlib.h>
#include <yaml.h>

struct loader {
	yaml_parser_t parser;
	struct arena *a;
	struct config_problems *p;
	struct str text;
	size_t nodes;
	unsigned depth;
};

static struct config_spot
spot_of(yaml_mark_t mark)
{
	return (struct config_spot){ (int)mark.line + 1, (int)mark.column + 1 };
}

/* For what the reader refuses before there are marks. */
static struct config_spot
spot_at(struct str text, size_t offset)
{
	struct config_spot at = { 1, 1 };

	for (size_t i = 0; i < offset && i < text.len; i++) {
		at.column++;
		if (text.ptr[i] == '\n')
			at = (struct config_spot){ at.line + 1, 1 };
	}
	return at;
}

static bool
is_tab(const struct loader *l, yaml_mark_t mark)
{
	struct str rest = l->text;

	for (size_t line = 0; line < mark.line; line++)
		str_cut(rest, '\n', &(struct str){ 0 }, &rest);
	return mark.column < rest.len && rest.ptr[mark.column] == '\t';
}

static void
add_syntax_problem(struct loader *l)
{
	const yaml_parser_t *y = &l->parser;
	const char *problem = y->problem ? y->problem : "it cannot be read";

	if (y->error == YAML_MEMORY_ERROR)
		abort();
	if (y->error == YAML_READER_ERROR)
		config_problem_add(l->p, spot_at(l->text, y->problem_offset),
				   "this is not YAML: %s", problem);
	else if (is_tab(l, y->problem_mark))
		config_problem_add(l->p, spot_of(y->problem_mark),
				   "this is not YAML: a tab; indent with blanks");
	else if (y->context)
		config_problem_add(l->p, spot_of(y->problem_mark),
				   "this is not YAML: %s, %s that begins in line %zu", problem,
				   y->context, y->context_mark.line + 1);
	else
		config_problem_add(l->p, spot_of(y->problem_mark), "this is not YAML: %s", problem);
}

static bool
next_event(struct loader *l, yaml_event_t *event)
{
	if (yaml_parser_parse(&l->parser, event))
		return true;
	add_syntax_problem(l);
	return false;
}

static struct config_node *
node_new(struct loader *l, enum config_node_type type, const yaml_event_t *event)
{
	struct config_node *n = ARENA_NEW(l->a, struct config_node);

	n->type = type;
	n->at = spot_of(event->start_mark);
	if (++l->nodes <= CONFIG_YAML_NODES_MAX)
		return n;
	config_problem_add(l->p, n->at, "too much: over %d values", CONFIG_YAML_NODES_MAX);
	return NULL;
}

/* What YAML can say about any node and a configuration has no use for. */
static void
refuse_extras(struct loader *l, struct config_node *n, const yaml_char_t *anchor,
	      const yaml_char_t *tag)
{
	if (anchor)
		config_problem_add(l->p, n->at,
				   "anchors (&name) are not allowed; write the value out");
	else if (tag)
		config_problem_add(l->p, n->at, "tags (!name) are not allowed");
	n->refused = anchor || tag;
}

static struct config_node *
read_scalar(struct loader *l, const yaml_event_t *event)
{
	struct config_node *n = node_new(l, CONFIG_NODE_SCALAR, event);

	if (!n)
		return NULL;
	n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	n->text = arena_str(l->a, (struct str){ (const char *)event->data.scalar.value,
						event->data.scalar.length });
	refuse_extras(l, n, event->data.scalar.anchor, event->data.scalar.tag);
	if (memchr(n->text.ptr, '\0', n->text.len)) {
		config_problem_add(l->p, n->at, "a text must not hold a NUL (\\0)");
		n->text = STR("");
		n->refused = true;
	}
	return n;
}

static struct config_node *
read_alias(struct loader *l, const yaml_event_t *event)
{
	struct config_node *n = node_new(l, CONFIG_NODE_SCALAR, event);

	if (!n)
		return NULL;
	n->refused = true;
	config_problem_add(l->p, n->at, "aliases (*name) are not allowed; write the value out");
	return n;
}

static struct config_node *read_node(struct loader *l, const yaml_event_t *event);

/* The node that starts with the next event; *end instead when that event ends the container. */
static struct config_node *
read_next(struct loader *l, yaml_event_type_t ends, bool *end)
{
	struct config_node *n = NULL;
	yaml_event_t event;

	if (!next_event(l, &event))
		return NULL;
	*end = event.type == ends;
	if (!*end)
		n = read_node(l, &event);
	yaml_event_delete(&event);
	return n;
}

static struct config_node *
read_list(struct loader *l, const yaml_event_t *event)
{
	struct config_node *list = node_new(l, CONFIG_NODE_LIST, event), **last, *n;
	bool end = false;

	if (!list)
		return NULL;
	refuse_extras(l, list, event->data.sequence_start.anchor, event->data.sequence_start.tag);
	for (last = &list->children; (n = read_next(l, YAML_SEQUENCE_END_EVENT, &end));
	     last = &n->next, list->count++)
		*last = n;
	return end ? list : NULL;
}

/* True when the member is a new one with a usable key. */
static bool
accept_key(struct loader *l, const struct config_node *map, const struct config_node *key)
{
	char shown[CONFIG_SHOWN_MAX];

	if (key->type != CONFIG_NODE_SCALAR) {
		config_problem_add(l->p, key->at, "a key must be text, not a %s",
				   key->type == CONFIG_NODE_LIST ? "list" : "map");
		return false;
	}
	for (const struct config_node *n = map->children; n; n = n->next) {
		if (!str_eq(n->key, key->text))
			continue;
		config_problem_add(l->p, key->at, "'%s' stands twice, first in line %d",
				   config_problem_quote(key->text, shown), n->key_at.line);
		return false;
	}
	return !key->refused;
}

static struct config_node *
read_map(struct loader *l, const yaml_event_t *event)
{
	struct config_node *map = node_new(l, CONFIG_NODE_MAP, event), **last, *key, *n;
	bool end = false, no_end = false;

	if (!map)
		return NULL;
	refuse_extras(l, map, event->data.mapping_start.anchor, event->data.mapping_start.tag);
	last = &map->children;
	while ((key = read_next(l, YAML_MAPPING_END_EVENT, &end))) {
		n = read_next(l, YAML_NO_EVENT, &no_end);
		if (!n)
			return NULL;
		if (!accept_key(l, map, key))
			continue;
		n->key = key->text;
		n->key_at = key->at;
		*last = n;
		last = &n->next;
		map->count++;
	}
	return end ? map : NULL;
}

static struct config_node *
read_node(struct loader *l, const yaml_event_t *event)
{
	struct config_node *n = NULL;

	if (event->type == YAML_SCALAR_EVENT)
		return read_scalar(l, event);
	if (event->type == YAML_ALIAS_EVENT)
		return read_alias(l, event);
	if (l->depth == CONFIG_YAML_DEPTH_MAX) {
		config_problem_add(l->p, spot_of(event->start_mark),
				   "too deep: over %d levels inside one another",
				   CONFIG_YAML_DEPTH_MAX);
		return NULL;
	}
	l->depth++;
	if (event->type == YAML_SEQUENCE_START_EVENT)
		n = read_list(l, event);
	else if (event->type == YAML_MAPPING_START_EVENT)
		n = read_map(l, event);
	l->depth--;
	return n;
}

/* The root, behind the events that open the stream and the document. */
static struct config_node *
read_root(struct loader *l)
{
	struct config_node *root = NULL;
	yaml_event_t event;

	while (next_event(l, &event)) {
		bool opens = event.type == YAML_STREAM_START_EVENT ||
			     event.type == YAML_DOCUMENT_START_EVENT;
		if (event.type == YAML_STREAM_END_EVENT) {
			root = ARENA_NEW(l->a, struct config_node);
			root->type = CONFIG_NODE_MAP;
			root->at = (struct config_spot){ 1, 1 };
		} else if (!opens) {
			root = read_node(l, &event);
		}
		yaml_event_delete(&event);
		if (!opens)
			break;
	}
	return root;
}

/* Behind the root nothing may follow: a second document would be ignored silently. */
static bool
read_end(struct loader *l)
{
	yaml_event_t event;
	yaml_event_type_t type;

	do {
		if (!next_event(l, &event))
			return false;
		type = event.type;
		if (type == YAML_DOCUMENT_START_EVENT)
			config_problem_add(l->p, spot_of(event.start_mark),
					   "a second document begins here; only one is allowed");
		yaml_event_delete(&event);
	} while (type == YAML_DOCUMENT_END_EVENT);
	return true;
}

bool
config_node_is_null(const struct config_node *n)
{
	return n->type == CONFIG_NODE_SCALAR && n->plain &&
	       (n->text.len == 0 || str_eq(n->text, STR("~")) || str_eq(n->text, STR("null")));
}

struct config_node *
config_yaml_parse(struct arena *a, struct str text, struct config_problems *p)
{
	struct loader l = { .a = a, .p = p };
	struct config_node *root;

	if (str_starts(text, STR("\xef\xbb\xbf"))) /* libyaml would take it for a column */
		text = str_slice(text, 3, text.len);
	l.text = text;
	if (text.len > CONFIG_YAML_BYTES_MAX) {
		config_problem_add(p, (struct config_spot){ 0 }, "too large: over %d bytes",
				   CONFIG_YAML_BYTES_MAX);
		return NULL;
	}
	if (!yaml_parser_initialize(&l.parser))
		abort(); /* out of memory */
	yaml_parser_set_encoding(&l.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&l.parser, (const unsigned char *)(text.ptr ? text.ptr : ""),
				     text.len);
	root = read_root(&l);
	if (root && !read_end(&l))
		root = NULL;
	yaml_parser_delete(&l.parser);
	if (root && config_node_is_null(root))
		root->type = CONFIG_NODE_MAP;
	return root;
}
