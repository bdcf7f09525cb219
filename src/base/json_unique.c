/* json_unique - does an object name a key twice? Keys are compared unescaped. */
#include "base/json_tape.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* Up to here one pass over the hashes settles it nearly always. */
enum { SMALL_OBJECT = 64 };
/* From here on the radix sort earns its tables. */
enum { RADIX_WORTH = 16 * 1024 };

struct key {
	struct str text;
	uint32_t at;
};

static uint64_t
load(const char *ptr, size_t len)
{
	uint64_t word = 0;

	memcpy(&word, ptr, len);
	return word;
}

/* Both halves of a 128-bit product: every bit of the word reaches every bit of the hash. */
static uint64_t
mix(uint64_t hash, uint64_t word)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ UINT64_C(0x9e3779b97f4a7c15)) *
				    (word ^ UINT64_C(0xd6e8feb86659fd93));

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* No secret seed: keys made to collide cost a sort of the few that do, never a wrong answer. */
uint32_t
json_key_hash(struct str key)
{
	uint64_t hash = key.len, tail = 0;

	if (key.len >= 8) {
		for (size_t at = 0; key.len - at > 8; at += 8)
			hash = mix(hash, load(key.ptr + at, 8));
		tail = load(key.ptr + key.len - 8, 8);
	} else if (key.len >= 4) {
		tail = load(key.ptr, 4) << 32 | load(key.ptr + key.len - 4, 4);
	} else if (key.len > 0) {
		tail = load(key.ptr, 1) << 16 | load(key.ptr + key.len / 2, 1) << 8 |
		       load(key.ptr + key.len - 1, 1);
	}
	hash = mix(hash, tail);
	return (uint32_t)(hash ^ hash >> 32);
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
	int order = str_cmp(a->text, b->text);

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

static uint32_t
earlier(uint32_t a, uint32_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The first repetition among keys of one hash; sorted, equal keys are neighbours. */
static uint32_t
find_in_run(struct str text, const struct json_token *tokens, const uint64_t *run, size_t count)
{
	struct key *keys = xreallocarray(NULL, count, sizeof *keys);
	struct arena scratch;
	uint32_t found = 0;

	arena_init(&scratch);
	for (size_t i = 0; i < count; i++) {
		uint32_t at = (uint32_t)run[i];
		keys[i] = (struct key){ key_text(&scratch, text, &tokens[at]), at };
	}
	qsort(keys, count, sizeof *keys, key_order);
	for (size_t i = 1; i < count; i++)
		if (str_eq(keys[i].text, keys[i - 1].text))
			found = earlier(found, keys[i].at);
	arena_release(&scratch);
	free(keys);
	return found;
}

/* Sorts by the upper half, 16 bits a pass, through spare; an even number of passes ends in place. */
static void
radix_sort(uint64_t *entries, uint64_t *spare, size_t count)
{
	uint32_t *starts = xmalloc((1 << 16) * sizeof *starts);

	for (int shift = 32; shift < 64; shift += 16) {
		uint32_t sum = 0;
		uint64_t *from = shift == 32 ? entries : spare, *to = shift == 32 ? spare : entries;

		memset(starts, 0, (1 << 16) * sizeof *starts);
		for (size_t i = 0; i < count; i++)
			starts[from[i] >> shift & 0xffff]++;
		for (size_t i = 0; i < 1 << 16; i++) {
			uint32_t here = starts[i];
			starts[i] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			to[starts[from[i] >> shift & 0xffff]++] = from[i];
	}
	free(starts);
}

static int
entry_order(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Hash and index of each key in one word, sorted; only runs of equal hashes need their texts. */
static uint32_t
find_by_sorting(struct str text, const struct json_token *tokens, uint32_t object)
{
	size_t room = json_token_count(&tokens[object]), count = 0, end;
	uint64_t *entries = xreallocarray(NULL, 2 * room, sizeof *entries);
	uint32_t found = 0;

	for (uint32_t at = object + 1; at < tokens[object].next; at = tokens[at + 1].next)
		entries[count++] = (uint64_t)tokens[at].next << 32 | at;
	if (count >= RADIX_WORTH)
		radix_sort(entries, entries + room, count);
	else
		qsort(entries, count, sizeof *entries, entry_order);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && entries[end] >> 32 == entries[i] >> 32;)
			end++;
		if (end - i > 1)
			found = earlier(found, find_in_run(text, tokens, entries + i, end - i));
	}
	free(entries);
	return found;
}

uint32_t
json_find_duplicate(struct str text, const struct json_token *tokens, uint32_t object)
{
	if (json_token_count(&tokens[object]) <= SMALL_OBJECT && hashes_differ(tokens, object))
		return 0;
	return find_by_sorting(text, tokens, object);
}
