#include "tool/local/output_keep.h"

#include "base/rand.h"
#include "base/utf8.h"
#include "harness.h"

static const struct {
	const char *name, *bytes, *want;
} CLEAN[] = {
	{ "T12 text stays", "a\xc3\xbc\n", "a\xc3\xbc\n" },
	{ "T12 a bad byte",
	  "a\xff"
	  "b",
	  "a\xef\xbf\xbd"
	  "b" },
	{ "T12 a run of them is one",
	  "a\xff\xfe\xc3"
	  "b",
	  "a\xef\xbf\xbd"
	  "b" },
	{ "T12 half a character at the end", "a\xc3", "a\xef\xbf\xbd" },
	{ "T12 nothing", "", "" },
};

static void
test_clean(void **state)
{
	const __typeof__(*CLEAN) *row = *state;
	struct buf out;

	buf_init(&out, 100);
	output_clean(&out, str_of(row->bytes));
	check_str("clean", buf_str(&out), str_of(row->want));
	buf_release(&out);
}

static void
T12_nul_is_a_bad_byte(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	output_clean(&out, STR("a\0\0\xff\0b\0c"));
	check_str("clean", buf_str(&out),
		  STR("a\xef\xbf\xbd"
		      "b\xef\xbf\xbd"
		      "c"));
	buf_release(&out);
}

static const struct {
	const char *name, *bytes, *want;
} KEPT[] = {
	{ "T12 fits the head", "abcd", "abcd" },
	{ "T12 fits head and tail", "abcdefgh", "abcdefgh" },
	{ "T12 a character across the seam", "abc\xc3\xbc", "abc\xc3\xbc" },
	{ "T12 the middle is left out", "abcdXYefgh",
	  "abcd\n[... 2 bytes of output left out ...]\nefgh" },
	{ "T12 nothing came", "", "" },
};

/* All at once, and byte by byte. */
static void
test_kept(void **state)
{
	const __typeof__(*KEPT) *row = *state;
	struct str bytes = str_of(row->bytes);

	for (size_t step = 1; step <= 16; step += 15) {
		struct output_keep k;
		struct buf out;

		output_keep_init(&k, 4, 4);
		for (size_t at = 0; at < bytes.len; at += step)
			output_keep_put(&k, str_slice(bytes, at, at + step));
		buf_init(&out, 1000);
		output_keep_text(&k, &out);
		check_str("kept", buf_str(&out), str_of(row->want));
		buf_release(&out);
		output_keep_release(&k);
	}
}

static void
T12_a_cursor_sees_each_byte_once(void **state)
{
	struct output_keep k;
	struct buf out;

	(void)state;
	output_keep_init(&k, 0, 4);
	buf_init(&out, 100);
	assert_int_equal(output_keep_since(&k, 0, &out), 0);
	output_keep_put(&k, STR("abc"));
	assert_int_equal(output_keep_since(&k, 0, &out), 0);
	output_keep_put(&k, STR("defg"));
	assert_int_equal(output_keep_since(&k, 3, &out), 3);
	assert_int_equal(output_keep_since(&k, 7, &out), 7);
	check_str("read", buf_str(&out), STR("abcdefg"));
	buf_clear(&out);
	assert_int_equal(output_keep_since(&k, 0, &out), 3); /* the first three are gone */
	check_str("read", buf_str(&out), STR("defg"));
	buf_clear(&out);
	output_keep_skip(&k, 100);
	output_keep_put(&k, STR("xy"));
	assert_int_equal(output_keep_since(&k, 7, &out), 107);
	check_str("read", buf_str(&out), STR("xy"));
	assert_int_equal(output_keep_since(&k, 999, &out), 109);
	buf_release(&out);
	output_keep_release(&k);
}

static void
T12_any_output_is_bounded_and_clean(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(2000); seed++) {
		struct output_keep k;
		struct rand r;
		struct buf out;
		uint64_t total = 0;

		rand_init_seed(&r, seed);
		output_keep_init(&k, (size_t)rand_below(&r, 40), 1 + (size_t)rand_below(&r, 40));
		for (unsigned i = 0; i < 20; i++) {
			char bytes[64];
			size_t len = (size_t)rand_below(&r, sizeof bytes);

			rand_bytes(&r, bytes, len);
			output_keep_put(&k, (struct str){ bytes, len });
			total += len;
		}
		buf_init(&out, 1000);
		output_keep_text(&k, &out);
		if (k.total != total || out.overflow || !utf8_valid(buf_str(&out)) ||
		    (out.len > 0 && memchr(out.ptr, 0, out.len)))
			fail_msg("seed %llu", (unsigned long long)seed);
		buf_release(&out);
		output_keep_release(&k);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, CLEAN, test_clean);
	SUITE_TEST(&s, T12_nul_is_a_bad_byte);
	SUITE_ROWS(&s, KEPT, test_kept);
	SUITE_TEST(&s, T12_a_cursor_sees_each_byte_once);
	SUITE_TEST(&s, T12_any_output_is_bounded_and_clean);
	return suite_run(&s, "tool/local/output_keep");
}
