#include "core/result_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "harness.h"

static void
T7_a_short_result_is_shown_whole(void **state)
{
	char text[RESULT_VIEW_BYTES_MAX];
	struct str whole = { text, sizeof text };
	struct arena a;

	(void)state;
	arena_init(&a);
	memset(text, 'x', sizeof text);
	assert_ptr_equal(result_view(whole, &a).ptr, text);
	assert_int_equal(result_view(whole, &a).len, sizeof text);
	arena_release(&a);
}

static void
T7_a_long_one_is_head_and_tail(void **state)
{
	size_t len = 1000000;
	char *text = malloc(len);
	struct str view;
	struct arena a;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', len);
	memcpy(text, "first", 5);
	memcpy(text + len - 4, "last", 4);
	arena_init(&a);
	view = result_view((struct str){ text, len }, &a);
	assert_true(view.len <= RESULT_VIEW_BYTES_MAX);
	assert_true(view.len > RESULT_VIEW_BYTES_MAX - 100);
	assert_true(str_starts(view, STR("first")));
	assert_true(str_ends(view, STR("last")));
	assert_true(str_contains(view, STR("\n[… 967328 of 1000000 bytes are left out here …]\n")));
	arena_release(&a);
	free(text);
}

/* Whatever the length of the characters and where they fall. */
static void
T7_no_character_is_cut(void **state)
{
	static const char *const CHARACTERS[] = { "a", "ö", "…", "😀" };

	(void)state;
	for (size_t shift = 0; shift < 8; shift++)
		for (size_t c = 0; c < ARRAY_LEN(CHARACTERS); c++) {
			struct buf b;
			struct str view;
			struct arena a;

			arena_init(&a);
			buf_init(&b, 200000);
			for (size_t i = 0; i < shift; i++)
				buf_putc(&b, '.');
			while (b.len < 100000)
				buf_puts(&b, CHARACTERS[c]);
			view = result_view(buf_str(&b), &a);
			assert_true(utf8_valid(view));
			assert_true(view.len <= RESULT_VIEW_BYTES_MAX);
			buf_release(&b);
			arena_release(&a);
		}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T7_a_short_result_is_shown_whole);
	SUITE_TEST(&s, T7_a_long_one_is_head_and_tail);
	SUITE_TEST(&s, T7_no_character_is_cut);
	return suite_run(&s, "core/result_view");
}
