/* json_unique - does an object name a key twice? Keys are compared unescaped. */
#include "base/json_tape.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* Up to here one pass over the hashes settles it nearly always. */
enum { SMALL_OBJECT = 64 };

struct key {
	struct str text;
	uint32_t hash, at;
};

static uint64_t
load(const char *ptr, size_t len)
{
	uint64_t word = 0;

	memcpy(&word, ptr, len);
	return word;
}

/* First and last bytes and the length: keys that differ only in the middle collide, which costs
 * time but never correctness. */
uint32_t
json_key_hash(struct str key)
{
	uint64_t head, tail, mixed;

	if (key.len >= 8) {
		head = load(key.ptr, 8);
		tail = load(key.ptr + key.len - 8, 8);
	} else if (key.len >= 4) {
		head = load(key.ptr, 4);
		tail = load(key.ptr + key.len - 4, 4);
	} else {
		head = key.len > 0 ? load(key.ptr, 1) : 0;
		tail = key.len > 0 ? load(key.ptr + key.len - 1, 1) << 8 |
					     load(key.ptr + key.len / 2, 1)
				   : 0;
	}
	mixed = (head ^ key.len << 56) * UINT64_C(0x9e3779b97f4a7c15);
	mixed = (mixed ^ mixed >> 32 ^ tail) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(mixed >> 32);
}

static bool
hash_before(const struct json_token *tokens, uint32_t object, uint32_t key)
{
	for (uint32_t at = object + 1; at < key; at = tokens[at + 1].next)
		if (tokens[at].next == tokens[key].next)
			return true;
	return false;
}

/* False when two hashes may be equal and a closer look is needed. */
static bool
hashes_differ(const struct json_token *tokens, uint32_t object)
{
	uint64_t seen[4] = { 0 };
	uint32_t end = tokens[object].next;

	for (uint32_t at = object + 1; at < end; at = tokens[at + 1].next) {
		uint32_t hash = tokens[at].next;
		uint64_t *word = &seen[hash >> 30], bit = UINT64_C(1) << (hash >> 24 & 63);

		if (UNLIKELY(*word & bit) && hash_before(tokens, object, at))
			return false;
		*word |= bit;
	}
	return true;
}

static int
key_order(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	order = str_cmp(a->text, b->text);
	return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static struct str
key_text(struct arena *scratch, struct str text, const struct json_token *t)
{
	struct str body = json_token_body(text, t);
	char *plain;

	if (!(t->info & JSON_ESCAPED))
		return body;
	plain = arena_alloc_raw(scratch, body.len);
	return (struct str){ plain, json_unescape(body, plain) };
}

/* Sorted, equal keys are neighbours; the earliest repetition in the text is the one named. */
static uint32_t
find_by_sorting(struct str text, const struct json_token *tokens, uint32_t object)
{
	size_t count = 0;
	struct key *keys = xreallocarray(NULL, json_token_count(&tokens[object]), sizeof *keys);
	struct arena scratch;
	uint32_t found = 0;

	arena_init(&scratch);
	for (uint32_t at = object + 1; at < tokens[object].next; at = tokens[at + 1].next)
		keys[count++] =
			(struct key){ key_text(&scratch, text, &tokens[at]), tokens[at].next, at };
	qsort(keys, count, sizeof *keys, key_order);
	for (size_t i = 1; i < count; i++)
		if (keys[i].hash == keys[i - 1].hash && str_eq(keys[i].text, keys[i - 1].text) &&
		    (found == 0 || keys[i].at < found))
			found = keys[i].at;
	arena_release(&scratch);
	free(keys);
	return found;
}

uint32_t
json_find_duplicate(struct str text, const struct json_token *tokens, uint32_t object)
{
	if (json_token_count(&tokens[object]) <= SMALL_OBJECT && hashes_differ(tokens, object))
		return 0;
	return find_by_sorting(text, tokens, object);
}
