/* arena - memory that dies together: a request's, a turn's, a session's.
 * Allocation is a pointer bump; there is no per-object free. Memory is zeroed unless
 * the name says raw. */
#pragma once
#include <stdint.h>
#include "base/attr.h"
#include "base/str.h"

struct arena_block;

/* Blocks that short-lived arenas of one thread hand on to each other, so that a request costs no
 * malloc. All of one size; a larger need is met outside. */
struct arena_pool {
	struct arena_block *spare;
	size_t block_bytes, spare_count, spare_max;
};

struct arena {
	struct arena_block *head; /* the block being filled; older ones behind it */
	size_t used_bytes;        /* handed out since init or reset */
	struct arena_pool *pool;  /* NULL: blocks come from malloc */
};

/* Keeps at most spare_max blocks of block_bytes for the next arena. */
void arena_pool_init(struct arena_pool *p, size_t block_bytes, size_t spare_max);
/* Its arenas are released before. */
void arena_pool_release(struct arena_pool *p);

void arena_init(struct arena *a);
/* The same, with its first block from the pool, which outlives it. */
void arena_init_in(struct arena *a, struct arena_pool *pool);
/* Frees everything; a is as after arena_init and may be used again. */
void arena_release(struct arena *a);
/* Forgets everything but keeps the largest block, for loops that reuse one arena. */
void arena_reset(struct arena *a);

/* What it takes of the machine's memory, with the room that was not handed out yet. */
size_t arena_held_bytes(const struct arena *a);

/* Zeroed, aligned for any type; never NULL. size 0 gives a unique pointer. */
void *arena_alloc(struct arena *a, size_t size) __attribute__((returns_nonnull, alloc_size(2)));
/* The same without the zeroing, for memory that is about to be filled. */
void *arena_alloc_raw(struct arena *a, size_t size) __attribute__((returns_nonnull, alloc_size(2)));
/* Makes ptr, which holds old_size bytes, hold new_size: in place when it is the newest allocation
 * and the block has room, else as a copy. Bytes beyond old_size are not zeroed. */
void *arena_resize(struct arena *a, void *ptr, size_t old_size, size_t new_size)
	__attribute__((returns_nonnull, alloc_size(4)));
/* count * size with the product checked. */
void *arena_array(struct arena *a, size_t count, size_t size)
	__attribute__((returns_nonnull, alloc_size(2, 3)));
/* Copies with a terminating NUL behind the copy, so .ptr is also a C string. */
struct str arena_str(struct arena *a, struct str text);
struct str_list arena_str_list(struct arena *a, struct str_list list);
/* The same with ASCII letters in lower case. */
struct str arena_lower(struct arena *a, struct str text);
struct str arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define ARENA_NEW(a, type)          ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, count, type) ((type *)arena_array((a), (count), sizeof(type)))
