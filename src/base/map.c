#include "base/map.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum { FIRST_CAP = 16 };

struct map_slot {
	struct str key;
	void *value; /* NULL: never used, or removed when key.ptr is REMOVED */
};

static const char REMOVED[1];

void
map_init(struct map *m, uint64_t seed)
{
	*m = (struct map){ .seed = seed };
}

void
map_release(struct map *m)
{
	free(m->slots);
	map_init(m, m->seed);
}

static uint64_t
mix(uint64_t h)
{
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

static uint64_t
hash(const struct map *m, struct str key)
{
	uint64_t h = m->seed ^ mix(key.len);
	size_t at = 0;
	uint64_t word;

	for (; key.len - at >= sizeof word; at += sizeof word) {
		memcpy(&word, key.ptr + at, sizeof word);
		h = mix(h ^ word) + m->seed;
	}
	word = 0;
	if (at < key.len)
		memcpy(&word, key.ptr + at, key.len - at);
	return mix(h ^ word);
}

static size_t
slot_of(const struct map *m, struct str key)
{
	size_t mask = m->cap - 1;
	size_t at = (size_t)hash(m, key) & mask;

	for (;; at = (at + 1) & mask) {
		const struct map_slot *s = &m->slots[at];
		if (!s->value && s->key.ptr != REMOVED)
			return at;
		if (s->value && str_eq(s->key, key))
			return at;
	}
}

static void
grow(struct map *m)
{
	struct map old = *m;

	m->cap = old.count * 2 < FIRST_CAP ? FIRST_CAP : old.cap;
	while (m->cap < old.count * 4)
		m->cap *= 2;
	m->slots = xcalloc(m->cap, sizeof *m->slots);
	m->used = old.count;
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].value)
			m->slots[slot_of(m, old.slots[i].key)] = old.slots[i];
	free(old.slots);
}

void *
map_put(struct map *m, struct str key, void *value)
{
	struct map_slot *slot;
	void *before;

	if ((m->used + 1) * 4 > m->cap * 3)
		grow(m);
	slot = &m->slots[slot_of(m, key)];
	before = slot->value;
	if (!before) {
		m->count++;
		m->used++;
	}
	*slot = (struct map_slot){ key, value };
	return before;
}

void *
map_find(const struct map *m, struct str key)
{
	return m->cap ? m->slots[slot_of(m, key)].value : NULL;
}

void *
map_remove(struct map *m, struct str key)
{
	struct map_slot *slot;
	void *before;

	if (!m->cap)
		return NULL;
	slot = &m->slots[slot_of(m, key)];
	before = slot->value;
	if (before) {
		*slot = (struct map_slot){ { REMOVED, 0 }, NULL };
		m->count--;
	}
	return before;
}

bool
map_next(const struct map *m, size_t *at, struct str *key, void **value)
{
	for (; *at < m->cap; (*at)++) {
		const struct map_slot *s = &m->slots[*at];
		if (s->value) {
			*key = s->key;
			*value = s->value;
			(*at)++;
			return true;
		}
	}
	return false;
}
