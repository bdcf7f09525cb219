#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

size_t
vec_reserve_(void **ptr, size_t *len, size_t *cap, size_t size)
{
	if (*len == *cap) {
		*cap = *cap ? *cap * 2 : 8;
		*ptr = xreallocarray(*ptr, *cap, size);
	}
	return (*len)++;
}

void
vec_free_(void **ptr)
{
	free(*ptr);
	*ptr = NULL;
}
