/* Any text as a cursor: refused, or it formats back to the same text. */
#include "api/cursor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	static const char LISTS[] = "aenrstuv";
	struct cursor c;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof LISTS; i++) /* a NUL is a list too */
		if (cursor_parse(&a, text, LISTS[i], 0, &c, NULL) == 0 &&
		    !str_eq(cursor_format(&a, &c), text))
			__builtin_trap();
	/* The check is hard to guess: what follows it must hold for every id. */
	c = (struct cursor){ .list = 'r', .id = str_slice(text, 0, 200), .a = (int64_t)size };
	if (cursor_parse(&a, cursor_format(&a, &c), 'r', 0, &c, NULL) != 0 ||
	    !str_eq(c.id, str_slice(text, 0, 200)))
		__builtin_trap();
	arena_release(&a);
	return 0;
}
