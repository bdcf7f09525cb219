/* xalloc - heap memory that is there or the process is not: running out aborts, because recovery
 * from a kill is already the normal start-up path. */
#pragma once
#include <stddef.h>
#include "base/attr.h"

void *xmalloc(size_t size) __attribute__((malloc, alloc_size(1), returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
/* Grows or shrinks to count * size bytes; an overflowing product aborts. */
void *xreallocarray(void *ptr, size_t count, size_t size)
	__attribute__((alloc_size(2, 3), returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
