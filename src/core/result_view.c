#include "core/result_view.h"

#include "base/utf8.h"

enum { NOTE_BYTES_MAX = 96, SIDE_BYTES = (RESULT_VIEW_BYTES_MAX - NOTE_BYTES_MAX) / 2 };

struct str
result_view(struct str text, struct arena *a)
{
	size_t head, tail;

	if (text.len <= RESULT_VIEW_BYTES_MAX)
		return text;
	head = utf8_floor(text, SIDE_BYTES);
	tail = text.len - SIDE_BYTES;
	while (utf8_floor(text, tail) != tail) /* the character there is left out whole */
		tail++;
	return arena_printf(a, STR_FMT "\n[… %zu of %zu bytes are left out here …]\n" STR_FMT,
			    (int)head, text.ptr, tail - head, text.len, (int)(text.len - tail),
			    text.ptr + tail);
}
