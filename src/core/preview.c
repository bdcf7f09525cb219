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

/* Behind the character at `at`, most of which are one byte; *blank when it shows as a space. */
static size_t
next_char(struct str text, size_t at, bool *blank)
{
	unsigned char c = (unsigned char)text.ptr[at];

	*blank = c <= ' ' || c == 0x7f;
	if (c < 0x80)
		return at + 1;
	utf8_next(text, &at);
	return at;
}

struct str
preview_line(struct json payload, size_t chars, struct arena *a)
{
	struct str text = first_text(payload, a);
	/* One character and one space more than fit: enough to see that it must be cut. */
	char *line = arena_alloc_raw(a, (chars + 2) * CHAR_BYTES_MAX);
	size_t len = 0, cut = 0, count = 0;
	bool blank, gap = false;

	for (size_t at = 0, next; at < text.len && count <= chars; at = next) {
		next = next_char(text, at, &blank);
		if (blank) {
			gap = true;
			continue;
		}
		if (gap) {
			line[len++] = ' ';
			count++;
			gap = false;
		}
		for (size_t i = at; i < next; i++)
			line[len++] = text.ptr[i];
		if (++count <= chars - DOTS)
			cut = len;
	}
	if (count <= chars)
		return (struct str){ line, len };
	memcpy(line + cut, "...", DOTS);
	return (struct str){ line, cut + DOTS };
}
