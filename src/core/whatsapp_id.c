#include "core/whatsapp_id.h"

#include <stdlib.h>

struct str
whatsapp_id_normalise(struct str id)
{
	struct str rest;

	str_cut(id, '@', &id, &rest);
	str_cut(id, ':', &id, &rest);
	id = str_trim(id);
	while (id.len > 0 && id.ptr[0] == '+')
		id = str_trim(str_slice(id, 1, id.len));
	return id;
}

/* Canonical first: shorter, then byte order. */
static int
by_preference(const void *left, const void *right)
{
	const struct str *a = left, *b = right;

	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return str_cmp(*a, *b);
}

static size_t
drop_repeats(struct str *names, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (kept == 0 || !str_eq(names[kept - 1], names[i]))
			names[kept++] = names[i];
	return kept;
}

/* Index of a normalised name; false when no pair ever named it. */
static bool
name_find(const struct whatsapp_aliases *aliases, struct str name, size_t *at)
{
	const struct str *hit;

	if (aliases->count == 0)
		return false;
	hit = bsearch(&name, aliases->names, aliases->count, sizeof name, by_preference);
	if (!hit)
		return false;
	*at = (size_t)(hit - aliases->names);
	return true;
}

static size_t
root_of(struct whatsapp_aliases *aliases, size_t at)
{
	size_t *parents = aliases->parents;

	while (parents[at] != at) {
		parents[at] = parents[parents[at]]; /* halves the path for the next walk */
		at = parents[at];
	}
	return at;
}

/* Names are sorted by preference, so the smaller index is the better name and becomes the root. */
static void
join(struct whatsapp_aliases *aliases, size_t a, size_t b)
{
	size_t root_a = root_of(aliases, a), root_b = root_of(aliases, b);

	if (root_a < root_b)
		aliases->parents[root_b] = root_a;
	else
		aliases->parents[root_a] = root_b;
}

/* Afterwards every parent is a root: looking up is one step and changes nothing. */
static void
flatten(struct whatsapp_aliases *aliases)
{
	for (size_t i = 0; i < aliases->count; i++) /* parents stand before children */
		aliases->parents[i] = aliases->parents[aliases->parents[i]];
}

void
whatsapp_aliases_init(struct whatsapp_aliases *out, struct arena *a,
		      const struct whatsapp_alias *pairs, size_t count)
{
	struct whatsapp_alias *clean = ARENA_ARRAY(a, count, struct whatsapp_alias);
	size_t used = 0;

	*out = (struct whatsapp_aliases){ .names = ARENA_ARRAY(a, 2 * count, struct str) };
	for (size_t i = 0; i < count; i++) {
		clean[used] = (struct whatsapp_alias){ whatsapp_id_normalise(pairs[i].id),
						       whatsapp_id_normalise(pairs[i].other) };
		if (clean[used].id.len > 0 && clean[used].other.len > 0)
			used++;
	}
	for (size_t i = 0; i < used; i++) {
		out->names[2 * i] = clean[i].id;
		out->names[2 * i + 1] = clean[i].other;
	}
	if (used > 0)
		qsort(out->names, 2 * used, sizeof *out->names, by_preference);
	out->count = drop_repeats(out->names, 2 * used);
	out->parents = ARENA_ARRAY(a, out->count, size_t);
	for (size_t i = 0; i < out->count; i++)
		out->parents[i] = i;
	for (size_t i = 0; i < used; i++) {
		size_t id = 0, other = 0;

		if (name_find(out, clean[i].id, &id) && name_find(out, clean[i].other, &other))
			join(out, id, other);
	}
	flatten(out);
}

struct str
whatsapp_id_canonical(const struct whatsapp_aliases *aliases, struct str id)
{
	struct str name = whatsapp_id_normalise(id);
	size_t at;

	if (!aliases || !name_find(aliases, name, &at))
		return name;
	return aliases->names[aliases->parents[at]];
}
