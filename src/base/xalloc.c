#include "base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

NORETURN COLD static void
die_out_of_memory(size_t count, size_t size)
{
	fprintf(stderr, "perdure: out of memory (%zu x %zu bytes); stopping, restart recovers\n",
		count, size);
	abort();
}

void *
xmalloc(size_t size)
{
	void *ptr = malloc(size ? size : 1);

	if (!ptr)
		die_out_of_memory(1, size);
	return ptr;
}

/* calloc looks past what malloc keeps ready for its thread; that is worth clearing small things here. */
enum { CACHED_BYTES = 1024 };

void *
xcalloc(size_t count, size_t size)
{
	void *ptr;

	if (count == 1 && size <= CACHED_BYTES)
		return memset(xmalloc(size), 0, size);
	ptr = calloc(count ? count : 1, size ? size : 1);
	if (!ptr)
		die_out_of_memory(count, size);
	return ptr;
}

void *
xreallocarray(void *ptr, size_t count, size_t size)
{
	void *grown = reallocarray(ptr, count ? count : 1, size ? size : 1);

	if (!grown)
		die_out_of_memory(count, size);
	return grown;
}

char *
xstrdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(xmalloc(size), text, size);
}
