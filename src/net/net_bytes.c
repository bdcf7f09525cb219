#include "net/net_bytes.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum { PREFIX = 18, SUFFIX = 2 }; /* 16 hexadecimal digits and CRLF; CRLF */

struct net_bytes {
	size_t len;
	uint32_t refs;
	uint8_t prefix; /* how many of the PREFIX bytes the chunk's size line takes */
	char text[];    /* PREFIX, data, SUFFIX */
};

/* Writes the size line so that it ends where the data begins. */
static uint8_t
write_prefix(char text[PREFIX], size_t len)
{
	char *at = text + PREFIX;

	*--at = '\n';
	*--at = '\r';
	do
		*--at = "0123456789abcdef"[len & 15];
	while (len >>= 4);
	return (uint8_t)(text + PREFIX - at);
}

struct net_bytes *
net_bytes_new(size_t len)
{
	struct net_bytes *b;
	size_t size;

	if (__builtin_add_overflow(len, sizeof *b + PREFIX + SUFFIX, &size))
		abort();
	b = xmalloc(size);
	b->len = len;
	b->refs = 1;
	b->prefix = write_prefix(b->text, len);
	memcpy(b->text + PREFIX + len, "\r\n", SUFFIX);
	return b;
}

struct net_bytes *
net_bytes_copy(struct str text)
{
	struct net_bytes *b = net_bytes_new(text.len);

	if (text.len > 0)
		memcpy(net_bytes_fill(b), text.ptr, text.len);
	return b;
}

char *
net_bytes_fill(struct net_bytes *b)
{
	return b->text + PREFIX;
}

struct net_bytes *
net_bytes_ref(struct net_bytes *b)
{
	b->refs++;
	return b;
}

void
net_bytes_unref(struct net_bytes *b)
{
	if (b && --b->refs == 0)
		free(b);
}

struct str
net_bytes_data(const struct net_bytes *b)
{
	return (struct str){ b->text + PREFIX, b->len };
}

struct str
net_bytes_chunk(const struct net_bytes *b)
{
	if (b->len == 0)
		return (struct str){ b->text, 0 };
	return (struct str){ b->text + PREFIX - b->prefix, b->prefix + b->len + SUFFIX };
}
