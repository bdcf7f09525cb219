/* map - text keys to pointers; open addressing, keyed hash (a peer cannot choose collisions).
 * The map keeps views of the keys: their bytes must outlive the entry. Values belong to the caller. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

struct map_slot;

struct map {
	struct map_slot *slots;
	size_t count, cap, used; /* used counts removed slots too */
	uint64_t seed;
};

/* seed: random in production, fixed where runs must repeat. */
void map_init(struct map *m, uint64_t seed);
void map_release(struct map *m);
/* Sets or replaces; returns the value that was there, NULL if none. value must not be NULL. */
void *map_put(struct map *m, struct str key, void *value);
/* NULL when absent. */
void *map_find(const struct map *m, struct str key);
/* Takes the entry out; returns its value, NULL if none. */
void *map_remove(struct map *m, struct str key);
/* for (size_t at = 0; map_next(&m, &at, &key, &value);)  in no particular order. */
bool map_next(const struct map *m, size_t *at, struct str *key, void **value);
