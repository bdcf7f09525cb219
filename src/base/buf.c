#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"

enum { FIRST_CAP = 64 };

void
buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void
buf_release(struct buf *b)
{
	free(b->ptr);
	buf_init(b, b->max);
}

void
buf_clear(struct buf *b)
{
	b->len = 0;
	b->overflow = false;
}

static bool
reserve(struct buf *b, size_t more)
{
	size_t need, cap;

	if (b->overflow || more > b->max - b->len) {
		b->overflow = true;
		return false;
	}
	need = b->len + more;
	if (need <= b->cap)
		return true;
	cap = b->cap ? b->cap : FIRST_CAP;
	while (cap < need)
		cap *= 2;
	if (cap > b->max)
		cap = b->max;
	b->ptr = xreallocarray(b->ptr, cap + 1, 1); /* one spare byte for vsnprintf's NUL */
	b->cap = cap;
	return true;
}

char *
buf_extend(struct buf *b, size_t len)
{
	char *at;

	if (!reserve(b, len))
		return NULL;
	at = b->ptr + b->len;
	b->len += len;
	return at;
}

void
buf_put_growing(struct buf *b, const void *ptr, size_t len)
{
	if (reserve(b, len)) {
		memcpy(b->ptr + b->len, ptr, len);
		b->len += len;
	}
}

void
buf_puts(struct buf *b, const char *text)
{
	buf_put(b, text, strlen(text));
}

void
buf_put_int(struct buf *b, int64_t value)
{
	char digits[20];
	size_t at = sizeof digits;
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (value < 0)
		digits[--at] = '-';
	buf_put(b, digits + at, sizeof digits - at);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		abort();
	if (len == 0 || !reserve(b, (size_t)len))
		return;
	va_start(ap, fmt);
	vsnprintf(b->ptr + b->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)len;
}

int
buf_check(const struct buf *b, const char *what, struct err *e)
{
	if (b->overflow)
		return err_set(e, ERR_TOO_LARGE, "%s is larger than %zu bytes", what, b->max);
	return 0;
}
