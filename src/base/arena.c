#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { FIRST_BLOCK_BYTES = 1024, LARGEST_STEP_BYTES = 256 * 1024, ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	_Alignas(ALIGN) char data[];
};

void
arena_init(struct arena *a)
{
	*a = (struct arena){ 0 };
}

static void
free_blocks(struct arena_block *block)
{
	while (block) {
		struct arena_block *next = block->next;
		free(block);
		block = next;
	}
}

void
arena_release(struct arena *a)
{
	free_blocks(a->head);
	arena_init(a);
}

void
arena_reset(struct arena *a)
{
	if (a->head) { /* blocks grow, so the newest is the largest or close to it */
		free_blocks(a->head->next);
		a->head->next = NULL;
		a->head->used = 0;
	}
	a->used_bytes = 0;
}

/* The next block doubles the last, so that n bytes cost O(log n) calls to malloc. */
static struct arena_block *
add_block(struct arena *a, size_t need)
{
	size_t size = a->head ? a->head->size * 2 : FIRST_BLOCK_BYTES;
	struct arena_block *block;

	if (size > LARGEST_STEP_BYTES)
		size = LARGEST_STEP_BYTES;
	if (size < need)
		size = need;
	block = xmalloc(sizeof *block + size);
	*block = (struct arena_block){ .next = a->head, .size = size };
	a->head = block;
	return block;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	size_t need = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	struct arena_block *block = a->head;
	void *ptr;

	if (need < size)
		abort();
	if (need == 0)
		need = ALIGN;
	if (!block || block->size - block->used < need)
		block = add_block(a, need);
	ptr = block->data + block->used;
	block->used += need;
	a->used_bytes += need;
	return memset(ptr, 0, size);
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
