#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* The first block, with what is before it, is of a size that malloc keeps ready for its thread. */
enum { FIRST_BLOCK_BYTES = 992, LARGEST_STEP_BYTES = 256 * 1024, ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	_Alignas(ALIGN) char data[];
};

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define WITH_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN
#endif

/* What waits in a pool is nobody's: whoever still looks at it is caught as after free(). */
#ifdef WITH_ASAN
void __asan_poison_memory_region(const volatile void *ptr, size_t size);
void __asan_unpoison_memory_region(const volatile void *ptr, size_t size);
#define HIDE(block) __asan_poison_memory_region((block)->data, (block)->size)
#define SHOW(block) __asan_unpoison_memory_region((block)->data, (block)->size)
#else
#define HIDE(block) ((void)(block))
#define SHOW(block) ((void)(block))
#endif

static void
free_chain(struct arena_block *block)
{
	while (block) {
		struct arena_block *next = block->next;
		SHOW(block);
		free(block);
		block = next;
	}
}

void
arena_pool_init(struct arena_pool *p, size_t block_bytes, size_t spare_max)
{
	*p = (struct arena_pool){ .block_bytes = block_bytes, .spare_max = spare_max };
}

void
arena_pool_release(struct arena_pool *p)
{
	free_chain(p->spare);
	arena_pool_init(p, p->block_bytes, p->spare_max);
}

void
arena_init(struct arena *a)
{
	*a = (struct arena){ 0 };
}

void
arena_init_in(struct arena *a, struct arena_pool *pool)
{
	*a = (struct arena){ .pool = pool };
}

static void
free_blocks(struct arena_pool *pool, struct arena_block *block)
{
	while (block) {
		struct arena_block *next = block->next;
		if (pool && block->size == pool->block_bytes &&
		    pool->spare_count < pool->spare_max) {
			HIDE(block);
			block->next = pool->spare;
			pool->spare = block;
			pool->spare_count++;
		} else {
			free(block);
		}
		block = next;
	}
}

void
arena_release(struct arena *a)
{
	free_blocks(a->pool, a->head);
	arena_init_in(a, a->pool);
}

void
arena_reset(struct arena *a)
{
	if (a->head) { /* blocks grow, so the newest is the largest or close to it */
		free_blocks(a->pool, a->head->next);
		a->head->next = NULL;
		a->head->used = 0;
	}
	a->used_bytes = 0;
}

size_t
arena_held_bytes(const struct arena *a)
{
	size_t bytes = 0;

	for (const struct arena_block *block = a->head; block; block = block->next)
		bytes += sizeof *block + block->size;
	return bytes;
}

static struct arena_block *
take_spare(struct arena_pool *p)
{
	struct arena_block *block = p->spare;

	p->spare = block->next;
	p->spare_count--;
	SHOW(block);
	return block;
}

static size_t
first_bytes(const struct arena *a)
{
	return a->pool ? a->pool->block_bytes : FIRST_BLOCK_BYTES;
}

/* The next block doubles the last, so that n bytes cost O(log n) calls to malloc. */
static struct arena_block *
add_block(struct arena *a, size_t need)
{
	size_t size = a->head ? a->head->size * 2 : first_bytes(a);
	struct arena_block *block;

	if (size > LARGEST_STEP_BYTES)
		size = LARGEST_STEP_BYTES;
	if (size < need)
		size = need;
	if (a->pool && size == a->pool->block_bytes && a->pool->spare)
		block = take_spare(a->pool);
	else
		block = xmalloc(sizeof *block + size);
	*block = (struct arena_block){ .next = a->head, .size = size };
	a->head = block;
	return block;
}

/* What an allocation of size takes from its block; size 0 takes room too, to be unique. */
static size_t
rounded(size_t size)
{
	size_t need = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);

	if (need < size)
		abort();
	return need ? need : ALIGN;
}

void *
arena_alloc_raw(struct arena *a, size_t size)
{
	size_t need = rounded(size);
	struct arena_block *block = a->head;
	void *ptr;

	if (!block || block->size - block->used < need)
		block = add_block(a, need);
	ptr = block->data + block->used;
	block->used += need;
	a->used_bytes += need;
	return ptr;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	return memset(arena_alloc_raw(a, size), 0, size);
}

void *
arena_resize(struct arena *a, void *ptr, size_t old_size, size_t new_size)
{
	size_t old = rounded(old_size), need = rounded(new_size);
	struct arena_block *block = a->head;
	void *copy;

	if ((char *)ptr + old == block->data + block->used &&
	    need <= block->size - (block->used - old)) {
		block->used = block->used - old + need;
		a->used_bytes = a->used_bytes - old + need;
		return ptr;
	}
	if (need <= old)
		return ptr;
	copy = arena_alloc_raw(a, new_size);
	return memcpy(copy, ptr, old_size);
}

void *
arena_array(struct arena *a, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		abort();
	return arena_alloc(a, bytes);
}

struct str
arena_str(struct arena *a, struct str text)
{
	char *copy = arena_alloc(a, text.len + 1);

	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	return (struct str){ copy, text.len };
}

struct str_list
arena_str_list(struct arena *a, struct str_list list)
{
	struct str *out = ARENA_ARRAY(a, list.len + 1, struct str);

	for (size_t i = 0; i < list.len; i++)
		out[i] = arena_str(a, list.ptr[i]);
	return (struct str_list){ out, list.len };
}

struct str
arena_lower(struct arena *a, struct str text)
{
	char *to = arena_alloc_raw(a, text.len + 1);

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		to[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
	}
	to[text.len] = '\0';
	return (struct str){ to, text.len };
}

struct str
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	int len;
	char *text;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		abort();
	text = arena_alloc(a, (size_t)len + 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return (struct str){ text, (size_t)len };
}
