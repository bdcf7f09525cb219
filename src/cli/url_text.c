#include "cli/url_text.h"

#include <ctype.h>

static bool
is_plain(char c)
{
	return isalnum((unsigned char)c) || (c != '\0' && strchr("-._~", c));
}

struct str
url_text_encode(struct arena *a, struct str text)
{
	static const char HEX[] = "0123456789ABCDEF";
	char *out = arena_alloc(a, text.len * 3 + 1);
	size_t len = 0;

	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (is_plain(text.ptr[i])) {
			out[len++] = text.ptr[i];
			continue;
		}
		out[len++] = '%';
		out[len++] = HEX[c >> 4];
		out[len++] = HEX[c & 15];
	}
	return (struct str){ out, len };
}

void
url_text_query(struct buf *url, const char *name, struct str value)
{
	struct arena a;

	if (!value.ptr)
		return;
	arena_init(&a);
	buf_putc(url, memchr(url->ptr, '?', url->len) ? '&' : '?');
	buf_put_str(url, url_text_encode(&a, str_of(name)));
	buf_putc(url, '=');
	buf_put_str(url, url_text_encode(&a, value));
	arena_release(&a);
}

void
url_text_query_int(struct buf *url, const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", (long long)value);
	url_text_query(url, name, str_of(text));
}
