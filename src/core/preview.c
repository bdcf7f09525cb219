#include "core/preview.h"

#include "base/utf8.h"

enum { CHAR_BYTES_MAX = 4, DOTS = 3 };

/* The first block that has a text, whatever stands in it. */
static struct str
first_text(struct json payload, struct arena *a)
{
	struct json content, text;

	if (!json_find(payload, STR("content"), &content))
		return (struct str){ 0 };
	for (struct json_iter it = json_iter(content); json_next(&it);)
		if (json_find(it.value, STR("text"), &text))
			return str_trim(json_str(text, a));
	return (struct str){ 0 };
}

struct str
preview_line(struct json payload, size_t chars, struct arena *a)
{
	struct str text = first_text(payload, a);
	/* One character and one space more than fit: enough to see that it must be cut. */
	char *line = arena_alloc_raw(a, (chars + 2) * CHAR_BYTES_MAX);
	size_t len = 0, cut = 0, count = 0;
	bool blank = false;

	for (size_t at = 0; at < text.len && count <= chars;) {
		size_t start = at;
		uint32_t c = utf8_next(text, &at);
		if (c <= ' ' || c == 0x7f) {
			blank = true;
			continue;
		}
		if (blank) {
			line[len++] = ' ';
			count++;
		}
		blank = false;
		memcpy(line + len, text.ptr + start, at - start);
		len += at - start;
		if (++count <= chars - DOTS)
			cut = len;
	}
	if (count <= chars)
		return (struct str){ line, len };
	memcpy(line + cut, "...", DOTS);
	return (struct str){ line, cut + DOTS };
}
