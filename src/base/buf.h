/* buf - text being built, with a ceiling given at birth.
 * Passing the ceiling is remembered, not fatal: writers go on without checking each call, and the
 * owner asks once at the end (buf_check). After an overflow the contents are unspecified. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/attr.h"
#include "base/err.h"
#include "base/str.h"

struct buf {
	char *ptr;
	size_t len, cap, max;
	bool overflow;
};

/* Holds at most max bytes; nothing is allocated until the first byte. */
void buf_init(struct buf *b, size_t max);
void buf_release(struct buf *b);
/* Empties it and forgets an overflow; keeps the memory. */
void buf_clear(struct buf *b);

void buf_puts(struct buf *b, const char *text);
void buf_put_int(struct buf *b, int64_t value);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Room for len bytes to be filled by the caller, already counted in b->len; NULL past the ceiling. */
char *buf_extend(struct buf *b, size_t len);
/* buf_put where the room that is there may not do; callers say buf_put. */
void buf_put_growing(struct buf *b, const void *ptr, size_t len);

/* 0, or ERR_TOO_LARGE naming what (a noun for the message) and the ceiling. */
NODISCARD int buf_check(const struct buf *b, const char *what, struct err *e);

/* Inline: answers are put together from dozens of short texts whose lengths the compiler knows. */
static inline void
buf_put(struct buf *b, const void *ptr, size_t len)
{
	if (len == 0)
		return;
	if (b->overflow || len > b->cap - b->len) {
		buf_put_growing(b, ptr, len);
		return;
	}
	memcpy(b->ptr + b->len, ptr, len);
	b->len += len;
}

static inline void
buf_putc(struct buf *b, char c)
{
	buf_put(b, &c, 1);
}

static inline void
buf_put_str(struct buf *b, struct str s)
{
	buf_put(b, s.ptr, s.len);
}

static inline struct str
buf_str(const struct buf *b)
{
	return (struct str){ b->ptr, b->len };
}
