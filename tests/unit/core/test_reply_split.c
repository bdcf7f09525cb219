#include "core/reply_split.h"

#include "base/rand.h"
#include "base/utf8.h"
#include "harness.h"

/* Parts are joined with '|'. */
static const struct split_row {
	const char *name, *text;
	size_t limit;
	enum split_unit unit;
	const char *want;
} rows[] = {
	{ "P5 split: what fits stays whole", "hello\n\nworld", 20, SPLIT_BYTES, "hello\n\nworld" },
	{ "P5 split: exactly the limit", "hello", 5, SPLIT_BYTES, "hello" },
	{ "P5 split: at a paragraph", "aaaa bb\n\ncccc dd", 12, SPLIT_BYTES, "aaaa bb|cccc dd" },
	{ "P5 split: at a line before a word", "aaa aaa\nbb bb", 10, SPLIT_BYTES, "aaa aaa|bb bb" },
	{ "P5 split: at a word", "aaa bbb ccc", 8, SPLIT_BYTES, "aaa bbb|ccc" },
	{ "P5 split: a break right behind the limit", "aaa bbb", 4, SPLIT_BYTES, "aaa|bbb" },
	{ "P5 split: an early line only when no word fits", "a\nbbbbbbbbbbbb", 8, SPLIT_BYTES,
	  "a|bbbbbbbb|bbbb" },
	{ "P5 split: between characters", "abcdefghij", 4, SPLIT_BYTES, "abcd|efgh|ij" },
	{ "P5 split: never inside a character", "ääää", 5, SPLIT_BYTES, "ää|ää" },
	{ "P5 split: characters", "ääääää", 4, SPLIT_CHARACTERS, "ääää|ää" },
	{ "P5 split: UTF-16 counts astral twice", "😀😀😀", 4, SPLIT_UTF16, "😀😀|😀" },
	{ "P5 split: a limit of one is raised to four", "abcdef", 1, SPLIT_BYTES, "abcd|ef" },
	{ "P5 split: blank text gives nothing", " \n ", 10, SPLIT_BYTES, "" },
	{ "P5 split: empty text gives nothing", "", 10, SPLIT_BYTES, "" },
	{ "P5 split: trailing blanks make no part", "aaa bbb    \n", 7, SPLIT_BYTES, "aaa bbb" },
	{ "P5 split: a fence is closed and opened again with its language",
	  "```py\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\nccccccc\n```", 64,
	  SPLIT_BYTES,
	  "```py\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```|"
	  "```py\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\nccccccc\n```" },
	{ "P5 split: indentation in a fence stays",
	  "```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n    bbbbbbbbbbbbbbbbbbbbbbbbbbbb\n```", 64,
	  SPLIT_BYTES,
	  "```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```|"
	  "```\n    bbbbbbbbbbbbbbbbbbbbbbbbbbbb\n```" },
	{ "P5 split: no empty block before the cut",
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```c\nint x;\n```", 64,
	  SPLIT_BYTES, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|```c\nint x;\n```" },
	{ "P5 split: no empty block after the cut",
	  "```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```\nmore text", 64,
	  SPLIT_BYTES,
	  "```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```|more text" },
	{ "P5 split: no empty block after a cut at a blank line",
	  "```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\n```\nmore text", 64,
	  SPLIT_BYTES, "```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```|more text" },
	{ "P5 split: a tilde fence is not closed by ticks",
	  "~~~\n```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbb\n~~~", 64,
	  SPLIT_BYTES,
	  "~~~\n```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n~~~|~~~\nbbbbbbbbbbbbbbbbbbbb\n~~~" },
	{ "P5 split: a shorter run does not close",
	  "````\n```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbb\n````", 64,
	  SPLIT_BYTES,
	  "````\n```\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n````|````\nbbbbbbbbbbbbbbbbbbbb\n```"
	  "`" },
	{ "P5 split: a run with words does not close",
	  "```\n```x\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbb\n```", 64,
	  SPLIT_BYTES,
	  "```\n```x\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```|```\nbbbbbbbbbbbbbbbbbbbb\n```" },
	{ "P5 split: two ticks are no fence",
	  "``\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbb", 64,
	  SPLIT_BYTES, "``\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|bbbbbbbbbbbbbbbbbbbb" },
	{ "P5 split: a fence too long to repeat is not repaired",
	  "```abcdefghijklmnopqrst\naaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbb\n```", 64,
	  SPLIT_BYTES,
	  "```abcdefghijklmnopqrst\naaaaaaaaaaaaaaaaaaaaaaaaaaaaa|bbbbbbbbbbbbbbbbbbbb\n```" },
	{ "P5 split: small limits do not repair fences",
	  "```\naaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbb\n```", 30, SPLIT_BYTES,
	  "```\naaaaaaaaaaaaaaa|bbbbbbbbbbbbbbb\n```" },
};

static void
check_row(void **state)
{
	const struct split_row *row = *state;
	struct reply_split s = reply_split(str_of(row->text), row->limit, row->unit);
	struct buf part, all;

	buf_init(&part, strlen(row->text) + 64);
	buf_init(&all, 10000);
	while (reply_split_next(&s, &part)) {
		assert_false(part.overflow);
		buf_puts(&all, all.len > 0 ? "|" : "");
		buf_put_str(&all, buf_str(&part));
	}
	check_str(row->name, buf_str(&all), str_of(row->want));
	buf_release(&part);
	buf_release(&all);
}

static void
put_without_breaks(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != ' ' && text.ptr[i] != '\n')
			buf_putc(out, text.ptr[i]);
}

static void
pick_words(struct rand *r, struct buf *out)
{
	static const char *const BITS[] = { "a",    "bb", " ", " ",          "\n",
					    "\n\n", "ä",  "😀", "longerword", "." };
	size_t count = rand_below(r, 120);

	for (size_t i = 0; i < count; i++)
		buf_puts(out, BITS[rand_below(r, ARRAY_LEN(BITS))]);
}

static void
P5_property_parts_fit_and_lose_only_breaks(void **state)
{
	uint64_t seeds = suite_seeds(3000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct buf text, part, want, got;
		struct reply_split s;
		struct rand r;
		size_t limit;

		rand_init_seed(&r, seed);
		buf_init(&text, 5000), buf_init(&part, 5000);
		buf_init(&want, 5000), buf_init(&got, 5000);
		pick_words(&r, &text);
		limit = 4 + rand_below(&r, 60);
		put_without_breaks(buf_str(&text), &want);
		s = reply_split(buf_str(&text), limit, SPLIT_CHARACTERS);
		while (reply_split_next(&s, &part)) {
			if (part.len == 0 || utf8_count(buf_str(&part)) > limit ||
			    !utf8_valid(buf_str(&part)))
				fail_msg("seed %llu: part " STR_FMT, (unsigned long long)seed,
					 STR_ARG(buf_str(&part)));
			put_without_breaks(buf_str(&part), &got);
		}
		if (!str_eq(buf_str(&want), buf_str(&got)))
			fail_msg("seed %llu: text lost", (unsigned long long)seed);
		buf_release(&text), buf_release(&part), buf_release(&want), buf_release(&got);
	}
}

static size_t
fence_lines(struct str text)
{
	size_t count = 0;
	bool more = true;

	while (more) {
		struct str line;

		more = str_cut(text, '\n', &line, &text);
		count += str_starts(line, STR("```"));
	}
	return count;
}

static void
P5_property_every_part_closes_its_fences(void **state)
{
	uint64_t seeds = suite_seeds(3000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct buf text, part;
		struct reply_split s;
		struct rand r;
		size_t limit;

		rand_init_seed(&r, seed);
		buf_init(&text, 20000), buf_init(&part, 20000);
		for (size_t i = 0, blocks = 1 + rand_below(&r, 4); i < blocks; i++) {
			pick_words(&r, &text);
			buf_puts(&text, rand_below(&r, 2) ? "\n```py\n" : "\n```\n");
			pick_words(&r, &text);
			buf_puts(&text, "\n```\n");
		}
		limit = 64 + rand_below(&r, 200);
		s = reply_split(buf_str(&text), limit, SPLIT_UTF16);
		while (reply_split_next(&s, &part))
			if (fence_lines(buf_str(&part)) % 2 != 0 ||
			    utf8_count(buf_str(&part)) > limit)
				fail_msg("seed %llu limit %zu: part\n" STR_FMT "\nof\n" STR_FMT,
					 (unsigned long long)seed, limit, STR_ARG(buf_str(&part)),
					 STR_ARG(buf_str(&text)));
		buf_release(&text), buf_release(&part);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, check_row);
	SUITE_TEST(&s, P5_property_parts_fit_and_lose_only_breaks);
	SUITE_TEST(&s, P5_property_every_part_closes_its_fences);
	return suite_run(&s, "reply_split");
}
