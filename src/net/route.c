#include "net/route.h"

#include <stdlib.h>

#include "base/buf.h"
#include "net/query.h"

enum { ALLOW_MAX = 256 };

struct row {
	struct row *next;
	const struct route *route;
	struct str method;
};

struct route_tree { /* one segment of a path; the root stands for none */
	struct str word;
	struct route_tree *words, *next; /* children that are words, as a chain of siblings */
	struct route_tree *name;         /* the child that matches any segment */
	struct row *rows;
};

static struct route_tree *
child_of(struct arena *a, struct route_tree *node, struct str segment)
{
	struct route_tree *child;

	if (str_starts(segment, STR("{"))) {
		if (!node->name)
			node->name = ARENA_NEW(a, struct route_tree);
		return node->name;
	}
	for (child = node->words; child; child = child->next)
		if (str_eq(child->word, segment))
			return child;
	child = ARENA_NEW(a, struct route_tree);
	*child = (struct route_tree){ .word = segment, .next = node->words };
	node->words = child;
	return child;
}

static const struct row *
find_row(const struct route_tree *node, struct str method)
{
	for (const struct row *row = node->rows; row; row = row->next)
		if (str_eq(row->method, method))
			return row;
	return NULL;
}

static void
add(struct arena *a, struct route_tree *node, const struct route *route)
{
	struct str rest = str_of(route->pattern), segment;
	struct row *row = ARENA_NEW(a, struct row), **end = &node->rows;
	bool more = str_cut(rest, '/', &segment, &rest);
	unsigned segments = 0, names = 0;

	if (!more || segment.len > 0)
		abort(); /* a pattern begins with '/' */
	while (more) {
		more = str_cut(rest, '/', &segment, &rest);
		names += str_starts(segment, STR("{"));
		if (++segments > ROUTE_SEGMENTS_MAX || names > ROUTE_CAPTURES_MAX)
			abort();
		node = child_of(a, node, segment);
		end = &node->rows;
	}
	*row = (struct row){ .route = route, .method = str_of(route->method) };
	if (find_row(node, row->method))
		abort(); /* two rows for one method and path */
	while (*end)
		end = &(*end)->next;
	*end = row;
}

const struct route_tree *
route_tree_new(struct arena *a, const void *rows, size_t count, size_t stride)
{
	struct route_tree *root = ARENA_NEW(a, struct route_tree);

	for (size_t i = 0; i < count; i++)
		add(a, root, (const struct route *)(const void *)((const char *)rows + i * stride));
	return root;
}

struct path {
	struct str segments[ROUTE_SEGMENTS_MAX];
	unsigned count;
};

static enum route_result
split(struct arena *a, struct str text, struct path *out, struct err *e)
{
	struct str segment;
	bool more = str_cut(text, '/', &segment, &text);

	out->count = 0;
	if (!more || segment.len > 0)
		return ROUTE_NO_PATH;
	while (more) {
		struct str plain;
		more = str_cut(text, '/', &segment, &text);
		if (query_decode_segment(a, segment, &plain, e) != 0) {
			err_prefix(e, ERR_INVALID, "path: ");
			return ROUTE_BAD_PATH;
		}
		if (out->count == ROUTE_SEGMENTS_MAX || str_eq(plain, STR(".")) ||
		    str_eq(plain, STR("..")))
			return ROUTE_NO_PATH;
		out->segments[out->count++] = plain;
	}
	return ROUTE_FOUND;
}

static const struct row *
row_for(const struct route_tree *node, struct str method)
{
	const struct row *row = find_row(node, method);

	return !row && str_eq(method, STR("HEAD")) ? find_row(node, STR("GET")) : row;
}

/* One lookup: where it is in the path, what it has captured, which methods would have done. */
struct search {
	const struct path *path;
	struct str method;
	struct route_match *out;
	struct buf allow;
};

static void
note_allowed(struct search *s, const char *method)
{
	if (str_contains(buf_str(&s->allow), str_of(method)))
		return;
	if (s->allow.len > 0)
		buf_put_str(&s->allow, STR(", "));
	buf_puts(&s->allow, method);
}

static void
note_methods(struct search *s, const struct route_tree *node)
{
	for (const struct row *row = node->rows; row; row = row->next) {
		note_allowed(s, row->route->method);
		if (str_eq(row->method, STR("GET")))
			note_allowed(s, "HEAD");
	}
}

/* Words before names at every step; no more steps than the path has segments. */
static bool
walk(struct search *s, const struct route_tree *node, unsigned at)
{
	struct str segment;
	unsigned captured = s->out->capture_count;

	if (at == s->path->count) {
		const struct row *row = row_for(node, s->method);
		if (row)
			s->out->route = row->route;
		else
			note_methods(s, node);
		return row != NULL;
	}
	segment = s->path->segments[at];
	for (const struct route_tree *child = node->words; child; child = child->next)
		if (str_eq(child->word, segment) && walk(s, child, at + 1))
			return true;
	if (!node->name || segment.len == 0)
		return false;
	s->out->captures[s->out->capture_count++] = segment;
	if (walk(s, node->name, at + 1))
		return true;
	s->out->capture_count = captured;
	return false;
}

enum route_result
route_find(const struct route_tree *tree, struct arena *a, struct str method, struct str path,
	   struct route_match *out, struct err *e)
{
	struct path parts;
	struct route_match match = { 0 };
	struct search s = { .path = &parts, .method = method, .out = &match };
	enum route_result result = split(a, path, &parts, e);

	if (result != ROUTE_FOUND)
		return result;
	buf_init(&s.allow, ALLOW_MAX);
	if (!walk(&s, tree, 0)) {
		result = s.allow.len > 0 ? ROUTE_NO_METHOD : ROUTE_NO_PATH;
		match.allow = arena_str(a, buf_str(&s.allow));
	}
	buf_release(&s.allow);
	*out = match;
	return result;
}
