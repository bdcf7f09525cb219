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

void *
xcalloc(size_t count, size_t size)
{
	void *ptr = calloc(count ? count : 1, size ? size : 1);

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
