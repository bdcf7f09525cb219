#include "core/preview.h"
#include "harness.h"

static const struct row {
	const char *name, *payload;
	size_t chars;
	const char *want;
} ROWS[] = {
	{ "M12 a short text stays as it is", "{\"content\":[{\"text\":\"hello\"}]}", 10, "hello" },
	{ "M12 a text that just fits is not cut", "{\"content\":[{\"text\":\"0123456789\"}]}", 10,
	  "0123456789" },
	{ "M12 a longer one ends in dots", "{\"content\":[{\"text\":\"0123456789a\"}]}", 10,
	  "0123456..." },
	{ "M12 blanks and line ends become one space",
	  "{\"content\":[{\"text\":\"  a\\n\\n\\tb \\u007f c  \"}]}", 10, "a b c" },
	{ "M12 a space counts as a character", "{\"content\":[{\"text\":\"01234 56789\"}]}", 10,
	  "01234 5..." },
	{ "M12 characters, not bytes, are counted",
	  "{\"content\":[{\"text\":\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	  "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\"}]}",
	  5, "\xf0\x9f\x98\x80\xf0\x9f\x98\x80..." },
	{ "M12 wide characters and a space at the edge",
	  "{\"content\":[{\"text\":\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	  "\xf0\x9f\x98\x80 \xf0\x9f\x98\x80\"}]}",
	  4, "\xf0\x9f\x98\x80..." },
	{ "M12 pictures are passed over",
	  "{\"content\":[{\"type\":\"image\"},{\"text\":\"x\"},{\"text\":\"y\"}]}", 10, "x" },
	{ "M12 an empty first text hides the second",
	  "{\"content\":[{\"text\":\"\"},{\"text\":\"y\"}]}", 10, "" },
	{ "M12 no text, no line", "{\"content\":[{\"type\":\"image\"}]}", 10, "" },
	{ "M12 no content, no line", "{}", 10, "" },
};

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct arena a;
	struct json_doc doc;
	struct err e = { 0 };

	arena_init(&a);
	if (json_parse(&a, str_of(r->payload), &JSON_LIMITS_DEFAULT, &doc, &e) != 0)
		fail_msg("%s", e.text);
	check_str(r->name, preview_line(json_root(&doc), r->chars, &a), str_of(r->want));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	return suite_run(&s, "preview");
}
