#include "tool/local/glob_match.h"

#include "base/utf8.h"

/* ---- braces ---- */

struct braces {
	struct arena *arena;
	struct glob_pattern *out;
	size_t left; /* bytes all alternatives may have together */
};

/* The `{` that comes first, its `}` and the commas between; false: there is none that closes. */
static bool
find_group(struct str text, size_t *open, size_t *close)
{
	size_t depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '\\') {
			i++;
		} else if (c == '{') {
			if (depth++ == 0)
				*open = i;
		} else if (c == '}' && depth > 0 && --depth == 0) {
			*close = i;
			return true;
		}
	}
	return false;
}

static size_t
alternative_end(struct str group, size_t from)
{
	size_t depth = 0, i;

	for (i = from; i < group.len; i++) {
		char c = group.ptr[i];

		if (c == '\\')
			i++;
		else if (c == '{')
			depth++;
		else if (c == '}' && depth > 0)
			depth--;
		else if (c == ',' && depth == 0)
			return i;
	}
	return group.len;
}

static bool
expand(struct braces *b, struct str text)
{
	size_t open = 0, close = 0, from, to;
	struct str head, group, tail;

	if (b->out->count == GLOB_ALTERNATIVES_MAX || text.len > b->left)
		return false;
	b->left -= text.len;
	if (!find_group(text, &open, &close)) {
		/* At the end it means the files in there. */
		if (str_eq(text, STR("**")) || str_ends(text, STR("/**")))
			text = arena_printf(b->arena, STR_FMT "/*", STR_ARG(text));
		b->out->ptr[b->out->count++] = text;
		return true;
	}
	head = str_slice(text, 0, open);
	group = str_slice(text, open + 1, close);
	tail = str_slice(text, close + 1, text.len);
	for (from = 0; from <= group.len; from = to + 1) {
		struct str one;

		to = alternative_end(group, from);
		one = str_slice(group, from, to);
		if (!expand(b, arena_printf(b->arena, STR_FMT STR_FMT STR_FMT, STR_ARG(head),
					    STR_ARG(one), STR_ARG(tail))))
			return false;
	}
	return true;
}

int
glob_pattern_parse(struct arena *a, struct str text, struct glob_pattern *out, struct err *e)
{
	struct glob_pattern all = { .ptr = ARENA_ARRAY(a, GLOB_ALTERNATIVES_MAX, struct str) };
	struct braces b = { a, &all, 64 * 1024 };

	if (!expand(&b, text))
		return err_set(e, ERR_INVALID,
			       "pattern: its braces stand for more than %d patterns; be plainer",
			       GLOB_ALTERNATIVES_MAX);
	*out = all;
	return 0;
}

/* ---- one name ---- */

/* The pattern's character at *at, a backslash taken off. */
static uint32_t
literal(struct str p, size_t *at)
{
	if (p.ptr[*at] == '\\' && *at + 1 < p.len)
		(*at)++;
	return utf8_next(p, at);
}

/* [...] at `at`; false: it does not close, and stands for itself. */
static bool
match_set(struct str p, size_t at, uint32_t c, size_t *end, bool *hit)
{
	size_t i = at + 1;
	bool negated = i < p.len && (p.ptr[i] == '!' || p.ptr[i] == '^');

	*hit = false;
	i += negated;
	for (size_t first = i; i < p.len && (p.ptr[i] != ']' || i == first);) {
		uint32_t low = literal(p, &i), high = low;

		if (i + 1 < p.len && p.ptr[i] == '-' && p.ptr[i + 1] != ']') {
			i++;
			high = literal(p, &i);
		}
		*hit = *hit || (c >= low && c <= high);
	}
	if (i >= p.len)
		return false;
	*hit = *hit != negated;
	*end = i + 1;
	return true;
}

/* The element of the pattern at *at against one character; *at moves behind the element. */
static bool
match_one(struct str p, size_t *at, uint32_t c)
{
	size_t end;
	bool hit;

	if (p.ptr[*at] == '?') {
		(*at)++;
		return true;
	}
	if (p.ptr[*at] == '[' && match_set(p, *at, c, &end, &hit)) {
		*at = end;
		return hit;
	}
	return literal(p, at) == c;
}

static bool
match_name(struct str p, struct str name)
{
	size_t at = 0, in = 0, star = SIZE_MAX, star_in = 0;

	if (name.len > 0 && name.ptr[0] == '.' && (p.len == 0 || p.ptr[0] != '.'))
		return false;
	while (in < name.len) {
		size_t next_at = at, next_in = in;

		if (at < p.len && p.ptr[at] == '*') {
			star = ++at;
			star_in = in;
			continue;
		}
		if (at < p.len && match_one(p, &next_at, utf8_next(name, &next_in))) {
			at = next_at;
			in = next_in;
			continue;
		}
		if (star == SIZE_MAX)
			return false;
		utf8_next(name, &star_in); /* the star takes one more */
		at = star;
		in = star_in;
	}
	while (at < p.len && p.ptr[at] == '*')
		at++;
	return at == p.len;
}

/* ---- a path ---- */

static struct str
name_at(struct str path, size_t at, size_t *next)
{
	size_t end = at;

	while (end < path.len && path.ptr[end] != '/')
		end++;
	*next = end < path.len ? end + 1 : end;
	return str_slice(path, at, end);
}

static bool
match_path(struct str p, struct str path)
{
	size_t at = 0, in = 0, star = SIZE_MAX, star_in = 0, next_at, next_in;

	while (in < path.len) {
		struct str element = name_at(p, at, &next_at), name = name_at(path, in, &next_in);

		if (at < p.len && str_eq(element, STR("**"))) {
			star = at = next_at;
			star_in = in;
			continue;
		}
		if (at < p.len && match_name(element, name)) {
			at = next_at;
			in = next_in;
			continue;
		}
		if (star == SIZE_MAX)
			return false;
		name = name_at(path, star_in, &next_in);
		if (str_starts(name, STR(".")))
			return false; /* ** goes into no folder that hides */
		at = star;
		in = star_in = next_in;
	}
	return at == p.len;
}

bool
glob_match(const struct glob_pattern *p, struct str path)
{
	for (size_t i = 0; i < p->count; i++)
		if (match_path(p->ptr[i], path))
			return true;
	return false;
}
