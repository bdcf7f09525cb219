/* vec - a growing array of one type on the heap.
 *   VEC(struct row) rows = { 0 };
 *   *vec_push(&rows) = (struct row){ ... };
 *   vec_release(&rows); */
#pragma once
#include <stddef.h>

#define VEC(type)                \
	struct {                 \
		type *ptr;       \
		size_t len, cap; \
	}

/* A pointer to a new element at the end, uninitialised. */
#define vec_push(v)                                                                               \
	({                                                                                        \
		size_t at_ =                                                                      \
			vec_reserve_((void **)&(v)->ptr, &(v)->len, &(v)->cap, sizeof *(v)->ptr); \
		&(v)->ptr[at_]; /* read only now: the array may have moved */                     \
	})
#define vec_pop(v)     ((v)->ptr[--(v)->len])
#define vec_clear(v)   ((v)->len = 0)
#define vec_release(v) (vec_free_((void **)&(v)->ptr), (v)->len = 0, (v)->cap = 0)

/* For the macros: makes room for one more, counts it, returns its index. */
size_t vec_reserve_(void **ptr, size_t *len, size_t *cap, size_t size);
void vec_free_(void **ptr);
